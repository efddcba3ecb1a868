"""Puzzles of known difficulty, whatever the domain: its `Generator` makes them attempt by attempt.

`wishes` reads what is wished, `attempts` makes puzzles until there are enough, `made` is what came
of it, `files` writes them down.
"""
