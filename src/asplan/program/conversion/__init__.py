"""From single-shot and telingo programs to incremental ones."""
