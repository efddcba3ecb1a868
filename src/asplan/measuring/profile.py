"""Profile of a program: the cost of grounding each source rule, and its growth from step to step.

The program is grounded step by step, as in incremental solving, with `counters` in its rules.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import PurePath

from asplan.clingo import Number, Symbol, SymbolicAtoms, control_options, open_control
from asplan.core.budget import Pace, Reporter, ignore_report
from asplan.core.dataclass import dataclass
from asplan.core.limits import Stop
from asplan.core.plan import NotebookData
from asplan.measuring.counters import (
    PREFIX,
    Instrumented,
    SourceStatement,
    find_recursive,
    instrument,
)
from asplan.measuring.growth import classify_growth, sparkline
from asplan.program.ground import Part, ground
from asplan.program.incremental import (
    Program,
    base,
    check,
    step,
)
from asplan.program.reading.scripts import Functions
from asplan.program.reading.source import reporting
from asplan.program.reading.unit import messages_of
from asplan.program.syntax import Signature

_ADVICE_RECURSION = (
    "clingo matches this rule at all earlier steps again: let step(t) derive the next state under "
    "a name of its own, copy it in check(t), and ground the two in separate calls."
)
_ADVICE_JOIN = (
    "clingo matches this rule at all earlier steps before it looks at t: put the atoms that are "
    "joined with the state into a predicate of their own, without constants among its arguments; "
    "in a condition, take the time from a fact (now(T), T = t)."
)
_ADVICE_SIZE = (
    "Each step makes more ground rules than the one before: does every literal name its time, "
    "and does every new value stay within the domain?"
)

_REPORT_SECONDS = 0.5
"""The seconds between two reports of the counts so far."""

_CALLS_PER_LOOK = 4096
"""The number of calls of a counter after which the clock is read."""

_TRUE = (Number(1),)
"""The value that each counter returns."""


@dataclass(frozen=True)
class RuleCost:
    """The cost of one source rule.

    Attributes
    ----------
    instantiations
        The number of bindings of all variables of the body, and of each condition in it.
    different
        The number of different instantiations: an upper bound for the number of ground rules.
    share
        The share of the instantiations of the whole program, 0 to 1.
    growth
        The class of growth of the instantiations: `once` (base only), `constant`, `linear`,
        `worse`, or empty.
    per_step
        The instantiations at time 0 (base and check 0) and in step 1, 2, …
    different_per_step
        The same for the different instantiations; each counts in the step in which it came first.
    role
        The kind of statement: `rule`, `choice`, `constraint`, `external`, or `directive`.
    heads
        The predicates that the statement derives or chooses, as `name/arity`.
    advice
        A remedy if the cost grows, else empty.
    approximate
        The reason why the count is not exact, or empty.
    """

    file: str
    line: int
    column: int
    part: str
    rule: str
    instantiations: int
    different: int
    share: float
    growth: str
    per_step: tuple[int, ...]
    different_per_step: tuple[int, ...]
    role: str
    heads: tuple[str, ...]
    advice: str
    approximate: str

    @property
    def grows_alone(self) -> bool:
        """True if the instantiations grow from step to step while the number of ground rules does
        not.
        """
        return self.advice in (_ADVICE_RECURSION, _ADVICE_JOIN)


@dataclass(frozen=True)
class PredicateCost:
    """The number of ground atoms of one predicate, and how many of these are facts."""

    predicate: str
    atoms: int
    facts: int


@dataclass(frozen=True)
class Profile(NotebookData):
    """The costs of rules and of predicates, the largest first.

    `horizon` is the last step that was grounded. If `one_call` is set, step(t) and check(t) were
    grounded together. `reason` is the reason why the profile is incomplete, or empty.
    """

    horizon: int = 0
    one_call: bool = False
    rules: tuple[RuleCost, ...] = ()
    predicates: tuple[PredicateCost, ...] = ()
    seconds: float = 0.0
    reason: str = ""
    stopped: Stop | None = None


def profile_program(
    program: Program,
    constants: Mapping[str, str],
    horizon: int,
    one_call: bool = False,
    report: Reporter[Profile] = ignore_report,
) -> Profile:
    """Ground a program step by step up to `horizon`, and count the instantiations of each rule.

    Parameters
    ----------
    one_call
        Whether to ground step(t) and check(t) in one call; it is always done for a program that
        needs it.
    report
        A function called now and then with the profile so far.
    """
    run = _Run(instrument(program), constants, one_call or not program.staged, report)
    run.ground([base(), check(0)])
    for t in range(1, horizon + 1):
        run.begin_step()
        if run.one_call:
            run.ground([step(t), check(t)])
        else:
            run.ground([step(t)])
            run.ground([check(t)])
    return run.make_profile(is_complete=True)


@dataclass
class _RuleCounts:
    """The counts of one source rule, by step; the last entries belong to the current step.

    `calls` counts instantiations, `different` the different ones.
    """

    source: SourceStatement
    calls: list[int] = field(default_factory=lambda: [0])
    different: list[int] = field(default_factory=lambda: [0])

    def begin_step(self) -> None:
        self.calls.append(0)
        self.different.append(0)

    def add_facts(self) -> None:
        """Add the plain facts of the rule to the counts, because they have no counter."""
        self.calls[-1] += self.source.facts
        self.different[-1] += self.source.facts


class _Context:
    """The functions that clingo calls: the counters, and the functions of the program's scripts.

    Counters are attributes, because clingo looks them up at each call.
    """

    def __init__(self, counters: Mapping[str, object], functions: Functions | None) -> None:
        vars(self).update(counters)
        self._functions = functions

    def __getattr__(self, name: str) -> object:
        return getattr(self._functions, name)


class _Run:
    """The grounding of a program with counters, and the counts of each source rule by step."""

    def __init__(
        self,
        instrumented: Instrumented,
        constants: Mapping[str, str],
        one_call: bool,
        report: Reporter[Profile],
    ) -> None:
        self.one_call = one_call
        self._report = report
        self._pace = Pace(_REPORT_SECONDS)
        self._seconds = 0.0
        self._counts = [_RuleCounts(source) for source in instrumented.sources]
        counters = {
            f"{PREFIX}{number}": self._make_counter(self._counts[source])
            for number, source in enumerate(instrumented.counters)
        }
        program = instrumented.program
        self._functions = program.functions()
        self._context = _Context(counters, self._functions)
        self._messages = messages_of(program.sections)
        with reporting(self._messages):
            self._control = open_control(control_options(constants), self._messages)
            program.add_to(self._control)

    def _make_counter(self, counts: _RuleCounts) -> Callable[[Symbol], tuple[Symbol, ...]]:
        """Return the function of a counter; the function stores only hashes of bindings, to save
        memory.
        """
        calls = counts.calls
        different = counts.different
        seen: set[int] = set()

        def count(binding: Symbol) -> tuple[Symbol, ...]:
            calls[-1] += 1
            if calls[-1] % _CALLS_PER_LOOK == 0:
                self._report_sometimes()
            number = hash(binding)
            if number not in seen:
                seen.add(number)
                different[-1] += 1
            return _TRUE

        return count

    def begin_step(self) -> None:
        """Begin the next step; later ground calls are counted for this step."""
        for counts in self._counts:
            counts.begin_step()

    def ground(self, parts: list[Part]) -> None:
        """Ground parts of the program in one call."""
        names = {name for name, _ in parts}
        for counts in self._counts:
            if counts.source.part in names:
                counts.add_facts()
        start = time.monotonic()
        with reporting(self._messages):
            ground(self._control, parts, self._functions, context=self._context)
        self._seconds += time.monotonic() - start
        self._report_sometimes()

    def _report_sometimes(self) -> None:
        if self._pace.is_due():
            self._report(self.make_profile(is_complete=False))

    def make_profile(self, is_complete: bool) -> Profile:
        """Return the profile so far; its predicates are empty unless `is_complete`.

        The reason is that atoms cannot be counted while clingo is still grounding.
        """
        horizon = len(self._counts[0].calls) - 1 if self._counts else 0
        atoms = self._control.symbolic_atoms if is_complete else None
        return Profile(
            horizon=horizon,
            one_call=self.one_call,
            rules=_rule_costs(self._counts, self.one_call),
            predicates=() if atoms is None else _predicate_costs(atoms),
            seconds=round(self._seconds, 6),
            reason="" if is_complete else f"grounding step {horizon}",
        )


def _rule_costs(counts: list[_RuleCounts], one_call: bool) -> tuple[RuleCost, ...]:
    """Return the costs of all rules, the largest first."""
    total = sum(sum(rule.calls) for rule in counts)
    recursive = _recursive_rules(counts, one_call)
    costs = [_rule_cost(rule, i in recursive, total) for i, rule in enumerate(counts)]
    costs.sort(key=lambda cost: -cost.instantiations)
    return tuple(costs)


def _recursive_rules(counts: list[_RuleCounts], one_call: bool) -> set[int]:
    """Return the indices of the rules that are recursive within one ground call of a step."""
    calls = [{"step", "check"}] if one_call else [{"step"}, {"check"}]
    recursive: set[int] = set()
    for parts in calls:
        members = [i for i, rule in enumerate(counts) if rule.source.part in parts]
        on_cycle = find_recursive([counts[i].source.link for i in members])
        recursive.update(i for i, is_member in zip(members, on_cycle, strict=True) if is_member)
    return recursive


def _rule_cost(counts: _RuleCounts, is_recursive: bool, total: int) -> RuleCost:
    source = counts.source
    instantiations = sum(counts.calls)
    growth = _growth_after_base(counts.calls)
    advice = ""
    if growth in ("linear", "worse"):
        if growth == _growth_after_base(counts.different):
            advice = _ADVICE_SIZE
        else:
            advice = _ADVICE_RECURSION if is_recursive else _ADVICE_JOIN
    return RuleCost(
        file=source.file,
        line=source.line,
        column=source.column,
        part=source.part,
        rule=source.text,
        instantiations=instantiations,
        different=sum(counts.different),
        share=instantiations / total if total else 0.0,
        growth=growth,
        per_step=tuple(counts.calls),
        different_per_step=tuple(counts.different),
        role=source.role,
        heads=_names_of(source.link[0]),
        advice=advice,
        approximate=source.approximate,
    )


def _names_of(signatures: Iterable[Signature]) -> tuple[str, ...]:
    """Return predicates as `name/arity`, in alphabetical order."""
    return tuple(sorted(f"{sign}{name}/{arity}" for sign, name, arity in signatures))


def _growth_after_base(costs: list[int]) -> str:
    """Return the class of growth from step 1 on; `once` if only time 0 has costs."""
    steps = costs[1:]
    return classify_growth(steps) if any(steps) else "once"


def _predicate_costs(symbolic_atoms: SymbolicAtoms) -> tuple[PredicateCost, ...]:
    """Return the numbers of atoms of each predicate, the most frequent first."""
    atoms: Counter[str] = Counter()
    facts: Counter[str] = Counter()
    for atom in symbolic_atoms:
        symbol = atom.symbol
        sign = "-" if symbol.negative else ""
        name = f"{sign}{symbol.name}/{len(symbol.arguments)}"
        atoms[name] += 1
        facts[name] += atom.is_fact
    return tuple(PredicateCost(name, number, facts[name]) for name, number in atoms.most_common())


def cells_of(rule: RuleCost) -> list[str]:
    """Return a rule's cells in a table: counts, share, growth, a bar for each step,
    place and text.
    """
    return [
        f"{'~' if rule.approximate else ''}{rule.instantiations}",
        str(rule.different),
        f"{rule.share:.1%}",
        rule.growth,
        sparkline(rule.per_step[1:]),
        f"{PurePath(rule.file).name}:{rule.line}",
        rule.rule,
    ]
