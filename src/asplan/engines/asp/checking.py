"""The check of a plan's values of theory variables, by plain arithmetic in place of a solver.

A theory is that of clingo-dl, clingcon or clingo-lpx; its atoms are constraints over numbers. The
check lets the theory's package rewrite the rules, which marks theory atoms in heads and in bodies.
It shares nothing of the package's solver.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from itertools import pairwise
from operator import add, eq, ge, gt, le, lt, mul, ne, sub, truediv
from typing import Any

from asplan.clingo import (
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
    TheoryElement,
    TheoryTerm,
    TheoryTermType,
    parse_term,
)
from asplan.core.dataclass import dataclass
from asplan.core.errors import InvalidPlan, UsageError
from asplan.engines.asp.theory import Solving
from asplan.program import theory
from asplan.program.reading.source import ground_term
from asplan.program.theory import Package, Values

_SUM = "sum_term, {<=,=,!=,<,>,>=}, sum_term"
_DOM = "sum_term, {=}, sum_term"
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
_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {  # of int and Fraction alike
    "+": add,
    "-": sub,
    "*": mul,
    "**": pow,
}
_INTEGER_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "/": lambda a, b: int(Fraction(a, b)),  # towards 0, as in C++
    "\\": lambda a, b: a - b * int(Fraction(a, b)),
}

Numeral = Fraction | None  # the value of a term; None if a variable in it has no value
Truth = bool | None  # None if a value is missing
Test = Callable[[list[bool]], Truth]  # takes the truth of the conditions of elements


@dataclass(frozen=True)
class TheoryConstraint:
    """A ground theory atom with fixed values for its variables.

    A true atom in a head requires that its constraint holds. An atom in a body is true if and only
    if its constraint holds.

    Attributes
    ----------
    text
        The atom as text, for messages.
    literal
        The solver's literal of the atom.
    conditions
        The solver's literals of the conditions of its elements, in order.
    in_body
        True if the atom is in a body.
    holds
        A function that takes the truth values of `conditions`, and returns whether the constraint
        holds; None if a variable has no value.
    """

    text: str
    literal: int
    conditions: tuple[int, ...]
    in_body: bool
    holds: Test


class Checking(Solving, Propagator):
    """A propagator of clingo for theory atoms whose variables all have fixed values.

    It appends the text of each violated constraint to the list `refused`.
    """

    def __init__(
        self,
        package: Package,
        values: Mapping[str, Fraction],
        refused: list[str],
    ) -> None:
        super().__init__(package)
        self.refused = refused
        self.arithmetic = Arithmetic(values, package is theory.LPX)
        self.constraints: dict[tuple[str, int], TheoryConstraint] = {}
        self.objective: list[Numeral] = []
        self.is_new = False

    def register(self, control: Control) -> None:
        """Add the definition of the theory's syntax, and register this propagator."""
        control.add("base", [], _DEFINITION)
        control.register_propagator(self)

    def grounded(self, control: Control, t: int) -> None:
        """Note that clingo has grounded new theory atoms."""
        self.is_new = True

    def values(self, model: Model) -> Values:
        """Return the fixed values of the variables in the program's theory atoms, by name."""
        values = self.arithmetic.values
        fixed: dict[str, int | str] = {}
        for term in sorted(self.arithmetic.seen & values.keys()):
            value = values[term]
            fixed[term] = int(value) if value.denominator == 1 else str(value)
        return fixed

    def init(self, init: PropagateInit) -> None:
        """Read the constraints of the ground theory atoms; clingo calls this before it solves."""
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
        """Exclude a candidate model that violates a constraint; clingo calls this for each one."""
        is_true = control.assignment.is_true
        for constraint in self.constraints.values():
            if not self._is_violated(constraint, is_true):
                continue
            if not constraint.in_body:
                self.refused.append(constraint.text)
            literals = {constraint.literal, *constraint.conditions}
            clause = [-literal if is_true(literal) else literal for literal in literals]
            if not control.add_clause(clause) or not control.propagate():
                return

    def _is_violated(self, constraint: TheoryConstraint, is_true: Callable[[int], bool]) -> bool:
        is_derived = is_true(constraint.literal)
        if not is_derived and not constraint.in_body:
            return False
        return constraint.holds(list(map(is_true, constraint.conditions))) is not is_derived

    def cost(self, model: Model) -> tuple[int, ...]:
        """Return the value of the theory's objective as a tuple of one number.

        Return `()` if there is no objective, or if a variable in it has no value.
        """
        numbers = [int(number) for number in self.objective if number is not None]
        is_complete = len(numbers) == len(self.objective)
        return (sum(numbers),) if numbers and is_complete else ()


@dataclass(frozen=True)
class Arithmetic:
    """The evaluation of theory terms under fixed `values` of the variables.

    If `is_exact`, division gives rationals, else whole numbers. `seen` collects the variables in
    the terms that were evaluated.
    """

    values: Mapping[str, Fraction]
    is_exact: bool
    seen: set[str] = field(default_factory=set)

    def constraints(
        self, atoms: Iterable[TheoryAtom], literal: Callable[[int], int]
    ) -> Iterator[TheoryConstraint]:
        """Yield the constraints of ground theory atoms.

        `literal` maps a literal of the ground program to the solver's literal.
        """
        for atom in atoms:
            tagged = atom.term.name
            if tagged in theory.OBJECTIVES:
                continue
            name = re.sub(r"^__|_[hb]$", "", tagged)
            inside = "; ".join(str(element.terms[0]) for element in atom.elements)
            guard = " {} {}".format(*atom.guard) if atom.guard else ""
            yield TheoryConstraint(
                text=f"&{name} {{ {inside} }}{guard}",
                literal=literal(atom.literal),
                conditions=tuple(literal(e.condition_id) for e in atom.elements if e.condition),
                in_body=tagged.endswith("_b"),
                holds=self._test_of(atom, name),
            )

    def objective(self, atoms: Iterable[TheoryAtom]) -> Iterator[Numeral]:
        """Yield the summands of `&minimize`, and the negated ones of `&maximize`.

        The conditions of summands are ignored, because they are facts. A summand is None if a
        variable in it has no value.
        """
        for atom in atoms:
            if atom.term.name not in theory.OBJECTIVES:
                continue
            for element in atom.elements:
                number = self.number(element.terms[0])
                yield -number if number and atom.term.name == "maximize" else number

    def _test_of(self, atom: TheoryAtom, name: str) -> Test:
        """Return a function from the conditions' truth values to whether the constraint holds.

        The terms are evaluated now, because clingo drops them when it grounds the next step.
        """
        if name == "distinct":
            return _constant(self._is_distinct(atom.elements))
        if name == "disjoint":
            return _constant(self._is_disjoint(atom.elements))
        assert atom.guard is not None
        relation, term = atom.guard
        right = self.number(term)
        if name == "dom":
            return _constant(self._is_in_domain(atom.elements, right))
        return self._sum_test(atom.elements, relation, right)

    def _is_distinct(self, elements: Iterable[TheoryElement]) -> Truth:
        """Return whether the elements have different numbers; None if a variable has no value."""
        numbers = [self.number(element.terms[0]) for element in elements]
        return None if None in numbers else len(set(numbers)) == len(numbers)

    def _is_disjoint(self, elements: Iterable[TheoryElement]) -> Truth:
        """Return whether no two intervals `start@length` overlap; None if a value is missing."""
        spans: list[tuple[Fraction, Fraction]] = []
        is_complete = True
        for element in elements:
            start, length = map(self.number, element.terms[0].arguments[:2])
            if start is None or length is None:
                is_complete = False
            elif length > 0:
                spans.append((start, start + length))
        if not is_complete:
            return None
        return all(end <= start for (_, end), (start, _) in pairwise(sorted(spans)))

    def _is_in_domain(self, elements: Iterable[TheoryElement], right: Numeral) -> Truth:
        """Return whether the number `right` is in one of the elements: ranges `a..b` and numbers.

        Return None if `right` has no value.
        """
        is_inside = False
        for element in elements:
            term = element.terms[0]
            ends = term.arguments if _is_operation(term, "..") else [term, term]
            least, most = (self.number(end) or 0 for end in ends)
            is_inside |= right is not None and least <= right <= most
        return None if right is None else is_inside

    def _sum_test(
        self,
        elements: Iterable[TheoryElement],
        relation: str,
        right: Numeral,
    ) -> Test:
        """Return the test that compares the sum of the elements with the number `right`.

        `relation` is the operator, such as `<=`. An element counts if its condition is true.
        """
        compare = _RELATIONS[relation]
        summands = [(self.number(e.terms[0]), bool(e.condition)) for e in elements]

        def holds(conditions: list[bool]) -> Truth:
            truth = iter(conditions)
            counted = [n for n, is_conditional in summands if not is_conditional or next(truth)]
            if right is None or None in counted:
                return None
            return bool(compare(sum(number or 0 for number in counted), right))

        return holds

    def number(self, term: TheoryTerm) -> Numeral:
        """Return the value of a theory term; None if a variable in it has no value."""
        if term.type == TheoryTermType.Number:
            return Fraction(term.number)
        if _is_operation(term, *_OPERATIONS, *_INTEGER_OPERATIONS):
            numbers = [self.number(argument) for argument in term.arguments]
            return None if None in numbers else self._compute(term.name, numbers)
        text = str(self.symbol(term))
        if theory.RATIONAL.fullmatch(text):
            return Fraction(text[1:-1])
        self.seen.add(text)
        return self.values.get(text)

    def symbol(self, term: TheoryTerm) -> Symbol:
        """Return a theory term as a symbol of clingo; operations on numbers are evaluated."""
        if term.type == TheoryTermType.Number:
            return Number(term.number)
        if term.type == TheoryTermType.Symbol:
            return parse_term(term.name)
        arguments = [self.symbol(argument) for argument in term.arguments]
        if term.type == TheoryTermType.Tuple:
            return Function("", arguments)
        if term.name == "-" and arguments[0].type == SymbolType.Function:
            return Function(arguments[0].name, arguments[0].arguments, False)
        if _is_operation(term, *_OPERATIONS, *_INTEGER_OPERATIONS):
            numbers = [Fraction(argument.number) for argument in arguments]
            return Number(int(self._compute(term.name, numbers)))
        return Function(term.name, arguments)

    def _compute(self, name: str, numbers: Sequence[Any]) -> Fraction:  # int or Fraction
        """Return the value of the operation `name`, such as `*`, on one or two numbers."""
        if len(numbers) == 1:
            return Fraction(-numbers[0] if name == "-" else numbers[0])
        operation = _OPERATIONS.get(name)
        if operation is None:
            operation = truediv if self.is_exact else _INTEGER_OPERATIONS[name]
        return Fraction(operation(*numbers))


def _constant(truth: Truth) -> Test:
    return lambda conditions: truth


def read_values(values: Values) -> dict[str, Fraction]:
    """Return the values of a plan as numbers, by variables as clingo writes them.

    Raises `InvalidPlan` if a variable is not a ground term, or if a value is not a number.
    """
    numbers: dict[str, Fraction] = {}
    for term, value in values.items():
        try:
            numbers[str(ground_term(term, "variable"))] = Fraction(value)
        except (UsageError, ValueError, ZeroDivisionError):
            raise InvalidPlan(f"{term}={value} is not a value of a variable") from None
    return numbers


def _is_operation(term: TheoryTerm, *names: str) -> bool:
    return term.type == TheoryTermType.Function and term.name in names
