"""Requests that the studio answers or refuses, and its end."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from asplan.core.installing import pip_install
from conftest import run
from studios import ENDLESS, PROGRAM, Running, running


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("studio")
    (folder / "steps.lp").write_text(PROGRAM)
    (folder / "secret.lp").write_text("secret.")
    with running("steps.lp", cwd=folder) as studio:
        yield studio


def test_the_page_and_its_parts_are_served(studio: Running) -> None:
    for part in (
        "",
        "page.css",
        "page.js",
        "chart.js",
        "source.js",
        "languages.js",
        "codemirror.js",
    ):
        status, text = studio.ask(studio.path + part)
        assert status == 200
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"Host": "example.org:{port}"}, "for another host"),
        ({"Host": "127.0.0.1"}, "for another host"),
        ({"Host": "127.0.0.1:{port}.example.org"}, "for another host"),
        ({"Origin": "http://example.org"}, "from another website"),
        ({"Origin": "null"}, "from another website"),
        ({"Origin": "https://127.0.0.1:{port}"}, "from another website"),
        ({"Origin": "http://127.0.0.1:1"}, "from another website"),
    ],
)
@pytest.mark.parametrize("request_", [("GET", ""), ("GET", "events"), ("POST", "stop")])
def test_requests_from_elsewhere_are_refused(
    studio: Running, headers: dict[str, str], why: str, request_: tuple[str, str]
) -> None:
    method, part = request_
    port = studio.host.partition(":")[2]
    wrong = {name: value.replace("{port}", port) for name, value in headers.items()}
    status, text = studio.ask(studio.path + part, method, **wrong)
    assert (status, why in text) == (403, True), text


@pytest.mark.parametrize(
    "path",
    ["/", "/events", "/x/", "{token}x/", "//", "/?{token}", "/settings", "/%00/", "/%C3%A9/", "*"],
)
def test_requests_without_the_token_are_refused(studio: Running, path: str) -> None:
    wrong = path.replace("{token}", studio.path.rstrip("/"))
    for method in ("GET", "POST"):
        status, text = studio.ask(wrong, method)
        assert (status, "token" in text) == (403, True), text


@pytest.mark.parametrize(
    "path",
    ["secret.lp", "steps.lp", "../secret.lp", "..%2fsecret.lp", "/etc/passwd", "page/page.css"],
)
def test_no_path_leads_to_a_file(studio: Running, path: str) -> None:
    assert studio.ask(studio.path + path)[0] == 404


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"encoding": "secret.lp"}, "not an encoding of the list: secret.lp"),
        ({"encoding": "/etc/passwd"}, "not an encoding of the list: /etc/passwd"),
        ({"constants": "n"}, "'n'"),
        ({"constants": "metric=step", "variants": {"metric": "slide"}}, "contradicts"),
        ({"time_limit": 0}, "above 0"),
        ({"time_limit": 1e9}, "at most 86400"),
        ({"max_horizon": -1}, "not settings"),
        ({"memory_limit": 1}, "not settings"),
        ({"constants": "n=" + "1" * 99999}, "too long"),
        ([], "not settings"),
    ],
)
def test_wrong_settings_are_refused(studio: Running, settings: object, why: str) -> None:
    status, text = studio.ask(f"{studio.path}settings", "POST", json.dumps(settings))
    assert (status, why in text) == (422, True), text


def test_files_are_saved_whole_and_in_no_other_place(tmp_path: Path) -> None:
    file, other = tmp_path / "steps.lp", tmp_path / "secret.lp"
    file.write_bytes(b"% \r\n" + PROGRAM.replace("\n", "\r\n").encode())
    other.write_text("secret.")
    file.chmod(0o640)
    with running("steps.lp", cwd=tmp_path) as studio:
        (shown,) = studio.told("sources")

        def save(text: str, **wrong: str) -> tuple[int, str]:
            wanted = {"file": shown["file"], "version": shown["version"], "text": text} | wrong
            return studio.ask(f"{studio.path}save", "POST", json.dumps(wanted))

        for wrong in (str(other), "steps.lp", "/etc/passwd", f"{file}/../secret.lp"):
            status, text = save("x.", file=wrong)
            assert (status, "no file that can be saved here" in text) == (422, True)
        assert save("x.\n" * 3000)[0] == 422
        assert save("x.", version="0")[0] == 409
        assert save(shown["text"] + "% more\n") == (204, "")
        assert file.read_bytes() == f"% \n{PROGRAM}% more\n".replace("\n", "\r\n").encode()
        assert file.stat().st_mode & 0o777 == 0o640
        status, text = save("x.")
        assert (status, json.loads(text)) == (409, {"error": "steps.lp has changed on disk"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret.lp", "steps.lp"]
    with running("steps.lp", "--read-only", cwd=tmp_path) as studio:
        (shown,) = studio.told("sources")
        assert not shown["editable"]
        assert save("x.")[0] == 422


def test_a_port_in_use_is_refused(studio: Running, tmp_path: Path) -> None:
    (tmp_path / "steps.lp").write_text(PROGRAM)
    port = studio.host.partition(":")[2]
    done = run("studio", "steps.lp", "--port", port, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--port {port}: the port is in use" in done.stderr


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_the_studio_ends_at_a_signal_during_any_work(
    tmp_path: Path, number: int, status: int
) -> None:
    (tmp_path / "steps.lp").write_text(ENDLESS + PROGRAM)
    with running("steps.lp", cwd=tmp_path) as studio:
        events = studio.events()
        assert any("grounding" in value for name, value in events if name == "doing")
        os.killpg(studio.process.pid, number)
        assert studio.process.wait(timeout=90) == status
        events.close()


def await_names(studio: Running, *names: str) -> None:
    """Wait until the files of these names are shown, and no others."""
    shown = (value for section, value in studio.events() if section == "sources")
    next(True for files in shown if {Path(file["file"]).name for file in files} == set(names))


def replace(file: Path, target: str) -> None:
    """Make a link of a file, in one go."""
    (file.parent / "new").symlink_to(target)
    (file.parent / "new").rename(file)


def test_files_no_longer_included_are_not_shown(tmp_path: Path) -> None:
    """Neither a file that was included, nor one that a link led to."""
    (tmp_path / "whole.lp").write_text(PROGRAM + '#include "part.lp".\n')
    (tmp_path / "part.lp").write_text("part.\n")
    (tmp_path / "short.lp").write_text(PROGRAM)
    (tmp_path / "steps.lp").symlink_to("whole.lp")
    with running("steps.lp", cwd=tmp_path) as studio:
        await_names(studio, "whole.lp", "part.lp")
        replace(tmp_path / "steps.lp", "short.lp")
        await_names(studio, "short.lp")
        replace(tmp_path / "steps.lp", "whole.lp")
        await_names(studio, "whole.lp", "part.lp")


def test_a_file_that_becomes_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "steps.lp"
    file.write_text(PROGRAM)
    with running("steps.lp", cwd=tmp_path) as studio:
        await_names(studio, "steps.lp")
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "pipe").rename(file)
        shown = (value for section, value in studio.events() if section == "sources")
        next(True for files in shown if files[0]["note"] == "it is not a regular file")
        (tmp_path / "own.lp").write_text(PROGRAM)
        replace(file, "own.lp")
        await_names(studio, "own.lp")


@pytest.mark.parametrize("missing", ["starlette", "uvicorn", "watchfiles"])
def test_a_missing_package_is_named(
    tmp_path: Path, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the command that installs it depends on the folder
    (tmp_path / "steps.lp").write_text(PROGRAM)
    (tmp_path / f"{missing}.py").write_text(f"raise ModuleNotFoundError(name='{missing}')")
    done = run("studio", "steps.lp", cwd=tmp_path, fresh=True)
    said = f"asplan: asplan studio needs {missing}, which is not installed\n"
    assert (done.returncode, done.stderr) == (2, f"{said}  {pip_install('studio')}\n")
