"""Words that are nearly right: names of files, `help`, and options that are given twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import run

STEPS = "#program step(t). { occurs(go,t) }. #program check(t). :- query(t), t < 1."
ENDLESS = "n(1..3000). p(X,Y,Z) :- n(X), n(Y), n(Z)."

MISSPELT = {
    "solve vacum.lp": "no such file: vacum.lp\n  did you mean vacuum.lp?",
    "vacum.lp": "no such file: vacum.lp\n  did you mean vacuum.lp?",
    "solve ./vacum.lp": "no such file: ./vacum.lp\n  did you mean ./vacuum.lp?",
    "solve below/bord.lp": "no such file: below/bord.lp\n  did you mean below/board.lp?",
    "check vacum.lp": "no such file: vacum.lp\n  did you mean vacuum.lp?",
    "solve towers3 -e vacum.lp": "unknown encoding 'vacum.lp'\n  did you mean vacuum.lp?",
    "bench run suit.toml": "no such file: suit.toml\n  did you mean suite.toml?",
    "validate vacuum.lp plam.txt": "no such file: plam.txt\n  did you mean plan.txt?",
    "solve two_car": "no such file: two_car\n  did you mean two_cars?; see asplan list",
}


@pytest.mark.parametrize("words", MISSPELT)
def test_a_file_beside_the_missing_one_is_suggested(words: str, tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name in ("vacuum.lp", "below/board.lp", "suite.toml", "plan.txt"):
        (tmp_path / name).write_text(STEPS)
    done = run(*words.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"asplan: {MISSPELT[words]}")


def test_a_hint_lists_only_some_of_many_names(tmp_path: Path) -> None:
    said = run("solve", "missing.lp", cwd=tmp_path).stderr
    hint = "  known instances: {0}, {0}, {0}, …; see asplan list".format(r"[\w-]+")
    assert re.fullmatch(rf"asplan: no such file: missing\.lp\n{hint}\n", said)


def test_a_bare_word_may_mean_a_file(tmp_path: Path) -> None:
    (tmp_path / "vacuum.lp").write_text(STEPS)
    said = run("vacum", cwd=tmp_path).stderr
    assert said.endswith("'vacum' is neither a command nor a file\n  did you mean vacuum.lp?\n")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("bench report x --latex", "asplan bench run and asplan bench compare have --latex; "),
        ("bench compare x y --runner z", "asplan bench run has --runner; "),
        ("solve x --disks 4", "did you mean --diverse?; "),
        ("--rules", "asplan compare has --rules; "),
        ("--plot x.png", "asplan analyse and asplan compare have --plot; "),
    ],
)
def test_an_option_of_another_command_of_the_group_is_named(words: str, hint: str) -> None:
    error, said = run(*words.split()).stderr.splitlines()
    assert error.startswith("asplan: no option is called --")
    assert said.startswith(f"  {hint}")


@pytest.mark.parametrize("words", ["", "solve", "bench", "bench run", "generate rush_hour"])
def test_help_is_a_word_too(words: str) -> None:
    asked, usual = run("help", *words.split()), run(*words.split(), "--help")
    assert (asked.returncode, asked.stdout) == (0, usual.stdout)
    assert asked.stdout.startswith(f"Usage: asplan {words}".rstrip())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("solve sample02 -e origin -e order", "solve takes one -e or --encoding, but there are 2"),
        ("profile sample02 -e origin --encoding=order", "profile takes one -e or --encoding"),
        ("explain sample02 --encoding origin -eorder", "explain takes one -e or --encoding"),
        ("solve sample02 --time-limit 1 --time-limit 2", "solve takes one --time-limit"),
        ("solve sample02 --engine bfs --engine sat", "solve takes one --engine"),
        ("bench run quick -o a -o b", "bench run takes one -o or --output"),
    ],
)
def test_an_option_does_not_replace_the_one_before_it(words: str, message: str) -> None:
    done = run(*words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"asplan: {message}")


def test_options_with_several_values_and_flags_may_come_again(tmp_path: Path) -> None:
    words = "solve two_cars -c metric=slide --json --json -o a.svg -o b.svg"
    assert run(*words.split(), cwd=tmp_path).returncode == 0


def test_reasons_name_only_given_time_limits(tmp_path: Path) -> None:
    """`explain` looks for a plan for a part of it."""
    (tmp_path / "x.lp").write_text(ENDLESS + STEPS)
    said = run("explain", "x.lp", "--time-limit", "0.1", cwd=tmp_path).stdout
    assert "stopped: a third of the time limit of 0.1 s reached" in " ".join(said.split())
