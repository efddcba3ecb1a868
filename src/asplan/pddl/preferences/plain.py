"""A task without its constraints and preferences, which means the same: for a grounder that knows
neither.

What of the past matters becomes atoms of new predicates, which a further action, the *monitor*,
sets from what holds before it; in a plan it happens beside every step. What a plan has to comply
with becomes a condition of the monitor, as far as it can be told on the way, and of the goal.
(Percassi and Gerevini, On Compiling Away PDDL3 Soft Trajectory Constraints without Using Automata,
ICAPS 2019, have the memory in every action instead.)

Preferences are compiled only where the metric is to be best: a plan ends by an action after which
none of the task's own applies; then each preference is `kept`, for nothing, where it is, or else
`missed`, at the price that the metric sets. (Keyder and Geffner, Soft Goals Can Be Compiled Away,
JAIR 36, 2009.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod

from asplan.pddl.grounding.lifted import AUXILIARY
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import Word
from asplan.pddl.language.nodes import refusal
from asplan.pddl.language.plain import conjunction, rewritten
from asplan.pddl.language.syntax import ALWAYS, Atom, Formula, TaskText, Typed, scope_of

NUMBER = 800_000
"""Predicates that are made here are called like those that grounding makes, from here on."""

MOST = 4  # preferences of one action at most: for all subsets of them it is made several actions

_DEEP = "preferences under forall in the precondition of an action", "MIPS-XXL can"
_MANY = f"more than {MOST} preferences in the precondition of an action", "MIPS-XXL can"
_NEGATIVE = "a metric that is better where an action violates a preference", "MIPS-XXL can"


class Plain:
    """A task without constraints and preferences, and what its further actions are.

    Preferences are compiled if there are `weights`: by the name of each what it adds to the metric
    that it is violated. Raises `InputError` where that cannot be done.

    The action `monitor` happens beside every step, if there is one; it `watches` if it has a
    condition. Those by which a plan ends (`ends`) have prices. `variants` says by the key of a
    further action what it is called in the task, and its price besides. `constant` is what the
    metric is besides all prices.
    """

    def __init__(self, task: TaskText, weights: Mapping[str, Fraction]) -> None:
        domain, problem = task.domain, task.problem
        self._task, self._weights = task, weights
        self._predicates, self._rules = list[syntax.Signature](), list[syntax.Derivation]()
        self._memory, self._closing = list[syntax.EffectFormula](), list[syntax.Action]()
        self._safe, self._goal = list[Formula](), list[Formula]()
        self.ends, self.constant = dict[str, Fraction](), Fraction(0)
        self.variants = dict[str, tuple[str, Fraction]]()
        ended = self._new(())
        for demand in (*domain.demands, *problem.demands):
            if demand.name is not None:
                if weight := self._weights.get(demand.key):
                    self._prefer(demand, weight, ended)
                continue
            for part in demand.parts:
                variables = (*demand.variables, *part.variables)
                wrong, right = self._judged(part, variables)
                if wrong is not None:
                    fine = self._named(_negated(wrong), variables)
                    self._safe.append(_each(variables, fine))
                    right = conjunction(fine, right)
                self._goal.append(_each(variables, right))
        actions = [one for action in domain.actions for one in self._all_variants(action)]
        if self._closing:
            running = _negated(ended)
            actions = [
                replace(a, precondition=conjunction(a.precondition, running)) for a in actions
            ]
            self._close("end", (), running, ended, Fraction(0))
        if self._safe:  # an action without effects would be left out
            self._memory.append(syntax.Changed(self._new(()), True))
        monitor = list[syntax.Action]()  # it keeps the memory, and asks for what must always hold
        if self._memory:
            safe, memory = conjunction(*self._safe), syntax.Together((*self._memory,))
            monitor.append(syntax.Action(self._word("monitor"), (), safe, memory))
        self.text = rewritten(
            task,
            {
                "predicates": (*domain.predicates, *self._predicates),
                "actions": (*actions, *self._closing, *monitor),
                "rules": (*domain.rules, *self._rules),
                "demands": (),
            },
            {"goal": conjunction(problem.goal, *self._goal), "demands": ()},
        )
        self.monitor = monitor[0].name.key if monitor else ""
        self.watches = bool(self._safe)

    def _prefer(self, demand: syntax.Demand, weight: Fraction, ended: Atom) -> None:
        """Let a plan pay for a preference that is violated, for all values of its variables."""
        several = demand.variables
        parts = list[Formula]()
        for part in demand.parts:
            variables = (*several, *part.variables)
            wrong, right = self._judged(part, variables)
            if wrong is not None:
                broken = self._new(variables)
                self._remember(broken, wrong, variables)
                right = conjunction(_negated(broken), _negated(wrong), right)
            parts.append(_each(part.variables, right))
        kept: Formula = self._named(conjunction(*parts), several)
        if weight < 0:  # it is better violated
            kept = _negated(kept)
            self.constant += weight * prod(
                len(self._task.objects_of(typed.type_keys)) for typed in several
            )
        settled = self._new(several)
        self._goal.append(_each(several, settled))
        self._close(f"keep-{demand.key}", several, conjunction(ended, kept), settled, Fraction(0))
        self._close(f"miss-{demand.key}", several, ended, settled, abs(weight))

    def _close(
        self,
        name: str,
        variables: tuple[Typed, ...],
        condition: Formula,
        adds: Atom,
        price: Fraction,
    ) -> None:
        """An action by which a plan ends."""
        word = self._word(name)
        self._closing.append(syntax.Action(word, variables, condition, syntax.Changed(adds, True)))
        self.ends[word.key] = price

    def _judged(
        self, part: syntax.Passing, variables: tuple[Typed, ...]
    ) -> tuple[Formula | None, Formula]:
        """What must not hold at any time, and what must at the end.

        The memory is that of the states before, and is kept by effects of the monitor.
        """
        first, *others = (self._named(formula, variables) for formula in part.parts)
        memory = self._new(variables)
        match part.word:
            case "at end":
                return None, first
            case "always":
                return _negated(first), ALWAYS
            case "sometime":
                self._remember(memory, first, variables)
                return None, syntax.Connected("or", (memory, first))
            case "at-most-once":
                over = self._new(variables)
                self._remember(memory, first, variables)
                self._remember(over, conjunction(memory, _negated(first)), variables)
                return conjunction(over, first), ALWAYS
            case "sometime-before":
                self._remember(memory, others[0], variables)
                return conjunction(first, _negated(memory)), ALWAYS
            case "sometime-after":
                self._remember(memory, conjunction(first, _negated(others[0])), variables)
                self._remember(memory, others[0], variables, False)
                open_still = syntax.Connected("or", (memory, first))
                return None, syntax.Connected("or", (others[0], _negated(open_still)))
        raise AssertionError(part.word)

    def _remember(
        self, memory: Atom, when: Formula, variables: tuple[Typed, ...], holds: bool = True
    ) -> None:
        effect: syntax.EffectFormula = syntax.When(when, syntax.Changed(memory, holds))
        self._memory.append(syntax.Each(variables, effect) if variables else effect)

    def _all_variants(self, action: syntax.Action) -> Iterator[syntax.Action]:
        """An action for each set of its preferences that it violates; the first violates none."""
        weighed = [(d, w) for d in action.preferences if (w := self._weights.get(d.key))]
        bare = replace(action, preferences=())
        if not weighed:
            yield bare
            return
        for demand, weight in weighed:
            if demand.variables or weight < 0:
                raise refusal(demand.at, _DEEP if demand.variables else _NEGATIVE)
        if len(weighed) > MOST:
            raise refusal(weighed[MOST][0].at, _MANY)
        tests = [self._named(d.parts[0].parts[0], action.parameters) for d, _ in weighed]
        for number, kept in enumerate(product((True, False), repeat=len(weighed))):
            condition, price = list[Formula](), Fraction(0)
            for (_, weight), test, is_kept in zip(weighed, tests, kept, strict=True):
                condition.append(test if is_kept else _negated(test))
                price += 0 if is_kept else weight
            word = self._word(f"{action.name.key}-{number}") if number else action.name
            if number:
                self.variants[word.key] = action.name.key, price
            yield replace(bare, name=word, precondition=conjunction(bare.precondition, *condition))

    def _named(self, formula: Formula, variables: tuple[Typed, ...]) -> Formula:
        """A literal for a condition: itself, or an atom of a new derived predicate."""
        match formula:
            case Atom() | syntax.Connected("not", (Atom(),)):
                return formula
        free = set[str]()  # the variables that nothing in it binds
        for part, scope in syntax.inside(formula):
            words: tuple[Word, ...] = ()
            match part:
                case Atom(_, arguments):
                    words = arguments
                case syntax.Equal(left, right):
                    words = (left, right)
            free |= {word.key for word in words if word.key not in scope}
        own = tuple(typed for key, typed in scope_of(variables).items() if key in free)
        atom = self._new(own)
        self._rules.append(syntax.Derivation(atom.name, own, formula))
        return atom

    def _new(self, variables: tuple[Typed, ...]) -> Atom:
        """An atom of a new predicate; an inner variable hides an outer one of its name."""
        word = self._word_of(f"{AUXILIARY}@{NUMBER + len(self._predicates)}")
        predicate = syntax.Signature(word, tuple(scope_of(variables).values()))
        self._predicates.append(predicate)
        return predicate.atom

    def _word(self, name: str) -> Word:
        """The name of a new action, with a sign that names in files cannot have."""
        return self._word_of(f"{name}@{len(self._closing) + len(self.variants)}")

    def _word_of(self, name: str) -> Word:
        return replace(self._task.problem.name, key=name, text=name)


def _negated(formula: Formula) -> Formula:
    match formula:
        case syntax.Connected("not", (body,)):
            return body
    return syntax.Connected("not", (formula,))


def _each(variables: tuple[Typed, ...], formula: Formula) -> Formula:
    if not variables or formula == ALWAYS:
        return formula
    return syntax.Quantified("forall", variables, formula)
