"""Results of the same suite before and after a change: what became faster, slower, or wrong.

An instance counts as faster or slower only where the medians differ by a factor, and by more than
`Measure.least`; and where both sides have repetitions, only if their ranges do not touch. Wrong is
a disagreement or an invalid plan that the old results did not have, and what contradicts an old
answer of the method, but not where that was part of a disagreement.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import Any

import msgspec

from asplan.bench.records import Record, Results, Start
from asplan.bench.reports.disagreements import Disagreement, contradictions, disagreements
from asplan.bench.reports.statistics import (
    Ratio,
    Values,
    mean_ratio,
    methods_of,
    read_values,
    suite_of,
)
from asplan.core.errors import InputError, UsageError

_OLD, _NEW = "the old results", "the new results"

FACTOR = 1.2  # a smaller change is not reported


class Change(StrEnum):
    """What became of a method on an instance, the worst first."""

    WRONG = "newly wrong"
    FAILED = "newly failed"
    UNSOLVED = "no longer solved"
    SLOWER = "slower"
    FASTER = "faster"
    SOLVED = "newly solved"


@dataclass(frozen=True)
class Difference:
    """A change of a method on an instance, with medians; `text` is what is wrong, or missing."""

    change: Change
    instance: str
    method: str
    old: float | None = None
    new: float | None = None
    text: str = ""


@dataclass(frozen=True)
class Differences:
    """All that differs between two results; `ratios` are new by old, over what both solved."""

    by: str
    differences: tuple[Difference, ...]
    ratios: dict[str, Ratio | None]
    notes: tuple[str, ...]

    @property
    def is_worse(self) -> bool:
        return any(d.change in (Change.WRONG, Change.FAILED) for d in self.differences)

    def counts(self) -> dict[Change, int]:
        counts = Counter(d.change for d in self.differences)
        return {change: counts[change] for change in Change}


def differences(old: Results, new: Results, by: str = "cpu", factor: float = FACTOR) -> Differences:
    """What changed from old results to new ones, by one of `statistics.MEASURES` and a factor."""
    if not 1 <= factor < math.inf:
        raise UsageError(f"factor={factor}: a factor is 1 or more")
    check_same_suite(old.start, new.start)
    before, after = read_values(old, by), read_values(new, by)
    known = {(record.instance, record.method) for record in old.records if record.error}
    errors = {(r.instance, r.method): r.error for r in new.records if r.error and not r.invalid}
    was, now = (disagreements(results.start, results.records) for results in (old, new))
    fresh = [d for d in now if d.key not in {d.key for d in was}]
    found = [
        Difference(Change.WRONG, d.instance, ", ".join(d.methods), text=f"{d.wrong}: {d.text}")
        for d in (*fresh, *_contradicted(old, new, (*was, *now)))
    ]
    found += [Difference(Change.FAILED, *p, text=e) for p, e in errors.items() if p not in known]
    pairs = {(d.instance, d.method) for d in found}
    changes = _changes(before, after, new.records, factor)
    found += [d for d in changes if (d.instance, d.method) not in pairs]
    order = {name: place for place, name in enumerate(before.instances)}
    found.sort(key=lambda d: (list(Change).index(d.change), order.get(d.instance, 0), d.method))
    medians = after.median.reindex(index=before.instances, columns=before.methods)
    ratios = {m: mean_ratio(medians[m], before.median[m]) for m in before.methods}
    notes = (*circumstances(old, new), *_missing(before, after))
    return Differences(by, tuple(found), ratios, notes)


def _contradicted(
    old: Results, new: Results, known: Iterable[Disagreement]
) -> Iterator[Disagreement]:
    """What a method answers now against what it did before, outside of disagreements."""
    pairs = {(d.instance, method) for d in known for method in d.methods}
    for method in dict.fromkeys(record.method for record in old.records):
        both = [
            msgspec.structs.replace(record, method=name)
            for name, results in ((_OLD, old), (_NEW, new))
            for record in results.records
            if record.method == method and (record.instance, method) not in pairs
        ]
        for one in contradictions({_OLD: "", _NEW: ""}, both):
            if set(one.methods) == {_OLD, _NEW}:
                yield Disagreement(one.wrong, one.instance, (method,), one.text)


def _changes(
    before: Values, after: Values, records: Iterable[Record], factor: float
) -> Iterator[Difference]:
    """What became faster or slower, newly solved or no longer solved."""
    left = [record for record in records if not record.answered]
    ends = {(r.instance, r.method): r.error or r.reason or "no answer" for r in left}
    spans, new_spans = _spans(before), _spans(after)
    for pair in spans.keys() & new_spans.keys():
        old, new = (float(values.median.loc[pair]) for values in (before, after))
        if old < math.inf and new < math.inf:
            low, high = sorted((old, new))
            (least, most, size), (new_least, new_most, new_size) = spans[pair], new_spans[pair]
            apart = most < new_least or new_most < least or min(size, new_size) < 2
            if apart and high - low > before.measure.least and high >= factor * low:
                yield Difference(Change.FASTER if new < old else Change.SLOWER, *pair, old, new)
        elif old < math.inf and new == math.inf:
            yield Difference(Change.UNSOLVED, *pair, old=old, text=ends.get(pair, ""))
        elif old == math.inf and new < math.inf:
            yield Difference(Change.SOLVED, *pair, new=new)


def _spans(values: Values) -> dict[tuple[str, str], tuple[float, float, int]]:
    """By instance and method the least and the largest value, and how many repetitions."""
    found = values.runs.groupby(["instance", "method"])["value"].agg(["min", "max", "size"])
    return {pair: (low, high, size) for pair, low, high, size in found.itertuples()}


def _missing(before: Values, after: Values) -> Iterator[str]:
    old, new = set(_spans(before)), set(_spans(after))
    for name, pairs in (("new", old - new), ("old", new - old)):
        if pairs:
            first = ", ".join(min(pairs))
            more = f", and {len(pairs) - 1} more" if len(pairs) > 1 else ""
            yield f"the {name} results have no trial of {first}{more}"


# Whether two results are of the same suite, and what else differs between them.


_FREE = ("name", "about", "repetitions", "instances")
"""What may differ in what suites say. With other words or more repetitions the trials are the same;
and of instances only names and files count, not how they were found."""

# What a method says of its encoding may change: to measure that is the purpose.
_CHANGES = "encoding"
_DEEP = 20  # no suite nests its entries so deep
_FEW = 4

Leaves = Mapping[tuple[str, ...], Any]
"""What stands in plain data, by the keys from the outside to the inside."""


def check_same_suite(old: Start, new: Start) -> None:
    """Raise `InputError` where two results are not of the same suite, or its instances changed."""
    lone = set(old.methods) ^ set(new.methods)
    fixed = (
        {
            path: value
            for path, value in _leaves(suite_of(start, dict[str, Any])).items()
            if path[0] not in _FREE and path[-1] != _CHANGES
            if path[0] != "methods" or not lone.intersection(path[1:2])
        }
        for start in (old, new)
    )
    found = [
        *_lone_names("methods", old.methods, new.methods),
        *_lone_names("instances", old.instances, new.instances),
        *_unlike(*fixed),
    ]
    if found:
        hint = "compare results of one suite, before and after a change"
        raise InputError(f"results of different suites: {_some(found)}", hint=hint)
    instances = _instance_files(old) | _instance_files(new)
    if changed := [path for path in _changed_files(old, new) if path in instances]:
        hint = "run both on the same instances"
        raise InputError(f"the files of instances are not the same: {_some(changed)}", hint=hint)


def circumstances(old: Results, new: Results) -> Iterator[str]:
    """What else differs: torn lines, files, the machine, versions and repetitions."""
    for name, results in (("old", old), ("new", new)):
        if results.torn:
            yield f"the last line of the {name} results was cut off, and is left out"
    if changed := _changed_files(old.start, new.start):
        yield f"changed files: {_some(changed)}"
    for what, before, after in (
        ("the machine", _leaves(old.start.machine), _leaves(new.start.machine)),
        ("versions", _leaves(old.start.versions), _leaves(new.start.versions)),
        ("the suite", _free(old.start), _free(new.start)),
    ):
        if found := list(_unlike(before, after)):
            yield f"{what} changed: {_some(found)}"


def _free(start: Start) -> Leaves:
    """What may differ between suites, and is reported."""
    leaves = _leaves(suite_of(start, dict[str, Any])).items()
    return {path: v for path, v in leaves if path == ("repetitions",) or path[-1] == _CHANGES}


def _some(found: Sequence[str]) -> str:
    more = f"; and {len(found) - _FEW} more" if len(found) > _FEW else ""
    return "; ".join(found[:_FEW]) + more


def _lone_names(what: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for side, own, other in (("old", old, new), ("new", new, old)):
        if lone := [name for name in own if name not in set(other)]:
            more = f" and {len(lone) - _FEW} more" if len(lone) > _FEW else ""
            yield f"{what} only in the {side} ones: {', '.join(lone[:_FEW])}{more}"


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Leaves:
    """The leaves of plain data by their path; of a list whose entries have names, by these."""
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        names = [one.get("name") for one in value]
        if all(isinstance(name, str) for name in names):
            value = dict(zip(names, value, strict=True))
    if isinstance(value, dict) and len(path) < _DEEP:
        inner = (_leaves(own, (*path, str(key))) for key, own in value.items())
        return {leaf: own for leaves in inner for leaf, own in leaves.items()}
    return {path: value}


def _unlike(old: Leaves, new: Leaves) -> Iterator[str]:
    for key in dict.fromkeys([*old, *new]):
        values = old.get(key), new.get(key)
        if values[0] != values[1]:
            shown = (
                "nothing" if v is None else v if isinstance(v, str) else json.dumps(v)
                for v in values
            )
            yield f"{'.'.join(key)}: {', and '.join(shown)}"


def _changed_files(old: Start, new: Start) -> list[str]:
    """The files of both results whose digests differ; where paths differ, names count."""
    before, after = old.files, new.files
    if not before.keys() & after.keys():
        before, after = _by_name(before), _by_name(after)
    return [path for path in before if path in after and before[path] != after[path]]


def _by_name(files: Mapping[str, str]) -> dict[str, str]:
    """The files by their name without the folder, where no two have the same."""
    times = Counter(PurePath(path).name for path in files)
    names = {path: PurePath(path).name for path in files}
    return {names[path]: digest for path, digest in files.items() if times[names[path]] == 1}


def _instance_files(start: Start) -> set[str]:
    """Paths and names of files of instances: PDDL, and what sources or instances are called."""
    sources = suite_of(start, _Sources).instances
    words = [word for one in sources for word in (*one.files, one.domain, one.database)]
    stems = {PurePath(word).stem for word in (*words, *start.instances) if word}
    own = {str(entry.get("encoding")).partition(":")[0] for entry in methods_of(start).values()}
    found = {
        path
        for path in start.files
        if path not in own and not path.startswith("asplan:encodings/")
        if PurePath(path).suffix == ".pddl" or PurePath(path).stem in stems
    }
    return found | {PurePath(path).name for path in found}


class _Source(msgspec.Struct):
    files: list[str] = []
    domain: str | None = None
    database: str | None = None


class _Sources(msgspec.Struct):
    instances: list[_Source] = []
