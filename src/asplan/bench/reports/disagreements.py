"""Contradictory answers of methods, and invalid plans.

All methods must agree on whether there is a plan. Lengths are compared only between methods of one
kind, because methods may count differently: PDDL with `--steps forall` has shorter plans than with
`sequential`. The *kind* of a method consists of the values of `steps`, `metric`, `constants` and
`optimal` in its entry of the suite, and of whether any of its plans has more actions than steps.
Two encodings that count differently for another reason are reported to disagree.
"""

import json
from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from enum import StrEnum
from typing import TypeVar

from asplan.bench.records import Record, RunStart, unique
from asplan.bench.reports.stored_suite import methods_of
from asplan.core.choices import STEPS
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.problem import Inputs
from asplan.problem.inputs import STEPPED, with_variant
from asplan.result import Outcome

_MOST_STEPS = 10**9
"""The bound from which a plan length in a file cannot be that of a plan that a method found."""

Key = TypeVar("Key")

Objective = tuple[int, ...]
"""The optimized value of a plan: its costs by priority, or its length as the only number."""


class FaultKind(StrEnum):
    """The kinds of disagreements, the worst first."""

    INVALID = "invalid plan"
    SOLVABLE = "solvable or not"
    OPTIMUM = "different optimum"
    BOUND = "bound above a plan"


@dataclass(frozen=True)
class Disagreement:
    """A contradiction between methods on an instance, or an invalid plan of one method."""

    fault: FaultKind
    instance: str
    methods: tuple[str, ...]
    text: str

    @property
    def key(self) -> tuple[FaultKind, str, tuple[str, ...]]:
        """A key by which the same disagreement is found in other results."""
        return self.fault, self.instance, tuple(sorted(self.methods))


def find_disagreements(start: RunStart, records: Sequence[Record]) -> tuple[Disagreement, ...]:
    """Return all disagreements between the methods of some results, the worst first."""
    return find_contradictions(kinds_of(start, records), records)


def find_contradictions(
    kinds: Mapping[str, str], records: Iterable[Record]
) -> tuple[Disagreement, ...]:
    """Return all disagreements between methods, the worst first; `kinds` has the kind of each
    method.
    """
    disagreements: list[Disagreement] = []
    for group in group_by(records, lambda record: record.instance).values():
        disagreements += _check_instance(kinds, group)
    order = list(FaultKind)
    return tuple(sorted(disagreements, key=lambda found: order.index(found.fault)))


def group_by(records: Iterable[Record], key: Callable[[Record], Key]) -> dict[Key, list[Record]]:
    """Group records by a key; the keys are in the order of their first occurrence."""
    groups: dict[Key, list[Record]] = defaultdict(list)
    for record in records:
        groups[key(record)].append(record)
    return groups


def kinds_of(start: RunStart, records: Sequence[Record]) -> dict[str, str]:
    """Map each method to its kind; the plan lengths of methods of one kind are comparable."""
    entries = methods_of(start)
    parallel = {
        record.method for record in records if (record.actions or 0) > (record.horizon or 0)
    }
    methods = unique(start.methods, (record.method for record in records))
    return {method: _kind_of(entries.get(method, {}), method in parallel) for method in methods}


def _kind_of(entry: Mapping[str, object], is_parallel: bool) -> str:
    """Return the kind of a method as JSON text; it is equal for all spellings of the same options.

    `entry` is the method's table in the suite. `is_parallel` is true if a plan of the method has
    more actions than steps.
    """
    constants = entry.get("constants")
    constants = dict(constants) if isinstance(constants, dict) else {}
    steps = entry.get("steps")
    encoding = entry.get("encoding")
    if isinstance(encoding, str):
        inputs = Inputs((), encoding=encoding)
        with suppress(UsageError):
            inputs = with_variant(inputs)
        constants |= inputs.constants
        name = (inputs.encoding or "").removeprefix(f"{STEPPED}/")
        steps = name if name in STEPS else steps
    if entry.get("metric") is not None:
        constants["metric"] = entry["metric"]
    texts = {name: str(value) for name, value in constants.items()}
    kind = [texts, steps, entry.get("optimal"), is_parallel]
    return json.dumps(kind, sort_keys=True, default=str)


def _check_instance(kinds: Mapping[str, str], records: Sequence[Record]) -> Iterator[Disagreement]:
    """Yield the disagreements between records, which must all be of the same instance."""
    instance = records[0].instance
    errors = {record.method: record.error for record in records if record.invalid}
    for method, error in errors.items():
        yield Disagreement(FaultKind.INVALID, instance, (method,), error)
    refuters = _methods_of(record for record in records if record.outcome is Outcome.UNSOLVABLE)
    planners = _methods_of(record for record in records if _has_plan(record))
    if refuters and planners:
        text = f"no plan according to {_list(refuters)}; a plan by {_list(planners)}"
        yield Disagreement(FaultKind.SOLVABLE, instance, unique(refuters, planners), text)
    groups = group_by(records, lambda record: (kinds[record.method], record.optimized))
    for (_, optimized), group in groups.items():
        yield from _check_kind(instance, optimized, group)


def _check_kind(instance: str, optimized: str, records: Sequence[Record]) -> Iterator[Disagreement]:
    """Yield the disagreements about lengths or costs between the records of methods of one kind."""
    optima = _proven_optima(records)
    disputers = unique(*optima.values()) if len(optima) > 1 else ()
    if disputers:
        text = f"proven best: {_list_optima(optima, optimized)}"
        yield Disagreement(FaultKind.OPTIMUM, instance, disputers, text)
    yield from _check_bounds(instance, optimized, records, disputers)


def _list_optima(optima: Mapping[Objective, Sequence[str]], optimized: str) -> str:
    parts = []
    for objective in sorted(optima):
        methods = _list(unique(optima[objective]))
        parts.append(f"{_in_words(objective, optimized)} by {methods}")
    return ", ".join(parts)


def _check_bounds(
    instance: str,
    optimized: str,
    records: Sequence[Record],
    disputers: Collection[str],
) -> Iterator[Disagreement]:
    """Yield a disagreement if a proven lower bound is above the length or cost of a plan.

    `disputers` are methods whose optima differ. Contradictions between only these methods are left
    out, because they are reported elsewhere.
    """
    objectives = [_objective_of(record) for record in records if _has_plan(record)]
    least = min(filter(None, objectives), default=None)
    if least is None:
        return
    best = _methods_of(
        record for record in records if _has_plan(record) and _objective_of(record) == least
    )
    bounds = _bounds_above(least, records)
    above = [method for method in bounds if not {method, *best}.issubset(disputers)]
    if above:
        highest = max(bounds[method] for method in above)
        text = (
            f"no plan has less than {_in_words(highest, optimized)} according to {_list(above)}; "
            f"one of {_in_words(least, optimized)} by {_list(best)}"
        )
        yield Disagreement(FaultKind.BOUND, instance, unique(above, best), text)


def _in_words(objective: Objective, optimized: str) -> str:
    numbers = " ".join(map(str, objective))
    return f"cost {numbers}" if optimized == "cost" else f"{numbers} {optimized}"


def _proven_optima(records: Iterable[Record]) -> dict[Objective, list[str]]:
    """Map each proven optimum to the methods that proved it."""
    optima: dict[Objective, list[str]] = defaultdict(list)
    for record in records:
        objective = _objective_of(record)
        if objective and record.outcome is Outcome.OPTIMAL:
            optima[objective].append(record.method)
    return optima


def _bounds_above(least: Objective, records: Iterable[Record]) -> dict[str, Objective]:
    """Map methods to their lower bounds, if these are above `least`, the value of a plan."""
    bounds: dict[str, Objective] = {}
    for record in records:
        bound = _lower_bound_of(record)
        if bound and bound > least:
            bounds[record.method] = bound
    return bounds


def _has_plan(record: Record) -> bool:
    return record.outcome in (Outcome.OPTIMAL, Outcome.PLAN)


def _objective_of(record: Record) -> Objective | None:
    if record.optimized == "cost":
        return tuple(record.cost) if record.cost else None
    length = record.actions if record.optimized == "actions" else record.horizon
    return None if length is None else (length,)


def _lower_bound_of(record: Record) -> Objective | None:
    """Return the proven lower bound of the optimized value; None if there is none.

    `Record.lower_bound` counts steps, or actions if their number is optimized; it is never a cost.
    """
    bounds: list[Objective] = []
    optimum = _objective_of(record)
    if optimum and record.outcome is Outcome.OPTIMAL:
        bounds.append(optimum)
    if record.optimized != "cost":
        bounds.append((record.lower_bound,))
    return max(bounds, default=None)


def _methods_of(records: Iterable[Record]) -> tuple[str, ...]:
    return unique(record.method for record in records)


def _list(names: Sequence[str]) -> str:
    """Join names to a text such as `a, b and c`."""
    first = ", ".join(names[:-1])
    return f"{first} and {names[-1]}" if first else names[-1]


def known_optima(
    start: RunStart,
    records: Sequence[Record],
    like: str,
    but: Collection[str] = (),
) -> dict[str, int]:
    """Map each instance to the proven length of its shortest plans.

    Methods of different kinds count the steps of a plan differently; only one kind is used.

    Parameters
    ----------
    like
        A method of that kind. If no method of its kind ran on an instance, all methods count,
        provided that they agree.
    but
        Instances to omit, because methods disagree about them.
    """
    kinds = kinds_of(start, records)
    covered = {record.instance for record in records if kinds[record.method] == kinds[like]}
    horizons: dict[str, set[int]] = defaultdict(set)
    for record in records:
        is_of_kind = kinds[record.method] == kinds[like]
        if record.instance in but or (record.instance in covered and not is_of_kind):
            continue
        horizon = _proven_horizon(record)
        if horizon is not None and horizon < _MOST_STEPS:
            horizons[record.instance].add(horizon)
    return {name: proven.pop() for name, proven in horizons.items() if len(proven) == 1}


def _proven_horizon(record: Record) -> int | None:
    is_proven = record.outcome is Outcome.OPTIMAL and record.optimized == "steps"
    return record.horizon if is_proven else None
