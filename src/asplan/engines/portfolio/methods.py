"""What can take part in a race: an engine with one thing chosen, on an encoding or on states.

Methods share what they refute, so that a horizon has to mean the same to all of them: those that
work on another encoding than the others, or on the model in Python, can join where the domain's
steps have one action each. Else a search goes through the states of the program itself.

>>> [method.name for method in parse_methods("asp:jumpy,sat@order,bfs,pdr", PlanningOptions())]
['asp:jumpy', 'sat@order', 'bfs', 'pdr']
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from asplan.core.errors import UsageError
from asplan.engines.asp import engine as asp
from asplan.engines.asp.options import AspOptions, PlanningOptions
from asplan.engines.pdr import PdrOptions
from asplan.engines.pdr.engine import solve as pdr
from asplan.engines.portfolio.options import PDR, SEARCHING, split_method
from asplan.engines.run import EngineOptions, Report, Run
from asplan.engines.sat import engine as sat
from asplan.engines.sat.options import SatOptions
from asplan.engines.search import SEARCHES, solve_by
from asplan.problem import Inputs, Problem
from asplan.problem.catalog import find_encoding
from asplan.problem.lp import load_units
from asplan.program.contract import read_claims
from asplan.program.stepwise import check_names, times_of
from asplan.result import Result


@dataclass(frozen=True)
class Method:
    """An engine with its options, under the name that it was given.

    `check` raises an error where it has nothing to work on, or its steps are of another kind than
    the others'. One that is `optional` takes part where it can, and is not mentioned else.
    """

    name: str
    solve: Callable[[Run[Any]], Result]
    options: EngineOptions
    optional: bool = False
    check: Callable[[Problem], None] = lambda problem: None


def parse_methods(text: str, options: PlanningOptions) -> list[Method]:
    """The methods of a list: `asp` or `sat`, `:` a solver's word, `@` an encoding; or a search."""
    return [_method(word, options) for word in text.split(",")]


def _method(word: str, options: PlanningOptions) -> Method:
    if word in SEARCHING:
        check = partial(_check_search, word)
        if word == PDR:
            return Method(word, pdr, PdrOptions(), check=check)
        return Method(word, partial(_search, word), SEARCHES[word][0](), check=check)
    engine, chosen, encoding = split_method(word)
    shared = {f.name: getattr(options, f.name) for f in fields(PlanningOptions)}
    if engine == "sat":
        method = Method(word, sat.solve, SatOptions(**shared, solver=chosen))
    else:
        if chosen:
            shared["clingo"] = (f"--configuration={chosen}", *shared["clingo"])
        method = Method(word, asp.solve, AspOptions(**shared, no_states=True))
    if not encoding:
        return method
    solve = partial(_solve_encoding, method.solve, encoding)
    return replace(method, solve=solve, check=partial(_check_encoding, word, encoding))


def _check_encoding(name: str, encoding: str, problem: Problem) -> None:
    what, domain = "", problem.domain
    if domain is None or problem.model is None:
        what = "the program is none of a domain that has a model in Python"
    elif domain.parallel:
        what = f"encodings of {domain.name} differ in what a step holds"
    if what or domain is None:
        hint = "methods on the program itself can: asp, sat, asp:jumpy, …"
        raise UsageError(f"{name} cannot race here: {what}", hint=hint)
    find_encoding(encoding, domain.name)


def _check_search(name: str, problem: Problem) -> None:
    if problem.program.optimizes:
        what = "it finds any shortest plan, and the program minimizes"
        raise UsageError(f"{name} cannot race here: {what}", hint="asp and sat can")
    if name == PDR or _of_program(problem):
        check_names(problem.program)
        times_of(problem.program)


def _of_program(problem: Problem) -> bool:
    """Whether search goes through the states of the program, not those of a model."""
    parallel = problem.domain is not None and problem.domain.parallel
    return problem.model is None or problem.is_replayed or parallel


def _solve_encoding(engine: Callable[[Run[Any]], Result], encoding: str, run: Run[Any]) -> Result:
    """Run an engine on another encoding of the instance."""
    problem = run.problem
    words = Inputs(encoding=encoding, constants=problem.given, allow_scripts=problem.allow_scripts)
    other = load_units(words, problem.files, list(problem.units[:-1]), False)
    if other.domain != problem.domain:
        raise UsageError(f"{encoding} is no encoding of the domain that the others are of")
    if read_claims(other.units).estimates:
        raise UsageError(f"{encoding} estimates lengths, so its horizons mean other things")
    return engine(replace(run, problem=other))


def _search(name: str, run: Run[Any]) -> Result:
    """Search through states, and let the others know how deep."""
    problem = replace(run.problem, by_encoding=_of_program(run.problem))
    return solve_by(name, replace(run, problem=problem, report=report_to_others(run)))


def report_to_others(run: Run[Any]) -> Report:
    """A report by which the others learn what is refuted, too."""

    def report(partial: Result) -> None:
        run.shared.tell(partial.lower_bound)
        run.report(partial)

    return report
