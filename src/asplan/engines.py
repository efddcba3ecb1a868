"""The engines by name. One call signature, one result type; all choices are taken from here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from asplan.asp import controller
from asplan.domains.base import Domain, Problem
from asplan.errors import UsageError, nearest
from asplan.limits import Limits
from asplan.result import Result
from asplan.search.algorithms import ALGORITHMS
from asplan.search.run import engine
from asplan.smt.engine import MODELS
from asplan.task import Options, Report, Task


@dataclass(frozen=True)
class Engine:
    """A way to turn a task into a result.

    Attributes
    ----------
    run
        Does the work; reports what is proven so far.
    options
        The fields of `Options` that it understands.
    needs_model
        Whether it works on the model in Python rather than on the ASP program.
    about
        One line for people.
    """

    run: Callable[[Task, Report], Result]
    options: frozenset[str]
    needs_model: bool
    about: str


ENGINES: dict[str, Engine] = {
    "asp": Engine(
        run=controller.solve,
        options=frozenset(
            {
                "mode",
                "horizon",
                "schedule",
                "threads",
                "models",
                "clingo",
                "no_rewrite",
                "allow_scripts",
            }
        ),
        needs_model=False,
        about="multi-shot clingo on an encoding",
    ),
    **{
        name: Engine(run=engine(algorithm), options=options, needs_model=True, about=about)
        for name, (algorithm, options, about) in ALGORITHMS.items()
    },
    **{
        name: Engine(run=run, options=frozenset({"move_limit"}), needs_model=True, about=about)
        for name, (run, about) in MODELS.items()
    },
}


def find_engine(name: str, options: Options) -> Engine:
    """The engine with a name, which must understand the options that were set.

    Raises
    ------
    UsageError
        There is no such engine, or it does not know an option.
    """
    engine = ENGINES.get(name)
    if engine is None:
        raise UsageError(f"unknown engine {name!r}", mend=nearest(name, ENGINES, noun="engines"))
    for option in sorted(options.given() - engine.options):
        users = [n for n, e in ENGINES.items() if option in e.options]
        mend = f"it belongs to --engine {', '.join(users)}" if users else ""
        raise UsageError(f"engine {name} has no option {spelling(option)}", mend=mend)
    return engine


def run_on_model(
    domain: Domain,
    problem: Problem[Any, Any],
    engine: str,
    limits: Limits | None = None,
    **options: Any,
) -> Result:
    """Run an engine that needs no more than the model on a problem in hand; for studies.

    The plan is not validated. Options and errors are those of `asplan.solve`.
    """
    chosen = Options(**options)
    task = Task((), domain=domain, problem=problem, options=chosen, limits=limits or Limits())
    return find_engine(engine, chosen).run(task, lambda partial: None)


def spelling(option: str) -> str:
    """How the command line spells a field of `Options`."""
    return "-- (clingo's options)" if option == "clingo" else "--" + option.replace("_", "-")
