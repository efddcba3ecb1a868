"""Which source rule costs how much to ground, and whether that grows with the step.

The program is grounded as the controller does it, step by step, with a counter in each rule
(`instrument`).

>>> profile = profile_program(program, {}, horizon=40)                  # doctest: +SKIP
>>> profile.rules[0].rule                                               # doctest: +SKIP
'busy(t,C,X,Y..Y+N-1) :- position(t,C,X,Y), car(C,N,h).'
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from clingo import Control, Number, Symbol

from asplan.asp.measuring.costs import (
    PredicateCost,
    Profile,
    RuleCost,
    find_advice,
    growth_by_step,
)
from asplan.asp.measuring.instrument import PREFIX, Instrumented, Source, instrument
from asplan.asp.measuring.recursion import feeding_back
from asplan.program.incremental import Program, base, check, control_options, step
from asplan.program.messages import Messages, reporting
from asplan.program.scripts import Part, ground

_ONE = (Number(1),)
_REPORT_EVERY = 0.5
"""Seconds between two reports of what was counted so far."""


def profile_program(
    program: Program,
    constants: Mapping[str, str],
    horizon: int,
    one_call: bool = False,
    report: Callable[[Profile], None] = lambda profile: None,
) -> Profile:
    """Ground a program step by step and count.

    Parameters
    ----------
    one_call
        Ground step(t) and check(t) in one call, as plain incremental clingo does; else in two
        calls wherever the program allows that.
    report
        Called now and then with what was counted so far.

    Raises
    ------
    InputError
        The program cannot be grounded.
    """
    run = _Run(instrument(program), constants, one_call or not program.staged, report)
    run.ground([base(), check(0)])
    for t in range(1, horizon + 1):
        run.open_step()
        if run.one_call:
            run.ground([step(t), check(t)])
        else:
            run.ground([step(t)])
            run.ground([check(t)])
    return run.profile(complete=True)


@dataclass
class _Count:
    """The counts of one source rule by step."""

    calls: list[int] = field(default_factory=lambda: [0])
    different: list[int] = field(default_factory=lambda: [0])


class _Run:
    """A control with the counting functions as its context."""

    def __init__(
        self,
        instrumented: Instrumented,
        constants: Mapping[str, str],
        one_call: bool,
        report: Callable[[Profile], None],
    ) -> None:
        self.sources, self.one_call, self.report = instrumented.sources, one_call, report
        self.again = _matched_again(self.sources, one_call)
        self.counts = [_Count() for _ in self.sources]
        self.start = self.reported = time.monotonic()
        self.seconds = 0.0
        for number, source in enumerate(instrumented.counters):
            setattr(self, f"{PREFIX}{number}", self._counter(self.counts[source]))
        self.functions = instrumented.program.functions()
        self.messages = Messages()
        with reporting(self.messages):
            self.control = Control(control_options(constants), logger=self.messages)
            instrumented.program.add_to(self.control)

    def _counter(self, count: _Count) -> Callable[[Symbol], tuple[Symbol, ...]]:
        seen: set[int] = set()
        calls, different = count.calls, count.different

        def tick(key: Symbol) -> tuple[Symbol, ...]:
            calls[-1] += 1
            if calls[-1] % 4096 == 0:
                self._report()
            number = hash(key)
            if number not in seen:
                seen.add(number)
                different[-1] += 1
            return _ONE

        return tick

    def __getattr__(self, name: str) -> object:
        # clingo asks here for the functions of the program's own scripts as well.
        return getattr(self.functions, name)

    def open_step(self) -> None:
        """Count for the next step from now on."""
        for count in self.counts:
            count.calls.append(0)
            count.different.append(0)

    def ground(self, parts: list[Part]) -> None:
        """Ground some parts in one call, and count."""
        names = {name for name, _ in parts}
        for source, count in zip(self.sources, self.counts, strict=True):
            if source.part in names:
                count.calls[-1] += source.facts
                count.different[-1] += source.facts
        start = time.monotonic()
        with reporting(self.messages):
            ground(self.control, parts, self.functions, context=self)
        self.seconds += time.monotonic() - start
        self._report()

    def _report(self) -> None:
        if time.monotonic() - self.reported > _REPORT_EVERY:
            self.report(self.profile(complete=False))
            self.reported = time.monotonic()

    def profile(self, complete: bool) -> Profile:
        """What was counted so far; while clingo grounds, its atoms cannot be counted."""
        horizon = len(self.counts[0].calls) - 1 if self.counts else 0
        total = sum(sum(count.calls) for count in self.counts)
        pairs = zip(self.sources, self.counts, strict=True)
        rules = [
            _rule_cost(*pair, total, again) for pair, again in zip(pairs, self.again, strict=True)
        ]
        return Profile(
            horizon=horizon,
            one_call=self.one_call,
            rules=tuple(sorted(rules, key=lambda rule: -rule.instantiations)),
            predicates=_predicates(self.control) if complete else (),
            seconds=round(self.seconds, 6),
            reason="" if complete else f"grounding step {horizon}",
        )


def _matched_again(sources: Sequence[Source], one_call: bool) -> list[bool]:
    """Which rules feed back into themselves within one ground call of a step."""
    parts = [{"step", "check"}] if one_call else [{"step"}, {"check"}]
    again: dict[int, bool] = {}
    for names in parts:
        members = [i for i, source in enumerate(sources) if source.part in names]
        again.update(zip(members, feeding_back([sources[i].link for i in members]), strict=True))
    return [again.get(i, False) for i in range(len(sources))]


def _rule_cost(source: Source, count: _Count, total: int, again: bool) -> RuleCost:
    instantiations = sum(count.calls)
    grows = growth_by_step(count.calls)
    return RuleCost(
        file=source.file,
        line=source.line,
        column=source.column,
        part=source.part,
        rule=source.text,
        instantiations=instantiations,
        different=sum(count.different),
        share=instantiations / total if total else 0.0,
        growth=grows,
        per_step=tuple(count.calls),
        advice=find_advice(grows, growth_by_step(count.different), again),
        approximate=source.approximate,
    )


def _predicates(control: Control) -> tuple[PredicateCost, ...]:
    atoms: Counter[str] = Counter()
    facts: Counter[str] = Counter()
    for atom in control.symbolic_atoms:
        symbol = atom.symbol
        name = f"{'-' if symbol.negative else ''}{symbol.name}/{len(symbol.arguments)}"
        atoms[name] += 1
        facts[name] += atom.is_fact
    return tuple(PredicateCost(name, n, facts[name]) for name, n in atoms.most_common())
