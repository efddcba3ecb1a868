"""The atoms and functions that conditions and effects read.

They decide which simultaneous actions interfere. A condition reads every atom that it mentions,
with quantifiers and derived predicates expanded (Fox and Long, PDDL2.1, definition 12). There are
two exceptions. Static atoms are not read. And if a static atom decides a conjunction or
disjunction, its other parts are not read, either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from asplan.pddl.language import syntax
from asplan.pddl.language.numbers import NumericModel, NumericState
from asplan.pddl.language.syntax import Formula, GroundAtom, bind

Reads = bool | set[GroundAtom]
"""The ground atoms that a condition reads, and functions, which have `=` before their names.

If the condition has the same truth value in all states, this value takes the place of the set.
"""


class ReadSets:
    """Computes the atoms and functions that conditions and effects of one happening read.

    A happening is the start or end of an action, an action without duration, or a timed literal.
    `seen` has the derived atoms whose rules were already read.
    """

    def __init__(self, model: NumericModel) -> None:
        self.model = model
        self.task = model.task
        self.world = model.world_with(NumericState((), {}), {})
        self.seen: set[GroundAtom] = set()

    def condition(
        self,
        formula: Formula,
        bound: Mapping[str, str],
    ) -> Reads:
        """Return the atoms and functions that a condition reads.

        If no effect can change its truth value, return the truth value instead. `bound` has the
        values of the condition's free variables.
        """
        match formula:
            case syntax.Atom():
                return self._atom(formula.ground(bound))
            case syntax.Equal(left, right):
                return bound.get(left.key, left.key) == bound.get(right.key, right.key)
            case syntax.Compare():
                return self._comparison(formula, bound)
            case syntax.Connected():
                return self._connected(formula, bound)
            case syntax.Quantified(word, variables, body):
                bindings = self.task.bindings(variables, bound)
                parts = (self.condition(body, inner) for inner in bindings)
                return _joined(parts, is_conjunction=word == "forall")

    def _connected(
        self,
        formula: syntax.Connected,
        bound: Mapping[str, str],
    ) -> Reads:
        """Return the atoms and functions that the parts of a condition read; see `condition`."""
        parts = (self.condition(part, bound) for part in formula.parts)
        if formula.word == "not":
            return _negated(next(parts))
        if formula.word == "imply":
            premise = _negated(next(parts))
            return _joined(chain([premise], parts), is_conjunction=False)
        return _joined(parts, is_conjunction=formula.word == "and")

    def effect(
        self,
        effect: syntax.EffectFormula,
        bound: Mapping[str, str],
    ) -> set[GroundAtom]:
        """Return the atoms and functions that the conditions and amounts of an effect read."""
        match effect:
            case syntax.Together(parts):
                return set().union(*(self.effect(part, bound) for part in parts))
            case syntax.Each(variables, body):
                bindings = self.task.bindings(variables, bound)
                return set().union(*(self.effect(body, inner) for inner in bindings))
            case syntax.When(condition, body):
                reads = self.condition(condition, bound)
                if reads is False:
                    return set()
                own = set() if reads is True else reads
                return own | self.effect(body, bound)
            case syntax.Assign(_, _, amount):
                return self.numbers(syntax.functions(amount), bound)
        return set()

    def numbers(
        self,
        functions: Iterable[syntax.Atom],
        bound: Mapping[str, str],
    ) -> set[GroundAtom]:
        """Return the functions in an expression that effects change, with `=` before their names.

        `functions` are all functions in the expression.
        """
        changing = (f for f in functions if f.name.key in self.task.assigned)
        return {("=", *function.ground(bound)) for function in changing}

    def _comparison(
        self,
        formula: syntax.Compare,
        bound: Mapping[str, str],
    ) -> Reads:
        """Return the functions that a comparison reads, or its truth value if it is constant."""
        functions = syntax.functions(formula.left, formula.right)
        if reads := self.numbers(functions, bound):
            return reads
        return self.model.holds(self.world, formula, bound) or set()

    def _atom(self, atom: GroundAtom) -> Reads:
        """Return the atoms and functions on which an atom depends.

        If the atom is static, return its truth value instead. A derived atom depends on all atoms
        and functions that its rules read.
        """
        predicate, *row = atom
        if predicate in self.task.fluents:
            return {atom}
        if predicate not in self.task.derived:
            return tuple(row) in self.model.static[predicate].rows
        if atom in self.seen:
            return set()
        self.seen.add(atom)
        rules = [rule for rule in self.task.domain.rules if rule.name.key == predicate]
        parts = [self.condition(rule.body, bind(rule.parameters, row)) for rule in rules]
        return _joined(parts, is_conjunction=False)


def _negated(reads: Reads) -> Reads:
    """Negate a truth value; return sets of atoms and functions unchanged."""
    return not reads if isinstance(reads, bool) else reads


def _joined(
    parts: Iterable[Reads],
    is_conjunction: bool,
) -> Reads:
    """Return the atoms and functions that a conjunction or disjunction reads.

    Each of the `parts` is the set of atoms and functions that a part reads, or its constant truth
    value. If the constant parts decide the conjunction or disjunction, return its truth value: a
    conjunction with a part that is never true is False.
    """
    union: set[GroundAtom] = set()
    is_open = False
    for part in parts:
        if not isinstance(part, bool):
            is_open = True
            union = union | part
        elif part != is_conjunction:
            return part
    return union if is_open else is_conjunction
