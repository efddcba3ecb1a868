"""Whether two results are of the same suite, and what else differs between them."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import PurePath
from typing import Any

import msgspec

from asplan.bench.records import Record, Results, Start
from asplan.bench.reports.disagreements import Disagreement, contradictions, disagreements
from asplan.bench.reports.statistics import Ratio, mean_ratio
from asplan.bench.reports.values import Measure, Values, answered, methods_of, read_values, suite_of
from asplan.errors import InputError, UsageError

_FREE = ("name", "about", "repetitions", "instances")
"""What may differ in what suites say. With other words or more repetitions the trials are the same;
and of instances only names and files count, not how they were found."""

_REPETITIONS = ("repetitions",)
_CHANGES = "encoding"
"""What a method says of its encoding may change: to measure that is the purpose."""

_SHIPPED = "asplan:encodings/"

_DEEP = 20
"""No suite nests its entries so deep."""

_FEW = 4
Path = tuple[str, ...]
"""Where something stands in plain data: the keys from the outside to the inside."""

_HINT = "compare results of one suite, before and after a change"


def check_same_suite(old: Start, new: Start) -> None:
    """Raise `InputError` where two results are not of the same suite, or its instances changed."""
    found = [
        *_names("methods", old.methods, new.methods),
        *_names("instances", old.instances, new.instances),
        *_entries(old, new),
    ]
    if found:
        raise InputError(f"results of different suites: {_some(found)}", hint=_HINT)
    instances = _instance_files(old) | _instance_files(new)
    if changed := [path for path in _changed(old, new) if path in instances]:
        raise InputError(
            f"the files of instances are not the same: {_some(changed)}",
            hint="run both on the same instances",
        )


def circumstances(old: Results, new: Results) -> Iterator[str]:
    """What else differs: torn lines, files, the machine, versions and repetitions."""
    for name, results in (("old", old), ("new", new)):
        if results.torn:
            yield f"the last line of the {name} results was cut off, and is left out"
    if changed := _changed(old.start, new.start):
        yield f"changed files: {_some(changed)}"
    for what, before, after in (
        ("the machine", _flat(old.start.machine), _flat(new.start.machine)),
        ("versions", _flat(old.start.versions), _flat(new.start.versions)),
        ("the suite", _free(old.start), _free(new.start)),
    ):
        if found := list(_leaves(before, after)):
            yield f"{what} changed: {_some(found)}"


def _free(start: Start) -> dict[Path, Any]:
    """What may differ between suites, and is told."""
    said = _flat(suite_of(start))
    return {path: v for path, v in said.items() if path == _REPETITIONS or path[-1] == _CHANGES}


def _some(found: Sequence[str]) -> str:
    more = f"; and {len(found) - _FEW} more" if len(found) > _FEW else ""
    return "; ".join(islice(found, _FEW)) + more


def _names(what: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for side, own, other in (("old", old, new), ("new", new, old)):
        if lone := [name for name in own if name not in set(other)]:
            more = f" and {len(lone) - _FEW} more" if len(lone) > _FEW else ""
            yield f"{what} only in the {side} ones: {', '.join(lone[:_FEW])}{more}"


def _entries(old: Start, new: Start) -> Iterator[str]:
    """What the suites say differently, but for methods that only one of them has."""
    lone = set(old.methods) ^ set(new.methods)
    before, after = (
        {
            path: value
            for path, value in _flat(suite_of(start)).items()
            if path[0] not in _FREE and path[-1] != _CHANGES
            if path[0] != "methods" or not lone.intersection(path[1:2])
        }
        for start in (old, new)
    )
    yield from _leaves(before, after)


def _flat(value: Any, path: Path = ()) -> dict[Path, Any]:
    """The leaves of plain data by their path; of a list whose entries have names, by these."""
    if isinstance(value, list) and value and all(_has_name(entry) for entry in value):
        value = {entry["name"]: entry for entry in value}
    if isinstance(value, dict) and len(path) < _DEEP:
        inner = (_flat(own, (*path, str(key))) for key, own in value.items())
        return {leaf: own for found in inner for leaf, own in found.items()}
    return {path: value}


def _has_name(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("name"), str)


def _leaves(old: Mapping[Path, Any], new: Mapping[Path, Any]) -> Iterator[str]:
    """Where two tables differ, with both values."""
    for key in dict.fromkeys([*old, *new]):
        if old.get(key) != new.get(key):
            yield f"{'.'.join(key)}: {_shown(old.get(key))}, and {_shown(new.get(key))}"


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    return value if isinstance(value, str) else json.dumps(value)


def _changed(old: Start, new: Start) -> list[str]:
    """The files of both results whose digests differ; where paths differ, names count."""
    before, after = old.files, new.files
    if not before.keys() & after.keys():
        before, after = _by_name(before), _by_name(after)
    return [path for path in before if path in after and before[path] != after[path]]


def _by_name(files: Mapping[str, str]) -> dict[str, str]:
    """The files by their name without the folder, where no two have the same."""
    names = [PurePath(path).name for path in files]
    return {
        name: digest
        for name, digest in zip(names, files.values(), strict=True)
        if names.count(name) == 1
    }


def _instance_files(start: Start) -> set[str]:
    """The paths, and the names, of input files that are those of instances.

    They are the PDDL files, and those that an entry of the suite for instances names, or that are
    called as an instance is; but for encodings.
    """
    said = map(str, _strings(suite_of(start).get("instances")))
    stems = {PurePath(word).stem for word in (*said, *start.instances)}
    own = {str(entry.get("encoding")).partition(":")[0] for entry in methods_of(start).values()}
    found = {
        path
        for path in start.files
        if path not in own and not path.startswith(_SHIPPED)
        if PurePath(path).suffix == ".pddl" or PurePath(path).stem in stems
    }
    return found | {PurePath(path).name for path in found}


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth < _DEEP:
        for own in value.values() if isinstance(value, dict) else value:
            yield from _strings(own, depth + 1)


# Results of the same suite before and after a change: what became faster, slower, or wrong.
#
# Times vary from run to run. So an instance is told to be faster or slower only where the medians
# differ by a factor, and by more than the measure's least difference (`Measure.least`, 0.05 s for
# times); and where both sides have repetitions, only if their ranges do not touch: all new ones are
# below, or above, all old ones. What is smaller than that shows in the ratios of the methods, which
# rest on all instances.
#
# Wrong is a disagreement or an invalid plan in the new results that the old ones did not have, and
# what the new results of a method contradict in its old ones, such as a proven optimum that changed;
# but not where the old answer was one of a disagreement that is settled now.


_OLD, _NEW = "the old results", "the new results"

FACTOR = 1.2
"""A smaller change is not told."""


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
    """A change of a method on an instance.

    Attributes
    ----------
    method
        Where several disagree, their names, with commas.
    old, new
        The values (medians of the repetitions); None where there is none.
    text
        What is wrong, or why there is no answer.
    """

    change: Change
    instance: str
    method: str
    old: float | None = None
    new: float | None = None
    text: str = ""


@dataclass(frozen=True)
class Differences:
    """All that differs between two results.

    Attributes
    ----------
    ratios
        New divided by old, over the instances that are solved in both, for each method.
    notes
        What else differs: files, machine, versions; trials that are missing.
    """

    by: str
    differences: tuple[Difference, ...]
    ratios: dict[str, Ratio | None]
    notes: tuple[str, ...]

    @property
    def is_worse(self) -> bool:
        """Whether something became wrong, or fails that did not."""
        return any(d.change in (Change.WRONG, Change.FAILED) for d in self.differences)

    def counts(self) -> dict[Change, int]:
        """How many changes there are of each sort."""
        found = Counter(d.change for d in self.differences)
        return {change: found[change] for change in Change}


def differences(old: Results, new: Results, by: str = "cpu", factor: float = FACTOR) -> Differences:
    """What changed from old results to new ones.

    Parameters
    ----------
    by
        What is compared, one of `asplan.bench.reports.values.MEASURES`.
    factor
        By how much a value must change to be told; at least 1.

    Raises
    ------
    InputError
        The results are not of the same suite.
    UsageError
        There is no such measure, no trial has ended, or the factor is below 1.
    MissingExtra
        pandas or scipy is not installed.
    """
    if not 1 <= factor < math.inf:
        raise UsageError(f"factor={factor}: a factor is 1 or more")
    check_same_suite(old.start, new.start)
    before, after = read_values(old, by), read_values(new, by)
    found = [
        *_wrong(old, new),
        *_failed(old.records, new.records),
    ]
    told = {(d.instance, d.method) for d in found}
    moved = _differences_changed(before, after, _ends(new.records), factor)
    found += [d for d in moved if (d.instance, d.method) not in told]
    order = {name: place for place, name in enumerate(before.instances)}
    found.sort(key=lambda d: (list(Change).index(d.change), order.get(d.instance, 0), d.method))
    return Differences(
        by,
        tuple(found),
        {
            method: mean_ratio(_column(after, method, before), before.median[method])
            for method in before.methods
        },
        (*circumstances(old, new), *_missing(before, after)),
    )


def _column(values: Values, method: str, like: Values) -> Any:
    """The medians of a method, in the order of other values."""
    if method not in values.methods:
        return [math.nan] * len(like.instances)
    return values.median[method].reindex(like.instances)


def _wrong(old: Results, new: Results) -> Iterator[Difference]:
    before = disagreements(old.start, old.records)
    after = disagreements(new.start, new.records)
    known = {d.key for d in before}
    told = [d for d in after if d.key not in known]
    told += _contradicted(old, new, before, after)
    for one in told:
        text = f"{one.wrong}: {one.text}"
        yield Difference(Change.WRONG, one.instance, ", ".join(one.methods), text=text)


def _contradicted(
    old: Results, new: Results, before: Iterable[Disagreement], after: Iterable[Disagreement]
) -> Iterator[Disagreement]:
    """What a method answers now that contradicts what it answered before.

    Where it was, or is, part of a disagreement, that is told instead, or settled.
    """
    told = {(d.instance, method) for d in (*before, *after) for method in d.methods}
    for method in dict.fromkeys(record.method for record in old.records):
        both = [
            msgspec.structs.replace(record, method=name)
            for name, results in ((_OLD, old), (_NEW, new))
            for record in results.records
            if record.method == method and (record.instance, method) not in told
        ]
        for one in contradictions({_OLD: "", _NEW: ""}, both):
            if set(one.methods) == {_OLD, _NEW}:
                yield Disagreement(one.wrong, one.instance, (method,), one.text)


def _failed(old: Iterable[Record], new: Iterable[Record]) -> Iterator[Difference]:
    """Errors, but for invalid plans, where there was none before."""
    known = {(record.instance, record.method) for record in old if record.error}
    failed = {(r.instance, r.method): r.error for r in new if r.error and not r.invalid}
    for pair, error in failed.items():
        if pair not in known:
            yield Difference(Change.FAILED, *pair, text=error)


def _ends(records: Iterable[Record]) -> dict[tuple[str, str], str]:
    """What ended trials without an answer."""
    return {
        (r.instance, r.method): r.error or r.reason or "no answer"
        for r in records
        if not answered(r)
    }


def _differences_changed(
    before: Values, after: Values, ends: Mapping[tuple[str, str], str], factor: float
) -> Iterator[Difference]:
    """What became faster or slower, newly solved or no longer solved."""
    spans = _spans(before), _spans(after)
    for pair in spans[0].keys() & spans[1].keys():
        instance, method = pair
        old, new = (float(v.median.loc[instance, method]) for v in (before, after))
        if old < math.inf and new < math.inf:
            change = _moved(before.measure, old, new, spans[0][pair], spans[1][pair], factor)
            if change is not None:
                yield Difference(change, *pair, old, new)
        elif old < math.inf and new == math.inf:
            yield Difference(Change.UNSOLVED, *pair, old=old, text=ends.get(pair, ""))
        elif old == math.inf and new < math.inf:
            yield Difference(Change.SOLVED, *pair, new=new)


Span = tuple[float, float, int]
"""The least and the largest value of some repetitions, and how many there are."""


def _spans(values: Values) -> dict[tuple[str, str], Span]:
    """Of each instance and method with a trial."""
    found = values.runs.groupby(["instance", "method"])["value"].agg(["min", "max", "size"])
    return {pair: (low, high, size) for pair, low, high, size in found.itertuples()}


def _moved(
    measure: Measure, old: float, new: float, before: Span, after: Span, factor: float
) -> Change | None:
    """Whether a value changed by more than noise, and which way."""
    low, high = sorted((old, new))
    if high - low <= measure.least or high < factor * low:
        return None
    if min(before[2], after[2]) > 1 and before[0] <= after[1] and after[0] <= before[1]:
        return None
    return Change.FASTER if new < old else Change.SLOWER


def _missing(before: Values, after: Values) -> Iterator[str]:
    """Pairs of instance and method that were tried in one of the results only."""
    tried = [set(_spans(values)) for values in (before, after)]
    for name, pairs in (("new", tried[0] - tried[1]), ("old", tried[1] - tried[0])):
        if pairs:
            first = ", ".join(min(pairs))
            more = f", and {len(pairs) - 1} more" if len(pairs) > 1 else ""
            yield f"the {name} results have no trial of {first}{more}"
