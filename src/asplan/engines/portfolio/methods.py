"""The methods that can race: engines with a solver, an encoding, or a search algorithm.

Methods share the horizons that they refute, so horizon n must mean the same to all of them. A
method on another encoding, or on the model in Python, can join only if each step of the domain has
one action. Otherwise searches go through the states of the program itself.

>>> [method.name for method in parse_methods("asp:jumpy,sat@order,bfs,pdr", PlanningOptions())]
['asp:jumpy', 'sat@order', 'bfs', 'pdr']
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from asplan.catalog import find_encoding
from asplan.core.budget import Reporter
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.engines.asp import AspOptions, PlanningOptions
from asplan.engines.asp import controller as asp
from asplan.engines.options import EngineOptions
from asplan.engines.pdr import PdrOptions
from asplan.engines.pdr.engine import solve as pdr
from asplan.engines.run import Run
from asplan.engines.sat import SatOptions
from asplan.engines.sat import engine as sat
from asplan.engines.search import SEARCHES, solve_by
from asplan.problem import (
    Inputs,
    Problem,
    load_units,
)
from asplan.program.reading.contract import read_claims
from asplan.program.transitions.stepwise import check_action_names, transition_times_of
from asplan.result import Result

AnyRun: TypeAlias = Run[Any]  # Any: the options of any engine


@dataclass(frozen=True)
class Method:
    """An engine with its options, as it runs in a race.

    Attributes
    ----------
    name
        The name in reports, such as `asp:jumpy`.
    solve
        The function of the engine, from a run to a result.
    options
        The options of the engine.
    optional
        True if the race goes on without the method when it fails.
    check
        A function that raises an error if the method cannot race on a problem.
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
    """Return the methods of a list such as `asp:jumpy,sat@order,bfs`.

    A method is the name of a search, or `asp` or `sat`. After `asp` or `sat`, `:` adds a
    configuration or a solver, and `@` an encoding. `options` are the options that all methods of
    `asp` and `sat` share.
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
    """Return the method of a word such as `asp`, `asp:jumpy` or `sat:glucose42`."""
    engine, _, chosen = word.partition(":")
    shared = options.values(PlanningOptions)
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
    """Raise `UsageError` if a plan may have another number of steps in another encoding.

    If each step of the problem's domain has one action, plans have the same number of steps in
    `encoding` as in the problem's own one. `name` is the name of the method, for messages.
    """
    domain = problem.domain
    if domain is None or problem.model is None:
        raise _cannot_race(name, "only a domain with a model in Python has other encodings")
    if domain.parallel:
        raise _cannot_race(name, f"encodings of {domain.name} count steps differently")
    find_encoding(encoding, domain.name)


def _cannot_race(
    name: str,
    why: str,
) -> UsageError:
    hint = "methods without an encoding can: asp, sat, asp:jumpy, …"
    return UsageError(f"{name} cannot race here: {why}", hint=hint)


def _check_search(
    name: str,
    problem: Problem,
) -> None:
    """Raise an error if the search `name` cannot race on a problem."""
    if problem.program.optimizes:
        why = "it ignores the objective of the program"
        raise UsageError(f"{name} cannot race here: {why}", hint="asp and sat can")
    if name == "pdr" or _by_program(problem):
        check_action_names(problem.program)
        transition_times_of(problem.program)


def _by_program(problem: Problem) -> bool:
    """Return whether a search uses the states of the program instead of the domain's model."""
    parallel = problem.domain is not None and problem.domain.parallel
    return problem.model is None or problem.is_replayed or parallel


def _solve_encoding(
    engine: Callable[[AnyRun], Result],
    encoding: str,
    run: AnyRun,
) -> Result:
    """Run an engine on the problem's instance with another encoding."""
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
    """Run the search `name`, and share its lower bound with the other methods."""
    space = replace(run.problem.space, of_program=_by_program(run.problem))
    problem = replace(run.problem, space=space)
    return solve_by(name, replace(run, problem=problem, report=sharing_report(run)))


def sharing_report(run: AnyRun) -> Reporter[Result]:
    """Return a function that reports to a run, and shares the reported lower bound."""

    def report(partial: Result) -> None:
        run.shared.raise_to(partial.lower_bound)
        run.report(partial)

    return report
