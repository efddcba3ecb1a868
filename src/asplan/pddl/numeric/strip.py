"""A task without its numbers, for a grounder that knows none, and what was taken from it.

A comparison that is a plain part of an action's precondition, and a change of a number that is a
plain part of its effect, are left out: both follow from the arguments of the action once it is
ground. Comparisons inside of other conditions, and changes under conditions, leave an atom of a new
predicate in their place, which grounding then carries to wherever it belongs. No action of the
task adds such a test, and none reads such a mark; so further actions add them freely, lest
grounding find them out of reach, or see an invariant in what has none.

Expressions become linear ones over ground numbers, with exact coefficients:

>>> from asplan.pddl.language.lexer import PddlSource, read_group
>>> from asplan.pddl.language.formulas import expression_of
>>> source = PddlSource("p.pddl", "(- (* 2 (fuel ?x)) (/ (size) 4))")
>>> found = evaluate(expression_of(read_group(source)), {"?x": "a"}, {("size",): Fraction(20)})
>>> found.terms, found.constant
({('fuel', 'a'): Fraction(2, 1)}, Fraction(-5, 1))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from math import prod

from asplan.core.errors import InputError
from asplan.pddl.language import syntax
from asplan.pddl.language.interpretation import COMPARISONS
from asplan.pddl.language.lexer import quoted, wrong
from asplan.pddl.language.plain import FreshNames, conjunction, rewritten
from asplan.pddl.language.syntax import ALWAYS, Atom, Compare, Formula, GroundAtom, TaskText, Typed

ZERO = Fraction(0)


class UndefinedError(ValueError):
    """An expression has no value: a division by zero, or a function that has none.

    The function is its argument, as text.
    """


@dataclass(frozen=True)
class Linear:
    """The sum of a constant and of numbers with their coefficients, none of which is 0."""

    terms: Mapping[GroundAtom, Fraction] = field(default_factory=dict)
    constant: Fraction = ZERO

    def __add__(self, other: Linear) -> Linear:
        terms = dict(self.terms)
        for number, factor in other.terms.items():
            terms[number] = terms.get(number, ZERO) + factor
        left = {number: factor for number, factor in terms.items() if factor}
        return Linear(left, self.constant + other.constant)

    def __sub__(self, other: Linear) -> Linear:
        return self + other * Fraction(-1)

    def __mul__(self, factor: Fraction) -> Linear:
        if not factor:
            return Linear()
        terms = {number: known * factor for number, known in self.terms.items()}
        return Linear(terms, self.constant * factor)


def evaluate(
    expression: syntax.Expression,
    bound: Mapping[str, str],
    constants: Mapping[GroundAtom, Fraction],
) -> Linear:
    """An expression, in which functions that are constants are replaced by their values.

    Raises `InputError` where it is not linear, and `UndefinedError` where it divides by zero.
    """
    match expression:
        case Fraction():
            return Linear(constant=expression)
        case Atom():
            number = expression.ground(bound)
            if number in constants:
                return Linear(constant=constants[number])
            return Linear({number: Fraction(1)})
    parts = [evaluate(part, bound, constants) for part in expression.parts]
    match expression.word:
        case "+":
            return reduce(Linear.__add__, parts)
        case "-":
            return parts[0] - parts[1] if len(parts) > 1 else parts[0] * Fraction(-1)
        case "*":
            found, *others = parts
            for part in others:
                if found.terms and part.terms:
                    raise _not_linear(expression)
                found = part * found.constant if part.terms else found * part.constant
            return found
    left, right = parts
    if right.terms:
        raise _not_linear(expression)
    if not right.constant:
        raise UndefinedError
    return left * (1 / right.constant)


def _not_linear(expression: syntax.Operation) -> InputError:
    what = "is not linear: it multiplies or divides by a number that changes"
    hint = "one factor, and what divides, must be constant; ENHSP plans without that"
    return wrong(expression.at, f"{quoted(expression.at)} {what}", hint)


Bound = tuple[tuple[Typed, ...], Compare]
"""A comparison that must hold for all objects that the variables may be."""

Change = tuple[tuple[Typed, ...], syntax.Assign]
"""A change that happens for all objects that the variables may be."""

_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_NEVER = syntax.Connected("or", ())

MOST = 100_000
"""Atoms at most that say where a comparison of constants holds; where there are more, it is
ground without it."""


@dataclass(frozen=True)
class Taken:
    """What was taken from an action with these parameters."""

    parameters: tuple[Typed, ...]
    tests: tuple[Bound, ...]
    changes: tuple[Change, ...]


class Stripped:
    """A task whose actions have no durations without its numbers, and what is to be put back.

    `text` is the task without numbers; its actions and predicates have their old names, and come
    first. By the key of a new predicate `tests` and `marks` have the comparison, or the change, for
    which it stands, and the variables that its arguments are. One of the new predicates has an atom
    that every action adds, and the goal asks for, so that no action seems to be without effect, and
    the goal never without a condition.

    Raises `InputError` where a comparison of constants is not linear.
    """

    def __init__(self, task: TaskText) -> None:
        domain, problem = task.domain, task.problem
        self._task, self._names = task, FreshNames(domain.name, domain.predicates, domain.actions)
        self._predicates, self._helpers = list[syntax.Signature](), list[syntax.Action]()
        self._initial = list[Atom]()
        self.tests, self.marks = dict[str, Bound](), dict[str, Change]()
        self.actions = dict[str, Taken]()
        did, actions = self._new("did", ()), list[syntax.Action]()
        for action in domain.actions:
            scope, changes = syntax.scope_of(action.parameters), list[Change]()
            rest, tests = self._conjuncts(action.precondition, (), scope)
            effect = self._effect(action.effect, (), scope, changes)
            effect = syntax.Together((effect, syntax.Changed(did, True)))
            actions.append(replace(action, precondition=rest, effect=effect))
            self.actions[action.name.key] = Taken(action.parameters, tests, tuple(changes))
        rules = [
            replace(r, body=self._formula(r.body, syntax.scope_of(r.parameters)))
            for r in domain.rules
        ]
        rest, self.goal = self._conjuncts(problem.goal, (), {})
        self.text = rewritten(
            task,
            {
                "predicates": (*domain.predicates, *self._predicates),
                "actions": (*actions, *self._helpers),
                "rules": tuple(rules),
            },
            {
                "initial": (*problem.initial, *self._initial),
                "values": (),
                "metric": None,
                "goal": conjunction(rest, did),
            },
        )
        self.made = frozenset(signature.name.key for signature in self._predicates)

    # Conditions.

    def _conjuncts(
        self, formula: Formula, variables: tuple[Typed, ...], scope: syntax.Scope
    ) -> tuple[Formula, tuple[Bound, ...]]:
        """What is left of a condition, and the comparisons that are plain parts of it."""
        match formula:
            case syntax.Connected("and", parts):
                found = [self._conjuncts(part, variables, scope) for part in parts]
                tests = tuple(test for _, several in found for test in several)
                return conjunction(*(rest for rest, _ in found)), tests
            case syntax.Quantified("forall", own, body):
                rest, tests = self._conjuncts(body, (*variables, *own), syntax.scope_of(own, scope))
                return rest if rest == ALWAYS else syntax.Quantified("forall", own, rest), tests
            case syntax.Connected("not", (Compare(word) as test,)) if word in _NEGATED:
                return self._conjuncts(replace(test, word=_NEGATED[word]), variables, scope)
            case Compare():
                atom = self._constant(formula, scope)
                return (ALWAYS, ((variables, formula),)) if atom is None else (atom, ())
        return self._formula(formula, scope), ()

    def _formula(self, formula: Formula, scope: syntax.Scope) -> Formula:
        """A condition with atoms in place of comparisons."""
        match formula:
            case syntax.Connected(word, parts):
                return syntax.Connected(word, tuple(self._formula(part, scope) for part in parts))
            case syntax.Quantified(word, own, body):
                return syntax.Quantified(
                    word, own, self._formula(body, syntax.scope_of(own, scope))
                )
            case Compare(word, left, right, at):
                if (constant := self._constant(formula, scope)) is not None:
                    return constant
                if word == "=":
                    sides = (Compare(side, left, right, at) for side in ("<=", ">="))
                    return conjunction(*(self._formula(side, scope) for side in sides))
                variables = _variables_in(formula, scope)
                atom = self._new("test", variables, is_free=True)
                self.tests[atom.name.key] = variables, formula
                return atom
        return formula

    def _constant(self, test: Compare, scope: syntax.Scope) -> Formula | None:
        """An atom for a comparison in which nothing changes; None for others.

        It holds from the start on, or never, so that the grounder makes use of it.
        """
        read = syntax.functions(test.left, test.right)
        if any(function.name.key in self._task.assigned for function in read):
            return None
        variables = _variables_in(test, scope)
        objects = [self._task.objects_of(typed.type_keys) for typed in variables]
        if prod(map(len, objects)) > MOST:
            return None
        bindings = self._task.bindings(variables, {})
        rows = [tuple(b.values()) for b in bindings if is_true(test, b, self._task.values)]
        if not variables:
            return ALWAYS if rows else _NEVER
        atom = self._new("test", variables)
        words = {key: self._task.objects[key][0].name for row in rows for key in row}
        self._initial += (Atom(atom.name, tuple(words[key] for key in row)) for row in rows)
        return atom

    # Effects.

    def _effect(
        self,
        effect: syntax.EffectFormula,
        variables: tuple[Typed, ...],
        scope: syntax.Scope,
        changes: list[Change] | None,
    ) -> syntax.EffectFormula:
        """What is left of an effect; `variables` are those of `forall` around it.

        Changes that have no condition are added to `changes`; None is where there is one.
        """
        match effect:
            case syntax.Together(parts):
                return syntax.Together(
                    tuple(self._effect(p, variables, scope, changes) for p in parts)
                )
            case syntax.Each(own, body):
                inner = syntax.scope_of((*variables, *own))
                rest = self._effect(body, tuple(inner.values()), {**scope, **inner}, changes)
                return syntax.Each(own, rest)
            case syntax.When(condition, body):
                rest = self._effect(body, variables, scope, None)
                return syntax.When(self._formula(condition, scope), rest)
            case syntax.Assign() if changes is not None:
                changes.append((variables, effect))
                return syntax.Together(())
            case syntax.Assign():
                atom = self._new("mark", variables, is_free=True)
                self.marks[atom.name.key] = variables, effect
                return syntax.Changed(atom, True)
        return effect

    def _new(self, name: str, variables: tuple[Typed, ...], is_free: bool = False) -> Atom:
        """An atom of a new predicate, which further actions add where it `is_free`."""
        predicate = syntax.Signature(self._names.new(name, is_numbered=True), variables)
        self._predicates.append(predicate)
        if is_free or not variables:
            effect = syntax.Changed(predicate.atom, True)
            self._helpers.append(syntax.Action(predicate.name, variables, ALWAYS, effect))
        return predicate.atom


def is_true(
    test: Compare, bound: Mapping[str, str], constants: Mapping[syntax.GroundAtom, Fraction]
) -> bool:
    """Whether a comparison holds in which all functions are constants; one without value fails."""
    try:
        difference = evaluate(test.left, bound, constants) - evaluate(test.right, bound, constants)
    except UndefinedError:
        return False
    if difference.terms:  # a function that has no value
        return False
    return COMPARISONS[test.word](difference.constant, ZERO)


def _variables_in(test: Compare, scope: syntax.Scope) -> tuple[Typed, ...]:
    """The variables of a comparison, with their types."""
    atoms = syntax.functions(test.left, test.right)
    used = dict.fromkeys(word.key for atom in atoms for word in atom.arguments)
    return tuple(scope[key] for key in used if key in scope)
