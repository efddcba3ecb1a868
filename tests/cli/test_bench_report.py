"""`asplan bench report` and `asplan bench compare` as a user meets them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "bench"))
from made_results import a_start, failed, late, results, solved, written

from asplan.bench.records import Record
from conftest import run

OLD = [solved("i1", "a", 1.0), solved("i2", "a", 4.0), late("i1", "b"), solved("i2", "b", 1.0)]


def folder(path: Path, records: list[Record], torn: str = "") -> Path:
    return written(path, results(records), torn)


def test_report(tmp_path: Path) -> None:
    made = folder(tmp_path / "made", OLD)
    done = run("bench", "report", str(made), "--by", "cpu", "--baseline", "b", "--pair", "b", "a")
    assert (done.returncode, done.stderr) == (0, "")
    files = [made / name for name in ("report.html", "report.md", "runs.csv")]
    assert done.stdout.splitlines() == [str(path) for path in files]
    assert all(path.is_file() for path in files)


def suite_of(*methods: bool | str | None) -> str:
    """A suite with an engine, or with programs that are rewritten, are not, or as it happens."""
    tables = ['name = "rewriting"\n[[instances]]\nfiles = ["two_cars"]']
    for number, method in enumerate(methods, 1):
        engine = method if isinstance(method, str) else "asp"
        tables.append(f'[[methods]]\nname = "{engine}{number}"\nengine = "{engine}"')
        if isinstance(method, bool):
            tables.append(f"rewrite = {str(method).lower()}")
    return "\n".join(tables)


@pytest.mark.parametrize(
    ("suite", "said"),
    [
        (
            suite_of(None, False, "bfs"),
            " asplan's rewriting of programs was on for asp1, off for asp2.",
        ),
        (suite_of("bfs"), ""),
    ],
    ids=["mixed", "search"],
)
def test_a_report_names_methods_with_rewriting(suite: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(suite)
    assert run("bench", "run", "s.toml", "-o", "out", cwd=tmp_path).returncode == 0
    assert run("bench", "report", "out", cwd=tmp_path).returncode == 0
    lead = (tmp_path / "out" / "report.md").read_text().splitlines()[2]
    assert lead.endswith(f"compared by CPU time.{said}")


def test_report_of_a_torn_line(tmp_path: Path) -> None:
    made = folder(tmp_path / "made", OLD, '{"kind":')
    done = run("bench", "report", str(made))
    assert (done.returncode, done.stderr) == (
        0,
        'asplan: warning: The last line of runs.jsonl was cut off and is left out: {"kind":\n',
    )


def test_compare(tmp_path: Path) -> None:
    new = [
        *(solved("i1", "a", 2.0), solved("i2", "a", 1.0)),
        *(solved("i1", "b", 1.0), late("i2", "b")),
    ]
    words = [str(folder(tmp_path / "old", OLD)), str(folder(tmp_path / "new", new))]
    done = run("bench", "compare", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        "2 changes rest on a single repetition and may be noise; set repetitions = 3 or more in "
        "the suite to tell\n"
        "no longer solved: 1\n"
        "  i2, b: old 1.00 s; time limit of 10 s reached while solving\n"
        "slower: 1\n"
        "  i1, a: old 1.00 s, new 2.00 s, x 2.00\n"
        "faster: 1\n"
        "  i2, a: old 4.00 s, new 1.00 s, x 0.25\n"
        "newly solved: 1\n"
        "  i1, b: new 1.00 s\n"
        "\n"
        "CPU time, new divided by old"
    )
    done = run("bench", "compare", *words, "--json", "--factor", "3")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert {k: v for k, v in found.items() if k not in ("ratios", "differences")} == {
        "by": "cpu",
        "worse": False,
        "counts": {
            "newly wrong": 0,
            "newly failed": 0,
            "no longer solved": 1,
            "slower": 0,
            "faster": 1,
            "newly solved": 1,
        },
        "notes": [
            "1 change rests on a single repetition and may be noise; set repetitions = 3 or more "
            "in the suite to tell"
        ],
    }
    assert found["ratios"]["a"]["over"] == 2
    assert found["ratios"]["b"] is None
    assert found["differences"][1] == {
        "change": "faster",
        "instance": "i2",
        "method": "a",
        "old": 4.0,
        "new": 1.0,
        "text": "",
    }


def test_compare_in_other_forms(tmp_path: Path) -> None:
    new = [solved("i1", "a", 2.0), solved("i2", "a", 1.0), solved("i1", "b", 1.0)]
    words = [str(folder(tmp_path / "old", OLD)), str(folder(tmp_path / "new", new))]
    values = run("bench", "compare", *words, "--csv").stdout.splitlines()
    assert values[0] == "change,instance,method,old,new,ratio,95 % interval,remark"
    assert "slower,i1,a,1.00,2.00,2.00,," in values
    same = run("bench", "compare", words[0], words[0], "--csv").stdout.splitlines()
    assert [line.split(",")[:3] for line in same[1:]] == [
        ["all instances", "", method] for method in "ab"
    ]
    for form, line in (
        ("--markdown", "| slower | i1 | a | 1.00 | 2.00 |  |"),
        ("--latex", "slower & i1 & a & 1.00 & 2.00 &  \\\\"),
    ):
        done = run("bench", "compare", *words, form)
        assert (done.returncode, done.stderr) == (0, "")
        assert line in done.stdout.splitlines()
        assert "new divided by old" in done.stdout


WORSE = {
    "wrong": (
        failed("i1", "a", "step 1: no", invalid=True),
        "newly wrong: 1\n  i1, a: invalid plan: step 1: no\n",
    ),
    "failed": (failed("i1", "a", "no memory"), "newly failed: 1\n  i1, a: no memory\n"),
}


@pytest.mark.parametrize("name", WORSE)
def test_compare_where_something_became_wrong(name: str, tmp_path: Path) -> None:
    record, said = WORSE[name]
    words = [str(folder(tmp_path / "old", OLD)), str(folder(tmp_path / "new", [record, *OLD[1:]]))]
    done = run("bench", "compare", *words)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(said)
    assert run("bench", "compare", *words, "--json").returncode == 1


def test_compare_the_same(tmp_path: Path) -> None:
    made = str(folder(tmp_path / "old", OLD))
    done = run("bench", "compare", made, made)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("no instance changed by more than noise\n")


def test_compare_another_suite(tmp_path: Path) -> None:
    old = folder(tmp_path / "old", OLD)
    new = written(tmp_path / "new", results(OLD, a_start(limit=20.0)))
    done = run("bench", "compare", str(old), str(new))
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "asplan: the results are of different suites: limits.seconds: 10.0, and 20.0\n"
        "  compare results of one suite, before and after a change\n",
    )


def test_the_commands_of_the_group() -> None:
    done = run("bench", "--help")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.partition("Commands:\n")[2].splitlines()] == [
        "run",
        "report",
        "export",
        "compare",
    ]
    done = run("bench", "nothing")
    assert done.returncode == 2
    assert done.stderr.startswith("asplan: no such command 'nothing'\n")
