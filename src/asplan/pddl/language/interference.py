"""What happenings read and change: by that it is told whether they interfere.

Of a condition all atoms are read that it speaks of, with quantifiers and derived predicates
expanded (Fox and Long, PDDL2.1, definition 12). What never changes is not read, nor is what stands
beside it where that decides the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from asplan.pddl.language import syntax
from asplan.pddl.language.numbers import ADDING, Changes, NumericModel, NumericState
from asplan.pddl.language.syntax import EffectFormula, Formula, GroundAtom, bind


def conflicts(first: Changes, second: Changes) -> set[GroundAtom]:
    """The functions that both change, and not just by adding."""
    return {
        ("=", *function)
        for function in first.keys() & second.keys()
        if any(word not in ADDING for word, _ in (*first[function], *second[function]))
    }


class Reading:
    """What conditions and effects read: ground atoms, and functions with `=` before their names."""

    def __init__(self, model: NumericModel) -> None:
        self.model, self.task = model, model.task
        self.world = model.world_with(NumericState((), {}), {})
        self.seen: set[GroundAtom] = set()

    def of(
        self, condition: Formula, effect: EffectFormula, bound: Mapping[str, str]
    ) -> set[GroundAtom]:
        found = self.condition(condition, bound)
        return (set() if isinstance(found, bool) else found) | self.effect(effect, bound)

    def condition(self, formula: Formula, bound: Mapping[str, str]) -> bool | set[GroundAtom]:
        """What a condition reads; or whether it holds, where it is the same in all states."""
        match formula:
            case syntax.Atom():
                return self._atom(formula.ground(bound))
            case syntax.Equal(left, right):
                return bound.get(left.key, left.key) == bound.get(right.key, right.key)
            case syntax.Compare(_, left, right):
                if read := self.numbers(syntax.functions(left, right), bound):
                    return read
                return self.model.why_false(self.world, formula, bound) is None or set()
            case syntax.Connected("not", (body,)):
                found = self.condition(body, bound)
                return not found if isinstance(found, bool) else found
            case syntax.Connected("imply", (left, right)):
                fails = self.condition(syntax.Connected("not", (left,)), bound)
                return _joined([fails, self.condition(right, bound)], every=False)
            case syntax.Connected(word, parts):
                return _joined((self.condition(p, bound) for p in parts), every=word == "and")
            case syntax.Quantified(word, variables, body):
                inner = self.task.bindings(variables, bound)
                return _joined((self.condition(body, b) for b in inner), every=word == "forall")

    def effect(self, effect: EffectFormula, bound: Mapping[str, str]) -> set[GroundAtom]:
        match effect:
            case syntax.Together(parts):
                return set().union(*(self.effect(part, bound) for part in parts))
            case syntax.Each(variables, body):
                inner = self.task.bindings(variables, bound)
                return set().union(*(self.effect(body, b) for b in inner))
            case syntax.When(condition, body):
                found = self.condition(condition, bound)
                if found is False:
                    return set()
                own = set() if found is True else found
                return own | self.effect(body, bound)
            case syntax.Assign(_, _, amount):
                return self.numbers(syntax.functions(amount), bound)
        return set()

    def numbers(
        self, functions: Iterable[syntax.Atom], bound: Mapping[str, str]
    ) -> set[GroundAtom]:
        """Those of some functions that something changes."""
        changing = (f for f in functions if f.name.key in self.task.assigned)
        return {("=", *function.ground(bound)) for function in changing}

    def _atom(self, atom: GroundAtom) -> bool | set[GroundAtom]:
        predicate, *row = atom
        if predicate in self.task.fluents:
            return {atom}
        if predicate not in self.task.derived:
            return tuple(row) in self.model.static[predicate].rows
        if atom in self.seen:
            return set()
        self.seen.add(atom)
        rules = (rule for rule in self.task.domain.rules if rule.name.key == predicate)
        read = [self.condition(rule.body, bind(rule.parameters, row)) for rule in rules]
        return _joined(read, every=False)


def _joined(parts: Iterable[bool | set[GroundAtom]], every: bool) -> bool | set[GroundAtom]:
    """What a conjunction (`every`) or disjunction of parts reads, or what it comes to."""
    found: set[GroundAtom] = set()
    is_open = False
    for part in parts:
        if isinstance(part, bool):
            if part != every:
                return part
        else:
            is_open, found = True, found | part
    return found if is_open else every
