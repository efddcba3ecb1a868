"""Studies of Rush Hour encodings, which scripts/rush_hour.py runs."""
