"""Wrong instances as files; each has its message, word for word."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import asplan
from conftest import HERE

FILES = sorted((HERE / "bad_input").glob("*.lp"))
MESSAGES = tomllib.loads((HERE / "bad_input" / "messages.toml").read_text())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_message(file: Path) -> None:
    with pytest.raises(asplan.AsplanError) as caught:
        asplan.solve(file)
    message = MESSAGES[file.stem].strip("\n").replace("{folder}", str(file.parent))
    assert str(caught.value) == message.replace("{file}", str(file))
    assert caught.value.exit_status == 2


def test_every_message_has_its_file() -> None:
    assert sorted(MESSAGES) == [file.stem for file in FILES]


SLIPS = tomllib.loads((HERE / "bad_input" / "slips.toml").read_text())
RIGHT = SLIPS.pop("right")


@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS)
def test_a_slip_in_an_encoding(slip: dict[str, str], tmp_path: Path) -> None:
    assert slip["old"] in RIGHT
    file = tmp_path / "courier.lp"
    file.write_text(RIGHT.replace(slip["old"], slip["new"]))
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(file, max_horizon=3)
    assert str(caught.value) == slip["says"].strip("\n").replace("{file}", str(file))


def test_the_encoding_without_slips(tmp_path: Path) -> None:
    file = tmp_path / "courier.lp"
    file.write_text(RIGHT)
    assert asplan.solve(file).horizon == 3


def test_a_slip_in_a_program_that_is_text() -> None:
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(text=RIGHT.replace("{ go(X,t)", "{ go(X,T)"))
    assert str(caught.value) == (
        "<text>:5:8: T is unsafe: no positive literal binds it in\n"
        "  { go(X,T): room(X) } = 1.\n  did you mean t?"
    )


USAGE = [
    (
        {"encoding": "orgin"},
        "unknown encoding 'orgin'\n  did you mean origin or origin_naive?; see asplan list",
    ),
    ({"engine": "aps"}, "unknown engine 'aps'\n  did you mean asp"),
    ({"mode": "fixed"}, "--mode fixed needs --horizon N"),
    (
        {"horizon": 5},
        "--horizon belongs to --mode fixed or minimize\n"
        "  for incremental planning use --max-horizon N",
    ),
    (
        {"mode": "minimize", "horizon": 5, "schedule": "linear"},
        "--mode minimize solves once, so it has no --schedule",
    ),
    (
        {"mode": "fixed", "horizon": 5, "max_horizon": 9},
        "--mode fixed has --horizon, not --min-horizon or --max-horizon",
    ),
    ({"min_horizon": 5, "max_horizon": 3}, "--max-horizon 3 is below --min-horizon 5"),
    (
        {"metric": "slide", "constants": {"metric": "step"}},
        "--metric slide contradicts -c metric=step",
    ),
    ({"metric": "leap"}, "metric=leap: metric must be step or slide in rush_hour"),
    (
        {"constants": {"metrik": "step"}},
        "no file uses the constant metrik\n  did you mean metric?",
    ),
    (
        {"constants": {"x": "(1"}},
        "constant x: '(1' is not a term: syntax error, unexpected <EOF>, expecting \",\" or )",
    ),
    (
        {"schedule": "strides:3"},
        "unknown schedule 'strides:3'\n  did you mean stride:K?",
    ),
    ({"schedule": "stride:0"}, "schedule 'stride:0': K in stride:K must be from 1"),
    ({"heuristic": "zero"}, "engine asp has no option --heuristic"),
    ({"mode": "nix"}, "mode='nix': mode must be incremental, fixed or minimize"),
    ({"threads": 0}, "threads=0: threads must be a whole number of at least 1"),
    ({"models": -1}, "models=-1: models must be a whole number of at least 0"),
    ({"models": 1.5}, "models=1.5: models must be a whole number of at least 0"),
    ({"min_horizon": -3}, "--min-horizon -3 is below 0"),
    (
        {"time_limit": float("nan")},
        "the time limit is nan s: pass a finite number, 0 or more",
    ),
    ({"time_limit": -1}, "the time limit is -1 s: pass a finite number, 0 or more"),
    ({"memory_limit": 0, "isolate": True}, "the memory limit is 0 MB: pass a number, 1 or more"),
    ({"memory_limit": 100}, "a memory limit needs isolate=True"),
    (
        {"clingo": ["--konfiguration=x"]},
        "clingo refuses its options: unknown option: 'konfiguration'",
    ),
    (
        {"clingo": ["-c", "x=1"]},
        "-c: constants are set with asplan's own -c NAME=VALUE",
    ),
]


@pytest.mark.parametrize(("options", "message"), USAGE)
def test_usage(options: dict[str, object], message: str) -> None:
    with pytest.raises(asplan.UsageError) as caught:
        asplan.solve("two_cars", **options)  # type: ignore[arg-type]
    text = str(caught.value)
    assert text.startswith(message), text


def test_no_such_file() -> None:
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve("sampel02.lp")
    assert str(caught.value).startswith("no such file: sampel02.lp\n  did you mean sample02 or ")


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    file = tmp_path / "board.lp"
    file.write_bytes(b"p(\xff).\n")
    with pytest.raises(asplan.InputError, match=r"is not text in UTF-8 \(byte 2\)"):
        asplan.solve(file)


def test_an_encoding_refuses_an_instance(tmp_path: Path) -> None:
    file = tmp_path / "large.lp"
    file.write_text("car(r,2,h). position(0,r,3,1).\ngrid(1..8,1..9).\n")
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(file, encoding="frontier")
    assert str(caught.value) == (
        f"{file}:2:1: grid(8,9): frontier holds at most 64 cells without a wall; use -e order"
    )
    assert asplan.solve(file, encoding="block_tuple").horizon == 7


def test_two_encodings(tmp_path: Path) -> None:
    file = tmp_path / "whole.lp"
    file.write_text("#program step(t). #program check(t).")
    with pytest.raises(asplan.UsageError, match="would be a second encoding"):
        asplan.solve(file, encoding="origin")
