"""What can take part in a race: an engine with one thing chosen, on an encoding or on states.

Methods share what they refute, so that a horizon has to mean the same to all of them: those that
work on another encoding than the others, or on the model in Python, can join where the domain's
steps have one action each. Else a search goes through the states of the program itself.

>>> [method.name for method in parse_methods("asp:jumpy,sat@offset,bfs,pdr", PlanningOptions())]
['asp:jumpy', 'sat@offset', 'bfs', 'pdr']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from asplan.engines.asp import engine as asp
from asplan.engines.asp.options import AspOptions, PlanningOptions
from asplan.engines.pdr.engine import solve as pdr
from asplan.engines.pdr.options import PdrOptions
from asplan.engines.portfolio.options import PDR, SEARCHING
from asplan.engines.run import EngineOptions, Report, Run
from asplan.engines.sat import engine as sat
from asplan.engines.sat.options import SatOptions
from asplan.engines.search.engine import solve as search
from asplan.engines.search.options import SEARCHES
from asplan.errors import UsageError
from asplan.problem import Inputs, Problem
from asplan.problem.catalog import find_encoding
from asplan.problem.lp import load_units
from asplan.program.contract import read_written
from asplan.program.stepwise import check_names, times_of
from asplan.result import Result


@dataclass(frozen=True)
class Method:
    """An engine with its options, under the name that the race was told.

    Attributes
    ----------
    optional
        Whether it takes part where it can, and nothing is said where it cannot.
    """

    name: str
    solve: Callable[[Run[Any]], Result]
    options: EngineOptions
    optional: bool = False


def parse_methods(text: str, options: PlanningOptions) -> list[Method]:
    """The methods of a checked list.

    `asp` or `sat`, behind a colon what to solve with, and behind an @ an encoding; or a search.
    """
    return [_method(word, options) for word in text.split(",")]


def check_joining(methods: Iterable[Method], problem: Problem) -> None:
    """Raise an error where a method has nothing to work on, or its steps are of another kind."""
    for method in methods:
        if isinstance(method.solve, _OnEncoding):
            _check_encoding(method.name, method.solve.encoding, problem)
        elif method.solve is pdr or isinstance(method.solve, _Search):
            _check_searching(method.name, problem, method.solve is pdr or _of_program(problem))


def _check_encoding(name: str, encoding: str, problem: Problem) -> None:
    hint = "methods on the program itself can: asp, sat, asp:jumpy, …"
    if problem.domain is None or problem.model is None:
        what = "the program is none of a domain that has a model in Python"
        raise UsageError(f"{name} cannot race here: {what}", hint=hint)
    if problem.domain.parallel:
        what = f"encodings of {problem.domain.name} differ in what a step holds"
        raise UsageError(f"{name} cannot race here: {what}", hint=hint)
    find_encoding(encoding, problem.domain.name)


def _check_searching(name: str, problem: Problem, of_program: bool) -> None:
    program = problem.program
    if program.optimizes:
        what = "it finds any shortest plan, and the program minimizes"
        raise UsageError(f"{name} cannot race here: {what}", hint="asp and sat can")
    if of_program:
        check_names(program)
        times_of(program)


def _of_program(problem: Problem) -> bool:
    """Whether search goes through the states of the program, not those of a model."""
    parallel = problem.domain is not None and problem.domain.parallel
    return problem.model is None or problem.is_replayed or parallel


@dataclass(frozen=True)
class _OnEncoding:
    """An engine that works on another encoding of the instance."""

    engine: Callable[[Run[Any]], Result]
    encoding: str

    def __call__(self, run: Run[Any]) -> Result:
        problem = run.problem
        words = Inputs(
            encoding=self.encoding,
            constants=problem.given,
            allow_scripts=problem.allow_scripts,
        )
        other = load_units(words, problem.files, list(problem.units[:-1]), False)
        if other.domain != problem.domain:
            raise UsageError(f"{self.encoding} is no encoding of the domain that the others are of")
        if read_written(other.units).estimates:
            raise UsageError(
                f"{self.encoding} estimates lengths, so its horizons mean other things"
            )
        return self.engine(replace(run, problem=other))


@dataclass(frozen=True)
class _Search:
    """A search through states, which tells the others how deep it has looked."""

    name: str

    def __call__(self, run: Run[Any]) -> Result:
        problem = replace(run.problem, by_encoding=_of_program(run.problem))
        return search(self.name, replace(run, problem=problem, report=tell_others(run)))


def tell_others(run: Run[Any]) -> Report:
    """A report by which the others hear what is refuted, too."""

    def tell(partial: Result) -> None:
        if run.shared is not None:
            run.shared.tell(partial.lower_bound)
        run.report(partial)

    return tell


def _method(word: str, options: PlanningOptions) -> Method:
    if word == PDR:
        return Method(word, pdr, PdrOptions())
    if word in SEARCHING:
        return Method(word, _Search(word), SEARCHES[word][0]())
    program, _, encoding = word.partition("@")
    method = _on_program(word, program, options)
    return replace(method, solve=_OnEncoding(method.solve, encoding)) if encoding else method


def _on_program(word: str, program: str, options: PlanningOptions) -> Method:
    engine, _, chosen = program.partition(":")
    shared = {f.name: getattr(options, f.name) for f in fields(PlanningOptions)}
    if engine == "sat":
        return Method(word, sat.solve, SatOptions(**shared, solver=chosen or None))
    if chosen:
        shared["clingo"] = (f"--configuration={chosen}", *shared["clingo"])
    return Method(word, asp.solve, AspOptions(**shared))
