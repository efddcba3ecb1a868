"""What PDDL says: a domain, a problem, conditions and effects, as they were written.

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
from itertools import product

from asplan.core.errors import InputWarning, Location
from asplan.core.graphs import closure
from asplan.core.text import LARGEST
from asplan.pddl.language.lexer import Group, Word

TOTAL_COST = "total-cost"  # the function that actions increase
IS_VIOLATED = "is-violated"  # how often a preference is violated, in a metric
TOTAL_TIME = "total-time"  # when a plan ends, in a metric
DURATION = "?duration"  # how long an action takes, in its constraints on that and in its effects
OBJECT = "object"  # the type of all objects
Row = tuple[str, ...]  # the arguments of a predicate, in lower case
GroundAtom = tuple[str, ...]  # a predicate or function with its arguments, in lower case


def substitute(words: Row, values: Mapping[str, str]) -> Row:
    """Words with values in place of variables, as far as these have some."""
    return tuple([values.get(word, word) for word in words])


@dataclass(frozen=True, slots=True)
class Typed:
    """A name or variable with its types; `(either a b)` gives two, nothing means `object`."""

    name: Word
    types: tuple[Word, ...] = ()

    @property
    def type_keys(self) -> frozenset[str]:
        return frozenset(word.key for word in self.types) or frozenset((OBJECT,))


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate or function with its arguments: objects, and variables such as `?x`."""

    name: Word
    arguments: tuple[Word, ...]

    def ground(self, bound: Mapping[str, str] | None = None) -> GroundAtom:
        """The atom with objects in place of variables."""
        return substitute((self.name.key, *[word.key for word in self.arguments]), bound or {})


@dataclass(frozen=True, slots=True)
class Equal:
    left: Word
    right: Word


# Numbers: one that is written, what a function is, or an operation on such. `?duration` and
# `(total-time)` are functions without arguments.


@dataclass(frozen=True, slots=True)
class Operation:
    """Two numbers behind `+`, `-`, `*` or `/` (for `+` and `*` more), or one behind `-`."""

    word: str
    parts: tuple[Expression, ...]
    at: Group = field(compare=False, repr=False)


Expression = Fraction | Atom | Operation


def expressions(*several: Expression) -> Iterator[Expression]:
    """Expressions and all parts of them, from the outside in."""
    for expression in several:
        yield expression
        if isinstance(expression, Operation):
            yield from expressions(*expression.parts)


def functions(*several: Expression) -> Iterator[Atom]:
    """The functions in expressions."""
    return (part for part in expressions(*several) if isinstance(part, Atom))


# Conditions; an empty conjunction holds.


@dataclass(frozen=True, slots=True)
class Compare:
    """Two numbers behind `<`, `<=`, `=`, `>=` or `>`."""

    word: str
    left: Expression
    right: Expression
    at: Group = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Connected:
    """Parts behind `and`, `or`, `not` (one part) or `imply` (two)."""

    word: str
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Quantified:
    """`exists` or `forall`."""

    word: str
    variables: tuple[Typed, ...]
    body: Formula


Formula = Atom | Equal | Compare | Connected | Quantified

ALWAYS = Connected("and", ())


# Constraints on the states that a plan passes, and preferences.


@dataclass(frozen=True, slots=True)
class Passing:
    """What the states that a plan passes must be like, for all objects that the variables may be.

    `word` is `always`, `sometime`, `at-most-once`, `sometime-after`, `sometime-before` or `at end`;
    the two in the middle have two parts, the others one.
    """

    variables: tuple[Typed, ...]
    word: str
    parts: tuple[Formula, ...]
    at: Group = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Demand:
    """What a plan has to comply with, or, of a preference, would better.

    A preference may have a name, which is empty otherwise; it is None where this is a constraint. A
    preference is violated once for each value of the variables for which a part is violated.
    """

    name: str | None
    variables: tuple[Typed, ...]
    parts: tuple[Passing, ...]
    at: Group = field(compare=False, repr=False)

    @property
    def key(self) -> str:
        """The name of a preference in lower case; empty where there is none."""
        return (self.name or "").lower()

    @property
    def formulas(self) -> Iterator[tuple[Formula, Scope]]:
        """All conditions in it, with the variables around them."""
        for part in self.parts:
            for formula in part.parts:
                yield formula, scope_of((*self.variables, *part.variables))


# Effects: atoms that hold afterwards, or do not unless another effect adds them; several together,
# or one for all objects; and those whose condition must hold before the action.


@dataclass(frozen=True, slots=True)
class Changed:
    atom: Atom
    holds: bool


@dataclass(frozen=True, slots=True)
class Together:
    parts: tuple[EffectFormula, ...]


@dataclass(frozen=True, slots=True)
class Each:
    variables: tuple[Typed, ...]
    body: EffectFormula


@dataclass(frozen=True, slots=True)
class When:
    condition: Formula
    body: EffectFormula


@dataclass(frozen=True, slots=True)
class Assign:
    """A function that changes: `assign`, `increase`, `decrease`, `scale-up` or `scale-down`."""

    word: str
    target: Atom
    amount: Expression
    at: Group = field(compare=False, repr=False)

    @property
    def cost(self) -> int | Atom | None:
        """What an action costs that has this effect; None if it is not just a cost."""
        if self.word == "increase" and self.target.name.key == TOTAL_COST:
            match self.amount:
                case Fraction() as number if is_cost(number):
                    return int(number)
                case Atom(name) as function if name.key not in (TOTAL_COST, DURATION):
                    return function
        return None


def is_cost(number: Fraction) -> bool:
    """Whether a number may be what an action costs where numbers are nothing but costs."""
    return number.denominator == 1 and 0 <= number <= LARGEST


EffectFormula = Changed | Together | Each | When | Assign

Part = Formula | EffectFormula


def _cost_of(effects: Iterable[EffectFormula]) -> int | Atom | None:
    """What the effects of an action say that it costs; None if they say more about numbers."""
    assigns = [p for effect in effects for p, _ in inside(effect) if isinstance(p, Assign)]
    direct = [part for effect in effects for part in together(effect) if isinstance(part, Assign)]
    if not assigns:
        return 0
    return direct[0].cost if len(direct) == len(assigns) == 1 else None


def _beyond_cost(effects: Iterable[EffectFormula]) -> Assign:
    """The effect on a number by which effects are more than a cost."""
    assigns = [p for effect in effects for p, _ in inside(effect) if isinstance(p, Assign)]
    direct = [part for effect in effects for part in together(effect) if isinstance(part, Assign)]
    odd = [part for part in assigns if part.cost is None or part not in direct]
    return odd[0] if odd else assigns[1]


def _place(expression: Expression) -> Location | None:
    """The place of an expression; None for a number."""
    if isinstance(expression, Fraction):
        return None
    return expression.name.at if isinstance(expression, Atom) else expression.at.at


def together(node: Part) -> Iterator[Part]:
    """The parts of a conjunction."""
    if isinstance(node, Together) or (isinstance(node, Connected) and node.word == "and"):
        for part in node.parts:
            yield from together(part)
    else:
        yield node


Scope = Mapping[str, Typed]
"""The variables that are bound, by their keys; the inner one hides an outer one."""


def scope_of(variables: tuple[Typed, ...], outer: Scope | None = None) -> Scope:
    """The scope inside of a quantifier or an action."""
    return {**(outer or {}), **{typed.name.key: typed for typed in variables}}


def bind(variables: Iterable[Typed], row: Iterable[str]) -> dict[str, str]:
    """What some variables are where they stand for these objects, by their keys."""
    return dict(zip((typed.name.key for typed in variables), row, strict=True))


def inside(node: Part, scope: Scope | None = None) -> Iterator[tuple[Part, Scope]]:
    """A condition or effect and all parts of it, from the outside in, each with its scope.

    What is compared or assigned is no part (see `expressions`).
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
            parts, scope = (node.body,), scope_of(node.variables, scope)
        case Changed(atom):
            parts = (atom,)
    for part in parts:
        yield from inside(part, scope)


@dataclass(frozen=True, slots=True)
class Signature:
    name: Word
    parameters: tuple[Typed, ...]

    @property
    def atom(self) -> Atom:
        """It with its parameters as arguments."""
        return Atom(self.name, tuple(typed.name for typed in self.parameters))


@dataclass(frozen=True, slots=True)
class Action:
    name: Word
    parameters: tuple[Typed, ...]
    precondition: Formula
    effect: EffectFormula
    preferences: tuple[Demand, ...] = ()

    @property
    def cost(self) -> int | Atom:
        """What it says that it costs, in a task without further numbers; 0 if nothing."""
        cost = _cost_of((self.effect,))
        return 0 if cost is None else cost


@dataclass(frozen=True, slots=True)
class DurativeAction:
    """An action that takes time.

    `duration` has comparisons (`=`, `<=`, `>=`) of `?duration`, which is on their left, each with
    the time (`start` or `end`) at which it must hold; `conditions` must hold at `start`, at `end`
    or `all` of the time between; `effects` happen at `start` or `end`. The parts of a time may be
    many; `and` and quantifiers stand inside of the times.
    """

    name: Word
    parameters: tuple[Typed, ...]
    duration: tuple[tuple[str, Compare], ...]
    conditions: tuple[tuple[str, Formula], ...]
    effects: tuple[tuple[str, EffectFormula], ...]

    @property
    def at_any_time(self) -> Action:
        """The action with all that it needs and does, and its constraints, as if at one time."""
        conditions = (condition for _, condition in (*self.duration, *self.conditions))
        effects = (effect for _, effect in self.effects)
        condition, effect = Connected("and", tuple(conditions)), Together(tuple(effects))
        return Action(self.name, self.parameters, condition, effect)

    def at(self, when: str) -> Action:
        """What it needs and does at one of the times, as an action."""
        conditions = tuple(condition for time, condition in self.conditions if time == when)
        effects = tuple(effect for time, effect in self.effects if time == when)
        condition, effect = Connected("and", conditions), Together(effects)
        return Action(self.name, self.parameters, condition, effect)

    @property
    def parts(self) -> Iterator[Formula | EffectFormula]:
        """Its constraints, conditions and effects, without their times."""
        for _, part in (*self.duration, *self.conditions, *self.effects):
            yield part


@dataclass(frozen=True, slots=True)
class Derivation:
    """`(:derived (p ?x) body)`: p holds where the body does; a predicate may have several."""

    name: Word
    parameters: tuple[Typed, ...]
    body: Formula


@dataclass(frozen=True)
class DomainText:
    """A domain file; what it is called stands in `name`."""

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
    """A problem file; `domain` is the name of the domain that it is for.

    `initial` has the atoms that hold at the start, `absent` those of which the file says that they
    do not, and `values` what the functions are, `total-cost` perhaps among them. `timed` has the
    times at which atoms begin to hold, or no longer do. `metric` is `minimize` or `maximize` with
    what is to be so. The preferences of the goal are among the `demands`.
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
        """Whether it says `(:metric minimize (FUNCTION))`.

        Where that is `total-cost` the costs of actions count.
        """
        match self.metric:
            case ("minimize", Atom(name)):
                return name.key == function
        return False


@dataclass(frozen=True)
class TaskText:
    """A domain with a problem, and what is odd about them but does no harm, a line each."""

    domain: DomainText
    problem: ProblemText
    warnings: tuple[InputWarning, ...] = ()

    @cached_property
    def objects(self) -> dict[str, tuple[Typed, ...]]:
        """All declarations of each object by its key: the constants first, in order."""
        found: dict[str, tuple[Typed, ...]] = {}
        for typed in (*self.domain.constants, *self.problem.objects):
            found[typed.name.key] = (*found.get(typed.name.key, ()), typed)
        return found

    @cached_property
    def supertypes(self) -> dict[str, frozenset[str]]:
        """For each type all types above it, itself and `object` included.

        A type may be declared only by standing above another. Where types stand in a cycle, each
        is above the others.
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
        """For each object all its types, the ones above included."""
        nothing: frozenset[str] = frozenset((OBJECT,))
        return {
            key: nothing.union(
                *(self.supertypes.get(t.key, nothing) for typed in declared for t in typed.types)
            )
            for key, declared in self.objects.items()
        }

    @cached_property
    def objects_of(self) -> Callable[[frozenset[str]], Row]:
        """The objects that have one of some types, in the order of their declaration."""
        types_of = self.types_of.items()
        return cache(lambda types: tuple(k for k, own in types_of if not types.isdisjoint(own)))

    def bindings(
        self, variables: Sequence[Typed], bound: Mapping[str, str]
    ) -> Iterator[dict[str, str]]:
        """What is bound, with each way to choose objects for some variables."""
        for row in product(*(self.objects_of(typed.type_keys) for typed in variables)):
            yield {**bound, **bind(variables, row)}

    @cached_property
    def parts(self) -> Sequence[Part]:
        """All parts of all conditions and effects, and what happens at given times."""
        domain = self.domain
        nodes: list[Part] = []
        for action in domain.actions:
            nodes += (action.precondition, action.effect)
        for durative in domain.durative:
            nodes += durative.parts
        nodes += (rule.body for rule in domain.rules)
        nodes += (change for _, change in self.problem.timed)
        nodes += (formula for demand in self.demands for formula, _ in demand.formulas)
        return [part for node in (*nodes, self.problem.goal) for part, _ in inside(node)]

    @cached_property
    def demands(self) -> tuple[Demand, ...]:
        """All constraints and preferences, those of the preconditions of actions at the end."""
        own = (demand for action in self.domain.actions for demand in action.preferences)
        return (*self.domain.demands, *self.problem.demands, *own)

    @cached_property
    def has_time(self) -> bool:
        """Whether actions take time, or something happens at a given time."""
        return bool(self.domain.durative or self.problem.timed)

    @cached_property
    def has_numbers(self) -> bool:
        """Whether there are numbers beyond durations, and beyond what actions cost."""
        return self.beyond_costs is not None

    @cached_property
    def beyond_costs(self) -> tuple[Location, str] | None:
        """The first number beyond durations and costs: its place, and what it is."""
        return next(self._beyond_costs(), None)

    def _beyond_costs(self) -> Iterator[tuple[Location, str]]:
        domain, problem = self.domain, self.problem
        limits = {id(limit) for action in domain.durative for _, limit in action.duration}
        for part in self.parts:
            if isinstance(part, Compare) and id(part) not in limits:
                yield part.at.at, "this compares numbers"
        effects: list[tuple[EffectFormula, ...]] = [(action.effect,) for action in domain.actions]
        effects += [tuple(effect for _, effect in action.effects) for action in domain.durative]
        costs: list[int | Atom] = []
        for several in effects if self.assigned else ():
            if (cost := _cost_of(several)) is None:
                yield _beyond_cost(several).at.at, "this effect is no cost"
            else:
                costs.append(cost)
        aims = TOTAL_COST, TOTAL_TIME
        if problem.metric is not None and not any(map(problem.minimizes, aims)):
            at = _place(problem.metric[1]) or problem.name.at
            yield at, "the metric is another than to minimize (total-cost)"
        functions = {cost.name.key for cost in costs if isinstance(cost, Atom)}
        for atom, value in problem.values:
            if atom.name.key in functions and not is_cost(value):
                yield atom.name.at, f"{atom.name} is {value} here"

    @property
    def has_costs(self) -> bool:
        """Whether actions have costs that count, and the task has no other numbers."""
        return self.problem.minimizes(TOTAL_COST) and not self.has_numbers

    @property
    def goal_atoms(self) -> list[Atom]:
        """The atoms that the goal asks for as they stand."""
        return [part for part in together(self.problem.goal) if isinstance(part, Atom)]

    @cached_property
    def fluents(self) -> frozenset[str]:
        return frozenset(p.atom.name.key for p in self.parts if isinstance(p, Changed))

    @cached_property
    def derived(self) -> frozenset[str]:
        return frozenset(rule.name.key for rule in self.domain.rules)

    @cached_property
    def assigned(self) -> frozenset[str]:
        """The functions that something changes."""
        return frozenset(p.target.name.key for p in self.parts if isinstance(p, Assign))

    @cached_property
    def values(self) -> dict[GroundAtom, Fraction]:
        """What the functions are at the start."""
        return {function.ground(): value for function, value in self.problem.values}
