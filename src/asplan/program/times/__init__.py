"""The times of a single-shot program, from which its horizon follows."""
