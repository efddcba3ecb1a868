"""Searches without a heuristic: breadth first, depth first, and from both ends.

Sources: Russell and Norvig, Artificial Intelligence: A Modern Approach, chapter 3; Pohl,
Bi-directional Search, Machine Intelligence 6, 1971.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from asplan.core.errors import UsageError
from asplan.core.search import breadth_first, path_through, path_to
from asplan.core.text import amount
from asplan.domains.model import DomainState
from asplan.engines.search.search import Search
from asplan.result import Result

Node = tuple[DomainState, Any]  # a state, and the node before it (Any: a Node; None at the root)


def _path(node: Node) -> list[DomainState]:
    """Return the states from the root to a node."""
    return [state for state, _ in path_to(node, lambda node: node[1])]


def bfs_tree(search: Search) -> Result:
    """Search breadth first, without memory of visited states: each may be expanded repeatedly.

    The first plan is a shortest one. If there is no plan, the search ends only if all paths end.
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
    """Search breadth first, layer by layer; the first plan is a shortest one."""
    layers: list[set[DomainState]] = []
    for layer in breadth_first(search.initials, search.expand_layer, search.domain.reversible):
        layers.append(layer)
        search.queued += len(layer)
        search.open_has(len(layer))
        if goals := list(filter(search.is_goal, layer)):
            states = _path_through(search, layers, _same_of(goals))
            return search.plan_found(states, proven=True, reason=_refuted(search))
        search.bound += 1
        if search.bound > search.deepest:
            return search.too_deep()
    return search.unsolvable(f"none of the {search.queued} reachable states is a goal")


def _same_of(states: Iterable[DomainState]) -> DomainState:
    """Return one of the states, by a rule that does not depend on the order of a set."""
    return min(states, key=_text_of)


def _text_of(state: DomainState) -> str:
    """Return a text of a state that does not depend on the order of a set."""
    return repr(sorted(map(repr, state))) if type(state) is frozenset else repr(state)


def _path_through(
    search: Search,
    layers: Sequence[set[DomainState]],
    state: DomainState,
) -> list[DomainState]:
    """Return a path to a state in the last layer, with one state in each layer."""
    return path_through(layers, state, partial(_predecessor, search))


def _predecessor(
    search: Search,
    layer: set[DomainState],
    state: DomainState,
) -> DomainState:
    """Return a state in `layer` that has the successor `state`; every run returns the same one."""
    if search.domain.reversible:
        return next(before for before in search.successors(state) if before in layer)
    leading: list[DomainState] = []
    for piece in search.chunks(layer, "tracing the plan"):
        leading += search.model.leading(piece, state)
    return _same_of(leading)


def dfs(search: Search) -> Result:
    """Search depth first, with memory of visited states; the plan need not be shortest."""
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
    """Return the reason why the first plan of a breadth-first search is a shortest one."""
    return f"no goal within {amount(search.bound - 1, 'step')}"


def bidirectional(search: Search) -> Result:
    """Search breadth first from the initial state and from the goals, until both searches meet.

    The search with the smaller last layer is continued. If m layers from the start and n layers
    from the goals do not meet, each plan has more than m + n steps; so the first meeting gives a
    shortest plan. Raises `UsageError` if moves cannot be undone, or if the domain does not list its
    goal states.
    """
    forward = breadth_first([search.model.initial], search.expand_layer, reversible=True)
    backward = breadth_first(_goals(search), search.expand_layer, reversible=True)
    ahead = [next(forward)]
    behind = [next(backward, set())]
    search.queued = 1 + len(behind[0])
    while not (meeting := ahead[-1] & behind[-1]):
        search.bound += 1
        if search.bound > search.deepest:
            return search.too_deep()
        search.open_has(len(ahead[-1]) + len(behind[-1]))
        goes_forward = len(ahead[-1]) <= len(behind[-1])
        layers, further = (ahead, forward) if goes_forward else (behind, backward)
        layers.append(next(further, set()))
        search.queued += len(layers[-1])
        if not layers[-1]:
            number = sum(map(len, layers))
            if goes_forward:
                return search.unsolvable(f"none of the {number} reachable states is a goal")
            states = f"{number} states from which a goal can be reached"
            return search.unsolvable(f"none of the {states} is the initial one")
    middle = _same_of(meeting)
    first = _path_through(search, ahead, middle)
    second = _path_through(search, behind, middle)
    return search.plan_found(first + second[-2::-1], proven=True, reason=_refuted(search))


def _goals(search: Search) -> set[DomainState]:
    """Return all goal states of the model.

    Raises `UsageError` if moves cannot be undone, or if the domain does not list its goal states.
    """
    name = search.domain.name
    if not search.domain.reversible:
        needs = f"moves that can be undone, which {name} does not have"
        raise UsageError(f"engine bidirectional needs {needs}", hint="use --engine bfs")
    goals = search.model.goals()
    if goals is None:
        needs = f"a list of the goal states; {name} has too many"
        raise UsageError(f"engine bidirectional needs {needs}", hint="use --engine bfs")
    return set(goals)
