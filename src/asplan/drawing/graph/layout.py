"""Places the states of a space in the plane, so that states a few moves apart are near each other.

The distances from some selected states, the pivots, give a first layout. A force-directed layout
then improves it, and states that would overlap are moved apart. The initial state is at the left
end.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from asplan.statespace.analysis import Space

if TYPE_CHECKING:
    from igraph import Graph

Points = NDArray[np.float64]  # of shape (states, 2): x goes right and y goes down
Indices = NDArray[np.int64]  # the numbers of states

DOT = 0.25  # the radius of a state's dot
APART = 3 * DOT  # the least distance of two states: their dots may have a ring around them

_PIVOTS = 60
_PAIRS = 4e9  # pairs of states that all rounds together examine, in some ten seconds


def lay_out(space: Space) -> Points:
    """Return the place of each state. Every run returns the same places.

    A move has a mean length of about 1, and no two states are closer than `APART`.
    """
    import igraph

    size = len(space.states)
    graph = igraph.Graph(size, find_edges(space))
    if size < 3:
        return np.array([[state, 0.0] for state in range(size)])
    igraph.set_random_number_generator(random.Random(0))
    rounds = int(min(500, max(60, _PAIRS / size**2)))
    loosened = graph.layout_fruchterman_reingold(
        seed=_place_by_pivots(graph).tolist(),
        niter=rounds,
        start_temp=2,
        grid="nogrid",
    )
    return _turn_upright(_move_apart(_scale_to_moves(graph, np.array(loosened.coords))))


def find_edges(space: Space) -> list[tuple[int, int]]:
    """Return the pairs of different states with a move between them, the lower number first."""
    edges = set()
    for source, target, _ in space.moves:
        if source != target:
            edges.add((min(source, target), max(source, target)))
    return sorted(edges)


def _place_by_pivots(graph: Graph) -> Points:
    """Return a layout from the distances of all states to some pivots, which are far from each
    other.

    Brandes and Pich (2007), "Eigensolver methods for progressive multidimensional scaling of large
    data".
    """
    rows = [_distances_from(graph, 0)]
    nearest = rows[0].copy()
    while len(rows) < _PIVOTS and nearest.max() > 0:
        rows.append(_distances_from(graph, int(nearest.argmax())))
        nearest = np.minimum(nearest, rows[-1])
    squares = np.array(rows).T ** 2
    by_column = squares.mean(0)
    by_row = squares.mean(1, keepdims=True)
    centred = by_column + by_row - squares - squares.mean()
    _, axes = np.linalg.eigh(centred.T @ centred)
    return _scale_to_moves(graph, centred @ axes[:, [-1, -2]])


def _distances_from(graph: Graph, state: int) -> NDArray[np.float64]:
    return np.array(graph.distances(source=[state])[0], float)


def _scale_to_moves(graph: Graph, points: Points) -> Points:
    """Scale a layout so that the mean length of a move is 1."""
    ends = np.array(graph.get_edgelist())
    sources = points[ends[:, 0]]
    targets = points[ends[:, 1]]
    lengths = np.linalg.norm(sources - targets, axis=1)
    return points / (lengths.mean() or 1.0)


def _turn_upright(points: Points) -> Points:
    """Turn a layout so that its longest extent is horizontal and state 0 is on the left."""
    centred = points - points.mean(0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ axes.T
    # The solver chooses the signs of the axes; the picture must not depend on them.
    signs = np.where(turned[0] > 0, -1.0, 1.0)
    return np.asarray(turned * signs)


_ROUNDS = 300  # the most rounds in which states are moved apart
_ROOM = 2.5  # the least area for a state, in squares with the side `APART`


def _move_apart(points: Points) -> Points:
    """Move states away from each other until no two are closer than `APART`."""
    points = _give_room(points)
    for _ in range(_ROUNDS):
        firsts, seconds = _find_close_pairs(points)
        if not firsts.size:
            return points
        points = points + _push_apart(points, firsts, seconds)
    # The layout is nearly there: enlarging it a little does the rest.
    firsts, seconds = _find_close_pairs(points)
    lengths = np.linalg.norm(points[firsts] - points[seconds], axis=1)
    return points * float(APART / lengths.min(initial=APART))


def _give_room(points: Points) -> Points:
    """Enlarge a layout if its rectangle is too small for so many states."""
    across, down = np.maximum(np.ptp(points, axis=0), APART)
    needed = _ROOM * APART**2 * len(points)
    return points * max(1.0, float(np.sqrt(needed / (across * down))))


def _push_apart(points: Points, firsts: Indices, seconds: Indices) -> Points:
    """Return a move for each state that is too close to others; (0, 0) for all other states.

    `firsts` and `seconds` are the states of each pair that is too close. A pair suggests for each
    of its two states a move away from the other state. A state in n > 2 pairs makes the sum of its
    suggested moves, divided by n / 2.
    """
    ways = points[firsts] - points[seconds]
    lengths = np.linalg.norm(ways, axis=1, keepdims=True)
    # States at the same place leave it in different directions.
    same = lengths[:, 0] == 0
    angles = firsts[same].astype(float)
    ways[same] = np.column_stack([np.cos(angles), np.sin(angles)])
    lengths[same] = 1.0
    pushes = ways / lengths * (1.02 * APART - lengths) / 2
    moves = np.zeros_like(points)
    np.add.at(moves, firsts, pushes)
    np.add.at(moves, seconds, -pushes)
    number = np.bincount(np.concatenate([firsts, seconds]), minlength=len(points))
    return np.asarray(moves / np.maximum(1, number / 2)[:, None])


def _find_close_pairs(points: Points) -> tuple[Indices, Indices]:
    """Return the pairs of states that are closer than `APART`, as two arrays of states.

    The plane is divided into squares with the side `APART`, column by column. A state is compared
    with those of its own square and of the four neighbours that have not been compared with it.
    """
    squares = np.floor((points - points.min(axis=0)) / APART).astype(np.int64)
    height = squares[:, 1].max() + 3
    keys = squares[:, 0] * height + squares[:, 1]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    places = np.arange(len(points))
    firsts = []
    seconds = []
    for neighbour in (0, 1, height - 1, height, height + 1):
        begin = np.searchsorted(keys, keys + neighbour)
        end = np.searchsorted(keys, keys + neighbour, side="right")
        if neighbour == 0:
            begin = places + 1
        counts = end - begin
        before = np.cumsum(counts) - counts
        firsts.append(np.repeat(places, counts))
        seconds.append(np.arange(counts.sum()) + np.repeat(begin - before, counts))
    first = order[np.concatenate(firsts)]
    second = order[np.concatenate(seconds)]
    is_close = np.linalg.norm(points[first] - points[second], axis=1) < APART
    return first[is_close], second[is_close]
