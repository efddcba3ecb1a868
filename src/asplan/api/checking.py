"""Check a plan, from wherever it comes, and a program: what did its author most likely not mean?"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from asplan import warnings
from asplan.api import File, Files, inputs_of
from asplan.core.errors import InputError, InputWarning, InvalidPlan, Location, UsageError
from asplan.core.files import STDIN, read_text, standard_input
from asplan.core.limits import keep_interrupts
from asplan.core.plan import Plan
from asplan.core.text import shortened
from asplan.problem import Inputs, load, load_source
from asplan.problem.inputs import with_variant
from asplan.program.source import ground_term
from asplan.result import Result
from asplan.stored import read_plan_file
from asplan.validation import Checked, check

_HINT = "a plan is what asplan solve --json prints, or has the actions of a step in each line"
_NUMBER = re.compile(r"^\s*\d+[.:)](\s+|$)")


@keep_interrupts()
def find_warnings(
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
    """The warnings about a program, without solving it.

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
        Bad usage, or files that cannot be read or make no sense.

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
def validate(
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
    """Check a plan against an instance, independently of how it was found.

    Parameters
    ----------
    plan
        A plan; of a result its first, with its encoding and constants. A file holds what
        `asplan solve --json` prints, the actions of a step in each line, or for PDDL an action.
    encoding
        Needed where the files are no whole program and have no model in Python.
    text, constants, metric, actions, horizon_constant, fresh, allow_scripts, allow_includes
        As for `solve`.

    Returns
    -------
    int
        The first step after which the goal holds. All steps of a PDDL plan count, so there it is
        the last one.

    Raises
    ------
    InvalidPlan
        The message names the step, the action and the reason; or the file gives another cost.
    InputError
        A file holds no plan.
    UsageError
        `plan` is none of these.
    """
    inputs = inputs_of(files, locals())
    if isinstance(plan, str | os.PathLike):
        checked, _ = check_plan_file(inputs, os.fspath(plan))
    elif isinstance(plan, Plan | Result):
        checked = _check(inputs, plan)
    else:
        hint = "give a plan, a result, or the name of a file with one"
        raise UsageError(f"{shortened(repr(plan))} is no plan", hint=hint)
    return len(checked.plan)


def _check(inputs: Inputs, plan: Plan | Result) -> Checked:
    """Check a plan; what the inputs leave open is taken from a result."""
    if isinstance(plan, Result):
        inputs, plan = with_result(inputs, plan)
    else:
        inputs = with_variant(inputs)
    problem = load_source(inputs)
    if problem is None:
        problem = load(inputs, needs_model=inputs.encoding is None)
        problem = problem if problem.model is not None else load(inputs)
    found = warnings.find_warnings(problem, inputs.switches)
    return replace(check(problem, plan), warnings=found)


def check_plan_file(inputs: Inputs, file: str) -> tuple[Checked, int]:
    """Check the plan in a file; also the number of its steps. Raises as `validate` does."""
    plan = read_plan(inputs, file)
    if isinstance(plan, Result):
        return _check(inputs, plan), len(plan.plan or ())
    checked = _check(inputs, replace(plan, cost=None))
    stated, found = plan.cost, checked.cost
    whole = len(checked.plan) == len(plan)
    if whole and stated is not None and found is not None and stated != (found,):
        raise InvalidPlan(f"the actions cost {found}, but {file} says {stated[0]}")
    return checked, len(plan)


def begin_with(inputs: Inputs, given: Plan | Result | File) -> Plan:
    """The plan to begin with; raises `InputError` where a file or a result holds none."""
    if isinstance(given, Plan):
        return given
    found = given if isinstance(given, Result) else read_plan(inputs, os.fspath(given))
    if isinstance(found, Result) and found.plan is None:
        raise InputError(f"there is no plan to begin with: the outcome is {found.outcome}")
    return (found.plan or Plan()) if isinstance(found, Result) else found


def read_plan(inputs: Inputs, file: str) -> Plan | Result:
    """The plan in a file: a stored result if it begins as JSON, or as its source writes one."""
    text = standard_input() if file == STDIN else read_text(file)
    if text.lstrip().startswith(("{", "[")):
        stored = read_plan_file(file, text)
        if stored.plan is None:
            raise InputError(f"{file} holds no plan: its outcome is {stored.outcome}")
        return stored
    source = load_source(inputs)
    if source is not None and source.plan_files is not None:
        return source.plan_files.read(text.splitlines(), file)
    return read_lines(text, file)


def with_result(inputs: Inputs, result: Result) -> tuple[Inputs, Plan]:
    """The inputs, with what they leave open taken from a result; and its plan."""
    # Imported where a result is given: what draws takes long to load.
    from asplan.drawing.rules import inputs_of

    inputs, known = with_variant(inputs), inputs_of(result)
    encoding, constants = inputs.encoding or known.encoding, {**known.constants, **inputs.constants}
    return replace(inputs, encoding=encoding, constants=constants), result.plan or Plan()


def read_lines(text: str, file: str) -> Plan:
    """A plan as text: the actions of a step in a line, `%` begins a comment.

    A line may begin with a number, as asplan prints them, and end with a full stop. Lines with
    nothing are left out; a number alone is a step without actions.

    >>> read_lines("move(a,left). % first\\n\\n2.\\n3. load(b,1) move(c,up)\\n", "plan.txt").steps
    (('move(a,left)',), (), ('load(b,1)', 'move(c,up)'))
    """
    if not text.strip():
        raise InputError(f"{file} holds no plan: it is empty", hint=_HINT)
    steps = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("%")[0]
        words = _NUMBER.sub("", line, count=1).strip().rstrip(".")
        if not line.strip():
            continue
        try:
            steps.append(tuple(str(ground_term(word, "action")) for word in _terms(words)))
        except UsageError as error:
            raise InputError(error.message, at=Location(file, number, 1), hint=_HINT) from error
    return Plan(tuple(steps))


def _terms(words: str) -> list[str]:
    """The terms in a line: what stands between spaces outside of parentheses and strings."""
    found, depth, quoted = [""], 0, False
    for before, char in zip(f" {words}", words, strict=False):
        quoted = quoted != (char == '"' and before != "\\")
        depth += 0 if quoted else (char in "([") - (char in ")]")
        if char.isspace() and depth == 0 and not quoted:
            found.append("")
        else:
            found[-1] += char
    return [term for term in found if term]
