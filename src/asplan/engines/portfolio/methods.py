"""The methods that can race: engines with one choice, on an encoding or on states.

Methods share the horizons that they refute, so a horizon must mean the same to all of them. A
method on another encoding, or on the model in Python, can join if each step of the domain has one
action. Otherwise a search goes through the states of the program itself.

>>> [method.name for method in parse_methods("asp:jumpy,sat@order,bfs,pdr", PlanningOptions())]
['asp:jumpy', 'sat@order', 'bfs', 'pdr']
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import (
    dataclass,
    fields,
    replace,
)
from functools import partial
from typing import Any, TypeAlias

from asplan.core.budget import Reporter
from asplan.core.errors import UsageError
from asplan.engines.asp import AspOptions, PlanningOptions
from asplan.engines.asp import controller as asp
from asplan.engines.pdr import PdrOptions
from asplan.engines.pdr.engine import solve as pdr
from asplan.engines.run import (
    EngineOptions,
    Run,
)
from asplan.engines.sat import SatOptions
from asplan.engines.sat import engine as sat
from asplan.engines.search import SEARCHES, solve_by
from asplan.problem import (
    Inputs,
    Problem,
    load_units,
)
from asplan.problem.catalog import find_encoding
from asplan.program.contract import read_claims
from asplan.program.stepwise import check_action_names, transition_times_of
from asplan.result import Result

AnyRun: TypeAlias = Run[Any]  # Any: the options of any engine


@dataclass(frozen=True)
class Method:
    """An engine with its options.

    Attributes
    ----------
    name
        The name that the user gave.
    optional
        True if the race goes on without it where it fails.
    check
        A check of the problem; it raises an error if the method cannot race on it.
    """

    name: str
    solve: Callable[[AnyRun], Result]
    options: EngineOptions
    optional: bool = False
    check: Callable[[Problem], None] = lambda problem: None


def parse_methods(
    text: str,
    options: PlanningOptions,
) -> list[Method]:
    """Return the methods of a list, such as `asp:jumpy,sat@order,bfs`.

    A method is a search, or `asp` or `sat`, with `:` and a choice of solver, `@` and an encoding.
    """
    return [_method(word, options) for word in text.split(",")]


def _method(
    word: str,
    options: PlanningOptions,
) -> Method:
    if word == "pdr":
        return Method(word, pdr, PdrOptions(), check=partial(_check_search, word))
    if word in SEARCHES:
        own, _ = SEARCHES[word]
        return Method(word, partial(_search, word), own(), check=partial(_check_search, word))
    program, _, encoding = word.partition("@")
    method = replace(_program_method(program, options), name=word)
    if not encoding:
        return method
    solve = partial(_solve_encoding, method.solve, encoding)
    return replace(method, solve=solve, check=partial(_check_encoding, word, encoding))


def _program_method(
    word: str,
    options: PlanningOptions,
) -> Method:
    """Return the method of `asp` or `sat`, with `:` and a choice of solver."""
    engine, _, chosen = word.partition(":")
    shared = {field.name: getattr(options, field.name) for field in fields(PlanningOptions)}
    if engine == "sat":
        return Method(word, sat.solve, SatOptions(**shared, solver=chosen or None))
    if chosen:
        shared["clingo"] = (f"--configuration={chosen}", *shared["clingo"])
    return Method(word, asp.solve, AspOptions(**shared, no_states=True))


def _check_encoding(
    name: str,
    encoding: str,
    problem: Problem,
) -> None:
    """Raise `UsageError` if horizons of another encoding may mean something else."""
    domain = problem.domain
    if domain is None or problem.model is None:
        raise _cannot_race(name, "the program belongs to no domain with a model in Python")
    if domain.parallel:
        raise _cannot_race(name, f"encodings of {domain.name} count steps differently")
    find_encoding(encoding, domain.name)


def _cannot_race(
    name: str,
    why: str,
) -> UsageError:
    hint = "methods on the program itself can: asp, sat, asp:jumpy, …"
    return UsageError(f"{name} cannot race here: {why}", hint=hint)


def _check_search(
    name: str,
    problem: Problem,
) -> None:
    """Raise an error if a search cannot race on a problem."""
    if problem.program.optimizes:
        why = "it ignores the objective of the program"
        raise UsageError(f"{name} cannot race here: {why}", hint="asp and sat can")
    if name == "pdr" or _by_program(problem):
        check_action_names(problem.program)
        transition_times_of(problem.program)


def _by_program(problem: Problem) -> bool:
    """Return whether a search goes through the states of the program, not of a model."""
    parallel = problem.domain is not None and problem.domain.parallel
    return problem.model is None or problem.is_replayed or parallel


def _solve_encoding(
    engine: Callable[[AnyRun], Result],
    encoding: str,
    run: AnyRun,
) -> Result:
    """Run an engine on another encoding of the instance."""
    problem = run.problem
    inputs = Inputs(
        encoding=encoding,
        constants=problem.user_constants,
        allow_scripts=problem.allow_scripts,
    )
    other = load_units(inputs, problem.files, list(problem.units[:-1]), False)
    if other.domain != problem.domain:
        raise UsageError(f"{encoding} is an encoding of another domain than the others")
    if read_claims(other.units).estimates:
        raise UsageError(f"{encoding} estimates lengths, so its horizons cannot be compared")
    return engine(replace(run, problem=other))


def _search(
    name: str,
    run: AnyRun,
) -> Result:
    """Search through states, and share the lower bound."""
    space = replace(run.problem.space, of_program=_by_program(run.problem))
    problem = replace(run.problem, space=space)
    return solve_by(name, replace(run, problem=problem, report=sharing_report(run)))


def sharing_report(run: AnyRun) -> Reporter[Result]:
    """Return the report of a run that also shares the lower bound."""

    def report(partial: Result) -> None:
        run.shared.raise_to(partial.lower_bound)
        run.report(partial)

    return report
