"""Each row has its measurements or a reason, and one bad row leaves the others alone."""

from __future__ import annotations

from dataclasses import asdict, replace
from math import sqrt
from pathlib import Path

import pytest

import asplan
from asplan import Row, catalog
from asplan.core.limits import Stop
from asplan.measuring.comparison import COSTS, SIZES, SOLVING, geometric_ratios
from conftest import HERE, in_time
from processes import resident

EXPLOSION = """
#program step(t). { b(X,Y,Z,t) } :- X = 1..3000, Y = 1..3000, Z = 1..3000, grid(1,1).
"""


def compare_one(instance: object, encoding: object, **options: object) -> Row:
    (row,) = asplan.compare(instance, encodings=[encoding], **{"horizon": 2, **options})
    return row


def measured(row: Row) -> bool:
    return all(getattr(row, name) is not None for name in (*SIZES, *COSTS))


def test_all_encodings_of_the_domain_on_each_instance() -> None:
    rows = asplan.compare("two_cars", "sample01", horizon=1)
    names = [e.name for e in catalog.encodings() if e.domain == "rush_hour"]
    names.remove("integers")  # theory atoms need a package
    default = asplan.solve("two_cars").encoding
    names.sort(key=lambda name: name != default)
    assert names[0] == default
    assert [(r.instance, r.encoding) for r in rows] == [
        (instance, name) for instance in ("two_cars", "sample01") for name in names
    ]
    classical = [r for r in rows if r.encoding in ("origin", "origin_naive")]
    assert all(measured(row) and not row.reason for row in classical)


def test_an_encoding_with_a_theory_is_measured_on_request() -> None:
    row = compare_one("two_cars", "integers", horizon=6, solve=True)
    assert measured(row)
    assert (row.reason, row.outcome, row.steps) == ("", "optimal", 6)
    plain = compare_one("two_cars", "order", horizon=6)
    assert row.rules is not None
    assert plain.rules is not None
    assert 0 < row.rules < plain.rules  # the numbers are made into rules by clingcon


def test_solving_fills_its_columns() -> None:
    row = compare_one("two_cars", "origin", horizon=8, solve=True)
    assert (row.outcome, row.steps, row.reason) == ("optimal", 6, "")
    assert None not in [getattr(row, name) for name in SOLVING]
    short = compare_one("two_cars", "origin", horizon=5, solve=True)
    assert (short.outcome, short.steps, short.reason) == ("unknown", None, "")
    without = compare_one("two_cars", "origin", horizon=8)
    assert [getattr(without, name) for name in SOLVING] == [None] * len(SOLVING)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_row_has_the_error_of_its_encoding_or_instance(tmp_path: Path) -> None:
    unsafe = write(tmp_path, "unsafe.lp", "#program step(t). a(X,t) :- not grid(X,1).\n")
    stranger = write(tmp_path, "stranger.lp", "#program step(t). a(t) :- block(B).\n")
    broken = write(tmp_path, "broken.lp", "#program step(t). a(t\n")
    large = write(tmp_path, "large.lp", "car(r,2,h). position(0,r,1,1). grid(1..8,1..9).")
    hanoi = catalog.find_encoding("hanoi", "hanoi")
    cases = [
        ("two_cars", unsafe, f"{unsafe}:1:21: X is unsafe: no positive literal binds it in"),
        ("two_cars", stranger, f"{stranger} reads no fact of the instance: "),
        ("two_cars", broken, f"{broken}:2:1: syntax error, unexpected EOF"),
        ("two_cars", "nix", "unknown encoding 'nix'\n  known encodings: "),
        (
            "two_cars",
            hanoi.path,
            "hanoi is an encoding of hanoi, but the instance belongs to rush_hour",
        ),
        ("nowhere", "origin", "no such file: nowhere"),
        (HERE / "bad_input" / "no_red_car.lp", "origin", str(HERE / "bad_input/no_red_car.lp")),
        (large, "frontier", f"{large}:1:32: grid(8,9): frontier holds at most 64 cells"),
    ]
    for instance, encoding, message in cases:
        row = compare_one(instance, encoding)
        assert row.reason.startswith(message), row.reason
        assert not measured(row)


def test_one_bad_row_leaves_the_others_alone() -> None:
    rows = asplan.compare("two_cars", "nowhere", encodings=["nix", "origin"], horizon=2)
    assert [bool(row.reason) for row in rows] == [True, False, True, True]
    assert [measured(row) for row in rows] == [False, True, False, False]


def test_an_instance_without_a_domain_and_an_encoding_of_its_own(tmp_path: Path) -> None:
    facts = write(tmp_path, "facts.lp", "n(3).\n")
    (row,) = asplan.compare(facts, horizon=2)
    assert row.encoding == ""
    assert row.reason.startswith(f"{facts}: the encoding is missing: the facts fit no domain")
    counter = write(
        tmp_path,
        "counter.lp",
        "#program step(t). occurs(up,t). #program check(t). :- query(t), n(N), N > t.\n",
    )
    row = compare_one(facts, counter, horizon=4, solve=True)
    assert (row.outcome, row.steps, row.reason) == ("optimal", 3, "")


@pytest.mark.parametrize(
    ("limits", "stopped", "reason"),
    [
        ({"time_limit": 1}, Stop.TIME, "time limit of 1 s reached while grounding"),
        ({"memory_limit": 0}, Stop.MEMORY, "memory limit of {} MB reached while grounding"),
    ],
)
def test_a_limit_stops_one_row(
    limits: dict[str, int], stopped: Stop, reason: str, tmp_path: Path
) -> None:
    if "memory_limit" in limits:
        limits = {"memory_limit": resident() + 200}
        reason = reason.format(limits["memory_limit"])
    path = write(tmp_path, "explosion.lp", EXPLOSION)
    stuck, fine = asplan.compare("two_cars", encodings=[path, "origin"], horizon=2, **limits)
    assert (stuck.stopped, stuck.reason, stuck.lines) == (stopped, reason, None)
    assert measured(fine)


def test_a_limit_in_solving_keeps_the_sizes(tmp_path: Path) -> None:
    """Pigeons in too few holes: little to ground, and no end of solving."""
    facts = write(tmp_path, "facts.lp", "pigeon(1..14).\n")
    holes = "#program step(t). 1 { in(P,H,t) : H = 1..13 } 1 :- pigeon(P). "
    holes += ":- in(P,H,t), in(Q,H,t), P < Q. #program check(t). :- query(t), t < 1."
    encoding = write(tmp_path, "holes.lp", holes)
    row = in_time(
        lambda limit: compare_one(facts, encoding, horizon=1, solve=True, time_limit=limit),
        lambda row: row.reason.endswith(" s reached while solving"),
    )
    assert measured(row)
    assert row.stopped == Stop.TIME
    assert row.reason.endswith(" s reached while solving")


def test_bad_usage_is_refused() -> None:
    with pytest.raises(asplan.UsageError, match=r"the horizon is -1, but it cannot be below 0"):
        asplan.compare("two_cars", horizon=-1)
    with pytest.raises(asplan.UsageError, match="no instances are given"):
        asplan.compare(horizon=1)


def test_ratios_are_geometric_means_over_common_instances() -> None:
    def row(instance: str, encoding: str, lines: int | None, atoms: int | None = None) -> Row:
        return Row(instance, encoding, 1, lines=lines, atoms=atoms)

    rows = [row("x", "a", 10, 5), row("y", "a", 10), row("z", "a", None)]
    rows += [row("x", "b", 20, 5), row("y", "b", 40), row("z", "b", 7)]
    rows += [row("x", "c", None)]
    assert geometric_ratios(rows) == {"b": {"lines": pytest.approx(sqrt(8)), "atoms": 1}, "c": {}}


def test_an_encoding_that_needs_separate_calls_has_a_remark(tmp_path: Path) -> None:
    facts = write(tmp_path, "facts.lp", "n(3).\n")
    text = "#program step(t). q(t) :- n(N), not p(t). #program check(t). p(t) :- n(N).\n"
    plain = write(tmp_path, "plain.lp", text)
    staged = write(tmp_path, "staged.lp", "asplan(staged). " + text)
    assert compare_one(facts, plain).remark == ""
    assert compare_one(facts, staged).remark.startswith("needs two separate ground calls")


def test_instances_of_one_name_keep_their_paths(tmp_path: Path) -> None:
    text = Path(catalog.find_instance("two_cars")).read_text()
    paths = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        paths.append(write(tmp_path / folder, "board.lp", text))
    rows = asplan.compare(*paths, encodings=["origin"], horizon=1)
    assert [row.instance for row in rows] == [str(path) for path in paths]
    first, second = (asdict(replace(r, instance="", ground_seconds=0, memory_mb=0)) for r in rows)
    assert first == second


def test_an_example_is_measured_with_the_encoding_of_its_folder() -> None:
    (row,) = asplan.compare("sussman", horizon=3)
    assert (row.encoding, row.reason) == ("blocks", "")


def test_variants_of_an_encoding_side_by_side() -> None:
    """Rows have the names as given; a wrong variant has an error in its row."""
    names = ["origin", "origin:metric=slide", "origin:metric=leap", "origin:speed=2"]
    rows = asplan.compare("two_cars", encodings=names, horizon=6, solve=True)
    assert [row.encoding for row in rows] == names
    assert [row.steps for row in rows] == [6, 2, None, None]
    assert [row.reason for row in rows[2:]] == [
        "metric=leap: metric must be step or slide in rush_hour",
        "no file uses the constant speed\n  known constants: metric",
    ]
    alike, same = asplan.compare("two_cars", encodings=names[:2], horizon=6, metric="slide")
    assert (alike.lines, alike.rules) == (same.lines, same.rules)
    assert geometric_ratios(rows[:2])["origin:metric=slide"]["rules"] > 1
