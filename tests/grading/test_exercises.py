"""An exercise of every kind: a worksheet with gaps, which its solution grades."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

from asplan.cli.new import TEMPLATES, start_exercise
from asplan.grading.worksheets import Gap, cut_gaps
from conftest import run

# For each kind: the program, the reason of the worksheet with its gaps, and two typical mistakes,
# each with its text, what it is changed into, and the reason.
KINDS = {
    "grid": (
        "encoding.lp",
        "after step 0 the goal does not hold, by the rule solution/encoding.lp:72:",
        (
            (
                "unfinished(t) :- carries(t,N), N > 0.",
                "",
                "does not hold, by the rule solution/encoding.lp:72: :- query(t), unfinished(t).",
            ),
            (
                "at(t-1,X,Y), not flies(t).",
                "at(t-1,X,Y).",
                "does not apply: ",
            ),
        ),
    ),
    "blocks": (
        "encoding.lp",
        "after step 0 the goal does not hold, by the rule solution/encoding.lp:51:",
        (
            (
                ":- occurs(move(_,P),t), covered(t-1,P).",
                "",
                "step 1: move(b,a) breaks the rule solution/encoding.lp:35 with P=a: "
                ":- occurs(move(_,P),t), covered(t-1,P).",
            ),
            (
                ":- occurs(move(B,_),t), covered(t-1,B).",
                "",
                "breaks the rule solution/encoding.lp:34 with B=",
            ),
        ),
    ),
    "single-shot": (
        "encoding.lp",
        "encoding.lp:30:1: the worksheet has gaps, so it has no plans yet: fill GAP 1, GAP 2",
        (
            (
                ":- eats(I,J), at(I,S,T), at(J,S,T), not at(farmer,S,T).",
                "",
                "breaks the rule solution/encoding.lp:38 with I=wolf, J=goat, S=left: ",
            ),
            (
                ":- cross(I,T), item(I), at(farmer,S,T-1), not at(I,S,T-1).",
                "",
                "breaks the rule solution/encoding.lp:30 with I=",
            ),
        ),
    ),
    "telingo": (
        "encoding.lp",
        "step 1: leave(ann) breaks the rule solution/encoding.lp:36 with P=ann: ",
        (
            (
                ":- leave(P), 'at(N), not _wants(P,N).",
                "",
                "breaks the rule solution/encoding.lp:37 with P=ann, N=",
            ),
            (
                ":- enter(P), 'at(N), not 'waits(P,N).",
                "",
                "breaks the rule solution/encoding.lp:35 with P=ann, N=",
            ),
        ),
    ),
    "pddl": (
        "domain.pddl",
        "(leave book mill) does not apply: (here mill) does not hold",
        (
            (
                "(and (here ?a) (carried ?p))",
                "(and (here ?a))",
                "(leave book mill) does not apply: (carried book) does not hold",
            ),
            (
                "(and (here ?a) (carried ?p))",
                "(and (carried ?p))",
                "(leave book mill) does not apply: (here mill) does not hold",
            ),
        ),
    ),
}


@pytest.mark.parametrize("kind", TEMPLATES)
def test_the_whole_way_of_an_exercise(kind: str, tmp_path: Path) -> None:
    """The solution gets full marks; the worksheet and typical mistakes get named reasons."""
    program, of_gaps, mistakes = KINDS[kind]
    done = run("new", "own", "--kind", kind, "--exercise", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    home = tmp_path / "own"
    right = (home / "solution" / program).read_text()
    assert (home / "worksheet" / program).read_text().count(" GAP ") == 3
    copytree(home / "solution", home / "submissions" / "ada")
    for name, (old, new, _) in zip(("ben", "cleo"), mistakes, strict=True):
        assert right.count(old) == 1
        copytree(home / "worksheet", home / "submissions" / name)
        (home / "submissions" / name / program).write_text(right.replace(old, new))
    people = ("worksheet", "submissions/ada", "submissions/ben", "submissions/cleo")
    done = run("grade", f"solution/{program}", *people, "--json", cwd=home, timeout=250)
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout)
    reasons: dict[str, list[str]] = {}
    for mark in data["marks"]:
        reasons.setdefault(mark["submission"], []).append(mark["why"] or mark["verdict"])
    assert set(reasons["ada"]) == {"right"}
    assert all(reason != "right" for reason in reasons["worksheet"])
    assert of_gaps in reasons["worksheet"][0]
    for name, (_, _, why) in zip(("ben", "cleo"), mistakes, strict=True):
        assert any(why in reason for reason in reasons[name]), reasons[name]


# For each kind: a rule of the solution, what a submission has instead, the instance on which its
# shortest plan is right, and the reason why another of its plans is wrong. The states of telingo's
# programs are not enumerated, but their plans are.
LOOSE = [
    (
        "grid",
        "hive(X,Y), carries(t,N), N > 0.",
        "hive(X,Y), carries(t,N).",
        "first",
        "step 1: pour does not apply: N > 0 does not hold with X=1, Y=1, N=0",
    ),
    (
        "single-shot",
        "not at(farmer,S,T).",
        "not at(farmer,S,T), S = left.",
        "second",
        "step 4: cross(nobody) breaks the rule solution/encoding.lp:38 with I=hen, J=corn1, S=",
    ),
    (
        "telingo",
        ":- enter(P), 'at(N), not 'waits(P,N).",
        "",
        "first",
        "enter(ann) breaks the rule solution/encoding.lp:35 with P=ann, N=3",
    ),
    (
        "pddl",
        "(not (free)) ",
        "",
        "second",
        "step 3: (take lamp mill) does not apply: (free) does not hold",
    ),
]


@pytest.mark.parametrize(
    ("kind", "old", "new", "instance", "why"), LOOSE, ids=[each[0] for each in LOOSE]
)
def test_a_submission_that_allows_a_wrong_plan_is_too_loose(
    kind: str, old: str, new: str, instance: str, why: str, tmp_path: Path
) -> None:
    program, *_ = KINDS[kind]
    start_exercise("own", tmp_path, kind)
    solution = tmp_path / "own" / "solution"
    text = (solution / program).read_text()
    assert text.count(old) == 1
    own = (tmp_path / "own" / program).with_stem("ben")
    own.write_text(text.replace(old, new))
    folder = next(
        solution / name for name in ("instances", "problems") if (solution / name).is_dir()
    )
    file = next(folder.glob(f"{instance}.*"))
    words = ["grade", f"solution/{program}", own.name, "--instances", str(file), "--json"]
    (mark,) = json.loads(run(*words, cwd=tmp_path / "own", timeout=250).stdout)["marks"]
    assert (mark["verdict"], mark["mistake"]) == (
        "too loose",
        "another plan is allowed that is wrong",
    )
    assert mark["why"].startswith("it allows another plan, which is wrong: ")
    assert why in mark["why"]
    assert mark["hint"].startswith("that plan: ")
    assert len(mark["plan"]) == mark["steps"]


def test_a_submission_that_refuses_a_shortest_plan_is_too_strict(tmp_path: Path) -> None:
    """Two towers may be built in any order; the submission builds that on b first."""
    start_exercise("shelves", tmp_path, "blocks")
    home = tmp_path / "shelves"
    text = (home / "solution" / "encoding.lp").read_text()
    order = "\n#program step(t). :- occurs(move(c,d),1).\n"
    (home / "ben.lp").write_text(text + order)
    facts = "block(a;b;c;d). on(a;b;c;d,table). wanted(a,b). wanted(c,d).\n"
    (home / "towers.lp").write_text(facts.replace("on(a;b;c;d,table)", "on(B,table) :- block(B)"))
    words = ["grade", "solution/encoding.lp", "ben.lp", "--instances", "towers.lp", "--json"]
    (mark,) = json.loads(run(*words, cwd=home, timeout=250).stdout)["marks"]
    assert (mark["verdict"], mark["mistake"]) == ("too strict", "another shortest plan is refused")
    rule = f"ben.lp:{len((text + order).splitlines())}: :- occurs(move(c,d),1)."
    why = f"it refuses another shortest plan: step 1: move(c,d) breaks the rule {rule}"
    assert mark["why"] == why
    assert mark["hint"] == "that plan: move(c,d), move(a,b)"
    assert mark["plan"] == [["move(a,b)"], ["move(c,d)"]]


def test_submissions_have_the_constants_of_the_reference(tmp_path: Path) -> None:
    """The second submission does not use the constant, so it does not get it."""
    program = """
        #const last={}.
        #program base. at(0,0). place(0..last).
        #program step(t). {{ occurs(go,t) }} 1. at(X+1,t) :- at(X,t-1), occurs(go,t).
        at(X,t) :- at(X,t-1), not occurs(go,t).
        #program check(t). :- query(t), not at(last,t). #show occurs/2.
    """
    (tmp_path / "own.lp").write_text(program.format(2))
    (tmp_path / "ada.lp").write_text(program.format(9))
    (tmp_path / "ben.lp").write_text(program.format(9).replace("last", "end"))
    (tmp_path / "facts.lp").write_text("speed(1).\n")
    words = ["own.lp", "ada.lp", "ben.lp", "--instances", "facts.lp", "-c", "last=3", "--json"]
    done = run("grade", *words, cwd=tmp_path, timeout=250)
    assert (done.returncode, done.stderr) == (0, "")
    marks = {mark["submission"]: mark for mark in json.loads(done.stdout)["marks"]}
    assert (marks["ada"]["verdict"], marks["ada"]["steps"]) == ("right", 3)
    assert (marks["ben"]["verdict"], marks["ben"]["steps"]) == ("wrong plan", 9)


def test_a_submission_may_wait_and_forbid_more_than_the_solution(tmp_path: Path) -> None:
    """It allows a step without a move, and forbids to move a block twice."""
    start_exercise("shelves", tmp_path, "blocks")
    home = tmp_path / "shelves"
    text = (home / "solution" / "encoding.lp").read_text()
    assert text.count("B != P } = 1") == 1
    text = text.replace("B != P } = 1", "B != P } 1")
    once = "\n#program step(t). :- occurs(move(B,_),t), occurs(move(B,_),t-1).\n"
    (home / "cleo.lp").write_text(text + once)
    done = run("grade", "solution/encoding.lp", "cleo.lp", "--json", cwd=home, timeout=250)
    marks = json.loads(done.stdout)["marks"]
    assert [mark["verdict"] for mark in marks] == ["right"] * 3


def test_the_tests_of_a_worksheet_pass_once_the_gaps_are_filled(tmp_path: Path) -> None:
    start_exercise("shelves", tmp_path, "blocks")
    home = tmp_path / "shelves"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]

    def status() -> int:
        done = subprocess.run(command, cwd=home / "worksheet", capture_output=True, timeout=240)
        return done.returncode

    assert status() == 1
    filled = (home / "solution" / "encoding.lp").read_text()
    (home / "worksheet" / "encoding.lp").write_text(filled)
    assert status() == 0


def test_a_gap_is_filled_by_a_line_below_it(tmp_path: Path) -> None:
    """Without the second gap no rule leads to the next state; the others may be left."""
    start_exercise("crossing", tmp_path, "single-shot")
    file = tmp_path / "crossing" / "worksheet" / "encoding.lp"
    text = file.read_text()
    first = next(line for line in text.splitlines() if "GAP 1" in line)
    file.write_text(text.replace(first, f"{first}\n:- cross(goat,T), time(T)."))
    done = run("solve", str(file), str(file.parent / "instances" / "first.lp"))
    assert done.returncode == 2
    assert "encoding.lp:35:1: the worksheet has gaps" in done.stderr
    assert "fill GAP 2, GAP 3\n  GAP 2: Say on which side each item is at time T" in done.stderr


def test_a_folder_of_submissions_is_no_submission(tmp_path: Path) -> None:
    start_exercise("crossing", tmp_path, "single-shot")
    home = tmp_path / "crossing"
    copytree(home / "solution", home / "submissions" / "ada")
    done = run("grade", "solution/encoding.lp", "submissions", cwd=home)
    assert done.returncode == 2
    assert done.stderr == (
        "asplan: submissions has no .lp or .pddl file\n"
        "  it has folders; to name them: submissions/*\n"
    )


def test_an_exercise_replaces_nothing(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    done = run("new", "own", "--exercise", cwd=tmp_path)
    assert done.returncode == 2
    assert "own exists already" in done.stderr
    assert list((tmp_path / "own").iterdir()) == []


def test_a_gap_that_is_not_in_the_program_is_refused() -> None:
    with pytest.raises(ValueError, match="lines of gap 2 do not occur exactly once"):
        cut_gaps("a.\nb.\n", [Gap("Define a.", "a."), Gap("Define c.", "c.")], "%")


def test_a_page_compares_with_the_plan_of_the_reference(tmp_path: Path) -> None:
    start_exercise("shelves", tmp_path, "blocks")
    wrong = (tmp_path / "shelves/solution/encoding.lp").read_text()
    (tmp_path / "ben.lp").write_text(wrong.replace(":- occurs(move(_,P),t), covered(t-1,P).", ""))
    words = ["grade", "shelves/solution/encoding.lp", "ben.lp", "-o", "marks/"]
    assert run(*words, cwd=tmp_path).returncode == 0
    page = (tmp_path / "marks" / "ben.html").read_text()
    assert "<li class=refused>move(b,a)</li>" in page
    assert "breaks the rule shelves/solution/encoding.lp:35 with P=a" in page
    # Pictures of three plans that are valid, and none of those that are not.
    assert page.count("data:image/svg+xml;base64,") == 3
