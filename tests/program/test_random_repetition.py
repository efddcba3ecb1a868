"""Random programs in parts have the same answer sets with repeated constraints and without.

Each predicate has atoms of one time, which a step derives at once, or one or two steps later. A
constraint and a rule of the next step share some atoms, so that the constraint may be repeated.
Most programs also have literals whose atoms are derived later than the constraint reads them: then
a repetition would exclude too much.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from random import Random

import pytest

from asplan.clingo import Control, Number
from asplan.program.composition import compose
from asplan.program.incremental import Program, with_query
from asplan.program.reading.unit import unit_of_text
from asplan.program.transitions import repetition
from asplan.program.transitions.repetition import with_repeated_constraints

PROGRAMS, CHUNK = int(os.environ.get("ASPLAN_FUZZ", 600)), 150
FURTHEST = 3
TESTS = ("t > 2", "t < 4", "t != 3")
FORMS = {"a": "a({0})", "b": "b(X,{0})", "p": "p({0})", "q": "q(X,{0})", "r": "r({0},{1})"}
"""The predicates with times: a step chooses `a` and `b`, and rules derive the others."""


class _Writer:
    """A random program: the times of its heads, and its statements."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.heads = {name: (self.shift(), self.shift()) for name in FORMS}
        self.heads["a"] = self.heads["b"] = random.choice([(0, 0), (-1, -1), (-1, -1)])

    def shift(self) -> int:
        """Return a random number k of a time t+k."""
        return self.random.choice([0, -1, -1, -2])

    def head(self, name: str) -> str:
        """Return the head of a rule for a predicate."""
        return _atom(name, self.heads[name])

    def reading(
        self, names: str = "abpqr", delays: Sequence[int] = (0, 0, 0, 0, 1, -1)
    ) -> tuple[str, tuple[int, int]]:
        """Return a predicate and its times in a body.

        `delays` are possible numbers of steps from the body to the rules for these atoms.
        """
        name = self.random.choice(names)
        first, second = self.heads[name]
        later = self.random.choice(delays)
        return name, (first + later, second + self.random.choice([later, later, 0]))

    def literal(self) -> str:
        """Return a further literal of a body."""
        sign = self.random.choice(["", "", "not ", "not not "])
        forms = [_atom(*self.reading(delays=(0, 1, 1))), "c(t)", "query(t-1)"]
        atom = self.random.choices(forms, [6, 1, 1])[0]
        return f"{sign}{atom}"

    def body(self, core: list[str]) -> str:
        """Return a body with some literals and perhaps others."""
        random = self.random
        more = [self.literal() for _ in range(random.choice([0, 1, 1, 2]))]
        more += random.sample(TESTS, random.choice([0, 0, 1]))
        literals = [*core, *more]
        if any("X" in each for each in literals):
            literals.append("d(X)")
        return ", ".join(literals)

    def shared(self, name: str) -> Iterator[str]:
        """Yield a constraint, and a rule of the next step with the same atoms in its body.

        The rule derives the predicate `name`.
        """
        core = [self.reading() for _ in range(self.random.choice([1, 2]))]
        yield f":- {self.body([_atom(each, times) for each, times in core])}."
        later = [_atom(each, (first - 1, second - 1)) for each, (first, second) in core]
        yield self.rule(name, later)

    def rule(self, name: str, core: list[str]) -> str:
        """Return a rule for a predicate whose body has some literals."""
        head = self.head(name)
        body = self.body(core)
        if "X" in head and "d(X)" not in body:
            body += ", d(X)"
        return f"{head} :- {body}."

    def text(self) -> str:
        """Return the program."""
        random = self.random
        lines = ["d(1..2)."]
        for name in random.sample("apq", 2):
            lines.append(f"{{ {FORMS[name].format(self.heads[name][0])} : d(X) }}.")
        lines.append("#program step(t).")
        lines.append(f"{{ {self.head('a')} ; {self.head('b')} : d(X) }} = 1.")
        first, *others = random.sample("pqr", 3)
        lines += self.shared(first)
        lines += [self.rule(name, [_atom(*self.reading("ab"))]) for name in others]
        checked = random.choice(["t", "t-1"])
        lines += ["#program check(t).", f"c({checked}) :- {_atom(*self.reading('ap'))}."]
        return "\n".join(lines)


def _atom(name: str, shifts: tuple[int, int]) -> str:
    first, second = (f"t{shift:+}" if shift else "t" for shift in shifts)
    return FORMS[name].format(first, second)


def answer_sets(program: Program) -> list[set[frozenset[str]]]:
    """Return the answer sets of each horizon, without a goal."""
    control = Control(["0", "--warn=none"])
    program.add_to(control)
    found = []
    for t in range(FURTHEST + 1):
        step = [("step", [Number(t)])] if t else [("base", [])]
        check = [("check", [Number(t)])]
        for parts in [step, check] if program.staged else [step + check]:
            control.ground(parts)
        with control.solve(yield_=True) as handle:
            found.append({frozenset(map(str, each.symbols(atoms=True))) for each in handle})
    return found


def differing(seeds: Iterable[int]) -> Iterator[tuple[bool, str]]:
    """Yield each program that has repeated constraints, and first whether they change it."""
    for seed in seeds:
        text = _Writer(Random(seed)).text()
        program = with_query(compose([unit_of_text(text)], {}))
        repeated = with_repeated_constraints(program)
        if repeated is not program:
            yield answer_sets(repeated) != answer_sets(program), text


@pytest.mark.parametrize("first", range(0, PROGRAMS, CHUNK))
def test_repeated_constraints_keep_the_answer_sets(first: int) -> None:
    found = list(differing(range(first, first + CHUNK)))
    assert len(found) > CHUNK / 5
    assert [text for differs, text in found if differs] == []


def test_constraints_that_read_later_atoms_would_change_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(repetition, "_is_settled", lambda *_: True)
    assert any(differs for differs, _ in differing(range(PROGRAMS)))
