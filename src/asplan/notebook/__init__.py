"""Notebooks: answers as HTML and as data frames, and a progress bar for calls."""
