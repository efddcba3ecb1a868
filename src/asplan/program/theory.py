"""Theory atoms: which package gives them their meaning, and the times that their variables name.

The package follows from the names of the atoms: `&diff` alone is clingo-dl's, `&sum` and its like
are clingcon's. clingo-lpx has the same names for rationals: a program that says `#theory lp`, or
writes a number as text (`"0.3"`), is its.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from clingo import Control, Model, SymbolType, parse_term

from asplan.core.errors import InputError
from asplan.program import syntax
from asplan.program.syntax import AST, ASTType, Signature, atoms

Value = int | str  # a whole number, or a rational as text, `3/20`
Values = Mapping[str, Value]  # the value of each variable of a theory, by its term

ByTime = tuple[tuple[int | None, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Package:
    """What gives theory atoms their meaning: a package with a class, by the name of its tool."""

    tool: str
    module: str
    kind: str
    atoms: frozenset[str]
    heads: frozenset[str] = frozenset()


OBJECTIVES = ("minimize", "maximize")
DL = Package("clingo-dl", "clingodl", "ClingoDLTheory", frozenset({"diff"}))
_HEADS = frozenset({"dom", "distinct", "disjoint", "show"})
CON = Package(
    "clingcon",
    "clingcon",
    "ClingconTheory",
    _HEADS.union(OBJECTIVES, ("sum", "diff", "nsum")),
    heads=_HEADS.union(OBJECTIVES),
)
_SUMS = frozenset({"sum", "dom"})
LPX = Package("clingo-lpx", "clingolpx", "ClingoLPXTheory", _SUMS, heads=_SUMS)
TEL = Package("telingo", "telingo.theory", "Theory", frozenset({"tel", "del", "__tel_head"}))
KNOWN = (DL.atoms | CON.atoms | LPX.atoms | TEL.atoms | {"tel_head"}).union(OBJECTIVES)
TEMPORAL = ("initial", "dynamic", "always", "final")  # the parts of a program of telingo
RATIONAL = re.compile(r'"-?[0-9]+(\.[0-9]+)?"')  # a number that is written as text


class Meaning(Protocol):
    """What a session asks about the theory atoms of its program."""

    def register(self, control: Control) -> None:
        """Make ready a control that is still empty."""

    def add(self, statement: AST, add: Callable[[AST], None]) -> None:
        """Add a statement, rewritten as the theory wants it."""

    def grounded(self, control: Control, t: int) -> None:
        """Called after each grounding, the last step being t."""

    def values(self, model: Model) -> Values:
        """The values of the theory's variables in a model; called once for each."""

    def cost(self, model: Model) -> tuple[int, ...]:
        """What the theory's objective is in a model whose values were asked for."""


class NoTheory:
    """The meaning for programs without theory atoms."""

    def register(self, control: Control) -> None: ...

    def add(self, statement: AST, add: Callable[[AST], None]) -> None:
        add(statement)

    def grounded(self, control: Control, t: int) -> None: ...

    def values(self, model: Model) -> Values:
        return {}

    def cost(self, model: Model) -> tuple[int, ...]:
        return ()


@contextmanager
def reporting_theory(package: Package | None) -> Iterator[None]:
    """Raise `InputError` where a theory refuses its atoms, which it does before it solves."""
    try:
        yield
    except RuntimeError as error:
        if package is None:
            raise
        hint = "it names no place; its documentation says what an atom may look like"
        raise InputError(f"{package.tool} refuses a theory atom: {error}", hint=hint) from error


def theory_atoms(statement: AST) -> list[AST]:
    """The theory atoms of a rule: its head, and those in its body."""
    if statement.ast_type != ASTType.Rule:
        return []
    nodes = (statement.head, *(getattr(each, "atom", each) for each in statement.body))
    return [node for node in nodes if node.ast_type == ASTType.TheoryAtom]


def name_of(atom: AST) -> str:
    return str(atom.term.name)


def is_temporal(statements: Iterable[AST]) -> bool:
    """Whether a program is telingo's: it has one of its parts, or a temporal formula."""
    return any(
        (s.ast_type == ASTType.Program and s.name in TEMPORAL and not s.parameters)
        or any(name_of(a) in TEL.atoms and not a.term.arguments for a in theory_atoms(s))
        for s in statements
    )


def package_of(statements: Iterable[AST]) -> Package | None:
    """The package that the theory atoms of a program are of; None where it has none."""
    statements = list(statements)
    found = [atom for statement in statements for atom in theory_atoms(statement)]
    names = set(map(name_of, found))
    if any(name_of(atom) in TEL.atoms and atom.term.arguments for atom in found):
        return TEL
    if names.isdisjoint(KNOWN):
        return None
    said = {s.name for s in statements if s.ast_type == ASTType.TheoryDefinition}
    terms = (str(term.symbol) for term in syntax.find(ASTType.SymbolicTerm, found))
    if "lp" in said or any(map(RATIONAL.fullmatch, terms)):
        return LPX
    return DL if names == {"diff"} else CON


def checked_package(statements: Iterable[AST]) -> Package | None:
    """The package of a program that plans; what asplan cannot run of it is refused."""
    statements = list(statements)
    package = package_of(statements)
    found = [(name_of(atom), s) for s in statements for atom in theory_atoms(s)]
    if package is None:
        return None
    for name, statement in found:
        what = hint = ""
        if name in OBJECTIVES and package is not CON:
            what = f"&{name}: {package.tool} optimizes for one answer set at a time"
            hint = "bound the sum instead; clingcon's objectives are served, of whole numbers"
        elif name not in package.atoms:
            what = f"&{name} is none of {package.tool}'s theory atoms, as the others are"
            hint = f"{package.tool} knows {', '.join(f'&{e}' for e in sorted(package.atoms))}"
        elif name in package.heads and statement.head not in theory_atoms(statement):
            what = f"&{name} in a body: {package.tool} knows it in heads alone"
            hint = "say in a head what is to hold: "
            hint += "`&sum { x } >= 3 :- a.` for `:- a, &sum { x } < 3.`"
        if what:
            raise InputError(what, at=syntax.location(statement), hint=hint)
    return package


def has_objective(statement: AST) -> bool:
    """Whether a statement says which values of a theory are the best."""
    return any(name_of(atom) in OBJECTIVES for atom in theory_atoms(statement))


def refuse_theory(statements: Iterable[AST], who: str = "this command") -> None:
    for statement in statements:
        for atom in theory_atoms(statement):
            what = f"&{name_of(atom)}: {who} does not understand theory atoms"
            hint = "asplan solve with --engine asp does, and asplan validate"
            raise InputError(what, at=syntax.location(statement), hint=hint)


def time_places(
    sections: Iterable[Any], places: Mapping[Signature, int]
) -> dict[tuple[str, int], int]:
    """For each variable of a theory, by name and arity, the argument that is mostly a time.

    A time is the parameter of a section, or a variable that is one at the `places` of predicates or
    by a comparison such as `T = t-1`.
    """
    seen: dict[tuple[str, int], Counter[int]] = {}
    for section in sections:
        for statement in filter(theory_atoms, section.statements):
            times = set(_times(statement, section.parameter, places))
            distance = re.compile(rf"\(?({'|'.join(times)})([-+]\d+)?\)?")
            found = syntax.find(ASTType.TheoryFunction, theory_atoms(statement)) if times else []
            for term in found:
                for place, argument in enumerate(term.arguments):
                    if distance.fullmatch(str(argument).replace(" ", "")):
                        seen.setdefault((term.name, len(term.arguments)), Counter())[place] += 1
    return {key: found.most_common(1)[0][0] for key, found in seen.items()}


def _times(statement: AST, parameter: str, places: Mapping[Signature, int]) -> Iterator[str]:
    if parameter:
        yield parameter
        for literal in statement.body:
            text = str(literal).replace(" ", "")
            if named := re.fullmatch(rf"([A-Z]\w*)=\(?{parameter}([-+]\d+)?\)?", text):
                yield named[1]
    for atom in atoms(statement):
        if (place := places.get(syntax.signature(atom))) is not None:
            term = syntax.arguments(atom)[place]
            yield from (v.name for v in syntax.find(ASTType.Variable, [term]) if v.name != "_")


def by_time(values: Values, places: Mapping[tuple[str, int], int]) -> ByTime:
    """Values by the time of their variables, as `x=3`; those without one come last."""
    timed: dict[int | None, list[str]] = {}
    for text, value in values.items():
        term, time = parse_term(text), None
        if term.type == SymbolType.Function:
            place = places.get((term.name, len(term.arguments)))
            if place is not None and term.arguments[place].type == SymbolType.Number:
                time = term.arguments[place].number
                rest = [*term.arguments[:place], *term.arguments[place + 1 :]]
                text = f"{term.name}({','.join(map(str, rest))})" if rest else term.name
        timed.setdefault(time, []).append(f"{text}={value}")
    return in_order(timed)


def in_order(timed: Mapping[int | None, Iterable[Any]]) -> ByTime:
    """What is of a time by that time, as text; what has none comes last."""
    ordered = sorted(timed.items(), key=lambda item: (item[0] is None, item[0] or 0))
    return tuple((time, tuple(map(str, sorted(group)))) for time, group in ordered)
