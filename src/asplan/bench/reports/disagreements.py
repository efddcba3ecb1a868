"""Answers that cannot all be right, and plans that are none.

Two methods may differ in what they count, and then both be right, as PDDL with `--steps forall` has
shorter plans than with `sequential`. So lengths are compared only between methods of one kind: what
their entries in the suite say of `steps`, `metric`, `constants` and `optimal`, in whichever form,
and whether plans have more actions than steps. Whether there is a plan at all is compared between
all. Two encodings of one's own that count differently are reported to disagree.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from asplan.bench.records import Record, Start
from asplan.bench.reports.statistics import methods_of
from asplan.core.errors import UsageError
from asplan.problem import Inputs
from asplan.problem.problem import STEPPED, STEPS, with_variant
from asplan.result import Outcome

_MOST = 10**9  # no plan has so many steps, whatever a file says

Key = TypeVar("Key")
Worth = tuple[int, ...]  # what was optimized: the cost by priorities, or the length alone


class Wrong(StrEnum):
    INVALID = "invalid plan"
    SOLVABLE = "solvable or not"
    OPTIMUM = "different optimum"
    BOUND = "bound above a plan"


@dataclass(frozen=True)
class Disagreement:
    """What is wrong with answers for an instance, and of which methods, or who gave no plan."""

    wrong: Wrong
    instance: str
    methods: tuple[str, ...]
    text: str

    @property
    def key(self) -> tuple[Wrong, str, tuple[str, ...]]:
        """What makes it the same one in other results."""
        return self.wrong, self.instance, tuple(sorted(self.methods))


def disagreements(start: Start, records: Sequence[Record]) -> tuple[Disagreement, ...]:
    """All disagreements between the methods of some results, sorted by what is wrong."""
    return contradictions(kinds_of(start, records), records)


def contradictions(kinds: Mapping[str, str], records: Iterable[Record]) -> tuple[Disagreement, ...]:
    """All that cannot be right in some records, where the kind of each method is known."""
    by_instance = group_by(records, lambda record: record.instance)
    found = [d for own in by_instance.values() for d in _of_instance(kinds, own)]
    return tuple(sorted(found, key=lambda d: list(Wrong).index(d.wrong)))


def group_by(records: Iterable[Record], key: Callable[[Record], Key]) -> dict[Key, list[Record]]:
    """The records by something that they share, in the order in which it first comes."""
    groups: dict[Key, list[Record]] = defaultdict(list)
    for record in records:
        groups[key(record)].append(record)
    return groups


def kinds_of(start: Start, records: Sequence[Record]) -> dict[str, str]:
    """The kind of each method; plans are compared by their length within a kind."""
    entries = methods_of(start)
    parallel = {r.method for r in records if (r.actions or 0) > (r.horizon or 0)}
    methods = dict.fromkeys([*start.methods, *(record.method for record in records)])
    return {name: _kind(entries.get(name, {}), name in parallel) for name in methods}


def _kind(entry: Mapping[str, Any], parallel: bool) -> str:
    constants, steps, encoding = entry.get("constants"), entry.get("steps"), entry.get("encoding")
    constants = dict(constants) if isinstance(constants, dict) else {}
    if isinstance(encoding, str):
        inputs = Inputs((), encoding=encoding)
        with suppress(UsageError):
            inputs = with_variant(inputs)
        constants |= inputs.constants
        name = (inputs.encoding or "").removeprefix(f"{STEPPED}/")
        steps = name if name in STEPS else steps
    if entry.get("metric") is not None:
        constants["metric"] = entry["metric"]
    kind = {name: str(value) for name, value in constants.items()}
    return json.dumps([kind, steps, entry.get("optimal"), parallel], sort_keys=True, default=str)


def _of_instance(kinds: Mapping[str, str], records: Sequence[Record]) -> Iterator[Disagreement]:
    instance = records[0].instance
    for method, error in {r.method: r.error for r in records if r.invalid}.items():
        yield Disagreement(Wrong.INVALID, instance, (method,), error)
    never = _methods(r for r in records if r.outcome is Outcome.UNSOLVABLE)
    plans = _methods(r for r in records if _has_plan(r))
    if never and plans:
        text = f"no plan according to {_list(never)}; a plan by {_list(plans)}"
        yield Disagreement(Wrong.SOLVABLE, instance, _union(never, plans), text)
    groups = group_by(records, lambda record: (kinds[record.method], record.optimized))
    for (_, optimized), own in groups.items():
        yield from _of_group(instance, optimized, own)


def _of_group(instance: str, counted: str, records: Sequence[Record]) -> Iterator[Disagreement]:

    def in_words(worth: Worth) -> str:
        number = " ".join(map(str, worth))
        return f"cost {number}" if counted == "cost" else f"{number} {counted}"

    worths = [(worth, r) for r in records if _has_plan(r) and (worth := _worth(r))]
    proven: dict[Worth, list[str]] = defaultdict(list)
    for worth, record in worths:
        if record.outcome is Outcome.OPTIMAL:
            proven[worth].append(record.method)
    known: tuple[str, ...] = ()
    if len(proven) > 1:
        known = _union(*proven.values())
        parts = (f"{in_words(w)} by {_list(_union(proven[w]))}" for w in sorted(proven))
        yield Disagreement(Wrong.OPTIMUM, instance, known, f"proven best: {', '.join(parts)}")
    if not worths:
        return
    least = min(worth for worth, _ in worths)
    best = _methods(r for worth, r in worths if worth == least)
    bounds = {r.method: bound for r in records if (bound := _bound(r)) and bound > least}
    above = [name for name in bounds if name not in known or not set(best) <= set(known)]
    if above:
        highest = max(bounds[name] for name in above)
        text = (
            f"no plan has less than {in_words(highest)} according to {_list(above)}; "
            f"one of {in_words(least)} by {_list(best)}"
        )
        yield Disagreement(Wrong.BOUND, instance, _union(above, best), text)


def _has_plan(record: Record) -> bool:
    return record.outcome in (Outcome.OPTIMAL, Outcome.PLAN)


def _worth(record: Record) -> Worth | None:
    if record.optimized == "cost":
        return tuple(record.cost) if record.cost else None
    length = record.actions if record.optimized == "actions" else record.horizon
    return None if length is None else (length,)


def _bound(record: Record) -> Worth | None:
    proven = _worth(record) if record.outcome is Outcome.OPTIMAL else None
    # A lower bound counts steps, or actions where these are optimized, but never costs.
    bound = (record.lower_bound,) if record.optimized != "cost" else None
    return max(filter(None, (proven, bound)), default=None)


def _methods(records: Iterable[Record]) -> tuple[str, ...]:
    return _union(record.method for record in records)


def _union(*names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for some in names for name in some))


def _list(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def known_optima(
    start: Start, records: Sequence[Record], like: str, but: Collection[str] = ()
) -> dict[str, int]:
    """The proven optimal horizon of instances, as methods of one kind count it.

    That is the kind of the method `like`; where none of its kind was tried, all others count that
    have proven the same. Instances in `but`, on which methods disagree, have none.
    """
    kinds = kinds_of(start, records)
    served = {record.instance for record in records if kinds[record.method] == kinds[like]}
    optima: dict[str, set[int]] = defaultdict(set)
    for record in records:
        instance, steps = record.instance, record.horizon
        counts = kinds[record.method] == kinds[like] or instance not in served
        proven = record.outcome is Outcome.OPTIMAL and record.optimized == "steps"
        if counts and proven and instance not in but and steps is not None and steps < _MOST:
            optima[instance].add(steps)
    return {name: horizons.pop() for name, horizons in optima.items() if len(horizons) == 1}
