"""Shared fixtures: boards as facts, the shipped instances, and the outside data."""

from __future__ import annotations

import atexit
import gc
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest
from hypothesis import settings

import oracle
from asplan import catalog
from asplan.program.reading.unit import read_unit
from asplan.program.theory import package_of

sys.path.append(str(Path(__file__).parents[1] / "scripts"))
from walkthrough import surroundings

THOROUGH = "ASPLAN_FUZZ" in os.environ
"""Whether random tests are to look at more than what is quickly done before each change."""


def examples(thorough: int) -> int:
    """Return the number of random examples: a fifth, unless all are requested."""
    return thorough if THOROUGH else -(-thorough // 5)


def crossed(*axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return combinations that contain each value of each axis, or all combinations if requested.

    >>> crossed("abcd", [1, 2])
    [('a', 1), ('b', 2), ('c', 1), ('d', 2)]
    """
    if THOROUGH:
        return list(product(*axes))
    most = max(map(len, axes), default=0)
    return [tuple(axis[n % len(axis)] for axis in axes) for n in range(most)]


# The same examples each time, so that no change is refused by chance, unless new ones are asked
# for. A test that takes long on a busy machine is not wrong.
settings.register_profile("asplan", deadline=None, derandomize=not THOROUGH)
settings.load_profile("asplan")

# What is imported stays: to look for garbage in it takes a third of the time of collecting tests,
# and copies it into each fork.
gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the examples of pages: some take a minute, and the other tests fit beside them."""
    items.sort(key=lambda item: item.path.name != "test_page_examples.py")


def pytest_collection_finish() -> None:
    """Exempt the objects that exist so far from garbage collection."""
    gc.freeze()
    gc.enable()


Found = TypeVar("Found")

HERE = Path(__file__).parent
METRICS = ("step", "slide")

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--window-size=1200,900",
)
"""Of the browser: it shows pages, and does nothing else."""


def facts(board: oracle.Board) -> str:
    """A board of the oracle in the vocabulary of our instances."""
    lines = [f"grid(1..{board.rows},1..{board.columns})."]
    for name, length, orientation, row, column in board.cars:
        lines.append(f"car({name},{length},{orientation}). position(0,{name},{row},{column}).")
    lines += [f"no({row},{column})." for row, column in sorted(board.walls)]
    if board.goal:
        lines.append(f"goal(r,{board.goal[0]},{board.goal[1]}).")
    return "\n".join(lines) + "\n"


def stem(value: object) -> str | None:
    """Return the name of a path for the name of a test."""
    return value.stem if isinstance(value, Path) else None


def optimum(path: Path, metric: str) -> int | None:
    """The optimum that the header of a shipped instance states; None for no plan."""
    header = path.read_text().partition("\n")[0]
    found = re.search(r"shortest plan (\d+) steps, (\d+) slides", header)
    assert found or "no plan" in header, header
    return int(found[1 if metric == "step" else 2]) if found else None


def shipped(domain: str) -> list[Path]:
    """The shipped instances of a domain."""
    return [entry.path for entry in catalog.instances() if entry.domain == domain]


@cache
def plain_encodings() -> list[catalog.ShippedFile]:
    """Return the shipped encodings without theory atoms."""
    return [e for e in catalog.encodings() if not package_of(read_unit(str(e.path)).suspects)]


class CommandServer:
    """A process that runs commands of asplan, each in a fork of its own: it has all imported."""

    def __init__(self, *words: str) -> None:
        pipe = subprocess.PIPE
        self._folder = tempfile.TemporaryDirectory()
        self.socket = f"{self._folder.name}/socket"
        command = [sys.executable, str(HERE / "command_server.py"), self.socket, *words]
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        atexit.register(self._process.communicate)

    def ask(
        self, words: Sequence[str], folder: str, seconds: float, **given: Any
    ) -> dict[str, Any]:
        """Run a command in a folder; its exit status, its seconds, and the processes it left."""
        request = {"words": words, "folder": folder, "seconds": seconds, **given}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def surroundings(self) -> dict[str, str]:
        """Return the environment of a shell in which this process runs the command `asplan`."""
        self.ask(["--version"], self._folder.name, 60)  # it listens
        client = Path(self._folder.name, "asplan")
        client.write_text(f"#!{sys.executable} -IS\n{(HERE / 'asplan_client.py').read_text()}")
        client.chmod(0o755)
        given = surroundings()
        return {
            **given,
            "PATH": f"{self._folder.name}{os.pathsep}{given['PATH']}",
            "ASPLAN_TEST_PYTHON": sys.executable,
            "ASPLAN_TEST_SERVER": self.socket,
        }


command_server = cache(CommandServer)
"""Those that all tests of a process use."""


def run_command(words: Sequence[str], folder: str, seconds: float, **given: Any) -> dict[str, Any]:
    """Run a command by the server of commands; see `CommandServer.ask`."""
    charts = "bench" in words[:1] or any(word.endswith((".png", ".svg", ".pdf")) for word in words)
    return command_server(*["charts"] * charts).ask(words, folder, seconds, **given)


def run(
    *words: str,
    timeout: float = 60,
    cwd: Path | str | None = None,
    input: str | None = None,
    env: Mapping[str, str] | None = None,
    fresh: bool = False,
    **kwargs: object,
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own: a new interpreter if it is to be `fresh`."""
    env = dict(os.environ if env is None else env)
    if fresh or kwargs or _of_python(env) != _of_python(os.environ):
        command = [sys.executable, "-c", "from asplan.cli import main; main()", *words]
        given = {"cwd": cwd, "input": input, "env": env, "timeout": timeout, **kwargs}
        return subprocess.run(command, capture_output=True, text=True, **given)
    with tempfile.TemporaryDirectory() as folder:
        files = {name: f"{folder}/{name}" for name in ("stdin", "stdout", "stderr")}
        Path(files["stdin"]).write_text(input or "")
        answer = run_command(words, str(cwd or Path.cwd()), timeout, env=env, **files)
        texts = [Path(files[name]).read_text() for name in ("stdout", "stderr")]
    if answer["status"] is None:
        raise subprocess.TimeoutExpired(words, timeout, *texts)
    return subprocess.CompletedProcess(words, answer["status"], *texts)


def _of_python(env: Mapping[str, str]) -> dict[str, str]:
    """The variables that Python reads before it runs anything."""
    first = ("PYTHON", "LC_", "LANG", "MPL")
    return {name: value for name, value in env.items() if name.startswith(first)}


def interrupted(
    *words: str, cwd: Path | None = None, seconds: float = 0.3
) -> subprocess.CompletedProcess[str]:
    """Run a long command, and interrupt it when its worker has used so many CPU seconds.

    The seconds are those of the processor.
    """
    # A shell starts what runs in the background with interrupts off; a terminal has them on.
    heeds = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [sys.executable, "-c", f"{heeds}; from asplan.cli import main; main()", *words]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        start_new_session=True,
    )
    while process.poll() is None and not works(process.pid, seconds):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def in_time(work: Callable[[int], Found], is_far: Callable[[Found], bool]) -> Found:
    """Return the result under the first limit, in seconds, that lets this machine get so far."""
    for limit in (1, 4, 16, 64):
        found = work(limit)
        if is_far(found):
            break
    return found


def works(command: int, seconds: float = 0.3) -> bool:
    """Return whether the worker of a command has used some seconds of CPU time."""
    try:
        workers = psutil.Process(command).children()
        return any(sum(worker.cpu_times()[:2]) > seconds for worker in workers)
    except psutil.Error:
        return False


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with boards of known optimum that is not part of the project."""
    folder = os.environ.get("ASPLAN_DATA")
    if not folder:
        pytest.skip("ASPLAN_DATA names no folder with boards")
    return Path(folder)


def rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a table with a header line; lines that begin with # are comments."""
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    names = lines[0].split("\t")
    return (dict(zip(names, line.split("\t"), strict=True)) for line in lines[1:])


@pytest.fixture
def without_kairos(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide Kairos, which may have a plan for a task with numbers or time before asplan does."""
    monkeypatch.setattr("asplan.pddl.front.kairos.find_kairos", lambda: None)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A real browser without a window, if there is one."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("needs chromium and chromedriver (Debian: chromium, chromium-driver)")
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=driver)
    with webdriver.Chrome(options=options, service=service) as chrome:
        chrome.set_script_timeout(300)  # a busy machine draws few frames
        yield chrome


@pytest.fixture
def window(browser: Any) -> Iterator[Callable[[int, str], None]]:
    """Return a function that sets the width and the colour scheme of the browser's window."""

    def resize(width: int, scheme: str) -> None:
        size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    yield resize
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def requests_of(browser: Any) -> list[str]:
    """Return the addresses that pages have requested since the last call, but not Chromium's."""
    entries = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    sent = [e["params"] for e in entries if e["method"] == "Network.requestWillBeSent"]
    return [p["request"]["url"] for p in sent if not p["documentURL"].startswith("chrome:")]
