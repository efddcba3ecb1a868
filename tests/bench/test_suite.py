"""Suites: a wrong one is refused with its key and line; a right one becomes trials."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import asplan
from asplan.bench.instances import instances_of
from asplan.bench.running import run_suite
from asplan.bench.suite import Suite, read_suite
from asplan.bench.trials import trials_of
from asplan.catalog import find_suite
from conftest import HERE

WRONG = tomllib.loads((HERE / "bench" / "bad_suites.toml").read_text())
BOARDS = """\
60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332
51 GBBoLoGHIoLMGHIAAMCCCKoMooJKDDEEJFFo 4780
1 ooooooooooooAAoooooooooooooooooooooo 5
2 oooooooooooBAAoooBoooooooooooooooooo 20
"""

Make = Callable[[str], Suite]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Reads the text of a suite that lies beside a database and a few boards."""
    (tmp_path / "db.txt").write_text(BOARDS)
    for name in ("b", "a", "c"):
        board = f"grid(1..6,1..6). car(r,2,h). position(0,r,3,{1 + 'abc'.index(name)}).\n"
        (tmp_path / f"board_{name}.lp").write_text(board)

    def made(text: str) -> Suite:
        (tmp_path / "suite.toml").write_text(text)
        return read_suite(str(tmp_path / "suite.toml"))

    return made


def names(suite: Suite) -> list[str]:
    return [instance.name for instance in instances_of(suite)]


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_suite_is_refused_before_any_trial(name: str, tmp_path: Path) -> None:
    (tmp_path / "db.txt").write_text(BOARDS)
    (tmp_path / "bad.txt").write_text("60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHH 2332\n")
    (tmp_path / "broken.lp").write_text("car(r,2,h).\nposition(0,r,9,9).\n")
    (tmp_path / "suite.toml").write_text(WRONG[name]["text"])
    with pytest.raises(asplan.AsplanError) as caught:
        run_suite(str(tmp_path / "suite.toml"), str(tmp_path / "results"))
    said = WRONG[name]["said"].strip("\n").replace("{folder}", str(tmp_path))
    assert str(caught.value) == said
    assert not (tmp_path / "results").exists()


METHOD = '[[methods]]\nengine = "bfs"\n'


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('files = ["board_*.lp"]', ["board_a", "board_b", "board_c"]),
        ('files = ["board_b.lp", "board_a.lp", "board_*.lp"]', ["board_b", "board_a", "board_c"]),
        ('files = ["board_*.lp"]\nevery = 2', ["board_a", "board_c"]),
        ('files = ["sample01", "rush_hour/two_cars"]', ["sample01", "two_cars"]),
        ('files = ["pddl/blocks/blocks-1"]', None),
        ('database = "db.txt"', ["db:1", "db:2", "db:3", "db:4"]),
        ('database = "db.txt"\nevery = 2', ["db:1", "db:3"]),
        ('database = "db.txt"\nmost = 1', ["db:1"]),
        ('database = "db.txt"\nwhere = { moves = 51 }', ["db:2"]),
        ('database = "db.txt"\nwhere = { moves = [1, 60] }', ["db:1", "db:3"]),
        ('database = "db.txt"\nwhere = { moves = "2..51" }', ["db:2", "db:4"]),
        ('database = "db.txt"\nwhere = { moves = "1..51", states = "5..20" }', ["db:3", "db:4"]),
    ],
)
def test_sources_yield_instances_in_order(
    source: str, expected: list[str] | None, make: Make
) -> None:
    suite = make(f'name = "x"\n[[instances]]\n{source}\n{METHOD}')
    if expected is None:
        with pytest.raises(asplan.InputError, match="no such file"):
            instances_of(suite)
    else:
        assert names(suite) == expected


def test_a_header_names_the_columns_of_a_database(make: Make, tmp_path: Path) -> None:
    (tmp_path / "eight.tsv").write_text(
        "# the blank is 0\nmoves\ttiles\n0\t1 2 3 4 5 6 7 8 0\n1\t1 2 3 4 5 6 7 0 8\n"
    )
    suite = make(
        f'name = "x"\n[[instances]]\ndatabase = "eight.tsv"\nwhere = {{ moves = 1 }}\n{METHOD}'
    )
    (instance,) = instances_of(suite)
    assert instance.name == "eight:4"
    results = run_suite(str(tmp_path / "suite.toml"), str(tmp_path / "results"))
    assert [record.horizon for record in results.records] == [1]


def test_instances_of_the_same_name_get_their_paths(make: Make, tmp_path: Path) -> None:
    (tmp_path / "sample01.lp").write_text((tmp_path / "board_a.lp").read_text())
    suite = make(
        'name = "x"\n[[instances]]\nfiles = ["sample01.lp", "rush_hour/sample01"]\n' + METHOD
    )
    assert names(suite) == ["sample01.lp", "asplan:instances/rush_hour/sample01.lp"]


def test_an_instance_cannot_be_in_two_groups(make: Make) -> None:
    suite = make(
        'name = "x"\n[[instances]]\nfiles = ["two_cars"]\ngroup = "a"\n'
        '[[instances]]\nfiles = ["two_cars", "sample01"]\n' + METHOD
    )
    with pytest.raises(asplan.InputError) as caught:
        instances_of(suite)
    said = str(caught.value).partition(": ")[2]
    assert said == "instances: two_cars is in two groups, a and none"


def test_pipes_and_unprintable_names_are_refused(make: Make, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.lp")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.lp")).write_text("p.\n")
    for name, said in {
        "pipe.lp": f"instances[0].files: {tmp_path}/pipe.lp is not a regular file",
        "b?d*.lp": f"instances[0].files: {tmp_path}/bad\\udcff.lp: the name of the file is not in "
        "UTF-8\n  rename it",
    }.items():
        suite = make(f'name = "x"\n[[instances]]\nfiles = ["{name}"]\n' + METHOD)
        with pytest.raises(asplan.InputError) as caught:
            instances_of(suite)
        assert ascii(str(caught.value).partition(": ")[2]) == ascii(said)


def test_the_methods_take_turns(make: Make) -> None:
    suite = make(
        'name = "x"\nrepetitions = 2\nseed = 7\n'
        '[[instances]]\nfiles = ["two_cars"]\ngroup = "small"\n'
        '[[instances]]\nfiles = ["sample01"]\n'
        '[[methods]]\nengine = "bfs"\n[[methods]]\nengine = "astar"\n'
        '[[methods]]\nencoding = "origin"\non = ["small"]\n'
    )
    trials = list(trials_of(suite, instances_of(suite)))
    assert [trial.key for trial in trials] == [
        ("two_cars", "bfs", 0),
        ("two_cars", "astar", 0),
        ("two_cars", "origin", 0),
        ("sample01", "astar", 0),
        ("sample01", "bfs", 0),
        ("two_cars", "astar", 1),
        ("two_cars", "origin", 1),
        ("two_cars", "bfs", 1),
        ("sample01", "bfs", 1),
        ("sample01", "astar", 1),
    ]
    assert {trial.order for trial in trials if trial.repetition} == {8}


def test_shipped_suites_run_all_their_methods() -> None:
    for path in (HERE.parent / "suites").glob("*.toml"):
        suite = read_suite(find_suite(path.stem))
        fitting = {key[1] for key in (t.key for t in trials_of(suite, instances_of(suite)))}
        assert fitting == {method.name for method in suite.methods}
    with pytest.raises(asplan.InputError) as caught:
        find_suite("quik")
    assert str(caught.value) == "no such file: quik\n  did you mean quick?"


def test_engine_asp_searches_no_states_by_default(make: Make) -> None:
    methods = '[[methods]]\nencoding = "origin"\n' * 2 + "states = true\nname = 'both'\n"
    methods += '[[methods]]\nencoding = "origin"\nengine = "sat"\nname = "sat"\n'
    suite = make(f'name = "x"\n[[instances]]\nfiles = ["sample01"]\n{methods}')
    assert [getattr(m.options, "no_states", "") for m in suite.methods] == [True, None, ""]
