"""The studies of scripts/brain_twist.py."""
