"""Relaxed plans and conflicts of random programs, against all sequences of actions."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import comb
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import asplan

FLUENTS, ACTIONS, STEPS = ("f", "g", "h"), ("a", "b"), 2

Moment = tuple[frozenset[str], frozenset[str]]
"""The actions of a step, and what holds after it."""


@dataclass(frozen=True)
class Small:
    """A program with two actions and three fluents.

    Attributes
    ----------
    effects
        For each action what it makes true, and what false.
    forbidden
        An action and a fluent that must not hold before it, a line each.
    goals
        What must hold, or not, in the end, a line each.
    """

    effects: tuple[tuple[str, str], ...]
    forbidden: tuple[tuple[str, str], ...]
    goals: tuple[tuple[str, bool], ...]
    most: int
    alone: bool
    """Whether no two fluents may hold after action a: a constraint with variables."""

    def lines(self) -> list[str]:
        """Return the program, a statement a line; constraints come last."""
        pairs = zip(ACTIONS, self.effects, strict=True)
        ends = [(a, makes, breaks) for a, (makes, breaks) in pairs]
        return [
            "holds(f,0).",
            "#program step(t).",
            *(f"holds({makes},t) :- occurs({a},t)." for a, makes, _ in ends),
            *(f"ended({breaks},t) :- occurs({a},t)." for a, _, breaks in ends),
            "holds(F,t) :- holds(F,t-1), not ended(F,t).",
            "#program check(t).",
            "#external query(t).",
            *(f":- query(t), {'not ' if wanted else ''}holds({f},t)." for f, wanted in self.goals),
            "#program step(t).",
            f"{{ occurs(a,t); occurs(b,t) }} {self.most}.",
            *(f":- occurs({a},t), holds({f},t-1)." for a, f in self.forbidden),
            *([":- occurs(a,t), holds(F,t), holds(G,t), F < G."] if self.alone else []),
        ]

    def sequences(self) -> Iterator[list[Moment]]:
        """All sequences of sets of actions, each with the states that they lead to."""
        sets = [frozenset(s) for s in ((), ("a",), ("b",), ("a", "b"))]
        for chosen in product(sets, repeat=STEPS):
            state, moments = frozenset({"f"}), list[Moment]()
            for actions in chosen:
                effects = [self.effects[ACTIONS.index(a)] for a in actions]
                made, ended = {m for m, _ in effects}, {e for _, e in effects}
                state = frozenset(made | (state - ended))
                moments.append((actions, state))
            yield moments

    def broken(self, moments: list[Moment]) -> int:
        """Return the number of broken constraint instances of a sequence, without the goal."""
        before = [frozenset({"f"}), *(state for _, state in moments[:-1])]
        found = 0
        for (actions, after), state in zip(moments, before, strict=True):
            found += comb(len(after), 2) if self.alone and "a" in actions else 0
            found += len(actions) > self.most
            found += sum(a in actions and f in state for a, f in self.forbidden)
        return found

    def is_goal(self, moments: list[Moment]) -> bool:
        """Return whether a sequence ends in the goal."""
        return all((f in moments[-1][1]) == wanted for f, wanted in self.goals)

    def least(self) -> int | None:
        """The fewest broken instances of sequences that end in the goal."""
        return min((self.broken(m) for m in self.sequences() if self.is_goal(m)), default=None)


pairs = st.tuples(st.sampled_from(ACTIONS), st.sampled_from(FLUENTS))
programs = st.builds(
    Small,
    st.tuples(*(st.tuples(st.sampled_from(FLUENTS), st.sampled_from(FLUENTS)) for _ in ACTIONS)),
    st.lists(pairs, unique=True, max_size=4).map(tuple),
    st.lists(
        st.tuples(st.sampled_from(FLUENTS), st.booleans()), unique_by=lambda g: g[0], min_size=1
    ).map(tuple),
    st.integers(0, 2),
    st.booleans(),
)


def explained(lines: list[str]) -> asplan.Explanation:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "small.lp")
        path.write_text("\n".join(lines))
        return asplan.explain(path, horizon=STEPS)


@settings(max_examples=25)
@given(programs)
def test_the_relaxed_plan_breaks_the_fewest(small: Small) -> None:
    least = small.least()
    found = explained(small.lines())
    assert (found.found is not None) == (least == 0)
    if least == 0:
        return
    assert found.excluded
    assert (found.relaxed is None) == (least is None)
    if found.relaxed is not None:
        assert (len(found.relaxed.broken), found.relaxed.least) == (least, True)


@settings(max_examples=12)
@given(programs)
def test_a_conflict_is_minimal(small: Small) -> None:
    lines = small.lines()
    conflict = explained(lines).conflict
    if conflict is None:
        assert small.least() == 0
        return
    assert conflict.minimal
    named = {rule.at.line - 1 for rule in conflict.rules}
    needed = [n for n, line in enumerate(lines) if not line.startswith((":-", "{")) or n in named]
    choice = next(n for n, line in enumerate(lines) if line.startswith("{"))
    freed = {choice: "{ occurs(a,t); occurs(b,t) }."}

    def excluded(left: set[int]) -> bool:
        text = [
            freed.get(n, "") if n == choice and n not in left else line * (n in left)
            for n, line in enumerate(lines)
        ]
        return explained(text).excluded

    assert excluded({*needed})
    for one in named:
        assert not excluded({*needed} - {one}), lines[one]
