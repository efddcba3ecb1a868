"""The exit statuses of all commands, as `asplan help exit-codes` prints them."""

EXIT_CODES = {
    0: "done; for solve: a plan was found",
    1: "no answer within the limits",
    2: "bad usage or bad input",
    3: "proven unsolvable",
    4: "a plan failed its validation",
    70: "a bug of asplan, printed with the lines to report",
    129: "the terminal was closed",
    130: "interrupted, as by Ctrl-C",
    141: "nobody reads the output, as behind head",
    143: "ended by another program (SIGTERM)",
}
"""The meaning of each exit status."""


def exit_codes_text() -> str:
    """Return the exit statuses, one a line."""
    return "".join(f"{status:<5}{meaning}\n" for status, meaning in EXIT_CODES.items())
