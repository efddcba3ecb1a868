"""The check of files that belong together, with the editor's texts that are not saved yet.

A check runs in a process of its own, under limits: see `check_process`. It neither solves nor runs
a script.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, InputWarning
from asplan.core.files import read_text, unsaved_texts
from asplan.pddl.front import SUFFIX
from asplan.pddl.language.lexer import PddlSource, read_group
from asplan.pddl.language.parse import kind_of, parse_domain, parse_problem
from asplan.problem import Inputs, Problem, load, load_source
from asplan.problem.inputs import TEXT
from asplan.program.roles.roles import roles_of
from asplan.warnings import find_warnings

ERROR = "error"  # the code of findings that are errors
STOPPED = "stopped"  # the code of the finding that a check has reached a limit

Key = tuple[str, int]
"""A predicate: its name and its number of arguments, as the author writes it."""


@dataclass(frozen=True)
class Order:
    """A request to check files together.

    Attributes
    ----------
    files
        The paths of the files. A text without a file has the path `<text>`.
    texts
        The editor's texts of some files, which replace those on disk.
    switches
        Words such as `no-undefined`, which switch warnings off.
    allow_includes
        Whether the files may include files outside of their folder.
    is_whole
        True if the files are expected to be a whole problem. If not, an instance or an encoding may
        be missing, and an error without a place is no finding.
    """

    files: tuple[str, ...]
    texts: Mapping[str, str] = field(default_factory=dict)
    switches: tuple[str, ...] = ()
    allow_includes: bool = False
    is_whole: bool = False


@dataclass(frozen=True)
class LocatedMessage:
    """A warning or an error; its code is `error` for an error.

    Lines and columns count from 1. Columns count bytes in ASP files, and characters in PDDL files.
    """

    file: str
    line: int
    column: int
    code: str
    text: str
    hint: str = ""


@dataclass(frozen=True)
class PredicateRole:
    """The role of a predicate, the index of its time argument, and the delay of an action.

    The time is None for a predicate without a time argument, such as one of a program for telingo.
    The delay is 1 if an action at time t belongs to step t+1.
    """

    role: str
    time: int | None = None
    delay: int = 0


@dataclass(frozen=True)
class Findings:
    """The findings of a check.

    Attributes
    ----------
    found
        The warnings and errors.
    roles
        The roles of predicates; None after an error, for PDDL, and without an encoding.
    horizon
        The constant that is the horizon of a single-shot program; empty if there is none.
    can_be_solved
        True if the check found no error, and the files are an encoding or two PDDL files.
    """

    found: tuple[LocatedMessage, ...] = ()
    roles: Mapping[Key, PredicateRole] | None = None
    horizon: str = ""
    can_be_solved: bool = False


def check_files(order: Order) -> Findings:
    """Check files, and return the findings; an error of the files is a finding."""
    try:
        with unsaved_texts({f: text for f, text in order.texts.items() if f != TEXT}):
            return _check(order)
    except AsplanError as error:
        return Findings(tuple(_finding_of_error(error, order)))


def _check(order: Order) -> Findings:
    if any(file.endswith(SUFFIX) for file in order.files):
        return _check_pddl(order)
    named = tuple(file for file in order.files if file != TEXT)
    text = order.texts.get(TEXT) if TEXT in order.files else None
    problem = load(Inputs(named, text, allow_includes=order.allow_includes))
    warnings = find_warnings(problem, order.switches)
    found = tuple(_finding_of_warning(warning, order) for warning in warnings)
    if problem.encoding is None:
        return Findings(found)
    return Findings(found, _roles_of(problem), _horizon_of(problem), can_be_solved=True)


def _check_pddl(order: Order) -> Findings:
    """Check a domain and a problem, or one of the two alone."""
    if len(order.files) == 1:
        (file,) = order.files
        group = read_group(PddlSource(file, order.texts.get(file) or read_text(file)))
        parse = parse_domain if kind_of(group) == "domain" else parse_problem
        parse(group)
        return Findings()
    task = load_source(Inputs(order.files))
    assert task is not None  # the files are PDDL
    warnings = find_warnings(task, order.switches)
    found = tuple(_finding_of_warning(warning, order) for warning in warnings)
    return Findings(found, can_be_solved=True)


def _roles_of(problem: Problem) -> dict[Key, PredicateRole]:
    """Return the roles of the predicates of a program."""
    program = problem.written_program
    roles = roles_of(program)
    hidden = int(problem.hides_times)  # arguments that telingo adds
    found: dict[Key, PredicateRole] = {}
    defined = {key for facts in program.facts for key in facts.signatures}
    defined |= {key for rule in program.model.rules for key in rule.defined}
    for _, name, arity in defined:
        found[name, arity - hidden] = PredicateRole("static")
    for key, place in roles.places.items():
        _, name, arity = key
        role = "fluent" if key in roles.fluents else "timed"
        found[name, arity - hidden] = PredicateRole(role, None if hidden else place)
    for key, lag in {**dict.fromkeys(roles.hidden, 0), **roles.actions}.items():
        _, name, arity = key
        time = None if hidden else roles.places.get(key)
        found[name, arity - hidden] = PredicateRole("action", time, lag)
    return found


def _horizon_of(problem: Problem) -> str:
    horizon = problem.written_program.horizon
    return "" if horizon is None else horizon.constant


def _finding_of_warning(warning: InputWarning, order: Order) -> LocatedMessage:
    at = warning.at
    file = at.file if at is not None else order.files[0]
    line = at.line if at is not None else 1
    column = at.column if at is not None else 1
    return LocatedMessage(file, line, column, warning.code, warning.text, warning.hint)


def _finding_of_error(error: AsplanError, order: Order) -> Iterator[LocatedMessage]:
    """Yield the finding of an error; skip an error without a place unless `is_whole` is set."""
    at = error.at
    if at is not None:
        yield LocatedMessage(at.file, at.line, at.column, ERROR, error.message, error.hint)
    elif order.is_whole:
        yield LocatedMessage(order.files[0], 1, 1, ERROR, error.message, error.hint)


def stopped_check(order: Order, reason: str) -> Findings:
    """Return the findings of a check that a limit has ended: a single one, which has the reason."""
    text = f"not checked: {reason}"
    return Findings((LocatedMessage(order.files[0], 1, 1, STOPPED, text),))


def warm_up() -> None:
    """Check small programs, to import all modules of a check."""
    steps = "f(0,0). #program step(t). { a(t) }. f(1,t) :- a(t). f(1,t) :- f(1,t-1)."
    goal = "#program check(t). :- query(t), not f(1,t). #show a/1."
    single = "#const n=2. time(0..n). { a(T) : time(T) }. g(T) :- a(T-1), time(T). :- not g(n)."
    for text in (steps + goal, single, "p(a"):
        check_files(Order((TEXT,), {TEXT: text}))
    read_group(PddlSource("", "(define (domain d))"))
