"""Ends of commands: closed output, signals, interrupts, and bugs."""

from __future__ import annotations

import json
import os
import pickle
import pty
import re
import resource
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import asplan
from asplan.core.limits import EndSignal
from conftest import CommandServer, command_server, crossed, run, run_command, works
from processes import in_session

MAIN = "from asplan.cli import main; main()"
ENDLESS = "n(1..3000). p(X,Y,Z) :- n(X), n(Y), n(Z)."
SHAPES = "canvas(9,9). rect(a,0,0,1,1)."


def begun(
    *words: str, server: CommandServer | None = None, **settings: Any
) -> subprocess.Popen[str]:
    """A command in a session of its own that runs in the background."""
    command = [sys.executable, "-c", MAIN, *words]
    if server is not None:
        command, settings["env"] = ["asplan", *words], server.surroundings()
    settings |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, start_new_session=True, **settings)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a plan, and rules that draw it for ever."""
    plan = asplan.to_json(asplan.solve("two_cars", engine="bfs"))
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    (tmp_path / "endless.lp").write_text(ENDLESS + SHAPES)
    return tmp_path


LONG = [
    ["list"],
    ["list", "--json"],
    ["--help"],
    ["solve", "sample02"],
    ["solve", "two_cars", "--json"],
    ["validate", "two_cars", "plan.json"],
    ["analyse", "two_cars"],
    ["convert", "two_cars"],
    ["compare", "two_cars", "-e", "origin", "--horizon", "1"],
    ["compare", "two_cars", "-e", "origin", "--horizon", "1", "--csv"],
    ["profile", "two_cars", "--horizon", "1"],
]


@pytest.mark.parametrize("words", LONG, ids=" ".join)
def test_a_closed_output_ends_the_command_quietly(words: list[str], folder: Path) -> None:
    """The command ends quietly, as behind `| head -1`, with the status of SIGPIPE."""
    assert_quiet(begun(*words, cwd=folder, server=command_server()))


def assert_quiet(process: subprocess.Popen[str]) -> None:
    """Assert that a command ends quietly when its output is closed."""
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert (process.wait(60), process.stderr.read()) == (141, "")


@pytest.mark.parametrize("words", LONG, ids=" ".join)
def test_there_is_no_output(words: list[str], folder: Path) -> None:
    for closed, other in (("stdout", "stderr"), ("stderr", "stdout")):
        files = {closed: "", other: str(folder / other)}
        assert run_command(words, str(folder), 60, **files)["status"] == 0
        assert (folder / other).read_text() == "" or other == "stdout"


def test_a_new_interpreter_has_no_output(folder: Path) -> None:
    assert_quiet(begun(*LONG[3], cwd=folder))
    for number in (1, 2):
        command = [sys.executable, "-c", MAIN, *LONG[0]]
        close = partial(os.close, number)
        done = subprocess.run(
            command, preexec_fn=close, capture_output=True, cwd=folder, timeout=60
        )
        assert (done.returncode, done.stdout if number == 1 else done.stderr) == (0, b"")


NARROW = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "latin-1": {"PYTHONIOENCODING": "latin-1"},
    "POSIX": {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
}


@pytest.mark.parametrize(("words", "encoding"), crossed(LONG, ["ascii", "latin-1"]))
def test_letters_that_the_output_has_not(words: list[str], encoding: str, folder: Path) -> None:
    assert run_command(words, str(folder), 60, encoding=encoding)["status"] == 0
    assert (folder / "err").read_text() == ""
    if "--json" in words:
        json.loads((folder / "out").read_text(encoding))


@pytest.mark.parametrize("name", NARROW)
def test_letters_that_the_locale_has_not(name: str) -> None:
    environment = {**os.environ, **NARROW[name]}
    done = run("solve", "two_cars", env=environment, fresh=True, errors="replace")
    assert (done.returncode, done.stderr) == (0, "")


def test_names_survive_a_narrow_locale(tmp_path: Path) -> None:
    """JSON stays valid with letters that the locale lacks."""
    (tmp_path / "größe.lp").write_text(
        '#program step(t). { occurs("é\\n",t) }. #show occurs/2. '
        "#program check(t). :- query(t), t < 1."
    )
    for environment in ({}, NARROW["ascii"]):
        done = run("solve", "größe.lp", "--json", cwd=tmp_path, env={**os.environ, **environment})
        assert json.loads(done.stdout)["instance"] == "größe"
    done = run("solve", "größe.lp", cwd=tmp_path, env={**os.environ, **NARROW["ascii"]})
    assert done.stdout.startswith("gr\\xf6\\xdfe")


ENDLESSLY = [
    ["render", "plan.json", "-o", "x.gif", "--draw", "endless.lp"],
    ["solve", "two_cars", "-o", "x.gif", "--draw", "endless.lp"],
    ["convert", "endless.lp"],
]


@pytest.mark.parametrize(
    ("words", "number"), crossed(ENDLESSLY, [signal.SIGTERM, signal.SIGHUP]), ids=str
)
def test_sigterm_ends_the_command(words: list[str], number: signal.Signals, folder: Path) -> None:
    before = set(folder.iterdir())
    heeds = partial(signal.signal, number, signal.SIG_DFL)  # whatever these tests were started by
    process = begun(*words, cwd=folder, preexec_fn=heeds)
    while process.poll() is None and not works(process.pid):
        time.sleep(0.02)
    process.send_signal(number)
    try:
        assert process.communicate(timeout=60) == ("", "")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    assert process.returncode == 128 + number
    assert set(folder.iterdir()) == before
    for _ in range(100):
        if not in_session(process.pid):
            return
        time.sleep(0.1)
    pytest.fail("the worker still runs")


def test_a_hang_up_that_is_ignored_stays_ignored(folder: Path) -> None:
    ignore = partial(signal.signal, signal.SIGHUP, signal.SIG_IGN)
    process = begun("analyse", "two_cars", cwd=folder, preexec_fn=ignore)
    while process.poll() is None:
        process.send_signal(signal.SIGHUP)
        time.sleep(0.05)
    process.communicate()
    assert process.returncode == 0


INTERRUPTED = """
import sys
class Finder:
    def find_spec(self, name, path, target=None):
        if name == {name!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from asplan.cli import main
main()
"""


@pytest.mark.parametrize("name", ["click", "asplan.cli.solve", "clingo", "asplan.engines.asp"])
def test_an_interrupt_while_python_imports(name: str) -> None:
    code = INTERRUPTED.format(name=name)
    done = subprocess.run(
        [sys.executable, "-c", code, "solve", "two_cars"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "asplan: interrupted\n")


def screen(*words: str, cwd: Path) -> str:
    """Return the text that a command writes to a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(cwd)
        os.execv(sys.executable, [sys.executable, "-c", MAIN, *words])
    text = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        text += piece
    os.waitpid(child, 0)
    return text.decode()


def test_names_steer_no_terminal(tmp_path: Path) -> None:
    """Names from files are escaped, and are not markup."""
    escape = "\x1b]0;title\x07\x1b[2J"
    program = (
        f'#program step(t). occurs("{escape}",t). #program check(t). :- query(t), t < 1. '
        "#show occurs/2."
    )
    (tmp_path / "[").mkdir()
    (tmp_path / "[" / "red].lp").write_text(program)
    for words in (
        ["solve", "[/red].lp", "-e", "[/blue]"],
        ["solve", "[/red].lp"],
        ["profile", "[/red].lp", "--horizon", "1"],
        ["compare", "[/red].lp", "--horizon", "1"],
        ["validate", "two_cars", f"{escape}.json"],
        ["render", f"{escape}.json", "-o", "x.gif"],
        ["solve", "two_cars", "-c", f"{escape}=1"],
        ["solve", escape],
    ):
        written = screen(*words, cwd=tmp_path)
        assert "\x1b]" not in written
        assert "\x1b[2J" not in written
        assert "this is a bug" not in written
    assert "\\x1b]0;title" in screen("solve", "[/red].lp", cwd=tmp_path)


BROKEN = """
import asplan.catalog
def encodings():
    raise ZeroDivisionError("one by none")
asplan.catalog.encodings = encodings
from asplan.cli import main
main()
"""


def test_an_unexpected_exception_is_reported_as_a_bug() -> None:
    command = [sys.executable, "-c", BROKEN, "list"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (70, "")
    expected = (
        "asplan: this is a bug in asplan or in a package that it uses. "
        "Please report it with these lines and the files that they name; --debug shows more.\n"
        r"  asplan \S+, clingo \S+, Python \S+, \w+"
        "\n"
        "  asplan list\n"
        "  reached: the command line\n"
        r"  ZeroDivisionError: one by none \(asplan/cli/list.py:\d+, <string>:4\)"
        "\n"
    )
    assert re.fullmatch(expected, done.stderr), done.stderr
    debug = subprocess.run([*command, "--debug"], capture_output=True, text=True)
    assert debug.returncode == 70
    assert debug.stderr.startswith("Traceback (most recent call last):\n")
    assert "ZeroDivisionError: one by none\n" in debug.stderr


PLUGIN = """
from asplan.domains.base import Domain
from asplan.core.facts import Facts

def model(facts, constants):
    {body}

DOMAIN = Domain(name="odd", model=model, signatures=frozenset({{("odd", 1)}}))
"""


def site(folder: Path, module: str) -> dict[str, str]:
    """The environment in which a package is installed whose domain is in `module`."""
    info = folder / "odd-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "odd.py").write_text(module)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[asplan.domains]\nodd = odd:DOMAIN\n")
    path = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


@pytest.mark.parametrize("ending", ["raise SystemExit(0)", "import sys; sys.exit('bye')"])
def test_a_plug_in_that_ends_the_command(ending: str, tmp_path: Path) -> None:
    done = run("list", env=site(tmp_path, ending))
    assert done.returncode == 2
    assert done.stderr.startswith(
        "asplan: the package odd 1.0 brings a domain odd, but odd:DOMAIN cannot be imported: "
        "SystemExit("
    )


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("raise KeyError('row')", "KeyError: 'row'"),
        ("raise BaseException", "BaseException"),
    ],
)
def test_a_plug_in_that_fails_in_the_worker(body: str, what: str, tmp_path: Path) -> None:
    environment = site(tmp_path / "site", PLUGIN.format(body=body))
    (tmp_path / "odd.lp").write_text("odd(1).")
    done = run("analyse", "odd.lp", cwd=tmp_path, env=environment)
    assert done.returncode == 70
    assert "\n  reached: reading the files\n" in done.stderr
    assert re.search(
        rf"\n  {re.escape(what)} \(asplan/domains/base.py:\d+, .*odd.py:6\)\n$", done.stderr
    )
    debug = run("analyse", "odd.lp", "--debug", cwd=tmp_path, env=environment)
    assert "Traceback" in debug.stderr
    assert 'odd.py", line 6, in model' in debug.stderr


def megabytes(number: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (number << 20, number << 20))


@pytest.mark.parametrize("number", [40, 60, 120])
@pytest.mark.parametrize("words", [["list"], ["analyse", "two_cars", "--plot", "x.png"]])
def test_out_of_memory(words: list[str], number: int, tmp_path: Path) -> None:
    command = [sys.executable, "-c", MAIN, *words]
    limit = partial(megabytes, number)
    done = subprocess.run(
        command, preexec_fn=limit, capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    if done.returncode:
        assert done.returncode == 1
        # Without memory, Python may have begun a line about an exception that it ignores.
        assert "asplan: out of memory" in done.stderr.splitlines()[-1]
    assert not [path for path in tmp_path.iterdir() if path.name != "x.png"]


STRUCK = """
import os, signal, sys
from importlib.abc import MetaPathFinder
signal.signal(signal.SIGINT, signal.default_int_handler)
name, number, words = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
class Finder(MetaPathFinder):
    def find_spec(self, wanted, path=None, target=None):
        if wanted == name:
            sys.meta_path.remove(self)
            {strike}
sys.meta_path.insert(0, Finder())
from asplan.cli import main
main(words)
"""
DIRECTLY = "os.kill(os.getpid(), number)"
WITHIN_A_CLASS = """
            class Interrupted:
                def __set_name__(self, owner, name):
                    os.kill(os.getpid(), number)
            type("Made", (), {'made': Interrupted()})
"""
IMPORTED = ("click", "asplan.domains.sliding_tiles", "asplan.domains", "asplan.cli.list")
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


@pytest.mark.parametrize("strike", [DIRECTLY, WITHIN_A_CLASS], ids=["directly", "in a class"])
@pytest.mark.parametrize(("name", "number"), crossed(IMPORTED, list(STATUS)), ids=str)
def test_a_signal_during_an_import_ends_the_command(
    name: str, number: signal.Signals, strike: str
) -> None:
    """It is no fault of the module that is imported, and no bug."""
    program = STRUCK.replace("{strike}", strike)
    command = [sys.executable, "-c", program, name, str(int(number)), "list", "instances"]
    command += ["sliding_tiles"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    said = "asplan: interrupted\n" if number == signal.SIGINT else ""
    assert (abs(done.returncode) % 128, done.stderr) == (STATUS[number] - 128, said)


def test_an_interrupt_at_the_very_end_prints_no_traceback() -> None:
    """It comes when the command has its status and Ctrl-C is about to be ignored."""
    program = """
import signal, sys
from asplan.cli import main
set_handler = signal.signal
def interrupt_first(number, handler):
    if number == signal.SIGINT and handler == signal.SIG_IGN:
        signal.signal = set_handler
        signal.raise_signal(signal.SIGINT)
    return set_handler(number, handler)
signal.signal = interrupt_first
main(["--version"])
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "asplan: interrupted\n")


def test_a_command_answers_an_interrupt_before_it_imports_anything() -> None:
    code = "import sys; old = set(sys.modules); import asplan.cli; print(*set(sys.modules) - old)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert set(done.stdout.split()) == {"asplan", "asplan.cli"}


def test_the_exception_of_a_signal_can_be_rebuilt_from_its_class() -> None:
    assert EndSignal().status == 143
    assert pickle.loads(pickle.dumps(EndSignal(signal.SIGHUP))).status == 129
