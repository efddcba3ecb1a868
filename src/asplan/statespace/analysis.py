"""The analysis of an instance's state space, and the state space as a graph if it is small.

`analyse` counts states, distances and shortest plans, and finds the roles of parts, such as the
cars of a board. `explore` returns the states and the moves between them.
"""

from collections import Counter, defaultdict
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from asplan.core.budget import Reporter, ignore_report
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, UsageError
from asplan.core.figures import new_figure
from asplan.core.files import atomic_file, check_writable
from asplan.core.plan import NotebookData
from asplan.core.search import breadth_first
from asplan.core.text import amount, printable
from asplan.domains.base import Domain, Parts
from asplan.domains.model import DomainAction, DomainState, Model

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_STATES = 100_000
"""The most states that are explored to decide if a part is superfluous."""

AnyModel = Model[DomainState, DomainAction]
Distances = Mapping[DomainState, int]
"""The fewest moves from each state to a goal state."""


class Unexplored(AsplanError):
    """The error for a model without states: the instance was decided before any state was made."""

    exit_status = 1


class TooManyStates(AsplanError):
    """The error for a state space that is larger than the limit."""

    exit_status = 1


@dataclass(frozen=True)
class PartRole:
    """The role of one part of the instance, such as a car, in the shortest plans.

    Attributes
    ----------
    moves
        The number of moves of the part in all shortest plans together.
    is_superfluous
        True if the shortest plans have the same length in the instance without the part. None if
        this is undecided, or if the part cannot be left out.
    """

    name: str
    moves: int
    is_superfluous: bool | None = None


@dataclass(frozen=True)
class Analysis(NotebookData):
    """Counts of reachable states. The distance of a state is the least number of moves to a goal.

    Attributes
    ----------
    states, goal_states
        The number of reachable states, and of goal states among them.
    moves
        The number of moves from all states together.
    least_moves, most_moves
        The smallest and the largest number of moves from one state.
    distance
        The distance of the nearest initial state; None if no goal state can be reached.
    distances
        The number of states with distance 0, 1, and so on.
    depths
        The number of states that are 0, 1, and so on moves away from the nearest initial state.
    dead_ends
        The number of states from which no goal state can be reached.
    hardest
        A state with the largest distance; None if there is no goal state.
    shortest_plans
        The number of different shortest plans.
    roles
        The roles of the parts; empty if the domain names no parts or no goal state can be reached.
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
    hardest: DomainState
    shortest_plans: int
    roles: tuple[PartRole, ...] = ()

    @property
    def is_hardest(self) -> bool:
        """True if no reachable state is farther from a goal than the initial state."""
        return self.distance is not None and self.distance == len(self.distances) - 1

    @property
    def branching(self) -> float:
        """The mean number of moves from a state."""
        return self.moves / self.states if self.states else 0.0


def analyse(
    domain: Domain,
    model: AnyModel,
    max_states: int | None = None,
    progress: Reporter[str] = ignore_report,
) -> Analysis:
    """Explore the whole state space of a model, and count its states.

    `progress` receives a sentence about the work from time to time.

    Raises
    ------
    TooManyStates
        If more than `max_states` states can be reached.
    Unexplored
        If the model has none of the states of the instance.
    """
    _require_states(model)
    layers = _find_layers(model, max_states, progress)
    progress("measuring distances to the goals")
    states = list(chain.from_iterable(layers))
    goals = [state for state in states if model.is_goal(state)]
    successors = model.successors
    degrees = [len(list(successors(state))) for state in states]
    backward: Callable[[DomainState], Iterable[DomainState]] = successors
    if not domain.reversible:
        moves = ((state, after) for state in states for after in successors(state))
        backward = _reverse(moves)
    distances = distances_to(goals, backward)
    starts = [distances[state] for state in model.initials if state in distances]
    distance = min(starts, default=None)
    histogram = Counter(distances.values())
    return Analysis(
        states=len(states),
        goal_states=len(goals),
        moves=sum(degrees),
        least_moves=min(degrees, default=0),
        most_moves=max(degrees, default=0),
        distance=distance,
        distances=tuple(histogram[away] for away in range(len(histogram))),
        depths=tuple(map(len, layers)),
        dead_ends=len(states) - len(distances),
        hardest=find_hardest(model, distances),
        shortest_plans=0 if distance is None else _count_shortest(model, distances, distance),
        roles=tuple(_find_roles(domain.parts, model, distances, progress)),
    )


def find_hardest(model: AnyModel, distances: Mapping[DomainState, int]) -> DomainState | None:
    """Return the state that is farthest from the goals; None if `distances` is empty.

    If there are several, compare their fluents as text and return the first: the order of
    `distances` may differ from run to run.
    """
    greatest = max(distances.values(), default=0)
    farthest = [state for state, distance in distances.items() if distance == greatest]
    if len(farthest) == 1:
        return farthest[0]
    return min(farthest, key=lambda state: sorted(map(str, model.fluents(state))), default=None)


def _require_states(model: AnyModel) -> None:
    """Raise `Unexplored` if the model has none of the states of its instance."""
    why = model.unexplored()
    if why:
        raise Unexplored(f"the state space was not explored: {why}")


def _find_layers(
    model: AnyModel,
    max_states: int | None,
    progress: Reporter[str],
) -> list[set[DomainState]]:
    """Return the sets of states that are 0, 1, and so on moves away from an initial state.

    Raise `TooManyStates` if there are more than `max_states` states.
    """
    layers: list[set[DomainState]] = []
    states = 0
    for layer in breadth_first(model.initials, lambda layer: set(model.expand(layer))):
        states += len(layer)
        moves = len(layers)
        if max_states is not None and states > max_states and moves:
            raise TooManyStates(
                f"more than {amount(max_states, 'state')} can be reached, "
                f"{states} within {amount(moves, 'move')}",
                hint="--max-states N allows more; a million states take about half a gigabyte",
            )
        layers.append(layer)
        progress(f"{states} states within {moves} moves")
    return layers or [set()]


def _reverse(
    moves: Iterable[tuple[DomainState, DomainState]],
) -> Callable[[DomainState], Iterable[DomainState]]:
    """Return a function that maps a state to its predecessors.

    `moves` are pairs of a state and its successor.
    """
    predecessors: dict[DomainState, list[DomainState]] = defaultdict(list)
    for source, target in moves:
        predecessors[target].append(source)
    return lambda state: predecessors.get(state, ())


def distances_to(
    goals: Iterable[DomainState],
    backward: Callable[[DomainState], Iterable[DomainState]],
) -> dict[DomainState, int]:
    """Return the distance of each state to its nearest goal, by breadth-first search.

    States from which no goal can be reached are left out. `backward` returns a state's
    predecessors.
    """
    distances: dict[DomainState, int] = {}
    layers = breadth_first(goals, lambda layer: set(chain.from_iterable(map(backward, layer))))
    for away, layer in enumerate(layers):
        distances.update(dict.fromkeys(layer, away))
    return distances


def _count_shortest(
    model: AnyModel,
    distances: Distances,
    distance: int,
) -> int:
    """Return the number of shortest plans, by dynamic programming along moves towards a goal.

    `distance` is their length.
    """
    starts = [state for state in model.initials if distances.get(state) == distance]
    if model.acts_together and any(map(any, map(model.actions, distances))):
        return _count_plans(model, distances, starts, distance)
    return _count_paths(model, distances, starts, distance)


def _count_paths(
    model: AnyModel,
    distances: Distances,
    starts: Iterable[DomainState],
    distance: int,
) -> int:
    """Return the number of shortest paths from the starts to a goal, of length `distance`.

    Each path is a different plan if an action leads from a state to one state only.
    """
    successors = model.successors
    paths = Counter(dict.fromkeys(starts, 1))
    for left in range(distance - 1, -1, -1):
        longer: Counter[DomainState] = Counter()
        for state, count in paths.items():
            for after in successors(state):
                if distances.get(after) == left:
                    longer[after] += count
        paths = longer
    return sum(paths.values())


def _count_plans(
    model: AnyModel,
    distances: Distances,
    starts: Iterable[DomainState],
    distance: int,
) -> int:
    """Return the number of shortest plans if an action may lead from a state to several states.

    A plan is counted once: the search goes through sets of all states that a plan may lead to.
    """
    plans = Counter({frozenset(starts): 1})
    for left in range(distance - 1, -1, -1):
        longer: Counter[frozenset[DomainState]] = Counter()
        for states, count in plans.items():
            for outcomes in _group_outcomes(model, distances, states, left):
                longer[outcomes] += count
        plans = longer
    return sum(plans.values())


def _group_outcomes(
    model: AnyModel,
    distances: Distances,
    states: Iterable[DomainState],
    left: int,
) -> list[frozenset[DomainState]]:
    """Return for each action the set of states to which it leads from the given states.

    Resulting states are left out unless their distance is `left`.
    """
    outcomes: dict[DomainAction, set[DomainState]] = defaultdict(set)
    for state in states:
        actions = model.actions(state)
        for action, after in zip(actions, model.successors(state), strict=True):
            if distances.get(after) == left:
                outcomes[action].add(after)
    return list(map(frozenset, outcomes.values()))


def _find_roles(
    parts: Parts | None,
    model: AnyModel,
    distances: Distances,
    progress: Reporter[str],
) -> Iterator[PartRole]:
    """Yield the role of each part of the instance, in the domain's order."""
    if parts is None or model.initial not in distances:
        return
    moves = _count_moves(parts, model, distances)
    reduced = dict(parts.without(model))
    for name in parts.names(model):
        superfluous = None
        if name in reduced:
            progress(f"leaving out {name}")
            superfluous = _needs_moves(reduced[name], distances[model.initial])
        yield PartRole(name, moves[name], superfluous)


def _count_moves(
    parts: Parts,
    model: AnyModel,
    distances: Distances,
) -> Counter[str]:
    """Return the number of moves of each part in all shortest plans together.

    The number of shortest plans with a move is a product: the number of shortest paths from the
    start to the move's source, times the number from its target to a goal.
    """
    paths: list[Counter[DomainState]] = [Counter([model.initial])]
    layers: list[list[tuple[DomainState, str, DomainState]]] = []
    for left in range(distances[model.initial] - 1, -1, -1):
        longer: Counter[DomainState] = Counter()
        moves = []
        for state, count in paths[-1].items():
            for action in model.actions(state):
                after = model.apply(state, action)
                if distances.get(after) == left:
                    longer[after] += count
                    moves.append((state, parts.moved(action), after))
        layers.append(moves)
        paths.append(longer)
    counts: Counter[str] = Counter()
    to_goal = dict.fromkeys(paths.pop(), 1)
    for before, moves in zip(reversed(paths), reversed(layers), strict=True):
        rest: Counter[DomainState] = Counter()
        for state, part, after in moves:
            counts[part] += before[state] * to_goal[after]
            rest[state] += to_goal[after]
        to_goal = rest
    return counts


def _needs_moves(
    model: AnyModel,
    moves: int,
) -> bool | None:
    """Return True if no goal can be reached in fewer than `moves` moves, False if one can.

    Return None if more than `MOST_STATES` states would have to be explored. A goal must be
    reachable in at most `moves` moves.
    """
    states = 0
    layers = breadth_first([model.initial], lambda layer: set(model.expand(layer)))
    for away, layer in enumerate(layers):
        states += len(layer)
        if states > MOST_STATES:
            return None
        if away == moves:
            break
        if any(map(model.is_goal, layer)):
            return False
    return True


class GraphMove(NamedTuple):
    """An action that leads from one state of a `Space` to another.

    States are given by their numbers.
    """

    source: int
    target: int
    action: DomainAction


@dataclass(frozen=True, eq=False)
class Space:
    """The graph of the reachable states, which are numbered in breadth-first order.

    Attributes
    ----------
    states
        The states by number; the initial ones come first.
    moves
        The moves in the order of their sources; moves from one state are in the model's order.
    goals
        The numbers of the goal states.
    starts
        The number of initial states.
    """

    states: Sequence[DomainState]
    moves: Sequence[GraphMove]
    goals: Sequence[int]
    starts: int = 1

    @cached_property
    def entries(self) -> dict[int, GraphMove]:
        """The last move of a shortest path to each state that is not initial.

        The keys are the numbers of the states.
        """
        entries: dict[int, GraphMove] = {}
        for move in self.moves:
            if move.target >= self.starts:
                # Sources are ordered by their depths, so the first move to a state is such a move.
                entries.setdefault(move.target, move)
        return dict(sorted(entries.items()))

    @cached_property
    def depths(self) -> list[int]:
        """The fewest moves from an initial state to each state, by the state's number."""
        depths = [0] * self.starts
        for move in self.entries.values():
            depths.append(depths[move.source] + 1)
        return depths

    @cached_property
    def distances(self) -> list[int | None]:
        """The fewest moves from each state to a goal, by the state's number.

        A dead end has None.
        """
        backward = _reverse((move.source, move.target) for move in self.moves)
        distances = distances_to(self.goals, backward)
        return [distances.get(state) for state in range(len(self.states))]


def explore(
    model: AnyModel,
    most: int,
    progress: Reporter[str] = ignore_report,
    partly: bool = False,
) -> Space:
    """Return the graph of the reachable states, or if `partly` is set, of the first `most` states.

    Raise `TooManyStates` if there are more than `most` states and `partly` is not set. Raise
    `Unexplored` if the model has none of the states of the instance.
    """
    _require_states(model)
    states = [*model.initials][: most if partly else None]
    starts = len(states)
    _check_number(starts, most)
    numbers = {state: number for number, state in enumerate(states)}
    moves: list[GraphMove] = []
    for source, state in enumerate(states):
        if source % 1000 == 0:
            progress(f"{len(states)} states")
        # An action can lead to several states if a program makes choices that it does not show.
        actions = model.actions(state)
        for action, after in zip(actions, model.successors(state), strict=True):
            if after not in numbers:
                if partly and len(states) == most:
                    continue
                numbers[after] = len(states)
                states.append(after)
                _check_number(len(states), most)
            moves.append(GraphMove(source, numbers[after], action))
    goals = [number for number, state in enumerate(states) if model.is_goal(state)]
    return Space(states, moves, goals, starts)


def _check_number(
    states: int,
    most: int,
) -> None:
    """Raise `TooManyStates` if there are more than `most` states, the limit of a picture."""
    if states > most:
        raise TooManyStates(
            f"more than {most} states can be reached, too many for a picture",
            hint="leave --graph out to count them only",
        )


FORMATS = (".png", ".svg", ".pdf")
"""The file formats of histograms."""


def check_plot(path: Path) -> None:
    """Raise `UsageError` if no histogram can be written to this file."""
    if path.suffix.lower() not in FORMATS:
        *some, last = FORMATS
        raise UsageError(f"{path.name}: the name must end with {', '.join(some)} or {last}")
    check_writable(path)


def draw_histogram(
    analysis: Analysis,
    path: Path,
    title: str,
) -> None:
    """Draw the histogram of the distances to a file, whose suffix determines the format."""
    check_plot(path)
    figure = histogram(analysis, title)
    with atomic_file(path) as file:
        figure.savefig(file, format=path.suffix.lower().lstrip("."), dpi=150)


def histogram(
    analysis: Analysis,
    title: str = "",
) -> "Figure":
    """Return the histogram of the distances, with the distance of the start in another colour."""
    figure: Figure = new_figure(8, 4.5)
    axes = figure.add_subplot()
    axes.bar(range(len(analysis.distances)), analysis.distances, width=0.9, color="#3d6b99")
    start = analysis.distance
    if start is not None:
        label = f"distance of the start, {start}"
        axes.bar([start], [analysis.distances[start]], width=0.9, color="#d1495b", label=label)
        axes.legend(frameon=False)
    axes.locator_params(integer=True)
    axes.set_xlabel("fewest moves to a goal")
    axes.set_ylabel("states")
    axes.set_title(f"{printable(title)}: {analysis.states} states".removeprefix(": "))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure
