"""Foreign notations of the domains: read into facts, and written from facts."""

from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import chain, islice
from pathlib import Path

from asplan.catalog import find_instance
from asplan.core.errors import InputError, UsageError, nearest
from asplan.core.facts import Facts
from asplan.core.files import (
    ASP,
    STDIN,
    is_regular,
    read_lines,
    standard_input,
)
from asplan.domains import Domain, domains
from asplan.domains.base import Converted, Notation, Shape
from asplan.problem import load_units
from asplan.problem.inputs import Inputs
from asplan.problem.kinds import TranslatedTask
from asplan.problem.problem import Problem
from asplan.program.reading.unit import Unit, read_unit, unit_of_text


def notations() -> dict[str, Notation]:
    """Return the notations of all domains by name, the most specific first in each domain."""
    registered: dict[str, Notation] = {}
    for domain in domains().values():
        for name, notation in domain.notations.items():
            registered[name] = notation if isinstance(notation, Notation) else notation()
    return registered


def load(
    inputs: Inputs,
    needs_model: bool,
) -> Problem | None:
    """Load files, at least one of them in a foreign notation; return None if no file is."""
    if not any(map(_notation_of, inputs.files)):
        return None
    units = [_read_unit(file, inputs.allow_includes) for file in inputs.files]
    return load_units(inputs, tuple(inputs.files), units, needs_model)


def _read_unit(
    file: str,
    allow_includes: bool,
) -> Unit:
    """Read a file of facts, in ASP or in a foreign notation."""
    if not _notation_of(file):
        return read_unit(find_instance(file), allow_includes)
    instances = list(islice(to_facts(lines_of(file), file), 2))
    if len(instances) != 1:
        count = "more than one board" if instances else "no board"
        hint = "asplan convert --line N takes one out of many"
        raise InputError(f"{file} has {count}", hint=hint)
    instance = instances[0]
    if isinstance(instance, InputError):
        raise instance
    return unit_of_text(instance.text, file)


def _notation_of(file: str) -> str | None:
    """Return the notation of a file by its first line; None for ASP, PDDL and other files."""
    path = Path(file)
    if file != STDIN and (path.suffix in (*ASP, ".pddl") or not is_regular(file)):
        return None
    return _guess_notation(_opening(lines_of(file)))


def lines_of(file: str) -> Iterator[str]:
    """Yield the lines of a file, or of standard input."""
    return iter(StringIO(standard_input(), None)) if file == STDIN else read_lines(file)


def to_facts(
    lines: Iterable[str],
    file: str,
    notation: str | None = None,
    shape: Shape | None = None,
) -> Iterator[Converted | InputError]:
    """Read the instances in a file; yield an error for each invalid one.

    If `notation` is None, use the first notation that recognises the first line of the file, or
    else the first one of the list.
    """
    rest = iter(lines)
    opening: list[str] = []
    if notation is None:
        opening = _opening(rest)
        notation = _guess_notation(opening) or next(iter(notations()))
    if notation not in notations():
        raise _unknown_notation(notation)
    return notations()[notation].read(chain(opening, rest), file, shape or Shape())


def from_facts(
    facts: Facts,
    notation: str | None = None,
) -> str:
    """Write an instance in a foreign notation; by default in the first one of its domain."""
    given = facts.signatures()
    name = notation or _usual_notation(given)
    domain = next((d for d in domains().values() if name in d.notations), None)
    if domain is None:
        raise _unknown_notation(name)
    missing = sorted(domain.signatures - given)
    if missing:
        predicate, arity = missing[0]
        raise InputError(
            f"{', '.join(facts.files) or 'the instance'} has no {predicate}/{arity}, but "
            f"the notation {name} is for instances of {domain.name}"
        )
    return notations()[name].write(facts)


def _usual_notation(given: frozenset[tuple[str, int]]) -> str:
    """Return the first notation of the domain with the largest share of predicates in `given`."""

    def share(domain: Domain) -> float:
        return len(domain.signatures & given) / len(domain.signatures)

    best = max((domain for domain in domains().values() if domain.notations), key=share)
    return next(iter(best.notations))


def _unknown_notation(name: str) -> UsageError:
    hint = nearest(name, notations(), noun="notations")
    return UsageError(f"there is no notation {name!r}", hint=hint)


def _opening(lines: Iterable[str]) -> list[str]:
    """Return the lines up to the first one that is neither blank nor a comment."""
    read = []
    for line in lines:
        read.append(line)
        if line.strip() and not line.startswith("#"):
            break
    return read


def _guess_notation(opening: list[str]) -> str | None:
    """Return the first notation that recognises the last line of `opening`; None if none does."""
    if not opening:
        return None
    fitting = (name for name, each in notations().items() if each.recognises(opening[-1]))
    return next(fitting, None)


def load_source(inputs: Inputs) -> TranslatedTask | None:
    """Return None: notations are read into facts, so there is no translation to check against."""
    return None
