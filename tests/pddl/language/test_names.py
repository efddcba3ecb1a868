"""Names of PDDL as ASP terms: one to one, and readable by clingo."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from clingo import parse_term
from hypothesis import given
from hypothesis import strategies as st

from asplan.pddl.language import read_task
from asplan.pddl.language.names import RESERVED, NameTable, PddlNames, names_of

CHARACTERS = "abA01_-?@+.'"
NAMES = st.lists(
    st.one_of(
        st.text(CHARACTERS, min_size=1, max_size=4),
        st.sampled_from(["not", "none", "not-", "NOT_", "n1", "-", "_", "0", "00", "2147483648"]),
    ),
    max_size=12,
    unique_by=str.lower,
)


def test_no_name_is_a_constant_of_a_shipped_encoding() -> None:
    files = (Path(__file__).parents[3] / "encodings" / "pddl").rglob("*.lp")
    constants = {name for file in files for name in re.findall(r"#const (\w+)", file.read_text())}
    assert constants
    assert constants <= RESERVED


@given(NAMES, NAMES)
def test_every_name_has_a_term_of_its_own(objects: list[str], actions: list[str]) -> None:
    names = PddlNames.of(objects, actions, actions)
    assert len(set(names.objects.terms.values())) == len(objects)
    for action in actions:
        for arguments in ([], objects[:1], objects):
            keys = [name.lower() for name in arguments]
            term = names.action(action.lower(), keys)
            assert str(parse_term(term)) == term
            assert names.action_of(parse_term(term)) == (action.lower(), tuple(keys))
            assert names.written(term) == f"({' '.join([action, *arguments])})"
            assert str(parse_term(names.atom(action.lower(), keys))) == term


@pytest.mark.parametrize(
    ("names", "terms"),
    [
        (["pick-up", "pick_up", "Pick--up"], ["pick_up", "pick_up_2", "pick__up"]),
        (["a-b", "a_b_2", "a_b"], ["a_b", "a_b_2", "a_b_3"]),
        (["none", "none_", "not"], ["none_", "none__2", "not_"]),
        (["0", "00", "n00", "-1", "7up"], ["0", "n00", "n00_2", "n_1", "n7up"]),
        (["A.b", "c@d", "___", "_'x"], ["a_b", "c_d", "n___", "__x"]),
    ],
)
def test_clashing_names_get_numbers_in_order(names: list[str], terms: list[str]) -> None:
    assert list(NameTable.of(names, numbers=True).terms.values()) == terms


def test_numbers_are_objects_only() -> None:
    names = PddlNames.of(["1"], ["1"], ["1"])
    assert names.atom("1", ["1"]) == "n1(1)"
    assert names.written("n1(1)") == "(1 1)"


def test_the_names_of_a_task(request: pytest.FixtureRequest) -> None:
    folder = request.path.parent
    names = names_of(read_task(folder / "parcels-problem.pddl", folder / "parcels-domain.pddl"))
    assert list(names.objects.terms) == ["depot", "red-van", "p1", "p2", "aachen", "bonn"]
    assert names.action("load-up", ["p1", "red-van", "depot"]) == "load_up(p1,red_van,depot)"
    assert names.written("load_up(p1,red_van,depot)") == "(load-up P1 Red-Van Depot)"
    assert names.types.terms == {t: t for t in ("object", "van", "thing", "parcel", "town")}
