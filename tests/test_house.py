"""The plan of the house: its rooms, their order, and which module may import which."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

from conftest import HERE

FLOORS = """
    version clingo
    core
    program domains errors facts
    result stored catalog
    problem
    pddl statespace warnings
    engines
    execution
    validation
    referee
    improving
    planner drawing explaining engines.portfolio
    measuring puzzles enumeration
    contrasting
    notebook studio play
    api
    asplan
    bench up grading
    cli agents editor __main__
"""
"""The rooms of asplan from the lowest floor up: a module imports from its floor and from below."""

FLOOR = {room: n for n, row in enumerate(FLOORS.strip().splitlines()) for room in row.split()}
ROOT = HERE.parent
SOURCE = ROOT / "src"
FILES = {
    ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): file
    for file in (SOURCE / "asplan").rglob("*.py")
}


def nodes(module: str) -> Iterator[ast.AST]:
    """Yield the syntax of a module and of its stub for late imports."""
    for file in (FILES[module], FILES[module].with_suffix(".pyi")):
        if file.is_file():
            yield from ast.walk(ast.parse(file.read_text(encoding="utf-8")))


def imports(module: str) -> Iterator[str]:
    """Return the full names of all imports of a module, and the modules in its strings."""
    for node in nodes(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = f"{module}." if node.level else ""  # in a package's own stub alone
            yield from (f"{start}{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            above = f"{module}.".startswith(f"{node.value}.")
            yield from [node.value] if node.value in FILES and not above else []


def module_of(name: str) -> str:
    """The module that a full name is, or is in; empty for one of another package."""
    while name and name not in FILES:
        name = name.rpartition(".")[0]
    return name


def room_of(module: str) -> str:
    """Return the room of a module: the longest name in `FLOORS` that fits."""
    name = module.removeprefix("asplan.")
    while name not in FLOOR:
        name, dot, _ = name.rpartition(".")
        assert dot, f"FLOORS knows no room for {module}"
    return name


@cache
def graph() -> dict[str, set[str]]:
    """Return the imports of each module."""
    return {
        module: {found for name in imports(module) if (found := module_of(name))} - {module}
        for module in FILES
    }


def test_no_modules_import_each_other() -> None:
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(reversed(error.args[1])))


def test_no_import_runs_back_up() -> None:
    up = [
        f"{module} imports {other}"
        for module, others in sorted(graph().items())
        for other in sorted(others)
        if FLOOR[room_of(other)] > FLOOR[room_of(module)]
    ]
    assert up == []


def test_every_room_has_its_place() -> None:
    assert {room_of(module) for module in FILES} == set(FLOOR)


DOORS = {
    "clingo": {"asplan.clingo", "asplan.program.syntax"},
    "clingo.ast": {"asplan.program.syntax"},
    "clingo._internal": {"asplan.clingo"},
}


@pytest.mark.parametrize("name", DOORS)
def test_only_few_modules_import(name: str) -> None:
    users = {m for m in FILES if any(f"{found}.".startswith(f"{name}.") for found in imports(m))}
    assert users == DOORS[name]


PLACE = re.compile(r"(asplan(?:\.\w+)*)(?::\w+)")


def test_no_import_hides_in_a_string() -> None:
    hidden = [
        f"{module}: {node.value}"
        for module in FILES
        for node in nodes(module)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if (place := PLACE.fullmatch(node.value)) and place[1] in FILES
    ]
    assert hidden == []


def test_entry_points_name_existing_objects() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for places in (project["scripts"], *project["entry-points"].values()):
        for place in places.values():
            module, _, attribute = place.partition(":")
            assert module in FILES, place
            if attribute:
                assert hasattr(import_module(module), attribute), place


def test_frozen_classes_are_made_quickly() -> None:
    """`core/dataclass.py` makes them in a quarter of the time; it leaves slots to Python."""
    slow = re.compile(r"^from dataclasses import .*\bdataclass\b", re.MULTILINE)
    frozen = re.compile(r"^ *@dataclass\(frozen=True(?!, (?:slots|order))", re.MULTILINE)
    texts = {module: file.read_text(encoding="utf-8") for module, file in FILES.items()}
    wrong = [module for module, text in texts.items() if slow.search(text) and frozen.search(text)]
    assert wrong == []


SINGLE_SHOT = """
#const n = 3.
time(0..n). place(1..3). at(1,0).
{ go(P,T) : place(P) } 1 :- time(T), T > 0.
at(P,T) :- go(P,T).
at(P,T) :- at(P,T-1), time(T), not go(_,T).
:- go(P,T), at(Q,T-1), P > Q+1.
:- not at(3,n).
#show go/2.
"""

NEEDED = {
    "sample02": (67, 10_400, {"asplan.cli.solve", "asplan.domains.rush_hour.model"}),
    "places.lp": (127, 18_750, {"asplan.cli.solve", "asplan.problem.single_shot"}),
}
"""Modules with code that a usual command may need, lines of code in them, and some of them."""

SELDOM = {"msgspec", "rich", "matplotlib", "numpy", "pandas", "z3", "pysat"}
"""Packages that these commands do without."""


@pytest.mark.parametrize("name", NEEDED)
def test_a_usual_run_imports_few_modules(name: str, tmp_path: Path) -> None:
    (tmp_path / "places.lp").write_text(SINGLE_SHOT, encoding="utf-8")
    script = ROOT / "scripts" / "common_way.py"
    done = subprocess.run(
        [sys.executable, script, "--modules", "--markdown", "--", "solve", name],
        cwd=tmp_path,  # without settings
        capture_output=True,
        text=True,
        check=True,
    )
    found = dict(re.findall(r"^\| ([\w.]+) \| (\d+) \|$", done.stdout, re.MULTILINE))
    needed = {module: int(n) for module, n in found.items() if module in FILES and n != "0"}
    most, lines, some = NEEDED[name]
    assert found.keys() & SELDOM == set()
    assert len(needed) <= most
    assert sum(needed.values()) <= lines
    assert some <= needed.keys()


LATE = {
    "clingo",
    "multiprocessing",
    "asplan.problem",
    "asplan.planner",
    "asplan.program.reading.source",
}
"""Modules that no help and no completion needs."""


@pytest.mark.parametrize("command", ["solve", "check", "validate"])
def test_a_help_imports_neither_clingo_nor_the_loader(command: str) -> None:
    lines = (
        "import sys",
        f"from asplan.cli.{command} import command",
        "from click import Context",
        "assert 'Usage' in command.get_help(Context(command))",
        "print(*sys.modules)",
    )
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True
    )
    assert LATE.isdisjoint(done.stdout.split())
