"""The studies of scripts/thesis_readings.py."""
