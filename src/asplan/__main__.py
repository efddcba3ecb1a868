"""The command line, for `python -m asplan`."""

from asplan.cli import main

main()
