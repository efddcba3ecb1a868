"""The engines by name. One call signature, one result type; all choices are taken from here.

A new engine is a module or a package with an `Engine`, registered by an entry point in the group
`asplan.engines`: a function from a `Run` to a `Result`, and a dataclass with the options that the
command line is to have. What does the work is imported when it is to be done, so that a run pays
for one engine only.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

from asplan.core.errors import UsageError, nearest
from asplan.core.limits import Limits
from asplan.core.registry import entries
from asplan.domains import Domain, Model
from asplan.domains.model import complete
from asplan.engines.run import Engine, EngineOptions, Form, Run
from asplan.problem import Problem
from asplan.result import Result

UP = "up:"  # begins the names of the engines that are planners of unified-planning

ABOUT = {f"{UP}NAME": "a planner that unified-planning has installed, on PDDL"}
"""A line for people about each kind of engine that is in no registry."""

OLD_NAMES = {"race": "portfolio"}
OLD_OPTIONS = {"lemmas": "invariants"}
"""Earlier names of engines and of options. Both are still accepted and shown nowhere; a result
names the engine as it was asked for."""

_FIRST = ("asp", "sat", "portfolio", "auto", "bfs", "bfs-tree", "dfs", "bidirectional", "astar")
"""The engines that are named first, in this order."""


@cache
def engines() -> dict[str, Engine]:
    """All engines by name; `UsageError` if a package brings one that cannot be imported."""
    known = entries("asplan.engines")

    def rank(name: str) -> tuple[int, str]:
        return (_FIRST.index(name) if name in _FIRST else len(_FIRST), name)

    return {name: known[name].load_as(Engine, "an engine") for name in sorted(known, key=rank)}


def find_engine(name: str) -> Engine:
    known = entries("asplan.engines")
    if (entry := known.get(name) or known.get(OLD_NAMES.get(name, ""))) is not None:
        return entry.load_as(Engine, "an engine")
    if name == UP:
        raise UsageError("engine up: names no planner", hint="say up:fast-downward, for example")
    if name.startswith(UP):
        planner = name.removeprefix(UP)
        about = f"the planner {planner} of unified-planning"
        solve = entries("asplan.engine_families")["up"].load()
        return Engine(partial(solve, planner), EngineOptions, False, about, from_text=True)
    raise UsageError(f"unknown engine {name!r}", hint=nearest(name, engines(), noun="engines"))


def make_options(name: str, given: Mapping[str, Any], limits: Limits) -> EngineOptions:
    """The options of an engine; what is None or empty was not given."""
    engine = find_engine(name)
    known = engine.options.forms()
    chosen = {
        OLD_OPTIONS.get(option, option): value
        for option, value in given.items()
        if value not in (None, ())
    }
    for option in sorted(set(chosen) - set(known)):
        users = [n for n, e in engines().items() if option in e.options.forms()]
        hint = f"it belongs to --engine {', '.join(users)}" if users else ""
        raise UsageError(f"engine {name} has no option {spelling(option)}", hint=hint)
    for option, value in chosen.items():
        known[option].check(option, value)
    options = engine.options(**chosen)
    options.check(limits)
    return options


def option_forms() -> dict[str, Form]:
    forms = {n: form for engine in engines().values() for n, form in engine.options.forms().items()}
    old = {old: replace(forms[name], hidden=True) for old, name in OLD_OPTIONS.items()}
    return {**forms, **old}


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
    problem = Problem(domain=domain, model=complete(model))
    return find_engine(engine).run(Run(problem, chosen, limits))


def spelling(option: str) -> str:
    """How the command line spells an option of an engine."""
    return "-- (clingo's options)" if option == "clingo" else "--" + option.replace("_", "-")
