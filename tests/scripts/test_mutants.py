"""Mutants of an encoding: each kind breaks one rule, and leaves all other lines as they are."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
import mutants as script
from lib.mutants import KINDS, mutants

ORIGIN = Path(__file__).parents[2] / "encodings" / "rush_hour" / "origin.lp"
ORDER = ORIGIN.with_name("order.lp")  # includes another file


@pytest.mark.parametrize("file", [ORIGIN, ORDER], ids=lambda file: file.stem)
def test_all_kinds_break_a_rule_of_the_file(file: Path) -> None:
    original = file.read_text(encoding="utf-8").splitlines()
    found = list(islice(mutants(file, 1), 60))
    assert {mutant.kind for mutant in found} == set(KINDS)
    for mutant in found:
        first, last = mutant.lines
        lines = mutant.text.splitlines()
        assert lines[: first - 1] == original[: first - 1]
        assert lines[last:] == original[last:]
        assert original[first - 1 : last] != lines[first - 1 : last]
        broken = "\n".join(original[first - 1 : last])
        assert all(name in broken for name in mutant.derives)


@pytest.mark.parametrize("seed", range(3))
def test_a_misspelt_name_lacks_one_letter(seed: int) -> None:
    mutant = next(script.misspelt(ORIGIN, seed))
    assert len(mutant.before) == len(mutant.after) + 1
    assert mutant.kind == script.MISSPELT
