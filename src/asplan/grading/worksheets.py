"""Worksheets: programs with gaps for students, made from complete programs."""

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from shutil import copytree

import msgspec

PROGRAMS = ("encoding.lp", "domain.pddl")
"""The possible names of the program that gets the gaps; the first that exists counts."""

GAPS = "gaps.toml"
"""The name of the file with the gaps of a domain."""

_COMMENTS = {".lp": "%", ".pddl": ";;"}


class Gap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A gap: its task in words, the lines to remove, and lines to put in their place."""

    task: str
    solution: str
    instead: str = ""


def make_exercise(name: str, folder: Path, exercise: Path) -> None:
    """Make a worksheet from the folder of a domain, which becomes the solution.

    Parameters
    ----------
    name
        The name of the domain.
    folder
        The folder of the exercise. Its folder `solution` has the whole domain; the copy `worksheet`
        gets the gaps. Then the tests and the README.md of `solution` are removed.
    exercise
        The folder with the file of gaps, and with instances to add to `solution` only.
    """
    solution = folder / "solution"
    worksheet = folder / "worksheet"
    copytree(solution, worksheet)
    for file in (*solution.glob("test_*.py"), solution / "README.md"):
        file.unlink()
    instances = exercise / "instances"
    if instances.is_dir():
        copytree(instances, solution / "instances", dirs_exist_ok=True)
    program = next(worksheet / known for known in PROGRAMS if (worksheet / known).is_file())
    gaps = read_gaps(exercise / GAPS)
    text = program.read_text(encoding="utf-8")
    program.write_text(cut_gaps(text, gaps, _COMMENTS[program.suffix]), encoding="utf-8")
    values = {"name": name, "program": program.name, **_read_story(worksheet / "README.md")}
    values["tasks"] = "\n".join(f"{n}. {gap.task}" for n, gap in enumerate(gaps, 1))
    texts = files("asplan.grading")
    for source, target in (("exercise.md", folder), ("worksheet.md", worksheet)):
        text = (texts / source).read_text(encoding="utf-8")
        (target / "README.md").write_text(text.format(**values), encoding="utf-8")


def read_gaps(file: Path) -> list[Gap]:
    """Return the gaps that a file describes."""
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    return msgspec.convert(data["gap"], list[Gap])


def cut_gaps(text: str, gaps: Sequence[Gap], comment: str) -> str:
    r"""Replace the lines of each gap in a program by a comment with its task.

    Raises `ValueError` unless the lines of each gap occur exactly once in the program.

    >>> print(cut_gaps("a.\nb.\n", [Gap("Define b.", "b.\n")], "%"))
    a.
    % GAP 1. Define b.
    <BLANKLINE>
    """
    for number, gap in enumerate(gaps, 1):
        solution = gap.solution.strip("\n")
        if text.count(solution) != 1:
            raise ValueError(f"the lines of gap {number} do not occur exactly once in the program")
        indent = " " * (len(solution) - len(solution.lstrip()))
        task = f"{indent}{comment} GAP {number}. {gap.task}"
        instead = gap.instead.strip("\n")
        text = text.replace(solution, "\n".join(filter(None, [task, instead])))
    return text


def _read_story(readme: Path) -> dict[str, str]:
    """Return the first paragraph of a README after its title, and its first command."""
    text = readme.read_text(encoding="utf-8")
    _, story, _ = text.split("\n\n", 2)
    command = re.search(r"```sh\n(.*)\n", text)
    assert command is not None
    return {"story": story, "solve": command[1]}
