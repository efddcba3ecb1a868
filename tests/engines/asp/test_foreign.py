"""Programs that asplan does not run; each has its message, word for word."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import asplan
from conftest import HERE

FILES = sorted((HERE / "foreign").glob("*.lp"))
MESSAGES = tomllib.loads((HERE / "foreign" / "messages.toml").read_text())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_message(file: Path) -> None:
    with pytest.raises(asplan.AsplanError) as caught:
        asplan.solve(file, max_horizon=5)
    assert str(caught.value) == MESSAGES[file.stem].strip("\n").replace("{file}", str(file))
    assert caught.value.exit_status == 2


def test_twenty_programs_at_least() -> None:
    assert sorted(MESSAGES) == [file.stem for file in FILES]
    assert len(FILES) >= 20
