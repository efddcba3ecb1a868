"""`python -m asplan`."""

from asplan.cli import main

main()
