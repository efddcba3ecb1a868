"""Random small state spaces, and their plans and numbers of plans as plainly as can be.

A space has numbers as states. Several actions may lead from a state to another one, and an action
may have several outcomes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from asplan.clingo import Function, Symbol
from asplan.domains.model import Model

Move = tuple[str, int, int]
"""An action, its cost, and the state to which it leads."""

Word = tuple[str, ...]


@dataclass
class SmallSpace(Model[int, str]):
    """A state space that is written out."""

    moves: Sequence[Sequence[Move]]
    initials: Sequence[int]
    goals: frozenset[int]
    has_costs: bool = True  # type: ignore[misc]

    def actions(self, state: int) -> list[str]:
        return [action for action, _, _ in self.moves[state]]

    def successors(self, state: int) -> list[int]:
        return [after for _, _, after in self.moves[state]]

    def cost(self, state: int, action: str) -> int:
        return next(cost for name, cost, _ in self.moves[state] if name == action)

    def is_goal(self, state: int) -> bool:
        return state in self.goals

    def apply(self, state: int, action: str) -> int:
        raise NotImplementedError

    def parse_action(self, term: Symbol) -> str:
        raise NotImplementedError

    def why_not(self, state: int, action: str) -> str | None:
        raise NotImplementedError

    def fluents(self, state: int) -> list[Symbol]:
        """Return an atom for each bit of the state's number."""
        return [Function(f"bit{n}") for n in range(3) if state >> n & 1]

    def text(self, state: int) -> str:
        raise NotImplementedError


def random_space(random: Random, is_deterministic: bool = True) -> SmallSpace:
    """Return a space of 2 to 8 states; the cost of an action is the same everywhere."""
    states = random.randint(2, 8)
    names = "abcd"[: random.randint(1, 4)]
    cost = {name: random.randint(0, 3) for name in names}
    moves: list[list[Move]] = []
    for _ in range(states):
        own = dict.fromkeys(random.choice(names) for _ in range(random.randint(0, 4)))
        outcomes = [(name, 1 if is_deterministic else random.randint(1, 2)) for name in own]
        moves.append(
            [
                (name, cost[name], after)
                for name, count in outcomes
                for after in sorted(random.sample(range(states), count))
            ]
        )
    starts = 1 if is_deterministic else random.randint(1, 2)
    goals = frozenset(random.sample(range(states), random.randint(1, 2)))
    return SmallSpace(moves, sorted(random.sample(range(states), starts)), goals)


def plans_up_to(space: SmallSpace, length: int) -> Iterator[tuple[Word, int]]:
    """Yield each plan of at most a length, and its cost: try all sequences of actions.

    A sequence that begins with a plan is none.
    """
    layer: list[tuple[Word, int, frozenset[int]]] = [((), 0, frozenset(space.initials))]
    for _ in range(length + 1):
        longer: list[tuple[Word, int, frozenset[int]]] = []
        for word, cost, states in layer:
            if states & space.goals:
                yield word, cost
                continue
            for action, price in {m[:2] for state in states for m in space.moves[state]}:
                after = {
                    target
                    for state in states
                    for name, _, target in space.moves[state]
                    if name == action
                }
                longer.append(((*word, action), cost + price, frozenset(after)))
        layer = longer


def count_plans(space: SmallSpace, length: int) -> list[int]:
    """Return the number of plans of each length of a deterministic space, by plain counting."""
    ways = Counter(space.initials)
    counts: list[int] = []
    for _ in range(length + 1):
        counts.append(sum(count for state, count in ways.items() if state in space.goals))
        after: Counter[int] = Counter()
        for state, count in ways.items():
            if state not in space.goals:
                for target in space.successors(state):
                    after[target] += count
        ways = after
    return counts


def is_loopless(space: SmallSpace, word: Word) -> bool:
    """Return whether a plan of a deterministic space visits no state twice."""
    (state,) = space.initials
    passed = [state]
    for action in word:
        state = next(target for name, _, target in space.moves[state] if name == action)
        passed.append(state)
    return len(set(passed)) == len(passed)
