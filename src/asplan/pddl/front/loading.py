"""The loading of PDDL files as problems that engines can solve."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from asplan.catalog import ShippedFile, find_encoding, find_part
from asplan.core.choices import LAYERS
from asplan.core.errors import UsageError
from asplan.pddl.front.source import source_of
from asplan.pddl.front.translation import Translation, translation_of
from asplan.pddl.grounding.lifted import AUXILIARY
from asplan.pddl.language import read_task
from asplan.pddl.language.names import names_of
from asplan.pddl.language.syntax import TaskText
from asplan.pddl.task.task import NONE
from asplan.problem.inputs import STEPPED, Inputs
from asplan.problem.instance import refuse_names, shuffle_facts
from asplan.problem.problem import Problem
from asplan.program.composition import refuse_unused
from asplan.program.reading.plain_facts import LateFacts, PlainFacts
from asplan.program.reading.unit import Unit, read_unit


def load_pair(
    inputs: Inputs,
    files: tuple[str, str],
    needs_model: bool,
) -> Problem:
    """Return the problem that two PDDL files define; see `asplan.pddl.front.load`."""
    task = read_task(*files)
    source = source_of(task, inputs)
    if task.has_time and needs_model:
        message = f"{source.files[1]}: actions take time, but this engine plans without time"
        raise UsageError(message, hint="--engine asp plans with time")
    translation = translation_of(source, inputs)
    if needs_model:
        return _for_search(translation, inputs)
    return _with_encoding(translation, task, inputs)


def _for_search(
    translation: Translation,
    inputs: Inputs,
) -> Problem:
    """Return a problem with a model for search and without an encoding."""
    problem = translation.problem
    problem.domain_and_model()
    refuse_unused(inputs.constants, ())
    return replace(problem, units=(_plain_facts(translation, ()),))


def _with_encoding(
    translation: Translation,
    task: TaskText,
    inputs: Inputs,
) -> Problem:
    """Return a problem with facts and encoding; raise an error if the encoding does not fit."""
    entry = _encoding(translation, inputs)
    encoding = read_unit(str(entry.path), inputs.allow_includes)
    _check_watched(translation, entry, encoding)
    parts = _parts(translation, encoding)
    facts = _facts(translation, task, (*parts, encoding))
    if inputs.order is not None:
        (plain,) = facts.facts
        facts = shuffle_facts(plain.text.splitlines(), inputs.order, plain.file)
    if taken := encoding.definitions | set(inputs.constants):
        refuse_names(facts, taken, entry.name)
    problem = replace(
        translation.problem,
        units=(facts, *parts, encoding),
        encoding=entry.name,
        path=entry.path,
    )
    problem.check_program()
    return problem


def _encoding(
    translation: Translation,
    inputs: Inputs,
) -> ShippedFile:
    """Return the catalog entry of the encoding.

    Raise `UsageError` if the user names an encoding of another domain.
    """
    entry = find_encoding(translation.encoding, STEPPED)
    if inputs.encoding and entry.domain not in (STEPPED, ""):
        message = f"{entry.name} is an encoding of {entry.domain}, but the files are PDDL"
        raise UsageError(message)
    return entry


def _check_watched(
    translation: Translation,
    entry: ShippedFile,
    encoding: Unit,
) -> None:
    """Raise `UsageError` if a task has constraints and the encoding ignores them."""
    read = {(name, arity) for _, name, arity in encoding.read}
    if translation.is_watched and ("monitor", 1) not in read:
        message = f"{entry.name} ignores constraints on the trajectory of a plan"
        hint = "use sequential, forall, exists or cheapest, or read monitor(O) as they do"
        raise UsageError(message, hint=hint)


def _parts(
    translation: Translation,
    encoding: Unit,
) -> list[Unit]:
    """Return the program files to use with the encoding.

    The file that computes layers of facts is omitted unless the encoding reads the layers.
    """
    is_layered = ("", "barred", 2) in encoding.read
    names = (name for name in translation.parts if name != LAYERS or is_layered)
    return [read_unit(str(find_part(name, STEPPED))) for name in names]


def _facts(
    translation: Translation,
    task: TaskText,
    units: Iterable[Unit],
) -> Unit:
    """Return the facts that the encoding and its parts (`units`) read.

    If `translation.predicates` is set, the facts are made only when they are grounded. They may
    never be needed, because a parallel search may find a plan first.
    """
    read: set[tuple[str, int]] = set()
    for unit in units:
        read |= {(name, arity) for _, name, arity in unit.read}
    if translation.predicates is None:
        return _plain_facts(translation, read)
    signatures = frozenset(("", *key) for key in translation.predicates(read))
    names = names_of(task)
    terms = {NONE, AUXILIARY}
    for table in (names.objects, names.predicates, names.actions, names.types):
        terms.update(table.terms.values())
    make = partial(translation.facts, read)
    return Unit((), (LateFacts(translation.file, make, signatures, terms),))


def _plain_facts(
    translation: Translation,
    read: Iterable[tuple[str, int]],
) -> Unit:
    """Return the facts of the predicates in `read`, which are computed at once, not on demand."""
    return Unit((), (PlainFacts(translation.file, translation.facts(set(read))),))
