"""Reading text: places, and hostile input."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asplan.core.errors import AsplanError, InvalidPlan
from asplan.core.plan import Plan
from asplan.pddl.language import task_of_sources
from asplan.pddl.language.lexer import Group, PddlSource, Word, read_group
from asplan.pddl.language.numbers import model_of
from asplan.pddl.language.timing import TimedModel

TEXTS = {
    task: [(Path(__file__).parent / f"{task}-{k}.pddl").read_text() for k in ("domain", "problem")]
    for task in ("parcels", "vans")
}
PIECES = st.sampled_from(
    [*"()?-;: \n\r\t\0é", "?x", "- either", "(either a)", "(not", "(= ", "forall", "(when",
     "object", "at", "depot", ":init", "(:goal", "(increase (total-cost) (distance ?a ?b))", "1",
     "1e9", "()", "(at start ", "(over all ", "(> (fuel v) 1)", "(/ 1 0)", "?duration",
     "(assign (speed) ", "(at 5 ", "-1"]
)  # fmt: skip


@given(
    st.sampled_from(sorted(TEXTS)),
    st.integers(0, 1),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), PIECES), min_size=1, max_size=4),
)
def test_every_text_is_a_task_or_an_error(
    name: str, which: int, changes: list[tuple[float, int, str]]
) -> None:
    texts = list(TEXTS[name])
    for place, cut, piece in changes:
        text = texts[which]
        start = int(place * len(text))
        texts[which] = text[:start] + piece + text[start + cut :]
    message = "f:1:1"
    try:
        task = task_of_sources(*(PddlSource(f"f{i}", text) for i, text in enumerate(texts)))
        if task.has_time:
            with suppress(InvalidPlan):
                TimedModel(task).execute(Plan())
        model = model_of(task)
        for action in model.actions(model.initial):
            model.apply(model.initial, action)
        model.why_not_goal(model.initial)
    except AsplanError as error:
        message = str(error)
    assert len(message) <= 600
    assert re.match(r"f.?:\d+:\d+|f. is empty|f0 and f1 are both", message)


@given(st.text("ab() \t\n\r;", max_size=60))
def test_places_and_words(inner: str) -> None:
    source = PddlSource("f", f"({inner.replace('(', '').replace(')', '')}\n)")
    lines = source.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    words = read_group(source).items
    assert [w.text for w in words if isinstance(w, Word)] == [
        word for line in lines for word in line.partition(";")[0].strip("()").split()
    ]
    for word in words:
        line = lines[word.at.line - 1]
        assert line[word.at.column - 1 :].startswith(str(word))


@pytest.mark.parametrize("text", ["(a (b ?c) D)", "(() (()))", "(:x - (either a b))"])
def test_a_group_is_written_as_it_was_read(text: str) -> None:
    group = read_group(PddlSource("f", text))
    assert isinstance(group, Group)
    assert str(group) == text


def test_a_question_mark_begins_a_word() -> None:
    assert str(read_group(PddlSource("f", "(at?x ?y?z)"))) == "(at ?x ?y ?z)"
