"""The studies of the report: sizes near the printed ones, and runs of both kinds of programs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from asplan import catalog

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
import report


def test_the_ground_programs_have_nearly_the_printed_sizes(tmp_path: Path) -> None:
    ours = {name: report.printed(report.single_shot(name)) for name in report.SIZES}
    for name, known in report.SIZES.items():
        assert all(abs(a / b - 1) < 0.06 for a, b in zip(ours[name], known, strict=True))
    assert abs(ours[report.NEW][0] / report.SIZES[report.NEW][0] - 1) < 0.003
    board = report.overlapping_board()
    own = report.printed(report.single_shot(report.TUPLE), board)
    lines, words = (a / b for a, b in zip(own[:2], report.SIZES[report.TUPLE], strict=False))
    assert abs(lines - 1) < 0.0005
    assert abs(words - 1) < 0.0005
    lines = {name: size[0] for name, size in ours.items()}
    known = report.SIZES[report.TUPLE][0] / report.SIZES[report.NEW][0]
    assert abs(lines[report.TUPLE] / lines[report.NEW] - known) < 0.02
    assert report.printed(report.guarded(tmp_path))[0] < 0.72 * lines[report.NEW]


@pytest.mark.parametrize("mode", ["fixed", "minimize", "incremental"])
@pytest.mark.parametrize("name", [report.OLD, report.NEW, report.TUPLE])
def test_a_run_finds_the_optimum(name: str, mode: str) -> None:
    is_single_shot = mode != "incremental"
    if not is_single_shot and name == report.OLD:
        name = f"{report.NEW}:inertia=anonymous"
    method = report.Method(name, is_single_shot, mode)
    files = method.files(catalog.find_instance("two_cars"))
    figures = method.call(files, 8 if mode == "minimize" else 6, 6)
    seconds, choices, conflicts, restarts, *times = figures
    assert seconds > 0
    assert len(times) == (2 if is_single_shot else 0)
    assert choices > 0
    assert conflicts >= 0
    assert restarts >= 0
    if is_single_shot:
        with pytest.raises(AssertionError):
            method.call(files, 5, 5)


def test_headers_of_the_ten_boards_give_their_optima() -> None:
    assert [report.optimum(board) for board in report.BOARDS] == [
        *(21, 39, 34, 40, 35),
        *(103, 110, 75, 102, 85),
    ]


def test_an_unknown_study_is_refused() -> None:
    command = [sys.executable, report.__file__, "size"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert re.search(r"no study size; there are sizes, inertia, boards, ways\n$", done.stderr)
