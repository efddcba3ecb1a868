"""Random single-shot and incremental planning programs, and what plain clingo says of them.

Nothing here imports asplan. A `Case` knows how its program is written for each horizon, which atoms
are actions, and where their times stand, because it put the program together itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from clingo import Control, Function, Number, Symbol

Atom = str

FURTHEST = 7
"""The greatest horizon that is tried."""

WRITTEN = 8
"""The horizon that a program has as it is written, where it is a number."""


@dataclass(frozen=True)
class Predicate:
    """A predicate with a time: `at(X,T)`, `at(T,X)` or `at(X,T,k)`."""

    name: str
    template: str
    place: int

    def at(self, time: str, thing: str = "X") -> str:
        return self.template.format(x=thing, t=time)


@dataclass(frozen=True)
class Case:
    """A random program: `text` with `{N}` for the horizon, and how its atoms are read.

    `first` is the least horizon that clingo is asked for. `actions` maps the name of each action
    predicate to the argument that is its time; `fluents` likewise.
    """

    text: str
    incremental: bool
    actions: dict[str, int]
    fluents: dict[str, int]
    first: int = 0
    features: tuple[str, ...] = ()

    def written(self) -> str:
        """Return the program as its author would give it to a planner."""
        return self.text.replace("{N}", str(WRITTEN))

    def at(self, horizon: int) -> str:
        """Return the program for a horizon."""
        return self.text.replace("{N}", str(horizon))


@dataclass(frozen=True)
class Truth:
    """The least horizon with an answer set, and the least cost there; None if there is none."""

    horizon: int | None
    cost: int | None = None


def _timed(random: Random, name: str, with_thing: bool = True) -> Predicate:
    """Return a predicate whose time is its first, its middle or its last argument."""
    if not with_thing:
        return Predicate(name, f"{name}({{t}})", 0)
    forms = [("{x},{t}", 1), ("{t},{x}", 0), ("{x},{t},k", 1)]
    form, place = random.choices(forms, [5, 3, 1])[0]
    return Predicate(name, f"{name}({form})", place)


@dataclass
class _Writer:
    """The rules of a program that is being put together."""

    random: Random
    lines: list[str] = field(default_factory=list)
    features: list[str] = field(default_factory=list)

    def add(self, *lines: str) -> None:
        self.lines += lines

    def pick(self, what: str, options: Sequence[tuple[int, str]]) -> str:
        """Return one of the weighted options, and note it as a feature."""
        weights, names = zip(*options, strict=True)
        name = self.random.choices(names, weights)[0]
        self.features.append(f"{what}={name}")
        return name

    def chance(self, what: str, probability: float) -> bool:
        if self.random.random() < probability:
            self.features.append(what)
            return True
        return False


def random_case(seed: int) -> Case:
    """Return the program with a number."""
    random = Random(seed)
    return _incremental(random) if seed % 4 == 0 else _single_shot(random)


BOUNDS = [
    (6, "constant"),
    (2, "constant_from_1"),
    (2, "constant_less_1"),
    (3, "fact"),
    (2, "compared_fact"),
    (3, "range"),
    (2, "enumerated"),
    (2, "interval_in_choice"),
    (1, "two_domains"),
]

_DOMAINS = {
    "constant": ["#const n={N}.", "time(0..n)."],
    "constant_from_1": ["#const n={N}.", "time(1..n)."],
    "constant_less_1": ["#const n={N}.", "time(0..n-1)."],
    "fact": ["length({N}).", "time(0..L) :- length(L)."],
    "compared_fact": ["length({N}).", "time(0).", "time(T+1) :- time(T), length(L), T < L."],
    "range": ["time(0..{N})."],
    "interval_in_choice": ["#const n={N}."],
    "two_domains": ["#const n={N}.", "time(0..n).", "step(0..n-1)."],
}


def _single_shot(random: Random) -> Case:
    """Put a single-shot program together: a counter that actions move, and a goal."""
    w = _Writer(random)
    bound = w.pick("bound", BOUNDS)
    lag = int(w.pick("lag", [(3, "1"), (1, "0")])) if bound != "constant_less_1" else 1
    if bound == "constant_from_1" and w.chance("effect at the same time", 0.6):
        lag = 0
    elif bound == "interval_in_choice":
        lag = 1
    at = _timed(random, "at")
    go = _timed(random, "go", with_thing=False)
    hop = _timed(random, "hop")
    start = 1 if bound == "constant_from_1" and lag else 0
    end = _end_of(bound)
    if bound == "enumerated":
        # One fact a time; the number of facts is the horizon.
        w.add("{TIMES}")
    else:
        w.add(*_DOMAINS[bound])
    w.add(at.at(str(start), "0") + ".")
    w.add("d(1..2).")
    _write_actions(w, bound, lag, at, go, hop)
    _write_frame(w, bound, lag, at, go, hop)
    _write_restrictions(w, bound, at, go)
    _write_goal(w, bound, lag, at, end)
    actions = {go.name: go.place}
    if any("hop(" in line for line in w.lines):
        actions[hop.name] = hop.place
        w.add(f"#show {hop.name}/{hop.template.count(',') + 1}.")
    w.add(f"#show {go.name}/1.")
    if w.chance("costs", 0.15):
        w.add(f"#minimize {{ 1,T : {go.at('T')} }}.")
    head = [line for line in w.lines if line.startswith("#const")]
    rest = [line for line in w.lines if not line.startswith("#const")]
    if w.chance("shuffled", 0.5):
        random.shuffle(rest)
    first = 1 if bound in ("constant_from_1", "constant_less_1") else 0
    text = "\n".join([*head, *rest])
    return Case(text, False, actions, {at.name: at.place}, first, tuple(w.features))


def _end_of(bound: str) -> str:
    """Return how rules name the last time."""
    if bound in ("fact", "compared_fact"):
        return "L"
    return "{N}" if bound in ("range", "enumerated") else "n"


def _is_time(w: _Writer, bound: str, variable: str = "T") -> str:
    """Return the literal that says that a variable is a time of a domain."""
    if bound == "interval_in_choice":
        return f"{variable} = 0..n"
    if bound == "two_domains" and w.random.random() < 0.4:
        return f"step({variable})"
    return f"time({variable})"


def _limits(bound: str) -> list[tuple[int, str]]:
    """Return the literals that keep T before the last time, with weights."""
    if bound in ("constant", "two_domains", "constant_from_1"):
        return [(3, "T < n"), (2, "T+1 <= n"), (2, "time(T+1)"), (1, "T != n"), (2, "T+1 < n")]
    if bound == "constant_less_1":
        return [(3, "time(T+1)"), (2, "T < n-1")]
    if bound == "interval_in_choice":
        return [(1, "T < n")]
    if bound in ("fact", "compared_fact"):
        return [(3, "length(L), T < L"), (3, "time(T+1)"), (1, "not length(T)")]
    return [(1, "time(T+1)")]


def _guard(w: _Writer, bound: str, name: str, optional: float) -> str:
    """Return a literal that keeps T before the last time, with a comma; or nothing."""
    if w.random.random() < optional:
        return ""
    return ", " + w.pick(name, _limits(bound))


def _write_actions(
    w: _Writer, bound: str, lag: int, at: Predicate, go: Predicate, hop: Predicate
) -> None:
    time = _is_time(w, bound)
    guard = _guard(w, bound, "action limit", 0.35) if lag else ""
    before = "T" if lag else "T-1"
    since = ", T > 0" if not lag and bound != "constant_from_1" else ""
    if lag and bound != "interval_in_choice" and w.chance("times before the first", 0.1):
        # The action ranges over the time before the first, too.
        time = "time(T+1)"
        guard = ""
    form = w.pick("choice", [(4, "open"), (2, "at most one"), (2, "exactly one"), (1, "even loop")])
    body = f"{time}{guard}{since}"
    if form == "open":
        w.add(f"{{ {go.at('T')} }} :- {body}.")
    elif form == "at most one":
        w.add(f"{{ {go.at('T')} ; {hop.at('T', 'X')} : d(X) }} 1 :- {body}.")
    elif form == "exactly one":
        w.add(f"{{ {go.at('T')} ; {hop.at('T', 'X')} : d(X) }} = 1 :- {body}.")
    else:
        w.add(f"{go.at('T')} :- {body}, not stay(T).", f"stay(T) :- {body}, not {go.at('T')}.")
    if form in ("at most one", "exactly one") and w.chance("precondition", 0.5):
        limit = w.random.choice(["X = 1", "Y > 0", "Y != 2"])
        w.add(f":- {hop.at('T', 'X')}, {at.at(before, 'Y')}, {limit}.")


def _write_frame(
    w: _Writer, bound: str, lag: int, at: Predicate, go: Predicate, hop: Predicate
) -> None:
    """Write the effects of the actions and what is carried on."""
    now = "T+1" if lag else "T"
    before = "T" if lag else "T-1"
    has_hop = any("hop(" in line for line in w.lines)
    effect_guard = _guard(w, bound, "effect limit", 0.7) if lag else ""
    w.add(f"{at.at(now, 'X+1')} :- {go.at('T')}, {at.at(before, 'X')}, X < 6{effect_guard}.")
    moved = f"not {go.at('T')}"
    if has_hop:
        if w.chance("effect without a precondition", 0.2):
            w.add(f"{at.at(now, 'X')} :- {hop.at('T', 'X')}.")
        else:
            w.add(f"{at.at(now, 'Y+X')} :- {hop.at('T', 'X')}, {at.at(before, 'Y')}, Y < 5.")
        w.add(f"hopped(T) :- {hop.at('T', 'X')}.")
        moved += ", not hopped(T)"
    if not lag:
        w.add(f"{at.at('T', 'X')} :- {at.at('T-1', 'X')}, {moved}, {_is_time(w, bound)}.")
        return
    # Without a limit of its own the rule would go on for ever.
    limits = [(3, _is_time(w, bound)), *_limits(bound)]
    limit = w.pick("frame limit", limits)
    if limit in ("T != n", "not length(T)"):
        # An action at the last time may lead beyond it, where these exclude nothing.
        limit = f"{_is_time(w, bound)}, {limit}"
    if w.chance("frame by denial", 0.15):
        w.add(f"gone({at.at('T', 'X').partition('(')[2][:-1]}) :- {go.at('T')}, {at.at('T', 'X')}.")
    w.add(f"{at.at(now, 'X')} :- {at.at(before, 'X')}, {moved}, {limit}.")


def _write_restrictions(w: _Writer, bound: str, at: Predicate, go: Predicate) -> None:
    """Write comparisons that bound no time, and other rules that a plan does not need."""
    decoys = [
        f":- {go.at('T')}, T = 1.",
        f":- {at.at('T', '1')}, T >= 3.",
        f":- {at.at('T', 'X')}, T < 2, X > 1.",
        f"early(T) :- {at.at('T', '1')}, T >= 1.",
        f"big(X,T) :- {at.at('T', 'X')}, X > 2.",
        f"near(T) :- {at.at('T', 'X')}, d(X), X <= T+2.",
        f":- {go.at('T')}, {at.at('T', 'X')}, d(X), X > T+1.",
        f":- {at.at('T', 'X')}, {at.at('T', 'Y')}, X < Y.",
        f":- {go.at('T')}, {go.at('S')}, T < S, S < T+1.",
        "late(2). late(3).",
    ]
    for decoy in w.random.sample(decoys, w.random.choice([0, 0, 1, 1, 2])):
        w.features.append("decoy " + decoy)
        w.add(decoy)


def _write_goal(w: _Writer, bound: str, lag: int, at: Predicate, end: str) -> None:
    target = str(w.random.choice([1, 2, 2, 3, 4]))
    holds_at = partial_at(at, target)
    has_domain = bound != "interval_in_choice"
    forms = [(4, "at end"), (2, "any time"), (2, "rule at any time"), (1, "rule over domain")]
    forms += [(1, "goal with time")]
    if has_domain:
        forms += [(1, "last by denial"), (1, "at least once")]
    if bound in ("constant", "two_domains", "range") and lag:
        forms.append((1, "after the end"))
    form = w.pick("goal", forms)
    if form == "at end" and end == "L":
        w.add(f":- length(L), not {holds_at(end)}.")
    elif form == "at end":
        w.add(f":- not {holds_at(end)}.")
    elif form == "after the end":
        w.add(f":- not {holds_at(end + '+1')}.")
    elif form == "any time":
        w.add(f":- not {holds_at('_')}.")
    elif form == "rule at any time":
        w.add(f"goal :- {holds_at('T')}.", ":- not goal.")
    elif form == "rule over domain":
        w.add(f"goal :- {holds_at('T')}, {_is_time(w, bound)}.", ":- not goal.")
    elif form == "goal with time":
        w.add(f"goal(T) :- {holds_at('T')}, {_is_time(w, bound)}.", ":- not goal(_).")
    elif form == "last by denial":
        w.add(f":- time(T), not time(T+1), not {holds_at('T')}.")
    else:
        w.add(f":- {{ {holds_at('T')} : time(T) }} 0.")


@dataclass(frozen=True)
class partial_at:
    """An atom with a fixed thing, as a function of its time."""

    predicate: Predicate
    thing: str

    def __call__(self, time: str) -> str:
        return self.predicate.at(time, self.thing)


def _incremental(random: Random) -> Case:
    """Put an incremental program together, with the same parts."""
    w = _Writer(random)
    at = _timed(random, "at")
    go = _timed(random, "go", with_thing=False)
    hop = _timed(random, "hop")
    early = w.chance("actions at t-1", 0.3)
    when = "t-1" if early else "t"
    form = w.pick("choice", [(3, "open"), (2, "at most one"), (2, "exactly one")])
    w.add("#program base.", at.at("0", "0") + ".", "d(1..2).", "#program step(t).")
    both = f"{go.at(when)} ; {hop.at(when, 'X')} : d(X)"
    if form == "open":
        w.add(f"{{ {go.at(when)} }}.")
    else:
        w.add(f"{{ {both} }} {'= 1' if form == 'exactly one' else '1'}.")
    w.add(f"{at.at('t', 'X+1')} :- {go.at(when)}, {at.at('t-1', 'X')}, X < 6.")
    moved = f"not {go.at(when)}"
    if form != "open":
        w.add(f"{at.at('t', 'Y+X')} :- {hop.at(when, 'X')}, {at.at('t-1', 'Y')}, Y < 5.")
        w.add(f"hopped(t) :- {hop.at(when, 'X')}.")
        moved += ", not hopped(t)"
    if form != "exactly one" or w.chance("frame", 0.7):
        w.add(f"{at.at('t', 'X')} :- {at.at('t-1', 'X')}, {moved}.")
    decoys = [
        f":- {go.at(when)}, t = 2.",
        f":- {at.at('t', '1')}, t >= 4.",
        f"near(t) :- {at.at('t', 'X')}, d(X), X <= t+2.",
        f":- {at.at('t', 'X')}, t < 3, X > 2.",
    ]
    w.add(*random.sample(decoys, random.choice([0, 1, 1, 2])))
    target = random.choice(["1", "2", "3", "4"])
    w.add("#program check(t).")
    if w.chance("goal by a rule", 0.4):
        w.add(f"goal(t) :- {at.at('t', target)}.", ":- query(t), not goal(t).")
    else:
        w.add(f":- query(t), not {at.at('t', target)}.")
    actions = {go.name: go.place}
    w.add(f"#show {go.name}/1.")
    if form != "open":
        actions[hop.name] = hop.place
        w.add(f"#show {hop.name}/{hop.template.count(',') + 1}.")
    text = "\n".join(w.lines)
    return Case(text, True, actions, {at.name: at.place}, 0, tuple(w.features))


# Plain clingo.


def text_at(case: Case, horizon: int) -> str:
    """Return the program for a horizon, with a fact for each time where they are enumerated."""
    times = " ".join(f"time({t})." for t in range(horizon + 1))
    return case.at(horizon).replace("{TIMES}", times)


def written_text(case: Case) -> str:
    """Return the program as its author would give it to a planner."""
    times = " ".join(f"time({t})." for t in range(WRITTEN + 1))
    return case.written().replace("{TIMES}", times)


def control_at(case: Case, horizon: int) -> Control:
    """Ground the program for a horizon."""
    control = Control(["--warn=none"])
    if not case.incremental:
        control.add("base", [], text_at(case, horizon))
        control.ground([("base", [])])
        return control
    control.add("base", [], case.text)
    control.add("check", ["t"], "#external query(t).")
    for t in range(horizon + 1):
        parts = [("check", [Number(t)])]
        parts.append(("step", [Number(t)]) if t else ("base", []))
        control.ground(parts)
    control.assign_external(Function("query", [Number(horizon)]), True)
    return control


def truth_of(case: Case, furthest: int = FURTHEST) -> Truth:
    """Return the least horizon at which the program has an answer set."""
    for horizon in range(case.first, furthest + 1):
        control = control_at(case, horizon)
        cost: int | None = None
        satisfiable = False
        with control.solve(yield_=True) as handle:
            for model in handle:
                satisfiable = True
                cost = sum(model.cost) if model.cost else None
        if satisfiable:
            return Truth(horizon, cost)
    return Truth(None)


def action_atoms(case: Case, control: Control) -> dict[Symbol, int]:
    """Return the atoms of actions of a ground program, each with its time."""
    found = {}
    for atom in control.symbolic_atoms:
        symbol = atom.symbol
        place = case.actions.get(symbol.name)
        if place is not None:
            found[symbol] = symbol.arguments[place].number
    return found


def without_time(case: Case, atom: Symbol) -> str:
    """Return the action of an atom, as text."""
    place = case.actions[atom.name]
    rest = [*atom.arguments[:place], *atom.arguments[place + 1 :]]
    return str(Function(atom.name, rest))


def is_answer(
    case: Case, horizon: int, steps: Sequence[Sequence[str]], beside: Sequence[str] = ()
) -> Iterator[tuple[int, tuple[frozenset[str], ...]]]:
    """Yield the shifts of time by which the steps are all the actions of an answer set.

    With each comes the state at each time of that answer set. Atoms in `beside` are left open.
    """
    for shift in (0, 1, -1, 2):
        control = control_at(case, horizon)
        atoms = action_atoms(case, control)
        wanted = {(action, number + shift) for number, step in enumerate(steps) for action in step}
        known = {(without_time(case, atom), time) for atom, time in atoms.items()}
        if not wanted <= known:
            continue
        fixed = [
            (atom, (without_time(case, atom), time) in wanted)
            for atom, time in atoms.items()
            if str(atom) not in beside
        ]
        with control.solve(assumptions=fixed, yield_=True) as handle:
            for model in handle:
                yield shift, _states(case, model.symbols(atoms=True))
                break


def early_actions(
    case: Case, horizon: int, steps: Sequence[Sequence[str]], beside: Sequence[str]
) -> list[str]:
    """Return the atoms in `beside` that are not after the steps and that bear on the states.

    They bear on the states if answer sets that differ in atoms of `beside` alone have different
    states. Without steps, whatever happens before the time after the first is early.
    """
    if not beside:
        return []
    control = control_at(case, horizon)
    atoms = action_atoms(case, control)
    times = {str(atom): time for atom, time in atoms.items()}
    shifts = [shift for shift, _ in is_answer(case, horizon, steps, beside) if steps or shift >= 0]
    ends = [shift + len(steps) for shift in shifts]
    early = [atom for atom in beside if times[atom] < max(ends, default=0)]
    if not early:
        return []
    shift = max(shifts, default=0)
    wanted = {(action, number + shift) for number, step in enumerate(steps) for action in step}
    left_open = {time for atom, time in times.items() if atom in early}
    fixed = [
        (atom, (without_time(case, atom), time) in wanted)
        for atom, time in atoms.items()
        if time not in left_open and str(atom) not in beside
    ]
    control.configuration.solve.models = 0  # type: ignore[union-attr]
    seen = set()
    with control.solve(assumptions=fixed, yield_=True) as handle:
        for model in handle:
            seen.add(_states(case, model.symbols(atoms=True)))
    return early if len(seen) > 1 else []


def _states(case: Case, symbols: Sequence[Symbol]) -> tuple[frozenset[str], ...]:
    """Return the fluents at each time from 0 on, without their times."""
    states: dict[int, set[str]] = {}
    for symbol in symbols:
        place = case.fluents.get(symbol.name)
        if place is not None:
            rest = [*symbol.arguments[:place], *symbol.arguments[place + 1 :]]
            states.setdefault(symbol.arguments[place].number, set()).add(str(rest))
    return tuple(frozenset(states.get(t, ())) for t in range(max(states, default=0) + 2))


def horizon_named(reason: str) -> int | None:
    """Return the value of n in a reason such as `shortest: n=2 refuted, n=3 found`."""
    found = re.search(r"n=(\d+) found", reason)
    return int(found[1]) if found else None
