"""`asplan studio`: a local page that follows the files."""

from __future__ import annotations

import webbrowser

import click

from asplan.cli.parameters import (
    ENCODING,
    INSTANCE,
    constant_options,
    debug_option,
    includes_option,
)
from asplan.studio.settings import StudioSettings

_EPILOG = """
\b
Examples:
  asplan studio my_encoding.lp my_instance.lp    a program of your own
  asplan studio sample02 -e my_encoding.lp       a shipped instance
  asplan studio sample02 -e origin --metric slide
  asplan studio domain.pddl problem.pddl --time-limit 10

\b
Exit status: 2 bad usage or bad input, 130 ended with Ctrl-C.
"""


@click.command("studio", epilog=_EPILOG)
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1)
@click.option(
    "-e",
    "--encoding",
    "encodings",
    type=ENCODING,
    multiple=True,
    help="A name or a path, NAME:CONST=VALUE too. Of several the page offers all.",
)
@constant_options
@click.option("--max-horizon", type=click.IntRange(0), help="Give up after this one.")
@includes_option
@click.option(
    "--time-limit",
    type=click.FloatRange(0),
    metavar="S",
    default=60.0,
    show_default=True,
    help="Seconds for a run.",
)
@click.option("--memory-limit", type=click.IntRange(1), metavar="MB", help="Megabytes.")
@click.option(
    "--port", type=click.IntRange(1024, 65535), metavar="N", help="Without it one that is free."
)
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
@debug_option
def command(
    files: tuple[str, ...],
    encodings: tuple[str, ...],
    constants: dict[str, str],
    max_horizon: int | None,
    allow_includes: bool,
    time_limit: float,
    memory_limit: int | None,
    port: int | None,
    opens: bool,
) -> None:
    """Serve a page that shows what the files do, anew whenever one of them is saved.

    FILE is what it is for solve. The page is for browsers on this machine; its address, which
    holds a token, is printed. Ctrl-C ends it.
    """
    settings = StudioSettings(
        files=files,
        encodings=encodings,
        encoding=encodings[0] if encodings else None,
        constants=constants,
        max_horizon=max_horizon,
        time_limit=time_limit,
        memory_limit=memory_limit,
        allow_includes=allow_includes,
    )

    def tell(address: str) -> None:
        click.echo(f"asplan studio: {address}\nCtrl-C ends it.")
        if opens:
            webbrowser.open(address)

    from asplan.studio import open_studio

    open_studio(settings, port or 0, tell)
