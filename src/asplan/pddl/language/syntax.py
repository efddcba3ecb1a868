"""The abstract syntax of PDDL: domains, problems, conditions and effects, as they were written.

The language is that of PDDL 2.1, level 3 (numbers and durations), with derived predicates and timed
initial literals (PDDL 2.2), constraints and preferences (PDDL 3.0) and action costs (PDDL 3.1): Fox
and Long, PDDL2.1: An Extension to PDDL for Expressing Temporal Planning Domains, JAIR 20, 2003;
Edelkamp and Hoffmann, PDDL2.2, 2004; Gerevini and Long, Plan Constraints and Preferences in PDDL3,
2005; Kovacs, BNF Definition of PDDL 3.1, 2011.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain, product

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputWarning, Location
from asplan.core.graphs import closure
from asplan.core.text import LARGEST
from asplan.pddl.language.lexer import Group, Word

TOTAL_COST = "total-cost"  # the function that actions increase
IS_VIOLATED = "is-violated"  # the number of violations of a preference, in a metric
TOTAL_TIME = "total-time"  # the end of a plan, in a metric
DURATION = "?duration"  # the duration of an action, in duration constraints and effects
OBJECT = "object"  # the type of all objects
Row = tuple[str, ...]  # the arguments of a predicate, in lower case
GroundAtom = tuple[str, ...]  # a predicate or function with its arguments, in lower case


def substitute(
    words: Row,
    values: Mapping[str, str],
) -> Row:
    """Replace each variable in `words` that has a value; objects and other variables stay."""
    return tuple([values.get(word, word) for word in words])


@dataclass(frozen=True, slots=True)
class Typed:
    """A name or variable with its types: `(either a b)` gives two types, no type means `object`."""

    name: Word
    types: tuple[Word, ...] = ()

    @property
    def type_keys(self) -> frozenset[str]:
        """The types in lower case; only `object` if no type is written."""
        return frozenset(word.key for word in self.types) or frozenset((OBJECT,))


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate or function with its arguments: objects, and variables such as `?x`."""

    name: Word
    arguments: tuple[Word, ...]

    def ground(self, bound: Mapping[str, str] | None = None) -> GroundAtom:
        """Return the atom as a tuple in lower case, with the values of the variables in `bound`."""
        words = (self.name.key, *[word.key for word in self.arguments])
        return substitute(words, bound or {})


@dataclass(frozen=True, slots=True)
class Equal:
    """The condition that two terms (objects or variables) are the same object."""

    left: Word
    right: Word


# An expression is a number, a function, or an operation on expressions. `?duration` and
# `(total-time)` are functions without arguments.


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation on expressions: `+`, `*`, `/` or `-`.

    `+` and `*` have two or more operands, `/` has two, and `-` has one or two. `at` is the place in
    the file.
    """

    word: str
    parts: tuple[Expression, ...]
    at: Group = field(compare=False, repr=False)


Expression = Fraction | Atom | Operation


def expressions(*several: Expression) -> Iterator[Expression]:
    """Yield the expressions and all their parts; an expression comes before its parts."""
    for expression in several:
        yield expression
        if isinstance(expression, Operation):
            yield from expressions(*expression.parts)


def functions(*several: Expression) -> Iterator[Atom]:
    """Return the functions that occur in the expressions."""
    return (part for part in expressions(*several) if isinstance(part, Atom))


# Conditions. An empty conjunction always holds.


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two expressions by `<`, `<=`, `=`, `>=` or `>`.

    `at` is its place in the file.
    """

    word: str
    left: Expression
    right: Expression
    at: Group = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Connected:
    """Conditions connected by `and`, `or`, `not` (one part) or `imply` (two parts)."""

    word: str
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Quantified:
    """A condition quantified by `exists` or `forall`."""

    word: str
    variables: tuple[Typed, ...]
    body: Formula


Formula = Atom | Equal | Compare | Connected | Quantified

ALWAYS = Connected("and", ())


# Constraints on the trajectory of a plan, and preferences.


@dataclass(frozen=True, slots=True)
class Passing:
    """A constraint on the trajectory of a plan (the sequence of its states).

    Attributes
    ----------
    variables
        The constraint must hold for all objects of these variables.
    word
        `always`, `sometime`, `at-most-once`, `sometime-after`, `sometime-before` or `at end`.
    parts
        The conditions: two for `sometime-after` and `sometime-before`, else one.
    at
        The place of the constraint in the file.
    """

    variables: tuple[Typed, ...]
    word: str
    parts: tuple[Formula, ...]
    at: Group = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TrajectoryDemand:
    """A hard constraint or a preference on the trajectory of a plan.

    Attributes
    ----------
    name
        The name of a preference, empty for a preference without a name; None for a hard constraint.
    variables
        The demand holds for all objects of these variables. A preference is violated once for each
        choice of objects that violates one of its parts.
    parts
        The constraints that must all hold.
    at
        The place of the demand in the file.
    """

    name: str | None
    variables: tuple[Typed, ...]
    parts: tuple[Passing, ...]
    at: Group = field(compare=False, repr=False)

    @property
    def key(self) -> str:
        """The name in lower case; empty for a hard constraint and a preference without a name."""
        return (self.name or "").lower()

    @property
    def formulas(self) -> Iterator[tuple[Formula, Scope]]:
        """All conditions of the demand, each with the variables that are bound in it."""
        for part in self.parts:
            for formula in part.parts:
                yield formula, scope_of((*self.variables, *part.variables))


# Effects. An atom that is both added and deleted holds afterwards.


@dataclass(frozen=True, slots=True)
class Changed:
    """An effect that adds an atom (if `holds`) or deletes it."""

    atom: Atom
    holds: bool


@dataclass(frozen=True, slots=True)
class Together:
    """A conjunction of effects."""

    parts: tuple[EffectFormula, ...]


@dataclass(frozen=True, slots=True)
class Each:
    """An effect that happens for all objects of its variables."""

    variables: tuple[Typed, ...]
    body: EffectFormula


@dataclass(frozen=True, slots=True)
class When:
    """A conditional effect: the condition must hold before the action."""

    condition: Formula
    body: EffectFormula


@dataclass(frozen=True, slots=True)
class Assign:
    """An effect that changes a function.

    Attributes
    ----------
    word
        `assign`, `increase`, `decrease`, `scale-up` or `scale-down`.
    target
        The function that changes.
    amount
        The amount, an expression.
    at
        The place of the effect in the file.
    """

    word: str
    target: Atom
    amount: Expression
    at: Group = field(compare=False, repr=False)

    @property
    def cost(self) -> int | Atom | None:
        """The cost, a number or function, that the effect adds to `total-cost`.

        None if the effect does something else, or if the cost is a more complex expression.
        """
        if self.word != "increase" or self.target.name.key != TOTAL_COST:
            return None
        match self.amount:
            case Fraction() as number if is_cost(number):
                return int(number)
            case Atom(name) as function if name.key not in (TOTAL_COST, DURATION):
                return function
        return None


def is_cost(number: Fraction) -> bool:
    """Return whether a number can be a cost of an action: a whole number from 0 to `LARGEST`."""
    return number.denominator == 1 and 0 <= number <= LARGEST


EffectFormula = Changed | Together | Each | When | Assign

Part = Formula | EffectFormula


def _cost_of(effects: Sequence[EffectFormula]) -> int | Atom | None:
    """Return the cost, a number or function, of an action with these effects.

    Return None if they change other numbers, or if their cost is conditional.
    """
    assigns = _assigns(effects)
    direct = _direct_assigns(effects)
    if not assigns:
        return 0
    return direct[0].cost if len(direct) == len(assigns) == 1 else None


def _beyond_cost(effects: Sequence[EffectFormula]) -> Assign:
    """Return the first numeric effect of an action that cannot be its cost.

    If each effect alone could be the cost, return the second one: an action has only one cost.
    """
    assigns = _assigns(effects)
    direct = _direct_assigns(effects)
    odd = [part for part in assigns if part.cost is None or part not in direct]
    return odd[0] if odd else assigns[1]


def _assigns(effects: Iterable[EffectFormula]) -> list[Assign]:
    """Return all numeric effects, even inside conditional and quantified effects."""
    parts = chain.from_iterable(map(inside, effects))
    return [part for part, _ in parts if isinstance(part, Assign)]


def _direct_assigns(effects: Iterable[EffectFormula]) -> list[Assign]:
    """Return the numeric effects that have no condition and no quantifier."""
    parts = chain.from_iterable(map(together, effects))
    return [part for part in parts if isinstance(part, Assign)]


def _place(expression: Expression) -> Location | None:
    """Return the location of an expression; None for a number, whose location is not stored."""
    if isinstance(expression, Fraction):
        return None
    return expression.name.at if isinstance(expression, Atom) else expression.at.at


def together(node: Part) -> Iterator[Part]:
    """Yield the parts of a conjunction and of conjunctions inside it.

    If the node is not a conjunction, yield the node.
    """
    if isinstance(node, Together) or (isinstance(node, Connected) and node.word == "and"):
        for part in node.parts:
            yield from together(part)
    else:
        yield node


Scope = Mapping[str, Typed]
"""The bound variables by their keys; an inner variable hides an outer one."""


def scope_of(
    variables: tuple[Typed, ...],
    outer: Scope | None = None,
) -> Scope:
    """Return the variables that are bound inside a quantifier or an action.

    `variables` belong to the quantifier or action; they hide variables of the same name in `outer`,
    the scope around it.
    """
    own = {typed.name.key: typed for typed in variables}
    return {**(outer or {}), **own}


def bind(
    variables: Iterable[Typed],
    row: Iterable[str],
) -> dict[str, str]:
    """Return the objects in `row` as the values of variables, by the variables' keys."""
    keys = (typed.name.key for typed in variables)
    return dict(zip(keys, row, strict=True))


def inside(
    node: Part,
    scope: Scope | None = None,
) -> Iterator[tuple[Part, Scope]]:
    """Yield a condition or effect and all its parts, each with the variables that are bound there.

    A node comes before its parts. Expressions are not parts (see `expressions`).
    """
    scope = scope or {}
    yield node, scope
    parts: tuple[Part, ...] = ()
    match node:
        case Connected() | Together():
            parts = node.parts
        case When(condition, body):
            parts = (condition, body)
        case Quantified() | Each():
            parts = (node.body,)
            scope = scope_of(node.variables, scope)
        case Changed(atom):
            parts = (atom,)
    for part in parts:
        yield from inside(part, scope)


@dataclass(frozen=True, slots=True)
class Signature:
    """The declaration of a predicate or function: its name and its typed parameters."""

    name: Word
    parameters: tuple[Typed, ...]

    @property
    def atom(self) -> Atom:
        """The predicate or function with its own parameters as arguments."""
        return Atom(self.name, tuple(typed.name for typed in self.parameters))


@dataclass(frozen=True, slots=True)
class PddlAction:
    """An action without a duration; `preferences` come from its precondition."""

    name: Word
    parameters: tuple[Typed, ...]
    precondition: Formula
    effect: EffectFormula
    preferences: tuple[TrajectoryDemand, ...] = ()

    @property
    def cost(self) -> int | Atom:
        """The cost of the action, a number or a function, in a task without other numbers.

        The cost is 0 if no effect adds a cost.
        """
        cost = _cost_of((self.effect,))
        return 0 if cost is None else cost


@dataclass(frozen=True, slots=True)
class DurativeAction:
    """An action with a duration.

    Several entries may have the same time. A `forall` is always inside a time: the effect `(forall
    (?x) (at end …))` of a file becomes a `forall` at the time `end`.

    Attributes
    ----------
    duration
        Pairs of a time (`start` or `end`) and a comparison that must hold at this time. The
        comparison (`=`, `<=`, `>=`) has `?duration` on its left.
    conditions
        Pairs of a time and a condition. The time is `start`, `end`, or `all` (the open interval
        between start and end).
    effects
        Pairs of a time (`start` or `end`) and an effect.
    """

    name: Word
    parameters: tuple[Typed, ...]
    duration: tuple[tuple[str, Compare], ...]
    conditions: tuple[tuple[str, Formula], ...]
    effects: tuple[tuple[str, EffectFormula], ...]

    @property
    def at_any_time(self) -> PddlAction:
        """An action without duration, with the parts of all times.

        Its precondition has the duration constraints and the conditions, its effect has all
        effects.
        """
        conditions = (condition for _, condition in (*self.duration, *self.conditions))
        effects = (effect for _, effect in self.effects)
        return self._merged(conditions, effects)

    def at(self, when: str) -> PddlAction:
        """Return an action without duration, with the conditions and effects of one time.

        The time `when` is `start`, `all` or `end`.
        """
        conditions = (condition for time, condition in self.conditions if time == when)
        effects = (effect for time, effect in self.effects if time == when)
        return self._merged(conditions, effects)

    def _merged(
        self,
        conditions: Iterable[Formula],
        effects: Iterable[EffectFormula],
    ) -> PddlAction:
        """Return an action without duration that has all these conditions and effects."""
        condition = Connected("and", tuple(conditions))
        effect = Together(tuple(effects))
        return PddlAction(self.name, self.parameters, condition, effect)

    @property
    def parts(self) -> Iterator[Formula | EffectFormula]:
        """All duration constraints, conditions and effects, without their times."""
        for _, part in (*self.duration, *self.conditions, *self.effects):
            yield part


@dataclass(frozen=True, slots=True)
class AxiomRule:
    """A rule `(:derived (p ?x) body)` for a derived predicate: p holds if the body holds."""

    name: Word
    parameters: tuple[Typed, ...]
    body: Formula


@dataclass(frozen=True)
class DomainText:
    """The contents of a domain file.

    Attributes
    ----------
    durative
        The durative actions.
    rules
        The rules of derived predicates.
    demands
        The constraints and preferences of the section `:constraints`.
    """

    name: Word
    requirements: tuple[Word, ...] = ()
    types: tuple[Typed, ...] = ()
    constants: tuple[Typed, ...] = ()
    predicates: tuple[Signature, ...] = ()
    functions: tuple[Signature, ...] = ()
    actions: tuple[PddlAction, ...] = ()
    durative: tuple[DurativeAction, ...] = ()
    rules: tuple[AxiomRule, ...] = ()
    demands: tuple[TrajectoryDemand, ...] = ()


@dataclass(frozen=True)
class ProblemText:
    """The contents of a problem file.

    Attributes
    ----------
    domain
        The name of its domain.
    initial
        The atoms of the initial state.
    absent
        The atoms that the file explicitly negates in the initial state.
    values
        The initial values of functions, possibly of `total-cost`, too.
    timed
        The timed initial literals: the time, and the atom that becomes true or false then.
    demands
        The constraints and preferences, including preferences in the goal.
    metric
        `minimize` or `maximize`, and the expression; None if there is no metric.
    """

    name: Word
    domain: Word
    requirements: tuple[Word, ...] = ()
    objects: tuple[Typed, ...] = ()
    initial: tuple[Atom, ...] = ()
    absent: tuple[Atom, ...] = ()
    values: tuple[tuple[Atom, Fraction], ...] = ()
    timed: tuple[tuple[Fraction, Changed], ...] = ()
    goal: Formula = ALWAYS
    demands: tuple[TrajectoryDemand, ...] = ()
    metric: tuple[str, Expression] | None = None

    def minimizes(self, function: str) -> bool:
        """Return whether the metric is just `minimize (FUNCTION)`.

        If this is true of `total-cost`, the costs of actions count.
        """
        match self.metric:
            case ("minimize", Atom(name)):
                return name.key == function
        return False


@dataclass(frozen=True)
class TaskText:
    """A planning task as its files define it: a domain, a problem, and the warnings about them."""

    domain: DomainText
    problem: ProblemText
    warnings: tuple[InputWarning, ...] = ()

    @cached_property
    def objects(self) -> dict[str, tuple[Typed, ...]]:
        """All declarations of each object, by the object's key; constants come first."""
        declarations: dict[str, tuple[Typed, ...]] = {}
        for typed in (*self.domain.constants, *self.problem.objects):
            key = typed.name.key
            declarations[key] = (*declarations.get(key, ()), typed)
        return declarations

    @cached_property
    def supertypes(self) -> dict[str, frozenset[str]]:
        """All supertypes of each type, including the type itself and `object`.

        A type may be declared only as a supertype of another. In a cycle, each type is a supertype
        of the others.
        """
        parents: dict[str, set[str]] = {OBJECT: set()}
        for typed in self.domain.types:
            parents.setdefault(typed.name.key, set()).update(word.key for word in typed.types)
            for word in typed.types:
                parents.setdefault(word.key, set())
        above = {kind: types - {OBJECT} for kind, types in parents.items()}
        return {
            name: frozenset(closure([name], lambda kind: above.get(kind, ())) | {OBJECT})
            for name in parents
        }

    @cached_property
    def types_of(self) -> dict[str, frozenset[str]]:
        """All types of each object, including their supertypes."""
        top = frozenset((OBJECT,))
        types_of: dict[str, frozenset[str]] = {}
        for key, declared in self.objects.items():
            types = set(top)
            for word in chain.from_iterable(typed.types for typed in declared):
                types |= self.supertypes.get(word.key, top)
            types_of[key] = frozenset(types)
        return types_of

    @cached_property
    def objects_of(self) -> Callable[[frozenset[str]], Row]:
        """A function from a set of types to the objects of these types, in declaration order."""
        types_of = self.types_of.items()

        def objects(types: frozenset[str]) -> Row:
            return tuple(key for key, own in types_of if not types.isdisjoint(own))

        return cache(objects)

    def bindings(
        self,
        variables: Sequence[Typed],
        bound: Mapping[str, str],
    ) -> Iterator[dict[str, str]]:
        """Yield `bound` extended by values of the variables, once for each choice of objects."""
        choices = (self.objects_of(typed.type_keys) for typed in variables)
        for row in product(*choices):
            yield {**bound, **bind(variables, row)}

    @cached_property
    def parts(self) -> Sequence[Part]:
        """All conditions and effects of the task, timed literals included, with all their parts."""
        domain = self.domain
        nodes: list[Part] = []
        for action in domain.actions:
            nodes += (action.precondition, action.effect)
        for durative in domain.durative:
            nodes += durative.parts
        nodes += (rule.body for rule in domain.rules)
        nodes += (change for _, change in self.problem.timed)
        for demand in self.demands:
            nodes += (formula for formula, _ in demand.formulas)
        nodes.append(self.problem.goal)
        return [part for part, _ in chain.from_iterable(map(inside, nodes))]

    @cached_property
    def demands(self) -> tuple[TrajectoryDemand, ...]:
        """All constraints and preferences; preferences in preconditions of actions come last."""
        own = chain.from_iterable(action.preferences for action in self.domain.actions)
        return (*self.domain.demands, *self.problem.demands, *own)

    @cached_property
    def has_time(self) -> bool:
        """True if there are durative actions or timed literals."""
        return bool(self.domain.durative or self.problem.timed)

    @cached_property
    def has_numbers(self) -> bool:
        """True if there are numbers other than durations and costs of actions."""
        return self.beyond_costs is not None

    @cached_property
    def beyond_costs(self) -> tuple[Location, str] | None:
        """The location and a description of the first number other than a duration or cost.

        None if there is no such number.
        """
        return next(self._beyond_costs(), None)

    def _beyond_costs(self) -> Iterator[tuple[Location, str]]:
        """Yield the location and a description of numbers other than durations and costs."""
        problem = self.problem
        for compare in self._comparisons():
            yield compare.at.at, "this compares numbers"
        all_effects = list(self._effects_by_action()) if self.assigned else []
        for effects in all_effects:
            if _cost_of(effects) is None:
                yield _beyond_cost(effects).at.at, "this effect is not a cost"
        aims = TOTAL_COST, TOTAL_TIME
        if problem.metric is not None and not any(map(problem.minimizes, aims)):
            at = _place(problem.metric[1]) or problem.name.at
            yield at, "the metric is not to minimize (total-cost)"
        yield from self._values_beyond_costs(map(_cost_of, all_effects))

    def _values_beyond_costs(
        self,
        costs: Iterable[int | Atom | None],
    ) -> Iterator[tuple[Location, str]]:
        """Yield the initial values that cannot be costs although their functions are costs.

        Each item has a location and a description. `costs` are the costs of the actions: numbers
        and functions.
        """
        functions = {cost.name.key for cost in costs if isinstance(cost, Atom)}
        for atom, value in self.problem.values:
            if atom.name.key in functions and not is_cost(value):
                yield atom.name.at, f"{atom.name} is {value} here"

    def _comparisons(self) -> Iterator[Compare]:
        """Yield the comparisons of numbers, except constraints on durations."""
        durations = chain.from_iterable(action.duration for action in self.domain.durative)
        limits = {id(limit) for _, limit in durations}
        for part in self.parts:
            if isinstance(part, Compare) and id(part) not in limits:
                yield part

    def _effects_by_action(self) -> Iterator[tuple[EffectFormula, ...]]:
        """Yield a tuple with the effects of each action."""
        for action in self.domain.actions:
            yield (action.effect,)
        for durative in self.domain.durative:
            yield tuple(effect for _, effect in durative.effects)

    @property
    def has_costs(self) -> bool:
        """True if the metric minimizes the costs of actions and the task has no other numbers."""
        return self.problem.minimizes(TOTAL_COST) and not self.has_numbers

    @property
    def goal_atoms(self) -> list[Atom]:
        """The atoms that are conjuncts of the goal."""
        return [part for part in together(self.problem.goal) if isinstance(part, Atom)]

    @cached_property
    def fluents(self) -> frozenset[str]:
        """The keys of the predicates that effects or timed literals change."""
        return frozenset(p.atom.name.key for p in self.parts if isinstance(p, Changed))

    @cached_property
    def derived(self) -> frozenset[str]:
        """The keys of the predicates that rules derive."""
        return frozenset(rule.name.key for rule in self.domain.rules)

    @cached_property
    def assigned(self) -> frozenset[str]:
        """The keys of the functions that effects change."""
        return frozenset(p.target.name.key for p in self.parts if isinstance(p, Assign))

    @cached_property
    def values(self) -> dict[GroundAtom, Fraction]:
        """The initial values of functions."""
        return {function.ground(): value for function, value in self.problem.values}
