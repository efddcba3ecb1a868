"""Shared code of the scripts."""
