"""The command line: a function for each subcommand, without logic of its own."""

import signal
import sys


def main(arguments: list[str] | None = None) -> None:
    """Run a command and end with its exit status.

    0 done, 1 no answer within the limits, 2 bad usage or bad input, 3 proven unsolvable,
    4 validation failed, 70 a bug, 130 interrupted; 129, 141 and 143 as others end at a hang-up,
    with nobody to read their output, and at SIGTERM.
    """
    try:
        # All that takes time is imported here, where an interrupt is answered in a line.
        from asplan.cli.commands import run_command

        status = run_command(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        print("asplan: interrupted", file=sys.stderr)
        status = 130
    # The command is over: a Ctrl-C while Python ends would only print where it struck.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(status)
