"""What counts as a change of a source file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
from lib.significant import significant

CODE = """
def double(n):
    if n < 0:
        raise ValueError(f"{n} is below 0")
    return 2 * n
"""
RULES = 'a(X) :- b(X,"%"), not c(X).\n'


@pytest.mark.parametrize(
    "text",
    [
        f'"""A module."""\n{CODE}',
        CODE.replace("def double(n):", 'def double(n):\n    """Return twice n."""'),
        CODE.replace("def double(n):", "def double(n: int) -> int:  # twice"),
        CODE.replace(" is below 0", " must be at least 0"),
        CODE.replace("2 * n", "(2*n)"),
    ],
)
def test_words_about_python_code_are_not_significant(text: str) -> None:
    assert significant("a.py", text) == significant("a.py", CODE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2 * n", "3 * n"),
        ("2 * n", "'2' * n"),
        ("n < 0", "n < 1"),
        ("ValueError", "KeyError"),
        ("(n)", "(n=1)"),
    ],
)
def test_python_code_is_significant(before: str, after: str) -> None:
    assert significant("a.py", CODE.replace(before, after)) != significant("a.py", CODE)


@pytest.mark.parametrize(
    "text", [f"% Derives a.\n{RULES}", f"%* Derives\n a. *%{RULES}", RULES.replace(" :-", "\n  :-")]
)
def test_comments_of_rules_are_not_significant(text: str) -> None:
    assert significant("a.lp", text) == significant("a.lp", RULES)


@pytest.mark.parametrize(
    ("before", "after"), [("not c", "c"), ('"%"', '"%%"'), ("a(X)", "a(Y)"), (" not c", "% not c")]
)
def test_rules_are_significant(before: str, after: str) -> None:
    assert significant("a.lp", RULES.replace(before, after)) != significant("a.lp", RULES)


def test_other_files_are_significant_as_they_are() -> None:
    assert significant("a.toml", "# a\nb = 1") != significant("a.toml", "b = 1")
