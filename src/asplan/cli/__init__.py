"""The command line: a module for each subcommand, without logic of its own."""

import sys


def main(arguments: list[str] | None = None) -> None:
    """Run a command and end with its exit status.

    0 done, 1 no answer within the limits, 2 bad usage or bad input, 3 proven unsolvable,
    4 validation failed, 70 a bug, 130 interrupted. As usual, 129 at a hang-up, 141 without a reader
    of the output, and 143 at SIGTERM.
    """
    try:
        import signal

        status = _run(sys.argv[1:] if arguments is None else arguments)
        # The command is over: a Ctrl-C while Python ends would only print a traceback.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except BaseException as error:
        if not _is_interrupt(error):
            raise
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("asplan: interrupted", file=sys.stderr)
        status = 130
    import gc

    gc.freeze()  # or Python would visit all objects again as it ends
    sys.exit(status)


def _is_interrupt(error: BaseException | None) -> bool:
    """Return True if Ctrl-C is the error or its cause.

    If an import is interrupted, Python may raise another exception, whose cause is the interrupt.
    """
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None


def _run(words: list[str]) -> int:
    """Import and run a command; delay an interrupt until the end of the imports.

    Inside of an import, Python may replace the interrupt by another exception, or drop it.
    """
    import gc
    import os
    import signal

    # asplan uses no linear algebra, and numpy would start a thread for it on each core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    waiting: list[int] = []  # once imported, `list` is a module of this package
    before = signal.getsignal(signal.SIGINT)
    if callable(before):  # a shell ignores it in the background
        signal.signal(signal.SIGINT, lambda number, frame: waiting.append(number))
    gc.set_threshold(200_000)  # imports and short runs make many objects, but little garbage
    try:
        from asplan.cli.commands import run_command
    finally:
        if callable(before):
            signal.signal(signal.SIGINT, before)
    if waiting:
        raise KeyboardInterrupt
    return run_command(words)
