"""Places the states of a space in the plane, so that states a few moves apart are near each other.

The distances from some selected states, the pivots, give a first layout. A force-directed layout
then improves it. The initial state is at the left end.
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

_PIVOTS = 60
_PAIRS = 4e9  # pairs of states that all rounds together examine, in some ten seconds


def lay_out(space: Space) -> Points:
    """Return the place of each state; a move has a mean length of 1. Every run returns the same
    places.
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
    return _turn_upright(_scale_to_moves(graph, np.array(loosened.coords)))


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
