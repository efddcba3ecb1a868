"""How many facts intervals make: clingo does not stop before it has them all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from clingo import SymbolType

from asplan.domains import Domain, domains
from asplan.errors import InputError, UsageError, nearest
from asplan.facts import Facts
from asplan.files import STDIN, is_there
from asplan.problem.catalog import (
    Entry,
    domain_of,
    find_encoding,
    find_instance,
    only_encoding,
    preferred,
)
from asplan.problem.instance import (
    check_instance,
    check_rules,
    refuse_arities,
    refuse_constants,
    refuse_guesses,
    refuse_names,
    refuse_negated,
    reordered,
    unread,
)
from asplan.problem.problem import STEPPED, Inputs, Problem, is_program
from asplan.program.contract import read_written
from asplan.program.grounded import ground_facts
from asplan.program.incremental import PARTS, refuse_unused
from asplan.program.source import parse_constant
from asplan.program.syntax import AST, ASTType, UnaryOperator, arguments, atoms, location
from asplan.program.unit import (
    Unit,
    joined,
    read_unit,
    refuse_foreign,
    refuse_lost_calls,
    unit_of_text,
)

MOST = 100_000_000
"""Facts of one statement. clingo takes 150 bytes for each, and asplan grounds them twice."""


def refuse_amounts(statements: Iterable[AST]) -> None:
    """Raise `InputError` at a fact such as `grid(1..40000,1..40000).`, which is too many facts."""
    for statement in statements:
        if statement.ast_type != ASTType.Rule or statement.body:
            continue
        if statement.head.ast_type != ASTType.Literal:
            continue
        for atom in atoms(statement.head):
            if (count := prod(map(_values, arguments(atom)))) > MOST:
                raise InputError(
                    f"{atom} is {count} facts, and one statement may be {MOST}",
                    at=location(statement),
                    hint="name fewer things, or say by a rule of an encoding what there is",
                )


def _values(term: AST) -> int:
    """How many values an argument has, where it is an interval between two numbers; else 1."""
    if term.ast_type != ASTType.Interval:
        return 1
    ends = [_number(end) for end in (term.left, term.right)]
    if ends[0] is None or ends[1] is None:
        return 1
    return max(0, ends[1] - ends[0] + 1)


def _number(term: AST) -> int | None:
    """The number that a term is, with or without a sign."""
    if term.ast_type == ASTType.UnaryOperation and term.operator_type == UnaryOperator.Minus:
        amount = _number(term.argument)
        return None if amount is None else -amount
    if term.ast_type != ASTType.SymbolicTerm or term.symbol.type != SymbolType.Number:
        return None
    number: int = term.symbol.number
    return number


# The front end for ASP: facts or programs, and the domain and encoding that fit them.


TEXT = "<text>"


def load(words: Inputs, needs_model: bool = False) -> Problem:
    """Read files, find their domain, and choose an encoding where none is given.

    The folder of a shipped file says which domain it is of. Other files that have all the
    predicates of a domain's instances belong to that domain; else one of the predicates is enough,
    and what is missing is an error. A whole program belongs to a domain only if it says so.

    Raises
    ------
    InputError
        A file cannot be read or makes no sense.
    UsageError
        Encoding, constants and files do not go together.
    """
    files = tuple(find_instance(file) for file in words.files)
    units = [read_unit(file, words.allow_includes) for file in files]
    if words.text is not None:
        files = (*files, TEXT)
        units.append(unit_of_text(words.text, TEXT, words.allow_includes))
    return load_units(words, files, units, needs_model)


def load_units(
    words: Inputs, files: tuple[str, ...], units: list[Unit], needs_model: bool
) -> Problem:
    """The problem of some units, which stand for the files; raises as `load` does."""
    if not files:
        raise UsageError("no files are given", hint="name an instance, for example sample02")
    read = _Read(words, files, tuple(units), joined(units))
    suspects = read.unit.suspects
    refuse_amounts(read.unit.statements)
    if not is_program(read.unit):
        refuse_foreign((s for s in suspects if s.ast_type == ASTType.Program), PARTS, False)
        refuse_guesses(read.unit)
        refuse_foreign(suspects, PARTS, words.allow_scripts)
        return _instance(read, needs_model)
    refuse_foreign(suspects, PARTS, words.allow_scripts)
    refuse_lost_calls(read.unit.calls, read.unit.scripts)
    _refuse_steps(words, None)
    if words.encoding:
        raise UsageError(
            f"the files have a part step(t) already, so -e {words.encoding} would be a second "
            "encoding",
            hint="leave out one of the two",
        )
    return _whole(read)


@dataclass(frozen=True)
class _Read:
    """What was read, before anything is known of it."""

    words: Inputs
    files: tuple[str, ...]
    units: tuple[Unit, ...]
    unit: Unit


def _whole(read: _Read) -> Problem:
    """A program that is complete by itself."""
    words = read.words
    named = read_written(read.units).domain
    domain = None if named is None else _named_domain(named)
    facts = model = None
    constants: Mapping[str, str] = words.constants
    if domain is not None:
        facts = ground_facts(read.units, words.constants, read.files, strict=False)
        written = {n: value for n, value in read.unit.values.items() if n in domain.variants}
        constants = domain.with_variants(written | dict(words.constants))
        model = domain.model(facts, constants)
    timed = [f for f, unit in zip(read.files, read.units, strict=True) if is_program(unit)]
    name = next((file for file in timed if file != STDIN), read.files[-1])
    problem = Problem(
        files=read.files,
        units=read.units,
        encoding=name,
        path=None if name in (STDIN, TEXT) else Path(name),
        domain=domain,
        model=model,
        given=words.constants,
        constants=constants,
        is_whole=True,
        is_replayed=True,
        allow_scripts=words.allow_scripts,
        known_facts=facts,
    )
    problem.program  # noqa: B018  what is wrong with it is said now
    return problem


def _named_domain(name: str) -> Domain:
    if domain := domains().get(name):
        return domain
    hint = nearest(name, domains(), noun="domains")
    raise InputError(f"asplan(domain({name})): there is no domain {name}", hint=hint)


def _instance(read: _Read, needs_model: bool) -> Problem:
    """Facts, with the encoding that goes with them."""
    words, unit = read.words, read.unit
    home = domain_of(read.files, words.encoding)
    facts = ground_facts([unit], words.constants, read.files)
    units = read.units
    if words.order is not None:
        units = (reordered((f"{fact}." for fact in facts), words.order, read.files[-1]),)
    domain = _domain(words, unit, facts, home)
    refuse_negated(facts, domain)
    constants, model = dict(words.constants), None
    if domain:
        refuse_constants(unit, frozenset(domain.variants), domain.name)
        refuse_names(unit, frozenset(domain.variants), domain.name)
        constants = domain.with_variants(words.constants)
        if not (words.encoding and is_there(words.encoding)):
            refuse_arities(facts, domain)  # an encoding of one's own may read what it likes
        model = domain.model(facts, constants)
    if needs_model:
        refuse_unused(words.constants, read.units, domain.variants if domain else ())
        return Problem(
            read.files,
            units,
            domain=domain,
            model=model,
            given=words.constants,
            constants=constants,
            warnings=unread(domain, facts, None),
            known_facts=facts,
        )
    _refuse_steps(words, domain)
    entry = _encoding(words.encoding, words.prefers, domain, model, facts, home)
    encoding = read_unit(str(entry.path), words.allow_includes)
    refuse_foreign(encoding.suspects, PARTS, words.allow_scripts)
    refuse_lost_calls(encoding.calls, encoding.scripts)
    refuse_constants(unit, encoding.definitions, entry.name)
    check_rules(unit, domain, entry, encoding)
    check_instance(facts, domain, entry, encoding)
    claimed = bool(domain) and _is_claimed(domain, entry, encoding)
    if claimed:
        refuse_names(unit, encoding.definitions, entry.name)
    problem = Problem(
        files=read.files,
        units=(*units, encoding),
        encoding=entry.name,
        path=entry.path,
        domain=domain if claimed else None,
        model=model if claimed else None,
        given=words.constants,
        constants=constants if claimed else words.constants,
        is_replayed=not claimed,
        allow_scripts=words.allow_scripts,
        warnings=unread(domain, facts, encoding),
        known_facts=facts,
    )
    problem.program  # noqa: B018  what is wrong with it is said now
    return problem


def _is_claimed(domain: Domain | None, entry: Entry, encoding: Unit) -> bool:
    """Whether an encoding speaks the language of the instance's domain."""
    speaks = read_written([encoding]).domain or entry.domain
    if speaks and domain is not None and speaks != domain.name:
        raise UsageError(
            f"{entry.name} is an encoding of {speaks}, and the instance one of {domain.name}"
        )
    return domain is not None and speaks == domain.name


def _domain(words: Inputs, unit: Unit, facts: Facts, home: str | None) -> Domain | None:
    """The domain of an instance: that of the folder of a shipped file, else by its predicates."""
    heads = {(name, arity) for sign, name, arity in unit.defined if not sign}
    known = {name: domain for name, domain in domains().items() if domain.recognises(facts)}
    if (folder := domain_of(facts.files, None)) is not None:
        return known.get(folder)
    if complete := [d for d in known.values() if d.signatures <= heads]:
        return max(complete, key=lambda domain: len(domain.signatures))
    if home is not None:
        return known.get(home)
    if words.encoding is not None and is_there(words.encoding):
        return None
    partly = [d for d in known.values() if d.signatures & heads]
    return max(partly, key=lambda d: len(d.signatures & heads), default=None)


def _encoding(
    name: str | None,
    prefers: Iterable[str],
    domain: Domain | None,
    model: Any,
    facts: Facts,
    home: str | None,
) -> Entry:
    if name is not None:
        return find_encoding(name, domain.name if domain else home)
    if domain is not None and (better := preferred(prefers, domain.name)) is not None:
        return find_encoding(better, domain.name)
    if domain is not None and (default := domain.default_encoding(model)) is not None:
        return find_encoding(default, domain.name)
    if domain is not None or home is not None:
        return only_encoding(domain.name if domain else str(home))
    raise InputError(
        f"{', '.join(facts.files)}: an instance of no domain that asplan knows, and no program "
        "with a part step(t)",
        hint="add an encoding: -e NAME or one more file; see asplan list",
    )


def _refuse_steps(words: Inputs, domain: Domain | None) -> None:
    """Raise `UsageError` where steps are named for what is no PDDL task."""
    if words.steps is not None and (domain is None or domain.name != STEPPED):
        raise UsageError(
            f"--steps {words.steps} is for PDDL tasks, and the files are none",
            hint="an encoding is named with -e; see asplan list encodings",
        )


def constants_of(words: Iterable[str], short: Mapping[str, str | None]) -> dict[str, str]:
    """Constants from `NAME=VALUE` words and from the short forms of domains.

    Raises
    ------
    UsageError
        A word is malformed, or contradicts a short form.
    """
    values = dict(parse_constant(word) for word in words)
    for name, given in short.items():
        if given is None:
            continue
        _, value = parse_constant(f"{name}={given}")
        if values.setdefault(name, value) != value:
            raise UsageError(f"--{name} {value} contradicts -c {name}={values[name]}")
    return values
