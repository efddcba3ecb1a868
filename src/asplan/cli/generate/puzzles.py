"""Makes some puzzles of a domain."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from asplan.api.generating import generate
from asplan.cli.generate.options import COUNTING, refuse_idle
from asplan.cli.progress import Line
from asplan.cli.streams import print_json
from asplan.errors import UsageError
from asplan.making.made import Generated
from asplan.result import Stop


@click.pass_context
def make(ctx: click.Context, /, as_json: bool, is_all: bool = False, **given: Any) -> None:
    """What a domain's command does."""
    refuse_idle(ctx, is_all)
    domain = str(ctx.info_name)
    if is_all:
        from asplan.cli.generate.counting import count_all

        count_all(domain, as_json, **given)
        return
    wished = {name: value for name, value in given.items() if name not in COUNTING}
    if wished["count"] > 1 and wished["output"] is None and not as_json:
        raise UsageError("several puzzles need a folder", mend="name one by -o")
    with _Progress() as progress:
        made = generate(domain, progress=progress, **wished)
    _print(made, as_json, wished["output"])
    ctx.exit(130 if made.stopped == Stop.INTERRUPT else 1 if made.reason else 0)


class _Progress(Line):
    """Says which puzzle is being looked for."""

    def __call__(self, made: Generated) -> None:
        """Show what is being done."""
        self.show(made.reason)


def _print(found: Generated, as_json: bool, folder: str | None) -> None:
    if as_json:
        print_json(_plain(found))
    elif folder is None:
        for one in found.puzzles:
            click.echo(one.text, nl=False)
    elif found.puzzles:
        _print_table(found)
    if found.reason:
        made = f"{len(found.puzzles)} of {found.count} puzzles"
        click.echo(f"asplan: {made}: {found.reason}", err=True)


def _plain(found: Generated) -> dict[str, Any]:
    puzzles = [
        {"name": made.name, "attempt": made.attempt, **asdict(made.puzzle), "text": made.text}
        for made in found.puzzles
    ]
    return {**asdict(found), "puzzles": puzzles}


def _print_table(found: Generated) -> None:
    from asplan.cli.tables import print_table

    heads = ["file", *found.puzzles[0].puzzle.difficulty, "attempt"]
    rows = [
        [made.name, *map(str, made.puzzle.difficulty.values()), str(made.attempt)]
        for made in found.puzzles
    ]
    print_table("", heads, rows)
