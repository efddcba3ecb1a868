"""`asplan studio`: a local page that shows runs of the files."""

import webbrowser

import click

from asplan.cli.options import (
    ENCODING,
    INSTANCE,
    Command,
    Value,
    input_option,
    option,
    seconds_option,
    shared_options,
)
from asplan.core.errors import needs_extra
from asplan.studio.settings import StudioSettings


@click.command("studio", cls=Command, section="The page")
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1)
@input_option(
    *("-e", "--encoding", "encodings"),
    type=ENCODING,
    multiple=True,
    help="Use this encoding; the page offers all named ones.",
)
@shared_options("constants", "max horizon", "includes", "memory limit")
@seconds_option(help="Stop each run after this many seconds.", default=60.0)
@shared_options("port")
@option("--read-only", is_flag=True, help="Let the page save no file.")
@option("--open", "opens", is_flag=True, help="Open the page in a browser.")
@shared_options("debug")
def command(encodings: tuple[str, ...], port: int | None, opens: bool, **given: Value) -> None:
    """Serve a page that solves the files whenever one is saved.

    FILE is as for solve. The page is for browsers on this machine; the printed address has a token.
    Ctrl-C ends it.

    Examples:
      asplan studio my_encoding.lp my_instance.lp    a program of your own
      asplan studio sample02 -e my_encoding.lp       a shipped instance
      asplan studio domain.pddl problem.pddl --time-limit 10
    """
    first = encodings[0] if encodings else None
    settings = StudioSettings(encodings=encodings, encoding=first, **given)
    settings.check()
    with needs_extra("asplan studio needs {}, which is not installed", "studio"):
        from asplan.studio.server import open_studio

    def show(address: str) -> None:
        click.echo(f"asplan studio: {address}\nCtrl-C ends it.")
        if opens:
            webbrowser.open(address)

    open_studio(settings, port or 0, show)
