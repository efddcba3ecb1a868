"""The registry of engines: one call signature, one result type.

An engine turns a problem into an answer. Its `Engine` value has a function from a `Run` to a
`Result` and a dataclass of options, and an entry point in the group `asplan.engines` registers it.
The modules of an engine are imported when it runs, so that a run pays for one engine only, and a
help or a completion for none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias

from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError, nearest
from asplan.core.limits import Limits
from asplan.core.registry import Later, entries
from asplan.engines.options import EngineOptions, Form

if TYPE_CHECKING:
    from asplan.engines.run import Run
    from asplan.result import Result

UP = "up:"  # begins the names of the engines that are planners of unified-planning

ABOUT = {f"{UP}NAME": "a planner that unified-planning has installed, on PDDL"}
"""Descriptions of the engines outside the registry."""

OLD_NAMES = {"race": "portfolio"}
OLD_OPTIONS = {"lemmas": "invariants"}
"""Earlier names of engines and options, with the present ones; help texts leave them out.

If the user gave an earlier name, the result names the engine by it as well.
"""

_FIRST = ("asp", "sat", "portfolio", "auto", "bfs", "bfs-tree", "dfs", "bidirectional", "astar")
"""The engines that lists begin with, in this order."""


@dataclass(frozen=True)
class Engine:
    """An engine as the registry knows it: its function, its options and its abilities.

    Attributes
    ----------
    run
        The function from a run to a result.
    options
        The class of its options.
    needs_model
        True if it works only on a domain's model in Python.
    about
        A description in one line.
    forks
        True if it starts processes.
    from_text
        True if it reads the text of a PDDL task, which is then not translated to ASP.
    searches
        True if it searches states: those of a domain's model in Python, or those of a program.
    knows_theories
        True if it interprets theory atoms.
    grounds_anew
        True if it can solve programs that have to be grounded anew for each horizon.
    """

    run: Callable[[Run[Any]], Result]  # Any: the options of this engine
    options: type[EngineOptions]
    needs_model: bool
    about: str
    forks: bool = False
    from_text: bool = False
    searches: bool = False
    knows_theories: bool = False
    grounds_anew: bool = False

    @property
    def takes_steps(self) -> bool:
        """True if the user may choose which actions share a step."""
        return not (self.needs_model or self.from_text)

    @property
    def takes_encoding(self) -> bool:
        """True if the user may choose an encoding."""
        return self.takes_steps or self.searches

    def load(self) -> None:
        """Import the engine's modules now, so that processes forked later do not import them."""
        work = self.run.func if isinstance(self.run, partial) else self.run
        if isinstance(work, Later):
            work.load()


@cache
def engines() -> dict[str, Engine]:
    """Return the registered engines by name; raise `UsageError` if one cannot be imported."""
    registered = entries("asplan.engines")
    names = sorted(registered, key=_rank)
    return {name: registered[name].load_as(Engine, "an engine") for name in names}


def _rank(name: str) -> tuple[int, str]:
    place = _FIRST.index(name) if name in _FIRST else len(_FIRST)
    return place, name


def find_engine(name: str) -> Engine:
    """Return the engine called `name`, which may be a former name or have the form `up:PLANNER`.

    Raises `UsageError` if there is no such engine.
    """
    registered = entries("asplan.engines")
    entry = registered.get(name) or registered.get(OLD_NAMES.get(name, ""))
    if entry is not None:
        return entry.load_as(Engine, "an engine")
    if name == UP:
        raise UsageError(
            "engine 'up:': the name of a planner is missing",
            hint="use up:fast-downward, for example",
        )
    if name.startswith(UP):
        planner = name.removeprefix(UP)
        about = f"the planner {planner} of unified-planning"
        solve = entries("asplan.engine_families")["up"].load()
        return Engine(partial(solve, planner), EngineOptions, False, about, from_text=True)
    raise UsageError(f"unknown engine {name!r}", hint=nearest(name, engines(), noun="engines"))


OptionValue: TypeAlias = Any  # each option has its own type


def make_options(
    name: str,
    given: Mapping[str, OptionValue],
    limits: Limits,
) -> EngineOptions:
    """Return the options of the engine `name` with the values in `given`.

    Values that are None or `()` count as not given. Raises `UsageError` if the engine does not have
    an option, if a value is wrong, or if options contradict each other or the limits.
    """
    engine = find_engine(name)
    forms = engine.options.forms()
    chosen = {
        OLD_OPTIONS.get(option, option): value
        for option, value in given.items()
        if value not in (None, ())
    }
    for option in sorted(set(chosen) - set(forms)):
        users = [n for n, e in engines().items() if option in e.options.forms()]
        hint = f"it belongs to --engine {', '.join(users)}" if users else ""
        raise UsageError(f"engine {name} has no option {spelling(option)}", hint=hint)
    for option, value in chosen.items():
        forms[option].check(option, value)
    options = engine.options(**{n: forms[n].convert(value) for n, value in chosen.items()})
    options.check(limits)
    return options


def option_forms() -> dict[str, Form]:
    """Return the command-line form of each engine option, by its name and its former name."""
    forms: dict[str, Form] = {}
    for engine in engines().values():
        forms |= engine.options.forms()
    old = {old: replace(forms[name], hidden=True) for old, name in OLD_OPTIONS.items()}
    return {**forms, **old}


def spelling(option: str) -> str:
    """Return the spelling of an option on the command line: `max_horizon` -> `--max-horizon`."""
    if option == "clingo":
        return "-- (clingo's options)"
    return "--" + option.replace("_", "-")
