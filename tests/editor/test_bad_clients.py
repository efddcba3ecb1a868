"""The language server with clients that break the rules or vanish: it answers, or ends silently."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import psutil
import pytest

pytest.importorskip("pygls")

from editor.client import PATIENCE, Client, session
from editor.test_editor import DARK, LAMP


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "lamp.lp").write_text(LAMP)
    (tmp_path / "slow.lp").write_text(
        LAMP.replace("lamp(1..2).", "lamp(1..60).").replace("} 1.", "} 1. p(A,B,C,D) :- ")
    )
    return tmp_path


def still_answers(client: Client) -> None:
    assert client.open("lamp.lp") == []
    assert "a fluent" in str(client.at("hover", "lamp.lp", (5, 1)))


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"jsonrpc": "2.0"}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {}}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 3}}',
        b'{"jsonrpc": "2.0", "method": "nothing/known", "params": {}}',
        b'{"jsonrpc": "2.0", "id": 77, "result": {}}',
        b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 99}}',
        json.dumps({"deep": 0}).replace("0", "[" * 400 + "]" * 400).encode(),
    ],
)
def test_wrong_messages_do_no_harm(root: Path, body: bytes) -> None:
    with session(root) as client:
        client.send(body)
        still_answers(client)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", {}),
        ("textDocument/rename", {"textDocument": {"uri": "file:///x.lp"}}),
        ("no/such/method", {}),
        ("workspace/executeCommand", {"command": "no.such.command"}),
        ("workspace/executeCommand", {"command": "asplan.solve", "arguments": []}),
        ("workspace/executeCommand", {"command": "asplan.solve", "arguments": [1, 2, 3]}),
    ],
)
def test_wrong_requests_get_errors(root: Path, method: str, params: Any) -> None:
    with session(root) as client:
        assert "error" in client.answer(method, params)
        still_answers(client)


@pytest.mark.parametrize(
    "uri", ["file:///no/such/file.lp", "file:///", "http://example.org/x.lp", "", "file:///%00.lp"]
)
def test_unknown_files_have_no_names(root: Path, uri: str) -> None:
    with session(root) as client:
        document = {"textDocument": {"uri": uri}}
        place = {**document, "position": {"line": 0, "character": 0}}
        everything = {"start": place["position"], "end": {"line": 9, "character": 0}}
        assert client.request("textDocument/hover", place) is None
        assert client.request("textDocument/definition", place) == []
        assert client.request("textDocument/completion", place) == []
        assert client.request("textDocument/rename", {**place, "newName": "x"}) is None
        assert client.request("textDocument/documentSymbol", document) == []
        assert client.request("textDocument/semanticTokens/full", document) == {"data": []}
        assert client.request("textDocument/codeLens", document) == []
        assert client.request("textDocument/inlayHint", {**document, "range": everything}) == []
        client.notify("textDocument/didClose", document)
        still_answers(client)


def test_places_outside_of_a_text_have_no_names(root: Path) -> None:
    with session(root) as client:
        client.open("lamp.lp")
        for place in ((9999, 0), (0, 9999), (2**31 - 1, 2**31 - 1)):
            assert client.at("hover", "lamp.lp", place) is None
            client.at("completion", "lamp.lp", place)


ODD = (
    "",
    "\n" * 1000,
    "\x00p.",
    "p(" * 3000,
    "#script(python)",
    "#program",
    "#program .\n#include .\n#show /.\n#const =.\n",
    "é🌍(X",
    "p.\r\nq.\r\n",
    "%*" * 500,
    "(define (domain",
    "(" * 500 + ")" * 600,
    ")",
)


@pytest.mark.parametrize("name", ["odd.lp", "odd.pddl"])
def test_odd_texts_are_answered(root: Path, name: str) -> None:
    (root / name).write_text("p.")
    with session(root) as client:
        client.open(name)
        for text in ODD:
            client.change(name, text)
            for place in ((0, 0), (0, 5), (3, 0)):
                client.at("hover", name, place)
                client.at("completion", name, place)
            for method in ("documentSymbol", "foldingRange", "semanticTokens/full", "codeLens"):
                client.of(method, name)
            client.diagnostics(name)


def test_a_megabyte_of_text_is_checked(root: Path) -> None:
    facts = "".join(f"wall({n},{n + 1}).\n" for n in range(60_000))
    assert len(facts) > 1_000_000
    with session(root) as client:
        found = client.open("lamp.lp", LAMP + facts)
        assert {each["code"] for each in found} <= {"stopped"}  # on a busy machine
        assert client.at("hover", "lamp.lp", (5, 1)) is None
        client.change("lamp.lp", LAMP)
        assert client.diagnostics("lamp.lp") == []


@pytest.mark.parametrize("name", ["../secret.lp", "/etc/hostname", "link.lp", "pipe.lp"])
def test_no_file_outside_of_the_folder_is_read(root: Path, name: str) -> None:
    home = root / "home"
    home.mkdir()
    (root / "secret.lp").write_text("lamp(3).\n")
    (home / "link.lp").symlink_to(root / "secret.lp")
    os.mkfifo(home / "pipe.lp")
    (home / "lamp.lp").write_text(LAMP)
    with session(home) as client:
        (error,) = client.open("lamp.lp", f'#include "{name}".\n{LAMP}')
        assert error["severity"] == 1
        still_answers(client)


def test_a_check_ends_at_its_limit(root: Path) -> None:
    facts = "".join(f"wall({n},{n + 1}).\np{n} :- wall({n},X), X > 0.\n" for n in range(20_000))
    with session(root, "--time-limit", "0.1") as client:
        (found,) = client.open("lamp.lp", LAMP + facts)
        assert (found["code"], found["severity"]) == ("stopped", 3)


def test_the_last_of_many_changes_counts(root: Path) -> None:
    with session(root) as client:
        client.open("lamp.lp")
        for number in range(100):
            text = LAMP.replace("not lit(L,t)", f"not lit{number}(L,t)")
            client.change("lamp.lp", text)
        client.change("lamp.lp", DARK)
        while True:
            codes = {each["code"] for each in client.diagnostics("lamp.lp")}
            if "unchanged" in codes:
                break
        still = client.at("hover", "lamp.lp", (5, 1))
        assert "lit" in str(still)


def test_changes_of_parts_are_applied(root: Path) -> None:
    with session(root) as client:
        client.open("lamp.lp")
        span = {"start": {"line": 8, "character": 13}, "end": {"line": 8, "character": 17}}
        client.change("lamp.lp", "lmp", span)
        (found,) = client.diagnostics("lamp.lp")
        assert "lmp/1" in found["message"]


@pytest.mark.parametrize("how", ["closes its pipe", "is killed", "exits without shutdown"])
def test_nothing_stays_behind_when_a_client_vanishes(root: Path, how: str) -> None:
    client = Client(root)
    client.open("lamp.lp")
    server = psutil.Process(client.process.pid)
    family = [server, *server.children(recursive=True)]
    assert len(family) > 1
    client.notify(
        "textDocument/didChange",
        {
            "textDocument": {"uri": client.uri("lamp.lp"), "version": 2},
            "contentChanges": [{"text": DARK}],
        },
    )
    if how == "is killed":
        client.process.kill()
    elif how == "closes its pipe":
        assert client.process.stdin is not None
        client.process.stdin.close()
    else:
        client.notify("exit", None)
    _, errors = client.wait()
    assert errors == ""
    _, alive = psutil.wait_procs(family[1:], PATIENCE)
    assert alive == []
