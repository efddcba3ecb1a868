"""The compilation of constraints and preferences into a plain task.

Atoms of new predicates are the memory of the past. A further action, the *monitor*, sets them by
the state before it; in a plan it happens beside every step. A constraint becomes a condition of the
monitor, as far as it can be checked on the way, and of the goal. (Percassi and Gerevini, On
Compiling Away PDDL3 Soft Trajectory Constraints without Using Automata, ICAPS 2019, put the memory
into every action instead.)

Preferences are compiled only if the metric is optimized. A plan ends with an action after which no
action of the task applies. Then each preference is kept at no cost if it holds, or missed at the
price that the metric sets. (Keyder and Geffner, Soft Goals Can Be Compiled Away, JAIR 36, 2009.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod

from asplan.pddl.grounding.lifted import AUXILIARY
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import Word
from asplan.pddl.language.nodes import refusal
from asplan.pddl.language.plain import conjunction, rewritten
from asplan.pddl.language.syntax import (
    ALWAYS,
    Atom,
    Formula,
    TaskText,
    Typed,
    scope_of,
)

NUMBER = 800_000
"""The first number of new predicates, whose names are like those of grounding."""

MOST = 4
"""The most preferences of one action, which is split for all subsets of them."""

_DEEP = ("preferences under forall in the precondition of an action", "MIPS-XXL can")
_MANY = (f"more than {MOST} preferences in the precondition of an action", "MIPS-XXL can")
_NEGATIVE = ("a metric that is better if an action violates a preference", "MIPS-XXL can")


@dataclass(frozen=True)
class _Conditions:
    """A condition that must never hold, or None, and one that must hold at the end."""

    never: Formula | None
    at_end: Formula


class Plain:
    """A task without constraints and preferences, and the meaning of its further actions.

    Attributes
    ----------
    text
        The plain task.
    monitor
        The action that happens beside every step; empty if there is none.
    watches
        True if the monitor has a condition.
    ends
        The actions at the end of a plan, with their prices.
    variants
        For each further action the action of the task that it is, and an additional price.
    constant
        The metric without all prices.
    """

    def __init__(
        self,
        task: TaskText,
        weights: Mapping[str, Fraction],
    ) -> None:
        """Compile a task; `weights` are the costs of violated preferences, which are compiled.

        Raise `InputError` for a preference that cannot be compiled.
        """
        self._task = task
        self._weights = weights
        self._predicates = list[syntax.Signature]()
        self._rules = list[syntax.Derivation]()
        self._memory = list[syntax.EffectFormula]()
        self._closing = list[syntax.Action]()
        self._safe = list[Formula]()
        self._goal = list[Formula]()
        self.ends = dict[str, Fraction]()
        self.constant = Fraction(0)
        self.variants = dict[str, tuple[str, Fraction]]()
        ended = self._new(())
        for demand in (*task.domain.demands, *task.problem.demands):
            if demand.name is None:
                self._require(demand)
            elif weights.get(demand.key):
                self._prefer(demand, weights[demand.key], ended)
        actions = list[syntax.Action]()
        for action in task.domain.actions:
            actions += self._all_variants(action)
        if self._closing:
            running = _negate(ended)
            actions = [_with_condition(action, running) for action in actions]
            self._close(
                "end",
                (),
                running,
                ended,
                Fraction(0),
            )
        monitor = self._monitor()
        self.monitor = monitor.name.key if monitor is not None else ""
        self.watches = bool(self._safe)
        actions += self._closing
        if monitor is not None:
            actions.append(monitor)
        self.text = self._plain_text(actions)

    def _monitor(self) -> syntax.Action | None:
        """Return the action that keeps the memory and requires the safe conditions."""
        if self._safe:
            # Grounding would leave out an action without effects.
            self._memory.append(syntax.Changed(self._new(()), True))
        if not self._memory:
            return None
        memory = syntax.Together((*self._memory,))
        return syntax.Action(
            self._word("monitor"),
            (),
            conjunction(*self._safe),
            memory,
        )

    def _plain_text(self, actions: Iterable[syntax.Action]) -> TaskText:
        domain = self._task.domain
        return rewritten(
            self._task,
            {
                "predicates": (*domain.predicates, *self._predicates),
                "actions": tuple(actions),
                "rules": (*domain.rules, *self._rules),
                "demands": (),
            },
            {"goal": conjunction(self._task.problem.goal, *self._goal), "demands": ()},
        )

    def _require(self, demand: syntax.Demand) -> None:
        """Add a constraint to the monitor and to the goal."""
        for part in demand.parts:
            variables = (*demand.variables, *part.variables)
            conditions = self._conditions(part, variables)
            at_end = conditions.at_end
            if conditions.never is not None:
                fine = self._named(_negate(conditions.never), variables)
                self._safe.append(_for_all(variables, fine))
                at_end = conjunction(fine, at_end)
            self._goal.append(_for_all(variables, at_end))

    def _prefer(
        self,
        demand: syntax.Demand,
        weight: Fraction,
        ended: Atom,
    ) -> None:
        """Let a plan pay for a violated preference, for all values of its variables."""
        several = demand.variables
        parts = list[Formula]()
        for part in demand.parts:
            variables = (*several, *part.variables)
            conditions = self._conditions(part, variables)
            at_end = conditions.at_end
            if conditions.never is not None:
                broken = self._new(variables)
                self._remember(broken, conditions.never, variables)
                at_end = conjunction(
                    _negate(broken),
                    _negate(conditions.never),
                    at_end,
                )
            parts.append(_for_all(part.variables, at_end))
        kept: Formula = self._named(conjunction(*parts), several)
        if weight < 0:
            # A plan is better if it violates the preference.
            kept = _negate(kept)
            counts = (len(self._task.objects_of(typed.type_keys)) for typed in several)
            self.constant += weight * prod(counts)
        settled = self._new(several)
        self._goal.append(_for_all(several, settled))
        self._close(
            f"keep-{demand.key}",
            several,
            conjunction(ended, kept),
            settled,
            Fraction(0),
        )
        self._close(f"miss-{demand.key}", several, ended, settled, abs(weight))

    def _close(
        self,
        name: str,
        variables: tuple[Typed, ...],
        condition: Formula,
        adds: Atom,
        price: Fraction,
    ) -> None:
        """Add an action for the end of a plan."""
        word = self._word(name)
        self._closing.append(
            syntax.Action(
                word,
                variables,
                condition,
                syntax.Changed(adds, True),
            )
        )
        self.ends[word.key] = price

    def _conditions(
        self,
        part: syntax.Passing,
        variables: tuple[Typed, ...],
    ) -> _Conditions:
        """Return the conditions of a constraint, and let the monitor keep its memory."""
        first, *others = (self._named(formula, variables) for formula in part.parts)
        memory = self._new(variables)
        match part.word:
            case "at end":
                return _Conditions(None, first)
            case "always":
                return _Conditions(_negate(first), ALWAYS)
            case "sometime":
                self._remember(memory, first, variables)
                return _Conditions(None, syntax.Connected("or", (memory, first)))
            case "at-most-once":
                over = self._new(variables)
                self._remember(memory, first, variables)
                self._remember(
                    over,
                    conjunction(memory, _negate(first)),
                    variables,
                )
                return _Conditions(conjunction(over, first), ALWAYS)
            case "sometime-before":
                self._remember(memory, others[0], variables)
                return _Conditions(conjunction(first, _negate(memory)), ALWAYS)
            case "sometime-after":
                self._remember(
                    memory,
                    conjunction(first, _negate(others[0])),
                    variables,
                )
                self._remember(memory, others[0], variables, False)
                is_open = syntax.Connected("or", (memory, first))
                return _Conditions(None, syntax.Connected("or", (others[0], _negate(is_open))))
        raise AssertionError(part.word)

    def _remember(
        self,
        memory: Atom,
        when: Formula,
        variables: tuple[Typed, ...],
        holds: bool = True,
    ) -> None:
        """Let the monitor set the memory if a condition holds."""
        effect: syntax.EffectFormula = syntax.When(when, syntax.Changed(memory, holds))
        self._memory.append(syntax.Each(variables, effect) if variables else effect)

    def _all_variants(
        self,
        action: syntax.Action,
    ) -> Iterator[syntax.Action]:
        """Yield an action for each set of preferences that it violates; the first violates none."""
        weighed = list[tuple[syntax.Demand, Fraction]]()
        for demand in action.preferences:
            weight = self._weights.get(demand.key)
            if weight:
                weighed.append((demand, weight))
        bare = replace(action, preferences=())
        if not weighed:
            yield bare
            return
        _refuse_unsupported(weighed)
        tests = [self._named(d.parts[0].parts[0], action.parameters) for d, _ in weighed]
        for number, kept in enumerate(product((True, False), repeat=len(weighed))):
            conditions = list[Formula]()
            price = Fraction(0)
            for (_, weight), test, is_kept in zip(weighed, tests, kept, strict=True):
                conditions.append(test if is_kept else _negate(test))
                price += 0 if is_kept else weight
            word = action.name
            if number:
                word = self._word(f"{action.name.key}-{number}")
                self.variants[word.key] = (action.name.key, price)
            yield _with_condition(replace(bare, name=word), *conditions)

    def _named(
        self,
        formula: Formula,
        variables: tuple[Typed, ...],
    ) -> Formula:
        """Return a literal for a condition: itself, or an atom of a new derived predicate."""
        match formula:
            case Atom() | syntax.Connected("not", (Atom(),)):
                return formula
        free = _free_variables(formula)
        own = tuple(typed for key, typed in scope_of(variables).items() if key in free)
        atom = self._new(own)
        self._rules.append(
            syntax.Derivation(
                atom.name,
                own,
                formula,
            )
        )
        return atom

    def _new(self, variables: tuple[Typed, ...]) -> Atom:
        """Return an atom of a new predicate; inner variables hide outer ones of the same name."""
        word = self._word_of(f"{AUXILIARY}@{NUMBER + len(self._predicates)}")
        predicate = syntax.Signature(word, tuple(scope_of(variables).values()))
        self._predicates.append(predicate)
        return predicate.atom

    def _word(self, name: str) -> Word:
        """Return the name of a new action, with a character that names in files cannot have."""
        return self._word_of(f"{name}@{len(self._closing) + len(self.variants)}")

    def _word_of(self, name: str) -> Word:
        return replace(
            self._task.problem.name,
            key=name,
            text=name,
        )


def _refuse_unsupported(weighed: Sequence[tuple[syntax.Demand, Fraction]]) -> None:
    """Raise `InputError` for preferences of an action that cannot be compiled."""
    for demand, weight in weighed:
        if demand.variables or weight < 0:
            raise refusal(demand.at, _DEEP if demand.variables else _NEGATIVE)
    if len(weighed) > MOST:
        raise refusal(weighed[MOST][0].at, _MANY)


def _with_condition(
    action: syntax.Action,
    *conditions: Formula,
) -> syntax.Action:
    """Return an action with further conditions in its precondition."""
    return replace(action, precondition=conjunction(action.precondition, *conditions))


def _free_variables(formula: Formula) -> set[str]:
    """Return the words of a formula that no quantifier in it binds."""
    free = set[str]()
    for part, scope in syntax.inside(formula):
        words: tuple[Word, ...] = ()
        match part:
            case Atom(_, arguments):
                words = arguments
            case syntax.Equal(left, right):
                words = (left, right)
        free |= {word.key for word in words if word.key not in scope}
    return free


def _negate(formula: Formula) -> Formula:
    match formula:
        case syntax.Connected("not", (body,)):
            return body
    return syntax.Connected("not", (formula,))


def _for_all(
    variables: tuple[Typed, ...],
    formula: Formula,
) -> Formula:
    if not variables or formula == ALWAYS:
        return formula
    return syntax.Quantified("forall", variables, formula)
