"""Every command, with words and files that nobody should give it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from attacks import MANY, Attack, faults, run
from hypothesis import given
from words import attacks, leaves


@pytest.mark.parametrize("name", leaves())
def test_attacks_end_as_documented(name: str) -> None:
    @MANY
    @given(attacks(name))
    def attack(found: Attack) -> None:
        folder = Path(tempfile.mkdtemp())
        try:
            ended = run(found, folder)
            assert not faults(ended), (found.words, found.around, ended)
            left = [p.name for p in folder.rglob("*") if p.name.endswith(".part")]
            assert not left, left
        finally:
            shutil.rmtree(folder)

    attack()
