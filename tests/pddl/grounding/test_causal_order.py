"""The order of variables: influences first, the variables of the goal last."""

import numpy as np
import pytest

from asplan.pddl.grounding.variables import causal_order

NOTHING = np.zeros((2, 0), dtype=np.int64)

ORDERS = {
    "what is asked for stands before what changes": (
        [(0, 1), (1, 2)],
        [(0, 0), (1, 1)],
        [],
        [2, 1, 0],
    ),
    "in a cycle, what the goal asks for comes last": (
        [(0, 0), (1, 1)],
        [(0, 1), (1, 0)],
        [0],
        [1, 0],
    ),
    "in a cycle, who has the fewest influences comes first": (
        [(0, 0), (1, 0), (2, 1), (3, 2), (4, 1)],
        [(0, 1), (1, 1), (2, 0), (3, 1), (4, 2)],
        [],
        [0, 1, 2],
    ),
    "without influences they stay": ([], [], [], [0, 1, 2]),
}


@pytest.mark.parametrize("about", ORDERS)
def test_the_order(about: str) -> None:
    needs, changes, goal, order = ORDERS[about]
    pairs = [np.array(rows, dtype=np.int64).reshape(-1, 2).T for rows in (needs, changes)]
    assert causal_order(*pairs, NOTHING, goal, len(order)) == order


def test_conditions_and_axioms_count() -> None:
    reads = np.array([[0], [1]])  # variable 0 follows from variable 1
    assert causal_order(NOTHING, NOTHING, reads, [], 2) == [1, 0]
