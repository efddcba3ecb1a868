"""Removes the numbers from a task, so that a grounder for classical tasks can ground it.

Comparisons that are conjuncts of an action's precondition are left out, and so are changes of
numbers in its unconditional effects: the arguments of the ground action determine them. A
comparison elsewhere is replaced by an atom of a new predicate, called a test. A conditional change
is replaced by an atom of another new predicate, called a mark. After grounding, these atoms show
to which ground conditions and effects the comparisons and changes belong. No action of the task
adds a test, and none reads a mark. So helper actions are added, which can always add them;
otherwise grounding would take tests for unreachable, or infer invariants that do not hold.

Expressions become linear ones over ground numbers, with exact coefficients:

>>> from asplan.pddl.language.lexer import PddlSource, read_group
>>> from asplan.pddl.language.formulas import expression_of
>>> source = PddlSource("p.pddl", "(- (* 2 (fuel ?x)) (/ (size) 4))")
>>> result = evaluate(expression_of(read_group(source)), {"?x": "a"}, {("size",): Fraction(20)})
>>> result.terms, result.constant
({('fuel', 'a'): Fraction(2, 1)}, Fraction(-5, 1))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import reduce
from itertools import chain
from math import prod

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError
from asplan.pddl.language import syntax
from asplan.pddl.language.interpretation import COMPARISONS
from asplan.pddl.language.lexer import quoted, wrong
from asplan.pddl.language.plain import FreshNames, conjunction, rewritten
from asplan.pddl.language.syntax import ALWAYS, Atom, Compare, Formula, GroundAtom, TaskText, Typed

ZERO = Fraction(0)


class UndefinedError(ValueError):
    """The error for an expression that divides by zero, or reads a function without a value.

    The argument of the error is the function, as text; for a division by zero there is none.
    """


@dataclass(frozen=True)
class Linear:
    """A linear sum: a constant, and numbers times their coefficients, which are not 0.

    A number is a ground function whose value may change.
    """

    terms: Mapping[GroundAtom, Fraction] = field(default_factory=dict)
    constant: Fraction = ZERO

    def __add__(self, other: Linear) -> Linear:
        terms = dict(self.terms)
        for number, factor in other.terms.items():
            terms[number] = terms.get(number, ZERO) + factor
        nonzero = {number: factor for number, factor in terms.items() if factor}
        return Linear(nonzero, self.constant + other.constant)

    def __sub__(self, other: Linear) -> Linear:
        return self + other * Fraction(-1)

    def __mul__(self, factor: Fraction) -> Linear:
        if not factor:
            return Linear()
        terms = {number: coefficient * factor for number, coefficient in self.terms.items()}
        return Linear(terms, self.constant * factor)


def evaluate(
    expression: syntax.Expression,
    binding: Mapping[str, str],
    constants: Mapping[GroundAtom, Fraction],
) -> Linear:
    """Return an expression as a linear sum, with the values of constant functions.

    Raise `InputError` if it is not linear, and `UndefinedError` if it divides by zero.

    Parameters
    ----------
    expression
        The expression.
    binding
        The objects of its variables.
    constants
        The values of functions that never change.
    """
    match expression:
        case Fraction():
            return Linear(constant=expression)
        case Atom():
            number = expression.ground(binding)
            if number in constants:
                return Linear(constant=constants[number])
            return Linear({number: Fraction(1)})
    operands = [evaluate(part, binding, constants) for part in expression.parts]
    match expression.word:
        case "+":
            return reduce(Linear.__add__, operands)
        case "-":
            return _difference(operands)
        case "*":
            return _product(expression, operands)
    return _quotient(expression, operands)


def _difference(operands: Sequence[Linear]) -> Linear:
    """Return the difference of two operands, or the negation of a single one."""
    if len(operands) == 1:
        return operands[0] * Fraction(-1)
    return operands[0] - operands[1]


def _product(
    expression: syntax.Operation,
    operands: Sequence[Linear],
) -> Linear:
    """Return the product of operands; raise `InputError` if it is not linear."""
    product, *others = operands
    for operand in others:
        if product.terms and operand.terms:
            raise _not_linear(expression)
        product = operand * product.constant if operand.terms else product * operand.constant
    return product


def _quotient(
    expression: syntax.Operation,
    operands: Sequence[Linear],
) -> Linear:
    """Return the quotient of two operands; raise `InputError` if it is not linear."""
    dividend, divisor = operands
    if divisor.terms:
        raise _not_linear(expression)
    if not divisor.constant:
        raise UndefinedError
    return dividend * (1 / divisor.constant)


def _not_linear(expression: syntax.Operation) -> InputError:
    """Return the error of a product or quotient that is not linear."""
    what = "is not linear: it multiplies or divides by a number that changes"
    hint = "one factor, and every divisor, must be constant; ENHSP has no such limit"
    return wrong(expression.at, f"{quoted(expression.at)} {what}", hint)


QuantifiedTest = tuple[tuple[Typed, ...], Compare]
"""A comparison that must hold for all objects of the variables before it."""

QuantifiedChange = tuple[tuple[Typed, ...], syntax.Assign]
"""A change of a number that happens for all objects of the variables before it."""

_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_NEVER = syntax.Connected("or", ())

MAX_ATOMS = 100_000
"""A comparison of constants becomes a static predicate with at most this many possible atoms."""


@dataclass(frozen=True)
class ActionNumbers:
    """The numeric parts (comparisons and changes) that were removed from an action.

    The comparisons and changes may contain the `parameters` of the action.
    """

    parameters: tuple[Typed, ...]
    tests: tuple[QuantifiedTest, ...]
    changes: tuple[QuantifiedChange, ...]


class Stripped:
    """A task without durations and numbers, and the removed parts, which grounding puts back.

    A predicate `test` replaces a comparison inside a complex condition, and a predicate `mark`
    replaces a conditional change of a number. A further predicate `did` has one atom, which every
    action adds and the goal contains. So grounding drops no action for lack of an effect, and the
    goal is never empty.

    Attributes
    ----------
    text
        The task without numbers. Actions and predicates keep their names and come before new ones.
    tests, marks
        The comparison or change of each new predicate, by its key. The arguments of the predicate
        are the variables of the comparison or change.
    actions
        The parts that were removed from each action, by the action's key.
    goal
        The comparisons that were removed from the goal.
    new_predicates
        The keys of all new predicates.
    """

    def __init__(self, task: TaskText) -> None:
        """Remove the numbers; raise `InputError` if a comparison of constants is not linear."""
        domain = task.domain
        problem = task.problem
        self._task = task
        self._names = FreshNames(domain.name, domain.predicates, domain.actions)
        self._predicates = list[syntax.Signature]()
        self._helpers = list[syntax.PddlAction]()
        self._initial = list[Atom]()
        self.tests = dict[str, QuantifiedTest]()
        self.marks = dict[str, QuantifiedChange]()
        self.actions = dict[str, ActionNumbers]()
        did = self._new("did", ())
        actions = [self._action(action, did) for action in domain.actions]
        rules = [
            replace(rule, body=self._formula(rule.body, syntax.scope_of(rule.parameters)))
            for rule in domain.rules
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
        self.new_predicates = frozenset(signature.name.key for signature in self._predicates)

    def _action(
        self,
        action: syntax.PddlAction,
        did: Atom,
    ) -> syntax.PddlAction:
        """Return an action without numbers that also adds the atom `did`.

        The removed parts are stored in `actions`.
        """
        scope = syntax.scope_of(action.parameters)
        changes = list[QuantifiedChange]()
        condition, tests = self._conjuncts(action.precondition, (), scope)
        effect = self._effect(action.effect, (), scope, changes)
        effect = syntax.Together((effect, syntax.Changed(did, True)))
        self.actions[action.name.key] = ActionNumbers(action.parameters, tests, tuple(changes))
        return replace(action, precondition=condition, effect=effect)

    # Conditions.

    def _conjuncts(
        self,
        formula: Formula,
        variables: tuple[Typed, ...],
        scope: syntax.Scope,
    ) -> tuple[Formula, tuple[QuantifiedTest, ...]]:
        """Split a condition: return the condition without its comparisons, and the comparisons.

        Only comparisons that are conjuncts, perhaps under `forall`, are removed; others become
        atoms. `variables` has the variables of every `forall` around the condition, and `scope` has
        all variables that may occur in it.
        """
        match formula:
            case syntax.Connected("and", parts):
                stripped = [self._conjuncts(part, variables, scope) for part in parts]
                rest = conjunction(*(rest for rest, _ in stripped))
                return rest, tuple(chain.from_iterable(tests for _, tests in stripped))
            case syntax.Quantified("forall", own, body):
                inner = syntax.scope_of(own, scope)
                rest, tests = self._conjuncts(body, (*variables, *own), inner)
                return rest if rest == ALWAYS else syntax.Quantified("forall", own, rest), tests
            case syntax.Connected("not", (Compare(word) as test,)) if word in _NEGATED:
                return self._conjuncts(replace(test, word=_NEGATED[word]), variables, scope)
            case Compare():
                condition = self._static_condition(formula, scope)
                if condition is None:
                    return ALWAYS, ((variables, formula),)
                return condition, ()
        return self._formula(formula, scope), ()

    def _formula(
        self,
        formula: Formula,
        scope: syntax.Scope,
    ) -> Formula:
        """Return a condition with atoms instead of comparisons; `scope` has its variables."""
        match formula:
            case syntax.Connected(word, parts):
                return syntax.Connected(word, tuple(self._formula(part, scope) for part in parts))
            case syntax.Quantified(word, own, body):
                inner = self._formula(body, syntax.scope_of(own, scope))
                return syntax.Quantified(word, own, inner)
            case Compare():
                return self._comparison(formula, scope)
        return formula

    def _comparison(
        self,
        test: Compare,
        scope: syntax.Scope,
    ) -> Formula:
        """Return the condition that replaces a comparison; `=` is replaced as two inequalities."""
        condition = self._static_condition(test, scope)
        if condition is not None:
            return condition
        if test.word == "=":
            inequalities = [replace(test, word=word) for word in ("<=", ">=")]
            return conjunction(*(self._formula(each, scope) for each in inequalities))
        variables = _variables_in(test, scope)
        atom = self._new("test", variables, is_free=True)
        self.tests[atom.name.key] = variables, test
        return atom

    def _static_condition(
        self,
        test: Compare,
        scope: syntax.Scope,
    ) -> Formula | None:
        """Return a condition without numbers that is equivalent to a comparison of constants.

        The condition is an atom of a new static predicate, or a truth value if the comparison has
        no variables. With it, the grounder finds impossible instances early. Return None if a
        function of the comparison may change, or if there are too many atoms.
        """
        functions = syntax.functions(test.left, test.right)
        if any(function.name.key in self._task.assigned for function in functions):
            return None
        variables = _variables_in(test, scope)
        objects = [self._task.objects_of(typed.type_keys) for typed in variables]
        if prod(map(len, objects)) > MAX_ATOMS:
            return None
        values = self._task.values
        bindings = self._task.bindings(variables, {})
        rows = [tuple(binding.values()) for binding in bindings if is_true(test, binding, values)]
        if not variables:
            return ALWAYS if rows else _NEVER
        atom = self._new("test", variables)
        for row in rows:
            arguments = tuple(self._task.objects[key][0].name for key in row)
            self._initial.append(Atom(atom.name, arguments))
        return atom

    # Effects.

    def _effect(
        self,
        effect: syntax.EffectFormula,
        variables: tuple[Typed, ...],
        scope: syntax.Scope,
        changes: list[QuantifiedChange] | None,
    ) -> syntax.EffectFormula:
        """Return an effect without changes of numbers.

        An unconditional change is removed and added to `changes`. A conditional change is replaced
        by a mark.

        Parameters
        ----------
        effect
            The effect.
        variables
            The variables of each `forall` around the effect.
        scope
            All variables that are bound in the effect.
        changes
            The list of removed changes; None inside a condition.
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

    def _new(
        self,
        name: str,
        variables: tuple[Typed, ...],
        is_free: bool = False,
    ) -> Atom:
        """Return an atom of a new predicate whose arguments are the variables.

        Parameters
        ----------
        name
            The beginning of the predicate's name.
        variables
            The variables.
        is_free
            Whether to make a helper action, which can always add the atoms of the predicate. A
            predicate without variables has such an action in any case.
        """
        predicate = syntax.Signature(self._names.new(name, is_numbered=True), variables)
        self._predicates.append(predicate)
        if is_free or not variables:
            effect = syntax.Changed(predicate.atom, True)
            self._helpers.append(syntax.PddlAction(predicate.name, variables, ALWAYS, effect))
        return predicate.atom


def is_true(
    test: Compare,
    binding: Mapping[str, str],
    constants: Mapping[GroundAtom, Fraction],
) -> bool:
    """Return whether a comparison of constants holds; False if a side of it has no value.

    `binding` has the objects of its variables, and `constants` the values of functions.
    """
    try:
        left = evaluate(test.left, binding, constants)
        right = evaluate(test.right, binding, constants)
    except UndefinedError:
        return False
    difference = left - right
    if difference.terms:  # a function without a value
        return False
    return COMPARISONS[test.word](difference.constant, ZERO)


def _variables_in(
    test: Compare,
    scope: syntax.Scope,
) -> tuple[Typed, ...]:
    """Return the variables of a comparison, with their types from the scope."""
    atoms = syntax.functions(test.left, test.right)
    arguments = chain.from_iterable(atom.arguments for atom in atoms)
    keys = dict.fromkeys(word.key for word in arguments)
    return tuple(scope[key] for key in keys if key in scope)
