"""Wrong PDDL as data: each message, word for word."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from asplan.core.errors import AsplanError
from asplan.pddl.language import read_task, task_of_sources
from asplan.pddl.language.lexer import PddlSource
from asplan.pddl.language.semantics import TextModel

FOLDER = Path(__file__).parent
TEXTS = {kind: (FOLDER / f"parcels-{kind}.pddl").read_text() for kind in ("domain", "problem")}


@dataclass(frozen=True)
class Wrong:
    """A table of the file."""

    about: str
    file: str
    new: str
    said: str
    old: str | None = None

    def sources(self) -> tuple[PddlSource, PddlSource]:
        texts = dict(TEXTS)
        if self.old is None:
            texts[self.file] = self.new
        else:
            assert self.old in texts[self.file]
            texts[self.file] = texts[self.file].replace(self.old, self.new, 1)
        return PddlSource("domain.pddl", texts["domain"]), PddlSource(
            "problem.pddl", texts["problem"]
        )


TABLES = tomllib.loads((FOLDER / "invalid.toml").read_text())["wrong"]


@pytest.mark.parametrize("wrong", [Wrong(**table) for table in TABLES], ids=lambda w: w.about)
def test_the_message(wrong: Wrong) -> None:
    with pytest.raises(AsplanError) as error:
        TextModel(task_of_sources(*wrong.sources()))
    assert str(error.value) == wrong.said
    assert len(wrong.said) <= 600


def test_the_base_of_the_table_is_right() -> None:
    domain, problem = (PddlSource(kind, text) for kind, text in TEXTS.items())
    assert task_of_sources(domain, problem).warnings == ()
    assert task_of_sources(problem, domain).problem.name.text == "Two-Parcels"


def test_an_unclosed_file_of_a_million_parentheses() -> None:
    with pytest.raises(AsplanError, match="1:101: more than 100 parentheses"):
        task_of_sources(PddlSource("d", "(" * 10**6), PddlSource("p", TEXTS["problem"]))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.pddl", "no such file: {}/missing.pddl"),
        ("", "{} is a folder, where a file is expected"),
        ("nul.pddl", "{}/nul.pddl is not text: byte 3 is a NUL"),
        ("empty.pddl", "{}/empty.pddl is empty\n  PDDL files begin with (define (domain NAME) or "
         "(define (problem NAME)"),
    ],
)  # fmt: skip
def test_files_that_are_none(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "nul.pddl").write_text("(de\0fine)")
    (tmp_path / "empty.pddl").write_text("")
    with pytest.raises(AsplanError) as error:
        read_task(FOLDER / "parcels-domain.pddl", tmp_path / name)
    assert str(error.value) == said.format(tmp_path)


def test_the_domain_names_an_object_of_the_problem() -> None:
    """Some planners take it; the translator does not."""
    domain = TEXTS["domain"].replace("(:constants Depot - town)", "")
    problem = TEXTS["problem"].replace("Aachen Bonn", "Depot Aachen Bonn", 1)
    with pytest.raises(AsplanError) as error:
        task_of_sources(PddlSource("domain", domain), PddlSource("problem", problem))
    assert str(error.value) == (
        "domain:23:59: Depot is an object of the problem, and the domain does not declare it\n"
        "  declare it in the (:constants …) of the domain"
    )


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("problem", "(:metric minimize (total-cost))", ""),  # costs do not count
        ("problem", "(road Aachen Bonn)", "(road Aachen depot)"),  # nobody drives there
        ("problem", "(road Aachen Bonn)", "(road Bonn Aachen)"),  # no van is ever in Bonn
    ],
)
def test_a_cost_without_a_value_may_not_matter(kind: str, old: str, new: str) -> None:
    texts = TEXTS | {"problem": TEXTS["problem"].replace("(= (distance aachen bonn) 3)", "")}
    assert old in texts[kind]
    texts[kind] = texts[kind].replace(old, new)
    assert task_of_sources(*(PddlSource(name, text) for name, text in texts.items())).warnings == ()


@pytest.mark.parametrize(
    ("kind", "old", "new", "warning"),
    [
        ("domain", ":derived-predicates ", "",
         "domain:2:17: :derived-predicates is used, but not listed in (:requirements …)"),
        ("problem", "P1 P2 - parcel", "P1 P1 P2 - parcel",
         "problem:4:31: object P1 is declared twice, first in problem:4:28"),
        ("domain", "van parcel - thing", "van van parcel - thing",
         "domain:4:15: type van is declared twice"),
        ("domain", "van parcel - thing", "van parcel - thing - cargo",
         None),
        ("domain", "(:constants Depot - town)", "(:constants Depot -town)",
         "domain:6:21: no space follows this dash"),
        ("problem", "P1 P2 - parcel", "P1 P2 - parcel  - thing",
         "problem:4:44: no name comes before this dash"),
        ("domain", "town thing)", "thing town - place)",
         "domain:5:24: type place is not declared; it is taken for an object"),
        ("problem", "(= (distance aachen bonn) 3)", "(road Bonn bonn) (= (distance bonn bonn) 3)",
         "domain:24:70: (distance Aachen Bonn) has no value in (:init …), so action drive never "
         "applies where this is its cost"),
        ("domain", "(not (sleepy))", "(> (distance ?t Depot) 3)",
         "domain:19:50: (distance Aachen Depot) has no value in (:init …), so action load-up never "
         "applies"),
        ("problem", "(= (distance depot aachen) 4)", "(= (distance depot aachen) 4.5) (= (fuel) 1)",
         "problem:8:65: function fuel is not declared, so this value is ignored"),
        ("problem", "(total-cost)))", "(total-time)))",
         "problem:2:18: no action takes time, so (total-time) is always 0"),
        ("domain", "(:action drive", "(:durative-action sleep :duration (= ?duration 0) "
         ":effect (at end (sleepy))) (:action drive",
         "domain:21:37: action sleep takes no time, so it starts and ends at once"),
    ],
)  # fmt: skip
def test_odd_declarations_are_warnings(kind: str, old: str, new: str, warning: str | None) -> None:
    assert old in TEXTS[kind]
    texts = TEXTS | {kind: TEXTS[kind].replace(old, new, 1)}
    sources = [PddlSource(name, text) for name, text in texts.items()]
    if warning is None:
        with pytest.raises(AsplanError, match="no type comes before this dash"):
            task_of_sources(*sources)
    else:
        printed = [f"{w.at}: {w.text}" for w in task_of_sources(*sources).warnings]
        assert warning in printed
