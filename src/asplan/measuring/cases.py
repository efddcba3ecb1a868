"""Cases of a comparison: encodings on instances, or complete programs beside each other."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath

from asplan.catalog import ShippedFile, encodings, find_instance
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, UsageError
from asplan.pddl.front import SUFFIX, instances_in
from asplan.problem import Inputs, load
from asplan.problem.instance import has_guesses
from asplan.problem.problem import is_program
from asplan.program import syntax
from asplan.program.reading.contract import read_claims
from asplan.program.reading.unit import read_unit
from asplan.program.theory import is_temporal, package_of

COMPLETE = "complete programs"
"""The name of the instance in the rows of several complete programs, which have own facts."""


@dataclass(frozen=True)
class Case:
    """The inputs of a row, and the names of its instance and its encoding."""

    inputs: Inputs
    instance: str
    encoding: str


def list_cases(inputs: Inputs, named: Sequence[str]) -> list[Case]:
    """Return the cases to measure: each encoding on each instance, or each complete program.

    `named` are the encodings that the user named. Every instance has a name of its own. Several
    complete programs share the name `COMPLETE`, because they are compared with each other.

    Raises
    ------
    UsageError
        Programs are mixed with instances, or with parts of programs, and no encoding is named.
    """
    instances = instances_in(inputs.files)
    stems = [PurePath(files[-1]).stem for files in instances]
    labels = [
        stem if stems.count(stem) == 1 else files[-1]
        for files, stem in zip(instances, stems, strict=True)
    ]
    alone = [replace(inputs, files=files) for files in instances]
    if named:
        return [
            Case(replace(instance, encoding=name or None), label, name)
            for instance, label in zip(alone, labels, strict=True)
            for name in named
        ]
    programs = [instance.files[-1] for instance in alone if _is_complete(instance)]
    if not programs:
        return [
            Case(replace(instance, encoding=name or None), label, name)
            for instance, label in zip(alone, labels, strict=True)
            for name in _encodings_for(instance)
        ]
    _refuse_mixture(alone, programs)
    _refuse_halves(alone)
    label = labels[0] if len(alone) == 1 else COMPLETE
    return [Case(instance, label, name) for instance, name in zip(alone, programs, strict=True)]


def _is_complete(inputs: Inputs) -> bool:
    """Return whether the inputs are one ASP file with choices or constraints, so no instance."""
    if len(inputs.files) != 1:
        return False
    with suppress(AsplanError):
        unit = read_unit(find_instance(inputs.files[0]), inputs.allow_includes)
        return is_program(unit) or has_guesses(unit) or is_temporal(unit.suspects)
    return False


def _refuse_mixture(instances: Sequence[Inputs], programs: Sequence[str]) -> None:
    """Raise `UsageError` if some of the instances are programs and others are not.

    Raise `InputError` if one of the others is an ASP file that cannot be read.
    """
    others = [instance for instance in instances if instance.files[-1] not in programs]
    if others:
        path = find_instance(others[0].files[0])
        if not path.endswith(SUFFIX):
            read_unit(path, others[0].allow_includes)
        program = programs[0]
        other = " ".join(others[0].files)
        raise UsageError(
            f"{program} is a program, and {other} is not one that can stand beside it",
            hint=f"if {other} is an instance: asplan compare {other} -e {program}; "
            "or name complete programs only, each with its own facts",
        )


def _refuse_halves(instances: Sequence[Inputs]) -> None:
    """Raise `UsageError` if some files have choices and others none, so are no complete programs.

    `instances` are the inputs of programs; each has one file.
    """
    has_choices: dict[str, bool] = {}
    for instance in instances:
        unit = read_unit(find_instance(instance.files[0]), instance.allow_includes)
        has_choices[instance.files[0]] = any(map(syntax.is_choice, unit.statements))
    parts = [file for file, has_choice in has_choices.items() if not has_choice]
    programs = [file for file, has_choice in has_choices.items() if has_choice]
    if parts and programs:
        raise UsageError(
            f"{parts[0]} chooses no actions, so it is no complete program beside {programs[0]}",
            hint=f'if they are parts of one program: #include "{PurePath(parts[0]).name}". in '
            f"{programs[0]}, and name that alone, or with -e for an instance of facts: "
            f"asplan compare INSTANCE -e {programs[0]}",
        )


def _encodings_for(inputs: Inputs) -> list[str]:
    """Return the comparable encodings of an instance's domain, its default encoding first.

    If there are none, return a single empty name, whose row then reports the error of the instance.
    """
    try:
        problem = load(inputs)
    except AsplanError:
        return [""]
    folder = problem.path.parent if problem.path else None
    names = [
        entry.name
        for entry in encodings()
        if entry.path.parent == folder and not _is_incomparable(entry)
    ]
    names.sort(key=lambda name: name != problem.encoding)
    return names or [""]


def _is_incomparable(entry: ShippedFile) -> bool:
    """Return whether the ground program of an encoding cannot be compared with those of others.

    This is so if the encoding needs a package for a theory, or proves bounds for plans of any
    length instead of finding a plan of a given length.

    An encoding that cannot be read counts as comparable, so that its row reports the error.
    """
    with suppress(AsplanError):
        unit = read_unit(str(entry.path))
        return bool(read_claims([unit]).estimates) or package_of(unit.suspects) is not None
    return False


def refuse_second_program(inputs: Inputs) -> None:
    """Raise `UsageError` if a file of the instance has choices, so it is a program already.

    `inputs` name an encoding without parts.
    """
    for file in inputs.files:
        unit = read_unit(find_instance(file), inputs.allow_includes)
        if any(map(syntax.is_choice, unit.statements)):
            raise UsageError(
                f"{file} has choices already, so -e {inputs.encoding} would be a second program",
                hint=f"to compare complete programs: asplan compare {file} {inputs.encoding}",
            )
