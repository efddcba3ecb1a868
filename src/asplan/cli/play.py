"""`asplan play`: a page on which a person plays a puzzle."""

import webbrowser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from asplan.cli.options import (
    ENCODING,
    INSTANCE,
    Command,
    Output,
    input_option,
    limit_option,
    option,
    output_option,
    shared_options,
)
from asplan.cli.output import Line, stop_status
from asplan.core.errors import UsageError, needs_extra
from asplan.core.files import atomic_file, check_writable
from asplan.core.limits import Limits
from asplan.core.process import Done, run_isolated
from asplan.core.text import printable
from asplan.play import MOST_STATES
from asplan.problem import Inputs
from asplan.statespace.analysis import TooManyStates

_ANSWER = 20.0  # seconds for an answer of the server, where --time-limit names no others


@click.command("play", cls=Command, section="The page")
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1, required=True)
@input_option("-e", "--encoding", type=ENCODING, help="Play through the states of this encoding.")
@shared_options("constants", "actions", "includes")
@limit_option(
    "--max-states",
    type=click.IntRange(1),
    default=MOST_STATES,
    help="Put so many states into the page; with more, a server answers it.",
)
@shared_options("limits")
@output_option(
    *("-o", "--output"),
    type=Output(dir_okay=False),
    metavar="FILE.html",
    help="Write the page into this file, with all states, and serve nothing.",
)
@shared_options("port")
@option("--open/--no-open", "opens", default=True, help="Open the page in a browser.")
@shared_options("debug")
def command(
    files: tuple[str, ...],
    max_states: int,
    limits: Limits,
    output: str | None,
    port: int | None,
    opens: bool,
    **given: Any,
) -> int:
    """Open a page on which you play a puzzle, with hints.

    FILE is what it is for analyse: a problem whose states can be searched. You drag what is drawn,
    or choose among buttons for all that can happen. The page is for browsers on this machine, and
    Ctrl-C ends it. A page that -o writes holds all states and needs nothing else.

    Examples:
      asplan play sample02
      asplan play sample02 -o play.html              one file, to pass on
      asplan play my_encoding.lp my_instance.lp      a program of your own
      asplan play fifteen34                          more states than a page holds
    """
    inputs = Inputs(files, all_states=True, **given)
    if output:
        if Path(output).suffix.lower() not in (".html", ".htm"):
            raise UsageError(f"cannot write {output}", hint="a page to play on ends in .html")
        if port is not None:
            raise UsageError("-o writes a file and serves nothing, so there is no --port")
        check_writable(Path(output))
    limits.check()
    with Line() as line:
        make = partial(_make, inputs, max_states, output)
        done: Done = run_isolated(make, limits, lambda now: line.show(now.reason), Done())
    if done.stopped:
        click.echo(printable(f"asplan: {done.reason}"), err=True)
        return stop_status(done.stopped)
    page, said = done.value
    if output:
        click.echo(printable(f"asplan: wrote {output}: {said}"), err=True)
        return 0
    missing = "asplan play needs {} to serve its page, which is not installed"
    with needs_extra(missing, "studio", ", or write a page that needs no server: -o FILE.html"):
        from asplan.play.server import serve_game

    def tell(address: str) -> None:
        click.echo(printable(f"asplan play: {address}\n{said}\nCtrl-C ends it."))
        if opens:
            webbrowser.open(address)

    seconds = limits.seconds or _ANSWER
    serve_game(inputs, page, port or 0, seconds, limits.megabytes, tell)
    return 0


def _make(inputs: Inputs, most: int, output: str | None, report: Callable[[Done], None]) -> Done:
    """The page with all states and a sentence about it; no page where there are too many."""
    from asplan.play.pages import make_whole_page

    try:
        page, said = make_whole_page(inputs, most, lambda doing: report(Done(reason=doing)))
    except TooManyStates:
        if output:
            why = f"more than {most} states can be reached, too many for a page"
            hint = "without -o a server is asked for them; --max-states N allows more"
            raise TooManyStates(why, hint=hint) from None
        return Done((None, f"more than {most} states, so the page asks for those it comes to"))
    if output:
        with atomic_file(Path(output)) as file:
            file.write(page.encode())
        page = ""
    return Done((page, said))
