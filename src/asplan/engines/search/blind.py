"""Searches without a heuristic: breadth first, depth first, and from both ends.

Sources: Russell and Norvig, Artificial Intelligence: A Modern Approach, chapter 3; Pohl,
Bi-directional Search, Machine Intelligence 6, 1971.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from asplan.core.errors import UsageError
from asplan.core.text import amount
from asplan.domains.model import DomainState
from asplan.engines.search.search import Search
from asplan.result import Result

Node = tuple[DomainState, Any]  # Any: the node from which the state was reached; None at the root


def _path(node: Node | None) -> list[DomainState]:
    """Return the states from the root to a node."""
    states: list[DomainState] = []
    while node is not None:
        state, node = node
        states.append(state)
    return states[::-1]


def bfs_tree(search: Search) -> Result:
    """Search breadth first without memory of states, so that states are expanded repeatedly.

    The first plan is shortest. If there is no plan, the search ends only if all paths end.
    """
    layer: list[Node] = [(state, None) for state in search.model.initials]
    search.queued = len(layer)
    while layer:
        search.open_has(len(layer))
        for node in layer:
            if search.is_goal(node[0]):
                return search.plan_found(_path(node), proven=True, reason=_refuted(search))
        search.bound += 1
        if search.bound > search.deepest:
            return search.too_deep()
        below: list[Node] = []
        for piece in search.chunks(layer, f"at depth {search.bound}"):
            for node in piece:
                below += [(after, node) for after in search.successors(node[0])]
            search.expanded += len(piece)
        search.generated += len(below)
        search.queued += len(below)
        layer = below
    return search.unsolvable("the tree of all paths from the start ends without a goal")


def bfs(search: Search) -> Result:
    """Search breadth first, layer by layer; the first plan is shortest."""
    layers: list[set[DomainState]] = [set(search.model.initials)]
    seen = None if search.domain.reversible else set(layers[0])
    search.queued = len(layers[0])
    while layers[-1]:
        search.open_has(len(layers[-1]))
        if goals := list(filter(search.is_goal, layers[-1])):
            states = _trace(search, layers, _same_of(goals))
            return search.plan_found(states, proven=True, reason=_refuted(search))
        search.bound += 1
        if search.bound > search.deepest:
            return search.too_deep()
        layers.append(_next_layer(search, layers, seen))
    number = sum(map(len, layers))
    return search.unsolvable(f"none of the {number} reachable states is a goal")


def _same_of(states: Iterable[DomainState]) -> DomainState:
    """Return one of some states, the same in every run; sets of text have no fixed order."""
    return min(states, key=repr)


def _next_layer(
    search: Search,
    layers: Sequence[set[DomainState]],
    seen: set[DomainState] | None = None,
) -> set[DomainState]:
    """Return the successors of the last layer that are in no earlier layer.

    `seen` has the states of all layers, and gets the new ones. It is None if moves can be undone:
    then a successor is new or in one of the last two layers.
    """
    expand = search.model.expand
    fresh: set[DomainState] = set()
    for piece in search.chunks(layers[-1], f"at depth {search.bound}"):
        reached = expand(piece)
        search.generated += len(reached)
        search.expanded += len(piece)
        fresh.update(reached)
    if seen is None:
        fresh.difference_update(*layers[-2:])
    else:
        fresh -= seen
        seen |= fresh
    search.queued += len(fresh)
    return fresh


def _trace(
    search: Search,
    layers: Sequence[set[DomainState]],
    state: DomainState,
) -> list[DomainState]:
    """Return a path through the layers to a state in the last one."""
    states = [state]
    for layer in reversed(layers[:-1]):
        states.append(_predecessor(search, layer, states[-1]))
    return states[::-1]


def _predecessor(
    search: Search,
    layer: set[DomainState],
    state: DomainState,
) -> DomainState:
    """Return a state of a layer from which an action leads to a state."""
    if search.domain.reversible:
        return next(before for before in search.successors(state) if before in layer)
    leading: list[DomainState] = []
    for piece in search.chunks(layer, "tracing the plan"):
        leading += search.model.leading(piece, state)
    return _same_of(leading)


def dfs(search: Search) -> Result:
    """Search depth first, with memory of states; the plan need not be shortest."""
    limited = search.run.limits.max_horizon is not None
    starts = search.model.initials
    stack: list[tuple[Node, int]] = [((state, None), 0) for state in reversed(starts)]
    seen: dict[DomainState, int] = dict.fromkeys(starts, 0)
    search.queued = len(stack)
    cut = False
    while stack:
        search.open_has(len(stack))
        node, depth = stack.pop()
        search.take_out(f"at depth {depth}")
        if search.is_goal(node[0]):
            reason = "the first plan, depth first"
            return search.plan_found(_path(node), proven=False, reason=reason)
        if depth >= search.deepest:
            cut = True
            continue
        for after in reversed(search.expand(node[0])):
            if after not in seen or (limited and depth + 1 < seen[after]):
                seen[after] = depth + 1
                stack.append(((after, node), depth + 1))
                search.queued += 1
    if cut:
        return search.too_deep()
    return search.unsolvable(f"none of the {len(seen)} reachable states is a goal")


def _refuted(search: Search) -> str:
    """Return the claim of a breadth-first search that has just found its first plan."""
    return f"no goal within {amount(search.bound - 1, 'step')}"


def bidirectional(search: Search) -> Result:
    """Search breadth first from both ends; the smaller frontier goes on.

    If a layers from the start and b from the goals do not meet, each plan has more than a + b
    steps, so the first meeting gives a shortest plan. Raises `UsageError` if moves cannot be
    undone, or if the domain does not list its goal states.
    """
    ahead: list[set[DomainState]] = [{search.model.initial}]
    behind: list[set[DomainState]] = [_goals(search)]
    search.queued = 1 + len(behind[0])
    while not (meeting := ahead[-1] & behind[-1]):
        search.bound += 1
        if search.bound > search.deepest:
            return search.too_deep()
        search.open_has(len(ahead[-1]) + len(behind[-1]))
        smaller = min(ahead, behind, key=lambda layers: len(layers[-1]))
        smaller.append(_next_layer(search, smaller))
        if not smaller[-1]:
            number = sum(map(len, smaller))
            if smaller is behind:
                states = f"{number} states from which a goal can be reached"
                return search.unsolvable(f"none of the {states} is the initial one")
            return search.unsolvable(f"none of the {number} reachable states is a goal")
    middle = _same_of(meeting)
    first = _trace(search, ahead, middle)
    second = _trace(search, behind, middle)
    return search.plan_found(first + second[-2::-1], proven=True, reason=_refuted(search))


def _goals(search: Search) -> set[DomainState]:
    """Return the goal states; raise `UsageError` if a search from them is impossible."""
    name = search.domain.name
    if not search.domain.reversible:
        needs = f"moves that can be undone; not so in {name}"
        raise UsageError(f"engine bidirectional needs {needs}", hint="use --engine bfs")
    goals = search.model.goals()
    if goals is None:
        needs = f"a list of the goal states; {name} has too many"
        raise UsageError(f"engine bidirectional needs {needs}", hint="use --engine bfs")
    return set(goals)
