"""The check that a step has finitely many ground atoms, made while clingo grounds it."""

from __future__ import annotations

from collections.abc import Iterator

from asplan.clingo import Control, Number, Symbol, SymbolType
from asplan.core.budget import Budget
from asplan.core.errors import InputError
from asplan.program import syntax
from asplan.program.bounds import bounding_atom
from asplan.program.incremental import Program
from asplan.program.reading.scripts import Functions
from asplan.program.reading.unit import HELPER, TIMED, pairs
from asplan.program.syntax import AST, ASTType
from asplan.program.transitions.stepwise import HINT, describe_fault

MET = HELPER + "met"  # the external function that grounded rules call for each new atom
_UNCHECKED = 64  # atoms between two checks of the budget
_MOST = 100_000  # atoms of a time; if there are more, the check assumes infinitely many


class Endless:
    """The functions that clingo calls while it grounds a step; they stop an endless grounding.

    clingo calls the function `MET` for each atom of the step. The atoms count as endless if there
    are too many, or if a number in one is far larger than all numbers of `base`. So `base` must be
    grounded before. The functions of the program's scripts are attributes of this object, too.

    Attributes
    ----------
    failure
        The error that ended the grounding; None if there was none.
    """

    def __init__(
        self,
        program: Program,
        control: Control,
        functions: Functions | None,
        budget: Budget,
    ) -> None:
        self.functions = functions
        self.failure: Exception | None = None
        self._program = program
        self._budget = budget
        self._largest = 10 * (10 + _largest_number(control))
        self._count = 0
        setattr(self, MET, self._check)

    def __getattr__(self, name: str) -> object:
        return getattr(self.functions, name)

    def _check(self, atom: Symbol) -> Symbol:
        """Return 1 for an atom that clingo has grounded.

        Raise `InputError` if the atoms count as endless. Raise the budget's error if the budget is
        spent.
        """
        self._count += 1
        if self._count % _UNCHECKED == 0:
            try:
                self._budget.check()
            except Exception as error:
                self.failure = error
                raise
        numbers = (term.number for term in atom.arguments if term.type == SymbolType.Number)
        if self._count <= _MOST and all(abs(number) <= self._largest for number in numbers):
            return Number(1)
        failure = self._explain(atom)
        self.failure = failure
        raise failure

    def _explain(self, atom: Symbol) -> InputError:
        """Return the error for infinitely many atoms of the predicate of `atom`.

        The error's location is the first rule that computes an argument of this predicate.
        """
        rules = list(self._rules_of(atom))
        computing = (rule for rule, head in rules if syntax.find(ASTType.BinaryOperation, [head]))
        rule = next(computing, rules[0][0])
        predicate = f"{atom.name}/{len(atom.arguments)}"
        what = f"this rule counts without end: there is no end to the atoms of {predicate}"
        bound = self._bound_of(rule, atom)
        if bound:
            what += f"; add {bound} to the rule; a constraint would come too late"
        return InputError(describe_fault(rule, what), at=syntax.location(rule), hint=HINT)

    def _rules_of(self, atom: Symbol) -> Iterator[tuple[AST, AST]]:
        """Yield each timed rule with a head of the atom's predicate, and this head."""
        for section, rule in pairs(self._program.sections):
            if section.part not in TIMED:
                continue
            for head in syntax.heads(rule):
                if syntax.signature(head) == syntax.predicate(atom):
                    yield rule, head

    def _bound_of(
        self,
        rule: AST,
        atom: Symbol,
    ) -> str:
        """Return the atom to add to a rule's body so that its grounding ends.

        The atom comes from a constraint that limits the rule's atoms. Return an empty text if there
        is no such constraint.
        """
        key = syntax.predicate(atom)
        heads = [head for head in syntax.heads(rule) if syntax.signature(head) == key]
        bounds = (bounding_atom(self._program.statements, head) for head in heads)
        return next(filter(None, bounds), "")


def _largest_number(control: Control) -> int:
    """Return the largest absolute value of a number in the atoms of a control."""
    largest = 0
    for atom in control.symbolic_atoms:
        for term in atom.symbol.arguments:
            if term.type == SymbolType.Number:
                largest = max(largest, abs(term.number))
    return largest
