"""Matching of the rules and predicates of two encodings, to find what makes one of them larger.

Both encodings are profiled on the same instance. Two rules match if they have the same role, and
the same predicate names in their heads. Two predicates match if they have the same name.
"""

import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from itertools import chain, zip_longest
from typing import TypeVar

from asplan.core.budget import Reporter
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.files import await_input
from asplan.core.limits import Limits, Stop, check_steps
from asplan.core.plan import NotebookData
from asplan.core.process import run_isolated
from asplan.measuring.cases import Case, list_cases
from asplan.measuring.profile import PredicateCost, Profile, RuleCost, profile_program
from asplan.problem import Inputs, load


@dataclass(frozen=True)
class RuleMatch:
    """The matching rules of two encodings, the most expensive first.

    Attributes
    ----------
    head
        The predicates of the heads, such as `position/4`; empty for constraints.
    role
        `rule`, `choice`, `constraint`, `external` or `directive`.
    first, second
        The rules of the two encodings.
    """

    head: str
    role: str
    first: tuple[RuleCost, ...]
    second: tuple[RuleCost, ...]

    @property
    def name(self) -> str:
        """The role and the head, such as `choice move/3`, or `constraints`."""
        return f"{self.role} {self.head}" if self.head else f"{self.role}s"

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of different instantiations in the first and the second encoding."""
        return _size_of(self.first), _size_of(self.second)

    @property
    def difference(self) -> int:
        """The size in the second encoding minus the size in the first."""
        first, second = self.sizes
        return second - first

    @property
    def steps(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The sizes in both encodings by step, from step 1."""
        return _sum_by_step(self.first), _sum_by_step(self.second)


@dataclass(frozen=True)
class PredicateMatch:
    """The numbers of ground atoms of the predicates that have the same name in two encodings."""

    predicate: str
    first: int
    second: int

    @property
    def difference(self) -> int:
        """The number of atoms in the second encoding minus that in the first."""
        return self.second - self.first


@dataclass(frozen=True)
class RuleComparison(NotebookData):
    """The matches of rules and of predicates on an instance, the largest difference first.

    If a profile is incomplete, `reason` is the reason, and `stopped` the limit that stopped it.
    """

    instance: str
    encodings: tuple[str, str]
    horizon: int
    rules: tuple[RuleMatch, ...]
    predicates: tuple[PredicateMatch, ...]
    reason: str = ""
    stopped: Stop | None = None

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of different instantiations of all rules of each encoding."""
        return sum(rule.sizes[0] for rule in self.rules), sum(rule.sizes[1] for rule in self.rules)

    @property
    def steps(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The sizes of both encodings by step, from step 1."""
        first = [rule for match in self.rules for rule in match.first]
        second = [rule for match in self.rules for rule in match.second]
        return _sum_by_step(first), _sum_by_step(second)


class RuleComparisons(tuple[RuleComparison, ...], NotebookData):
    """The comparison of the rules of two encodings on each instance."""


def summarize(match: RuleComparison) -> str:
    """Return a sentence that names the larger encoding, and the rules that differ most in size."""
    first, second = match.sizes
    if first == second:
        return f"Both have {first} different instantiations of rules."
    larger, smaller = ("A", "B") if first > second else ("B", "A")
    most, least = max(first, second), min(first, second)
    sentence = (
        f"{smaller} is smaller: it has {least} different instantiations of rules, "
        f"{larger} has {most} (ratio {least / most:.2f})."
    )
    top = max(match.rules, key=lambda row: row.difference if second > first else -row.difference)
    more = f"{top.name}, {abs(top.difference)} more in {larger}"
    return f"{sentence} Most of the difference: {more}."


def _size_of(rules: Iterable[RuleCost]) -> int:
    return sum(rule.different for rule in rules)


def _sum_by_step(rules: Iterable[RuleCost]) -> tuple[int, ...]:
    columns = zip_longest(*(rule.different_per_step[1:] for rule in rules), fillvalue=0)
    return tuple(map(sum, columns))


def compare_rules(
    inputs: Inputs,
    encodings: Sequence[str],
    horizon: int,
    limits: Limits,
    report: Reporter[Profile],
) -> RuleComparisons:
    """Compare the rules of two encodings on each instance.

    Parameters
    ----------
    inputs
        The inputs that name the instances.
    encodings
        The names of the two encodings; empty if the inputs are two complete programs.
    horizon
        The number of steps to ground.
    limits
        The limits of each profile, which runs in a child process of its own.
    report
        A function that receives each partial profile.

    Raises
    ------
    UsageError
        There are not two encodings, or the horizon or a limit is invalid.
    AsplanError
        A program cannot be grounded.
    """
    check_steps(horizon)
    limits.check()
    await_input(inputs.files, limits.seconds)
    comparisons = []
    for pair in _pair_cases(list_cases(inputs, encodings)):
        profiles = []
        for case in pair:
            work = partial(_profile, case.inputs, horizon)
            start = time.monotonic()
            profiles.append(run_isolated(work, limits, report, Profile(), start))
        comparisons.append(_compare_profiles(pair, horizon, profiles))
        if comparisons[-1].stopped == Stop.INTERRUPT:
            break
    return RuleComparisons(comparisons)


def _pair_cases(cases: Iterable[Case]) -> list[tuple[Case, Case]]:
    """Return the two cases of each instance; raise `UsageError` if one has not just two."""
    by_instance: dict[str, list[Case]] = {}
    for case in cases:
        by_instance.setdefault(case.instance, []).append(case)
    pairs = []
    for group in by_instance.values():
        check_two([case.encoding for case in group])
        pairs.append((group[0], group[1]))
    return pairs


def check_two(encodings: Sequence[str]) -> None:
    """Raise `UsageError` unless there are two different encodings, or complete programs."""
    if len(set(encodings)) != 2 or len(encodings) != 2:
        raise UsageError(
            "give two different encodings, or two complete programs, to compare their rules",
            hint="pass -e twice, for example -e origin -e block_tuple; or name two programs",
        )


def _profile(inputs: Inputs, horizon: int, report: Reporter[Profile]) -> Profile:
    problem = load(inputs)
    constants = problem.constants_at(horizon)
    return profile_program(problem.program, constants, horizon, report=report)


def _compare_profiles(
    pair: tuple[Case, Case],
    horizon: int,
    profiles: Sequence[Profile],
) -> RuleComparison:
    first, second = profiles
    reasons = [
        profile.reason and f"{case.encoding}: {profile.reason}"
        for case, profile in zip(pair, profiles, strict=True)
    ]
    return RuleComparison(
        pair[0].instance,
        (pair[0].encoding, pair[1].encoding),
        horizon,
        match_rules(first.rules, second.rules),
        match_predicates(first.predicates, second.predicates),
        reason="; ".join(filter(None, reasons)),
        stopped=first.stopped or second.stopped,
    )


def match_rules(first: Iterable[RuleCost], second: Iterable[RuleCost]) -> tuple[RuleMatch, ...]:
    """Match rules by role and by the names of their heads, the largest difference first.

    Arities are ignored, because two encodings may represent the same relation with different
    arguments. Rules without instantiations are left out.
    """
    matches = []
    for (role, *_), (left, right) in _group(first, second, _key_of_rule).items():
        heads = chain.from_iterable(rule.heads for rule in (*left, *right))
        if _size_of(left) or _size_of(right):
            matches.append(RuleMatch(_join_arities(heads), role, left, right))
    matches.sort(key=lambda match: -abs(match.difference))
    return tuple(matches)


def _key_of_rule(rule: RuleCost) -> tuple[str, ...]:
    return rule.role, *dict.fromkeys(map(_name_of, rule.heads))


def _name_of(predicate: str) -> str:
    return predicate.rpartition("/")[0]


def _join_arities(predicates: Iterable[str]) -> str:
    """Return predicates as text, with the arities of each name joined.

    >>> _join_arities(["p/3", "q/1", "p/2", "p/3"])
    'p/2,3, q/1'
    """
    arities: dict[str, list[str]] = {}
    for predicate in sorted(set(predicates)):
        name, _, arity = predicate.rpartition("/")
        arities.setdefault(name, []).append(arity)
    return ", ".join(f"{name}/{','.join(numbers)}" for name, numbers in arities.items())


def match_predicates(
    first: Iterable[PredicateCost], second: Iterable[PredicateCost]
) -> tuple[PredicateMatch, ...]:
    """Match predicates by name, the largest difference first."""
    matches = []
    for left, right in _group(first, second, lambda cost: _name_of(cost.predicate)).values():
        names = _join_arities(cost.predicate for cost in (*left, *right))
        counts = [sum(cost.atoms for cost in costs) for costs in (left, right)]
        matches.append(PredicateMatch(names, *counts))
    matches.sort(key=lambda match: -abs(match.difference))
    return tuple(matches)


_Cost = TypeVar("_Cost", RuleCost, PredicateCost)
_Key = TypeVar("_Key", bound=Hashable)


def _group(
    first: Iterable[_Cost], second: Iterable[_Cost], key_of: Callable[[_Cost], _Key]
) -> dict[_Key, tuple[tuple[_Cost, ...], tuple[_Cost, ...]]]:
    """Group the costs of two encodings by a key.

    A group has two tuples: the costs of the first encoding, and those of the second.
    """
    left: dict[_Key, list[_Cost]] = {}
    right: dict[_Key, list[_Cost]] = {}
    for groups, costs in ((left, first), (right, second)):
        for cost in costs:
            groups.setdefault(key_of(cost), []).append(cost)
    return {key: (tuple(left.get(key, ())), tuple(right.get(key, ()))) for key in left | right}
