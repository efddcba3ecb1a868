"""Requests that no page of asplan sends: the game refuses them, and goes on."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from studios import Running, running

WALK = """
cell(0..19). at(0,0). #program step(t).
{ occurs(go(X),t) : cell(X) } = 1. at(t,X) :- occurs(go(X),t).
:- occurs(go(X),t), at(t-1,Y), |X-Y| != 1.
#program check(t). :- query(t), not at(t,12). #show occurs/2.
"""


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return a game with more states than a page holds."""
    folder = tmp_path_factory.mktemp("game")
    (folder / "walk.lp").write_text(WALK)
    words = ("walk.lp", "--no-open", "--max-states", "3", "--time-limit", "60")
    with running(*words, cwd=folder, command="play") as game:
        yield game


def look(game: Running, state: str = "0", **given: str) -> tuple[int, str]:
    return game.ask(f"{game.path}look?state={state}", "POST", "", **given)


STATES = ["", "-1", "1e3", "0x0", "%00", "99999999999999999999", "%EF%BC%90", "0%20", "null", "[0]"]


@pytest.mark.parametrize("state", [*STATES, "9" * 5000, "NaN", "true", "0;1", "../0"])
def test_wrong_numbers_of_states_are_refused(game: Running, state: str) -> None:
    assert look(game, state) == (422, '{"error":"there is no such state"}')


def test_a_number_may_have_any_number_of_noughts(game: Running) -> None:
    """Python refuses to read a number of so many digits."""
    assert look(game, "0" * 5000)[0] == 200


BODIES = {
    "large": "x" * 2**22,
    "deep": "[" * 100_000,
    "other types": json.dumps({"state": [None, {"state": 1e999}], "seconds": "for ever"}),
    "no text": "\x00\x01",
}


@pytest.mark.parametrize("name", BODIES)
def test_a_body_changes_nothing(game: Running, name: str) -> None:
    assert game.ask(f"{game.path}look?state=0", "POST", BODIES[name]) == look(game)


def test_a_missing_body_delays_no_other_request(game: Running) -> None:
    host, port = game.host.split(":")
    head = f"POST {game.path}look?state=0 HTTP/1.1\r\nHost: {game.host}\r\n"
    with socket.create_connection((host, int(port))) as waiting:
        waiting.sendall(f"{head}Content-Length: 99999999999\r\n\r\n".encode())
        assert look(game)[0] == 200


@pytest.mark.parametrize(
    "given",
    [
        {"Host": "example.org"},
        {"Host": "127.0.0.1:1"},
        {"Origin": "http://example.org"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
    ],
    ids=str,
)
def test_pages_of_others_are_refused(game: Running, given: dict[str, str]) -> None:
    assert look(game, **given)[0] == 403


@pytest.mark.parametrize("path", ["look?state=0", "way?state=0"])
def test_without_the_token_nothing_is_answered(game: Running, path: str) -> None:
    assert game.ask(f"/{path}", "POST", "")[0] == 403
    assert game.ask(f"{game.path}{path}", "GET")[0] == 405


def test_requests_at_once_number_each_state_once(game: Running) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: look(game), range(8)))
    assert {status for status, _ in answers} == {200}
    assert len({text for _, text in answers}) == 1
