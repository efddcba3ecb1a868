"""Tasks with time: the facts of one, with times as whole numbers of a unit; and from the layers of
instants that an answer has to a plan whose actions have times.

`split` makes instants of actions, and says what they read and write; `ground` grounds them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING

from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.core.text import decimal_text
from asplan.pddl.numeric import to_numeric_facts
from asplan.pddl.numeric.scale import LARGEST, NumericTask, after_steps
from asplan.pddl.task.facts import to_facts
from asplan.pddl.temporal.ground import EPSILON, Timed
from asplan.result import Result

if TYPE_CHECKING:
    from asplan.core.plan import Timing

_DECIMAL = {2**a * 5**b for a in range(7) for b in range(7)}
"""Denominators of fractions with at most six decimals."""

_LAYERS = 100  # so far it is said when actions end

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


TEMPORAL, TEMPORAL_NUMERIC = "temporal", "temporal_numeric"
"""The encodings for tasks with time, and for those in which numbers matter as well."""

LAYERS = "layers"  # what the horizon of a task with time counts


_WITHOUT_TIME = ("sequential", "forall", "exists", "relaxed", "rolled", "cheapest")


def refuse_others(named: str | None, preferred: Sequence[str]) -> None:
    """Raise `UsageError` where an encoding or an aim is asked for that knows no time."""
    name = (named or "").removeprefix("pddl/").removeprefix("numeric_")
    if name in _WITHOUT_TIME:
        what = f"{name} knows no time, and the task has some"
        raise UsageError(what, hint=f"leave it out: {TEMPORAL} finds plans with the fewest layers")
    if "cheapest" in preferred:
        what = "--optimal: of tasks with time asplan minimizes the layers, then the makespan"
        raise UsageError(what, hint="leave it out")


def with_times(timed: Timed, result: Result) -> Result:
    """A result of the encoding for tasks with time, as the task speaks of it."""

    def in_time(match: re.Match[str]) -> str:
        return match[1] + decimal_text(int(match[2]) * timed.unit)

    reason = re.sub(r"(makespan |at least )(-?\d+)", in_time, result.reason)
    reason = re.sub(r"shortest: (\d+) steps refuted", r"fewest layers: \1 refuted", reason)
    return replace(
        result,
        optimized=LAYERS,
        plans=tuple(timed_plan(timed, plan) for plan in result.plans),
        cost=None,
        reason=re.sub(r"(least|possible) of (\d+) steps", r"\1 with \2 layers", reason),
        trajectory=None,
    )


def timed_plan(timed: Timed, plan: Plan) -> Plan:
    """The plan of the actions that start in some layers, at the times that the answer says."""
    unit, begun = timed.unit, sorted(_begun(timed, plan))
    steps = [list(group) for _, group in groupby(begun, key=lambda each: each[0])]
    times: tuple[tuple[Timing, ...], ...] = tuple(
        tuple((start * unit, None if takes is None else takes * unit) for start, _, takes in step)
        for step in steps
    )
    return Plan(tuple(tuple(action for _, action, _ in step) for step in steps), times=times)


def _begun(timed: Timed, plan: Plan) -> Iterator[tuple[int, str, int | None]]:
    """The actions with their starts and durations, in units of time."""
    lasting = {action.term: action for action in timed.lasting}
    values = {term: int(value) for term, value in plan.values.items()}
    running: dict[str, int] = {}
    for layer, instants in enumerate(plan, 1):
        for instant in instants:
            kind, _, term = instant.removesuffix(")").partition("(")
            if kind == "start" and term in lasting:
                running[term] = values[f"time(begin({lasting[term].running[0]}),{layer})"]
            elif kind == "end" and term in lasting:
                start, action = running.pop(term), lasting[term]
                if action.shortest == action.longest:
                    takes: int | None = timed.units(action.shortest)
                else:
                    takes = values[f"time(end({action.running[0]}),{layer})"] - start
                yield start, term, takes
            elif kind != "event":
                takes = 0 if instant in timed.at_once else None
                # Of several operators for one action that which happens has the latest time.
                operators = timed.grounded.task.by_action[instant]
                several = (f"time(moment({o}),{layer})" for o in operators)
                yield max(values[term] for term in several if term in values), instant, takes
