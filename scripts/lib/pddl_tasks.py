"""Random small planning tasks, their PDDL, and their meaning by a plain evaluator.

A task is made of tuples, and the evaluator works on these: it reads no PDDL and shares no code with
the package. `Meaning` executes actions and searches breadth first.

>>> from random import Random
>>> task = random_task(Random(3))
>>> meaning = Meaning(task)
>>> meaning.execute([]) == meaning.initial
True
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from itertools import count, product
from random import Random
from typing import NamedTuple

Atom = tuple[str, ...]  # a predicate and its arguments: objects, or variables such as ?x
Variables = tuple[tuple[str, str], ...]  # each with its type
State = frozenset[Atom]
Binding = Mapping[str, str]


class Condition(NamedTuple):
    """A condition: `word` is atom, equal, not, and, or, imply, exists or forall."""

    word: str
    atom: Atom = ()
    parts: tuple[Condition, ...] = ()
    variables: Variables = ()


class Effect(NamedTuple):
    """An atom that is added, or else deleted, for all values of the variables, if `condition`."""

    atom: Atom
    adds: bool
    variables: Variables = ()
    condition: Condition | None = None


class Price(NamedTuple):
    """The cost of an action: a number, and the values of some functions."""

    number: int
    functions: tuple[Atom, ...] = ()


class Action(NamedTuple):
    """An action of the domain."""

    name: str
    parameters: Variables
    condition: Condition
    effects: tuple[Effect, ...]
    price: Price


class Rule(NamedTuple):
    """A rule of a derived predicate: it holds for the variables where the body does."""

    name: str
    variables: Variables
    body: Condition


@dataclass(frozen=True)
class GeneratedTask:
    """A domain and a problem.

    `types` names the type above each type, and `objects` the type of each object. Rules of later
    layers may use all that stands in the layers before.
    """

    types: Mapping[str, str]
    objects: Mapping[str, str]
    predicates: Mapping[str, tuple[str, ...]]
    derived: Mapping[str, tuple[str, ...]]
    functions: Mapping[str, tuple[str, ...]]
    layers: tuple[tuple[Rule, ...], ...]
    actions: tuple[Action, ...]
    initial: State
    values: Mapping[Atom, int]
    goal: Condition
    has_costs: bool


# --- what a task means ------------------------------------------------------------------------


class Move(NamedTuple):
    """An action with its arguments."""

    name: str
    arguments: tuple[str, ...]


@dataclass
class Meaning:
    """The states of a task."""

    task: GeneratedTask
    _distances: dict[State, int] = field(default_factory=dict)

    @property
    def initial(self) -> State:
        return self.task.initial

    def rows(self, variables: Variables) -> Iterator[dict[str, str]]:
        """Yield all ways to give variables objects of their types."""
        names = [name for name, _ in variables]
        for row in product(*(self.objects_of(kind) for _, kind in variables)):
            yield dict(zip(names, row, strict=True))

    def objects_of(self, kind: str) -> list[str]:
        return [name for name, own in self.task.objects.items() if kind in self.kinds_above(own)]

    def kinds_above(self, kind: str) -> set[str]:
        """Return a type and those above it."""
        found = {kind}
        while kind in self.task.types:
            kind = self.task.types[kind]
            found.add(kind)
        return found

    def complete(self, state: State) -> State:
        """Return a state with its derived atoms, layer by layer, each until nothing changes."""
        found = set(state)
        for layer in self.task.layers:
            size = -1
            while size != len(found):
                size = len(found)
                for rule in layer:
                    for row in self.rows(rule.variables):
                        if self.holds(rule.body, frozenset(found), row):
                            found.add((rule.name, *row.values()))
        return frozenset(found)

    def holds(self, condition: Condition, full: State, binding: Binding) -> bool:
        """Return whether a condition holds in a complete state."""
        word, atom, parts, variables = condition
        if word == "atom":
            return _ground(atom, binding) in full
        if word == "equal":
            return len(set(_ground(atom, binding)[1:])) == 1
        if word == "imply":
            return not self.holds(parts[0], full, binding) or self.holds(parts[1], full, binding)
        if word in ("exists", "forall"):
            rows = ({**binding, **row} for row in self.rows(variables))
            each = (self.holds(parts[0], full, row) for row in rows)
            return any(each) if word == "exists" else all(each)
        each = (self.holds(part, full, binding) for part in parts)
        return {"not": lambda: not next(each), "and": lambda: all(each), "or": lambda: any(each)}[
            word
        ]()

    def moves(self, state: State) -> Iterator[Move]:
        """Yield the actions that apply in a state."""
        full = self.complete(state)
        for action in self.task.actions:
            for row in self.rows(action.parameters):
                move = Move(action.name, tuple(row.values()))
                if self.holds(action.condition, full, row) and self.price(move) is not None:
                    yield move

    def after(self, state: State, move: Move) -> State | None:
        """Return the state after an action; None where it does not apply."""
        action = self._actions.get(move.name)
        if action is None or len(action.parameters) != len(move.arguments):
            return None
        row = dict(zip([name for name, _ in action.parameters], move.arguments, strict=True))
        if row not in list(self.rows(action.parameters)) or self.price(move) is None:
            return None
        full = self.complete(state)
        if not self.holds(action.condition, full, row):
            return None
        added: set[Atom] = set()
        deleted: set[Atom] = set()
        for effect in action.effects:
            for inner in self.rows(effect.variables):
                binding = {**row, **inner}
                if effect.condition is None or self.holds(effect.condition, full, binding):
                    (added if effect.adds else deleted).add(_ground(effect.atom, binding))
        return (state - deleted) | added

    @cached_property
    def _actions(self) -> dict[str, Action]:
        return {action.name: action for action in self.task.actions}

    def price(self, move: Move) -> int | None:
        """Return the cost of an action; None where a function of it has no value."""
        if not self.task.has_costs:
            return 1
        action = self._actions[move.name]
        row = dict(zip([name for name, _ in action.parameters], move.arguments, strict=True))
        total = action.price.number
        for function in action.price.functions:
            value = self.task.values.get(_ground(function, row))
            if value is None:
                return None
            total += value
        return total

    def is_goal(self, state: State) -> bool:
        return self.holds(self.task.goal, self.complete(state), {})

    def execute(self, moves: Iterable[Move], start: State | None = None) -> State | None:
        """Return the state after some actions; None where one of them does not apply."""
        state: State | None = self.initial if start is None else start
        for move in moves:
            state = None if state is None else self.after(state, move)
        return state

    def cost_of(self, moves: Iterable[Move]) -> int:
        return sum(self.price(move) or 0 for move in moves)

    @cached_property
    def shortest(self) -> list[Move] | None:
        """A plan with the fewest actions, by breadth-first search; None where there is none."""
        came: dict[State, tuple[State, Move] | None] = {self.initial: None}
        layer = [self.initial]
        while layer:
            reached: list[State] = []
            for state in layer:
                if self.is_goal(state):
                    return _way(came, state)
                for move in self.moves(state):
                    after = self.after(state, move)
                    assert after is not None
                    if after not in came:
                        came[after] = state, move
                        reached.append(after)
            layer = reached
        return None

    @cached_property
    def least_cost(self) -> int | None:
        """The cost of a cheapest plan, by uniform-cost search; None where there is none."""
        order = count()
        waiting: list[tuple[int, int, State]] = [(0, next(order), self.initial)]
        closed: set[State] = set()
        while waiting:
            cost, _, state = heappop(waiting)
            if state in closed:
                continue
            closed.add(state)
            if self.is_goal(state):
                return cost
            for move in self.moves(state):
                after, price = self.after(state, move), self.price(move)
                assert after is not None
                assert price is not None
                if after not in closed:
                    heappush(waiting, (cost + price, next(order), after))
        return None


def _ground(atom: Atom, binding: Binding) -> Atom:
    return (atom[0], *(binding.get(term, term) for term in atom[1:]))


def _way(came: Mapping[State, tuple[State, Move] | None], state: State) -> list[Move]:
    moves: list[Move] = []
    while (link := came[state]) is not None:
        state, move = link
        moves.append(move)
    return moves[::-1]


# --- tasks that are drawn ---------------------------------------------------------------------

TYPES = {"box": "thing", "ball": "thing"}
CONSTANT = "a"  # what the domain may name


def random_task(random: Random) -> GeneratedTask:
    """Draw a small task."""
    return _Drawer(random).task()


@dataclass
class _Drawer:
    """Draws the parts of a task, one after the other."""

    random: Random
    objects: dict[str, str] = field(default_factory=dict)
    predicates: dict[str, tuple[str, ...]] = field(default_factory=dict)
    derived: dict[str, tuple[str, ...]] = field(default_factory=dict)
    functions: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def task(self) -> GeneratedTask:
        random = self.random
        names = ["a", "b", "c"][: random.choice([1, 2, 2, 2, 3])]
        self.objects = {name: random.choice(["box", "box", "ball"]) for name in names}
        self.predicates = {"p": (), "q": (), "lit": ("thing",)}
        if random.random() < 0.5:
            self.predicates["on"] = ("box", "thing")
        has_costs = random.random() < 0.5
        if has_costs:
            self.functions = {"w": ("thing",), "fee": ()}
        layers = self._layers() if random.random() < 0.35 else ()
        actions = tuple(self._action(n, has_costs) for n in range(random.randint(1, 4)))
        goals = [self._condition((), 2) for _ in range(random.randint(1, 2))]
        return GeneratedTask(
            types=TYPES,
            objects=self.objects,
            predicates=self.predicates,
            derived=self.derived,
            functions=self.functions,
            layers=layers,
            actions=actions,
            initial=frozenset(a for a in self._atoms(self.predicates) if random.random() < 0.25),
            values={
                a: random.randint(0, 4) for a in self._atoms(self.functions) if self._has_value()
            },
            goal=Condition("and", parts=tuple(goals)) if len(goals) > 1 else goals[0],
            has_costs=has_costs,
        )

    def _has_value(self) -> bool:
        return self.random.random() < 0.9

    def _atoms(self, declared: Mapping[str, tuple[str, ...]]) -> Iterator[Atom]:
        for name, kinds in declared.items():
            fitting = [[o for o, own in self.objects.items() if self._fits(own, k)] for k in kinds]
            yield from ((name, *row) for row in product(*fitting))

    def _fits(self, own: str, kind: str) -> bool:
        return kind in (own, TYPES[own])

    def _layers(self) -> tuple[tuple[Rule, ...], ...]:
        """Draw the rules of two derived predicates, of which one may be recursive."""
        first = [Rule("good", (("?x", "thing"),), self._condition((("?x", "thing"),), 2))]
        self.derived["good"] = ("thing",)
        if "on" in self.predicates and self.random.random() < 0.5:
            below = Condition("and", parts=(_atom("on", "?y", "?x"), _atom("good", "?y")))
            body = Condition("exists", parts=(below,), variables=(("?y", "box"),))
            first.append(Rule("good", (("?x", "thing"),), body))
        second = [Rule("ready", (), self._condition((), 2))]
        self.derived["ready"] = ()
        return tuple(first), tuple(second)

    def _terms(self, scope: Variables, kind: str) -> list[str]:
        terms = [name for name, own in scope if own == kind or TYPES.get(own) == kind]
        return terms + ([CONSTANT] if self._fits(self.objects[CONSTANT], kind) else [])

    def _known_atom(self, scope: Variables, declared: Mapping[str, tuple[str, ...]]) -> Atom:
        fitting = {
            name: rows
            for name, kinds in declared.items()
            if all(rows := [self._terms(scope, kind) for kind in kinds])
        }
        name = self.random.choice(list(fitting))
        return (name, *(self.random.choice(terms) for terms in fitting[name]))

    def _condition(self, scope: Variables, depth: int) -> Condition:
        words = ["atom", "not"]
        if depth:
            words += ["and", "or", "or", "exists", "forall", "imply"]
        if len(scope) > 1:
            words.append("equal")
        word = self.random.choice(words)
        if word == "equal":
            return Condition("equal", ("=", scope[0][0], scope[1][0]))
        if word in ("atom", "not"):
            atom = Condition("atom", self._known_atom(scope, {**self.predicates, **self.derived}))
            return atom if word == "atom" else Condition("not", parts=(atom,))
        if word in ("exists", "forall"):
            variable = f"?z{depth}", self.random.choice(["thing", "box", "ball"])
            inner = self._condition((*scope, variable), depth - 1)
            return Condition(word, parts=(inner,), variables=(variable,))
        parts = [self._condition(scope, depth - 1) for _ in range(2)]
        if self.random.random() < 0.15:
            return Condition("not", parts=(Condition(word, parts=tuple(parts)),))
        return Condition(word, parts=tuple(parts))

    def _action(self, number: int, has_costs: bool) -> Action:
        names = ("?x", "?y")[: self.random.choice([0, 1, 1, 2])]
        scope = tuple((name, self.random.choice(["thing", "box"])) for name in names)
        effects = tuple(self._effect(scope) for _ in range(self.random.randint(1, 3)))
        functions: tuple[Atom, ...] = ()
        if has_costs and self.random.random() < 0.5:
            functions = (self._known_atom(scope, self.functions),)
        price = Price(self.random.randint(0, 3), functions)
        return Action(f"act{number}", scope, self._condition(scope, 2), effects, price)

    def _effect(self, scope: Variables) -> Effect:
        variables: Variables = ()
        if self.random.random() < 0.25:
            variables = (("?v", self.random.choice(["thing", "box"])),)
        condition = None
        if self.random.random() < 0.5:
            condition = self._condition((*scope, *variables), 1)
        atom = self._known_atom((*scope, *variables), self.predicates)
        return Effect(atom, self.random.random() < 0.6, variables, condition)


def _atom(*words: str) -> Condition:
    return Condition("atom", words)


# --- their text -------------------------------------------------------------------------------


def domain_text(task: GeneratedTask) -> str:
    """Return the domain as PDDL."""
    lines = ["(define (domain drawn)", " (:requirements :adl :derived-predicates :action-costs)"]
    tops = sorted(set(task.types.values()) - task.types.keys())
    below = [f"{kind} - {above}" for kind, above in task.types.items()]
    lines.append(f" (:types {' '.join([*below, *tops])})")
    lines.append(f" (:constants {CONSTANT} - {task.objects[CONSTANT]})")
    signatures = {**task.predicates, **task.derived}
    lines.append(f" (:predicates {_declared(signatures)})")
    if task.has_costs:
        lines.append(f" (:functions (total-cost) {_declared(task.functions)} - number)")
    for rule in (rule for layer in task.layers for rule in layer):
        head = " ".join([rule.name, _typed(rule.variables)]).strip()
        lines.append(f" (:derived ({head}) {condition_text(rule.body)})")
    for action in task.actions:
        effects = [_effect_text(effect) for effect in action.effects]
        if task.has_costs:
            effects.append(f"(increase (total-cost) {_price_text(action.price)})")
        lines.append(f" (:action {action.name} :parameters ({_typed(action.parameters)})")
        lines.append(f"  :precondition {condition_text(action.condition)}")
        lines.append(f"  :effect (and {' '.join(effects)}))")
    return "\n".join(lines) + ")\n"


def problem_text(task: GeneratedTask) -> str:
    """Return the problem as PDDL."""
    others = [f"{name} - {kind}" for name, kind in task.objects.items() if name != CONSTANT]
    initial = list(map(_call, sorted(task.initial)))
    if task.has_costs:
        initial += [f"(= {_call(atom)} {value})" for atom, value in sorted(task.values.items())]
        initial.append("(= (total-cost) 0)")
    metric = " (:metric minimize (total-cost))" if task.has_costs else ""
    return (
        f"(define (problem one) (:domain drawn)\n (:objects {' '.join(others)})\n"
        f" (:init {' '.join(initial)})\n (:goal {condition_text(task.goal)}){metric})\n"
    )


def condition_text(condition: Condition) -> str:
    word, atom, parts, variables = condition
    if word in ("atom", "equal"):
        return _call(atom)
    inside = [f"({_typed(variables)})"] if variables else []
    return f"({' '.join([word, *inside, *map(condition_text, parts)])})"


def _effect_text(effect: Effect) -> str:
    text = _call(effect.atom) if effect.adds else f"(not {_call(effect.atom)})"
    if effect.condition is not None:
        text = f"(when {condition_text(effect.condition)} {text})"
    return f"(forall ({_typed(effect.variables)}) {text})" if effect.variables else text


def _price_text(price: Price) -> str:
    text = str(price.number)
    for function in price.functions:
        text = f"(+ {text} {_call(function)})" if price.number else _call(function)
    return text


def _call(atom: Sequence[str]) -> str:
    return f"({' '.join(atom)})"


def _typed(variables: Variables) -> str:
    return " ".join(f"{name} - {kind}" for name, kind in variables)


def _declared(signatures: Mapping[str, tuple[str, ...]]) -> str:
    return " ".join(
        _call([name, *(f"?x{n} - {kind}" for n, kind in enumerate(kinds))])
        for name, kinds in signatures.items()
    )
