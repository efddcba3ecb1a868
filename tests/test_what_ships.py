"""Every shipped suite, instance, encoding and template runs in its smallest form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from clingo import Control
from clingo.ast import AST, Sign, Transformer, parse_string

import asplan
from asplan import catalog
from asplan.bench.suite import read_suite
from asplan.problem import Inputs, load
from asplan.program.reading.unit import read_unit
from conftest import run
from shipped import shortened_suite

ROOT = Path(__file__).parents[1]
INSTANCES = [*catalog.instances(), *catalog.rungs()]
SUITES = sorted((ROOT / "suites").glob("*.toml"))
SINGLE_SHOT = sorted((ROOT / "encodings").glob("*/single_shot/*.lp"))
TEMPLATES = sorted(path for path in (ROOT / "templates").iterdir() if path.is_dir())
SHIPPED = [*(ROOT / "encodings").rglob("*.lp"), *(ROOT / "templates").rglob("*.lp")]
PRINTED = [path for path in SINGLE_SHOT if path.stem.endswith("_published")]
"""Programs with the rules that were printed, for clingo 5."""

PROGRAMS = sorted({*SHIPPED}.difference(PRINTED))
TASKS = [entry for entry in INSTANCES if entry.path.suffix == ".pddl"]
ESTIMATING = "cheapest"  # its answers need not be plans, so it is used with --optimal alone


@pytest.mark.parametrize("entry", INSTANCES, ids=lambda entry: f"{entry.domain}/{entry.name}")
def test_an_instance_is_solved_to_its_first_horizon(entry: catalog.ShippedFile) -> None:
    result = asplan.solve(str(entry.path), max_horizon=0)
    assert (result.stopped or result.outcome) in ("horizon", "optimal", "unsolvable")


@pytest.mark.parametrize("entry", catalog.encodings(), ids=lambda e: f"{e.domain}/{e.name}")
def test_an_encoding_serves_an_instance_of_its_domain(entry: catalog.ShippedFile) -> None:
    small = {"max_horizon": 1}
    if entry.name == ESTIMATING:
        small = {"optimal": "actions", "time_limit": 1}
    for instance in suitable(entry):
        try:
            asplan.solve(str(instance.path), encoding=f"{entry.domain}/{entry.name}", **small)
        except asplan.UsageError:  # an encoding for numbers, and a task without any
            continue
        return
    pytest.fail("no instance that ships suits it")


def suitable(encoding: catalog.ShippedFile) -> Iterator[catalog.ShippedFile]:
    if encoding.domain == "pddl":
        return iter(TASKS)
    return (entry for entry in INSTANCES if entry.domain == encoding.domain)


@pytest.mark.parametrize("file", SINGLE_SHOT, ids=lambda file: f"{file.parts[-3]}/{file.stem}")
def test_a_single_shot_program_runs_on_an_instance_of_its_domain(file: Path) -> None:
    """clingo alone runs it, as its header says; `l` or `n` is the last time."""
    instance = next(e for e in INSTANCES if e.domain == file.parts[-3])
    last = re.search(r"^#const ([ln]) = \d+", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert last
    control = Control(["-c", f"{last[1]}=1", "--warn=none"])
    control.load(str(file))
    control.load(str(instance.path))
    control.ground()
    assert not control.solve().unknown


@pytest.mark.parametrize("suite", SUITES, ids=lambda path: path.stem)
def test_the_methods_of_a_suite_take_its_instances(suite: Path) -> None:
    read = read_suite(str(suite))
    for method in read.methods:
        sources = [source for source in read.entries.instances if method.runs_on(source.group)]
        files = [file for source in sources for file in source.files]
        assert files, method.name
        for file in files:
            load(Inputs((file,), encoding=method.encoding), needs_model=False)


@pytest.mark.parametrize("suite", SUITES, ids=lambda path: path.stem)
def test_a_suite_runs(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "short.toml").write_text(shortened_suite(suite))
    done = run("bench", "run", "short.toml", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    outcomes = re.findall(r'"outcome":"(\w+)"', (tmp_path / "out" / "runs.jsonl").read_text())
    assert len(outcomes) >= len(read_suite(str(suite)).methods)
    assert "optimal" in outcomes


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_a_template_is_solved(template: Path) -> None:
    instances = sorted(file for file in template.glob("*/*") if file.suffix in (".lp", ".pddl"))
    (program,) = [*template.glob("encoding.lp"), *template.glob("domain.pddl")]
    assert len(instances) == 2
    for instance in instances:
        result = asplan.solve(program, instance)
        assert result.outcome == "optimal"
        assert result.warnings == ()


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_no_anonymous_variable_stands_under_not(file: Path) -> None:
    """clingo 6 calls it unsafe; clingo 5 makes a projection, anew at each step."""
    for section in read_unit(str(file), allow_includes=True).sections:
        for statement in section.statements:
            assert not _hidden_variables(statement), str(statement)


def _hidden_variables(statement: AST) -> list[str]:
    """Return the negative literals of a statement that contain `_`."""
    found = []

    class Negative(Transformer):
        def visit_Literal(self, literal: AST) -> AST:
            if literal.sign != Sign.NoSign and re.search(r"\b_\b", str(literal.atom)):
                found.append(str(literal))
            return literal

    Negative()(parse_one(str(statement)))
    return found


def parse_one(text: str) -> AST:
    statements: list[AST] = []
    parse_string(text, statements.append)
    return statements[-1]
