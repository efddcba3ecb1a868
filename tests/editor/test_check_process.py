"""The process that checks files: each check of a text that changes is as good as a first check."""

from __future__ import annotations

import pytest

pytest.importorskip("pygls")

from asplan.core.limits import Limits
from asplan.editor.check_process import CheckProcess, open_check_process
from asplan.editor.checking import Findings, Order, check_files
from asplan.problem.inputs import TEXT
from editor.client import PATIENCE
from editor.test_editor import DARK, LAMP, SINGLE, TELINGO


def check(process: CheckProcess, number: int, text: str) -> Findings:
    process.orders.send((number, Order((TEXT,), {TEXT: text})))
    assert process.news.poll(PATIENCE)
    got, found = process.news.recv()
    assert got == number
    return found


def test_texts_are_checked_as_if_they_were_new() -> None:
    """Statements are reused, and a check is repeated for that after each change of lines."""
    texts = [
        *(LAMP, LAMP, LAMP.replace("lamp(L)", "lmp(L)", 1), LAMP, "\n" + LAMP, DARK, LAMP + "p("),
        *(SINGLE, SINGLE.replace("T-1", "T"), TELINGO, "", LAMP.replace("lit(L,t-1)", "lit(L,t)")),
    ]
    with open_check_process(Limits(60.0, 2000)) as process:
        for number, text in enumerate(texts):
            fresh = check_files(Order((TEXT,), {TEXT: text}))
            assert check(process, number, text) == fresh
