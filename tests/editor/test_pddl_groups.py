"""Groups in parentheses in PDDL that may be half typed."""

from __future__ import annotations

import pytest

pytest.importorskip("pygls")

from asplan.editor.pddl import _read_groups


@pytest.mark.parametrize("depth", [1, 98, 99, 100, 500])
def test_a_group_ends_at_its_own_parenthesis(depth: int) -> None:
    """However deep the groups inside are: very deep ones are not kept."""
    text = "(" + "(" * depth + ")" * depth + " p) (q)"
    root, _ = _read_groups(text)
    spans = [text[group.start : group.end] for group in root.groups]
    assert spans == [text[:-4], "(q)"]
