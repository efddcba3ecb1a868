"""The whole state space of a problem: counted, or kept with its moves where it is small.

What the parts of a problem, such as cars, do on its shortest plans is counted as well.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from asplan.core.errors import AsplanError, UsageError
from asplan.core.figures import new_figure
from asplan.core.files import check_writable, whole_file
from asplan.core.plan import Shown
from asplan.core.text import printable
from asplan.domains.base import Domain, Parts
from asplan.domains.model import Model

MOST_STATES = 100_000
"""States that are looked at, for each part, to see whether it can be left out."""

Progress = Callable[[str], None]


class Unexplored(AsplanError):
    """The states are not there to be counted."""

    exit_status = 1


class TooManyStates(AsplanError):
    """The state space is larger than allowed."""

    exit_status = 1


@dataclass(frozen=True)
class Role:
    """What one part does on the shortest plans.

    `moves` counts its moves on all of them together, exactly. It is superfluous where the fewest
    moves are the same without it; None where that was not decided, and for a part that cannot be
    left out.
    """

    name: str
    moves: int
    is_superfluous: bool | None = None


@dataclass(frozen=True)
class Analysis(Shown):
    """Counts over the reachable states. A distance is the fewest moves to the nearest goal state.

    Attributes
    ----------
    moves
        All moves from all states.
    distance
        That of the initial state, of several the least; None if no goal state can be reached.
    distances, depths
        For each distance, and each number of moves from the initial state, the number of states.
    dead_ends
        The states from which no goal state can be reached.
    hardest
        A state with the largest distance; None if there is no goal state.
    shortest_plans
        How many different shortest plans there are, counted exactly.
    roles
        Those of the parts of the instance; empty where the domain names no parts, or no goal state
        can be reached.
    """

    states: int
    goal_states: int
    moves: int
    least_moves: int
    most_moves: int
    distance: int | None
    distances: tuple[int, ...]
    depths: tuple[int, ...]
    dead_ends: int
    hardest: Any
    shortest_plans: int
    roles: tuple[Role, ...] = ()

    @property
    def is_hardest(self) -> bool:
        return self.distance is not None and self.distance == len(self.distances) - 1

    @property
    def branching(self) -> float:
        """The mean number of moves from a state."""
        return self.moves / self.states if self.states else 0.0


def analyse(
    domain: Domain,
    model: Model[Any, Any],
    max_states: int | None = None,
    progress: Progress = lambda doing: None,
) -> Analysis:
    """Explore a whole state space.

    Raises `TooManyStates` where it has more than `max_states`, and `Unexplored` where the model
    only stands for the instance, and has none of its states.
    """
    _refuse_unexplored(model)
    layers = _layers(model, max_states, progress)
    progress("measuring distances to the goals")
    states = [state for layer in layers for state in layer]
    goals = [state for state in states if model.is_goal(state)]
    successors = model.successors
    degrees = [len(list(successors(state))) for state in states]
    backward: Callable[[Any], Iterable[Any]] = successors
    if not domain.reversible:
        backward = _turned((state, after) for state in states for after in successors(state))
    distances = distances_to(goals, backward)
    away = min((distances[s] for s in model.initials if s in distances), default=None)
    histogram = Counter(distances.values())
    return Analysis(
        states=len(states),
        goal_states=len(goals),
        moves=sum(degrees),
        least_moves=min(degrees, default=0),
        most_moves=max(degrees, default=0),
        distance=away,
        distances=tuple(histogram[away] for away in range(len(histogram))),
        depths=tuple(map(len, layers)),
        dead_ends=len(states) - len(distances),
        hardest=max(distances, key=distances.__getitem__) if distances else None,
        shortest_plans=0 if away is None else _count_shortest(model, distances, away),
        roles=tuple(_roles(domain.parts, model, distances, progress)),
    )


def _refuse_unexplored(model: Model[Any, Any]) -> None:
    if why := model.unexplored():
        raise Unexplored(f"the state space was not explored: {why}")


def _layers(model: Model[Any, Any], max_states: int | None, progress: Progress) -> list[set[Any]]:
    """The reachable states by their number of moves from the initial state."""
    expand, layers = model.expand, [set(model.initials)]
    seen = set(layers[0])
    while True:
        progress(f"{len(seen)} states within {len(layers) - 1} moves")
        fresh = set(expand(layers[-1])) - seen
        if not fresh:
            return layers
        seen |= fresh
        if max_states is not None and len(seen) > max_states:
            raise TooManyStates(
                f"more than {max_states} states can be reached, {len(seen)} within "
                f"{len(layers)} moves",
                hint="--max-states N allows more; a million states take about half a gigabyte",
            )
        layers.append(fresh)


def _turned(moves: Iterable[tuple[Any, Any]]) -> Callable[[Any], Iterable[Any]]:
    """From a state to those from which moves lead to it."""
    before: dict[Any, list[Any]] = defaultdict(list)
    for source, target in moves:
        before[target].append(source)
    return lambda state: before.get(state, ())


def distances_to(goals: Iterable[Any], backward: Callable[[Any], Iterable[Any]]) -> dict[Any, int]:
    """The distance of every state that has one, breadth first from all goals at once."""
    found = dict.fromkeys(goals, 0)
    layer, away = set(found), 0
    while layer:
        away += 1
        layer = {before for state in layer for before in backward(state)}.difference(found)
        found.update(dict.fromkeys(layer, away))
    return found


def _count_shortest(model: Model[Any, Any], distances: Mapping[Any, int], away: int) -> int:
    """The number of shortest plans: dynamic programming along moves that come nearer to a goal.

    Where the same actions may lead to several states, a plan is counted by the set of all states
    that it may lead to.
    """
    successors = model.successors
    starts = [state for state in model.initials if distances.get(state) == away]
    if not (model.acts_together and any(map(any, map(model.actions, distances)))):
        paths: Mapping[Any, int] = dict.fromkeys(starts, 1)
        for left in range(away - 1, -1, -1):
            longer: Counter[Any] = Counter()
            for state, count in paths.items():
                for after in successors(state):
                    if distances.get(after) == left:
                        longer[after] += count
            paths = longer
        return sum(paths.values())
    plans = Counter({frozenset(starts): 1})
    for left in range(away - 1, -1, -1):
        more: Counter[frozenset[Any]] = Counter()
        for states, count in plans.items():
            reached: dict[Any, set[Any]] = defaultdict(set)
            for state in states:
                for action, after in zip(model.actions(state), successors(state), strict=True):
                    if distances.get(after) == left:
                        reached[action].add(after)
            for found in reached.values():
                more[frozenset(found)] += count
        plans = more
    return sum(plans.values())


def _roles(
    parts: Parts | None, model: Model[Any, Any], distances: Mapping[Any, int], progress: Progress
) -> Iterator[Role]:
    """The role of each part, in the order in which the domain names them."""
    if parts is None or model.initial not in distances:
        return
    moves, reduced = _count_moves(parts, model, distances), dict(parts.without(model))
    for name in parts.names(model):
        superfluous = None
        if name in reduced:
            progress(f"leaving out {name}")
            superfluous = _takes(reduced[name], distances[model.initial])
        yield Role(name, moves[name], superfluous)


def _count_moves(
    parts: Parts, model: Model[Any, Any], distances: Mapping[Any, int]
) -> Counter[str]:
    """How often each part moves on all shortest plans together.

    A move from a state to one that is nearer is on as many of them as there are shortest paths from
    the start to the one, times those from the other to a goal.
    """
    layers: list[dict[Any, int]] = [{model.initial: 1}]
    nearer: list[list[tuple[Any, str, Any]]] = []
    for left in range(distances[model.initial] - 1, -1, -1):
        counts: Counter[Any] = Counter()
        nearer.append([])
        for state, count in layers[-1].items():
            for action in model.actions(state):
                after = model.apply(state, action)
                if distances.get(after) == left:
                    counts[after] += count
                    nearer[-1].append((state, parts.moved(action), after))
        layers.append(counts)
    found: Counter[str] = Counter()
    on = dict.fromkeys(layers[-1], 1)
    for layer, moves in zip(reversed(layers[:-1]), reversed(nearer), strict=True):
        before: Counter[Any] = Counter()
        for state, part, after in moves:
            found[part] += layer[state] * on[after]
            before[state] += on[after]
        on = before
    return found


def _takes(model: Model[Any, Any], moves: int) -> bool | None:
    """Whether just so many moves lead to a goal, where no more do; None if that is not decided."""
    expand = model.expand
    layer, seen = {model.initial}, {model.initial}
    for _ in range(moves):
        if any(map(model.is_goal, layer)):
            return False
        layer = set(expand(layer)) - seen
        seen |= layer
        if len(seen) > MOST_STATES:
            return None
    return True


class Move(NamedTuple):
    """That an action leads from a state to another; states are numbers of a `Space`."""

    source: int
    target: int
    action: Any


@dataclass(frozen=True, eq=False)
class Space:
    """All states that can be reached, numbered breadth first from 0, the initial ones.

    The moves are in the order of their sources, and then in that of the model; `goals` are the
    states in which the goal holds.
    """

    states: Sequence[Any]
    moves: Sequence[Move]
    goals: Sequence[int]
    starts: int = 1
    """How many of the states, the first ones, are initial."""

    @cached_property
    def entries(self) -> dict[int, Move]:
        """For each state but the initial ones a move that ends a shortest path to it."""
        found: dict[int, Move] = {}
        for move in self.moves:
            if move.target >= self.starts:
                # Moves stand in the order of their sources, and those in that of their depths.
                found.setdefault(move.target, move)
        return dict(sorted(found.items()))

    @cached_property
    def depths(self) -> list[int]:
        """For each state the fewest moves that lead to it."""
        found = [0] * self.starts
        for move in self.entries.values():
            found.append(found[move.source] + 1)
        return found

    @cached_property
    def distances(self) -> list[int | None]:
        """For each state the fewest moves from there to a goal; None for a dead end."""
        found = distances_to(self.goals, _turned((move.source, move.target) for move in self.moves))
        return [found.get(state) for state in range(len(self.states))]


def explore(
    model: Model[Any, Any], most: int, progress: Progress = lambda doing: None, partly: bool = False
) -> Space:
    """Explore a whole state space, and keep it; or `partly` the `most` states that come first."""
    _refuse_unexplored(model)
    starts = [*model.initials][: most if partly else None]
    successors, states, moves = model.successors, [*starts], list[Move]()
    numbers = {state: number for number, state in enumerate(states)}
    too_many = TooManyStates(
        f"more than {most} states can be reached, too many for a picture",
        hint="without --graph they are counted",
    )
    if len(starts) > most:
        raise too_many
    for source, state in enumerate(states):
        if source % 1000 == 0:
            progress(f"{len(states)} states")
        # The same may lead to several states, where a program chooses more than it shows.
        for action, after in zip(model.actions(state), successors(state), strict=True):
            if after not in numbers:
                if len(states) == most:
                    if partly:
                        continue
                    raise too_many
                numbers[after] = len(states)
                states.append(after)
            moves.append(Move(source, numbers[after], action))
    goals = [number for number, state in enumerate(states) if model.is_goal(state)]
    return Space(states, moves, goals, len(starts))


# How many states have each distance to the goal, as a picture.

FORMATS = (".png", ".svg", ".pdf")


def check_plot(path: Path) -> None:
    """Raise `UsageError` where a histogram could not be written to a file."""
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"cannot draw {path.name}", hint=f"plots end in {', '.join(FORMATS)}")
    check_writable(path)


def draw_histogram(analysis: Analysis, path: Path, title: str) -> None:
    """Write a histogram of the distances, the one of the start in another colour."""
    check_plot(path)
    figure = histogram(analysis, title)
    with whole_file(path) as file:
        figure.savefig(file, format=path.suffix.lower().lstrip("."), dpi=150)


def histogram(analysis: Analysis, title: str = "") -> Any:
    """The same, as a `matplotlib.figure.Figure`."""
    figure = new_figure(8, 4.5)
    axes = figure.add_subplot()
    axes.bar(range(len(analysis.distances)), analysis.distances, width=0.9, color="#3d6b99")
    start = analysis.distance
    if start is not None:
        label = f"distance of the start, {start}"
        axes.bar([start], [analysis.distances[start]], width=0.9, color="#d1495b", label=label)
        axes.legend(frameon=False)
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("fewest moves to a goal")
    axes.set_ylabel("states")
    axes.set_title(f"{printable(title)}: {analysis.states} states".removeprefix(": "))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure
