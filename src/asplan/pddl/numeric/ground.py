"""Ground tasks with numbers: a finite-domain task with the numbers put back.

A number is a ground numeric function, such as `(fuel truck)`, whose value may change. Values here
are exact fractions; `asplan.pddl.numeric.scale` converts them to whole numbers for a solver. The
classical translation does not know numbers. So `strip` replaces some comparisons by new predicates,
called tests, and conditional changes by others, called marks; here they become comparisons and
changes again. A numeric condition is a ground comparison.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from fractions import Fraction
from functools import reduce
from itertools import chain
from typing import NamedTuple

from asplan.clingo import parse_term
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError
from asplan.pddl.grounding import translate
from asplan.pddl.grounding.lifted import AUXILIARY
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import Group, quoted, wrong
from asplan.pddl.language.names import names_of
from asplan.pddl.language.syntax import Compare, GroundAtom, TaskText, bind, functions
from asplan.pddl.numeric.strip import (
    ZERO,
    Linear,
    QuantifiedTest,
    Stripped,
    UndefinedError,
    evaluate,
)
from asplan.pddl.task.task import (
    NONE,
    Effect,
    Fact,
    Operator,
    Task,
    Variable,
    task_without_plan,
)


@dataclass(frozen=True)
class Test:
    """The numeric condition that a sum is at least 0, or greater than 0 if `strict` is set.

    `at` is its place in the PDDL text, for messages.
    """

    total: Linear
    strict: bool
    at: Group = field(compare=False, repr=False)

    @property
    def negation(self) -> Test:
        """The numeric condition that holds if and only if this one does not hold."""
        return Test(self.total * Fraction(-1), not self.strict, self.at)

    def holds(self, value: Fraction) -> bool:
        """Return whether the condition holds if its sum has the value `value`."""
        return value > 0 or (value == 0 and not self.strict)


Causes = tuple[tuple[Fact, ...], ...]
"""The condition of a change: a disjunction of conjunctions of facts."""


@dataclass(frozen=True)
class Changing:
    """A change of a number by an operator.

    Attributes
    ----------
    number
        The number that changes.
    amount
        The amount, which is evaluated in the state before the operator.
    adds
        True if the amount is added to the number, False if it is assigned.
    causes
        The condition of the change: all facts of one of these tuples hold.
    at
        The place of the change in the PDDL text, for messages.
    """

    number: GroundAtom
    amount: Linear
    adds: bool
    causes: Causes
    at: Group = field(compare=False, repr=False)

    @property
    def is_plain(self) -> bool:
        """True if the change has no condition."""
        return () in self.causes


@dataclass(frozen=True)
class GroundNumbers:
    """The numeric part of an operator: its preconditions on numbers, and its changes of numbers."""

    tests: tuple[Test, ...] = ()
    changes: tuple[Changing, ...] = ()


@dataclass(frozen=True)
class GroundNumericTask:
    """A finite-domain task with numbers, whose values are exact fractions.

    Attributes
    ----------
    task
        The finite-domain task.
    initial
        The initial values of the numbers that may change.
    counted
        The numeric parts of the operators, in the order of the operators.
    goal
        The numeric conditions in the goal.
    tests
        The facts that are derived from numeric conditions, each with its condition. Their variables
        form the lowest layer of derived variables.
    metric
        `minimize` or `maximize`, and the sum; None if the task has no metric, or one that is not
        linear.
    """

    task: Task
    initial: Mapping[GroundAtom, Fraction]
    counted: tuple[GroundNumbers, ...]
    goal: tuple[Test, ...]
    tests: Mapping[Fact, Test]
    metric: tuple[str, Linear] | None = None


def ground(text: TaskText) -> GroundNumericTask:
    """Ground a task without durations.

    Raise `InputError` if an expression is not linear, or reads a number in an unsupported context.
    Raise the errors of `asplan.pddl.grounding.translate`, too.
    """
    grounder = _Grounder(text)
    reason = grounder.task.hopeless
    return hopeless(reason) if reason else grounder.grounded()


_NO_VALUE = "the goal requires {}, which never has a value"


def hopeless(reason: str) -> GroundNumericTask:
    """Return a task without operators and without a plan; users see the `reason`."""
    return GroundNumericTask(task_without_plan(reason), {}, (), (), {})


class _GroundAction(NamedTuple):
    """An operator, and the name and the arguments of its action in the PDDL text."""

    operator: Operator
    name: str
    arguments: tuple[str, ...]


class _NumericEffect(NamedTuple):
    """A change of a number whose amount is not evaluated yet.

    Attributes
    ----------
    number
        The number that changes.
    effect
        The effect in the PDDL text.
    binding
        The objects of its variables.
    causes
        The condition of the change.
    """

    number: GroundAtom
    effect: syntax.Assign
    binding: dict[str, str]
    causes: Causes


class _Grounder:
    """The grounder of one task with numbers.

    It removes the numbers from the text, grounds the rest as a classical task, and puts the numbers
    back. New predicates stand for comparisons and for changes of numbers in the meantime.

    Attributes
    ----------
    stripped
        The task without numbers, and the removed parts.
    task
        The ground task of the stripped text.
    rows
        The facts of new predicates, each with the predicate and its arguments.
    new_variables, test_variables
        The state variables of these facts, and those of them that replace comparisons.
    values, constants
        The initial values of all numbers, and of numbers that never change.
    defined
        For each number without an initial value a fact that holds once the number has a value.
    """

    def __init__(self, text: TaskText) -> None:
        self.text = text
        self.stripped = Stripped(text)
        self.names = names_of(self.stripped.text)
        self.task = translate(self.stripped.text, self.names, all_variables=True)
        predicates = self.names.predicates
        self.new_terms = {predicates.terms[key] for key in self.stripped.new_predicates}
        self.rows = dict(self._new_facts())
        self.new_variables = {variable for variable, _ in self.rows}
        self.test_variables = {
            variable for (variable, _), row in self.rows.items() if row[0] in self.stripped.tests
        }
        self.values: Mapping[GroundAtom, Fraction] = {(syntax.TOTAL_COST,): ZERO, **text.values}
        self.constants = self.values
        self.defined: dict[GroundAtom, Fact] = {}

    def _new_facts(self) -> Iterator[tuple[Fact, tuple[str, ...]]]:
        """Yield the facts that replace comparisons and changes of numbers.

        Each item has the fact, and a tuple of its predicate and the predicate's arguments.
        """
        for fact in self.task.facts:
            atom = self.task.atom(fact)
            if _predicate_of(atom) in self.new_terms:
                symbol = parse_term(atom)
                objects = [self.names.objects.names[str(each)] for each in symbol.arguments]
                yield fact, (self.names.predicates.names[symbol.name], *objects)

    def grounded(self) -> GroundNumericTask:
        """Return the task with numbers.

        If the goal reads a number that never has a value, return a stub, which has no plan.
        """
        actions = list(self._actions())
        effects = [list(self._numeric_effects(action)) for action in actions]
        changing = dict.fromkeys(effect.number for effect in chain.from_iterable(effects))
        self._classify(changing)
        pairs = [*filter(None, map(self._counted, actions, effects))]
        operators = [operator for operator, _ in pairs]
        counted = [numeric for _, numeric in pairs]
        try:
            goal = self._goal_tests()
            self._check_values(goal, operators)
        except UndefinedError as error:
            return hopeless(_NO_VALUE.format(*error.args or ("a number",)))
        facts = [fact for fact in self.task.goal if fact[0] not in self.new_variables]
        facts += self._defined_in(*(test.total.terms for test in goal))
        grounded = GroundNumericTask(
            task=replace(self.task, goal=tuple(facts), operators=tuple(operators)),
            initial={number: self.values.get(number, ZERO) for number in changing},
            counted=tuple(counted),
            goal=tuple(goal),
            tests={},
            metric=self._metric(),
        )
        return self._without_new_variables(grounded)

    def _actions(self) -> Iterator[_GroundAction]:
        """Yield the operators of the task's own actions, without helper actions."""
        for operator in self.task.operators:
            name, arguments = self.names.action_in(operator.action)
            if name in self.stripped.actions:
                yield _GroundAction(operator, name, arguments)

    def _classify(self, changing: Collection[GroundAtom]) -> None:
        """Set `constants` and `defined`, given the numbers that operators change."""
        self.constants = {n: value for n, value in self.values.items() if n not in changing}
        first = len(self.task.variables)
        without_value = (number for number in changing if number not in self.values)
        self.defined = {number: (first + k, 0) for k, number in enumerate(without_value)}

    def _goal_tests(self) -> list[Test]:
        """Return the numeric conditions in the goal."""
        goal = list[Test]()
        for quantified in self.stripped.goal:
            goal += self._tests(quantified, {})
        for fact in self.task.goal:
            if fact[0] in self.test_variables:
                goal.append(self._test_of(fact))
        return goal

    def _check_values(
        self,
        goal: Iterable[Test],
        operators: Iterable[Operator],
    ) -> None:
        """Raise `UndefinedError` if the goal reads a number that never has a value.

        A number without an initial value gets a value if one of the `operators` assigns it.
        """
        effects = chain.from_iterable(operator.effects for operator in operators)
        reachable = {effect.fact for effect in effects}
        for number in chain.from_iterable(test.total.terms for test in goal):
            if number in self.defined and self.defined[number] not in reachable:
                raise UndefinedError(self.names.written_atom(*number))

    def _metric(self) -> tuple[str, Linear] | None:
        """Return `minimize` or `maximize`, and the metric as a linear sum.

        Return None if there is no metric, or it is not linear.
        """
        metric = self.text.problem.metric
        if metric is None:
            return None
        word, expression = metric
        with suppress(UndefinedError, InputError):
            return word, self._linear(expression, {})
        return None

    def _numeric_effects(
        self,
        action: _GroundAction,
    ) -> Iterator[_NumericEffect]:
        """Yield the changes of numbers by an operator, the unconditional ones first."""
        removed = self.stripped.actions[action.name]
        parameters = bind(removed.parameters, action.arguments)
        for variables, effect in removed.changes:
            for binding in self.text.bindings(variables, parameters):
                yield _NumericEffect(effect.target.ground(binding), effect, binding, ((),))
        for row, causes in self._marks(action.operator).items():
            variables, effect = self.stripped.marks[row[0]]
            binding = {**parameters, **bind(variables, row[1:])}
            yield _NumericEffect(effect.target.ground(binding), effect, binding, tuple(causes))

    def _marks(
        self,
        operator: Operator,
    ) -> dict[tuple[str, ...], list[tuple[Fact, ...]]]:
        """Return the marks that an operator adds, each with the conditions of its addition.

        A mark is a fact that represents a conditional change of a number. It is given by its
        predicate and arguments.
        """
        causes: dict[tuple[str, ...], list[tuple[Fact, ...]]] = {}
        for effect in operator.effects:
            row = self.rows.get(effect.fact)
            if row and row[0] in self.stripped.marks:
                causes.setdefault(row, []).append(effect.condition)
        return causes

    def _linear(
        self,
        expression: syntax.Expression,
        binding: Mapping[str, str],
    ) -> Linear:
        """Convert an expression to a linear sum of numbers that may change.

        Raise `UndefinedError` if it reads a number that never has a value. `binding` has the
        objects of its variables.
        """
        for number in (atom.ground(binding) for atom in functions(expression)):
            if number not in self.values and number not in self.defined:
                raise UndefinedError(self.names.written_atom(*number))
        return evaluate(expression, binding, self.constants)

    def _tests(
        self,
        quantified: QuantifiedTest,
        binding: Mapping[str, str],
    ) -> Iterator[Test]:
        """Yield the numeric conditions that a quantified comparison requires, for all its objects.

        `binding` has the objects of variables outside the quantifier.
        """
        variables, comparison = quantified
        for each in self.text.bindings(variables, binding):
            yield from self._ground_tests(comparison, each)

    def _ground_tests(
        self,
        test: Compare,
        binding: Mapping[str, str],
    ) -> Iterator[Test]:
        """Yield the numeric conditions that are equivalent to a comparison; an equation has two."""
        difference = self._linear(test.left, binding) - self._linear(test.right, binding)
        if test.word in (">", ">=", "="):
            yield Test(difference, test.word == ">", test.at)
        if test.word in ("<", "<=", "="):
            yield Test(difference * Fraction(-1), test.word == "<", test.at)

    def _test_of(self, fact: Fact) -> Test:
        """Return the numeric condition that a fact represents.

        The task without numbers has a variable for a comparison. Its two facts represent the
        comparison and its negation.
        """
        positive = next(other for other in self.rows if other[0] == fact[0])
        name, *row = self.rows[positive]
        variables, comparison = self.stripped.tests[name]
        (test,) = self._ground_tests(comparison, bind(variables, row))
        return test if fact == positive else test.negation

    def _counted(
        self,
        action: _GroundAction,
        effects: Iterable[_NumericEffect],
    ) -> tuple[Operator, GroundNumbers] | None:
        """Return an operator without new predicates, and its numeric part.

        Return None if it never applies.
        """
        try:
            tests = self._operator_tests(action)
            changes = _merged(self._changing(effect) for effect in effects)
        except UndefinedError:
            return None
        constant = [test for test in tests if not test.total.terms]
        if not all(test.holds(test.total.constant) for test in constant):
            return None
        tests = [test for test in tests if test.total.terms]
        operator = replace(
            action.operator,
            precondition=self._precondition(action.operator, tests, changes),
            effects=tuple(self._effects(action.operator, changes)),
        )
        return operator, GroundNumbers(tuple(tests), tuple(changes))

    def _operator_tests(self, action: _GroundAction) -> list[Test]:
        """Return the preconditions of an operator on numbers."""
        removed = self.stripped.actions[action.name]
        binding = bind(removed.parameters, action.arguments)
        tests = list[Test]()
        for quantified in removed.tests:
            tests += self._tests(quantified, binding)
        for fact in action.operator.precondition:
            if fact[0] in self.test_variables:
                tests.append(self._test_of(fact))
        return tests

    def _precondition(
        self,
        operator: Operator,
        tests: Iterable[Test],
        changes: Sequence[Changing],
    ) -> tuple[Fact, ...]:
        """Return the precondition of an operator, without facts of new predicates.

        The precondition also requires that each number that the operator reads has a value.
        """
        facts = {fact for fact in operator.precondition if fact[0] not in self.new_variables}
        facts |= self._defined_in(
            *(test.total.terms for test in tests),
            *(change.amount.terms for change in changes),
            (change.number for change in changes if change.adds),
        )
        return tuple(sorted(facts))

    def _effects(
        self,
        operator: Operator,
        changes: Iterable[Changing],
    ) -> Iterator[Effect]:
        """Yield the effects of an operator without facts of new predicates.

        If the operator assigns a number without an initial value, a further effect records that
        this number has a value.
        """
        for effect in operator.effects:
            if effect.fact[0] not in self.new_variables:
                yield effect
        for change in changes:
            if change.number in self.defined and not change.adds:
                fact = self.defined[change.number]
                yield from (Effect(fact, cause) for cause in change.causes)

    def _changing(self, numeric: _NumericEffect) -> Changing:
        """Return the change of a number by an operator, with its amount as a linear sum."""
        effect = numeric.effect
        word = effect.word
        amount = self._linear(effect.amount, numeric.binding)
        if word == "decrease":
            amount = amount * Fraction(-1)
        elif word in ("scale-up", "scale-down"):
            sign = "*" if word == "scale-up" else "/"
            result = syntax.Operation(sign, (effect.target, effect.amount), effect.at)
            amount = self._linear(result, numeric.binding)
        adds = word in ("increase", "decrease")
        return Changing(numeric.number, amount, adds, numeric.causes, effect.at)

    def _defined_in(self, *numbers: Iterable[GroundAtom]) -> set[Fact]:
        """Return facts that hold if these numbers have a value.

        Numbers with an initial value need no fact.
        """
        return {self.defined[number] for number in chain(*numbers) if number in self.defined}

    def _without_new_variables(self, grounded: GroundNumericTask) -> GroundNumericTask:
        """Return the task without the variables of new predicates.

        If conditions of effects or axioms read a comparison, the variable of the comparison stays
        as a derived variable.
        For each number without an initial value a new variable records whether it has a value.
        """
        task = grounded.task
        read = _variables_in_conditions(grounded) & self.test_variables
        new = self.new_variables
        kept = [v for v in range(len(task.variables)) if v not in new or v in read]
        variables = [_raised(task.variables[v], v in read, bool(read)) for v in kept]
        initial = [task.initial[v] for v in kept]
        for name, *row in self.defined:
            term = f"{AUXILIARY}(known,{self.names.function(name, row)})"
            variables.append(Variable((term, NONE)))
            initial.append(1)
        defined_variables = [variable for variable, _ in self.defined.values()]
        places = {v: place for place, v in enumerate([*kept, *defined_variables])}
        static = tuple(atom for atom in task.static if _predicate_of(atom) not in self.new_terms)
        task = replace(task, variables=tuple(variables), initial=tuple(initial), static=static)

        def moved(facts: Iterable[Fact]) -> tuple[Fact, ...]:
            # (A goal that is a disjunction is derived, also from the atom that every action adds.)
            return tuple((places[v], value) for v, value in facts if v in places)

        def with_moved_causes(one: GroundNumbers) -> GroundNumbers:
            changes = list[Changing]()
            for change in one.changes:
                causes = tuple(map(moved, change.causes))
                changes.append(replace(change, causes=causes))
            return replace(one, changes=tuple(changes))

        return replace(
            grounded,
            task=task.with_facts(moved),
            counted=tuple(map(with_moved_causes, grounded.counted)),
            tests=self._derived_tests(read, places),
        )

    def _derived_tests(
        self,
        read: Collection[int],
        places: Mapping[int, int],
    ) -> dict[Fact, Test]:
        """Return the facts of the new variables that stay, each with its numeric condition.

        `read` has these variables, by their old numbers; `places` maps old to new numbers.
        """
        tests = dict[Fact, Test]()
        for fact in self.rows:
            variable, value = fact
            if variable in read:
                tests[places[variable], value] = self._total_test(fact)
        return tests

    def _total_test(self, fact: Fact) -> Test:
        """Return the numeric condition that a fact represents.

        Raise `InputError` if the condition has no truth value in some state.
        """
        test = None
        with suppress(UndefinedError):
            test = self._test_of(fact)
        if test is None or self._defined_in(test.total.terms):
            at = self.stripped.tests[self.rows[fact][0]][1].at
            what = f"{quoted(at)} reads a number that has no value at the start"
            hint = (
                "give it one in (:init …): only plain conditions of actions may read such numbers"
            )
            raise wrong(at, what, hint)
        return test


def _predicate_of(atom: str) -> str:
    """Return the predicate of an atom that is given as a term."""
    return atom.partition("(")[0]


def _variables_in_conditions(grounded: GroundNumericTask) -> set[int]:
    """Return the variables in conditions of effects, of changes of numbers, and of axioms."""
    task = grounded.task
    changes = chain.from_iterable(counted.changes for counted in grounded.counted)
    causes = set(chain.from_iterable(change.causes for change in changes))
    effects = chain.from_iterable(operator.effects for operator in task.operators)
    causes.update(effect.condition for effect in effects)
    causes.update(axiom.condition for axiom in task.axioms)
    return {variable for variable, _ in chain.from_iterable(causes)}


def _raised(
    variable: Variable,
    is_test: bool,
    has_tests: bool,
) -> Variable:
    """Return a variable in a new layer: numeric conditions get layer 0, all others come after.

    `is_test` is true if the variable is derived from a numeric condition, and `has_tests` if there
    is any such variable.
    """
    if is_test:
        return replace(variable, layer=0)
    if has_tests and variable.is_derived:
        return replace(variable, layer=variable.layer + 1)
    return variable


def _merged(changes: Iterable[Changing]) -> list[Changing]:
    """Merge the changes of an operator: unconditional additions to a number become one addition.

    An operator may not assign a number and also change it otherwise. Raise `UndefinedError` if the
    operator does both in every state.
    """
    by_number: dict[GroundAtom, list[Changing]] = {}
    for change in changes:
        by_number.setdefault(change.number, []).append(change)
    merged = chain.from_iterable(map(_merged_changes, by_number.values()))
    return [change for change in merged if not _is_idle(change)]


def _is_idle(change: Changing) -> bool:
    """Return whether a change of a number adds 0, so that it can be dropped."""
    return change.adds and not change.amount.terms and not change.amount.constant


def _merged_changes(changes: Sequence[Changing]) -> list[Changing]:
    """Merge the changes of one number by one operator.

    Raise `UndefinedError` if the operator, in every state, assigns the number and also changes it
    otherwise.
    """
    plain = [change for change in changes if change.is_plain]
    if all(change.adds for change in changes):
        conditional = [change for change in changes if not change.is_plain]
        if not plain:
            return conditional
        amount = reduce(Linear.__add__, (change.amount for change in plain))
        return [replace(plain[0], amount=amount), *conditional]
    if len(plain) > 1:
        raise UndefinedError
    first = changes[0]
    if len(changes) == 1 and first.amount.terms.get(first.number) == 1:
        # A number that is set to itself and more is increased.
        amount = first.amount - Linear({first.number: Fraction(1)})
        return [replace(first, adds=True, amount=amount)]
    return list(changes)
