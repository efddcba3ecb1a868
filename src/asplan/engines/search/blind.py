"""Search without a guide: breadth first over the tree and over the graph, and depth first.

Source: Russell and Norvig, Artificial Intelligence: A Modern Approach, chapter 3; for both ends at
once Pohl, Bi-directional Search, Machine Intelligence 6, 1971.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from asplan.core.errors import UsageError
from asplan.engines.search.search import Search
from asplan.result import Result

Node = tuple[Any, Any]  # a state and the node it was reached from; None at the root


def bfs_tree(search: Search) -> Result:
    """Breadth first without memory of states: what is reached again is searched again.

    The first plan is shortest. Without a plan it ends only where no action applies.
    """
    layer: list[Node] = [(state, None) for state in search.model.initials]
    search.queued = len(layer)
    while layer:
        search.open_has(len(layer))
        for node in layer:
            if search.is_goal(node[0]):
                return search.found(path(node), proven=True, reason=refuted(search))
        search.bound += 1
        if search.bound > search.deepest:
            return search.too_deep()
        below: list[Node] = []
        for piece in search.chunks(layer, f"at depth {search.bound}"):
            below += [(after, node) for node in piece for after in search.successors(node[0])]
            search.expanded += len(piece)
        search.generated += len(below)
        search.queued += len(below)
        layer = below
    return search.unsolvable("the tree of all paths from the start ends without a goal")


def bfs(search: Search) -> Result:
    layers: list[set[Any]] = [set(search.model.initials)]
    seen = None if search.domain.reversible else set(layers[0])
    search.queued = len(layers[0])
    while layers[-1]:
        search.open_has(len(layers[-1]))
        if goals := list(filter(search.is_goal, layers[-1])):
            states = trace(search, layers, same_of(goals))
            return search.found(states, proven=True, reason=refuted(search))
        search.bound += 1
        if search.bound > search.deepest:
            return search.too_deep()
        layers.append(next_layer(search, layers, seen))
    return search.unsolvable(f"none of the {sum(map(len, layers))} reachable states is a goal")


def same_of(states: Iterable[Any]) -> Any:
    """One of some states, the same in every run: sets of states that hold text are in no order."""
    return min(states, key=repr)


def next_layer(
    search: Search, layers: Sequence[set[Any]], seen: set[Any] | None = None
) -> set[Any]:
    """The states that follow the last layer and are in none before.

    Where moves can be undone a state that follows is new, or in one of the last two layers; else
    `seen` has the states of all layers, and gets the new ones.
    """
    expand, fresh = search.model.expand, set[Any]()
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


def trace(search: Search, layers: Sequence[set[Any]], state: Any) -> list[Any]:
    """A path through the layers to a state in the last of them, found from its end."""
    states, leading = [state], search.model.leading
    for layer in reversed(layers[:-1]):
        state = states[-1]
        if search.domain.reversible:
            states.append(next(s for s in search.successors(state) if s in layer))
        else:
            pieces = search.chunks(layer, "going back")
            states.append(same_of(s for piece in pieces for s in leading(piece, state)))
    return states[::-1]


def dfs(search: Search) -> Result:
    """Depth first, with memory of states: finds some plan, or sees that there is none."""
    limited = search.run.limits.max_horizon is not None
    starts = search.model.initials
    stack: list[tuple[Node, int]] = [((state, None), 0) for state in reversed(starts)]
    seen: dict[Any, int] = dict.fromkeys(starts, 0)
    search.queued, cut = len(stack), False
    while stack:
        search.open_has(len(stack))
        node, depth = stack.pop()
        search.take_out(f"at depth {depth}")
        if search.is_goal(node[0]):
            return search.found(path(node), proven=False, reason="the first plan, depth first")
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


def path(node: Node | None) -> list[Any]:
    states = []
    while node is not None:
        state, node = node
        states.append(state)
    return states[::-1]


def refuted(search: Search) -> str:
    """What a breadth-first search has proven when it finds its first plan."""
    return f"no goal within {search.bound - 1} steps"


def bidirectional(search: Search) -> Result:
    """Breadth first from both ends at once: the smaller of the two frontiers goes on.

    After a layers from the start and b from the goals without a meeting every plan has more than
    a + b steps, so the first meeting gives a shortest plan.
    Raises `UsageError` where moves cannot be undone, or the domain does not list its goal states.
    """
    goals, name = search.model.goals(), search.domain.name
    if goals is None or not search.domain.reversible:
        needs = f"a list of the goal states; {name} has too many"
        if not search.domain.reversible:
            needs = f"moves that can be undone; not so in {name}"
        raise UsageError(f"engine bidirectional needs {needs}", hint="use --engine bfs")
    ahead: list[set[Any]] = [{search.model.initial}]
    behind: list[set[Any]] = [set(goals)]
    search.queued = 1 + len(behind[0])
    while not (met := ahead[-1] & behind[-1]):
        search.bound += 1
        if search.bound > search.deepest:
            return search.too_deep()
        search.open_has(len(ahead[-1]) + len(behind[-1]))
        smaller = min(ahead, behind, key=lambda layers: len(layers[-1]))
        smaller.append(next_layer(search, smaller))
        if not smaller[-1]:
            what, is_not = "reachable states", "a goal"
            if smaller is behind:
                what, is_not = "states from which a goal can be reached", "the initial one"
            states = sum(map(len, smaller))
            return search.unsolvable(f"none of the {states} {what} is {is_not}")
    middle = same_of(met)
    first, second = (trace(search, layers, middle) for layers in (ahead, behind))
    return search.found(first + second[-2::-1], proven=True, reason=refuted(search))
