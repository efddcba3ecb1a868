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

_EXERCISE = "exercise"  # the folder of a template with its gaps
_LEFT_OUT = {_EXERCISE, "__pycache__"}
_NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")


def start_domain(
    name: str,
    home: str | os.PathLike[str] = ".",
    kind: str = "grid",
    folder_name: str = "",
) -> tuple[Path, ...]:
    """Make a folder in `home` with a small working domain of a kind; return its files.

    The folder has the name of the domain, or `folder_name`.
    """
    if not _NAME.fullmatch(name):
        hint = "use a small letter, then up to 49 small letters, digits and underscores"
        raise UsageError(f"{name!r} cannot be the name of a domain", hint=hint)
    own = TEMPLATES[kind]
    template = templates() / own
    word = re.compile(rf"(?<![a-z]){own}(?![a-z])")
    target = Path(home) / (folder_name or name)
    with atomic_folder(target) as folder:
        for file in sorted(template.rglob("*")):
            if file.is_file() and _LEFT_OUT.isdisjoint(file.parts):
                copy = folder / word.sub(name, str(file.relative_to(template)))
                copy.parent.mkdir(exist_ok=True)
                text = file.read_text(encoding="utf-8")
                copy.write_text(word.sub(name, text), encoding="utf-8")
    return tuple(sorted(file for file in target.rglob("*") if file.is_file()))


def start_exercise(
    name: str, home: str | os.PathLike[str] = ".", kind: str = "grid"
) -> tuple[Path, ...]:
    """Make a folder `name` in `home` with an exercise about a kind of domain; return its files."""
    from asplan.grading.worksheets import make_exercise

    target = Path(home) / name
    with atomic_folder(target) as folder:
        start_domain(name, folder, kind, folder_name="solution")
        gaps = templates() / TEMPLATES[kind] / _EXERCISE
        make_exercise(name, folder, gaps)
    return tuple(sorted(file for file in target.rglob("*") if file.is_file()))


@click.command("new", cls=Command)
@click.argument("name")
@option(
    "--kind",
    type=OneOf(TEMPLATES),
    default="grid",
    help="Begin with a grid, blocks, a program without parts, telingo or PDDL.",
)
@option(
    "--exercise",
    is_flag=True,
    help="Make an exercise for a class: a worksheet with gaps, and a solution for asplan grade.",
)
@shared_options("debug")
def command(name: str, kind: str, exercise: bool) -> None:
    """Make a folder with a small working domain, to change it.

    It has an encoding or a PDDL domain, two instances and a test, all with comments; grids and
    blocks are drawn. No existing file is replaced. docs/tutorial.md starts from a grid.

    Examples:
      asplan new garden
      asplan new shelves --kind blocks
      asplan new depot --kind pddl
      asplan new shelves --kind blocks --exercise
    """
    files = start_exercise(name, kind=kind) if exercise else start_domain(name, kind=kind)
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
