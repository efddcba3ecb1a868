"""Landmarks of the delete relaxation: facts that every plan makes true at some time.

Source: Keyder, Richter and Helmert, Sound and Complete Landmarks for And/Or Graphs, ECAI 2010. A
set of facts is a whole number with a bit for each fact.
"""

from __future__ import annotations

from asplan.pddl.task.relaxation import Flat


def landmarks(
    flat: Flat,
    initial: list[int],
    facts: int,
) -> tuple[list[int], list[list[int]]]:
    """Return the landmarks, and for each of them the landmarks that must come before it.

    The second result has, for each landmark, indices in the first. A fact must come before a
    landmark if every part that can be the first to add the landmark needs the fact. A part is an
    axiom, or the facts that an operator adds under one condition (see `relaxation.Part`).

    Parameters
    ----------
    initial
        The facts of the initial state, with `flat.start`.
    facts
        The number of facts of the task. Facts with larger numbers are auxiliary and no landmarks.
    """
    known = _landmarks_of_facts(flat, initial)
    mask = (known[flat.goal] or 0) & (1 << facts) - 1
    marks = [fact for fact in range(mask.bit_length()) if mask >> fact & 1]
    places = {fact: place for place, fact in enumerate(marks)}
    needs = list[list[int]]()
    for fact in marks:
        common = sorted(_common_needs(flat, known, fact))
        needs.append([places[needed] for needed in common if needed in places])
    return marks, needs


def _common_needs(
    flat: Flat,
    known: list[int | None],
    fact: int,
) -> set[int]:
    """Return the facts that are preconditions of every part that can be the first to add a fact.

    `known` has the landmarks of each fact.
    """
    common: set[int] | None = None
    for part in flat.added_by[fact]:
        needed = flat.preconditions[part]
        # A part with an unreachable precondition, or one that needs the fact, is never the first.
        if any((known[other] or -1) >> fact & 1 for other in needed):
            continue
        common = set(needed) if common is None else common.intersection(needed)
    return common or set()


def _landmarks_of_facts(
    flat: Flat,
    initial: list[int],
) -> list[int | None]:
    """Return the landmarks of each fact, as a number with a bit for each; None if unreachable.

    Every relaxed plan for a fact reaches its landmarks. One of them is the fact itself. The others
    are landmarks of the precondition of every part that adds the fact.
    """
    known: list[int | None] = [None] * flat.facts
    for fact in initial:
        known[fact] = 1 << fact
    missing = list(flat.sizes)  # the number of unreached preconditions of each part
    changed = set(initial)
    reached = changed
    while changed:
        for fact in reached:
            for part in flat.needed_by[fact]:
                missing[part] -= 1
        waiting = set[int]().union(*[flat.needed_by[fact] for fact in changed])
        changed = set()
        reached = set()
        for part in waiting:
            if missing[part]:
                continue
            common = _landmarks_of_part(flat, known, part)
            for added in flat.adds[part]:
                old = known[added]
                new = (common if old is None else common & old) | 1 << added
                if new != old:
                    known[added] = new
                    changed.add(added)
                    if old is None:
                        reached.add(added)
    return known


def _landmarks_of_part(
    flat: Flat,
    known: list[int | None],
    part: int,
) -> int:
    """Return the landmarks of all preconditions of a part, as a number with a bit for each.

    `known` has the landmarks of each fact.
    """
    union = 0
    for needed in flat.preconditions[part]:
        union |= known[needed] or 0
    return union
