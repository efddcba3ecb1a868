"""`asplan play`: a page for playing a puzzle."""

import webbrowser
from functools import partial
from pathlib import Path

import click

from asplan.cli.options import (
    ENCODING,
    INSTANCE,
    Command,
    Value,
    input_option,
    limit_option,
    option,
    output_option,
    shared_options,
)
from asplan.cli.output import ProgressLine, note, stop_status
from asplan.cli.parameters import Output, WholeNumber
from asplan.core.budget import Reporter
from asplan.core.errors import UsageError, needs_extra
from asplan.core.files import atomic_file, check_writable
from asplan.core.limits import Limits
from asplan.core.process import Done, run_isolated
from asplan.core.text import printable
from asplan.play import MOST_STATES
from asplan.problem import Inputs
from asplan.statespace.analysis import TooManyStates

_ANSWER = 20.0  # seconds for an answer of the server, unless --time-limit is set


@click.command("play", cls=Command, section="The page")
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1, required=True)
@input_option("-e", "--encoding", type=ENCODING, help="Play through the states of this encoding.")
@shared_options("constants", "actions", "includes")
@limit_option(
    "--max-states",
    type=WholeNumber(1),
    default=MOST_STATES,
    help="Put at most this many states into the page; with more, use a server.",
)
@shared_options("limits")
@output_option(
    *("-o", "--output"),
    type=Output(dir_okay=False),
    metavar="FILE.html",
    help="Write the page into this file, with all states, and serve nothing.",
)
@option(
    "--coordinates/--no-coordinates",
    default=False,
    help="Number the rows and the columns of the board.",
)
@shared_options("port")
@option("--open/--no-open", "opens", default=True, help="Open the page in a browser.")
@shared_options("debug")
def command(
    files: tuple[str, ...],
    max_states: int,
    limits: Limits,
    output: str | None,
    coordinates: bool,
    port: int | None,
    opens: bool,
    **given: Value,
) -> int:
    """Open a page on which you play a puzzle, with hints.

    FILE is as for analyse: a problem whose states can be searched. You drag objects, or choose
    among buttons for the applicable actions. The page is for browsers on this machine, and Ctrl-C
    ends it. A page of -o has all states and needs no server.

    Examples:
      asplan play sample02
      asplan play sample02 -o play.html              one file, to pass on
      asplan play my_encoding.lp my_instance.lp      a program of your own
      asplan play fifteen34                          more states than a page holds
    """
    inputs = Inputs(files, all_states=True, **given)
    if output:
        if Path(output).suffix.lower() not in (".html", ".htm"):
            raise UsageError(f"{output} is not the name of a page", hint="name it FILE.html")
        if port is not None:
            raise UsageError("-o writes a page without a server: leave out --port")
        check_writable(Path(output))
    limits.check()
    with ProgressLine() as line:
        work = partial(_make, inputs, max_states, output, coordinates)
        done = run_isolated(work, limits, lambda now: line.show(now.reason), Done())
    if done.stopped:
        note(done.reason)
        return stop_status(done.stopped)
    page, about = done.value
    if output:
        note(f"wrote {output}: {about}")
        return 0
    missing = "asplan play needs {} to serve its page, which is not installed"
    with needs_extra(missing, "studio", ", or write a page that needs no server: -o FILE.html"):
        from asplan.play.server import serve_game

    def show(address: str) -> None:
        click.echo(printable(f"asplan play: {address}\n{about}\nCtrl-C ends it."))
        if opens:
            webbrowser.open(address)

    seconds = limits.seconds or _ANSWER
    serve_game(
        inputs,
        page,
        port or 0,
        seconds,
        limits.megabytes,
        show,
        coordinates,
    )
    return 0


def _make(
    inputs: Inputs,
    most: int,
    output: str | None,
    coordinates: bool,
    report: Reporter[Done],
) -> Done:
    """Make a page with all states; return it with a description as the value of a `Done`.

    If `output` names a file, write the page there. If there are more than `most` states, return
    None for the page, or raise `TooManyStates` if a file is wanted.
    """
    from asplan.play.pages import make_whole_page

    try:
        page, about = make_whole_page(
            inputs,
            most,
            lambda activity: report(Done(reason=activity)),
            coordinates,
        )
    except TooManyStates:
        if output:
            why = f"more than {most} states can be reached, too many for a page"
            hint = "leave out -o to use a server, or raise --max-states"
            raise TooManyStates(why, hint=hint) from None
        return Done((None, f"more than {most} states, so a server finds those that you reach"))
    if output:
        with atomic_file(Path(output)) as file:
            file.write(page.encode())
        page = ""
    return Done((page, about))
