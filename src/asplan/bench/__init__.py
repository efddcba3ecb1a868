"""Measurements of encodings side by side, and their charts."""
