"""Problems of PDDL files without translation: their text, their referee and their plan files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asplan.core.files import is_there
from asplan.core.plan import Plan
from asplan.domains import domains
from asplan.pddl.grounding import objects_of
from asplan.pddl.language import read_task
from asplan.pddl.language.names import PddlNames, names_of
from asplan.pddl.language.plans import read_plan, with_names, write_plan
from asplan.pddl.language.syntax import TaskText
from asplan.pddl.language.trail import referee_of
from asplan.problem.inputs import STEPPED, Inputs
from asplan.problem.problem import PlanFiles, Problem, TimedTrajectory
from asplan.program.plain_facts import PlainFacts
from asplan.program.unit import Unit

if TYPE_CHECKING:
    from asplan.pddl.language.timing import TimedModel


def load_source_pair(
    inputs: Inputs,
    files: tuple[str, str],
) -> Problem:
    """Return the problem of two PDDL files without translation."""
    return source_of(read_task(*files), inputs)


def source_of(
    task: TaskText,
    inputs: Inputs,
) -> Problem:
    """Return the problem of a task without translation."""
    domain_file = task.domain.name.source.file
    problem_file = task.problem.name.source.file
    names = names_of(task)
    timed = _timed_model(task, names) if task.has_time else None
    referee = None if timed else referee_of(task, names)
    actions: Any = timed.model if timed else referee  # a model with the method `action`
    drawing = Path(domain_file).parent / "draw.lp"
    return Problem(
        files=(problem_file, domain_file),
        units=(_objects(task, names, problem_file),),
        domain=domains()[STEPPED],
        referee=referee,
        executes=partial(_execute, timed) if timed else None,
        written=names.written,
        texts=(task.domain.name.source.text, task.problem.name.source.text),
        plan_files=_plan_files(task, names, actions.action),
        drawing=str(drawing) if is_there(drawing) else None,
        given=inputs.constants,
        constants=inputs.constants,
        warnings=task.warnings,
    )


def _timed_model(
    task: TaskText,
    names: PddlNames,
) -> TimedModel:
    from asplan.pddl.language.timing import TimedModel

    return TimedModel(task, names)


def _objects(
    task: TaskText,
    names: PddlNames,
    file: str,
) -> Unit:
    """Return the facts of the objects and their types."""
    facts = " ".join(f"object({name},{kind})." for name, kind in objects_of(task, names))
    return Unit((), (PlainFacts(f"{file} (objects)", facts),))


def _plan_files(
    task: TaskText,
    names: PddlNames,
    check: Callable[[str, tuple[str, ...]], object],
) -> PlanFiles:
    """Return the reader and the writer of plan files."""

    def plan_text(
        plan: Plan,
        cost: int,
    ) -> str:
        return write_plan(with_names(plan, names), cost, task.has_costs)

    reader = partial(read_plan, names=names, timed=task.has_time, check=check)
    return PlanFiles(reader, plan_text)


def _execute(
    model: TimedModel,
    plan: Plan,
) -> TimedTrajectory:
    """Return the trajectory of a temporal plan, as text."""
    execution = model.execute(plan)
    fluents = model.model.fluents
    text = model.model.text
    states = execution.states
    return TimedTrajectory(
        times=execution.times,
        states=lambda: (tuple(map(str, fluents(state))) for state in states),
        boards=(text(states[0]), text(states[-1])),
        makespan=execution.makespan,
        metric=execution.metric,
    )
