"""The facts of a task with time, for the encoding; times are whole numbers of a unit."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from asplan.pddl.numeric.facts import to_numeric_facts
from asplan.pddl.numeric.scale import (
    LARGEST,
    NumericTask,
    after_steps,
)
from asplan.pddl.task.facts import to_facts
from asplan.pddl.temporal.ground import (
    EPSILON,
    LastingAction,
    TimedTask,
)

_DECIMAL = {2**a * 5**b for a in range(7) for b in range(7)}
"""The denominators of fractions with at most six decimal places."""

_MOST_LAYERS = 100
"""The maximum number of layers for which the latest time of an end is computed."""

_BOUNDS = {"=": ("at_least", "at_most"), ">=": ("at_least",), "<=": ("at_most",)}


def timed_facts(timed: TimedTask) -> str:
    """Return the facts for encodings/pddl/temporal.lp, including facts about numbers."""
    if timed.numbers is None:
        start = to_facts(timed.grounded.task, ())
    else:
        start = to_numeric_facts(timed.numbers, timed.names, ())
    return start + "\n".join(_lines(timed)) + "\n"


def _lines(timed: TimedTask) -> Iterator[str]:
    """Yield lines of the facts about time."""
    epsilon = _epsilon(timed)
    yield f"epsilon({epsilon})."
    if timed.numbers is not None:
        yield from _latest(timed, timed.numbers, epsilon)
    for action in timed.lasting:
        yield from _action(timed, action)
    for term, o in timed.demands.items():
        yield f"demands({term},{o})."
    for o, time in timed.events.items():
        yield f"event({o},{timed.units(time)})."
    for o, (reads, writes) in enumerate(zip(timed.reads, timed.writes, strict=True)):
        yield " ".join(f"reads({o},{resource})." for resource in sorted(reads))
        yield " ".join(f"writes({o},{resource})." for resource in sorted(writes))


def _epsilon(timed: TimedTask) -> int:
    """Return the least time between interfering instants, in units, with a margin for rounding."""
    epsilon = timed.units(EPSILON)
    if not timed.is_exact:
        # The times of events are rounded, too.
        return epsilon + 1
    if timed.unit.denominator not in _DECIMAL:
        # Plans are written in decimals, which are rounded.
        return epsilon + ceil(epsilon / 250)
    return epsilon


def _action(timed: TimedTask, action: LastingAction) -> Iterator[str]:
    """Yield lines of the facts of a durative action."""
    task = timed.grounded.task
    term = action.term
    longest = "#sup" if action.longest is None else timed.units(action.longest)
    yield f"duration({term},{timed.units(action.shortest)},{longest})."
    yield from _limits(timed, action)
    yield f"  running({term},{action.running[0]},{task.atom(action.running)})."
    yield " ".join(f"starts({o},{term})." for o in action.starts)
    yield " ".join(f"ends({o},{term})." for o in action.ends)
    for k, facts in enumerate(action.throughout):
        atoms = [f"way({term},{k})."]
        for v, d in facts:
            atoms.append(f"throughout({term},{k},{v},{task.atom((v, d))}).")
        yield " ".join(atoms)
    yield " ".join(f"watches({term},{resource})." for resource in sorted(action.watches))


def _limits(timed: TimedTask, action: LastingAction) -> Iterator[str]:
    """Yield facts for the bounds of a duration that may change: numbers of the task.

    Each fact has the factor that converts the number to units of time, as a fraction.
    """
    numbers = timed.numbers
    for word, number in action.limits:
        assert numbers is not None
        n = numbers.numbers.index(number)
        factor = timed.unit.denominator / Fraction(numbers.factors[n])
        by = factor.denominator
        for bound in _BOUNDS[word]:
            yield f"  {bound}({action.term},{n},{by},{factor.numerator},{by // 2})."


def _latest(
    timed: TimedTask,
    numbers: NumericTask,
    epsilon: int,
) -> Iterator[str]:
    """Yield facts `latest(L,T)`: all actions of a plan of L layers can end by T, in units of time.

    If everything happens as soon as possible, each instant follows another instant after a duration
    or after epsilon. An action takes place at most once in two layers. An action whose duration may
    vary takes its least duration. The facts end when T exceeds the largest number of the solver.
    """
    instants = 2 * epsilon * (len(timed.lasting) + len(timed.grounded.task.operators))
    last = max(map(timed.units, timed.events.values()), default=0) + epsilon
    layers = range(1, _MOST_LAYERS)
    for layer, bounds in zip(layers, after_steps(numbers), strict=False):
        together = float(instants)
        for action in timed.lasting:
            least = [float(timed.units(action.shortest))]
            for word, number in action.limits:
                if word != "<=":
                    n = numbers.numbers.index(number)
                    least.append(bounds[n][1] / (numbers.factors[n] * float(timed.unit)) + 1)
            together += max(least)
        latest = together * ((layer + 1) // 2) + last
        if latest > LARGEST:
            return
        yield f"latest({layer},{ceil(latest)})."
