"""`asplan convert`: foreign notations to facts, and back."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import click

from asplan.api.exploring import convert
from asplan.cli.options import (
    INSTANCE,
    Command,
    Output,
    option,
    output_option,
    shared_options,
)
from asplan.cli.output import Doing, in_worker
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
    type=click.Choice(list(notations())),
    help="Read this notation; else it is guessed.",
)
@_notation(
    "--to",
    "target",
    type=click.Choice([*notations(), *_SHOTS]),
    help="Write instances in this notation, or programs in this form.",
)
@option("--columns", type=click.IntRange(1), help="Read boards of this width; else squares.")
@option("--blank-first", is_flag=True, help="Let the goal of tiles be 0 1 2 …, not 1 2 … 0.")
@option("--line", "wanted", type=click.IntRange(1), help="Convert only the board in this line.")
@output_option("-o", "--output", type=Output(), help="Write into this folder; for PDDL, this file.")
@shared_options("includes", "limits", "debug")
@in_worker("files")
def command(
    doing: Doing,
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

    Shipped instances and files in .lp, .asp, .clingo or .gringo, without --from, are instances; all
    others are boards, read line by line. A line that makes no sense is reported and does not stop
    the rest.

    A domain and a problem in PDDL become the facts of a finite-domain task, for encodings of your
    own; with --to plasp those that encodings for plasp read.

    A program with a horizon, time(0..n), becomes one with the parts base, step(t) and check(t);
    one with parts becomes such a program with --to single-shot.

    Notations:
      board  IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM, one a line; A is the red car,
             o or . is empty, x a wall. A number of moves may precede it; with
             a header line it is the column `board`, so databases can be read.
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
    # PDDL as facts, or a program in its other form; boards and instances are neither.
    text = facts_of_pddl(Inputs(files), target) if target not in _SHOTS else None
    programs = all(file.endswith(ASP) and exists(file) for file in files)
    if text is None and (target in _SHOTS or programs):
        text = program_text(files, target, allow_includes)
    if text is not None:
        if output is None:
            click.echo(text, nl=False)
        else:
            _write(Path(output), text)
        return 0
    if output and Path(output).is_file():
        raise UsageError(f"-o {output} is a file; instances are written into a folder")
    failed, shape = False, Shape(columns, blank_first)
    for file in files:
        doing(f"converting {file}")
        if (not source and file.endswith(ASP)) or (file != STDIN and not exists(file)):
            click.echo(convert(file, target, allow_includes), nl=False)
            continue
        if target:
            raise UsageError(f"{file}: --to is for instances, which end in .lp")
        lines: Iterable[str] = lines_of(file)
        if wanted is not None:  # what looks like a header stays as well
            lines = (
                line if number == wanted or {"board", "tiles"} & set(line.split()) else "\n"
                for number, line in enumerate(lines_of(file), 1)
            )
        failed = _convert(file, to_facts(lines, file, source, shape), wanted, output) or failed
    return 2 if failed else 0


def _convert(
    file: str, boards: Iterable[Converted | InputError], wanted: int | None, output: str | None
) -> bool:
    """Print or write the boards of a file; whether something in it made no sense."""
    failed = False
    printed: Converted | None = None
    for found in boards:
        if isinstance(found, InputError):
            click.echo(f"asplan: {found}", err=True)
            failed = True
        elif output:
            try:
                Path(output).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(f"cannot write {output}: {error.strerror}") from None
            _write(Path(output) / f"{Path(file).stem}-{found.line}.lp", found.text)
        elif printed:
            hint = "say -o FOLDER for all of them, or --line N for one"
            raise UsageError(f"{file} has more than one board", hint=hint)
        else:
            printed = found
    if printed:
        click.echo(printed.text, nl=False)
    elif not failed and not output:
        raise InputError(f"{file} has no board" + (f" in line {wanted}" if wanted else ""))
    return failed


def _write(path: Path, text: str) -> None:
    with atomic_file(path) as file:
        file.write(text.encode())
