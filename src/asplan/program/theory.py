"""Theory atoms: the packages that interpret them, and the times in the names of their variables.

The names of the atoms determine the package: `&diff` alone belongs to clingo-dl, `&sum` and the
like to clingcon. clingo-lpx uses the same names for rationals: a program belongs to it if it has
`#theory lp` or writes a number as a string (`"0.3"`).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

from asplan.clingo import Control, Model, Symbol, SymbolType, parse_term
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError
from asplan.program import syntax
from asplan.program.syntax import AST, ASTType, Signature, atoms

Value = int | str
"""A value of a theory variable: a whole number, or a rational as text such as `3/20`."""

Values = Mapping[str, Value]
"""Maps theory variables, as text such as `x(1)`, to their values."""

ByTime = tuple[tuple[int | None, tuple[str, ...]], ...]
"""Pairs of a time and its texts, by ascending time; texts without a time come last, under None."""

_Sortable = TypeVar("_Sortable", str, Symbol)


@dataclass(frozen=True)
class Package:
    """A Python package that interprets theory atoms.

    Parameters
    ----------
    tool
        The name of the package.
    module
        The module to import.
    kind
        The name of the theory's class in that module.
    atoms
        The names of its theory atoms.
    heads
        The names of the theory atoms that it allows only in heads.
    """

    tool: str
    module: str
    kind: str
    atoms: frozenset[str]
    heads: frozenset[str] = frozenset()


OBJECTIVES = ("minimize", "maximize")
DL = Package("clingo-dl", "clingodl", "ClingoDLTheory", frozenset({"diff"}))
_HEADS = frozenset({"dom", "distinct", "disjoint", "show", *OBJECTIVES})
CON = Package(
    "clingcon",
    "clingcon",
    "ClingconTheory",
    _HEADS.union(("sum", "diff", "nsum")),
    heads=_HEADS,
)
_SUMS = frozenset({"sum", "dom"})
LPX = Package("clingo-lpx", "clingolpx", "ClingoLPXTheory", _SUMS, heads=_SUMS)
TEL = Package("telingo", "telingo.theory", "Theory", frozenset({"tel", "del", "__tel_head"}))
KNOWN = (DL.atoms | CON.atoms | LPX.atoms | TEL.atoms | {"tel_head"}).union(OBJECTIVES)

TEMPORAL = ("initial", "dynamic", "always", "final")
"""The parts of a telingo program, besides `base`."""

RATIONAL = re.compile(r'"-?[0-9]+(\.[0-9]+)?"')
"""Matches a number that is written as a string, such as "0.3"."""


class Meaning(Protocol):
    """The interpretation of a program's theory atoms while the program is grounded and solved."""

    def register(self, control: Control) -> None:
        """Register the theory with a control, before any program is added."""

    def add(self, statement: AST, add: Callable[[AST], None]) -> None:
        """Rewrite a statement for the theory, and pass the results to `add`."""

    def grounded(self, control: Control, t: int) -> None:
        """Prepare the theory for solving, after parts were grounded up to step t."""

    def values(self, model: Model) -> Values:
        """Return the values of theory variables in a model. Called once for each model."""

    def cost(self, model: Model) -> tuple[int, ...]:
        """Return the value of the theory's objective in a model.

        For each model, `values` is called first.
        """


class NoTheory:
    """The interpretation for a program without theory atoms: nothing is done."""

    def register(self, control: Control) -> None:
        """Register nothing."""

    def add(self, statement: AST, add: Callable[[AST], None]) -> None:
        """Pass the statement to `add` unchanged."""
        add(statement)

    def grounded(self, control: Control, t: int) -> None:
        """Prepare nothing."""

    def values(self, model: Model) -> Values:
        """Return no values."""
        return {}

    def cost(self, model: Model) -> tuple[int, ...]:
        """Return no cost."""
        return ()


@contextmanager
def reporting_theory(package: Package | None) -> Iterator[None]:
    """Raise `InputError` if the theory refuses an atom while the program is grounded."""
    try:
        yield
    except RuntimeError as error:
        if package is None:
            raise
        hint = "its documentation describes the atoms that it accepts"
        raise InputError(f"{package.tool} refuses a theory atom: {error}", hint=hint) from error


def theory_atoms(statement: AST) -> list[AST]:
    """Return the theory atoms in the head and the body of a rule; none for other statements."""
    if statement.ast_type != ASTType.Rule:
        return []
    nodes = [statement.head]
    nodes.extend(getattr(each, "atom", each) for each in statement.body)
    return [node for node in nodes if node.ast_type == ASTType.TheoryAtom]


def name_of(atom: AST) -> str:
    """Return the name of a theory atom, such as `sum` for `&sum`."""
    return str(atom.term.name)


def is_temporal(statements: Iterable[AST]) -> bool:
    """Return whether a program is written for telingo: it has a part of telingo's, or a formula."""
    return any(_is_temporal_part(s) or any(map(_is_formula, theory_atoms(s))) for s in statements)


def _is_temporal_part(statement: AST) -> bool:
    if statement.ast_type != ASTType.Program:
        return False
    return statement.name in TEMPORAL and not statement.parameters


def _is_formula(atom: AST) -> bool:
    """Return whether a theory atom is a temporal formula that telingo has not transformed yet."""
    return name_of(atom) in TEL.atoms and not atom.term.arguments


def package_of(statements: Iterable[AST]) -> Package | None:
    """Return the package that interprets a program's theory atoms; None if there are none."""
    statements = list(statements)
    found = [atom for statement in statements for atom in theory_atoms(statement)]
    if any(name_of(atom) in TEL.atoms and atom.term.arguments for atom in found):
        return TEL
    names = set(map(name_of, found))
    if names.isdisjoint(KNOWN):
        return None
    if _uses_rationals(statements, found):
        return LPX
    return DL if names == {"diff"} else CON


def _uses_rationals(statements: Iterable[AST], theory: Iterable[AST]) -> bool:
    """Return whether a program has `#theory lp`, or a rational number in a theory atom."""
    for statement in statements:
        if statement.ast_type == ASTType.TheoryDefinition and statement.name == "lp":
            return True
    terms = syntax.find(ASTType.SymbolicTerm, theory)
    return any(RATIONAL.fullmatch(str(term.symbol)) for term in terms)


def checked_package(statements: Iterable[AST]) -> Package | None:
    """Return the package for the theory atoms of a program; None if there are none.

    Raises
    ------
    InputError
        If asplan cannot run a theory atom with that package.
    """
    statements = list(statements)
    package = package_of(statements)
    if package is None:
        return None
    for statement in statements:
        for atom in theory_atoms(statement):
            problem = _objection(statement, name_of(atom), package)
            if problem is not None:
                what, hint = problem
                raise InputError(what, at=syntax.location(statement), hint=hint)
    return package


def _objection(statement: AST, name: str, package: Package) -> tuple[str, str] | None:
    """Return the error message and the hint if asplan cannot run a theory atom, else None.

    `name` is the name of the atom in the statement. `package` is the package that interprets the
    program's theory atoms.
    """
    tool = package.tool
    if name in OBJECTIVES and package is not CON:
        what = f"&{name}: {tool} optimizes for one answer set at a time"
        return what, "bound the sum instead, or use clingcon, which optimizes whole numbers"
    if name not in package.atoms:
        what = f"&{name} is not a theory atom of {tool}, which has the others"
        names = [f"&{each}" for each in sorted(package.atoms)]
        return what, f"{tool} has {', '.join(names)}"
    if name in package.heads and statement.head not in theory_atoms(statement):
        what = f"&{name} in a body: {tool} allows it only in heads"
        hint = "demand it in a head: `&sum { x } >= 3 :- a.` instead of `:- a, &sum { x } < 3.`"
        return what, hint
    return None


def has_objective(statement: AST) -> bool:
    """Return whether a statement has `&minimize` or `&maximize`, over theory variables."""
    return any(name_of(atom) in OBJECTIVES for atom in theory_atoms(statement))


def refuse_theory(statements: Iterable[AST], who: str = "this command") -> None:
    """Raise `InputError` at the first theory atom.

    `who` is the subject of the message, such as a command.
    """
    for statement in statements:
        for atom in theory_atoms(statement):
            what = f"&{name_of(atom)}: {who} does not understand theory atoms"
            hint = "use asplan solve with --engine asp, or asplan validate"
            raise InputError(what, at=syntax.location(statement), hint=hint)


class TimedStatements(Protocol):
    """Statements with the parameter of their part, such as a `Section`."""

    @property
    def parameter(self) -> str:
        """Return the name of the time parameter; empty in `base`."""

    @property
    def statements(self) -> Sequence[AST]:
        """Return the statements of the section."""


def time_places(
    sections: Iterable[TimedStatements], places: Mapping[Signature, int]
) -> dict[tuple[str, int], int]:
    """Map each theory variable, by name and arity, to the index of its time argument.

    The time argument is the one that is most often a time. Times are the parameter of a section, a
    variable that is the time of an atom with a predicate in `places`, and a variable that an
    equation such as `T = t-1` defines.
    """
    votes: dict[tuple[str, int], Counter[int]] = {}
    for section in sections:
        for statement in filter(theory_atoms, section.statements):
            times = set(_times(statement, section.parameter, places))
            if not times:
                continue
            for name, arity, place in _timed_arguments(statement, times):
                votes.setdefault((name, arity), Counter())[place] += 1
    return {key: found.most_common(1)[0][0] for key, found in votes.items()}


def _timed_arguments(statement: AST, times: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """Yield name, arity and index of each argument of a theory variable that is a time.

    An argument is a time if it is a name in `times`, with or without a number added.
    """
    shifted = re.compile(rf"\(?({'|'.join(times)})([-+]\d+)?\)?")
    for term in syntax.find(ASTType.TheoryFunction, theory_atoms(statement)):
        for place, argument in enumerate(term.arguments):
            if shifted.fullmatch(str(argument).replace(" ", "")):
                yield term.name, len(term.arguments), place


def _times(statement: AST, parameter: str, places: Mapping[Signature, int]) -> Iterator[str]:
    """Yield the names in a statement that are times: the parameter, and variables."""
    if parameter:
        yield parameter
        equal = re.compile(rf"([A-Z]\w*)=\(?{parameter}([-+]\d+)?\)?")
        for literal in statement.body:
            match = equal.fullmatch(str(literal).replace(" ", ""))
            if match is not None:
                yield match[1]
    for atom in atoms(statement):
        time = syntax.time_of(atom, places)
        if time is not None:
            variables = syntax.find(ASTType.Variable, [time])
            yield from (each.name for each in variables if each.name != "_")


def group_by_time(values: Values, places: Mapping[tuple[str, int], int]) -> ByTime:
    """Group the values of theory variables, as texts such as `x=3`, by time; no time comes last."""
    timed: dict[int | None, list[str]] = {}
    for text, value in values.items():
        time, name = _split_time(text, places)
        timed.setdefault(time, []).append(f"{name}={value}")
    return sort_by_time(timed)


def _split_time(text: str, places: Mapping[tuple[str, int], int]) -> tuple[int | None, str]:
    """Split a theory variable into its time, None if it has none, and the rest of its text."""
    term = parse_term(text)
    if term.type != SymbolType.Function:
        return None, text
    place = places.get((term.name, len(term.arguments)))
    if place is None or term.arguments[place].type != SymbolType.Number:
        return None, text
    rest = [*term.arguments[:place], *term.arguments[place + 1 :]]
    name = f"{term.name}({','.join(map(str, rest))})" if rest else term.name
    return term.arguments[place].number, name


def sort_by_time(timed: Mapping[int | None, Iterable[_Sortable]]) -> ByTime:
    """Sort the texts of each time, and the times; the texts without a time (None) come last."""
    groups = list[tuple[int | None, tuple[str, ...]]]()
    for time in sorted(timed, key=lambda time: (time is None, time or 0)):
        texts = map(str, sorted(timed[time]))
        groups.append((time, tuple(texts)))
    return tuple(groups)
