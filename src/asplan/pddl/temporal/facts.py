"""A ground task with time as facts; times are whole numbers of a unit."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from asplan.pddl.numeric.bounds import after_steps
from asplan.pddl.numeric.facts import to_numeric_facts
from asplan.pddl.numeric.scale import LARGEST, NumericTask
from asplan.pddl.task.facts import to_facts
from asplan.pddl.temporal.ground import EPSILON, Timed

_DECIMAL = {2**a * 5**b for a in range(7) for b in range(7)}
"""Denominators of fractions with at most six decimals."""

_LAYERS = 100
"""So far it is said when actions end."""

_BOUNDS = {"=": ("at_least", "at_most"), ">=": ("at_least",), "<=": ("at_most",)}


def timed_facts(timed: Timed) -> str:
    """The facts that encodings/pddl/temporal.lp reads, and those of numbers if they matter."""
    if timed.numbers is None:
        start = to_facts(timed.grounded.task, ())
    else:
        start = to_numeric_facts(timed.numbers, timed.names, ())
    return start + "\n".join(_lines(timed)) + "\n"


def _lines(timed: Timed) -> Iterator[str]:
    task, parts, numbers = timed.grounded.task, timed.unit.denominator, timed.numbers
    epsilon = timed.units(EPSILON)
    if not timed.is_exact:
        epsilon += 1  # events are rounded, too
    elif parts not in _DECIMAL:
        epsilon += ceil(epsilon / 250)  # plans are written in decimals, which are rounded
    yield f"epsilon({epsilon})."
    if numbers is not None:
        yield from _latest(timed, numbers, epsilon)
    for action in timed.lasting:
        longest = action.longest
        most = "#sup" if longest is None else timed.units(longest)
        yield f"duration({action.term},{timed.units(action.shortest)},{most})."
        for word, number in action.limits:
            assert numbers is not None
            n = numbers.numbers.index(number)
            by, k = (parts / Fraction(numbers.factors[n])).as_integer_ratio()[::-1]
            for bound in _BOUNDS[word]:
                yield f"  {bound}({action.term},{n},{by},{k},{by // 2})."
        yield f"  running({action.term},{action.running[0]},{task.atom(action.running)})."
        yield " ".join(f"starts({o},{action.term})." for o in action.starts)
        yield " ".join(f"ends({o},{action.term})." for o in action.ends)
        for k, facts in enumerate(action.throughout):
            needs = (f"throughout({action.term},{k},{v},{task.atom((v, d))})." for v, d in facts)
            yield " ".join([f"way({action.term},{k}).", *needs])
        yield " ".join(f"watches({action.term},{x})." for x in sorted(action.watches))
    yield from (f"demands({term},{o})." for term, o in timed.demands.items())
    for o, time in timed.events.items():
        yield f"event({o},{timed.units(time)})."
    for o, (reads, writes) in enumerate(zip(timed.reads, timed.writes, strict=True)):
        yield " ".join(f"reads({o},{x})." for x in sorted(reads))
        yield " ".join(f"writes({o},{x})." for x in sorted(writes))


def _latest(timed: Timed, numbers: NumericTask, epsilon: int) -> Iterator[str]:
    """How late actions end at most in plans with so many layers, as far as that can be counted.

    If all happens as soon as it can, each instant is later than another one by a duration, or by
    epsilon. An action takes place once in two layers at most, and takes no longer than it must.
    """
    instants = 2 * epsilon * (len(timed.lasting) + len(timed.grounded.task.operators))
    last = max(map(timed.units, timed.events.values()), default=0) + epsilon
    for layers, known in zip(range(1, _LAYERS), after_steps(numbers), strict=False):
        together = float(instants)
        for action in timed.lasting:
            least = [float(timed.units(action.shortest))]
            for word, number in action.limits:
                if word != "<=":
                    n = numbers.numbers.index(number)
                    least.append(known[n][1] / (numbers.factors[n] * float(timed.unit)) + 1)
            together += max(least)
        latest = together * ((layers + 1) // 2) + last
        if latest > LARGEST:
            return
        yield f"latest({layers},{ceil(latest)})."
