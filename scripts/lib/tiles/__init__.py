"""Studies of sliding tiles, which scripts/tiles.py runs."""
