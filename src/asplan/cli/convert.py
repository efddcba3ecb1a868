"""`asplan convert`: instances and programs translated to and from other notations and forms."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from asplan.api.exploring import convert
from asplan.cli.options import (
    INSTANCE,
    Command,
    option,
    output_option,
    shared_options,
)
from asplan.cli.output import in_worker
from asplan.cli.parameters import OneOf, Output, WholeNumber
from asplan.core.budget import Reporter
from asplan.core.errors import InputError, UsageError
from asplan.core.files import ASP, STDIN, atomic_file, exists
from asplan.domains.base import Converted, Shape
from asplan.pddl.front import facts_of_pddl
from asplan.problem import Inputs
from asplan.problem.notation import lines_of, notations, to_facts
from asplan.problem.single_shot import program_text

_notation = partial(option, metavar="NAME")
_SHOTS = ("incremental", "single-shot")


@click.command("convert", cls=Command, section="What to convert")
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1, required=True)
@_notation(
    "--from",
    "source",
    type=OneOf(list(notations())),
    help="Read this notation; by default it is guessed.",
)
@_notation(
    "--to",
    "target",
    type=OneOf([*notations(), *_SHOTS]),
    help="Write instances in this notation, or programs in this form.",
)
@option("--columns", type=WholeNumber(1), help="Read boards of this width; by default squares.")
@option("--blank-first", is_flag=True, help="Use 0 1 2 … as the goal of tiles instead of 1 2 … 0.")
@option("--line", "wanted", type=WholeNumber(1), help="Convert only the board in this line.")
@output_option("-o", "--output", type=Output(), help="Write into this folder; for PDDL, this file.")
@shared_options("includes", "limits", "debug")
@in_worker("files")
def command(  # noqa: PLR0913  # each option is a parameter
    report: Reporter[str],
    files: tuple[str, ...],
    columns: int | None,
    blank_first: bool,
    source: str | None,
    target: str | None,
    wanted: int | None,
    output: str | None,
    allow_includes: bool,
) -> int:
    """Turn boards in other notations into instances, and back.

    Shipped instances and files in .lp, .asp, .clingo or .gringo are instances, unless --from is
    set. Other files have boards, one a line; wrong lines are reported, and the others converted.

    A domain and a problem in PDDL become the facts of a finite-domain task, for encodings of your
    own; with --to plasp the facts for encodings of plasp.

    A single-shot program with a horizon, time(0..n), becomes one with the parts base, step(t) and
    check(t). With --to single-shot it is the other way round.

    Notations:
      board  IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM, one a line; A is the red car,
             o or . is empty, x a wall. A number of moves may come before it. In a
             table, such as a database, the header calls the column `board`.
      card   line 1 the size, line 2 row and column of the goal cell, then
             `row column h|v length`, counted from 0, the red car first
      plasp  the facts that plasp makes of SAS; for PDDL, and facts made from it
      tuples  facts such as position(0,r,h,3,4,5), a car with all its cells
      tiles  1 2 3 4 5 0 7 8 6, row by row, 0 for the blank, one board a line

    Examples:
      asplan convert database.txt -o boards/      one file for each line
      asplan convert database.txt --line 12
      asplan convert sample02 sample03            instances as boards
      asplan convert domain.pddl problem.pddl -o task.lp
      asplan convert homework.lp -o incremental.lp
    """
    text = _task_or_program(files, target, allow_includes)
    if text is not None:
        if output is None:
            click.echo(text, nl=False)
        else:
            _write(Path(output), text)
        return 0
    if output and Path(output).is_file():
        raise UsageError(f"-o {output} is a file, but instances are written into a folder")
    boards = _Boards(source, Shape(columns, blank_first), wanted, output)
    for file in files:
        report(f"converting {file}")
        if (not source and file.endswith(ASP)) or (file != STDIN and not exists(file)):
            click.echo(convert(file, target, allow_includes), nl=False)
            continue
        if target:
            raise UsageError(f"{file}: --to needs an instance with the suffix .lp")
        boards.convert(file)
    return 2 if boards.has_errors else 0


def _task_or_program(
    files: tuple[str, ...],
    target: str | None,
    allow_includes: bool,
) -> str | None:
    """Return the text of a converted PDDL task or program; None if the files are something else.

    A task becomes facts. A single-shot program becomes a program in parts, and a program in parts a
    single-shot one. `target` names the form to make; None guesses it.
    """
    if target not in _SHOTS:
        facts = facts_of_pddl(Inputs(files), target)
        if facts is not None:
            return facts
    programs = all(file.endswith(ASP) and exists(file) for file in files)
    if target in _SHOTS or programs:
        return program_text(files, target, allow_includes)
    return None


@dataclass
class _Boards:
    """The conversion of files with boards into instances.

    `source` names the notation of the boards; None guesses it. `output` is the folder for the
    instances; None prints them.
    """

    source: str | None
    shape: Shape
    wanted: int | None  # the line of the only board to convert
    output: str | None
    has_errors: bool = False

    def convert(self, file: str) -> None:
        """Print or write the instances of a file's boards; print errors about its lines."""
        printed: Converted | None = None
        has_errors = False
        for board in to_facts(self._lines(file), file, self.source, self.shape):
            if isinstance(board, InputError):
                click.echo(f"asplan: {board}", err=True)
                has_errors = True
            elif self.output:
                self._write(file, board, Path(self.output))
            elif printed:
                hint = "pass -o FOLDER for all boards, or --line N for one"
                raise UsageError(f"{file} has more than one board", hint=hint)
            else:
                printed = board
        if printed:
            click.echo(printed.text, nl=False)
        elif not has_errors and not self.output:
            place = f" in line {self.wanted}" if self.wanted else ""
            raise InputError(f"{file} has no board{place}")
        self.has_errors = self.has_errors or has_errors

    def _lines(self, file: str) -> Iterator[str]:
        """Yield the lines of a file.

        If a single line is wanted, yield all other lines as empty ones, except headers.
        """
        for number, line in enumerate(lines_of(file), 1):
            is_header = bool({"board", "tiles"} & set(line.split()))
            yield line if self.wanted in (None, number) or is_header else "\n"

    def _write(self, file: str, board: Converted, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot write {folder}: {error.strerror}") from None
        _write(folder / f"{Path(file).stem}-{board.line}.lp", board.text)


def _write(path: Path, text: str) -> None:
    with atomic_file(path) as file:
        file.write(text.encode())
