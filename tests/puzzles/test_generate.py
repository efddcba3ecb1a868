"""`asplan.generate` and the command: the same for a seed, an honest end, files as they come."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import asplan
from asplan.core.limits import Stop
from asplan.domains import domains
from asplan.domains.generator import Generator, Puzzle, Size, before_the_last
from asplan.domains.sliding_tiles import generator as tiles
from asplan.puzzles import Folder, make_puzzles
from conftest import interrupted, run


def test_the_same_seed_gives_the_same_files_and_another_one_others(tmp_path: Path) -> None:
    words = ["generate", "rush_hour", "--slides", "3..7", "--size", "5x4", "--count", "3"]
    for folder, seed in (("a", "7"), ("b", "7"), ("c", "8")):
        done = run(*words, "--seed", seed, "-o", folder, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
    found = [
        {file.name: file.read_text() for file in (tmp_path / folder).iterdir()} for folder in "abc"
    ]
    assert sorted(found[0]) == ["01.lp", "02.lp", "03.lp"]
    assert found[0] == found[1]
    assert not set(found[0].values()) & set(found[2].values())


def test_fewer_puzzles_are_a_beginning_of_more() -> None:
    wish = {"slides": "2..5", "size": "4x4", "seed": 3}
    few, more = (asplan.generate("rush_hour", count=count, **wish) for count in (2, 4))
    assert few.puzzles == more.puzzles[:2]
    assert more.attempts >= 4


def test_the_command_in_a_file_makes_it_anew(tmp_path: Path) -> None:
    made = asplan.generate("brain_twist", moves=4, count=2, seed=11, output=tmp_path / "made")
    for number, one in enumerate(made.puzzles, 1):
        file = (tmp_path / "made" / one.name).read_text()
        assert file == one.text
        words = re.search(r"^% asplan (generate .*?)   \(attempt \d+\)$", file, re.MULTILINE)
        assert words
        again = run(*words[1].split(), "--count", str(number), "--json").stdout
        assert json.loads(again)["puzzles"][-1]["text"] == file


@pytest.mark.parametrize("domain", ["brain_twist", "sliding_tiles"])
def test_no_order_of_a_set_shows(domain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets of text are in another order in each process."""
    made = set()
    for seed in range(3):
        monkeypatch.setenv("PYTHONHASHSEED", str(seed))
        made.add(run("generate", domain, "--moves", "5", "--seed", "11").stdout)
    assert len(made) == 1


@pytest.mark.parametrize(
    ("domain", "wish", "engine"),
    [
        ("sliding_tiles", {"moves": "10..25", "count": 4}, "astar"),
        ("sliding_tiles", {"moves": "8..14", "size": "3x4", "count": 2}, "bfs"),
        ("sliding_tiles", {"moves": "3..6", "size": "2x2", "count": 2}, "bfs"),
        ("brain_twist", {"moves": "2..5", "count": 3}, "bfs"),
    ],
    ids=str,
)
def test_other_domains_make_the_requested_puzzles(
    domain: str, wish: dict[str, object], engine: str
) -> None:
    made = asplan.generate(domain, **wish)
    assert len({one.puzzle.facts for one in made.puzzles}) == wish["count"]
    for one in made.puzzles:
        result = asplan.solve(text=one.text, engine=engine)
        assert (result.outcome, result.horizon) == ("optimal", one.puzzle.difficulty["moves"])
        assert f"shortest plan {result.horizon} moves" in one.text


@given(st.permutations(range(9)))
def test_the_image_of_tiles_in_the_diagonal_is_the_same_puzzle(order: list[int]) -> None:
    state, size = tuple(order), Size(3, 3)
    least = tiles.canonical(size, state)
    assert least <= state
    assert tiles.canonical(size, least) == least
    turned = [0, 3, 6, 1, 4, 7, 2, 5, 8]
    image = tuple(state[i] and turned[state[i] - 1] + 1 for i in turned)
    assert tiles.canonical(size, image) == least
    problem, other = (tiles.board(size, it) for it in (state, image))
    images = {
        tuple(s[i] and turned[s[i] - 1] + 1 for i in turned) for s in problem.successors(state)
    }
    assert images == set(other.successors(image))


def test_the_rest_of_a_shortest_plan_is_one() -> None:
    domain = domains()["sliding_tiles"]
    assert domain.generator is not None
    problem = tiles.board(Size(2, 3), (0, 5, 1, 4, 2, 3))
    plan = asplan.Plan((("move(5,left)",), ("move(1,left)",)))
    assert before_the_last(3, plan, problem) is None
    assert before_the_last(2, plan, problem) == problem.initial
    assert before_the_last(1, plan, problem) == (5, 0, 1, 4, 2, 3)


def test_two_that_write_into_one_folder_do_not_overwrite_each_other(tmp_path: Path) -> None:
    (first,) = asplan.generate("brain_twist", moves=1, seed=1).puzzles
    (second,) = asplan.generate("brain_twist", moves=1, seed=2).puzzles
    one, other = Folder(tmp_path / "made"), Folder(tmp_path / "made")
    one.write([first])
    with pytest.raises(asplan.UsageError) as caught:
        other.write([second])
    file = tmp_path / "made" / "01.lp"
    assert str(caught.value) == f"{file} exists already\n  take another name"
    assert file.read_text() == first.text
    assert list(file.parent.iterdir()) == [file]


def test_one_move_is_one_move() -> None:
    made = asplan.generate("rush_hour", slides=1, steps=1, size="3x4").puzzles[0]
    assert made.puzzle.title.startswith("Generated board: shortest plan 1 step, 1 slide; ")


def test_a_wish_that_cannot_be_met_ends_honestly() -> None:
    """No state of the eight-puzzle takes more than 31 moves."""
    made = asplan.generate("sliding_tiles", moves="31..32", count=5, tries=30)
    assert made.reason == "30 attempts made no new puzzle"
    assert 1 <= len(made.puzzles) <= 2  # two states take 31; they are images of themselves
    assert made.stopped is None
    done = run("generate", "rush_hour", "--slides", "40", "--size", "3x4", "--tries", "3")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "asplan: 0 of 1 puzzles: 3 attempts made no new puzzle\n"


def test_puzzles_are_different_from_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter("aabca" + "a" * 9)

    def attempt(wish: object, random: Random, shortest: object) -> Puzzle | None:
        letter = next(drawn)
        return None if letter == "b" else Puzzle(letter, "", "", {})

    generator = Generator("", (), lambda said: None, attempt)
    monkeypatch.setattr("asplan.puzzles.find_generator", lambda domain: generator)
    found = make_puzzles("any", {}, 3, 1, 4, lambda so_far: None)
    assert [(made.puzzle.title, made.attempt) for made in found.puzzles] == [("a", 1), ("c", 4)]
    assert (found.attempts, found.reason) == (8, "4 attempts made no new puzzle")


HARD = ["generate", "rush_hour", "--slides", "3..60", "--count", "900", "-o", "boards"]


def test_a_time_limit_keeps_the_results_so_far(tmp_path: Path) -> None:
    done = run(*HARD, "--time-limit", "2", cwd=tmp_path)
    written = sorted(file.name for file in tmp_path.glob("boards/*"))
    assert written == [f"{number:03}.lp" for number in range(1, len(written) + 1)]
    said = f"asplan: {len(written)} of 900 puzzles: time limit of 2 s reached while looking for"
    assert done.stderr.startswith(f"{said} puzzle {len(written) + 1} of 900, attempt ")
    assert done.returncode == 1


def test_an_interrupt_keeps_the_results_so_far(tmp_path: Path) -> None:
    done = interrupted(*HARD, cwd=tmp_path)
    written = list(tmp_path.glob("boards/*"))
    assert done.stderr.startswith(f"asplan: {len(written)} of 900 puzzles: interrupted while")
    assert done.returncode == 130


def test_the_api_names_the_reached_limit() -> None:
    made = asplan.generate("rush_hour", slides=60, time_limit=0.5)
    assert made.stopped is Stop.TIME
    assert made.puzzles == ()


def test_the_folder_must_be_empty(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(asplan.UsageError) as error:
        asplan.generate("brain_twist", output=tmp_path / "full")
    assert error.value.message == f"{tmp_path / 'full'} is not empty"
    (tmp_path / "empty").mkdir()
    asplan.generate("brain_twist", moves=2, output=tmp_path / "empty")
    assert [file.name for file in (tmp_path / "empty").iterdir()] == ["01.lp"]


def test_a_wrong_wish_makes_no_folder(tmp_path: Path) -> None:
    with pytest.raises(asplan.UsageError):
        asplan.generate("rush_hour", slides="9..3", output=tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"slide": 3}, "unknown option 'slide'\n  did you mean slides or size?"),
        ({"count": 0}, "count=0: count must be a whole number of at least 1"),
        ({"seed": True}, "seed=True: seed must be a whole number of at least 0"),
        ({"slides": ""}, "--slides : pass a number such as 7, or a range such as 3..7"),
    ],
    ids=str,
)
def test_wrong_words_to_the_api(words: dict[str, object], said: str) -> None:
    with pytest.raises(asplan.UsageError) as error:
        asplan.generate("rush_hour", **words)
    assert str(error.value) == said
