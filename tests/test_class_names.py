"""The names of public classes: one name means one thing."""

from __future__ import annotations

import ast
from collections import defaultdict

from test_house import FILES

SHARED = {
    "Engine": "an entry of the registry, and the public class for unified-planning",
    "Kind": "of a statement, or of a name in the editor",
    "Move": "an action of a puzzle: each domain has its own",
    "Wish": "for a puzzle: each generator has its own",
}
"""Names of several classes, and the reason."""


def classes() -> dict[str, list[str]]:
    """The modules of each public class."""
    found: dict[str, list[str]] = defaultdict(list)
    for module, file in FILES.items():
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(module)
    return found


def test_one_name_means_one_thing() -> None:
    several = {name: modules for name, modules in classes().items() if len(modules) > 1}
    assert {n: several[n] for n in several.keys() - SHARED.keys()} == {}


def test_no_reason_is_left_without_need() -> None:
    names = classes()
    assert [name for name in SHARED if len(names.get(name, [])) < 2] == []
