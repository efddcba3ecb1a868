"""Translations of PDDL tasks into facts: classical tasks, and tasks with demands, numbers or time.

Demands are constraints and preferences on the trajectory of a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from asplan.catalog import find_drawing, preferred
from asplan.core.choices import LAYERS
from asplan.core.errors import UsageError
from asplan.domains import Domain, domains
from asplan.domains.model import Model
from asplan.pddl.front.forms import GroundForm, NumericForm, PricedForm
from asplan.pddl.front.kairos import installed_program
from asplan.pddl.front.sentences import atom_text
from asplan.pddl.front.source import PddlTask, TemporalPddlTask, UntimedPddlTask
from asplan.pddl.grounding import translate
from asplan.pddl.language.plain import beyond_costs
from asplan.pddl.task.facts import predicates_of, to_facts
from asplan.pddl.task.model import TaskModel
from asplan.problem.inputs import STEPPED, Inputs

METRIC = "least_metric"
"""The name in `Inputs.prefers` for the wish that plans optimize the metric."""

_ROLLED = ("rolled", "numeric_rolled")

Predicates = Collection[tuple[str, int]]


class Translation(NamedTuple):
    """A translated task.

    Attributes
    ----------
    problem
        The problem, which still lacks its facts and encoding.
    facts
        A function that returns the facts as text, given the predicates that an encoding reads.
    encoding, parts
        The names of the encoding and of program files to use with it.
    is_watched
        Whether a monitor checks constraints at each step.
    predicates
        A function that returns the predicates of the facts, given the predicates that an encoding
        reads. If it is set, the facts are made only when they are grounded. None if the predicates
        are known only from the facts.
    """

    problem: UntimedPddlTask | TemporalPddlTask
    facts: Callable[[Predicates], str]
    encoding: str
    parts: tuple[str, ...] = ()
    is_watched: bool = False
    predicates: Callable[[Predicates], frozenset[tuple[str, int]]] | None = None

    @property
    def file(self) -> str:
        """The name that messages use for the facts."""
        return f"{self.problem.files[0]} (translated)"


def translation_of(
    source: UntimedPddlTask | TemporalPddlTask,
    inputs: Inputs,
) -> Translation:
    """Translate a task, and choose its encoding; raise `UsageError` if the options do not fit."""
    if isinstance(source, TemporalPddlTask):
        return _with_time(source, inputs)
    if not source.task.has_numbers:
        _refuse_rolled(inputs.encoding, source.files[1])
    if source.task.demands:
        return _with_demands(source, inputs)
    if source.task.has_numbers:
        return _with_numbers(source, inputs)
    return _classical(source, inputs)


def _refuse_rolled(
    encoding: str | None,
    file: str,
) -> None:
    """Raise `UsageError` if the user names an encoding with rolled steps.

    A rolled step repeats an action with numeric effects, but the task has no numbers. `file` is the
    domain file.
    """
    if encoding is not None and encoding.removeprefix("pddl/") in _ROLLED:
        message = f"{file}: rolled steps repeat numeric effects, but this task has none"
        hint = "use sequential, forall, exists or relaxed steps; the default is exists"
        raise UsageError(message, hint=hint)


def _with_time(
    source: TemporalPddlTask,
    inputs: Inputs,
) -> Translation:
    """Translate a task with durations or timed literals."""
    from asplan.pddl import temporal
    from asplan.pddl.temporal.ground import ground_timed

    temporal.refuse_others(inputs.encoding, inputs.prefers)
    timed = ground_timed(source.task)
    default = temporal.TEMPORAL if timed.numbers is None else temporal.TEMPORAL_NUMERIC
    classical = timed.grounded.task
    program = None if classical.hopeless else partial(installed_program, source)
    drawing = source.drawing or str(find_drawing(f"{STEPPED}/timed"))
    problem = replace(
        source,
        model=TaskModel(classical) if classical.hopeless else source.model,
        domain=replace(_domain(source), finder=None, finding_program=program),
        ground=timed,
        drawing=drawing,
    )
    return Translation(
        problem=problem,
        facts=lambda read: temporal.timed_facts(timed),
        encoding=inputs.encoding or default,
    )


def _classical(
    source: UntimedPddlTask,
    inputs: Inputs,
) -> Translation:
    """Translate a task without numbers, durations, constraints and preferences."""
    if METRIC in inputs.prefers:
        raise UsageError(
            "--optimal metric is for tasks with numbers or preferences, but this task has neither",
            hint="use --optimal cost or --optimal actions",
        )
    text = source.text_model
    task = translate(text.task, text.names, inputs.all_states)
    model = TaskModel(task, partial(atom_text, text.names))
    encoding = inputs.encoding or preferred(inputs.prefers, STEPPED)
    default = domains()[STEPPED].default_encoding
    return Translation(
        problem=replace(source, model=model, form=GroundForm(text, task, model)),
        facts=lambda read: to_facts(task, read, model.layers),
        encoding=str(encoding or default(model)),
        parts=tuple({LAYERS}.intersection(inputs.prefers)),
        predicates=partial(predicates_of, task),
    )


def _with_demands(
    source: UntimedPddlTask,
    inputs: Inputs,
) -> Translation:
    """Translate a task with constraints or preferences."""
    from asplan.pddl.preferences import ground_compiled
    from asplan.pddl.task.order import tidy

    text = source.text_model
    by_metric = METRIC in inputs.prefers
    if by_metric and text.task.problem.metric and not text.task.has_numbers:
        message = "--optimal metric: the metric of this task has neither preferences nor numbers"
        raise UsageError(message, hint="use --optimal cost or --optimal actions")
    compiled = ground_compiled(text.task, by_metric, inputs.all_states)
    task = compiled.task
    model = TaskModel(task.merged, partial(atom_text, text.names))
    domain = replace(_domain(source), tidy=partial(tidy, task=task), improver=None)
    form = GroundForm(text, task, model)
    if by_metric:
        form = PricedForm(text, task, model, compiled)
    problem = replace(source, model=model, domain=domain, form=form)
    return Translation(
        problem=problem,
        facts=partial(to_facts, task),
        encoding=inputs.encoding or preferred(inputs.prefers, STEPPED) or "exists",
        is_watched=task.monitor is not None,
    )


def _with_numbers(
    source: UntimedPddlTask,
    inputs: Inputs,
) -> Translation:
    """Translate a task with numbers."""
    from asplan.domains.heuristic import ZERO
    from asplan.pddl.numeric.encodings import encoding_of, finder_of, parts_of, repeats_of
    from asplan.pddl.numeric.facts import to_numeric_facts
    from asplan.pddl.numeric.scale import numeric_task

    text = source.text_model
    task = numeric_task(text.task)
    hopeless = task.task.hopeless
    model: Model[Any, Any] = text  # Any: states of either model; this one is slow, but exact
    if hopeless:
        model = TaskModel(replace(task.task, is_stub=True))
    beyond = beyond_costs(text.task)
    place = None if beyond is None else beyond[0]
    encoding = encoding_of(inputs.encoding, inputs.prefers, place)
    parts = parts_of(task, inputs.prefers, text.task)
    finder = finder_of(task, encoding, inputs.constants)
    domain = replace(
        _domain(source),
        tidy=lambda model, plan: plan,  # the actions of a step may be executed in any order
        operators=frozenset(),
        heuristics=(ZERO,),
        finder=finder,
        finding_program=None,
        joining_program=None if finder is None or hopeless else partial(installed_program, source),
        improver=None,
        prover=None,
    )
    form = NumericForm(
        text=text,
        task=task.task,
        model=model,
        numeric=task,
        repeats=repeats_of(encoding, inputs.constants),
        trims=not parts,
        by_metric=METRIC in parts,
    )
    problem = replace(source, model=model, domain=domain, form=form)
    return Translation(
        problem=problem,
        facts=partial(to_numeric_facts, task, text.names),
        encoding=encoding,
        parts=tuple(parts),
    )


def _domain(source: PddlTask) -> Domain:
    """Return the domain of a problem, which must have one."""
    assert source.domain is not None
    return source.domain
