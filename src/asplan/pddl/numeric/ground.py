"""A task with numbers, ground: a finite-domain task with the numbers put back.

Everything here is exact. `asplan.pddl.numeric.scale` makes whole numbers of it for a solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from itertools import chain

from clingo import parse_term

from asplan.core.errors import InputError
from asplan.pddl.grounding import translate
from asplan.pddl.grounding.lifted import AUXILIARY
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import Group, quoted, wrong
from asplan.pddl.language.names import names_of
from asplan.pddl.language.syntax import Compare, GroundAtom, TaskText, bind, functions
from asplan.pddl.numeric.strip import ZERO, Bound, Linear, Stripped, UndefinedError, evaluate
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
    """A sum is at least 0, or, where the test is `strict`, more than that."""

    total: Linear
    strict: bool
    at: Group = field(compare=False, repr=False)

    @property
    def negation(self) -> Test:
        return Test(self.total * Fraction(-1), not self.strict, self.at)

    def holds(self, value: Fraction) -> bool:
        """Whether it holds where its sum has a value."""
        return value > 0 or (value == 0 and not self.strict)


Causes = tuple[tuple[Fact, ...], ...]  # all facts of one of them must hold


@dataclass(frozen=True)
class Changing:
    """A number is set to an amount, or, if it `adds`, increased by that.

    The amount is that of the state before. It happens if all facts of one of its `causes` hold.
    """

    number: GroundAtom
    amount: Linear
    adds: bool
    causes: Causes
    at: Group = field(compare=False, repr=False)

    @property
    def is_plain(self) -> bool:
        """Whether it happens whenever its action does."""
        return () in self.causes


@dataclass(frozen=True)
class Counted:
    """What an operator has to do with numbers: what must hold before, and what it changes."""

    tests: tuple[Test, ...] = ()
    changes: tuple[Changing, ...] = ()


@dataclass(frozen=True)
class Grounded:
    """A finite-domain task with numbers; what is `counted` belongs to its operators, in order."""

    task: Task
    initial: Mapping[GroundAtom, Fraction]  # the numbers that may change, as they are at the start
    counted: tuple[Counted, ...]
    goal: tuple[Test, ...]  # what must hold of numbers in the end
    # Derived variables, of the lowest layer, have the value of the fact if the test holds.
    tests: Mapping[Fact, Test]
    # `minimize` or `maximize`, and what is to be so; None also where that is not linear.
    metric: tuple[str, Linear] | None = None


def ground(text: TaskText) -> Grounded:
    """The ground task of one whose actions have no durations.

    Raises `InputError` where an expression is not linear, or speaks of a number in a way that is
    not supported, and as `translate` does.
    """
    grounder = _Grounder(text)
    why = grounder.task.hopeless
    return hopeless(why) if why else grounder.grounded()


_NO_VALUE = "the goal asks for {}, which never has a value"


def hopeless(why: str) -> Grounded:
    """A task without a plan, which nobody grounds."""
    return Grounded(task_without_plan(why), {}, (), (), {})


_Raw = tuple[GroundAtom, syntax.Assign, dict[str, str], Causes]
"""A change before its amount is known: a number, the effect, its variables, and its causes."""


class _Grounder:
    def __init__(self, text: TaskText) -> None:
        self.text, self.stripped = text, Stripped(text)
        self.names = names = names_of(self.stripped.text)
        self.task = task = translate(self.stripped.text, names, all_variables=True)
        # The atoms of made predicates, and the variables that have nothing else.
        terms = {names.predicates.terms[key] for key in self.stripped.made}
        made = [fact for fact in task.facts if task.atom(fact).partition("(")[0] in terms]
        self.rows = dict[Fact, tuple[str, ...]]()
        for fact in made:
            symbol = parse_term(task.atom(fact))
            objects = (names.objects.names[str(argument)] for argument in symbol.arguments)
            self.rows[fact] = names.predicates.names[symbol.name], *objects
        self.made = {v for v, _ in self.rows}
        self.tested = {f[0] for f, (name, *_) in self.rows.items() if name in self.stripped.tests}
        # Numbers with a value that never changes, with one that may, and of which nobody sets one.
        self.values: Mapping[GroundAtom, Fraction] = {(syntax.TOTAL_COST,): ZERO, **text.values}
        self.constants = self.values
        self.late: dict[GroundAtom, Fact] = {}

    def grounded(self) -> Grounded:
        problem = self.text.problem
        operators = [(o, *self.names.action_of(parse_term(o.action))) for o in self.task.operators]
        operators = [found for found in operators if found[1] in self.stripped.actions]
        raw = [list(self._raw(*found)) for found in operators]
        changing = dict.fromkeys(number for changes in raw for number, *_ in changes)
        self.constants = {n: v for n, v in self.values.items() if n not in changing}
        self.late = {
            number: (len(self.task.variables) + k, 0)
            for k, number in enumerate(n for n in changing if n not in self.values)
        }
        kept, counted = list[Operator](), list[Counted]()
        for (operator, name, row), changes in zip(operators, raw, strict=True):
            if (found := self._counted(operator, name, row, changes)) is not None:
                kept.append(found[0])
                counted.append(found[1])
        try:
            goal = [test for bound in self.stripped.goal for test in self._tests(bound, {})]
            goal += [self._test_of(fact) for fact in self.task.goal if fact[0] in self.tested]
        except UndefinedError as error:
            return hopeless(_NO_VALUE.format(*error.args or ("a number",)))
        given = {effect.fact for operator in kept for effect in operator.effects}
        asked = [number for test in goal for number in test.total.terms if number in self.late]
        if nowhere := [number for number in asked if self.late[number] not in given]:
            return hopeless(_NO_VALUE.format(self.names.written_atom(*nowhere[0])))
        facts = [fact for fact in self.task.goal if fact[0] not in self.made]
        facts += self._late_in(*(test.total.terms for test in goal))
        task = replace(self.task, goal=tuple(facts), operators=tuple(kept))
        initial = {number: self.values.get(number, ZERO) for number in changing}
        metric = None
        if problem.metric is not None:
            with suppress(UndefinedError, InputError):
                metric = problem.metric[0], self._linear(problem.metric[1], {})
        return self._without_made(Grounded(task, initial, tuple(counted), tuple(goal), {}, metric))

    def _raw(self, operator: Operator, name: str, arguments: tuple[str, ...]) -> Iterator[_Raw]:
        """All changes of an operator."""
        taken = self.stripped.actions[name]
        bound = bind(taken.parameters, arguments)
        for variables, effect in taken.changes:
            for binding in self.text.bindings(variables, bound):
                yield effect.target.ground(binding), effect, binding, ((),)
        causes: dict[tuple[str, ...], list[tuple[Fact, ...]]] = {}
        for change in operator.effects:
            if (row := self.rows.get(change.fact)) and row[0] in self.stripped.marks:
                causes.setdefault(row, []).append(change.condition)
        for mark, several in causes.items():
            variables, effect = self.stripped.marks[mark[0]]
            binding = {**bound, **bind(variables, mark[1:])}
            yield effect.target.ground(binding), effect, binding, tuple(several)

    def _linear(self, expression: syntax.Expression, bound: Mapping[str, str]) -> Linear:
        """An expression; raises `UndefinedError` where it reads a number that nobody sets."""
        for number in (atom.ground(bound) for atom in functions(expression)):
            if number not in self.values and number not in self.late:
                raise UndefinedError(self.names.written_atom(*number))
        return evaluate(expression, bound, self.constants)

    def _tests(self, bound: Bound, binding: Mapping[str, str]) -> Iterator[Test]:
        """A comparison as tests, for all that its variables may be."""
        variables, compared = bound
        for each in self.text.bindings(variables, binding):
            yield from self._compared(compared, each)

    def _compared(self, test: Compare, bound: Mapping[str, str]) -> Iterator[Test]:
        difference = self._linear(test.left, bound) - self._linear(test.right, bound)
        if test.word in (">", ">=", "="):
            yield Test(difference, test.word == ">", test.at)
        if test.word in ("<", "<=", "="):
            yield Test(difference * Fraction(-1), test.word == "<", test.at)

    def _test_of(self, fact: Fact) -> Test:
        """What a fact of a test's variable says."""
        own = next(other for other in self.rows if other[0] == fact[0])
        name, *row = self.rows[own]
        variables, compared = self.stripped.tests[name]
        (test,) = self._compared(compared, bind(variables, row))
        return test if fact == own else test.negation

    def _counted(
        self, operator: Operator, name: str, arguments: tuple[str, ...], raw: list[_Raw]
    ) -> tuple[Operator, Counted] | None:
        """An operator without what was made, and its numbers; None if it can never apply."""
        taken = self.stripped.actions[name]
        bound = bind(taken.parameters, arguments)
        try:
            tests = [test for each in taken.tests for test in self._tests(each, bound)]
            tests += [self._test_of(f) for f in operator.precondition if f[0] in self.tested]
            changes = _merged(self._changing(*change) for change in raw)
        except UndefinedError:
            return None
        if any(not test.total.terms and not test.holds(test.total.constant) for test in tests):
            return None
        tests = [test for test in tests if test.total.terms]
        condition = {f for f in operator.precondition if f[0] not in self.made}
        condition |= self._late_in(
            *(test.total.terms for test in tests),
            *(change.amount.terms for change in changes),
            (change.number for change in changes if change.adds),
        )
        effects = [effect for effect in operator.effects if effect.fact[0] not in self.made]
        for change in changes:
            if change.number in self.late and not change.adds:
                fact = self.late[change.number]
                effects += (Effect(fact, cause) for cause in change.causes)
        kept = replace(operator, precondition=tuple(sorted(condition)), effects=tuple(effects))
        return kept, Counted(tuple(tests), tuple(changes))

    def _changing(
        self, number: GroundAtom, effect: syntax.Assign, bound: Mapping[str, str], causes: Causes
    ) -> Changing:
        amount, word = self._linear(effect.amount, bound), effect.word
        if word == "decrease":
            amount = amount * Fraction(-1)
        elif word in ("scale-up", "scale-down"):
            sign, parts = "*" if word == "scale-up" else "/", (effect.target, effect.amount)
            amount = self._linear(syntax.Operation(sign, parts, effect.at), bound)
        return Changing(number, amount, word in ("increase", "decrease"), causes, effect.at)

    def _late_in(self, *read: Iterable[GroundAtom]) -> set[Fact]:
        """The facts that numbers have a value that something reads."""
        return {self.late[number] for number in chain(*read) if number in self.late}

    def _without_made(self, found: Grounded) -> Grounded:
        """The same without the variables that were made, but for tests that something reads.

        Further variables say which numbers have a value that have none at the start.
        """
        task = found.task
        causes = {
            c for counted in found.counted for change in counted.changes for c in change.causes
        }
        causes.update(e.condition for operator in task.operators for e in operator.effects)
        causes.update(axiom.condition for axiom in task.axioms)
        read = {v for cause in causes for v, _ in cause} & self.tested
        kept = [v for v in range(len(task.variables)) if v not in self.made or v in read]
        variables, initial = list[Variable](), [task.initial[v] for v in kept]
        for v in kept:
            variable = task.variables[v]
            above = variable.layer + bool(read) if variable.is_derived else variable.layer
            variables.append(replace(variable, layer=0 if v in read else above))
        for name, *row in self.late:
            term = f"{AUXILIARY}(known,{self.names.function(name, row)})"
            variables.append(Variable((term, NONE)))
            initial.append(1)
        places = {v: place for place, v in enumerate([*kept, *(v for v, _ in self.late.values())])}
        made = {self.names.predicates.terms[key] for key in self.stripped.made}
        static = tuple(atom for atom in task.static if atom.partition("(")[0] not in made)
        task = replace(task, variables=tuple(variables), initial=tuple(initial), static=static)

        def moved(facts: Iterable[Fact]) -> tuple[Fact, ...]:
            # (A goal that is a disjunction is derived, also from what every action adds.)
            return tuple((places[v], d) for v, d in facts if v in places)

        def recounted(one: Counted) -> Counted:
            changes = (replace(c, causes=tuple(map(moved, c.causes))) for c in one.changes)
            return replace(one, changes=tuple(changes))

        return replace(
            found,
            task=task.with_facts(moved),
            counted=tuple(map(recounted, found.counted)),
            tests={(places[f[0]], f[1]): self._known_test(f) for f in self.rows if f[0] in read},
        )

    def _known_test(self, fact: Fact) -> Test:
        """A test for any state; raises `InputError` where it reads what may have no value."""
        test = None
        with suppress(UndefinedError):
            test = self._test_of(fact)
        if test is None or self._late_in(test.total.terms):
            at = self.stripped.tests[self.rows[fact][0]][1].at
            what = f"{quoted(at)} reads a number that has no value at the start"
            hint = (
                "give it one in (:init …): only plain conditions of actions may read such numbers"
            )
            raise wrong(at, what, hint)
        return test


def _merged(changes: Iterable[Changing]) -> list[Changing]:
    """The changes of an operator, with those that always add to one number as one.

    A number that is set may be changed once only; raises `UndefinedError` where it never is.
    """
    of: dict[GroundAtom, list[Changing]] = {}
    for change in changes:
        of.setdefault(change.number, []).append(change)
    found: list[Changing] = []
    for number, several in of.items():
        plain = [change for change in several if change.is_plain]
        if all(change.adds for change in several):
            if plain:
                amount = reduce(Linear.__add__, (change.amount for change in plain))
                found.append(replace(plain[0], amount=amount))
            found += (change for change in several if not change.is_plain)
        elif len(plain) > 1:
            raise UndefinedError
        elif len(several) == 1 and several[0].amount.terms.get(number) == 1:
            amount = several[0].amount - Linear({number: Fraction(1)})
            found.append(replace(several[0], adds=True, amount=amount))
        else:
            found += several
    return [c for c in found if not c.adds or c.amount.terms or c.amount.constant]
