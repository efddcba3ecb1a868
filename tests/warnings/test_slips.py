"""Warnings: one for each program with a mistake, none for correct ones.

The first line of each file in `slips` names the codes that are expected, each with its line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import asplan
from asplan import catalog
from asplan.problem import Inputs, load
from asplan.warnings.catalogue import CATALOGUE
from asplan.warnings.checks import check_program
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


INERTIA = [
    ("meadow", "at(t,X,Y) :- at(t-1,X,Y), not flies(t)."),
    ("meadow", "full(t,X,Y)   :- full(t-1,X,Y), not sipped(t,X,Y)."),
    ("meadow", "carries(t,N)   :- carries(t-1,N), not occurs(sip,t), not occurs(pour,t)."),
    ("stacking", "lies(t,B,P) :- lies(t-1,B,P), not moved(t,B)."),
    ("crossing", "at(I,S,T)      :- time(T), at(I,S,T-1), item(I), not cross(I,T)."),
    ("elevator", "at(N)   :- 'at(N), not moves."),
    ("elevator", "waits(P,N)  :- 'waits(P,N), not enter(P)."),
    ("elevator", "rides(P)    :- 'rides(P), not leave(P)."),
    ("elevator", "arrived(P)  :- 'arrived(P)."),
]


@pytest.mark.parametrize(("template", "rule"), INERTIA)
def test_a_template_without_inertia(template: str, rule: str, tmp_path: Path) -> None:
    folder = HERE.parent / "templates" / template
    instance = folder / "instances" / "second.lp"
    text = (folder / "encoding.lp").read_text()
    assert text.count(f"\n{rule}\n") == 1
    file = tmp_path / "encoding.lp"
    file.write_text(text)
    assert asplan.find_warnings(file, instance) == ()
    file.write_text(text.replace(f"\n{rule}\n", "\n"))
    (warning,) = asplan.find_warnings(file, instance)
    fluent = rule.partition("(")[0]
    assert (warning.code, fluent in warning.text) == ("no-inertia", True)


INSTANCES = {entry.domain: entry.name for entry in reversed(catalog.instances())}


@pytest.mark.parametrize(
    "entry",
    [entry for entry in catalog.encodings() if entry.domain != "pddl"],
    ids=lambda entry: f"{entry.domain}/{entry.name}",
)
def test_a_shipped_encoding(entry: catalog.ShippedFile) -> None:
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
    (
        "room(1..n). at(1,0). " + STEP + CHECK,
        "n has no value, so the interval 1..n is empty [undefined-constant]\n"
        "  give it one: #const n=… or -c n=…",
    ),
    (
        "room(1..4). at(1,0). " + STEP + ":- at(R,t), R+n > 4. " + CHECK,
        "n has no value, so R+n is not a number [undefined-constant]\n"
        "  give it one: #const n=… or -c n=…",
    ),
    (
        "#const highest=3. room(1..4). at(1,0). " + STEP + ":- at(R,t), R > highst. " + CHECK,
        "highst has no value, so R > highst compares with a mere name [undefined-constant]\n"
        "  did you mean highest?",
    ),
    (
        "room(1..4). at(1,0). " + STEP + ":- #count { R : at(R,t) } > n. " + CHECK,
        "n has no value, so a number is compared with a mere name [undefined-constant]\n"
        "  give it one: #const n=… or -c n=…",
    ),
    (
        "room(1..4). at(1,0). " + STEP + "#minimize { price@1,R,t : at(R,t) }. " + CHECK,
        "price has no value, so clingo ignores this objective [undefined-constant]\n"
        "  give it one: #const price=… or -c price=…",
    ),
    (
        "room(1..4). at(1,0). " + STEP + ":- #sum { load,R : at(R,t) } > 3. " + CHECK,
        "load has no value, so the sum ignores this tuple [undefined-constant]\n"
        "  give it one: #const load=… or -c load=…",
    ),
    (
        "room(a;b). at(a,0). " + STEP.replace("step(t)", "step(k)") + CHECK,
        "t is a constant here; the parameter of this part is k [undefined-constant]\n"
        "  write k for t, or #program step(t).",
    ),
]


@pytest.mark.parametrize(("text", "message"), MESSAGES)
def test_a_message(text: str, message: str) -> None:
    first = str(asplan.find_warnings(text=text)[0])
    assert first.partition(": ")[2] == message


def test_a_constant_has_a_value(tmp_path: Path) -> None:
    """It is set, or an object with which others are compared."""
    file = tmp_path / "rooms.lp"
    file.write_text(
        "room(1..n). at(1,0). " + STEP + ":- at(R,t), R > n. " + CHECK.replace("at(b,", "at(2,")
    )
    assert asplan.find_warnings(file, constants={"n": "4"}) == ()
    file.write_text("room(a;b;m). at(a,0). " + STEP + ":- at(R,t), R > m. " + CHECK)
    assert asplan.find_warnings(file) == ()


def test_an_instance_may_lack_facts_of_its_encoding(tmp_path: Path) -> None:
    encoding = tmp_path / "encoding.lp"
    encoding.write_text(STEP + ":- occurs(go(R),t), blocked(R). :- at(cellar,t). " + CHECK)
    instance = tmp_path / "instance.lp"
    instance.write_text("room(a). room(b). at(a,0).")
    assert asplan.find_warnings(encoding, instance) == ()


QUIET = [
    # names that differ by a letter on purpose
    "init(F) :- initp(F). action(A) :- actionp(A), init(A). at(a,0). " + STEP + CHECK,
    # read in many places, so another file defines it
    "shelf(1). at(a,0). " + STEP + ":- self(R), at(R,t). :- self(R), at(R,t-1). "
    ":- self(R), occurs(go(R),t). " + CHECK,
    # a rule that says which atoms there may be
    "room(a;b). at(a,0). at(R,t) :- at(R,t). " + STEP + CHECK,
    # an external of the next state
    "room(a;b). at(a,0). " + STEP + "#external next(R,t) : room(R). "
    "next(R,t-1) :- at(R,t). :- next(R,t), not room(R). " + CHECK,
    # a pool of atoms with different numbers of arguments in a condition
    "room(a;b). at(a,0). "
    + STEP
    + "seen(t) :- at(b,t). :- #count { R : seen(R,t;t), room(R) } > 1. "
    + CHECK,
]


@pytest.mark.parametrize("text", QUIET)
def test_intended_programs_get_no_warning(text: str, tmp_path: Path) -> None:
    encoding, instance = tmp_path / "encoding.lp", tmp_path / "instance.lp"
    encoding.write_text(text)
    instance.write_text("room(c).")
    assert asplan.find_warnings(encoding, instance) == ()
