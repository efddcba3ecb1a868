"""What gives theory atoms their meaning while clingo solves.

A session asks a `Meaning`: that of a package while a plan is looked for, and that of plain
arithmetic where the values of a plan are known and are to be checked. The check takes from the
package the rewriting of rules, which tells heads from bodies, and nothing of its solving.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from itertools import pairwise
from operator import add, eq, ge, gt, le, lt, mul, ne, sub, truediv
from typing import Any

from clingo import (
    Control,
    Function,
    Model,
    Number,
    PropagateControl,
    PropagateInit,
    Propagator,
    PropagatorCheckMode,
    Symbol,
    SymbolType,
    TheoryAtom,
    TheoryTerm,
    TheoryTermType,
    parse_term,
)

from asplan.core.errors import InvalidPlan, UsageError, needs_extra
from asplan.program import theory
from asplan.program.source import ground_term
from asplan.program.syntax import AST, ASTType
from asplan.program.theory import Meaning, NoTheory, Package, Values


class Solving:
    """The meaning that a package gives; raises `MissingExtra` if it is not installed."""

    def __init__(self, package: Package) -> None:
        missing = f"the program's theory atoms need {package.tool}, which is not installed"
        with needs_extra(missing, "theory"):
            self.theory = getattr(import_module(package.module), package.kind)()

    def register(self, control: Control) -> None:
        self.theory.register(control)

    def add(self, statement: AST, add: Callable[[AST], None]) -> None:
        if statement.ast_type == ASTType.TheoryDefinition:
            return  # the package has its own
        if not (found := theory.theory_atoms(statement)):
            add(statement)
        elif theory.name_of(found[0]) != "show":  # all values are wanted, by the check at least
            self.theory.rewrite_ast(statement, add)

    def grounded(self, control: Control, t: int) -> None:
        self.theory.prepare(control)

    def values(self, model: Model) -> Values:
        self.theory.on_model(model)
        found = self.theory.assignment(model.thread_id)
        return {str(k): v if isinstance(v, int) else v.string for k, v in found}

    def cost(self, model: Model) -> tuple[int, ...]:
        told = (s for s in model.symbols(theory=True) if s.match("__csp_cost", 1))
        return tuple(int(symbol.arguments[0].string) for symbol in told)


class Temporal(NoTheory):
    """The meaning that telingo gives to temporal formulas: rules, added after each grounding."""

    def __init__(self) -> None:
        self.theory = import_module(theory.TEL.module).Theory()

    def grounded(self, control: Control, t: int) -> None:
        self.theory.translate(t, control)


def meaning_of(package: Package) -> Meaning:
    """The meaning in which a program is solved."""
    return Temporal() if package is theory.TEL else Solving(package)


# The check by plain arithmetic.

_SUM, _DOM = "sum_term, {<=,=,!=,<,>,>=}, sum_term", "sum_term, {=}, sum_term"
_DEFINITION = f"""
#theory values {{
    sum_term {{
        - : 5, unary; + : 5, unary; ** : 4, binary, right;
        * : 3, binary, left; / : 3, binary, left; \\ : 3, binary, left;
        + : 2, binary, left; - : 2, binary, left;
        @ : 1, binary, left; .. : 0, binary, left
    }};
    &sum/0 : {_SUM}, head; &dom/0 : {_DOM}, head;
    &__sum_h/0 : {_SUM}, any; &__sum_b/0 : {_SUM}, any;
    &__diff_h/0 : {_SUM}, any; &__diff_b/0 : {_SUM}, any;
    &__nsum_h/0 : {_SUM}, any; &__nsum_b/0 : {_SUM}, any;
    &distinct/0 : sum_term, head; &disjoint/0 : sum_term, head;
    &minimize/0 : sum_term, directive; &maximize/0 : sum_term, directive
}}.
"""
_RELATIONS = {"<=": le, "<": lt, ">=": ge, ">": gt, "=": eq, "!=": ne}
_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {"+": add, "-": sub, "*": mul, "**": pow}
_WHOLE: dict[str, Callable[[int, int], int]] = {
    "/": lambda a, b: int(Fraction(a, b)),  # towards 0, as in C++
    "\\": lambda a, b: a - b * int(Fraction(a, b)),
}

Numeral = Fraction | None  # what a term is with given values; None where a variable has none


@dataclass(frozen=True)
class Constraint:
    """A theory atom with values for its variables.

    `holds` says whether it is true, given which of the `conditions` of its elements are; None where
    a value is missing. An atom in a head is true only if its constraint is; one in a body just
    then.
    """

    text: str
    literal: int
    conditions: tuple[int, ...]
    in_body: bool
    holds: Callable[[list[bool]], bool | None]


class Checking(Solving, Propagator):
    """The meaning with fixed values; `refused` are constraints that did not hold."""

    def __init__(
        self, package: Package, values: Mapping[str, Fraction], refused: list[str]
    ) -> None:
        super().__init__(package)
        self.refused = refused
        self.arithmetic = Arithmetic(values, package is theory.LPX)
        self.constraints: dict[tuple[str, int], Constraint] = {}
        self.objective: list[Numeral] = []
        self.is_new = False

    def register(self, control: Control) -> None:
        control.add("base", [], _DEFINITION)
        control.register_propagator(self)

    def grounded(self, control: Control, t: int) -> None:
        self.is_new = True

    def values(self, model: Model) -> Values:
        seen = sorted(self.arithmetic.seen & self.arithmetic.values.keys())
        known = ((term, self.arithmetic.values[term]) for term in seen)
        return {term: int(v) if v.denominator == 1 else str(v) for term, v in known}

    def init(self, init: PropagateInit) -> None:
        """Called by clingo before it solves, with the theory atoms of what was grounded."""
        init.check_mode = PropagatorCheckMode.Total
        if self.is_new:
            self.is_new = False
            self.objective += self.arithmetic.objective(init.theory_atoms)
        for constraint in self.arithmetic.constraints(init.theory_atoms, init.solver_literal):
            key = (constraint.text, constraint.literal)
            if key not in self.constraints:
                self.constraints[key] = constraint
                for literal in (constraint.literal, *constraint.conditions):
                    init.freeze_literal(literal)

    def check(self, control: PropagateControl) -> None:
        """Called by clingo with a candidate for a model."""
        is_true = control.assignment.is_true
        for constraint in self.constraints.values():
            value = is_true(constraint.literal)
            if not value and not constraint.in_body:
                continue
            if constraint.holds(list(map(is_true, constraint.conditions))) is not value:
                if not constraint.in_body:
                    self.refused.append(constraint.text)
                literals = {constraint.literal, *constraint.conditions}
                clause = [-literal if is_true(literal) else literal for literal in literals]
                if not control.add_clause(clause) or not control.propagate():
                    return

    def cost(self, model: Model) -> tuple[int, ...]:
        known = [int(number) for number in self.objective if number is not None]
        return (sum(known),) if self.objective and len(known) == len(self.objective) else ()


@dataclass(frozen=True)
class Arithmetic:
    """The arithmetic of theory terms, `is_exact` or of whole numbers; `seen` are variables."""

    values: Mapping[str, Fraction]
    is_exact: bool
    seen: set[str] = field(default_factory=set)

    def constraints(
        self, atoms: Iterable[TheoryAtom], literal: Callable[[int], int]
    ) -> Iterator[Constraint]:
        """Theory atoms with these values; `literal` gives the solver's for one of the program."""
        for atom in atoms:
            tagged = atom.term.name
            if tagged in theory.OBJECTIVES:
                continue
            name = re.sub(r"^__|_[hb]$", "", tagged)
            inside = "; ".join(str(element.terms[0]) for element in atom.elements)
            guard = " {} {}".format(*atom.guard) if atom.guard else ""
            yield Constraint(
                text=f"&{name} {{ {inside} }}{guard}",
                literal=literal(atom.literal),
                conditions=tuple(literal(e.condition_id) for e in atom.elements if e.condition),
                in_body=tagged.endswith("_b"),
                holds=self._holds(atom, name),
            )

    def objective(self, atoms: Iterable[TheoryAtom]) -> Iterator[Numeral]:
        """What is summed up in objectives, of which all conditions are facts."""
        for atom in atoms:
            for element in atom.elements if atom.term.name in theory.OBJECTIVES else ():
                number = self.number(element.terms[0])
                yield -number if number and atom.term.name == "maximize" else number

    def _holds(self, atom: TheoryAtom, name: str) -> Callable[[list[bool]], bool | None]:
        # The terms are read now: they are gone when clingo grounds the next step.
        terms, fixed = [each.terms[0] for each in atom.elements], None
        if name == "distinct":
            numbers = [self.number(term) for term in terms]
            fixed = None if None in numbers else len(set(numbers)) == len(numbers)
            return lambda held: fixed
        if name == "disjoint":  # no two intervals `start@length` meet
            starts = [(self.number(t.arguments[0]), self.number(t.arguments[1])) for t in terms]
            spans = sorted((a, a + n) for a, n in starts if a is not None and n and n > 0)
            if not any(None in pair for pair in starts):
                fixed = all(end <= start for (_, end), (start, _) in pairwise(spans))
            return lambda held: fixed
        assert atom.guard is not None
        relation, right = _RELATIONS[atom.guard[0]], self.number(atom.guard[1])
        if name == "dom":  # within one of the ranges `a..b`, or one of the numbers
            ends = [t.arguments if _is_operation(t, "..") else [t, t] for t in terms]
            ranges = [(self.number(least) or 0, self.number(most) or 0) for least, most in ends]
            fixed = None if right is None else any(a <= right <= b for a, b in ranges)
            return lambda held: fixed
        parts = [(self.number(e.terms[0]), bool(e.condition)) for e in atom.elements]

        def holds(held: list[bool]) -> bool | None:
            told = iter(held)
            counted = [number for number, is_open in parts if not is_open or next(told)]
            if right is None or None in counted:
                return None
            return bool(relation(sum(number or 0 for number in counted), right))

        return holds

    def number(self, term: TheoryTerm) -> Numeral:
        """The number that a term is, in which variables may stand."""
        if term.type == TheoryTermType.Number:
            return Fraction(term.number)
        if _is_operation(term, *_OPERATIONS, *_WHOLE):
            numbers = [self.number(argument) for argument in term.arguments]
            return None if None in numbers else self._computed(term.name, numbers)
        text = str(self.symbol(term))
        if theory.RATIONAL.fullmatch(text):
            return Fraction(text[1:-1])
        self.seen.add(text)
        return self.values.get(text)

    def symbol(self, term: TheoryTerm) -> Symbol:
        """A term as clingo's, with what its arguments compute."""
        if term.type == TheoryTermType.Number:
            return Number(term.number)
        if term.type == TheoryTermType.Symbol:
            return parse_term(term.name)
        arguments = [self.symbol(argument) for argument in term.arguments]
        if term.type == TheoryTermType.Tuple:
            return Function("", arguments)
        if term.name == "-" and arguments[0].type == SymbolType.Function:
            return Function(arguments[0].name, arguments[0].arguments, False)
        if _is_operation(term, *_OPERATIONS, *_WHOLE):
            numbers = [Fraction(argument.number) for argument in arguments]
            return Number(int(self._computed(term.name, numbers)))
        return Function(term.name, arguments)

    def _computed(self, name: str, numbers: Sequence[Any]) -> Fraction:
        if len(numbers) == 1:
            return Fraction(-numbers[0] if name == "-" else numbers[0])
        compute = _OPERATIONS.get(name) or (truediv if self.is_exact else _WHOLE[name])
        return Fraction(compute(*numbers))


def read_values(values: Values) -> dict[str, Fraction]:
    """Values by terms as clingo writes them; raises `InvalidPlan` at what is none."""
    found = {}
    for term, value in values.items():
        try:
            found[str(ground_term(term, "variable"))] = Fraction(value)
        except (UsageError, ValueError, ZeroDivisionError):
            raise InvalidPlan(f"{term}={value} is no value of a variable") from None
    return found


def _is_operation(term: TheoryTerm, *names: str) -> bool:
    return term.type == TheoryTermType.Function and term.name in names
