"""Wrong inputs as data: how each is answered, word for word."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from attacks import Attack, Content, Text, faults, run
from words import FILES

TABLE = Path(__file__).with_name("wrong_inputs.toml")


@dataclass(frozen=True)
class Input:
    """A table of the file."""

    about: str
    words: str | list[Text]
    said: list[str]
    status: int = 2
    files: dict[str, Content] = field(default_factory=dict)
    around: dict[str, Any] = field(default_factory=dict)

    def attack(self) -> Attack:
        words = self.words.split() if isinstance(self.words, str) else self.words
        return Attack(tuple(words), {**FILES, **self.files}, self.around)


INPUTS = [Input(**table) for table in tomllib.loads(TABLE.read_text())["input"]]


WARNING = "asplan: warning: "
WARNED = re.compile(rf"^{WARNING}.*\n(?:  .*\n)?", re.M)
"""What may stand before the error, of programs that are odd in other ways, too."""


@pytest.mark.parametrize("wrong", INPUTS, ids=lambda wrong: wrong.about)
def test_a_wrong_input_is_answered(wrong: Input, tmp_path: Path) -> None:
    ended = run(wrong.attack(), tmp_path)
    assert not faults(ended), ended
    assert ended.status == wrong.status, ended
    said = "".join(f"{line}\n" for line in wrong.said).replace("{folder}", str(tmp_path))
    error = ended.err if said.startswith(WARNING) else WARNED.sub("", ended.err)
    assert re.fullmatch(re.escape(said).replace(re.escape("{any}"), ".*"), error), ended.err
    if "--json" in wrong.words and not wrong.around:
        assert ended.out == "" or json.loads(ended.out)
    attack = wrong.attack()
    given = {tmp_path / name for name in [*attack.files, "out", "err"]}
    assert {path for path in tmp_path.rglob("*") if not path.is_dir()} <= given


def test_every_input_has_a_name_of_its_own() -> None:
    assert len({wrong.about for wrong in INPUTS}) == len(INPUTS) > 350
