"""Untrusted files: each sentence of docs/security.md has a test, which is named by it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest

import asplan
from asplan.core.errors import AsplanError, InputError
from conftest import interrupted, run
from processes import in_session
from studios import running

PAGE = Path(__file__).parents[1] / "docs" / "security.md"

Test = Callable[..., None]
SAID: dict[str, Test] = {}

STEPS = "#program step(t). { occurs(go,t) }. #program check(t). :- query(t), t < 1."
ENDLESS = "n(1..1000). p(X,Y,Z) :- n(X), n(Y), n(Z), X < Y, Y < Z."
BLOCKS = Path(__file__).parents[1] / "instances/pddl/blocks"
SHAPES = "canvas(10,10). rect(a,1,1,2,2)."
SCRIPT = """#script (python)
import os, socket, subprocess
open("written", "w").close()
subprocess.run(["true"])
socket.create_connection(("127.0.0.1", 9))
def f(n): return n
#end.
"""
LUA = "#script (lua) io.open('written', 'w') #end."
BOARD = "grid(1..1,1..3). car(r,2,h). position(0,r,1,1)."
SOLVED = {"outcome": "plan", "plan": [["move(r,right,1)"]], "files": ["board.lp"]}
GONE = {"outcome": "plan", "plan": [["go"]], "files": ["steps.lp"]}
MARKUP = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def says(sentence: str) -> Callable[[Test], Test]:
    """The sentence of the page that a test is about."""

    def noted(test: Test) -> Test:
        assert sentence not in SAID
        SAID[sentence] = test
        return test

    return noted


def test_each_sentence_has_its_test() -> None:
    lists = re.findall(r"^- (.+?)(?=^- |^$)", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert [" ".join(sentence.split()) for sentence in lists] == list(SAID)


def refused(work: Callable[[], object]) -> str:
    """The words in which something is refused."""
    with pytest.raises(AsplanError) as caught:
        work()
    return str(caught.value)


@says(
    "They use time and memory, up to `--time-limit` and `--memory-limit`, and without limits "
    "if you set none."
)
@pytest.mark.parametrize(
    ("limit", "reason"),
    [(("--time-limit", "2"), "time limit of 2 s"), (("--memory-limit", "150"), "memory limit")],
)
def test_limits(tmp_path: Path, limit: tuple[str, str], reason: str) -> None:
    (tmp_path / "x.lp").write_text(ENDLESS + STEPS)
    done = run("solve", "x.lp", *limit, cwd=tmp_path)
    assert done.returncode == 1
    assert reason in done.stdout


@says(
    "Ctrl-C stops them, whatever they are doing, and none of their processes outlives the command."
)
def test_interrupt(tmp_path: Path) -> None:
    (tmp_path / "x.lp").write_text(ENDLESS + STEPS)
    done = interrupted("solve", "x.lp", cwd=tmp_path)
    assert done.returncode == 130
    command = [sys.executable, "-m", "asplan", "solve", "x.lp"]
    process = subprocess.Popen(command, cwd=tmp_path, start_new_session=True)
    while len(in_session(process.pid)) < 2:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    while in_session(process.pid):  # it ends by itself, or this test never does
        time.sleep(0.02)


@says(
    "They read files by `#include`, if these are below the folder of the file that includes them."
)
def test_includes_below(tmp_path: Path) -> None:
    (tmp_path / "mine" / "below").mkdir(parents=True)
    (tmp_path / "above.lp").write_text(STEPS)
    (tmp_path / "mine" / "below" / "steps.lp").write_text(STEPS)
    file = tmp_path / "mine" / "x.lp"
    file.write_text('#include "below/steps.lp".')
    assert asplan.solve(file).horizon == 1
    for path in ("../above.lp", str(tmp_path / "above.lp"), "/etc/passwd"):
        file.write_text(f'#include "{path}". {STEPS}')
        assert "is not below the folder" in refused(lambda: asplan.solve(file))


@says("With `--allow-includes` they read any file that you may read.")
def test_includes_allowed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "above.lp").write_text(STEPS)
    (tmp_path / "mine" / "x.lp").write_text('#include "../above.lp".')
    words = ["solve", "mine/x.lp", "--allow-includes"]
    assert run(*words[:2], cwd=tmp_path).returncode == 2
    assert run(*words, cwd=tmp_path).returncode == 0


@says(
    "A plan file names the files of its problem, and `asplan render` reads those, wherever "
    "they are."
)
def test_files_of_a_plan(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "board.lp").write_text(BOARD)
    (tmp_path / "mine" / "plan.json").write_text(json.dumps(SOLVED | {"files": ["../board.lp"]}))
    done = run("render", "plan.json", "-o", "x.html", cwd=tmp_path / "mine")
    assert (done.returncode, done.stderr) == (0, "asplan: x.html is written: a page with 1 step\n")


@says(
    "A suite names its instances and encodings, and `asplan bench run` reads those, wherever "
    "they are."
)
def test_a_suite_names_files(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "steps.lp").write_text(STEPS)
    run_of_suite(tmp_path / "here", files=f"{tmp_path}/elsewhere/steps.lp")
    assert '"outcome":"optimal"' in (tmp_path / "here" / "out" / "runs.jsonl").read_text()


@says(
    "They decide what the answer is: a program from someone else may have plans that mean nothing."
)
def test_plans_that_mean_nothing() -> None:
    assert asplan.solve(text=STEPS.replace("go", '"cross the board in one step"')).horizon == 1


SCRIPTED: dict[str, Callable[[], object]] = {
    "an instance": lambda: asplan.solve("board.lp"),
    "an encoding": lambda: asplan.solve("two_cars", encoding="steps.lp"),
    "a program": lambda: asplan.solve("steps.lp"),
    "an included file": lambda: asplan.solve("outer.lp"),
    "profile": lambda: asplan.profile("steps.lp", horizon=1),
    "validate": lambda: asplan.validate("steps.lp", plan=asplan.from_json(GONE)),
    "analyse": lambda: asplan.analyse("board.lp"),
    "convert": lambda: asplan.convert("board.lp"),
    "render": lambda: asplan.render(asplan.from_json(SOLVED), "x.html", draw="draw.lp"),
}


@says(
    "They run no code: a `#script` is refused, in whatever file, unless you say `--allow-scripts`."
)
@pytest.mark.parametrize("script", [SCRIPT, LUA], ids=["python", "lua"])
@pytest.mark.parametrize("use", SCRIPTED)
def test_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, use: str, script: str) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"board": BOARD, "steps": STEPS, "draw": SHAPES, "within": ""}.items():
        Path(f"{name}.lp").write_text(f"{text}\n{script}")
    Path("outer.lp").write_text(f'#include "within.lp". {STEPS}')
    assert "script" in refused(SCRIPTED[use])
    assert not Path("written").exists()


def test_scripts_are_not_run_for_comparisons_and_drawings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other encodings are measured, and plans are drawn, without the scripts."""
    monkeypatch.chdir(tmp_path)
    Path("steps.lp").write_text(STEPS + SCRIPT)
    Path("draw.lp").write_text(SHAPES)
    [row] = asplan.compare("two_cars", encodings=["steps.lp"], horizon=1)
    assert "script" in row.reason
    asplan.render(asplan.from_json(GONE), "x.html", draw="draw.lp")
    assert not Path("written").exists()


@says(
    "They call no function that exists outside the program: `@f(1)` is refused if the program "
    "does not define `f`."
)
def test_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    import __main__

    monkeypatch.setattr(__main__, "f", lambda n: pytest.fail("called"), raising=False)
    program = STEPS + "#program base. p(@f(1))."
    for allow in (False, True):
        said = refused(lambda: asplan.solve(text=program, allow_scripts=allow))  # noqa: B023
        assert "@f: no script of the program defines this function" in said


@says("Even with `--allow-scripts`, instances and drawing rules run no code.")
def test_scripts_that_are_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("board.lp").write_text(f"{BOARD}\n{SCRIPT}")
    Path("draw.lp").write_text(f"{SHAPES}\n{SCRIPT}")
    assert "script" in refused(lambda: asplan.solve("board.lp", allow_scripts=True))
    words = ("solve", "two_cars", "--allow-scripts", "-o", "x.html", "--draw", "draw.lp")
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert "draw.lp:2:1: a script is not allowed in drawing rules" in done.stderr
    assert not Path("written").exists()


@says("An action in a plan file is one ground term, and never becomes a rule of a program.")
@pytest.mark.parametrize(
    "action",
    [
        "go,1). #include",
        'go\n#include "secret.lp".\nx',
        "go. secret(1)",
        "X",
        "go;stop",
        "@f(1)",
        "1/0",
        "go % ",
        "#script(python) #end",
    ],
)
def test_actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("secret.lp").write_text("canvas(10,10). rect(secret,1,1,2,2).")
    Path("x.lp").write_text(STEPS)
    Path("board.lp").write_text(BOARD)
    plan = asplan.from_json(SOLVED | {"plan": [[action]]})
    assert "is not a term" in refused(lambda: asplan.validate("x.lp", plan=plan))
    assert "is not a term" in refused(lambda: asplan.render(plan, "x.html"))
    assert not Path("x.html").exists()


@says("They cannot use a link to read anything outside their folder.")
def test_links(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "above.lp").write_text(STEPS)
    (tmp_path / "mine" / "link.lp").symlink_to("../above.lp")
    file = tmp_path / "mine" / "x.lp"
    file.write_text(f'#include "link.lp". {STEPS}')
    assert "is not below the folder" in refused(lambda: asplan.solve(file))


def test_files_found_beside_a_file_are_no_links_to_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has named the domain of a PDDL problem, or the drawing rules of a program."""
    (tmp_path / "mine").mkdir()
    shutil.copy(BLOCKS / "blocks-1.pddl", tmp_path / "mine" / "task.pddl")
    (tmp_path / "mine" / "domain.pddl").symlink_to(BLOCKS / "domain.pddl")
    (tmp_path / "mine" / "steps.lp").write_text(STEPS)
    (tmp_path / "shapes.lp").write_text(SHAPES)
    (tmp_path / "mine" / "draw.lp").symlink_to("../shapes.lp")
    monkeypatch.chdir(tmp_path / "mine")
    elsewhere = "is a link to a file outside of its folder"
    assert elsewhere in refused(lambda: asplan.solve("task.pddl"))
    assert asplan.solve("domain.pddl", "task.pddl").plan
    result = asplan.solve("steps.lp")
    assert elsewhere in refused(lambda: asplan.render(result, "x.html"))
    asplan.render(result, "x.html", draw="draw.lp")


@says("A program that comes as text or through standard input reads no file.")
def test_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.lp").write_text(STEPS)
    text = '#include "x.lp".'
    assert "has no folder" in refused(lambda: asplan.solve(text=text))
    done = run("solve", "-", input=text, cwd=tmp_path)
    assert (done.returncode, "has no folder" in done.stderr) == (2, True)


WATCHED = """
import json, os, sys
words, log = json.loads(sys.argv[1]), os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
def heard(event, arguments):
    if event == "open" and isinstance(arguments[0], str | bytes):
        path = os.fsdecode(arguments[0])
        if arguments[2] & WRITES:
            os.write(log, f"write {path}\\n".encode())
        elif os.path.abspath(path).startswith(os.getcwd()):
            os.write(log, f"read {path}\\n".encode())
    elif event.startswith(("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn",
                           "os.remove", "os.rename", "urllib", "ftplib", "webbrowser")):
        os.write(log, f"{event} {arguments}\\n".encode())
from asplan.cli import main
sys.addaudithook(heard)
for command in words:
    try:
        main(command)
    except SystemExit:
        pass
"""


def heard(folder: Path, *commands: str, reads: bool = False) -> list[str]:
    """Return the files that commands and their workers write, and the programs they call.

    With `reads` also what they open for reading, as far as it lies in the folder.
    """
    words = json.dumps([command.split() for command in commands])
    program = [sys.executable, "-B", "-c", WATCHED, words, "log"]
    subprocess.run(program, cwd=folder, capture_output=True, timeout=120, check=True)
    lines = (folder / "log").read_text().splitlines()
    lines = [line for line in lines if reads or not line.startswith("read ")]
    return [line for line in lines if line != f"write {os.devnull}" and "matplotlib" not in line]


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Return a folder with files that try to write, call and run things."""
    files = {
        "board.lp": f"{BOARD}\n",
        "bad_board.lp": f"{BOARD}\n{SCRIPT}",
        "steps.lp": STEPS,
        "bad_steps.lp": f"{SCRIPT}{STEPS} p(@f(1)).",
        "lua.lp": f"{LUA}{STEPS}",
        "draw.lp": f'{SHAPES} label(a,"{MARKUP}").',
        "bad_draw.lp": f"{SHAPES}\n{SCRIPT}",
        "plan.json": json.dumps(SOLVED),
        "bad_plan.json": json.dumps(SOLVED | {"files": ["bad_board.lp"]}),
        "go.json": json.dumps(GONE),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


COMMANDS = (
    *(f"solve {name}.lp" for name in ("board", "bad_board", "steps", "bad_steps", "lua")),
    "solve board.lp -e bad_steps.lp",
    "solve board.lp --engine astar",
    "solve bad_steps.lp --engine sat",
    "solve bad_steps.lp --engine race",
    "solve board.lp -e origin --engine race",
    "validate board.lp plan.json",
    "validate bad_steps.lp go.json",
    "render bad_plan.json -o no.gif --draw draw.lp",
    "render plan.json -o no.gif --draw bad_draw.lp",
    "analyse board.lp",
    "convert bad_board.lp",
    "profile bad_steps.lp --horizon 2",
    "compare board.lp -e origin -e bad_steps.lp --horizon 1",
)


@says(
    "They write no file: asplan writes only the outputs that you name, and writes each one "
    "completely or not at all."
)
def test_writing(hostile: Path) -> None:
    before = {path.name for path in hostile.iterdir()}
    drawn = "render plan.json --draw draw.lp -o"
    found = heard(hostile, *COMMANDS, f"{drawn} x.gif", f"{drawn} x.html")
    # An output has no name in its folder until it is whole, and then its own.
    kinds = [event.split()[0] for event in found if event != f"write {hostile}"]
    assert kinds == ["os.rename", "os.remove"] * 2
    assert {path.name for path in hostile.iterdir()} - before == {"log", "x.gif", "x.html"}


@says(
    "A suite names no output, runs no `#script` and no heuristic of a Python file, and includes "
    "only files below the folder of the including file, unless you say otherwise on the command "
    "line."
)
def test_a_suite_is_a_stranger_s(tmp_path: Path) -> None:
    (tmp_path / "script.lp").write_text(STEPS + SCRIPT)
    (tmp_path / "include.lp").write_text(STEPS + '#include "../outside.lp".')
    (tmp_path.parent / "outside.lp").write_text("p.\n")
    said = run_of_suite(tmp_path, files="script.lp", fails=True)
    assert "asplan: " in said
    assert "--allow-scripts" in said
    said = run_of_suite(tmp_path, files="include.lp", fails=True)
    assert "--allow-includes" in said
    said = run_of_suite(tmp_path, files="steps.lp", more='proof = "out.drat"', fails=True)
    assert "methods[0].proof: there is no such key" in said
    (tmp_path / "own.py").write_text("open('written', 'w')\ndef h(state): return 0\n")
    said = run_of_suite(tmp_path, files="steps.lp", more='heuristic = "own.py:h"', fails=True)
    assert "methods[0].heuristic: a suite cannot run a heuristic from a Python file" in said
    assert not (tmp_path / "written").exists()
    assert not (tmp_path / "out").exists()


def test_scripts_in_values_of_a_suite(tmp_path: Path) -> None:
    """A constant, an option for clingo and a name of a file stay values."""
    open_file = "#script (python) open('written','w') #end."
    values = {
        "constants": f'constants = {{ go = "{open_file}" }}',
        "a call": 'constants = { go = "@f(1)" }',
        "an encoding": f'encoding = "{open_file}"',
        "an option": f'clingo = ["--const=go={open_file}"]',
        "a name": f'name = "{open_file}"',
    }
    (tmp_path / "steps.lp").write_text("#const go = 1. " + STEPS)
    for number, line in enumerate(values.values()):
        (tmp_path / "suite.toml").write_text(
            f'name = "x"\n[[instances]]\nfiles = ["steps.lp"]\n[[methods]]\n{line}\n'
        )
        done = run("bench", "run", "suite.toml", "-o", f"out{number}", cwd=tmp_path)
        assert done.returncode in (0, 1, 2), done.stderr
        assert not (tmp_path / "written").exists()


def test_scripts_in_pddl_stay_text(tmp_path: Path) -> None:
    """In a comment, a name, a file beside the problem, and rules that draw the task."""
    domain = (BLOCKS / "domain.pddl").read_text()
    problem = (BLOCKS / "blocks-1.pddl").read_text()
    (tmp_path / "domain.pddl").write_text(f"; {LUA}\n{domain}")
    commented = "".join(f"; {line}\n" for line in SCRIPT.splitlines())
    (tmp_path / "task.pddl").write_text(commented + problem)
    (tmp_path / "draw.lp").write_text(f"{SHAPES}\n{SCRIPT}")
    assert run("solve", "task.pddl", cwd=tmp_path).returncode == 0
    done = run("solve", "task.pddl", "-o", "x.html", "--allow-scripts", cwd=tmp_path)
    assert (done.returncode, "script" in done.stderr) == (2, True)
    (tmp_path / "named.pddl").write_text(problem.replace("(:objects", f"(:objects {LUA}", 1))
    assert run("solve", "named.pddl", cwd=tmp_path).returncode == 2
    assert not (tmp_path / "written").exists()


def test_scripts_in_a_filled_template(tmp_path: Path) -> None:
    """A domain that began as a template is a program like any other."""
    assert run("new", "garden", cwd=tmp_path).returncode == 0
    encoding = tmp_path / "garden" / "encoding.lp"
    encoding.write_text(encoding.read_text() + f"\n#program base.\n{SCRIPT}")
    done = run("solve", "encoding.lp", "instances/first.lp", cwd=tmp_path / "garden")
    assert (done.returncode, "--allow-scripts" in done.stderr) == (2, True)
    assert not (tmp_path / "garden" / "written").exists()


def run_of_suite(folder: Path, files: str, more: str = "", fails: bool = False) -> str:
    """Return the message of a suite with one file."""
    folder.mkdir(exist_ok=True)
    (folder / "steps.lp").write_text(STEPS)
    (folder / "suite.toml").write_text(
        f'name = "x"\n[[instances]]\nfiles = ["{files}"]\n[[methods]]\nengine = "sat"\n{more}\n'
    )
    done = run("bench", "run", "suite.toml", "-o", "out", cwd=folder)
    assert done.returncode == (2 if fails else 0), done.stderr
    return " ".join(done.stderr.split())


@says("They do not reach the network, and start no program of their choice.")
def test_network(hostile: Path) -> None:
    assert heard(hostile, *COMMANDS) == []


def test_the_watcher_sees_files_and_calls(hostile: Path) -> None:
    """The tests above are worth something: the same scripts, allowed, are noticed."""
    found = heard(hostile, "solve bad_steps.lp --allow-scripts")
    events = {event.split()[0] for event in found}
    assert {"write", "subprocess.Popen", "socket.connect"} <= events


@says(
    "They put no script into a page: names and labels are text there, and the page lets its "
    "browser run only its own script and send no request."
)
def test_pages(tmp_path: Path) -> None:
    (tmp_path / "x.lp").write_text(f'#program step(t). {{ occurs("{MARKUP}",t) }}. {STEPS}')
    (tmp_path / "draw.lp").write_text(
        f'canvas(10,10). rect("{MARKUP}",1,1,2,2). label("{MARKUP}","{MARKUP}").'
    )
    result = asplan.solve(tmp_path / "x.lp")
    page = asplan.render(result, tmp_path / "x.html", draw=tmp_path / "draw.lp").read_text()
    assert "alert(1)" in page
    assert len(re.findall(r"<script", page)) == 2
    assert not re.search(r"<img|(src|href)\s*=\s*[\"']", page)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-\S+'; "
        r"base-uri 'none'; form-action 'none'",
        policy[1],
    )


@says("They do not control your terminal: control characters are written out.")
def test_terminals(tmp_path: Path) -> None:
    red = "\x1b[31mred\x07"
    (tmp_path / "x.lp").write_text(
        f'#program step(t). {{ occurs("{red}",t) }}.\n'
        f'#program check(t). :- query(t), not occurs("{red}",t).'
    )
    (tmp_path / "wrong.lp").write_text(f'{BOARD} car("{red}",1,x).')
    board = BOARD.replace("1..1", "1..2") + f'car("{red}",2,h). position(0,"{red}",2,1).'
    (tmp_path / "board.lp").write_text(board)
    for words in ("solve x.lp", "solve wrong.lp", "solve board.lp", "profile x.lp --horizon 1"):
        done = run(*words.split(), cwd=tmp_path)
        assert r"\x1b[31mred" in done.stdout + done.stderr
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", done.stdout + done.stderr)


@says("They do not affect later work: the functions of a script disappear with its program.")
def test_afterwards() -> None:
    script = "#script (python)\ndef f(n): return n\n#end.\n"
    program = STEPS + "#program base. p(@f(1))."
    assert asplan.solve(text=script + program, allow_scripts=True).horizon == 1
    with pytest.raises(InputError, match="@f: no script of the program defines this function"):
        asplan.solve(text=program, allow_scripts=True)


PDDL = {
    "domain.pddl": """(define (domain <b>odd</b>)
  (:predicates (on ?x) (<script>alert`1`</script> ?x))
  (:action <img/src=x/onerror=alert`2`> :parameters (?x) :precondition (on ?x)
   :effect (<script>alert`1`</script> ?x)))""",
    "problem.pddl": """(define (problem p) (:domain <b>odd</b>)
  (:objects #include"secret.lp". %% @f occurs go,1 '"$)
  (:init (on #include"secret.lp".) (on %%) (on @f) (on occurs) (on go,1) (on '"$))
  (:goal (forall (?x) (<script>alert`1`</script> ?x))))""",
    "draw.lp": "canvas(10,10). rect(O,1,1,2,2) :- object(O,_). label(O,O) :- object(O,_).",
    "secret.lp": "occurs(secret,1). canvas(0,0).",
}
"""A task whose names would do harm where they were taken for something else than names."""


def write_pddl(folder: Path) -> None:
    """Write the task."""
    for name, text in PDDL.items():
        (folder / name).write_text(text)


HEAVY = {
    "domain.pddl": """(define (domain heavy) (:predicates (at ?x) (seen ?a ?b ?c ?d))
  (:action go :parameters (?a ?b ?c ?d) :precondition (at ?a)
   :effect (and (seen ?a ?b ?c ?d) (at ?b) (not (at ?a)))))""",
    "problem.pddl": f"""(define (problem p) (:domain heavy)
  (:objects {" ".join(f"o{number}" for number in range(60))})
  (:init (at o1)) (:goal (seen o1 o2 o3 o4)))""",
}
"""Thirteen million actions: far more than can be grounded while somebody waits."""


@says(
    "The process that grounds them, the only one that asplan starts for them, works under the same "
    "limits, and nothing of it is left when the command ends."
)
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (["--time-limit", "2"], "time limit of 2 s reached while reading the files"),
        (["--memory-limit", "250"], "memory limit of 250 MB reached while reading the files"),
    ],
)
def test_a_limit_leaves_nothing_of_the_grounder(
    limit: list[str], said: str, tmp_path: Path
) -> None:
    for name, text in HEAVY.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "asplan", "solve", "problem.pddl", *limit],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    output, _ = process.communicate(timeout=60)
    assert said in output
    assert process.returncode == 1
    end = time.monotonic() + 120
    while (left := in_session(process.pid)) or any((tmp_path / "tmp").iterdir()):
        assert time.monotonic() < end, left
        time.sleep(0.1)


@says(
    "They name no file: apart from these files asplan reads only a domain and a `draw.lp` in the "
    "same folder."
)
def test_files_read_with_pddl(tmp_path: Path) -> None:
    write_pddl(tmp_path)
    task = "domain.pddl problem.pddl"
    commands = [f"solve {task} -o x.ipc", f"validate {task} x.ipc", f"convert {task} -o x.lp"]
    found = heard(tmp_path, *commands, "solve problem.pddl -o x.html", reads=True)
    read = {Path(line.split(maxsplit=1)[1]).name for line in found if line.startswith("read ")}
    assert read == {"domain.pddl", "problem.pddl", "draw.lp", "x.ipc"}


@says(
    "Nothing in them is executed: names are printable ASCII words, and in a program, a page "
    "or a plan they stay names."
)
def test_names_of_pddl(tmp_path: Path) -> None:
    write_pddl(tmp_path)
    words = ("solve", "problem.pddl", "-o", "x.html", "-o", "x.ipc", "--json")
    result = json.loads(run(*words, cwd=tmp_path).stdout)
    assert (result["outcome"], result["horizon"], result["validated"]) == ("optimal", 1, "text")
    assert len(result["plan"][0]) == 6
    page = (tmp_path / "x.html").read_text()
    assert "alert`2`" in page
    assert len(re.findall(r"<script", page)) == 2
    assert not re.search(r"<img|(src|href)\s*=\s*[\"']", page)
    assert len((tmp_path / "x.ipc").read_text().splitlines()) == 6 + 2
    facts = asplan.convert(tmp_path / "problem.pddl", domain=tmp_path / "domain.pddl")
    (tmp_path / "task.lp").write_text(facts)
    assert len(asplan.solve(tmp_path / "task.lp").plan.actions) == 6
    (tmp_path / "problem.pddl").write_text(PDDL["problem.pddl"].replace("@f", "\x1b[31mred"))
    done = run("solve", "problem.pddl", cwd=tmp_path)
    assert r"PDDL does not allow the character '\x1b' outside comments" in done.stderr


@says("A plan file names actions of its task, and cannot say anything else.")
@pytest.mark.parametrize(
    "line",
    [
        "(#include secret.lp)",
        "(go). secret(1)",
        "occurs(secret,1).",
        "#script (python) #end.",
        "(\x1b[2J)",
    ],
)
def test_lines_of_plans(tmp_path: Path, line: str) -> None:
    write_pddl(tmp_path)
    (tmp_path / "x.ipc").write_text(line)
    done = run("validate", "problem.pddl", "x.ipc", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("asplan: x.ipc:1:")
    assert "\x1b" not in done.stderr


@says(
    "It listens on the loopback address only. It refuses requests without the token that it "
    "printed, requests for another host, and requests from a page of another site."
)
def test_requests_that_the_studio_answers(tmp_path: Path) -> None:
    (tmp_path / "steps.lp").write_text(STEPS)
    with running("steps.lp", cwd=tmp_path) as studio:
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.2", int(studio.host.partition(":")[2])))
        assert studio.ask(studio.path)[0] == 200
        assert studio.ask("/")[0] == 403
        for wrong in ({"Host": "example.org"}, {"Origin": "http://example.org"}):
            assert studio.ask(studio.path, **wrong)[0] == 403


@says(
    "It sends the given files, the encoding and the PDDL domain that were found for them, and"
    " what these include; a request may name a file only to save it. The file must be one of "
    "these and not a shipped one."
)
def test_the_studio_sends_only_shown_files(tmp_path: Path) -> None:
    (tmp_path / "steps.lp").write_text(f'{STEPS} #include "part.lp".')
    (tmp_path / "part.lp").write_text("part.")
    (tmp_path / "secret.lp").write_text("secret.")
    with running("steps.lp", cwd=tmp_path) as studio:
        assert studio.ask(f"{studio.path}secret.lp")[0] == 404
        secret = {"file": str(tmp_path / "secret.lp"), "version": "", "text": ""}
        assert studio.ask(f"{studio.path}save", "POST", json.dumps(secret))[0] == 422
        wanted = json.dumps({"encoding": "secret.lp"})
        assert studio.ask(f"{studio.path}settings", "POST", wanted)[0] == 422
        sent = (value for name, value in studio.events() if name == "sources")
        names = next(names for value in sent if len(names := [file["file"] for file in value]) > 1)
        assert names == [str(tmp_path / "steps.lp"), str(tmp_path / "part.lp")]


@says("It runs no `#script`, whatever is saved, and every run has a time limit.")
def test_the_studio_runs_no_script_and_nothing_without_limit(tmp_path: Path) -> None:
    (tmp_path / "steps.lp").write_text(SCRIPT + STEPS)
    with running("steps.lp", cwd=tmp_path) as studio:
        assert "#script" in studio.told("wrong")["message"]
        assert not (tmp_path / "written").exists()
        for limit in ("0", "null", "1e999"):
            wanted = f'{{"time_limit": {limit}}}'
            assert studio.ask(f"{studio.path}settings", "POST", wanted)[0] == 422


@says(
    "The page shows the contents of files as text, and lets the browser run only the script "
    "of the page."
)
def test_the_page_of_the_studio(tmp_path: Path) -> None:
    (tmp_path / "steps.lp").write_text(STEPS)
    with running("steps.lp", cwd=tmp_path) as studio, urlopen(studio.address) as opened:
        policy = opened.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-")
        assert "unsafe" not in policy
        for script in ("page.js", "source.js", "chart.js", "languages.js"):
            assert "innerHTML" not in studio.ask(studio.path + script)[1]
