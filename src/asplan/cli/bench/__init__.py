"""`asplan bench`: methods beside each other on many instances."""
