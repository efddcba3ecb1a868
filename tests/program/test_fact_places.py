"""The places of plain facts, of which a file or one line may hold any number."""

from __future__ import annotations

import pytest

from asplan.core.errors import Location
from asplan.program.reading.plain_facts import PlainFacts

TEXTS = {
    "a line each": "p(1).\np(2).\nq(a).\n",
    "one line": "p(1). p(2).   q(a).",
    "letters of several bytes": 'p("é"). p("漢"). q("x").\np("é"). p(2).',
    "blank lines": "\n\n p(1).\n\n  p(2). q(a).",
}


def counted(text: str) -> list[Location]:
    """The places, each counted from the beginning of the text."""
    found = []
    for offset in (i for i in range(len(text)) if text.startswith(("p(", "q("), i)):
        before = text[:offset]
        line = before.rpartition("\n")[2]
        found.append(Location("f.lp", before.count("\n") + 1, len(line.encode()) + 1))
    return found


@pytest.mark.parametrize("name", TEXTS)
def test_a_fact_is_where_clingo_counts_it(name: str) -> None:
    facts = PlainFacts("f.lp", TEXTS[name])
    assert [place for _, place in facts.places({})] == counted(TEXTS[name])


@pytest.mark.parametrize("name", TEXTS)
def test_the_first_fact_of_each_predicate_is_found(name: str) -> None:
    facts = PlainFacts("f.lp", TEXTS[name])
    p, q, r = (("", letter, 1) for letter in "pqr")
    places = {str(fact)[0]: place for fact, place in reversed(list(facts.places({})))}
    assert facts.first_places({p, q, r}) == {p: places["p"], q: places["q"]}
    assert facts.first_places({r}) == {}
    assert [str(fact)[0] for fact in facts.symbols_of({q})] == ["q"]


def test_the_time_of_a_line_does_not_grow_with_its_facts_squared() -> None:
    """A hundred thousand facts in a line, each with its place, are no more than a moment."""
    text = " ".join(f"p({number})." for number in range(100_000))
    *_, (_, last) = PlainFacts("f.lp", text).places({})
    assert last == Location("f.lp", 1, text.rindex("p(") + 1)
