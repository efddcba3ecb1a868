"""The names of public classes: one name means one thing."""

from __future__ import annotations

import ast
from collections import defaultdict

from test_house import FILES

SHARED = {
    "Answer": "a clingo call's: for a horizon, or for a window of a plan",
    "Bound": "of times: a comparison in a rule, or what bounds the whole time",
    "Constraint": "an integrity constraint, or one of a theory",
    "Derivation": "of atoms by rules: as data for readers, or compiled",
    "Effect": "of a rule, or of an operator",
    "Effort": "the counts of a run, of clingo or of a prover",
    "Engine": "an entry of the registry, and the public class for unified-planning",
    "Found": "what a search returns: a plan with its horizon, or that of a domain's search",
    "Guided": "a search with a heuristic: its options, or its task",
    "Kind": "of a statement, or of a warning",
    "Move": "an action of a domain, or in the graph of its states",
    "Relaxed": "without some constraints, or without deletions",
    "Role": "of a predicate in a program, or of a part of an instance in its shortest plans",
    "Row": "of a public table, or of the schedule",
    "Search": "of a space, for instances of literals, or for the bound of the time",
    "Shown": "what a program shows: predicates, or ground atoms",
    "Space": "the states of a problem, before or after a search",
    "Start": "of a search, or the initial state of a program",
    "Step": "the ground rules, or the actions, of a time",
    "Support": "of an atom by a rule: for readers, or as a clause",
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
