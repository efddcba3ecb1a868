"""Any plan of a finite-domain task, soon: by Fast Downward where it is installed, else by asplan.

Fast Downward's search runs as a program of its own, on the task as it is: nothing is translated a
second time. Its plans come from LAMA's first iteration (Richter and Westphal, The LAMA Planner,
2010). Where it has none after a while, for whatever reason, asplan's own search goes on beside it.
"""

from __future__ import annotations

import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from asplan.core.process import set_process_option
from asplan.domains.base import Found, Heed
from asplan.pddl.task.greedy import find_plan
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.task import NONE, Fact, Task

_LOOK = 0.02
"""Seconds between two looks at the program."""

ALONE = 3.0
"""Seconds before asplan's own search begins beside the program."""

_PR_SET_PDEATHSIG = 1
"""From Linux's sys/prctl.h."""

_LAMA_FIRST = (
    "let(hlm, eval_modify_costs(landmark_sum(lm_factory=lm_reasonable_orders_hps(lm_rhw()),"
    "pref=false),cost_type=one),let(hff, eval_modify_costs(ff(),cost_type=one),"
    "lazy_greedy([hff,hlm],preferred=[hff,hlm],cost_type=one,reopen_closed=false)))"
)


def find_any_plan(model: TaskModel, heed: Heed) -> Found:
    """A plan, or that there is none; `heed` is called now and then, and may end it by an error."""
    if (program := downward()) is None:
        return find_plan(model, heed)
    with _searching(program, model.task) as (process, written):
        begun = time.monotonic()
        while process.poll() is None and time.monotonic() < begun + ALONE:
            heed("searching by Fast Downward")
            time.sleep(_LOOK)

        def heed_both(doing: str) -> None:
            heed(doing)
            if process.poll() is not None and written.exists():
                raise _Answered

        try:
            heed_both("searching")
            return find_plan(model, heed_both)
        except _Answered:
            text = written.read_text(encoding="utf-8")
            numbers = map(int, re.findall(r"^\(o(\d+) *\)", text, re.MULTILINE))
            steps = [[model.task.operators[number].action] for number in numbers]
            return Found(steps, "found by Fast Downward, lama-first")


class _Answered(Exception):
    """The other search has found a plan."""


def downward() -> Path | None:
    """Fast Downward's search, which the package up-fast-downward brings."""
    if (package := find_spec("up_fast_downward")) is None or package.origin is None:
        return None
    program = Path(package.origin).parent / "downward/builds/release/bin/downward"
    return program if program.is_file() else None


@contextmanager
def _searching(program: Path, task: Task) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """Fast Downward's search, which ends with the block, and the file for its plan."""
    with tempfile.TemporaryDirectory(prefix="asplan-") as folder:
        sas, plan = Path(folder) / "task.sas", Path(folder) / "plan"
        sas.write_text(to_sas(task), encoding="utf-8")
        words = [str(program), "--search", _LAMA_FIRST, "--internal-plan-file", str(plan)]
        with sas.open() as given:
            process = subprocess.Popen(
                words,
                stdin=given,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                preexec_fn=partial(set_process_option, _PR_SET_PDEATHSIG, signal.SIGKILL),
            )
        try:
            yield process, plan
        finally:
            process.kill()
            process.wait()


def to_sas(task: Task) -> str:
    """A task as Fast Downward reads it; its operators are called o0, o1, …

    The format: https://www.fast-downward.org/latest/documentation/translator-output-format/
    """
    return "\n".join(_sas_lines(task)) + "\n"


def _sas_lines(task: Task) -> Iterator[str]:
    def block(name: str, *lines: object) -> Iterator[str]:
        yield f"begin_{name}"
        yield from map(str, lines)
        yield f"end_{name}"

    def facts(found: tuple[Fact, ...]) -> list[object]:
        return [len(found), *(f"{v} {d}" for v, d in found)]

    yield from block("version", 3)
    yield from block("metric", int(task.has_costs))
    yield str(len(task.variables))
    for v, variable in enumerate(task.variables):
        # Fast Downward makes disjunctive landmarks of atoms with one predicate.
        values = [
            "<none of those>" if atom == NONE else f"Atom {atom}{'' if '(' in atom else '()'}"
            for atom in variable.values
        ]
        yield from block("variable", f"var{v}", variable.layer, len(values), *values)
    yield str(len(task.mutexes))
    for group in task.mutexes:
        yield from block("mutex_group", *facts(group))
    yield from block("state", *task.initial)
    yield from block("goal", *facts(task.goal))
    yield str(len(task.operators))
    for o, operator in enumerate(task.operators):
        before, changed = dict(operator.precondition), {e.fact[0] for e in operator.effects}
        lasting = tuple(fact for fact in operator.precondition if fact[0] not in changed)
        effects = [
            " ".join([*map(str, facts(effect.condition)), f"{v} {before.get(v, -1)} {d}"])
            for effect in operator.effects
            for v, d in [effect.fact]
        ]
        yield from block(
            "operator", f"o{o}", *facts(lasting), len(effects), *effects, operator.cost
        )
    yield str(len(task.axioms))
    for axiom in task.axioms:
        v, d = axiom.fact
        yield from block("rule", *facts(axiom.condition), f"{v} {task.initial[v]} {d}")
