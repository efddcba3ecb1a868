"""What a program costs to ground: its size, encodings side by side, and a count by source rule."""
