"""Shipped suites in a small form, for tests that run them."""

from __future__ import annotations

import re
from pathlib import Path

_FILES = re.compile(r'^(files = \["[^"]+")[^\]]*\]', re.MULTILINE)
_SECONDS = re.compile(r"^seconds = \d+$", re.MULTILINE)
_METHOD = "[[methods]]\n"
_ON = re.compile(r"^on = .*$", re.MULTILINE)


def shortened_suite(suite: Path) -> str:
    """Return a suite with the first file of each group, and a second for each trial."""
    text = _FILES.sub(r"\1]", suite.read_text(encoding="utf-8"))
    return _SECONDS.sub("seconds = 1", text)


def shortest_suite(suite: Path) -> str:
    """Return a shortened suite with the first method for each group."""
    head, *methods = shortened_suite(suite).split(_METHOD)
    by_group = {str(_ON.findall(method)): method for method in reversed(methods)}
    return _METHOD.join([head, *by_group.values()])
