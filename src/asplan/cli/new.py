"""`asplan new`: a folder for a domain of your own, from one of the templates."""

import os
import re
from pathlib import Path

import click

from asplan.catalog import templates
from asplan.cli.options import Command, option, shared_options
from asplan.cli.parameters import OneOf
from asplan.core.errors import UsageError
from asplan.core.files import atomic_folder

TEMPLATES = {
    "grid": "meadow",
    "blocks": "stacking",
    "single-shot": "crossing",
    "telingo": "elevator",
    "pddl": "delivery",
}
"""The name of the template folder for each kind of domain."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")


def start_domain(
    name: str, home: str | os.PathLike[str] = ".", kind: str = "grid"
) -> tuple[Path, ...]:
    """Make a folder `name` in `home` with a small working domain of a kind; return its files."""
    if not _NAME.fullmatch(name):
        hint = "use a small letter, then up to 49 small letters, digits and underscores"
        raise UsageError(f"{name!r} cannot be the name of a domain", hint=hint)
    own = TEMPLATES[kind]
    template = templates() / own
    word = re.compile(rf"(?<![a-z]){own}(?![a-z])")
    target = Path(home) / name
    with atomic_folder(target) as folder:
        for file in sorted(template.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                copy = folder / word.sub(name, str(file.relative_to(template)))
                copy.parent.mkdir(exist_ok=True)
                text = file.read_text(encoding="utf-8")
                copy.write_text(word.sub(name, text), encoding="utf-8")
    return tuple(sorted(file for file in target.rglob("*") if file.is_file()))


@click.command("new", cls=Command)
@click.argument("name")
@option(
    "--kind",
    type=OneOf(TEMPLATES),
    default="grid",
    help="Begin with a grid, blocks, a program without parts, telingo or PDDL.",
)
@shared_options("debug")
def command(name: str, kind: str) -> None:
    """Make a folder with a small working domain, to change it.

    It has an encoding or a PDDL domain, two instances and a test, all with comments; grids and
    blocks are drawn. No existing file is replaced. docs/tutorial.md starts from a grid.

    Examples:
      asplan new garden
      asplan new shelves --kind blocks
      asplan new depot --kind pddl
    """
    files = start_domain(name, kind=kind)
    for file in files:
        click.echo(f"{file.as_posix():30} {_title(file)}".rstrip())
    readme = Path(name, "README.md").read_text(encoding="utf-8")
    click.echo("\nNext:\n")
    click.echo(f"  cd {name}")
    for line in readme.partition("```sh\n")[2].partition("```")[0].splitlines():
        click.echo(f"  {line}")


def _title(file: Path) -> str:
    """Return the title of an ASP program or a PDDL file: its first line, a comment."""
    if file.suffix not in (".lp", ".pddl"):
        return ""
    return file.read_text(encoding="utf-8").partition("\n")[0].lstrip("%; ")
