"""The abstract syntax of PDDL: domains, problems, conditions and effects, as they were written.

The language is that of PDDL 2.1, level 3 (numbers and durations), with derived predicates and timed
initial literals (PDDL 2.2), constraints and preferences (PDDL 3.0) and action costs (PDDL 3.1): Fox
and Long, PDDL2.1: An Extension to PDDL for Expressing Temporal Planning Domains, JAIR 20, 2003;
Edelkamp and Hoffmann, PDDL2.2, 2004; Gerevini and Long, Plan Constraints and Preferences in PDDL3,
2005; Kovacs, BNF Definition of PDDL 3.1, 2011.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain, product

from asplan.core.errors import InputWarning, Location
from asplan.core.graphs import closure
from asplan.core.text import LARGEST
from asplan.pddl.language.lexer import Group, Word

TOTAL_COST = "total-cost"  # the function that actions increase
IS_VIOLATED = "is-violated"  # the number of violations of a preference, in a metric
TOTAL_TIME = "total-time"  # the end of a plan, in a metric
DURATION = "?duration"  # the duration of an action, in its duration constraints and effects
OBJECT = "object"  # the type of all objects
Row = tuple[str, ...]  # the arguments of a predicate, in lower case
GroundAtom = tuple[str, ...]  # a predicate or function with its arguments, in lower case


def substitute(
    words: Row,
    values: Mapping[str, str],
) -> Row:
    """Replace each variable that has a value."""
    return tuple([values.get(word, word) for word in words])


@dataclass(frozen=True, slots=True)
class Typed:
    """A name or variable with its types; `(either a b)` gives two, nothing means `object`."""

    name: Word
    types: tuple[Word, ...] = ()

    @property
    def type_keys(self) -> frozenset[str]:
        """The types in lower case; `object` if none is written."""
        return frozenset(word.key for word in self.types) or frozenset((OBJECT,))


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate or function with its arguments: objects, and variables such as `?x`."""

    name: Word
    arguments: tuple[Word, ...]

    def ground(self, bound: Mapping[str, str] | None = None) -> GroundAtom:
        """Return the atom in lower case, with the values of bound variables."""
        words = (self.name.key, *[word.key for word in self.arguments])
        return substitute(words, bound or {})


@dataclass(frozen=True, slots=True)
class Equal:
    """The condition that two terms are the same object."""

    left: Word
    right: Word


# Expressions: a number, a function, or an operation on expressions. `?duration` and
# `(total-time)` are functions without arguments.


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: `+` or `*` with two or more operands, `/` with two, `-` with one or two."""

    word: str
    parts: tuple[Expression, ...]
    at: Group = field(compare=False, repr=False)


Expression = Fraction | Atom | Operation


def expressions(*several: Expression) -> Iterator[Expression]:
    """Yield expressions and all their parts, from the outside in."""
    for expression in several:
        yield expression
        if isinstance(expression, Operation):
            yield from expressions(*expression.parts)


def functions(*several: Expression) -> Iterator[Atom]:
    """Return the functions in expressions."""
    return (part for part in expressions(*several) if isinstance(part, Atom))


# Conditions; an empty conjunction holds.


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two numbers by `<`, `<=`, `=`, `>=` or `>`."""

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
    """A constraint on the trajectory of a plan, for all values of its variables.

    `word` is `always`, `sometime`, `at-most-once`, `sometime-after`, `sometime-before` or `at end`.
    `sometime-after` and `sometime-before` have two parts, the others one.
    """

    variables: tuple[Typed, ...]
    word: str
    parts: tuple[Formula, ...]
    at: Group = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Demand:
    """A hard constraint or a preference on the trajectory of a plan.

    `name` is None for a constraint, and empty for a preference without a name. A preference is
    violated once for each value of its variables that violates a part.
    """

    name: str | None
    variables: tuple[Typed, ...]
    parts: tuple[Passing, ...]
    at: Group = field(compare=False, repr=False)

    @property
    def key(self) -> str:
        """The name of a preference in lower case; empty if there is none."""
        return (self.name or "").lower()

    @property
    def formulas(self) -> Iterator[tuple[Formula, Scope]]:
        """All conditions of the demand, each with the variables around it."""
        for part in self.parts:
            for formula in part.parts:
                yield formula, scope_of((*self.variables, *part.variables))


# Effects. An atom that is both added and deleted holds afterwards.


@dataclass(frozen=True, slots=True)
class Changed:
    """An effect that adds or deletes an atom."""

    atom: Atom
    holds: bool


@dataclass(frozen=True, slots=True)
class Together:
    """A conjunction of effects."""

    parts: tuple[EffectFormula, ...]


@dataclass(frozen=True, slots=True)
class Each:
    """An effect for all values of its variables."""

    variables: tuple[Typed, ...]
    body: EffectFormula


@dataclass(frozen=True, slots=True)
class When:
    """An effect whose condition must hold before the action."""

    condition: Formula
    body: EffectFormula


@dataclass(frozen=True, slots=True)
class Assign:
    """An effect on a function: `assign`, `increase`, `decrease`, `scale-up` or `scale-down`."""

    word: str
    target: Atom
    amount: Expression
    at: Group = field(compare=False, repr=False)

    @property
    def cost(self) -> int | Atom | None:
        """The cost of an action with this effect; None if the effect is not just a cost."""
        if self.word != "increase" or self.target.name.key != TOTAL_COST:
            return None
        match self.amount:
            case Fraction() as number if is_cost(number):
                return int(number)
            case Atom(name) as function if name.key not in (TOTAL_COST, DURATION):
                return function
        return None


def is_cost(number: Fraction) -> bool:
    """Return whether a number can be the cost of an action in a task without other numbers."""
    return number.denominator == 1 and 0 <= number <= LARGEST


EffectFormula = Changed | Together | Each | When | Assign

Part = Formula | EffectFormula


def _cost_of(effects: Sequence[EffectFormula]) -> int | Atom | None:
    """Return the cost of an action with these effects; None if they change other numbers."""
    assigns = _assigns(effects)
    direct = _direct_assigns(effects)
    if not assigns:
        return 0
    return direct[0].cost if len(direct) == len(assigns) == 1 else None


def _beyond_cost(effects: Sequence[EffectFormula]) -> Assign:
    """Return the first effect on a number that is not the one cost of the action."""
    assigns = _assigns(effects)
    direct = _direct_assigns(effects)
    odd = [part for part in assigns if part.cost is None or part not in direct]
    return odd[0] if odd else assigns[1]


def _assigns(effects: Iterable[EffectFormula]) -> list[Assign]:
    """Return the effects on numbers, at any depth."""
    parts = chain.from_iterable(map(inside, effects))
    return [part for part, _ in parts if isinstance(part, Assign)]


def _direct_assigns(effects: Iterable[EffectFormula]) -> list[Assign]:
    """Return the effects on numbers that have no condition and no quantifier."""
    parts = chain.from_iterable(map(together, effects))
    return [part for part in parts if isinstance(part, Assign)]


def _place(expression: Expression) -> Location | None:
    """Return the location of an expression; None for a number."""
    if isinstance(expression, Fraction):
        return None
    return expression.name.at if isinstance(expression, Atom) else expression.at.at


def together(node: Part) -> Iterator[Part]:
    """Yield the parts of a conjunction, also of nested ones."""
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
    """Return the scope inside a quantifier or an action."""
    own = {typed.name.key: typed for typed in variables}
    return {**(outer or {}), **own}


def bind(
    variables: Iterable[Typed],
    row: Iterable[str],
) -> dict[str, str]:
    """Return the values of variables by their keys."""
    keys = (typed.name.key for typed in variables)
    return dict(zip(keys, row, strict=True))


def inside(
    node: Part,
    scope: Scope | None = None,
) -> Iterator[tuple[Part, Scope]]:
    """Yield a condition or effect and all its parts, from the outside in, each with its scope.

    Expressions are not parts (see `expressions`).
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
    """A declaration of a predicate or function."""

    name: Word
    parameters: tuple[Typed, ...]

    @property
    def atom(self) -> Atom:
        """The predicate or function with its parameters as arguments."""
        return Atom(self.name, tuple(typed.name for typed in self.parameters))


@dataclass(frozen=True, slots=True)
class Action:
    """An action without a duration; `preferences` are those of its precondition."""

    name: Word
    parameters: tuple[Typed, ...]
    precondition: Formula
    effect: EffectFormula
    preferences: tuple[Demand, ...] = ()

    @property
    def cost(self) -> int | Atom:
        """The cost of the action in a task without other numbers; 0 if it has none."""
        cost = _cost_of((self.effect,))
        return 0 if cost is None else cost


@dataclass(frozen=True, slots=True)
class DurativeAction:
    """An action with a duration.

    Attributes
    ----------
    duration
        Comparisons (`=`, `<=`, `>=`) with `?duration` on their left, each with the time (`start`
        or `end`) at which it must hold.
    conditions
        Conditions, each with its time: `start`, `end`, or `all` (the open interval between them).
    effects
        Effects, each with its time: `start` or `end`.

    A time may occur several times; `and` and quantifiers are inside the times.
    """

    name: Word
    parameters: tuple[Typed, ...]
    duration: tuple[tuple[str, Compare], ...]
    conditions: tuple[tuple[str, Formula], ...]
    effects: tuple[tuple[str, EffectFormula], ...]

    @property
    def at_any_time(self) -> Action:
        """An action with all conditions, duration constraints and effects at one time."""
        conditions = (condition for _, condition in (*self.duration, *self.conditions))
        effects = (effect for _, effect in self.effects)
        return self._merged(conditions, effects)

    def at(self, when: str) -> Action:
        """Return an action with the conditions and effects of one time."""
        conditions = (condition for time, condition in self.conditions if time == when)
        effects = (effect for time, effect in self.effects if time == when)
        return self._merged(conditions, effects)

    def _merged(
        self,
        conditions: Iterable[Formula],
        effects: Iterable[EffectFormula],
    ) -> Action:
        condition = Connected("and", tuple(conditions))
        effect = Together(tuple(effects))
        return Action(self.name, self.parameters, condition, effect)

    @property
    def parts(self) -> Iterator[Formula | EffectFormula]:
        """The duration constraints, conditions and effects, without their times."""
        for _, part in (*self.duration, *self.conditions, *self.effects):
            yield part


@dataclass(frozen=True, slots=True)
class Derivation:
    """A rule `(:derived (p ?x) body)`: p holds if the body holds."""

    name: Word
    parameters: tuple[Typed, ...]
    body: Formula


@dataclass(frozen=True)
class DomainText:
    """A domain file."""

    name: Word
    requirements: tuple[Word, ...] = ()
    types: tuple[Typed, ...] = ()
    constants: tuple[Typed, ...] = ()
    predicates: tuple[Signature, ...] = ()
    functions: tuple[Signature, ...] = ()
    actions: tuple[Action, ...] = ()
    durative: tuple[DurativeAction, ...] = ()
    rules: tuple[Derivation, ...] = ()
    demands: tuple[Demand, ...] = ()


@dataclass(frozen=True)
class ProblemText:
    """A problem file.

    Attributes
    ----------
    domain
        The name of its domain.
    initial
        The atoms that hold at the start.
    absent
        The atoms that the file negates at the start.
    values
        The values of functions at the start, perhaps of `total-cost`, too.
    timed
        The timed initial literals: when an atom becomes true or false.
    demands
        The constraints, and the preferences, also those of the goal.
    metric
        `minimize` or `maximize`, and an expression.
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
    demands: tuple[Demand, ...] = ()
    metric: tuple[str, Expression] | None = None

    def minimizes(self, function: str) -> bool:
        """Return whether the metric is `minimize (FUNCTION)`.

        The costs of actions count if the function is `total-cost`.
        """
        match self.metric:
            case ("minimize", Atom(name)):
                return name.key == function
        return False


@dataclass(frozen=True)
class TaskText:
    """A domain with a problem, and warnings about them."""

    domain: DomainText
    problem: ProblemText
    warnings: tuple[InputWarning, ...] = ()

    @cached_property
    def objects(self) -> dict[str, tuple[Typed, ...]]:
        """All declarations of each object by its key, the constants first."""
        declarations: dict[str, tuple[Typed, ...]] = {}
        for typed in (*self.domain.constants, *self.problem.objects):
            key = typed.name.key
            declarations[key] = (*declarations.get(key, ()), typed)
        return declarations

    @cached_property
    def supertypes(self) -> dict[str, frozenset[str]]:
        """All supertypes of each type, with the type itself and `object`.

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
        """All types of each object, with their supertypes."""
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
        """A function from types to the objects of any of them, in the order of declaration."""
        types_of = self.types_of.items()

        def objects(types: frozenset[str]) -> Row:
            return tuple(key for key, own in types_of if not types.isdisjoint(own))

        return cache(objects)

    def bindings(
        self,
        variables: Sequence[Typed],
        bound: Mapping[str, str],
    ) -> Iterator[dict[str, str]]:
        """Yield `bound` with each choice of objects for the variables."""
        choices = (self.objects_of(typed.type_keys) for typed in variables)
        for row in product(*choices):
            yield {**bound, **bind(variables, row)}

    @cached_property
    def parts(self) -> Sequence[Part]:
        """All parts of all conditions, effects and timed literals."""
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
    def demands(self) -> tuple[Demand, ...]:
        """All constraints and preferences; those of preconditions come last."""
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
        """The location of the first number other than a duration or cost, and a description."""
        return next(self._beyond_costs(), None)

    def _beyond_costs(self) -> Iterator[tuple[Location, str]]:
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
        """Yield the values of cost functions that cannot be costs."""
        functions = {cost.name.key for cost in costs if isinstance(cost, Atom)}
        for atom, value in self.problem.values:
            if atom.name.key in functions and not is_cost(value):
                yield atom.name.at, f"{atom.name} is {value} here"

    def _comparisons(self) -> Iterator[Compare]:
        """Yield the comparisons other than the constraints on durations."""
        durations = chain.from_iterable(action.duration for action in self.domain.durative)
        limits = {id(limit) for _, limit in durations}
        for part in self.parts:
            if isinstance(part, Compare) and id(part) not in limits:
                yield part

    def _effects_by_action(self) -> Iterator[tuple[EffectFormula, ...]]:
        """Yield the effects of each action."""
        for action in self.domain.actions:
            yield (action.effect,)
        for durative in self.domain.durative:
            yield tuple(effect for _, effect in durative.effects)

    @property
    def has_costs(self) -> bool:
        """True if the costs of actions count and the task has no other numbers."""
        return self.problem.minimizes(TOTAL_COST) and not self.has_numbers

    @property
    def goal_atoms(self) -> list[Atom]:
        """The atoms of the goal, a conjunction."""
        return [part for part in together(self.problem.goal) if isinstance(part, Atom)]

    @cached_property
    def fluents(self) -> frozenset[str]:
        """The predicates that effects change."""
        return frozenset(p.atom.name.key for p in self.parts if isinstance(p, Changed))

    @cached_property
    def derived(self) -> frozenset[str]:
        """The predicates in heads of rules."""
        return frozenset(rule.name.key for rule in self.domain.rules)

    @cached_property
    def assigned(self) -> frozenset[str]:
        """The functions that effects change."""
        return frozenset(p.target.name.key for p in self.parts if isinstance(p, Assign))

    @cached_property
    def values(self) -> dict[GroundAtom, Fraction]:
        """The values of functions at the start."""
        return {function.ground(): value for function, value in self.problem.values}
