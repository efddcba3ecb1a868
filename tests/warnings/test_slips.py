"""What `find_warnings` says of programs: of those with a slip the one, of correct ones nothing.

The first line of each file in `slips` names the codes that are expected, each with its line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan
from asplan.problem import Inputs, catalog, load
from asplan.warnings import CATALOGUE, check_program
from conftest import HERE

SLIPS = sorted((HERE / "warnings" / "slips").glob("*.lp"))
CORRECT = sorted((HERE / "warnings" / "correct").glob("*.lp"))


def codes(file: Path) -> str:
    found = asplan.find_warnings(file)
    return ", ".join(f"{w.code} {w.at.line if w.at else '-'}" for w in found)


@pytest.mark.parametrize("file", SLIPS, ids=lambda file: file.stem)
def test_a_slip(file: Path) -> None:
    assert codes(file) == file.read_text().splitlines()[0].removeprefix("% ")


@pytest.mark.parametrize("file", CORRECT, ids=lambda file: file.stem)
def test_a_correct_program(file: Path) -> None:
    assert codes(file) == ""
    assert asplan.solve(file).outcome is asplan.Outcome.OPTIMAL


INSTANCES = {entry.domain: entry.name for entry in reversed(catalog.instances())}


@pytest.mark.parametrize(
    "entry",
    [entry for entry in catalog.encodings() if entry.domain != "pddl"],
    ids=lambda entry: f"{entry.domain}/{entry.name}",
)
def test_a_shipped_encoding(entry: catalog.Entry) -> None:
    given = Inputs((f"{entry.domain}/{INSTANCES[entry.domain]}",), encoding=str(entry.path))
    assert check_program(load(given)) == []


@pytest.mark.parametrize("name", ["sequential", "forall", "exists", "relaxed"])
def test_a_shipped_encoding_of_pddl(name: str) -> None:
    assert check_program(load(Inputs(("blocks-1",), steps=name))) == []


def test_every_check_has_a_slip() -> None:
    named = {word for file in SLIPS for word in codes(file).replace(",", "").split()}
    others = {code for code in CATALOGUE.keys() - named if not code.startswith(("draw-", "pddl-"))}
    assert others == {
        "unread",
        "unread-fact",
        "several-values",
        "referee",
        "never-fires",
        "never-binds",
    }


def test_every_code_stands_in_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "warnings.md").read_text(encoding="utf-8")
    assert [code for code in CATALOGUE if f"`{code}`" not in page] == []


STEP = "#program step(t). { occurs(go(R),t) : room(R) } = 1. at(R,t) :- occurs(go(R),t). "
CHECK = "#program check(t). :- query(t), not at(b,t). "

MESSAGES = [
    (
        "room(a;b). at(a,0). " + STEP + "left(R,t) :- at(R,t-1). :- lefts(R,t). " + CHECK,
        "nothing defines lefts/2, so lefts(R,t) is never true [undefined]\n  did you mean left/2?",
    ),
    (
        "room(a;b). at(a,0). " + STEP + "at_(R,t) :- at(R,t). :- atr(R,t), att_(R,t). " + CHECK,
        "nothing defines atr/2, so atr(R,t) is never true [undefined]\n  did you mean at/2?",
    ),
    (
        "room(a;b). at(a,0). " + STEP + "visited(R,t) :- at(R,t). visted(R,t) :- visited(R,t-1). "
        ":- visited(R,t), occurs(go(R),t-1), occurs(go(R),t). " + CHECK,
        "nothing reads visted/2, which is defined here [unread]\n  did you mean visited/2?",
    ),
]


@pytest.mark.parametrize(("text", "message"), MESSAGES)
def test_a_message(text: str, message: str) -> None:
    first = str(asplan.find_warnings(text=text)[0])
    assert first.partition(": ")[2] == message


def test_an_instance_may_lack_what_an_encoding_can_read(tmp_path: Path) -> None:
    encoding = tmp_path / "encoding.lp"
    encoding.write_text(STEP + ":- occurs(go(R),t), blocked(R). :- at(cellar,t). " + CHECK)
    instance = tmp_path / "instance.lp"
    instance.write_text("room(a). room(b). at(a,0).")
    assert asplan.find_warnings(encoding, instance) == ()
