"""Changes between two results of the same suite, for example before and after a change of code.

An instance is faster or slower if the medians differ by a factor, and by more than `Measure.least`.
If both results have repetitions, the ranges of their values must not overlap, either. With a single
repetition the range of noise is unknown, and a note says so.

A new answer is wrong if it is an invalid plan, or part of a disagreement between methods, that the
old results did not have. It is also wrong if it contradicts an old answer of the same method,
unless a disagreement has reported it.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

import msgspec

from asplan.bench.records import Record, Results
from asplan.bench.reports.disagreements import (
    Disagreement,
    find_contradictions,
    find_disagreements,
)
from asplan.bench.reports.same_suite import check_same_suite, describe_circumstances
from asplan.bench.reports.statistics import Ratio, mean_ratio
from asplan.bench.reports.values import PairedValues, read_values
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError

FACTOR = 1.2
"""The default of the least factor of a change; smaller changes are not reported."""

# Names that stand for methods in contradictions between old and new results.
_OLD = "the old results"
_NEW = "the new results"

Pair = tuple[str, str]
"""An instance and a method."""


class Trend(StrEnum):
    """The kinds of changes of a method on an instance, the worst first."""

    WRONG = "newly wrong"
    FAILED = "newly failed"
    UNSOLVED = "no longer solved"
    SLOWER = "slower"
    FASTER = "faster"
    SOLVED = "newly solved"


@dataclass(frozen=True)
class Difference:
    """A change of a method on an instance, with the old and the new median.

    `text` explains a change for the worse; a median is None if the instance was not solved.
    """

    change: Trend
    instance: str
    method: str
    old: float | None = None
    new: float | None = None
    text: str = ""


@dataclass(frozen=True)
class Differences:
    """All changes between two results, the worst first.

    `ratios` maps each method to the mean ratio of new to old values, over the instances that were
    solved both times. `notes` are sentences about other differences, such as another machine.
    """

    by: str
    differences: tuple[Difference, ...]
    ratios: dict[str, Ratio | None]
    notes: tuple[str, ...]

    @property
    def is_worse(self) -> bool:
        """True if an answer has become wrong, or a trial fails that did not fail before."""
        return any(found.change in (Trend.WRONG, Trend.FAILED) for found in self.differences)

    def counts(self) -> dict[Trend, int]:
        """Return the number of differences of each kind."""
        counts = Counter(found.change for found in self.differences)
        return {change: counts[change] for change in Trend}


def compare_results(
    old: Results,
    new: Results,
    by: str = "cpu",
    factor: float = FACTOR,
) -> Differences:
    """Find the changes from old results to new results.

    Parameters
    ----------
    by
        The name of the measure, one of `values.MEASURES`.
    factor
        The least factor by which a value must change to be reported; at least 1.

    Raises
    ------
    InputError
        The results are of different suites, or of different files of instances.
    UsageError
        There is no such measure, or the factor is below 1.
    """
    if not 1 <= factor < math.inf:
        raise UsageError(f"factor={factor}: the factor must be at least 1")
    check_same_suite(old.start, new.start)
    before = read_values(old, by)
    after = read_values(new, by)
    differences = [*_find_wrong_answers(old, new), *_find_new_failures(old, new)]
    bad_pairs = {(found.instance, found.method) for found in differences}
    for change in _find_changes(before, after, new.records, factor):
        if (change.instance, change.method) not in bad_pairs:
            differences.append(change)
    return Differences(
        by,
        _sort(differences, before.instances),
        _compute_ratios(before, after),
        notes=(
            *describe_circumstances(old, new),
            *_describe_missing_trials(before, after),
            *_describe_noise(differences, before, after),
        ),
    )


def _sort(differences: Iterable[Difference], instances: Iterable[str]) -> tuple[Difference, ...]:
    """Sort differences by kind of change, then by instance in the order of the suite, then by
    method.
    """
    changes = list(Trend)
    positions = {name: position for position, name in enumerate(instances)}

    def sort_key(found: Difference) -> tuple[int, int, str]:
        position = positions.get(found.instance, 0)
        return changes.index(found.change), position, found.method

    return tuple(sorted(differences, key=sort_key))


def _compute_ratios(before: PairedValues, after: PairedValues) -> dict[str, Ratio | None]:
    medians = after.median.reindex(index=list(before.instances), columns=list(before.methods))
    return {method: mean_ratio(medians[method], before.median[method]) for method in before.methods}


def _find_wrong_answers(old: Results, new: Results) -> Iterator[Difference]:
    """Yield a difference for each new disagreement between methods.

    Also yield one for each new answer that contradicts an old answer of the same method.
    """
    before = find_disagreements(old.start, old.records)
    after = find_disagreements(new.start, new.records)
    known = {disagreement.key for disagreement in before}
    for found in after:
        if found.key not in known:
            yield _wrong(found)
    for found in _find_contradicted(old, new, (*before, *after)):
        yield _wrong(found)


def _wrong(found: Disagreement) -> Difference:
    methods = ", ".join(found.methods)
    text = f"{found.fault}: {found.text}"
    return Difference(Trend.WRONG, found.instance, methods, text=text)


def _find_contradicted(
    old: Results, new: Results, disagreements: Iterable[Disagreement]
) -> Iterator[Disagreement]:
    """Yield contradictions between old and new answers of the same method.

    Answers that take part in one of the given `disagreements` are ignored.
    """
    disputed: set[Pair] = set()
    for disagreement in disagreements:
        disputed.update((disagreement.instance, method) for method in disagreement.methods)
    for method in dict.fromkeys(record.method for record in old.records):
        answers = [
            *_answers_of(method, old, _OLD, disputed),
            *_answers_of(method, new, _NEW, disputed),
        ]
        # Both get the same empty kind, so that their plan lengths are compared, too.
        for found in find_contradictions({_OLD: "", _NEW: ""}, answers):
            if set(found.methods) == {_OLD, _NEW}:
                yield Disagreement(found.fault, found.instance, (method,), found.text)


def _answers_of(
    method: str,
    results: Results,
    name: str,
    disputed: set[Pair],
) -> list[Record]:
    """Return the records of a method, with `name` in place of the method's name.

    Records of the pairs of instance and method in `disputed` are omitted.
    """
    return [
        msgspec.structs.replace(record, method=name)
        for record in results.records
        if record.method == method and (record.instance, method) not in disputed
    ]


def _find_new_failures(old: Results, new: Results) -> Iterator[Difference]:
    """Yield a difference for each pair of instance and method that fails now and did not before.

    Invalid plans are omitted, because they count as wrong answers.
    """
    failed_before = {(record.instance, record.method) for record in old.records if record.error}
    errors = {
        (record.instance, record.method): record.error
        for record in new.records
        if record.error and not record.invalid
    }
    for (instance, method), error in errors.items():
        if (instance, method) not in failed_before:
            yield Difference(Trend.FAILED, instance, method, text=error)


@dataclass(frozen=True)
class _Span:
    """The range of the values of all repetitions, and the number of repetitions."""

    least: float
    most: float
    count: int

    def is_apart(self, other: "_Span") -> bool:
        """Return whether two ranges do not overlap; True if one of them has a single repetition."""
        are_single = min(self.count, other.count) < 2
        return are_single or self.most < other.least or other.most < self.least


def _find_changes(
    before: PairedValues,
    after: PairedValues,
    records: Iterable[Record],
    factor: float,
) -> Iterator[Difference]:
    """Yield the changes of pairs of method and instance: faster, slower, solved, no longer solved.

    A faster or slower pair counts only if the difference is beyond noise and the values differ by
    at least `factor`.
    """
    reasons = _reasons_of_failures(records)
    old_spans = _spans_of(before)
    new_spans = _spans_of(after)
    for pair in old_spans.keys() & new_spans.keys():
        old = float(before.median.loc[pair])
        new = float(after.median.loc[pair])
        is_beyond_noise = (
            old_spans[pair].is_apart(new_spans[pair])
            and abs(new - old) > before.measure.least
            and max(old, new) >= factor * min(old, new)
        )
        change = _classify(old, new, is_beyond_noise)
        if change is not None:
            instance, method = pair
            yield Difference(
                change,
                instance,
                method,
                old=old if old < math.inf else None,
                new=new if new < math.inf else None,
                text=reasons.get(pair, "") if change is Trend.UNSOLVED else "",
            )


def _reasons_of_failures(records: Iterable[Record]) -> dict[Pair, str]:
    return {
        (record.instance, record.method): record.error or record.reason or "no answer"
        for record in records
        if not record.answered
    }


def _classify(old: float, new: float, is_beyond_noise: bool) -> Trend | None:
    """Return the kind of change between two medians; None if there is none, or a median is NaN.

    A median is infinite if the instance was not solved.
    """
    if math.isnan(old) or math.isnan(new):
        return None
    if old == new:
        return None
    if new == math.inf:
        return Trend.UNSOLVED
    if old == math.inf:
        return Trend.SOLVED
    if not is_beyond_noise:
        return None
    return Trend.FASTER if new < old else Trend.SLOWER


def _spans_of(values: PairedValues) -> Mapping[Pair, _Span]:
    """Return the range of values for each pair of instance and method.

    Pairs without trials are left out.
    """
    groups = values.trials.groupby(["instance", "method"])["value"]
    table = groups.agg(["min", "max", "size"])
    return {pair: _Span(least, most, count) for pair, least, most, count in table.itertuples()}


def _describe_noise(
    differences: Iterable[Difference],
    before: PairedValues,
    after: PairedValues,
) -> Iterator[str]:
    """Yield a note if reported changes of a measured value rest on a single repetition."""
    old = _spans_of(before)
    new = _spans_of(after)
    single = 0
    for found in differences:
        pair = (found.instance, found.method)
        if found.change in (Trend.SLOWER, Trend.FASTER):
            single += min(old[pair].count, new[pair].count) < 2
    if single and before.measure.is_noisy:
        changes = "1 change rests" if single == 1 else f"{single} changes rest"
        yield (
            f"{changes} on a single repetition and may be noise; "
            "set repetitions = 3 or more in the suite to tell"
        )


def _describe_missing_trials(before: PairedValues, after: PairedValues) -> Iterator[str]:
    old = set(_spans_of(before))
    new = set(_spans_of(after))
    for name, missing in (("new", old - new), ("old", new - old)):
        if missing:
            first = ", ".join(min(missing))
            more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
            yield f"the {name} results have no trial of {first}{more}"
