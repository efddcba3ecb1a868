"""The guides that explain an encoding rule by rule quote it as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SECTION = re.compile(r"^## `(\w+)`, rule by rule\n(.*?)(?=^## |\Z)", re.M | re.S)
QUOTED = re.compile(r"^```prolog\n(.*?)^```", re.M | re.S)
RULE = re.compile(r"(?<=\.)\n")
"""Between two rules; none is quoted with another one on its line."""


def packed(text: str) -> str:
    """A program without comments and blanks."""
    return re.sub(r"%.*|\s+", "", text)


def quotations() -> Iterator[tuple[Path, str]]:
    """Yield each rule that a page of a domain quotes, with its encoding."""
    for page in sorted((ROOT / "docs").glob("*.md")):
        for name, section in SECTION.findall(page.read_text(encoding="utf-8")):
            for quoted in QUOTED.findall(section):
                for rule in RULE.split(quoted.strip()):
                    yield ROOT / "encodings" / page.stem / f"{name}.lp", rule


def name_of(value: object) -> str | None:
    return value.stem if isinstance(value, Path) else None


@pytest.mark.parametrize(("encoding", "rule"), list(quotations()), ids=name_of)
def test_a_quoted_rule_stands_in_the_encoding(encoding: Path, rule: str) -> None:
    rules = RULE.split(re.sub(r"\s*%.*", "", encoding.read_text(encoding="utf-8")))
    assert packed(rule) in map(packed, rules)


def test_both_versions_of_the_report_are_explained() -> None:
    explained = {encoding.stem for encoding, _ in quotations()}
    assert explained == {"origin", "block_tuple"}
