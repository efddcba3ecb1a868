"""The engines by name. One call signature, one result type; all choices are taken from here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from asplan.asp import controller
from asplan.errors import UsageError, nearest
from asplan.result import Result
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


def spelling(option: str) -> str:
    """How the command line spells a field of `Options`."""
    return "-- (clingo's options)" if option == "clingo" else "--" + option.replace("_", "-")
