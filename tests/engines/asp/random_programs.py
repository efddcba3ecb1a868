"""Random small incremental programs for comparing two tools.

A program is put together from independent choices: which predicates there are and where each has
its time, which parts derive them, what their rules read and at which time, and how the goal is
put. The domain is `d(1..2)`. clingo itself refuses a few of the programs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import pytest

Weighted = Sequence[tuple[int, str]]

PREDICATES: Weighted = [
    (6, "p({x},{t})"),
    (4, "p({t})"),
    (2, "-p({x},{t})"),
    (4, "q({t},{x})"),
    (3, "r({x},{t},k)"),
    (2, "g(f({x}),{t})"),
    (2, "m({t}-1,{x},{t})"),
    (1, "w(f({t}),{x})"),
    (1, "w({x},f({x},{t}))"),
    (1, 'n("a b",{x},{t})'),
    (1, "n(({x},k),{t})"),
    (1, "any1({t})"),
    (1, "exhausted({t})"),
]
"""Atoms with the places of an object and of a time."""

HOMES: Weighted = [
    (14, "base step"),
    (8, "step"),
    (4, "check"),
    (2, "step check"),
    (1, "base check"),
    (1, "base step check"),
    (2, "external"),
]
"""The parts that derive a predicate."""

STARTS: Weighted = [(12, "0"), (1, "-1"), (1, "-1..0"), (1, "0..1"), (1, "2")]
NOWS: Weighted = [(40, "t"), (1, "t+1"), (1, "t-1")]
READ: Weighted = [
    (12, "t"),
    (16, "t-1"),
    (4, "t-2"),
    (1, "t+1"),
    (1, "0"),
    (1, "(t;t-1)"),
    (1, "t-2..t-1"),
    (2, "T"),
]
"""The times of heads in `base`, of other heads, and of what bodies read; below, what goals read."""

SOON: Weighted = [(8, "t"), (3, "t-1"), (1, "t-2"), (1, "(t;t-1)")]
OBJECTS: Weighted = [
    (12, "X"),
    (4, "1"),
    (4, "2"),
    (6, "_"),
    (1, "(1;2)"),
    (1, "1..2"),
    (1, "3-X"),
    (1, "t"),
]
SIGNS: Weighted = [(10, ""), (8, "not "), (1, "not not ")]

TAILS: Weighted = [
    (10, ""),
    (2, "#count {{ Y : {a}, d(Y) }} > 0"),
    (2, "#sum {{ Y : {a}, d(Y) }} < 3"),
    (1, "N = #min {{ Y : {a}, d(Y); 5 }}, N < 5"),
    (2, "1 {{ {a} : d(Y) }}"),
    (1, "not 2 {{ {a} : d(Y) }}"),
    (2, "{a} : d(Y)"),
    (1, "not {a} : d(Y)"),
    (1, "#false : {a}, d(Y)"),
    (2, "t > 1"),
    (1, "t \\ 2 = 0"),
    (1, "X <= t / 2"),
    (1, "X < 2"),
]
"""What may end a body; `{a}` is an atom about Y."""

FORMS: Weighted = [
    (20, "{h}{if_}"),
    (6, "{{ {h} }}{if_}"),
    (2, "{{ {h} : d(Z) }} 1{if_}"),
    (1, "1 {{ {h} : d(Z); {g} }} 1{if_}"),
    (1, "1 #count {{ Z : {h} : d(Z) }} 2{if_}"),
    (2, "{h} ; {g}{if_}"),
]
"""Rules by their heads: `{h}` and `{g}` are atoms of predicates of the part."""

ACTIONS: Weighted = [
    (6, "{{ occurs(1..2,t) }}{if_}"),
    (6, "1 {{ occurs(X,t) : d(X) }} 1."),
    (3, "{{ occurs(go(X),t) : d(X) }} 1."),
    (3, "{{ occurs(go(X,Y),t) : d(X), d(Y), X != Y }} = 1."),
    (2, "1 {{ occurs(go(Z),t) : d(Z), {b} }}{if_}"),
    (2, "{{ occurs((1;2),t) }} 1."),
    (1, "{{ occurs(1,t;2,t) }} 1."),
    (2, "occurs(1,t) ; occurs(2,t){if_}"),
    (2, "occurs(X,t){if_}"),
    (1, "1 {{ occurs(t,go(X)) : d(X) }} 1."),
    (1, "1 {{ occurs(S,go(1..2)) }} 1 :- S = t."),
    (1, "1 {{ occurs(go(1..2),S) }} 1 :- S = t."),
    (1, "{{ occurs(1..2,t-1) }} 1."),
    (1, "{{ occurs(1,t) }}. occurs(2,t) :- not occurs(1,t)."),
]
EFFECTS: Weighted = [
    (6, "occurs({x},t)"),
    (3, "not occurs({x},t)"),
    (4, "occurs(go({x}),t)"),
    (2, "not occurs(go({x},_),t)"),
    (2, "not occurs(_,t)"),
    (1, "1 {{ occurs(_,t) }}"),
]
GOALS: Weighted = [
    (9, ""),
    (6, ":- query(t), not {c}."),
    (3, ":- query(t), {a}."),
    (1, ":- not {c}, query(t)."),
    (3, "goal(t) :- {a}, d(Y). :- query(t), not goal(t)."),
    (2, ":- query(t), #count {{ Y : {a}, d(Y) }} < 1."),
    (1, ":- 2 {{ query(t); not {c} }}."),
    (1, ":- #count {{ 0 : query(t); Y : not {a}, d(Y) }} > 2."),
    (1, "goal(t) :- query(t), {c}. :- query(t), not goal(t)."),
    (1, ":- query(t), not {a} : d(Y)."),
    (1, ":- not query(t), {a}."),
]
LIMITS: Weighted = [
    (3, ""),
    (4, ":- query(t), t < {k}."),
    (1, ":- query(t), {k} > t."),
    (1, "late(t) :- t >= {k}. :- query(t), not late(t)."),
]
DECLARATIONS: Weighted = [(9, ""), (9, "#external query(t)."), (1, "#external query(t) : t > 1.")]
SHOWN: Weighted = [
    (12, ""),
    (3, "#show occurs/2."),
    (1, "#show occurs/2. #show p/2."),
    (1, "#show p/2. #show -p/2. #show goal/1."),
    (1, "#show."),
    (1, "#program step(t). #show. #show seen(X,t) : {a}, d(X)."),
    (1, "#program step(t). #show occurs(A,t) : occurs(A,t)."),
    (1, "#program check(t). #show. #show occurs(A,t) : occurs(A,t)."),
]
EXTRAS: Weighted = [
    (16, ""),
    (1, "#program check(t). :- {b}, {a}, d(X), d(Y)."),
    (1, "#program step(t). #minimize {{ Y@2,t : {a}, d(Y) }}."),
    (1, "#program check(t). :~ {b}, d(X). [X,t]"),
    (1, "#program step(t). #heuristic {a} : d(Y). [1,true]"),
    (1, "#program step(t). #edge (Y,3-Y) : {a}, d(Y)."),
    (1, "#program step(t). :- query(t), not {a}, d(Y)."),
    (1, "#program base. ok :- {z}. #program step(t). :- not ok, t > 1."),
    (1, "#program base. #project p/2."),
    (1, "#program base. :- query(0)."),
    (1, "#program base. #external e(1..3). #program step(t). :- e(t)."),
    (1, "#program step(t). #external e(t). h(t) :- not e(t). :- e(t-1), not h(t-1)."),
    (1, "#program step(t). h(t) :- p(1,t;t). :- query(t), h(t)."),
    (1, "#program step(t). h(t,1;t) :- {a}, d(Y). #program check(t). :- h(t), not h(t-1), t > 2."),
    (1, "#program check(t). occurs(was(Y),t) :- {a}, d(Y)."),
    (1, "#program step(t). reach(1,t). reach(3-X,t) :- reach(X,t), {b}, d(X)."),
    (1, "#program base. next_bound(7)."),
]


@dataclass(frozen=True)
class _Predicate:
    """A predicate, the parts that derive it, and the time of which `step` and `check` do."""

    atom: str
    home: str
    now: str


def random_program(random: Random) -> str:
    """A program with the parts `base`, `step(t)` and `check(t)`."""
    return _Author(random).program()


class _Author:
    def __init__(self, random: Random) -> None:
        self.random = random
        count = random.randint(2, 3)
        atoms = dict.fromkeys(self.pick(PREDICATES) for _ in range(count))
        self.predicates = [_Predicate(a, self.pick(HOMES), self.pick(NOWS)) for a in atoms]
        self.acts = random.random() < 0.7

    def pick(self, weighted: Weighted) -> str:
        weights, items = zip(*weighted, strict=True)
        (item,) = self.random.choices(items, weights)
        return str(item)

    def program(self) -> str:
        step = [self.filled(self.pick(ACTIONS))] if self.acts else []
        check = [
            self.pick(DECLARATIONS),
            *self.rules("check"),
            self.filled(self.pick(GOALS)),
            self.pick(LIMITS).format(k=self.random.randint(1, 3)),
        ]
        sections = [
            ["#program base.", "d(1..2).", *self.rules("base")],
            ["#program step(t).", *step, *self.rules("step")],
            ["#program check(t).", *check],
            [self.filled(self.pick(EXTRAS)), self.filled(self.pick(SHOWN))],
        ]
        if self.random.random() < 0.1:
            self.random.shuffle(sections)
        texts = ["\n".join(filter(None, section)) for section in sections]
        if self.random.random() < 0.2:
            i = self.random.randrange(len(texts))
            texts[i] = re.sub(r"\bt\b", "s", texts[i])
        return "\n".join(filter(None, texts)) + "\n"

    def rules(self, part: str) -> list[str]:
        """The rules of a part that derive predicates."""
        rules = []
        for predicate in self.predicates:
            if predicate.home == "external" and part == "step":
                rules.append(f"#external {self.head(predicate, 'X')} : d(X).")
            if part in predicate.home.split():
                again = 2 if part == "step" and self.random.random() < 0.4 else 1
                rules += [self.rule(predicate, part) for _ in range(again)]
        return rules

    def rule(self, predicate: _Predicate, part: str) -> str:
        if part == "base":
            return self.start(predicate)
        form = self.pick(FORMS)
        x = "Z" if "Z" in form else self.pick([(6, "X"), (3, "1"), (2, "2"), (1, "1..2")])
        other = self.random.choice([p for p in self.predicates if part in p.home.split()])
        heads = {"h": self.head(predicate, x), "g": self.head(other, "X")}
        inert = part == "step" and self.random.random() < 0.5
        literals = [predicate.atom.format(x="X", t="t-1")] if inert else []
        return self.filled(form, literals, **heads)

    def start(self, predicate: _Predicate) -> str:
        """Return the part `base`; of predicates with times it has only facts."""
        time = self.pick(STARTS) if predicate.now == "t" else predicate.now.lstrip("t+")
        forms: Weighted = [(5, "{}."), (3, "{{ {} }}."), (1, "{} ; {}.")]
        form = "{}." if time[-1] in "12" else self.pick(forms)
        x = self.pick([(3, "1"), (2, "2"), (1, "1..2"), (1, "(1;2)")])
        return form.format(*(predicate.atom.format(x=x, t=time) for x in (x, "2")))

    def head(self, predicate: _Predicate, x: str) -> str:
        return predicate.atom.format(x=x, t=predicate.now)

    def filled(self, form: str, literals: Sequence[str] = (), **given: str) -> str:
        """A form with atoms and, for `{if_}`, a body.

        `{a}` is an atom about Y, `{b}` about X; `{c}` has no variable, and `{z}` speaks of time 0.
        """
        given["if_"] = f" :- {', '.join(['d(X)', *literals, *self.body()])}."
        given["a"] = self.atom(self.pick([(3, "Y"), (1, "1"), (1, "2")]))
        given["b"] = self.atom(self.pick([(3, "X"), (1, "_")]))
        given["c"] = self.atom(self.pick([(1, "1"), (1, "2")]), SOON)
        given["z"] = self.any_atom().format(x="1", t="0")
        return form.format(**given)

    def body(self) -> list[str]:
        """Literals about X, which something before them binds."""
        literals = []
        for _ in range(self.random.randint(0, 2)):
            sign, x = self.pick(SIGNS), self.pick(OBJECTS)
            atom = self.any_atom().format(x=x, t=self.pick(READ))
            literals.append(sign + (atom.replace("_", "X") if atom[0] == "-" else atom))
        if self.acts and self.random.random() < 0.5:
            literals.append(self.pick(EFFECTS).format(x=self.pick([(3, "X"), (1, "1"), (1, "_")])))
        if any("T" in literal for literal in literals):
            literals.append(self.pick([(3, "T = t-1"), (1, "T = 0..t-1")]))
        if tail := self.pick(TAILS):
            literals.append(tail.format(a=self.atom("Y")))
        return literals

    def atom(self, x: str, times: Weighted = READ) -> str:
        """An atom at a time that is no variable."""
        time = self.pick(times)
        return self.any_atom().format(x=x, t="t-1" if time == "T" else time)

    def any_atom(self) -> str:
        return self.random.choice(self.predicates).atom


UNLIKE = (
    *("{t}-1", "f({t})", "f({x},{t})", "external", "t \\", "t / 2", "(t,go"),
    *("t;2", "not query", "{{ query", "0 : query", "goal(t) :- query", "query(0)", "seen", "edge"),
    *("p(1,t;t)", "t-2", "t+1", "base check", "base step check"),
)
"""What makes a step unlike others in most programs that have it."""

CHOSEN = "PREDICATES HOMES TAILS ACTIONS GOALS LIMITS DECLARATIONS SHOWN EXTRAS"
"""The lists of `random_programs` from which that is left out."""


def leave_steps_alike(patch: pytest.MonkeyPatch) -> None:
    """Remove the rules that make steps of random programs differ."""
    lists = globals()
    for name in CHOSEN.split():
        kept = [pair for pair in lists[name] if not any(u in pair[1] for u in UNLIKE)]
        patch.setitem(lists, name, kept)
    for name in ("READ", "SOON", "NOWS"):
        patch.setitem(lists, name, [(3, "t"), (2, "t-1")][: 1 + (name != "NOWS")])
    patch.setitem(lists, "STARTS", [(1, "0")])
