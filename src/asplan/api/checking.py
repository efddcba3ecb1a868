"""Check a plan, from wherever it comes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from asplan.api.planned import with_result
from asplan.api.words import File, Files, make_words
from asplan.errors import InputError, InvalidPlan
from asplan.loading import Problem, Words, load, load_source
from asplan.loading.variant import with_variant
from asplan.plan import Plan
from asplan.program.files import read_text
from asplan.result import Result
from asplan.stored import read_plan_file
from asplan.validation import Checked, check


def validate(
    *files: Files,
    plan: Plan | Result,
    encoding: File | None = None,
    constants: Mapping[str, object] | None = None,
    metric: str | None = None,
    allow_scripts: bool = False,
    allow_includes: bool = False,
) -> int:
    """Check a plan against an instance, independently of how it was found.

    Parameters
    ----------
    plan
        A plan; of a result that of its first, with its encoding and constants.
    encoding
        Needed where the files are no whole program and have no model in Python.
    constants, metric, allow_scripts, allow_includes
        As for `solve`.

    Returns
    -------
    int
        The first step after which the goal holds.

    Raises
    ------
    InvalidPlan
        The message names the step, the action and the reason.
    """
    words = make_words(files, encoding, constants, metric, allow_scripts, allow_includes)
    return len(check_plan(words, plan).plan)


def check_plan(words: Words, plan: Plan | Result) -> Checked:
    """Check a plan; what the words leave open is taken from a result. Raises as `validate` does."""
    if isinstance(plan, Result):
        words, plan = with_result(words, plan)
    else:
        words = with_variant(words)
    return check(_problem(words), plan)


def _problem(words: Words) -> Problem:
    """A problem that plans can be checked by."""
    if problem := load_source(words):
        return problem
    problem = load(words, needs_model=words.encoding is None)
    return problem if problem.model is not None else load(words)


def check_plan_file(words: Words, file: str) -> tuple[Checked, int]:
    """Check the plan in a file; also the number of its steps.

    What begins with a brace is a result that was stored; anything else is a plan as the source of
    the problem has them, so that an action and a place in the file can be told.

    Raises
    ------
    InputError
        The file holds no plan.
    InvalidPlan
        The plan does not do what it should, or costs something else than the file says.
    """
    text = read_text(file)
    source = None if text.lstrip().startswith("{") else load_source(words)
    if source is None or source.plan_files is None:
        stored = read_plan_file(file)
        if stored.plan is None:
            raise InputError(f"{file} holds no plan: its outcome is {stored.outcome}")
        return check_plan(words, stored), len(stored.plan)
    plan = source.plan_files.read(text.splitlines(), file)
    checked = check(source, replace(plan, cost=None))
    said, found = plan.cost, checked.cost
    whole = len(checked.plan) == len(plan)
    if whole and said is not None and found is not None and said != (found,):
        raise InvalidPlan(f"the actions cost {found}, but {file} says {said[0]}")
    return checked, len(plan)
