"""`asplan new`: a folder for a domain of your own, from the template `meadow`."""

import os
import re
from pathlib import Path

import click

from asplan.cli.options import Command, shared_options
from asplan.core.errors import UsageError
from asplan.core.files import atomic_folder
from asplan.problem.catalog import templates

_NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")


def start_domain(name: str, home: str | os.PathLike[str] = ".") -> tuple[Path, ...]:
    """Make a folder with a small working domain; return its files."""
    if not _NAME.fullmatch(name):
        hint = "use a small letter, then up to 49 small letters, digits and underscores"
        raise UsageError(f"{name!r} cannot be the name of a domain", hint=hint)
    template = templates() / "meadow"
    target = Path(home) / name
    with atomic_folder(target) as folder:
        for file in sorted(template.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                copy = folder / str(file.relative_to(template)).replace("meadow", name)
                copy.parent.mkdir(exist_ok=True)
                text = file.read_text(encoding="utf-8").replace("meadow", name)
                copy.write_text(text, encoding="utf-8")
    return tuple(sorted(file for file in target.rglob("*") if file.is_file()))


_NEXT = """
Next:

  cd {name}
  asplan solve instances/first.lp -e encoding.lp
  asplan solve instances/second.lp -e encoding.lp -o second.gif -o second.html
  python -m pytest                                    # once: pip install pytest
"""


@click.command("new", cls=Command)
@click.argument("name")
@shared_options("debug")
def command(name: str) -> None:
    """Make a folder with a small working domain, to change it.

    It has an encoding, two instances, drawing rules and a test, all with comments. No existing file
    is replaced. docs/tutorial.md starts from here.

    Examples:
      asplan new garden
      cd garden
      asplan solve instances/first.lp -e encoding.lp
    """
    for file in start_domain(name):
        # The first line of a program is its title.
        first = file.read_text(encoding="utf-8").partition("\n")[0]
        title = first.lstrip("% ") if file.suffix == ".lp" else ""
        click.echo(f"{file.as_posix():30} {title}".rstrip())
    click.echo(_NEXT.format(name=name), nl=False)
