"""Which source rule costs how much to ground, and whether that grows with the step.

The program is grounded as the controller does it, step by step, with a counter in each rule: one
more body literal, `1 = @asplan_K((X,Y,t))`, with all variables of its body. clingo calls the
function each time it has bound them, and it is always true. Conditions inside choices, aggregates
and conditional literals get counters of their own that count for the same rule.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import count, pairwise
from pathlib import PurePath
from statistics import linear_regression, mean

from clingo import Control, Number, Symbol
from clingo import Function as Constant

from asplan.core.graphs import closure
from asplan.core.limits import Stop
from asplan.core.plan import Shown
from asplan.program import syntax as ast
from asplan.program.ground import Part, ground
from asplan.program.incremental import Program, base, check, control_options, step
from asplan.program.source import reporting
from asplan.program.syntax import AST, ASTType, find
from asplan.program.unit import Section, messages_of
from asplan.program.wording import Wording

_AGAIN = (
    "Matched again at all earlier steps: let step(t) derive the next state under a name of its "
    "own, copy it in check(t), and ground the two in separate calls."
)
_JOIN = (
    "Matched at all earlier steps before clingo looks at t: put what the state is joined with "
    "into a predicate of its own that has no constant among its arguments; in a condition, take "
    "the time from a fact (now(T), T = t)."
)
_MORE = (
    "Each step makes more ground rules than the one before: does every literal name its time, "
    "and does every new value stay within the domain?"
)


@dataclass(frozen=True)
class RuleCost:
    """What one source rule costs.

    Attributes
    ----------
    instantiations
        How often clingo bound all variables of its body, or of a condition in it.
    different
        How many of these were not repetitions: an upper bound for its ground rules.
    share
        Part of the instantiations of the whole program, 0 to 1.
    growth
        Of the instantiations: `once` (base only), `constant`, `linear`, `worse`, or empty.
    per_step
        Instantiations at time 0 (base and check 0) and in step 1, 2, …
    advice
        What helps, where it grows; else empty.
    approximate
        Why the count is not exact; empty where it is.
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
    advice: str
    approximate: str

    @property
    def grows_alone(self) -> bool:
        """Whether its instantiations grow with the step though its ground rules do not."""
        return self.advice in (_AGAIN, _JOIN)


@dataclass(frozen=True)
class PredicateCost:
    """Atoms of one predicate in the ground program, and how many of them are facts."""

    predicate: str
    atoms: int
    facts: int


@dataclass(frozen=True)
class Profile(Shown):
    """The rules, the dearest first, and the predicates, the largest first.

    `horizon` is the last step that was grounded; `one_call` says whether step(t) and check(t)
    were grounded together. `reason` tells why the profile is incomplete; empty where it is not.
    """

    horizon: int = 0
    one_call: bool = False
    rules: tuple[RuleCost, ...] = ()
    predicates: tuple[PredicateCost, ...] = ()
    seconds: float = 0.0
    reason: str = ""
    stopped: Stop | None = None


_ONE = (Number(1),)
_REPORT_EVERY = 0.5  # seconds between two reports of what was counted so far


def profile_program(
    program: Program,
    constants: Mapping[str, str],
    horizon: int,
    one_call: bool = False,
    report: Callable[[Profile], None] = lambda profile: None,
) -> Profile:
    """Ground a program step by step and count; with `one_call` step(t) and check(t) together."""
    run = _Run(instrument(program), constants, one_call or not program.staged, report)
    run.ground([base(), check(0)])
    for t in range(1, horizon + 1):
        for counts in run.calls, run.different:
            for by_step in counts:
                by_step.append(0)
        if run.one_call:
            run.ground([step(t), check(t)])
        else:
            run.ground([step(t)])
            run.ground([check(t)])
    return run.profile(complete=True)


class _Run:
    """A control with the counting functions as its context, which count by source rule and step."""

    def __init__(
        self,
        instrumented: Instrumented,
        constants: Mapping[str, str],
        one_call: bool,
        report: Callable[[Profile], None],
    ) -> None:
        self.sources, self.one_call, self.report = instrumented.sources, one_call, report

        self.calls = [[0] for _ in self.sources]
        self.different = [[0] for _ in self.sources]
        self.reported = time.monotonic()
        self.seconds = 0.0
        for number, source in enumerate(instrumented.counters):
            counter = self._counter(self.calls[source], self.different[source])
            setattr(self, f"{PREFIX}{number}", counter)
        self.functions = instrumented.program.functions()
        self.messages = messages_of(instrumented.program.sections)
        with reporting(self.messages):
            self.control = Control(control_options(constants), logger=self.messages)
            instrumented.program.add_to(self.control)

    def _counter(
        self, calls: list[int], different: list[int]
    ) -> Callable[[Symbol], tuple[Symbol, ...]]:
        seen: set[int] = set()

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

    def ground(self, parts: list[Part]) -> None:
        names = {name for name, _ in parts}
        for i, source in enumerate(self.sources):
            if source.part in names:
                self.calls[i][-1] += source.facts
                self.different[i][-1] += source.facts
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
        horizon = len(self.calls[0]) - 1 if self.calls else 0
        total = sum(map(sum, self.calls))
        again = [False] * len(self.sources)
        for names in [{"step", "check"}] if self.one_call else [{"step"}, {"check"}]:
            members = [i for i, source in enumerate(self.sources) if source.part in names]
            backs = feeding_back([self.sources[i].link for i in members])
            for i, back in zip(members, backs, strict=True):
                again[i] = back
        costs = zip(self.sources, self.calls, self.different, again, strict=True)
        rules = [_rule_cost(*cost, total) for cost in costs]
        atoms, facts = Counter[str](), Counter[str]()
        for atom in self.control.symbolic_atoms if complete else ():
            symbol = atom.symbol
            name = f"{'-' if symbol.negative else ''}{symbol.name}/{len(symbol.arguments)}"
            atoms[name] += 1
            facts[name] += atom.is_fact
        return Profile(
            horizon=horizon,
            one_call=self.one_call,
            rules=tuple(sorted(rules, key=lambda rule: -rule.instantiations)),
            predicates=tuple(PredicateCost(n, k, facts[n]) for n, k in atoms.most_common()),
            seconds=round(self.seconds, 6),
            reason="" if complete else f"grounding step {horizon}",
        )


def _rule_cost(
    source: Source, calls: list[int], different: list[int], again: bool, total: int
) -> RuleCost:
    instantiations, grows = sum(calls), _growth_by_step(calls)
    advice = ""
    if grows in ("linear", "worse"):
        more = grows == _growth_by_step(different)
        advice = _MORE if more else _AGAIN if again else _JOIN
    place = source.file, source.line, source.column, source.part, source.text
    counts = instantiations, sum(different), instantiations / total if total else 0.0
    return RuleCost(*place, *counts, grows, tuple(calls), advice, source.approximate)


def _growth_by_step(costs: Sequence[int]) -> str:
    """The growth after time 0; `once` where there is nothing after it."""
    return growth(costs[1:]) if any(costs[1:]) else "once"


_LEAST_STEPS = 8  # with fewer steps than that nothing is said about growth
_CONSTANT, _LINEAR = 0.3, 1.4
_BARS = "▁▂▃▄▅▆▇█"


def growth(costs: Sequence[int]) -> str:
    """`constant`, `linear` or `worse`; empty where there are too few steps to tell.

    `costs` holds the cost of step 1, 2, … Decisive is the exponent k of t**k that fits the second
    half: most problems need some steps until all of their states are reachable. It is the
    elasticity (relative growth of the cost by relative growth of t) of the straight line through
    that half, taken in the middle.

    >>> growth([7] * 20), growth(list(range(20))), growth([n * n for n in range(20)])
    ('constant', 'linear', 'worse')
    """
    if len(costs) < _LEAST_STEPS:
        return ""
    times, values = range(len(costs) // 2 + 1, len(costs) + 1), costs[len(costs) // 2 :]
    slope, middle = linear_regression(times, values).slope, mean(values)
    k = slope * mean(times) / middle if middle else 0.0
    return "constant" if k < _CONSTANT else "linear" if k < _LINEAR else "worse"


def cells_of(rule: RuleCost) -> list[str]:
    """What a table shows of a rule: counts, share, growth, by step, place, text."""
    return [
        f"{'~' if rule.approximate else ''}{rule.instantiations}",
        str(rule.different),
        f"{rule.share:.1%}",
        rule.growth,
        sparkline(rule.per_step[1:]),
        f"{PurePath(rule.file).name}:{rule.line}",
        rule.rule,
    ]


def sparkline(costs: Sequence[int], width: int = 16) -> str:
    """The costs as a line of bars, averaged to at most `width` of them; the largest is full.

    >>> sparkline([1, 2, 3, 4])
    '▂▄▆█'
    """
    bins = min(width, len(costs))
    cuts = [round(i * len(costs) / bins) for i in range(bins + 1)] if bins else []
    means = [sum(costs[a:b]) / (b - a) for a, b in pairwise(cuts)]
    top = max(means, default=0) or 1
    return "".join(_BARS[max(0, round(mean / top * len(_BARS)) - 1)] for mean in means)


PREFIX = "asplan_"  # begins the names of the counting functions

Link = tuple[Set[ast.Signature], Set[ast.Signature]]  # what a rule derives, and what it reads


@dataclass(frozen=True)
class Source:
    """A statement in its file, why its count is not exact, and how many plain facts it has."""

    file: str
    line: int
    column: int
    part: str
    text: str
    approximate: str
    facts: int
    link: Link


@dataclass(frozen=True)
class Instrumented:
    """A program with counters: function K counts for `sources[counters[K]]`."""

    program: Program
    sources: tuple[Source, ...]
    counters: tuple[int, ...]


def instrument(program: Program) -> Instrumented:
    program = program.expand_facts()
    wording, sources, counters = Wording(), list[Source](), list[int]()

    def counted(statement: AST, section: Section) -> Iterator[AST]:
        if not hasattr(statement, "body"):
            yield statement
            return
        named = _without_lone_anonymous(statement)
        facts, begin = 0, statement.location.begin
        if _is_plain(statement) and not statement.body and not find(ASTType.Interval, [statement]):
            facts = len(statement.unpool())
        place = begin.filename, begin.line, begin.column, section.part
        heads, read = (set(map(ast.signature, of(statement))) for of in (ast.heads, ast.reads))
        why = _approximate(named)
        sources.append(Source(*place, wording(statement), why, facts, (heads, read)))
        yield statement if facts else _Counting(section, counters, len(sources) - 1).rule(named)

    return Instrumented(program.changed(counted), tuple(sources), tuple(counters))


@dataclass
class _Counting(ast.Walker):
    """Puts counters into one statement, which is number `source`."""

    section: Section
    counters: list[int]
    source: int

    def rule(self, statement: AST) -> AST:
        """The statement with a counter in its body, and in each condition."""
        ranges: list[AST] = []

        def variable(interval: AST) -> AST:
            # As clingo itself does before it grounds.
            found = ast.Variable(interval.location, f"AsplanRange{len(ranges)}")
            ranges.append(ast.compared(interval, found, interval))
            return found

        if _is_plain(statement):
            head = ast.Walker(Interval=variable).visit(statement.head)
            statement = statement.update(head=head)
        names = [*ast.global_variables(statement.body), *(str(r.atom.term) for r in ranges)]
        counted = self.visit(statement)
        return counted.update(body=[*counted.body, *ranges, self._call(names, statement)])

    def visit_ConditionalLiteral(self, node: AST) -> AST:
        if not node.condition:
            return node
        call = self._call(ast.variable_names(node), node.condition[0])
        return node.update(condition=[*node.condition, call])

    visit_BodyAggregateElement = visit_ConditionalLiteral

    def _call(self, names: Iterable[str], place: AST) -> AST:
        """A literal that is true, and counts for the statement at hand."""
        name, location = f"{PREFIX}{len(self.counters)}", place.location
        self.counters.append(self.source)
        parameter = self.section.parameter
        times = [ast.SymbolicTerm(location, Constant(parameter))] if parameter else []
        variables = [ast.Variable(location, name) for name in dict.fromkeys(names)]
        key = ast.Function(location, "", [*variables, *times], 0)
        one = ast.SymbolicTerm(location, Number(1))
        return ast.compared(place, one, ast.Function(location, name, [key], 1))


def _is_plain(statement: AST) -> bool:
    """Whether a statement is a rule whose head is a literal."""
    return bool(statement.ast_type == ASTType.Rule and statement.head.ast_type == ASTType.Literal)


def _without_lone_anonymous(statement: AST) -> AST:
    """Name anonymous variables where, but for the counter, clingo would not project them away."""
    if not _is_plain(statement):
        return statement
    compared = [b for b in statement.body if ast.is_literal(b, ASTType.Comparison, None)]
    plain = [literal for literal in compared if not find(ASTType.Interval, [literal])]
    others = [literal for literal in statement.body if literal not in plain]
    lone = others[0] if len(others) == 1 else None
    if lone is None or lone.ast_type != ASTType.Literal or lone.sign != ast.Sign.NoSign:
        return statement
    names = (f"AsplanAny{i}" for i in count(1))
    naming = ast.Walker(
        Variable=lambda v: ast.Variable(v.location, next(names)) if v.name == "_" else v
    )
    return statement.update(body=[naming.visit(literal) for literal in statement.body])


def _approximate(statement: AST) -> str:
    if any(v.name == "_" for v in find(ASTType.Variable, statement.body)):
        return "Anonymous variable: the projection that clingo adds is not counted."
    conditions = find(ASTType.ConditionalLiteral, [statement])
    elements = find(ASTType.BodyAggregateElement, [statement])
    if find(ASTType.Interval, [*statement.body, *conditions, *elements]):
        return "Interval in the body or in a condition: its values may not be counted."
    pools = find(ASTType.Pool, [*statement.body, *conditions, *elements])
    if {v.name for v in find(ASTType.Variable, pools)} - set(ast.variable_names(*statement.body)):
        return "Pool: values of variables that only it names are not told apart."
    return ""


def feeding_back(links: Sequence[Link]) -> list[bool]:
    """For each rule whether what it derives leads to something that it reads.

    clingo sorts rules by the predicates they read and derive, whatever their arguments. Rules on a
    cycle are instantiated again and again until nothing new comes out, and in a multi-shot program
    that goes over the atoms of all earlier steps.

    >>> p, q, r = ("", "p", 1), ("", "q", 1), ("", "r", 1)
    >>> feeding_back([({p}, {q}), ({q}, {p}), ({r}, {p})])
    [True, True, False]
    """
    successors: dict[ast.Signature, set[ast.Signature]] = {}
    for derived, read in links:
        for predicate in read:
            successors.setdefault(predicate, set()).update(derived)

    reached = ((closure(d, lambda key: successors.get(key, ())), read) for d, read in links)
    return [not read.isdisjoint(found) for found, read in reached]
