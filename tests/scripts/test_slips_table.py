"""The table of slips: programs without a slip get no warning, and few slips stay silent."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

MOST_SILENT = 18
"""Slips that may stay silent; a check that finds one more lowers it."""


def test_few_slips_are_silent_and_no_correct_program_is_warned_of() -> None:
    command = [sys.executable, ROOT / "scripts" / "slips.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "false warnings: none"
    assert sum(line.endswith(" silent") for line in lines) <= MOST_SILENT
