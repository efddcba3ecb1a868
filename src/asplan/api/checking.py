"""The check of plans from any source, and the search for mistakes in programs."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from asplan import warnings
from asplan.api import File, Files, inputs_of
from asplan.core.errors import InputError, InputWarning, InvalidPlan, Location, UsageError
from asplan.core.files import STDIN, standard_input
from asplan.core.limits import keep_interrupts
from asplan.core.plan import Plan
from asplan.core.text import shortened
from asplan.problem import Inputs, Problem, load, load_source
from asplan.problem.inputs import with_variant
from asplan.program.reading.source import ground_term
from asplan.result import Result
from asplan.stored import read_plan_file, read_plan_text
from asplan.validation import Checked, check

_HINT = "a plan is what asplan solve --json prints, or has the actions of a step in each line"
_NUMBER = re.compile(r"^\s*\d+[.:)](\s+|$)")  # of a step, at the start of a line


@keep_interrupts()
def find_warnings(  # noqa: PLR0913  # all but the files are keywords
    *files: Files,
    text: str | None = None,
    encoding: File | None = None,
    constants: Mapping[str, object] | None = None,
    metric: str | None = None,
    switches: Iterable[str] = (),
    horizon_constant: str | None = None,
    fresh: bool = False,
    allow_scripts: bool = False,
    allow_includes: bool = False,
) -> tuple[InputWarning, ...]:
    """Find the likely mistakes in a program, without solving it.

    Parameters
    ----------
    files, text, encoding, constants, metric, switches, allow_scripts, allow_includes
        As for `solve`.

    Returns
    -------
    tuple of InputWarning
        In the order of their places; empty for a correct program.

    Raises
    ------
    AsplanError
        For contradictory arguments, and for files that cannot be read or understood.

    Examples
    --------
    >>> import asplan
    >>> text = "at(0,0). #program step(t). { up(t) }. at(1,t) :- upp(t)."
    >>> [warning.code for warning in asplan.find_warnings(text=text)]
    ['no-goal', 'undefined']
    """
    inputs = inputs_of(files, locals())
    return warnings.find_warnings(load(inputs), inputs.switches)


@keep_interrupts()
def validate(  # noqa: PLR0913  # all but the files are keywords
    *files: Files,
    plan: Plan | Result | File,
    text: str | None = None,
    encoding: File | None = None,
    constants: Mapping[str, object] | None = None,
    metric: str | None = None,
    actions: Iterable[str] = (),
    horizon_constant: str | None = None,
    fresh: bool = False,
    allow_scripts: bool = False,
    allow_includes: bool = False,
) -> int:
    """Check a plan for an instance, independently of its engine.

    Parameters
    ----------
    plan
        A plan, a result (its first plan, with its encoding and constants), or a file. A file has
        the output of `asplan solve --json`, or the actions of a step in each line, or for PDDL an
        action in each line.
    encoding
        An encoding, for an instance without a model in Python.
    text, constants, metric, actions, horizon_constant, fresh, allow_scripts, allow_includes
        As for `solve`.

    Returns
    -------
    int
        The first step after which the goal holds; the last step of a PDDL plan, as all its steps
        count.

    Raises
    ------
    InvalidPlan
        For a plan that is not valid, with the step, the action and the reason; and for a file that
        states another cost.
    InputError
        For a file without a plan.
    UsageError
        For a `plan` of another type.
    """
    inputs = inputs_of(files, locals())
    if isinstance(plan, str | os.PathLike):
        checked, _ = check_plan_file(inputs, os.fspath(plan))
    elif isinstance(plan, Plan | Result):
        checked = _check(inputs, plan)
    else:
        hint = "pass a plan, a result, or the name of a file with one"
        raise UsageError(f"{shortened(repr(plan))} is not a plan", hint=hint)
    return len(checked.plan)


def _check(
    inputs: Inputs,
    plan: Plan | Result,
) -> Checked:
    """Check a plan or the first plan of a result.

    If `inputs` lacks the encoding or the constants, use those of the result.
    """
    if isinstance(plan, Result):
        inputs, plan = with_result(inputs, plan)
    else:
        inputs = with_variant(inputs)
    problem = load_source(inputs) or _load_with_model(inputs)
    found = warnings.find_warnings(problem, inputs.switches)
    try:
        return replace(check(problem, plan), warnings=found)
    except InvalidPlan as error:
        error.warnings = found
        raise


def _load_with_model(inputs: Inputs) -> Problem:
    """Load a problem with its domain's model.

    Load it as a program if it has no model or an encoding is named.
    """
    problem = load(inputs, needs_model=inputs.encoding is None)
    return problem if problem.model is not None else load(inputs)


def check_plan_file(
    inputs: Inputs,
    file: str,
) -> tuple[Checked, int]:
    """Check the plan in a file; return the checked plan and the number of steps in the file.

    The checked plan ends at the first step after which the goal holds, so the file may have more
    steps.
    Raise the errors of `validate`.
    """
    plan, places = _read_with_places(inputs, file)
    if isinstance(plan, Result):
        return _check(inputs, plan), len(plan.plan or ())
    try:
        checked = _check(inputs, replace(plan, cost=None))
    except InvalidPlan as error:
        if error.at is None and error.step is not None and places:
            error.at = places[error.step - 1]
        raise
    if len(checked.plan) == len(plan) and plan.cost is not None and checked.cost is not None:
        stated = plan.cost[0]
        if plan.cost != (checked.cost,):
            raise InvalidPlan(f"the actions cost {checked.cost}, but {file} states {stated}")
    return checked, len(plan)


def first_plan(
    inputs: Inputs,
    source: Plan | Result | File,
) -> Plan:
    """Return the plan in `source`, which is to be improved.

    Raise `InputError` if a file or a result has no plan.
    """
    if isinstance(source, str | os.PathLike):
        source = read_plan(inputs, os.fspath(source))
    if isinstance(source, Plan):
        return source
    if source.plan is None:
        raise InputError(f"there is no plan to begin with: the outcome is {source.outcome}")
    return source.plan


def read_plan(
    inputs: Inputs,
    file: str,
) -> Plan | Result:
    """Return the plan in a file.

    A JSON file has a stored result: return this result. Other files have the plan in the notation
    of the task (PDDL), or the actions of a step in each line.
    """
    plan, _ = _read_with_places(inputs, file)
    return plan


def _read_with_places(inputs: Inputs, file: str) -> tuple[Plan | Result, list[Location]]:
    """Return the plan in a file, and the place of each step; no places for JSON and for PDDL."""
    text = standard_input() if file == STDIN else read_plan_text(file)
    if text.lstrip().startswith(("{", "[")):
        stored = read_plan_file(file, text)
        if stored.plan is None:
            raise InputError(f"{file} holds no plan: its outcome is {stored.outcome}")
        return stored, []
    source = load_source(inputs)
    if source is not None:
        return source.read_plan(text.splitlines(), file), []
    return read_lines(text, file), [at for at, _ in _step_lines(text, file)]


def with_result(
    inputs: Inputs,
    result: Result,
) -> tuple[Inputs, Plan]:
    """Return the inputs, completed by a result's encoding and constants, and its first plan."""
    from asplan.drawing.rules import inputs_of  # drawing takes long to import

    inputs = with_variant(inputs)
    stored = inputs_of(result)
    complete = replace(
        inputs,
        encoding=inputs.encoding or stored.encoding,
        constants={**stored.constants, **inputs.constants},
    )
    return complete, result.plan or Plan()


def read_lines(
    text: str,
    file: str,
) -> Plan:
    r"""Return the plan of a text with the actions of a step in each line; `%` begins a comment.

    A line may begin with a number, as in asplan's output, and end with a full stop. Empty lines do
    not count; a line with a number only is a step without actions.

    >>> read_lines("move(a,left). % first\n\n2.\n3. load(b,1) move(c,up)\n", "plan.txt").steps
    (('move(a,left)',), (), ('load(b,1)', 'move(c,up)'))
    """
    if not text.strip():
        raise InputError(f"{file} holds no plan: it is empty", hint=_HINT)
    steps = []
    for at, words in _step_lines(text, file):
        try:
            steps.append(tuple(str(ground_term(word, "action")) for word in _terms(words)))
        except UsageError as error:
            raise InputError(error.message, at=at, hint=_HINT) from error
    return Plan(tuple(steps))


def _step_lines(text: str, file: str) -> Iterator[tuple[Location, str]]:
    """Yield the place of each step in a text, and the actions in its line."""
    for number, line in enumerate(text.splitlines(), 1):
        written = line.partition("%")[0]
        if written.strip():
            words = _NUMBER.sub("", written, count=1).strip().rstrip(".")
            yield Location(file, number, 1), words


def _terms(words: str) -> list[str]:
    """Return the terms in a line, which spaces separate; spaces in brackets and strings do not."""
    terms = [""]
    depth = 0
    is_quoted = False
    for before, char in pairwise(f" {words}"):
        if char == '"' and before != "\\":
            is_quoted = not is_quoted
        if not is_quoted:
            depth += (char in "([") - (char in ")]")
        if char.isspace() and depth == 0 and not is_quoted:
            terms.append("")
        else:
            terms[-1] += char
    return [term for term in terms if term]
