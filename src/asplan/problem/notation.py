"""Foreign notations of the domains: read as facts, and written from them."""

from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import chain, islice
from pathlib import Path

from asplan.core.errors import InputError, UsageError, nearest
from asplan.core.facts import Facts
from asplan.core.files import ASP, STDIN, is_regular, read_lines, standard_input
from asplan.domains import domains
from asplan.domains.base import Converted, Notation, Shape
from asplan.problem import load_units
from asplan.problem.catalog import find_instance
from asplan.problem.problem import Inputs, Problem
from asplan.program.unit import Unit, read_unit, unit_of_text


def notations() -> dict[str, Notation]:
    known = {name: n for domain in domains().values() for name, n in domain.notations.items()}
    return {name: n if isinstance(n, Notation) else n() for name, n in known.items()}


def load(inputs: Inputs, needs_model: bool) -> Problem | None:
    """The problem whose files in foreign notations are read as facts; None if none is."""
    if not any(map(_notation_of, inputs.files)):
        return None
    units = [_unit(file, inputs.allow_includes) for file in inputs.files]
    return load_units(inputs, tuple(inputs.files), units, needs_model)


def _unit(file: str, allow_includes: bool) -> Unit:
    if not _notation_of(file):
        return read_unit(find_instance(file), allow_includes)
    found = list(islice(to_facts(lines_of(file), file), 2))
    if len(found) != 1:
        what = "no board" if not found else "more than one board"
        raise InputError(f"{file} has {what}", hint="asplan convert --line N takes one out of many")
    if isinstance(found[0], InputError):
        raise found[0]
    return unit_of_text(found[0].text, file)


def _notation_of(file: str) -> str | None:
    """The notation of a file whose name says nothing else; None if it is in none."""
    path = Path(file)
    if file != STDIN and (path.suffix in (*ASP, ".pddl") or not is_regular(file)):
        return None
    return _guess(_first(lines_of(file)))


def lines_of(file: str) -> Iterator[str]:
    return iter(StringIO(standard_input(), None)) if file == STDIN else read_lines(file)


def to_facts(
    lines: Iterable[str], file: str, notation: str | None = None, shape: Shape | None = None
) -> Iterator[Converted | InputError]:
    """The instances in a file, of a notation or that of its first line, or what is wrong."""
    rest = iter(lines)
    first: list[str] = []
    if notation is None:
        first = _first(rest)
        notation = _guess(first) or next(iter(notations()))
    if notation not in notations():
        hint = nearest(notation, notations(), noun="notations")
        raise UsageError(f"there is no notation {notation!r}", hint=hint)
    return notations()[notation].read(chain(first, rest), file, shape or Shape())


def from_facts(facts: Facts, notation: str | None = None) -> str:
    """An instance in a foreign notation; without a name the usual one of its domain."""
    name, found = notation, facts.signatures()
    if not name:
        fitting = [domain for domain in domains().values() if domain.notations]
        best = max(fitting, key=lambda d: len(d.signatures & found) / len(d.signatures))
        name = next(iter(best.notations))
    domain = next((d for d in domains().values() if name in d.notations), None)
    if domain is None:
        hint = nearest(name, notations(), noun="notations")
        raise UsageError(f"there is no notation {name!r}", hint=hint)
    if missing := sorted(domain.signatures - found):
        (predicate, arity), *_ = missing
        raise InputError(
            f"{', '.join(facts.files) or 'the instance'} has no {predicate}/{arity}, so it is none "
            f"of {domain.name}, which the notation {name} is for"
        )
    return notations()[name].write(facts)


def _first(lines: Iterable[str]) -> list[str]:
    read = []
    for line in lines:
        read.append(line)
        if line.strip() and not line.startswith("#"):
            break
    return read


def _guess(lines: list[str]) -> str | None:
    """The notation that the last of some lines suggests; the most demanding one first."""
    fitting = (name for name, n in notations().items() if lines and n.recognises(lines[-1]))
    return next(fitting, None)


def load_source(inputs: Inputs) -> Problem | None:
    """None: what a notation says is facts, and nothing is translated."""
    return None
