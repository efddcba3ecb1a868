"""Where each state of a space lies in a picture: near in moves is near in the picture.

Pivots give a first drawing, which springs then loosen. The start lies at the left end.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asplan.search.space import Space

Points = NDArray[np.float64]
"""Of shape (states, 2): x goes right and y goes down."""

_PIVOTS = 60
_PAIRS = 4e9
"""Pairs of states that springs may look at, all rounds together: some ten seconds."""


def lay_out(space: Space) -> Points:
    """The place of each state; two states that one move joins are about 1 apart.

    The same space gets the same places in every run.
    """
    import igraph

    size, pairs = len(space.states), sorted({tuple(sorted(m[:2])) for m in space.moves})
    graph = igraph.Graph(size, [pair for pair in pairs if pair[0] != pair[1]])
    if size < 3:
        return np.array([[state, 0.0] for state in range(size)])
    igraph.set_random_number_generator(random.Random(0))
    rounds = int(min(500, max(60, _PAIRS / size**2)))
    spread = graph.layout_fruchterman_reingold(
        seed=_around_pivots(graph).tolist(), niter=rounds, start_temp=2, grid="nogrid"
    )
    return _upright(_of_unit_moves(graph, np.array(spread.coords)))


def _around_pivots(graph: Any) -> Points:
    """Brandes and Pich (2007), "Eigensolver methods for progressive multidimensional scaling of
    large data": the distances to some pivots, far apart from each other, projected to a plane.
    """
    rows = [np.array(graph.distances(source=[0])[0], float)]
    nearest = rows[0].copy()
    while len(rows) < _PIVOTS and nearest.max() > 0:
        rows.append(np.array(graph.distances(source=[int(nearest.argmax())])[0], float))
        nearest = np.minimum(nearest, rows[-1])
    squares = np.array(rows).T ** 2
    centred = squares.mean(0) + squares.mean(1, keepdims=True) - squares - squares.mean()
    _, axes = np.linalg.eigh(centred.T @ centred)
    return _of_unit_moves(graph, centred @ axes[:, [-1, -2]])


def _of_unit_moves(graph: Any, points: Points) -> Points:
    ends = np.array(graph.get_edgelist())
    lengths = np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1)
    return points / (lengths.mean() or 1.0)


def _upright(points: Points) -> Points:
    """Turned so that the longest side lies level, with the start (state 0) at the left."""
    points = points - points.mean(0)
    _, _, axes = np.linalg.svd(points, full_matrices=False)
    points = points @ axes.T
    # The signs of axes are the solver's choice; a picture should not depend on it.
    signs = np.where(points[0] > 0, -1.0, 1.0)
    return np.asarray(points * signs)
