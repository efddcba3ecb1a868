"""Options of engine `sat`, and the error if python-sat is missing."""

from __future__ import annotations

import sys

import pytest

import asplan
from asplan.core.installing import pip_install


def test_the_error_without_python_sat_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysat.solvers", None)
    with pytest.raises(asplan.MissingExtra) as caught:
        asplan.solve("towers3", engine="sat")
    assert str(caught.value) == (
        f"engine sat needs python-sat, which is not installed\n  {pip_install('sat')}"
    )


@pytest.mark.parametrize(
    "words",
    [["-Wnone"], ["-W", "none"], ["--warn", "no-atom-undefined"], ["--keep-facts"]],
    ids=str,
)
def test_options_about_grounding_pass(words: list[str]) -> None:
    assert asplan.solve("towers3", engine="sat", clingo=words).horizon == 7


@pytest.mark.parametrize("words", [["none"], ["--keep-facts", "none"], ["--sat-prepro=2"]], ids=str)
def test_others_do_not(words: list[str]) -> None:
    with pytest.raises(asplan.UsageError) as caught:
        asplan.solve("towers3", engine="sat", clingo=words)
    assert str(caught.value) == (
        f"{words[-1]}: engine sat takes only clingo's options for grounding: "
        "-W, --warn, --keep-facts, --preserve-facts, --rewrite-minimize\n"
        "  use --engine asp for options of clingo's solver"
    )


def test_an_unknown_solver() -> None:
    with pytest.raises(asplan.UsageError) as caught:
        asplan.solve("towers3", engine="sat", solver="minisat23")
    assert str(caught.value) == (
        "solver='minisat23': solver must be cadical195, cadical300, glucose42, maplechrono"
        " or minisat22"
    )
