"""Several methods at once on one problem; the first proven answer wins."""
