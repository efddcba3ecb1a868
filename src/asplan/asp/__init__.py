"""What runs clingo on a program: `planning` solves it, `measuring` says what it costs."""
