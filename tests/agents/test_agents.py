"""The tools for agents, called by a real client of the protocol over pipes."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

pytest.importorskip("mcp")

from mcp import Client, MCPError, StdioServerParameters

from asplan.agents.answers import PAGE, page_of
from asplan.agents.calls import Caller, constant_options, option
from asplan.core.errors import UsageError

PATIENCE = 120.0  # seconds until a test fails that waits for the end of a process

LAMP = """\
#program base.
lamp(1..2).
#program step(t).
{ press(L,t) : lamp(L) } 1.
lit(L,t) :- press(L,t).
lit(L,t) :- lit(L,t-1).
#program check(t).
:- query(t), lamp(L), not lit(L,t).
#show press/2.
"""
DARK = LAMP.replace("lit(L,t) :- press(L,t).", "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    (home / "lamp.lp").write_text(LAMP)
    (home / "dark.lp").write_text(DARK)
    (tmp_path / "secret.lp").write_text("secret(1).")
    (home / "link.lp").symlink_to(tmp_path / "secret.lp")
    return home


def talk(root: Path, work: Callable[[Client], Awaitable[Any]]) -> Any:
    """Start the command as an agent does, and do some work with a client."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "asplan", "mcp", "--root", str(root), "--time-limit", "30"],
    )

    async def session() -> Any:
        async with Client(server) as client:
            return await work(client)

    return asyncio.run(session())


def call(root: Path, tool: str, **given: Any) -> tuple[bool, Any]:
    """Call a tool; return whether it failed, and its answer."""

    async def work(client: Client) -> tuple[bool, Any]:
        done = await client.call_tool(tool, given)
        text = done.content[0].text
        try:
            return bool(done.is_error), json.loads(text)
        except json.JSONDecodeError:
            return bool(done.is_error), text

    return talk(root, work)


def test_a_program_is_checked_solved_and_validated(folder: Path) -> None:
    assert call(folder, "check", files=["lamp.lp"]) == (
        False,
        {"warnings": [], "next": "solve(files)"},
    )
    failed, answer = call(folder, "solve", files=["lamp.lp"])
    assert not failed
    assert (answer["outcome"], answer["steps"]) == ("optimal", 2)
    assert answer["plan"]["total"] == 2
    plan = "\n".join(step.partition(". ")[2] for step in answer["plan"]["entries"])
    assert call(folder, "validate", files=["lamp.lp"], plan=plan)[1].startswith("valid")
    refused = call(folder, "validate", files=["lamp.lp"], plan="press(1)")[1]
    assert refused.startswith("not valid")


def test_a_program_without_a_plan_is_explained(folder: Path) -> None:
    _, answer = call(folder, "solve", files=["dark.lp"], max_horizon=2)
    assert answer["outcome"] in ("unknown", "unsolvable")
    assert answer["warnings"]
    _, explained = call(folder, "explain", files=["dark.lp"], horizon=2)
    assert "lit" in explained


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../secret.lp", "lies outside of"),
        ("link.lp", "lies outside of"),
        ("/etc/passwd", "lies outside of"),
        ("--allow-scripts", "is not the name of a file"),
        ("none.lp", "no such file"),
        ("", ""),
    ],
)
def test_no_other_file_is_read(folder: Path, name: str, message: str) -> None:
    failed, answer = call(folder, "solve", files=[name])
    assert failed
    assert message in answer
    assert "secret" not in answer.replace("secret.lp", "")


def test_no_script_runs_even_if_the_folder_wants_it(folder: Path) -> None:
    (folder / "asplan.toml").write_text("allow-includes = true\n")
    written = folder / "written"
    script = f"#script (python)\nopen({str(written)!r}, 'w')\n#end.\n"
    (folder / "evil.lp").write_text(script + LAMP)
    (folder / "includes.lp").write_text('#include "../secret.lp".\n' + LAMP)
    for name in ("evil.lp", "includes.lp"):
        failed, _ = call(folder, "solve", files=[name])
        assert failed
    assert not written.exists()


def test_the_resources_are_the_guide_the_warnings_and_the_shipped_files(folder: Path) -> None:
    async def work(client: Client) -> list[str]:
        names = ["guide", "warnings", "encodings/hanoi/hanoi", "instances/rush_hour/two_cars"]
        texts = []
        for name in names:
            read = await client.read_resource(f"asplan://{name}")
            texts.append(read.contents[0].text)
        with pytest.raises(Exception, match="nothing that ships is called"):
            await client.read_resource("asplan://encodings/hanoi/none")
        return texts

    guide, warnings, hanoi, cars = talk(folder, work)
    assert guide.startswith("# asplan for coding agents")
    assert "`undefined`" in warnings
    assert "#program step(t)." in hanoi
    assert "car(" in cars


def test_the_guide_names_every_tool(folder: Path) -> None:
    async def work(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    page = Path(__file__).parents[2] / "docs" / "agents.md"
    assert re.findall(r"^\| `(\w+)` \|", page.read_text(), re.M) == talk(folder, work)


def test_the_program_of_the_guide_is_correct(folder: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "agents.md"
    program = re.search(r"```\n(#program base.*?)```", page.read_text(), re.S)
    assert program
    doors = "#program base.\ndoor(hall,kitchen). door(kitchen,hall).\n"
    (folder / "robot.lp").write_text(program[1] + doors)
    _, checked = call(folder, "check", files=["robot.lp"])
    assert checked["warnings"] == []
    _, answer = call(folder, "solve", files=["robot.lp"])
    assert (answer["outcome"], answer["steps"]) == ("optimal", 1)


def test_long_lists_come_in_pages() -> None:
    entries = list(range(PAGE + 5))
    first = page_of(entries, 1)
    assert first == {"entries": entries[:PAGE], "total": PAGE + 5, "next_from": PAGE + 1}
    assert page_of(entries, PAGE + 1) == {"entries": entries[PAGE:], "total": PAGE + 5}


@pytest.mark.parametrize("name", ["odd:/../../secret.lp", "../secret.lp:n=1"])
def test_a_colon_leads_to_no_file_outside(folder: Path, name: str) -> None:
    (folder / "odd:").mkdir()
    with pytest.raises(UsageError, match="lies outside of"):
        Caller(folder).file(name)
    assert Caller(folder).file("odd:/lamp.lp") == "odd:/lamp.lp"


def test_words_of_an_agent_cannot_become_options() -> None:
    assert constant_options({"n": 3}) == ["-c", "n=3"]
    assert option("--engine", "sat --allow-scripts") == ["--engine=sat --allow-scripts"]
    for name in ("--x", "N", "n=1 -c m"):
        with pytest.raises(UsageError):
            constant_options({name: 1})
    with pytest.raises(UsageError):
        option("--atom", "p\nq")


def test_no_call_gets_more_time_than_the_server_allows() -> None:
    caller = Caller(Path(), seconds=10)
    assert caller.limits(99)[1] == caller.limits()[1] == "10"
    assert caller.limits(3)[1] == "3"


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("compare", {"instances": ["river/wolf_goat_cabbage"], "horizon": 2}, "river"),
        ("convert", {"file": "lamp.lp", "to": "single-shot"}, "#const"),
        ("analyse", {"files": ["lamp.lp"]}, "states"),
        ("list_shipped", {"kind": "engines"}, "asp"),
        (
            "grade",
            {"domain": "sliding_tiles", "submissions": ["lamp.lp"], "seconds": 5},
            "not judged",
        ),
    ],
)
def test_other_tools_answer(folder: Path, tool: str, given: dict[str, Any], expected: str) -> None:
    failed, answer = call(folder, tool, **given)
    assert not failed, answer
    assert expected in str(answer)


def test_malformed_calls_get_errors_and_the_server_goes_on(folder: Path) -> None:
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("check", {}),
        ("check", {"files": 3}),
        ("check", {"files": []}),
        ("solve", {"files": ["lamp.lp"], "max_horizon": -1}),
        ("solve", {"files": ["lamp.lp"], "engine": "none\n"}),
        ("explain", {"files": ["lamp.lp"], "atom": "p("}),
        ("list_shipped", {"kind": "secrets"}),
        ("no_tool", {}),
    ]

    async def work(client: Client) -> list[bool]:
        failed = []
        for tool, given in wrong:
            try:
                failed.append(bool((await client.call_tool(tool, given)).is_error))
            except MCPError:  # the protocol's own answer
                failed.append(True)
        right = await client.call_tool("check", {"files": ["lamp.lp"]})
        return [*failed, not right.is_error]

    *failed, goes_on = talk(folder, work)
    names = [name for (name, _), each in zip(wrong, failed, strict=True) if not each]
    assert names in ([], ["explain"])  # an explanation may be a text about the atom
    assert goes_on


def test_a_megabyte_and_a_slow_program_end_at_the_limits(folder: Path) -> None:
    facts = "".join(f"wall({n},{n + 1}).\n" for n in range(60_000))
    (folder / "large.lp").write_text(LAMP + facts)
    (folder / "slow.lp").write_text(LAMP + "p(A,B,C,D) :- n(A), n(B), n(C), n(D). n(1..200).\n")
    _, checked = call(folder, "check", files=["large.lp"])
    assert "warnings" in checked or "limit" in str(checked)
    _, answer = call(folder, "solve", files=["slow.lp"], seconds=1)
    assert "limit" in str(answer)


@pytest.mark.parametrize("uri", ["encodings/../../secret", "instances/hanoi/..%2F..%2Fsecret"])
def test_resources_are_no_way_out(folder: Path, uri: str) -> None:
    async def work(client: Client) -> str:
        try:
            return str(await client.read_resource(f"asplan://{uri}"))
        except MCPError as error:
            return f"refused: {error}"

    assert talk(folder, work).startswith("refused")


def test_nothing_stays_behind_when_the_agent_vanishes(folder: Path) -> None:
    (folder / "slow.lp").write_text(LAMP + "p(A,B,C,D) :- n(A), n(B), n(C), n(D). n(1..200).\n")
    server = subprocess.Popen(
        [sys.executable, "-m", "asplan", "mcp", "--root", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert server.stdin is not None
    assert server.stdout is not None

    def send(**message: Any) -> None:
        assert server.stdin is not None
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        server.stdin.flush()

    about = {"name": "test", "version": "1"}
    begin = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
    send(id=1, method="initialize", params=begin)
    assert b"asplan" in server.stdout.readline()
    send(method="notifications/initialized")
    send(id=2, method="tools/call", params={"name": "solve", "arguments": {"files": ["slow.lp"]}})
    process = psutil.Process(server.pid)
    end = time.monotonic() + PATIENCE
    while len(family := process.children(recursive=True)) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    assert len(family) >= 2  # the command and its worker
    server.stdin.close()
    server.wait(PATIENCE)
    _, alive = psutil.wait_procs(family, PATIENCE)
    assert alive == []
