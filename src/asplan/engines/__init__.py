"""The engines by name. One call signature, one result type; all choices are taken from here.

A new engine is a module with a function from a `Run` to a `Result`, a dataclass with its options,
and a line in this registry: the command line takes its options from there. What does the work is
imported when it is to be done, so that a run pays for one engine only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from asplan.domains import Domain, Model
from asplan.engines.asp.options import AspOptions
from asplan.engines.pdr.options import PdrOptions
from asplan.engines.portfolio.options import AutoOptions, RaceOptions
from asplan.engines.run import EngineOptions, Form, Run
from asplan.engines.sat.options import SatOptions
from asplan.engines.search.options import SEARCHES
from asplan.engines.smt import SmtOptions
from asplan.errors import UsageError, nearest
from asplan.limits import Limits
from asplan.problem import Problem
from asplan.registry import Later, function_at
from asplan.result import Result


@dataclass(frozen=True)
class Engine:
    """A way to answer a problem.

    Attributes
    ----------
    run
        Does the work; reports what is proven so far.
    options
        The dataclass of what it can be told.
    needs_model
        Whether it works on the model in Python rather than on the ASP program.
    from_text
        Whether it works on the text of a PDDL task, which is not translated for it.
    searches
        Whether it does so on any model, that of a program included.
    forks
        Whether it starts processes, so that it had better be in one without other threads.
    about
        One line for people.
    """

    run: Callable[[Run[Any]], Result]
    options: type[EngineOptions]
    needs_model: bool
    about: str
    forks: bool = False
    from_text: bool = False
    searches: bool = False

    def load(self) -> None:
        """Import what does the work, so that processes forked later need not."""
        work = self.run.func if isinstance(self.run, partial) else self.run
        if isinstance(work, Later):
            work.load()


_ASP = function_at("asplan.engines.asp.engine:solve")
_SAT = function_at("asplan.engines.sat.engine:solve")
_RACE = function_at("asplan.engines.portfolio.engine:race")
_AUTO = function_at("asplan.engines.portfolio.engine:auto")
_PDR = function_at("asplan.engines.pdr.engine:solve")
_SEARCH = function_at("asplan.engines.search.engine:solve")
_MINIMIZING = function_at("asplan.engines.smt:minimizing")
_GROWING = function_at("asplan.engines.smt:growing")
_FOREIGN = function_at("asplan.engines.external.engine:solve")

UP = "up:"
"""Begins the names of the engines that are planners of unified-planning."""

ABOUT = {f"{UP}NAME": "a planner that unified-planning has installed, on PDDL"}
"""A line for people about each kind of engine that is in no registry."""

ENGINES: dict[str, Engine] = {
    "asp": Engine(_ASP, AspOptions, False, "multi-shot clingo on an encoding"),
    "sat": Engine(_SAT, SatOptions, False, "a SAT solver on what clingo grounds"),
    "race": Engine(_RACE, RaceOptions, False, "asp, sat and others at once, first wins", True),
    "auto": Engine(_AUTO, AutoOptions, False, "asp; after some searching sat beside it", True),
    **{
        name: Engine(partial(_SEARCH, name), options, True, about, searches=True)
        for name, (options, about) in SEARCHES.items()
    },
    "pdr": Engine(_PDR, PdrOptions, False, "an invariant that no step to a goal breaks, or a plan"),
    "smt": Engine(partial(_MINIMIZING, "smt"), SmtOptions, True, "Z3 on the thesis's model"),
    "smt-alternating": Engine(
        partial(_MINIMIZING, "smt-alternating"),
        SmtOptions,
        True,
        "the same, and no vehicle moves twice running",
    ),
    "smt-cells": Engine(
        partial(_GROWING, "smt-cells"),
        SmtOptions,
        True,
        "Z3 on a faster model, one state at a time",
    ),
}


def find_engine(name: str) -> Engine:
    """The engine with a name; `UsageError` if there is none."""
    if engine := ENGINES.get(name):
        return engine
    if name == UP:
        raise UsageError("engine up: names no planner", mend="say up:fast-downward, for example")
    if name.startswith(UP):
        planner = name.removeprefix(UP)
        about = f"the planner {planner} of unified-planning"
        work = partial(_FOREIGN, planner)
        return Engine(work, EngineOptions, False, about, from_text=True)
    raise UsageError(f"unknown engine {name!r}", mend=nearest(name, ENGINES, noun="engines"))


def make_options(name: str, given: Mapping[str, Any], limits: Limits) -> EngineOptions:
    """The options of an engine; what is None or empty was not given.

    Raises
    ------
    UsageError
        There is no such engine, it does not know an option, or options contradict each other.
    """
    engine = find_engine(name)
    known = engine.options.forms()
    chosen = {option: value for option, value in given.items() if value not in (None, ())}
    for option in sorted(set(chosen) - set(known)):
        users = [n for n, e in ENGINES.items() if option in e.options.forms()]
        mend = f"it belongs to --engine {', '.join(users)}" if users else ""
        raise UsageError(f"engine {name} has no option {spelling(option)}", mend=mend)
    for option, value in chosen.items():
        known[option].check(option, value)
    options = engine.options(**chosen)
    options.check(limits)
    return options


def option_forms() -> dict[str, Form]:
    """The options of all engines, each with its command-line form."""
    return {
        name: form for engine in ENGINES.values() for name, form in engine.options.forms().items()
    }


def run_on_model(
    domain: Domain,
    model: Model[Any, Any],
    engine: str,
    limits: Limits | None = None,
    **options: Any,
) -> Result:
    """Run an engine that needs no more than the model on one in hand; for studies.

    The plan is not validated. Options and errors are those of `asplan.solve`.
    """
    limits = limits or Limits()
    chosen = make_options(engine, options, limits)
    problem = Problem(domain=domain, model=model)
    return find_engine(engine).run(Run(problem, chosen, limits))


def spelling(option: str) -> str:
    """How the command line spells an option of an engine."""
    return "-- (clingo's options)" if option == "clingo" else "--" + option.replace("_", "-")
