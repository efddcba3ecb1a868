"""asplan compare and asplan profile as a user runs them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from PIL import Image

import asplan
from asplan.core.figures import COLOURS
from asplan.measuring.comparison import COSTS, SIZES, SOLVING
from conftest import HERE, in_time, run


def test_compare_prints_figures_ratios_and_missing_values() -> None:
    done = run("compare", "two_cars", "walls", "-e", "origin", "-e", "nix", "--horizon", "2")
    assert done.returncode == 1
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[0] == "two_cars, horizon 2"
    assert "origin   nix" in [" ".join(line.split()).replace(" ", "   ") for line in lines]
    assert "nix on two_cars: unknown encoding 'nix'" in done.stdout
    good = run("compare", "two_cars", "-e", "origin", "-e", "origin_naive", "--horizon", "2")
    assert (good.returncode, good.stderr) == (0, "")
    heads = next(line for line in good.stdout.splitlines() if "ratio" in line)
    assert heads.split() == ["origin", "origin_naive", "ratio"]
    assert "…" not in good.stdout


def test_several_instances_get_a_table_of_mean_ratios() -> None:
    words = ["compare", "two_cars", "walls", "-e", "origin", "-e", "block_tuple"]
    lines = run(*words, "--horizon", "2").stdout.splitlines()
    assert "ratio to origin, geometric mean" in lines


PAIR = ["compare", "sample02", "-e", "origin_published", "-e", "block_tuple_published"]


def test_compare_matches_rules_by_head_and_role(tmp_path: Path) -> None:
    chart = tmp_path / "growth.png"
    done = run(*PAIR, "--horizon", "8", "--rules", "--plot", str(chart))
    assert (done.returncode, done.stderr) == (0, "")
    assert max(len(line) for line in done.stdout.splitlines() if "─" in line) <= 80
    lines = [line.split() for line in done.stdout.splitlines()]
    (position,) = [line for line in lines if line[:2] == ["position/4,6,7", "rule"]]
    assert int(position[4]) == int(position[3]) - int(position[2]) < 0
    (total,) = [line for line in lines if line[:2] == ["all", "rules"]]
    assert int(total[4]) == int(total[3]) - int(total[2]) < 0
    assert "B is smaller: it has " in done.stdout
    assert "busy(t,Car,Row..Row+N-1,Col) :- position(t,Car,Row,Col), car(Car,N,v)." in done.stdout
    assert "origin_published.lp:" in done.stdout
    with Image.open(chart) as image:
        assert image.height > 700  # with the chart of growth below


def test_matched_rules_as_json_and_csv() -> None:
    words = [*PAIR, "--horizon", "4", "--rules"]
    data = json.loads(run(*words, "--json").stdout)
    assert [row["encoding"] for row in data["rows"]] == [
        "origin_published",
        "block_tuple_published",
    ]
    (match,) = data["rules"]
    lines = list(csv.DictReader(io.StringIO(run(*words, "--csv").stdout)))
    for encoding, side in zip(match["encodings"], ("first", "second"), strict=True):
        own = [int(line["different"]) for line in lines if line["encoding"] == encoding]
        expected = [rule["different"] for row in match["rules"] for rule in row[side]]
        assert own == expected
        assert sum(own) > 0


@pytest.mark.parametrize("form", ["--csv", "--markdown", "--latex"])
@pytest.mark.parametrize(
    "words",
    [
        [*PAIR, "--horizon", "2"],
        [*PAIR, "--horizon", "2", "--rules"],
        ["profile", "two_cars", "-e", "origin", "--horizon", "3"],
        ["analyse", "two_cars"],
    ],
    ids=["compare", "rules", "profile", "analyse"],
)
def test_tables_in_other_forms(words: list[str], form: str) -> None:
    done = run(*words, form)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    if form == "--csv":
        rows = list(csv.reader(lines))
        assert len({len(row) for row in rows}) == 1
        assert len(rows) > 2
    elif form == "--markdown":
        tables = [line for line in lines if line.startswith("|")]
        assert tables
        assert all(line.endswith("|") for line in tables)
    else:
        assert done.stdout.count(r"\begin{tabular}") == done.stdout.count(r"\end{tabular}") > 0
        assert not any("─" in line or "▁" in line for line in lines)


@pytest.mark.parametrize("solve", [False, True])
def test_compare_as_json_and_csv(solve: bool) -> None:
    words = ["compare", "two_cars", "-e", "origin", "--horizon", "7", *(["--solve"] * solve)]
    data = json.loads(run(*words, "--json").stdout)
    (row,) = data["rows"]
    names = ["instance", "encoding", "horizon", "form", *SIZES, *COSTS, *(SOLVING if solve else ())]
    assert list(row) == [*names, "remark", "reason", "stopped"]
    assert row["instance"] == "two_cars"
    (line,) = csv.DictReader(io.StringIO(run(*words, "--csv").stdout))
    assert list(line) == list(row)
    assert [line[name] for name in SIZES] == [str(row[name]) for name in SIZES]
    assert line["stopped"] == ""


def test_compare_draws(tmp_path: Path) -> None:
    path = tmp_path / "sizes.png"
    words = ["compare", "two_cars", "-e", "origin", "-e", "block_tuple", "--horizon", "2"]
    assert run(*words, "--plot", str(path)).returncode == 0
    with Image.open(path) as image:
        colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 24)}
    assert {tuple(bytes.fromhex(colour[1:])) for colour in COLOURS[:2]} <= colours
    nothing = tmp_path / "nothing.png"
    heavy = tmp_path / "heavy.lp"
    heavy.write_text("n(1..1000). p(X,Y,Z) :- n(X), n(Y), n(Z), grid(_,_). #program step(t).")
    words = ["compare", "two_cars", "-e", str(heavy), "--horizon", "2", "--time-limit", "0.5"]
    done = run(*words, "--plot", str(nothing))
    assert done.returncode == 1
    assert done.stderr == f"asplan: nothing was measured, so {nothing} is not written\n"
    assert not nothing.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere"], "nowhere: no such file: nowhere\n  did you mean "),
        (["two_cars", "-e", "nix"], "nix on two_cars: unknown encoding 'nix'\n  known encodings: "),
        (["two_cars", "--metric", "leap"], "two_cars: metric=leap: metric must be step or"),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"], ["--csv"]])
def test_compare_where_nothing_can_be_measured(
    words: list[str], message: str, form: list[str]
) -> None:
    done = run("compare", *words, "--horizon", "2", *form)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"asplan: {message}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare", "two_cars", "--horizon", "-1"], "pass a whole number of at least 0, not '-1'"),
        (["compare", "two_cars"], "--horizon is missing"),
        (["compare", "--horizon", "1"], "INSTANCE is missing"),
        (["compare", "a", "--horizon", "1", "--csv", "--json"], "pass --csv or --json, not both"),
        (["analyse", "two_cars", "--latex", "--markdown"], "pass --markdown or --latex, not both"),
        (
            ["profile", "a", "--horizon", "1", "--latex", "--json"],
            "pass --latex or --json, not both",
        ),
        ([*PAIR[:4], "--horizon", "1", "--rules"], "give two different encodings"),
        (["compare", "a", "--horizon", "1", "--plot", "a.gif"], "a.gif: the name must end with"),
        (["compare", "a", "--horizon", "1", "--plot", "no/a.png"], "cannot write no/a.png"),
        (["profile", "two_cars", "--horizon", "-1"], "pass a whole number of at least 0, not '-1'"),
        (["profile", "two_cars", "-e", "nix", "--horizon", "1"], "unknown encoding 'nix'"),
        (["profile", "nowhere", "--horizon", "1"], "no such file: nowhere"),
    ],
)
def test_bad_usage(words: list[str], message: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_profile_names_rules_and_advice() -> None:
    path = HERE / "measuring" / "profiles" / "one_call.lp"
    done = run("profile", str(path), "sample02", "--horizon", "12", "--top", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert "rules, horizon 12" in done.stdout
    assert "one_call.lp:15" in done.stdout
    assert (
        "[1] clingo matches this rule at all earlier steps again: let step(t) derive" in done.stdout
    )
    assert "free/3" in done.stdout
    assert "more rules, " in done.stdout


def test_profile_as_json() -> None:
    words = ["profile", "two_cars", "-e", "origin", "--horizon", "8"]
    data = json.loads(run(*words, "--json").stdout)
    assert list(data) == [
        "horizon",
        "one_call",
        "rules",
        "predicates",
        "seconds",
        "reason",
        "stopped",
    ]
    assert (data["horizon"], data["one_call"], data["reason"]) == (8, False, "")
    rule = data["rules"][0]
    assert sum(rule["per_step"]) == rule["instantiations"]
    assert json.loads(run(*words, "--json", "--one-call").stdout)["one_call"] is True


def test_a_stopped_profile_shows_its_counts_so_far(tmp_path: Path) -> None:
    path = tmp_path / "explosion.lp"
    path.write_text("p(1..3000). #program step(t). b(X,Y,Z,t) :- p(X), p(Y), p(Z).\n")
    words = ["profile", str(path), "--horizon", "3", "--time-limit"]
    done = in_time(
        lambda limit: run(*words, str(limit), timeout=150),
        lambda done: " s reached while grounding step 1" in done.stdout,
    )
    assert done.returncode == 1
    assert "explosion.lp:1" in done.stdout
    assert " s reached while grounding step 1" in done.stdout


WALK = """time(0..n).
at(0,0).
{{ step(T) }} :- time(T), T > 0.
at(X+1,T) :- at(X,T-1), step(T).
at(X,T) :- at(X,T-1), not step(T), time(T).
{extra}
:- not at(2,n).
#show step/1.
"""


@pytest.fixture
def walks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The names of two complete programs, the second with a constraint more."""
    monkeypatch.chdir(tmp_path)
    Path("short.lp").write_text(WALK.format(extra=""))
    Path("long.lp").write_text(WALK.format(extra=":- step(T), at(X,T-1), X > 5."))
    return "short.lp", "long.lp"


def test_complete_programs_stand_side_by_side(walks: tuple[str, str]) -> None:
    done = run("compare", *walks, "--horizon", "9", "--rules", "--solve")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["form", "converted", "converted"] in lines
    (calls,) = [line for line in lines if line[:1] == ["calls"]]
    assert float(calls[3]) == int(calls[2]) / int(calls[1])
    assert f"{walks[0]}: converted into base, step(t) and check(t); --fresh measures" in done.stdout
    assert "A is smaller: it has " in done.stdout
    assert "Most of the difference: constraints, " in done.stdout
    assert any(line[:2] == [":-", "constraint"] for line in lines)
    (match,) = asplan.compare_rules(*walks, horizon=9)
    assert match.encodings == walks


def test_a_complete_program_is_measured_as_written_with_fresh(walks: tuple[str, str]) -> None:
    Path("parts.lp").write_text(
        "#program step(t). { go(t) }. #program check(t). :- query(t), not go(t).\n"
    )
    words = ["compare", *walks, "parts.lp", "--horizon", "9", "--fresh", "--json"]
    rows = json.loads(run(*words).stdout)["rows"]
    assert [row["form"] for row in rows] == ["without parts", "without parts", "in parts"]
    assert {row["instance"] for row in rows} == {"complete programs"}
    assert [row["encoding"] for row in rows] == [*walks, "parts.lp"]


def test_programs_and_instances_are_not_mixed(walks: tuple[str, str]) -> None:
    first, second = walks
    Path("facts.lp").write_text("goal(2).\n")
    mixed = run("compare", first, "facts.lp", "--horizon", "9")
    assert mixed.returncode == 2
    assert f"if facts.lp is an instance: asplan compare facts.lp -e {first}" in mixed.stderr
    Path("broken.lp").write_text("p :- q(.\n")
    broken = run("compare", first, "broken.lp", "--horizon", "9")
    assert broken.returncode == 2
    assert broken.stderr.startswith("asplan: broken.lp:1:8")
    doubled = run("compare", first, "-e", second, "--horizon", "9")
    assert doubled.returncode == 2
    assert f"to compare complete programs: asplan compare {first} {second}" in doubled.stderr


def test_parts_of_one_program_are_not_complete_programs(walks: tuple[str, str]) -> None:
    Path("goal.lp").write_text(":- not at(2,n).\n")
    done = run("compare", walks[0], "goal.lp", "--horizon", "9")
    assert done.returncode == 2
    assert done.stderr == (
        "asplan: goal.lp chooses no actions, so it is no complete program beside short.lp\n"
        '  if they are parts of one program: #include "goal.lp". in short.lp, and name that alone, '
        "or with -e for an instance of facts: asplan compare INSTANCE -e short.lp\n"
    )
