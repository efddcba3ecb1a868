"""A ground task with time as facts; times are whole numbers of a unit."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, lcm

from asplan.pddl.language.names import PddlNames
from asplan.pddl.numeric.facts import to_numeric_facts
from asplan.pddl.task.facts import to_facts
from asplan.pddl.temporal.ground import EPSILON, Timed

_DECIMAL = {2**a * 5**b for a in range(7) for b in range(7)}
"""Denominators of fractions with at most six decimals."""


def unit_of(timed: Timed) -> Fraction:
    """The longest time of which all times of a task, and epsilon, are multiples."""
    times = [EPSILON, *timed.events.values()]
    for action in timed.lasting:
        times += [time for time in (action.shortest, action.longest) if time is not None]
    return Fraction(1, lcm(*(time.denominator for time in times)))


def timed_facts(timed: Timed, names: PddlNames) -> str:
    """The facts that encodings/pddl/temporal.lp reads, and those of numbers if they matter."""
    if timed.numbers is None:
        start = to_facts(timed.grounded.task, ())
    else:
        start = to_numeric_facts(timed.numbers, names, ())
    return start + "\n".join(_lines(timed)) + "\n"


def _lines(timed: Timed) -> Iterator[str]:
    unit, task = unit_of(timed), timed.grounded.task

    def units(time: Fraction) -> int:
        return int(time / unit)

    epsilon = units(EPSILON)
    if unit.denominator not in _DECIMAL:
        epsilon += ceil(epsilon / 250)  # plans are written in decimals, which are rounded
    yield f"epsilon({epsilon})."
    for action in timed.lasting:
        longest = action.longest
        most = "#sup" if longest is None else units(longest)
        yield f"duration({action.term},{units(action.shortest)},{most})."
        yield f"  running({action.term},{action.running[0]},{task.atom(action.running)})."
        yield " ".join(f"starts({o},{action.term})." for o in action.starts)
        yield " ".join(f"ends({o},{action.term})." for o in action.ends)
        for k, facts in enumerate(action.throughout):
            needs = (f"throughout({action.term},{k},{v},{task.atom((v, d))})." for v, d in facts)
            yield " ".join([f"way({action.term},{k}).", *needs])
        yield " ".join(f"watches({action.term},{x})." for x in sorted(action.watches))
    yield from (f"demands({term},{o})." for term, o in timed.demands.items())
    for o, time in timed.events.items():
        yield f"event({o},{units(time)})."
    for o, (reads, writes) in enumerate(zip(timed.reads, timed.writes, strict=True)):
        yield " ".join(f"reads({o},{x})." for x in sorted(reads))
        yield " ".join(f"writes({o},{x})." for x in sorted(writes))
