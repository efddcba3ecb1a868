"""Notebooks: shows answers as HTML and as data frames, and a progress bar during calls."""
