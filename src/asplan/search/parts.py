"""What the parts of a problem, such as cars, have to do with its shortest plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from asplan.domains.base import Parts
from asplan.domains.model import Model, expand_of

MOST_STATES = 100_000
"""States that are looked at, for each part, to see whether it can be left out."""


@dataclass(frozen=True)
class Role:
    """What one part does on the shortest plans.

    Attributes
    ----------
    moves
        Its moves on all shortest plans together, counted exactly.
    is_superfluous
        Whether the fewest moves are the same without it; None where that was not decided, and
        for a part that cannot be left out.
    """

    name: str
    moves: int
    is_superfluous: bool | None = None


def roles(
    parts: Parts, model: Model[Any, Any], distances: Mapping[Any, int], tell: Callable[[str], None]
) -> Iterator[Role]:
    """The role of each part, in the order in which the domain names them."""
    moves = count_moves(parts, model, distances)
    away = distances[model.initial]
    reduced = dict(parts.without(model))
    for name in parts.names(model):
        superfluous = None
        if name in reduced:
            tell(f"leaving out {name}")
            superfluous = _takes(reduced[name], away)
        yield Role(name, moves[name], superfluous)


def count_moves(parts: Parts, model: Model[Any, Any], distances: Mapping[Any, int]) -> Counter[str]:
    """How often each part moves on all shortest plans together.

    A move from a state to one that is nearer is on as many of them as there are shortest ways from
    the start to the one, times those from the other to a goal.
    """
    layers: list[dict[Any, int]] = [{model.initial: 1}]
    ways: list[list[tuple[Any, str, Any]]] = []
    for left in range(distances[model.initial] - 1, -1, -1):
        following: Counter[Any] = Counter()
        ways.append([])
        for state, count in layers[-1].items():
            for action in model.actions(state):
                after = model.apply(state, action)
                if distances.get(after) == left:
                    following[after] += count
                    ways[-1].append((state, parts.moved(action), after))
        layers.append(following)
    found: Counter[str] = Counter()
    on = dict.fromkeys(layers[-1], 1)
    for layer, moves in zip(reversed(layers[:-1]), reversed(ways), strict=True):
        before: Counter[Any] = Counter()
        for state, part, after in moves:
            found[part] += layer[state] * on[after]
            before[state] += on[after]
        on = before
    return found


def _takes(model: Model[Any, Any], moves: int) -> bool | None:
    """Whether just so many moves lead to a goal, where no more do; None if that is not decided."""
    expand = expand_of(model)
    layer, seen = {model.initial}, {model.initial}
    for _ in range(moves):
        if any(map(model.is_goal, layer)):
            return False
        layer = set(expand(layer)) - seen
        seen |= layer
        if len(seen) > MOST_STATES:
            return None
    return True
