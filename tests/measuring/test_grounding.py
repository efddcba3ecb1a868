"""The size of ground programs against clingo's own text and wc, and against counts by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ground_text import clingo_text, first_instance, some_encodings, wc

import asplan
from asplan import catalog
from asplan.measuring.ground_size import count_ground_program, measure_text
from asplan.program.composition import read_program
from conftest import run

HORIZON = 3


@pytest.mark.parametrize("entry", some_encodings(0), ids=lambda e: f"{e.domain}/{e.name}")
def test_lines_words_and_bytes_are_those_of_wc(entry: catalog.ShippedFile) -> None:
    instance = first_instance(entry.domain)
    (row,) = asplan.compare(instance, encodings=[entry.path], horizon=HORIZON)
    assert row.reason == ""
    text = clingo_text(HORIZON, str(instance), str(entry.path))
    assert (row.lines, row.words, row.bytes) == wc(text)


def test_constants_change_the_text_as_clingos_option_does() -> None:
    (row,) = asplan.compare("sample01", encodings=["origin"], horizon=HORIZON, metric="slide")
    files = catalog.find_instance("sample01"), str(catalog.find_encoding("origin", None).path)
    text = clingo_text(HORIZON, *files, options=["--text", "-cmetric=slide"])
    assert (row.lines, row.words, row.bytes) == wc(text)
    assert text != clingo_text(HORIZON, *files)


def test_the_numeric_format_has_the_counts_of_wc(capfd: pytest.CaptureFixture[str]) -> None:
    files = [
        catalog.find_instance("two_cars"),
        str(catalog.find_encoding("origin", None).path),
    ]
    size = measure_text(read_program(files, {}), {}, HORIZON, "--mode=gringo")
    expected = wc(clingo_text(HORIZON, *files, options=["--mode=gringo"]))
    assert (size.lines, size.words, size.bytes) == expected
    print("standard output is given back")
    assert capfd.readouterr().out == "standard output is given back\n"


def test_rules_are_counted_by_kind(tmp_path: Path) -> None:
    path = tmp_path / "small.lp"
    path.write_text("""
        p(1..3). { a(X) } :- p(X). :- a(1), a(2). b :- a(3). b :- a(2). c(X) :- a(X), X > 1.
        :- not 2 { a(X) }.
        #program step(t). s(t) :- b.
        #program check(t). #external query(t). :- query(t), not b.
    """)
    size = count_ground_program(read_program([str(path)], {}), {}, 2)
    # p/1, a/1: 3 each; b; c/1: 2; s(1), s(2); query(0), query(1), query(2)
    assert size.atoms == 3 + 3 + 1 + 2 + 2 + 3
    assert size.choice_rules == 3
    # two that were written, and one for each check; b is not a fact, so none is left out
    assert size.constraints == 2 + 3
    # as rules: facts 3, choices 3, b 2, c 2, s 2, constraints 5, one for the aggregate
    assert size.rules == 3 + 3 + 2 + 2 + 2 + 5 + 1
    # {a(1),a(2)} {a(3)} {a(2)} {b}; the aggregate and its negation; one for each check
    assert size.bodies == 4 + 2 + 3
    assert size.ground_seconds > 0


def test_memory_grows_with_the_program(tmp_path: Path) -> None:
    path, facts = tmp_path / "large.lp", tmp_path / "facts.lp"
    path.write_text("#const n=1. #program step(t). a(X,Y,t) :- X = 1..n, Y = 1..400.\n")
    facts.write_text("a(0,0,0).\n")

    def megabytes(n: int) -> float:
        # By the command: the process of these tests has freed memory that a fork would use first.
        words = ["compare", str(facts), "-e", f"{path}:n={n}", "--horizon", "1", "--json"]
        (row,) = json.loads(run(*words).stdout)["rows"]
        return float(row["memory_mb"])

    assert megabytes(150) > megabytes(1) + 5


def test_the_text_gets_no_external_that_the_program_lacks(tmp_path: Path) -> None:
    path = tmp_path / "plain.lp"
    path.write_text("p. #program step(t). q(t). #program check(t). r(t) :- q(t), query(t).\n")
    instance = tmp_path / "facts.lp"
    instance.write_text("p.\n")
    (row,) = asplan.compare(instance, encodings=[path], horizon=2)
    assert (row.lines, row.words, row.bytes) == wc(clingo_text(2, str(instance), str(path)))
