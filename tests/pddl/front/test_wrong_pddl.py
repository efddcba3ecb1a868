"""Wrong PDDL ends with the status and the message of the table."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from conftest import run

TABLE = tomllib.loads(Path(__file__).with_name("wrong_inputs.toml").read_text())
PLANS = {
    "wrong.plan": "; by hand\n(unlok Oak brass)\n",
    "oak.plan": "(unlock Oak brass)\n",
    "few.plan": "(unlock Oak)\n",
    "type.plan": "(unlock brass Oak)\n",
    "iron.plan": "(unlock oak brass)\n(unlock Iron brass)\n",
    "empty.plan": "; nothing\n",
}
WHOLE = "#program step(t). { occurs(go,t) }. #program check(t). :- query(t), t < 1."


def written(folder: Path, case: dict[str, Any]) -> None:
    """Write the files of a case."""
    base = dict(TABLE["base"])
    old, new = case.get("old"), case.get("new", "")
    if old is not None:
        (part,) = [part for part, text in base.items() if old in text]
        base[part] = base[part].replace(old, new)
    for part, text in base.items():
        (folder / f"{part}.pddl").write_text(text.lstrip())
    (folder / "alone").mkdir()
    (folder / "alone" / "problem.pddl").write_text(base["problem"])
    (folder / "whole.lp").write_text(WHOLE)
    for name, text in PLANS.items():
        (folder / name).write_text(text)


@pytest.mark.parametrize("case", TABLE["input"], ids=lambda case: case["about"])
def test_wrong_pddl(case: dict[str, Any], tmp_path: Path) -> None:
    written(tmp_path, case)
    words = shlex.split(case.get("words", "solve domain.pddl problem.pddl"))
    done = run(*words, cwd=tmp_path)
    if done.returncode == 3:
        assert case["said"] in done.stdout.splitlines()
    else:
        assert done.stderr == case["said"]
    assert done.returncode == case.get("status", 2)
