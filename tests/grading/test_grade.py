"""A class hands in its encodings of Rush Hour."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from asplan.grading.exercises import easiest_instances
from asplan.grading.pages import page_names
from asplan.grading.submissions import distinct_names
from conftest import HERE, run

CLASS = HERE / "grading" / "submissions"
BOARDS = HERE / "grading" / "boards"

TABLE = """\
rush_hour: 9 submissions on 2 instances

                           not   wrong   wrong       no
 submission   right   shortest    plan   claim   answer   refused   warnings
 ───────────────────────────────────────────────────────────────────────────
 ada              2
 brook            2
 clara                       2
 dora                                2
 emil             1                  1                                     1
 felix                               2
 gustav                                               2
 hanna                                                          2
 ida                                         2

Shortest plans: down: 3 steps, tunnel: 4 steps

clara
  down: not shortest: STEPS
  tunnel: not shortest: STEPS

dora
  down: wrong plan: step 1: move(r,down,1) does not apply: car b is at (3,2)
  tunnel: wrong plan: step 1: move(r,right,1) does not apply: car b is at (3,3)

emil
  tunnel: wrong plan: step 1: move(b,down,1) does not apply: there is a wall at
    (5,3)
  warning: grading/boards/tunnel.lp:9:19: nothing reads the facts of no/2
    [unread-fact]

felix
  down: wrong plan: after step 2 the goal does not hold: car r is at (2,2) and
    not at (3,2)
  tunnel: wrong plan: after step 3 the goal does not hold: car r is at (3,2) and
    not at (3,3)

gustav
  all instances: no answer: memory limit of 250 MB reached while grounding
    horizon 0

hanna
  all instances: refused: submissions/hanna.lp:28:1: syntax error, unexpected
    #showsig
    line 27 may lack its dot

ida
  down: wrong claim: claims that there is no plan, but there is one of 3 steps
    to see why: asplan explain grading/boards/down.lp -e submissions/ida.lp
  tunnel: wrong claim: claims that there is no plan, but there is one of 4 steps
    to see why: asplan explain grading/boards/tunnel.lp -e submissions/ida.lp


 mistake                                   submissions   whose
 ──────────────────────────────────────────────────────────────────
 a step does not apply                               2   dora, emil
 the plan is not shortest                            1   clara
 warning unread-fact                                 1   emil
 the goal does not hold at the end                   1   felix
 a limit was reached                                 1   gustav
 the program cannot be loaded                        1   hanna
 a plan exists, but the program has none             1   ida

"""


def of_class(*names: str) -> list[str]:
    return [str(CLASS / name) for name in names]


def plain(text: str) -> str:
    """Without the spaces at the ends of lines."""
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def test_a_class_gets_its_marks_as_text_page_and_rows(tmp_path: Path) -> None:
    """The plans of one submission wander about, so only the beginning of its lines is compared."""
    page, rows = tmp_path / "marks.html", tmp_path / "marks.csv"
    limits = ["--memory-limit", "250", "--time-limit", "600"]
    paths = sorted(str(path.relative_to(CLASS.parent)) for path in CLASS.iterdir())
    words = [*paths, "--instances", str(BOARDS), *limits, "-o", str(page), "-o", str(rows)]
    done = run("grade", "rush_hour", *words, cwd=CLASS.parent, timeout=250, fresh=True)
    assert (done.returncode, done.stderr) == (0, "")
    lines = plain(done.stdout).splitlines()
    start = lines.index("clara")
    assert lines[:start] == TABLE.splitlines()[:start]
    boards = str(BOARDS)
    rest = "\n".join(lines[lines.index("dora") :]).replace(boards, "grading/boards")
    assert rest.split() == " ".join(TABLE.splitlines()[start + 4 :]).split()
    assert all("not shortest: 2" in line for line in lines[start + 1 : start + 3 : 2])
    marks = list(csv.DictReader(io.StringIO(rows.read_text())))
    assert [(mark["submission"], mark["instance"]) for mark in marks] == [
        (Path(path).stem, board) for path in paths for board in ("down", "tunnel")
    ]
    assert {name: mark for name, mark in marks[9].items() if name != "seconds"} == {
        "submission": "emil",
        "instance": "tunnel",
        "verdict": "wrong plan",
        "steps": "3",
        "shortest": "4",
        "step": "1",
        "why": "step 1: move(b,down,1) does not apply: there is a wall at (5,3)",
        "warnings": "1",
        "hint": "",
        "mistake": "a step does not apply",
    }
    text = page.read_text()
    assert text.count("<td class=right-mark>right") == 5
    assert "<li class=wrong-plan-mark><b>tunnel</b>: wrong plan: step 1: move(b,down,1)" in text
    assert "default-src 'none'" in text
    kind = "<td><b>a step does not apply</b></td><td class=n>2</td><td>dora, emil</td>"
    assert kind in text


def test_a_folder_gets_a_page_for_each_submission(tmp_path: Path) -> None:
    """The page of emil has his plan beside a shortest one, with the reason, hint and pictures."""
    words = [*of_class("ada.lp", "emil.lp"), "--instances", str(BOARDS), "-o", "marks/"]
    done = run("grade", "rush_hour", *words, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == (
        "asplan: marks/index.html is written, with a page for each submission beside it\n"
    )
    pages = {path.name: path.read_text() for path in (tmp_path / "marks").iterdir()}
    assert sorted(pages) == ["ada.html", "emil.html", "index.html"]
    assert '<a href="emil.html">emil</a>' in pages["index.html"]
    page = pages["emil.html"]
    assert "<li class=refused>move(b,down,1)</li>" in page
    assert "<li class=unreached>move(r,right,1)</li>" in page
    assert page.count("<li>move(b,up,1)</li>") == 2  # of the shortest plan
    assert "<p class=reason>step 1: move(b,down,1) does not apply: there is a wall" in page
    assert "nothing reads the facts of no/2 [unread-fact]" in page
    assert page.count("data:image/svg+xml;base64,") == 4
    assert "<script" not in page
    assert run("grade", "rush_hour", *words, cwd=tmp_path).returncode == 0  # written again


def test_pages_have_different_names_within_the_folder() -> None:
    names = page_names(["index", "../x", "x", "X", "<b>&", "", "y" * 300])
    assert list(names.values()) == [
        *("index-2.html", "x.html", "x-2.html", "X-3.html", "b.html", "submission.html"),
        "y" * 60 + ".html",
    ]


def test_pages_are_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "marks").mkdir()
    (tmp_path / "precious").write_text("kept")
    (tmp_path / "marks" / "ada.html").symlink_to("../precious")
    words = [*of_class("ada.lp"), "--instances", "two_cars", "-o", "marks"]
    done = run("grade", "rush_hour", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert "marks/ada.html: it is a link to a file outside of its folder" in done.stderr
    assert (tmp_path / "precious").read_text() == "kept"


def test_parallel_runs_give_the_same_marks() -> None:
    words = ["grade", "rush_hour", *of_class("ada.lp", "felix.lp"), "--instances", str(BOARDS)]

    def marks(*more: str) -> object:
        data = json.loads(run(*words, "--json", *more).stdout)
        assert data["instances"] == [
            {"name": "down", "shortest": 3},
            {"name": "tunnel", "shortest": 4},
        ]
        return [{**mark, "seconds": None} for mark in data["marks"]]

    assert marks() == marks("--jobs", "2")


def test_the_easiest_instances_are_the_default() -> None:
    names = [Path(path).stem for path in easiest_instances("rush_hour")]
    assert names == ["two_cars", "seven_by_five", "sample01", "walls", "vertical"]
    assert [Path(path).stem for path in easiest_instances("brain_twist")][:2] == [
        "twist01",
        "twist02",
    ]


# What one file makes of two_cars, or of a board without a plan.
STEP = "#program step(t). "
CHECK = " #program check(t). "
ODD = [
    (
        f"{STEP} occurs(go(r),t). {CHECK} :- query(t), t < 2.",
        "not judged: go(r) is not a move(Car,Dir,Cells); use the action names\n of rush_hour\n",
    ),
    (f"{STEP} a(t). {CHECK} :- query(t), t < 2. #show a/1.", "no answer: shows no actions"),
    (f"{STEP} {{ occurs(a,t) }}. #script (python) open('x','w') #end.", "refused: "),
    ('#include "/etc/passwd".', "refused: "),
    ("\0", "refused: "),
    ("grid(1,1).", "refused: "),
    (
        f"n(0,0). {STEP} {{ occurs(a,t) }}. n(N+1,t) :- n(N,t-1). {CHECK} :- query(t).",
        "no answer: time limit of 1 s reached",
    ),
    (
        f"asplan(domain(rush_hour)). {STEP} occurs(move(r,left,1),t). {CHECK} :- query(t), t < 1.",
        "wrong plan: step 1: move(r,left,1) does not apply",
    ),
    # A gigabyte of plan.
    (
        f"{STEP} {{ occurs(b(1..3000,1..3000),t) }}. {CHECK} :- query(t), t < 1.",
        "no answer: memory limit of 250 MB reached while grounding",
    ),
]


@pytest.mark.parametrize(("text", "line"), ODD)
def test_odd_submissions_get_a_mark(tmp_path: Path, text: str, line: str) -> None:
    (tmp_path / "odd.lp").write_text(text)
    limit = "1" if "time" in line else "600"
    limits = ["--memory-limit", "250", "--time-limit", limit]
    done = run(
        *("grade", "rush_hour", "odd.lp", str(CLASS / "ada.lp"), "--instances", "two_cars"),
        *limits,
        cwd=tmp_path,
        timeout=250,
        fresh="memory" in line,  # a fork begins with the memory of its parent
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"\n  two_cars: {line}" in " ".join(done.stdout.split("    "))
    if limit != "1":
        assert "\n ada              1" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["odd.lp"]


def test_a_refusal_keeps_its_hint(tmp_path: Path) -> None:
    """The text, the page and the rows have the hint of `solve`."""
    (tmp_path / "eve.lp").write_text('#include "../secret.lp".')
    outputs = ("-o", "marks.html", "-o", "marks.csv")
    done = run("grade", "rush_hour", "eve.lp", "--instances", "two_cars", *outputs, cwd=tmp_path)
    assert "\n    if you trust it, add --allow-includes\n" in done.stdout
    [row] = csv.DictReader(io.StringIO((tmp_path / "marks.csv").read_text()))
    assert row["hint"] == "if you trust it, add --allow-includes"
    assert row["hint"] in (tmp_path / "marks.html").read_text()


def _link(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def _text(text: str) -> Callable[[Path], None]:
    return lambda path: path.write_text(text) and None


# The files that eve lays, in a folder `class` beside `teacher` and `ada.lp`; what she hands in; why
# that is refused.
WAYS_OUT: dict[str, tuple[dict[str, Callable[[Path], None]], str, str]] = {
    "a linked file": ({"eve.lp": _link("../teacher/key.lp")}, "eve.lp", "is a link to a file"),
    "an absolute link": ({"eve.lp": _link("TMP/teacher/key.lp")}, "eve.lp", "is a link to a file"),
    "a chain of links": (
        {"eve.lp": _link("step"), "step": _link("../teacher/key.lp")},
        "eve.lp",
        "is a link to a file",
    ),
    "a linked folder": ({"eve": _link("../teacher")}, "eve", "is a link to a folder elsewhere"),
    "a linked file in a folder": (
        {"eve/mine.lp": _link("../../teacher/key.lp")},
        "eve",
        "eve/mine.lp is a link to a file",
    ),
    "a link through a linked folder": (
        {"eve/sub": _link("../../teacher"), "eve/mine.lp": _link("sub/key.lp")},
        "eve",
        "eve/mine.lp is a link to a file",
    ),
    "a link to the file of another": ({"eve.lp": _link("ada.lp")}, "eve.lp", "of the submission a"),
    "an include above": ({"eve.lp": _text('#include "../teacher/key.lp".')}, "eve.lp", "not below"),
    "an absolute include": (
        {"eve.lp": _text('#include "TMP/teacher/key.lp".')},
        "eve.lp",
        "not below",
    ),
    "an include through a link": (
        {"eve/k": _link("../../teacher/key.lp"), "eve/mine.lp": _text('#include "k".')},
        "eve",
        "not below",
    ),
    "an include through a linked folder": (
        {"eve/sub": _link("../../teacher"), "eve/mine.lp": _text('#include "sub/key.lp".')},
        "eve",
        "not below",
    ),
    "an include that goes down and up": (
        {
            "eve/sub/x": _text(""),
            "eve/mine.lp": _text('#include "sub/../../../teacher/key.lp".'),
        },
        "eve",
        "not below",
    ),
    "an include within an include": (
        {
            "eve/sub/x.lp": _text('#include "../../../teacher/key.lp".'),
            "eve/mine.lp": _text('#include "sub/x.lp".'),
        },
        "eve",
        "not below",
    ),
    "an include of the file of another": (
        {"eve.lp": _text('#include "ada.lp".')},
        "eve.lp",
        "it reads a file of the submission ada",
    ),
    "an include from the folder of another": (
        {"eve.lp": _text('#include "ben/key.lp".')},
        "eve.lp",
        "it reads a file of the submission ben",
    ),
    "a device": ({"eve/mine.lp": _link("/dev/zero")}, "eve", "is a link to a file"),
    "a pipe": ({"eve/mine.lp": os.mkfifo}, "eve", "eve/mine.lp is not a regular file"),
    "an included pipe": (
        {"eve/pipe": os.mkfifo, "eve/mine.lp": _text('#include "pipe".')},
        "eve",
        "pipe is not a regular file",
    ),
    "a link to nothing": ({"eve/mine.lp": _link("nothing")}, "eve", "is not a regular file"),
    "a link to itself": ({"eve/mine.lp": _link("mine.lp")}, "eve", "is not a regular file"),
}


@pytest.mark.parametrize("way", WAYS_OUT)
def test_a_submission_cannot_read_files_of_others(tmp_path: Path, way: str) -> None:
    """Eve gets no mark for files of others, and the others are graded."""
    laid, handed_in, why = WAYS_OUT[way]
    right = (CLASS / "ada.lp").read_text()
    for name in ("teacher/key.lp", "class/ada.lp", "class/ben/key.lp"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(right)
    for name, lay in laid.items():
        path = tmp_path / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lay(path)
        _make_absolute(path, tmp_path)
    words = ["grade", "rush_hour", "ada.lp", "ben", handed_in, "--instances", "two_cars", "--json"]
    done = run(*words, cwd=tmp_path / "class")
    assert (done.returncode, done.stderr) == (0, "")
    marks = json.loads(done.stdout)["marks"]
    verdicts = [(mark["submission"], mark["verdict"]) for mark in marks]
    assert verdicts == [("ada", "right"), ("ben", "right"), ("eve", "refused")]
    assert why in marks[-1]["why"]


def _make_absolute(path: Path, root: Path) -> None:
    """Put the folder of the test for TMP, in a link or in a text."""
    if path.is_symlink():
        target = str(path.readlink())
        path.unlink()
        path.symlink_to(target.replace("TMP", str(root)))
    elif path.is_file():
        path.write_text(path.read_text().replace("TMP", str(root)))


def test_a_linked_folder_of_submissions_is_graded(tmp_path: Path) -> None:
    """The teacher's own link to the folder of the class leads nobody out of it."""
    (tmp_path / "year").mkdir()
    (tmp_path / "year" / "ada.lp").write_text((CLASS / "ada.lp").read_text())
    (tmp_path / "now").symlink_to("year")
    done = run("grade", "rush_hour", "now/ada.lp", "--instances", "two_cars", cwd=tmp_path)
    assert "\n ada              1" in done.stdout


def test_marks_are_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ada.lp").write_text((CLASS / "ada.lp").read_text())
    (tmp_path / "precious").write_text("kept")
    (tmp_path / "class" / "marks.csv").symlink_to("../precious")
    words = ["grade", "rush_hour", "ada.lp", "--instances", "two_cars", "-o", "marks.csv"]
    done = run(*words, cwd=tmp_path / "class")
    assert done.returncode == 2
    assert "marks.csv: it is a link to a file outside of its folder" in done.stderr
    assert (tmp_path / "precious").read_text() == "kept"


def test_instances_in_a_folder_do_not_lead_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "boards").mkdir()
    (tmp_path / "boards" / "x.lp").symlink_to(BOARDS / "down.lp")
    done = run("grade", "rush_hour", *of_class("ada.lp"), "--instances", "boards", cwd=tmp_path)
    assert done.returncode == 2
    assert "boards/x.lp is a link to a file outside of its folder" in done.stderr


def test_a_right_claim_of_unsolvability_is_right() -> None:
    done = run("grade", "rush_hour", *of_class("ida.lp"), "--instances", "unsolvable")
    assert "\n ida              1" in done.stdout
    assert "Shortest plans: unsolvable: no plan\n" in done.stdout


def test_constants_choose_the_variant_of_the_judge(tmp_path: Path) -> None:
    (tmp_path / "slide.lp").write_text(
        f"{STEP} occurs(move(b,down,2),t) :- t=1. occurs(move(r,right,4),t) :- t=2."
        f"{CHECK} :- query(t), t < 2."
    )
    words = ["grade", "rush_hour", "slide.lp", "--instances", "two_cars"]
    done = run(*words, cwd=tmp_path)
    why = "two_cars: wrong plan: step 1: move(b,down,2) does not apply: metric step moves"
    assert why in done.stdout
    assert "\n slide            1" in run(*words, "--metric", "slide", cwd=tmp_path).stdout


def test_submissions_have_unique_names(tmp_path: Path) -> None:
    for name in ("anna/plan.lp", "ben/plan.lp", "ben/more/rules.lp"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    data = json.loads(
        run(
            *("grade", "rush_hour", "anna", "ben", "anna/plan.lp", "./ben", "--json"),
            *("--instances", "two_cars"),
            cwd=tmp_path,
        ).stdout
    )
    assert [mark["submission"] for mark in data["marks"]] == ["anna", "ben"]
    assert distinct_names([Path("a/x.lp"), Path("b/x.lp"), Path("y")]) == ["a/x", "b/x", "y"]


def test_the_files_of_a_folder_may_include_each_other(tmp_path: Path) -> None:
    text = (CLASS / "ada.lp").read_text()
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "main.lp").write_text('#include "rules.lp".')
    (tmp_path / "ada" / "rules.lp").write_text(f"#const far = 1. {text}")
    (tmp_path / "ada" / "draw.lp").write_text("no program")
    done = run("grade", "rush_hour", "ada", "--instances", str(BOARDS), cwd=tmp_path)
    assert "\n ada              2" in done.stdout


def test_hostile_names_and_reasons_are_text_in_the_page(tmp_path: Path) -> None:
    (tmp_path / "<b>&.lp").write_text('occurs("<i>" .')
    words = ["<b>&.lp", "--instances", "two_cars", "-o", "marks.html"]
    assert run("grade", "rush_hour", *words, cwd=tmp_path).returncode == 0
    text = (tmp_path / "marks.html").read_text()
    assert "<h3>&lt;b&gt;&amp;</h3>" in text
    assert "<i>" not in text


BAD = [
    (["rush_hours", "ada.lp"], "there is no domain rush_hours with a model\n  did you mean r"),
    (["rush_hour", "nobody.lp"], "no such file: nobody.lp"),
    (["rush_hour", "/dev/null"], "/dev/null is not a regular file"),
    (["rush_hour", "empty"], "empty has no .lp or .pddl file"),
    (["rush_hour", "ada.lp", "--instances", "empty"], "empty has no .lp or .pddl file"),
    (["rush_hour", "ada.lp", "--instances", "eight10"], "rush_hour has no instance eight10"),
    (
        ["rush_hour", "ada.lp", "--instances", "two_car"],
        "rush_hour has no instance two_car\n  did you mean two_cars?\n",
    ),
    (["rush_hour", "ada.lp", "--instances", "sliding_tiles/eight10"], "{} is not an instance of r"),
    (["rush_hour", "ada.lp", "-o", "marks.pdf"], "marks.pdf: the name must end with .html or .csv"),
    (["rush_hour", "ada.lp", "-o", "none/a.csv"], "cannot write none/a.csv: there is no folder"),
    (["rush_hour", "ada.lp", "--metric", "no"], "metric=no: metric must be step or slide"),
    (["pddl", "ada.lp"], "no instance that ships with pddl states the length of its shortest plan"),
    (
        ["rush_hour", "ada.lp", "--time-limit", "0"],
        "two_cars has no shortest plan to compare with: time limit of 0 s reached",
    ),
]


@pytest.mark.parametrize(("words", "message"), BAD)
def test_bad_usage_is_refused(tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "ada.lp").write_text((CLASS / "ada.lp").read_text())
    (tmp_path / "empty").mkdir()
    done = run("grade", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    head, _, tail = message.partition("{}")
    assert done.stderr.startswith(f"asplan: {head}")
    assert tail in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ada.lp", "empty"]


def test_marks_before_an_interrupt_are_printed(tmp_path: Path) -> None:
    """The second submission grounds too long; the memory of its worker shows that it runs."""
    endless = "t(1..3000,1..3000,1..3000)."
    (tmp_path / "endless.lp").write_text(f"{endless} {STEP} {CHECK}")
    words = [*of_class("ada.lp"), "endless.lp", "--instances", "two_cars", "-o", "marks.csv"]
    limits = ["--time-limit", "600", "--memory-limit", "4000"]
    # In the background an interrupt is ignored from the start.
    heeds = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    main = f"import signal; {heeds}; from asplan.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", main, "grade", "rush_hour", *words, *limits],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        while not any(map(_is_large, psutil.Process(process.pid).children())):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130
    assert "\n ada              1" in out
    assert err == "asplan: interrupted after 1 of 2; nothing was written into marks.csv\n"
    assert [path.name for path in tmp_path.iterdir()] == ["endless.lp"]


def _is_large(process: psutil.Process) -> bool:
    try:
        return bool(process.memory_info().rss > 200 * 2**20)
    except psutil.Error:
        return False
