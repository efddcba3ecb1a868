"""One run, station by station, each in an isolated worker under the limits.

What is included is looked up, the problem solved, its plan drawn, its rules measured. Each station
tells sections of the page, as plain data; text from files turns no direction in them.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from asplan.core.errors import AsplanError, InputWarning, Location
from asplan.core.files import is_there, real_path
from asplan.core.limits import Limits, Stop
from asplan.core.process import run_apart, run_isolated
from asplan.core.text import printable
from asplan.drawing.html import make_page
from asplan.drawing.rules import make_scene
from asplan.drawing.scene import Timing
from asplan.engines import make_options
from asplan.explaining.explainer import Explainer, explain_missing, load_explainable, reworded
from asplan.explaining.explanation import Explanation
from asplan.explaining.text import paragraphs
from asplan.measuring.profile import Profile, RuleCost, profile_program
from asplan.planner import Request, answer
from asplan.problem import Inputs, load
from asplan.problem.catalog import find_encoding
from asplan.program.source import read_source
from asplan.result import Outcome, Result
from asplan.studio.settings import StudioSettings

_MOST = 2000  # steps of a plan that are listed
_MOST_FLUENTS = 50_000  # fluents of all states together that are listed
_PACE = 0.1  # seconds between two sights of what goes on
_STEPS, _MOST_STEPS, _SECONDS = 10, 30, 20.0
"""What is explained where there is no plan: why none has so many steps where it is known that none
has any number, and at most so many where fewer are refuted; and for how long at most."""


Tell = Callable[[str, Any], None]  # is told the name of a section, and what is in it from now on

GoOn = Callable[[], None]  # called many times a second; raises `Gone` to have the run given up

Partial = TypeVar("Partial")
Step = tuple[int, float, float]  # horizon, seconds of grounding and of solving


class Gone(Exception):
    """Nobody wants to know any more."""


def run(settings: StudioSettings, tell: Tell, go_on: GoOn) -> None:
    """Do all that the page shows of some settings; raises what makes that impossible."""
    tell("doing", "reading the files")
    read = _with_included(settings.named, settings, go_on)
    _tell_files(read, tell)
    result = _solve(settings, tell, go_on)
    tell("progress", _progress(result))
    _tell_warnings(result, tell)
    tell("plan", _plan(result))
    tell("outcome", _outcome(result))
    found = [file for file in _files_of(result) if file not in read]
    files = [*(_with_included(found, settings, go_on) if found else ()), *read]
    rules = result.trajectory.rules if result.trajectory else None
    others = [] if rules is None else [rules]
    tell("files", {"shown": files, "others": others, "are_all": True})
    if result.plan is not None:
        tell("doing", "drawing the plan")
        drawn, why = _apart(_draw_player, settings, result, go_on)
        tell("player", {"reason": why} if why else {"page": drawn[0]})
        if not why and drawn[1]:
            warned = replace(result, warnings=(*result.warnings, *drawn[1]))
            _tell_warnings(warned, tell)
            tell("outcome", _outcome(warned))
    elif (steps := _refuted(result)) is not None:
        tell("doing", "looking for the reason")
        _explain(settings, steps, tell, go_on)
    tell("doing", "measuring the rules")
    _measure(settings, result, tell, go_on)
    if result.trajectory is not None and result.trajectory.states:
        tell("doing", "looking for why atoms hold")
        reasons, why = _apart(_explain_states, settings, result, go_on)
        tell("reasons", {"reason": why} if why else {"why": _as_text(reasons)})


def _with_included(files: Iterable[str], settings: StudioSettings, go_on: GoOn) -> tuple[str, ...]:
    files, allow = tuple(files), settings.allow_includes
    return run_apart(settings.limits, go_on, _find_included, files, allow).value or files


def _apart(
    work: Callable[[Result, bool], Any], settings: StudioSettings, result: Result, go_on: GoOn
) -> tuple[Any, str]:
    """What work on a result comes to under the limits; or why it comes to nothing."""
    try:
        done = run_apart(settings.limits, go_on, work, result, settings.allow_includes)
    except AsplanError as error:
        return None, str(error)
    return done.value, done.reason if done.stopped else ""


# What a worker is given stands at the top of the module: without forks it has to be pickled.


def _find_included(files: tuple[str, ...], allow_includes: bool) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for file in files:
        found[file] = None
        if file.endswith(".lp"):
            found |= {text.name: None for text in read_source(file, allow_includes).texts}
    return tuple(found)


def _files_of(result: Result) -> Iterator[str]:
    """The encoding, in front of what it is for, and the files; one may have been found."""
    if result.encoding and not is_there(result.encoding):
        yield str(find_encoding(result.encoding, result.domain).path)
    elif result.encoding and result.encoding not in result.files:
        yield result.encoding
    yield from result.files


def _tell_files(files: Iterable[str], tell: Tell) -> None:
    """Tell of files that are shown and followed; there may be more."""
    tell("files", {"shown": list(files), "others": [], "are_all": False})


def _tell_warnings(result: Result, tell: Tell) -> None:
    remarks = [_remark(each.text, each.hint, each.at, each.code) for each in result.warnings]
    tell("warnings", {"remarks": remarks})


def _paced(hear: Callable[[Partial], None], go_on: GoOn) -> Callable[[Partial], None]:
    """A report that is heard if it says something new, and as often as an eye can follow."""
    last: object = None
    due = 0.0

    def report(partial_result: Partial) -> None:
        nonlocal last, due
        go_on()
        if partial_result is not last and time.monotonic() >= due:
            last, due = partial_result, time.monotonic() + _PACE
            hear(partial_result)

    return report


def _solve(settings: StudioSettings, tell: Tell, go_on: GoOn) -> Result:
    chosen = False

    def hear(result: Result) -> None:
        nonlocal chosen
        if result.encoding and not chosen:
            chosen = True
            _tell_files(_files_of(result), tell)
        if result.warnings:
            _tell_warnings(result, tell)
        tell("doing", result.reason)
        if result.encoding:
            tell("progress", _progress(result))

    options = make_options("asp", {}, settings.limits)
    request = Request(settings.inputs, options=options, limits=settings.limits)
    result = answer(request, _paced(hear, go_on), isolate=True)
    tell("steps", {"steps": step_seconds(result)})
    return result


def step_seconds(result: Result) -> list[Step]:
    """What each horizon cost, by a complete result; a horizon may have been solved twice."""
    ground: defaultdict[int, float] = defaultdict(float)
    solve: defaultdict[int, float] = defaultdict(float)
    for step in result.statistics.steps:
        ground[step.horizon] += step.ground
        solve[step.horizon] += step.solve
    return [(n, round(ground[n], 6), round(solve[n], 6)) for n in ground]


def _progress(result: Result) -> dict[str, Any]:
    return {
        "lower_bound": result.lower_bound,
        "conflicts": result.statistics.conflicts,
        "domain": result.domain,
        "encoding": result.encoding,
        "is_whole": result.encoding in result.files,
    }


def _outcome(result: Result) -> dict[str, Any]:
    same = ("verdict", "horizon", "lower_bound", "cost", "validated")
    told = {name: getattr(result, name) for name in same} | {"outcome": str(result.outcome)}
    told |= {"doubtful": result.is_doubtful, "reason": printable(result.reason)}
    return told | {"seconds": result.seconds.total}


def _plan(result: Result) -> dict[str, Any]:
    if result.plan is not None:
        steps = (", ".join(map(result.plan.name, step)) for step in result.plan.steps[:_MOST])
        lines = [(str(t), printable(step)) for t, step in enumerate(steps, 1)]
        states = result.trajectory.states if result.trajectory else ()
        if len(states) > _MOST + 1 or sum(map(len, states)) > _MOST_FLUENTS:
            states = ()  # too much for a page
        told = [sorted(map(printable, state)) for state in states]
        return {"lines": lines, "states": told}
    timed = result.trajectory.timed[:_MOST] if result.trajectory else ()
    lines = [("" if t is None else str(t), printable("  ".join(atoms))) for t, atoms in timed]
    return {"lines": lines, "states": []}


def _draw_player(result: Result, allow_includes: bool) -> tuple[str, tuple[InputWarning, ...]]:
    scene = make_scene(result, None, allow_includes)
    return make_page(scene, Timing()), scene.warnings


def _refuted(result: Result) -> int | None:
    """Of which length it is to be explained that there is no plan, if none was found."""
    if result.outcome is Outcome.UNSOLVABLE:
        return _STEPS
    is_open = result.outcome is Outcome.UNKNOWN and result.lower_bound > 0
    return min(result.lower_bound - 1, _MOST_STEPS) if is_open else None


def _explain(settings: StudioSettings, steps: int, tell: Tell, go_on: GoOn) -> None:
    """Tell why there is no plan of a number of steps, which is proven, as far as it is known."""

    def hear(found: Explanation) -> None:
        proven = replace(found, horizon=steps, excluded=True)
        told = [[printable(line.plain) for line in lines] for lines in paragraphs(proven)]
        tell("why", {"steps": steps, "paragraphs": told if len(told) > 1 else []})

    limits = replace(settings.limits, max_horizon=None)
    if settings.time_limit > _SECONDS:
        usual = f"usual time limit of {_SECONDS:g} s for explanations"
        limits = replace(limits, seconds=_SECONDS, named=usual)
    work = partial(_find_reason, settings.inputs, steps, limits)
    try:
        hear(run_isolated(work, limits, _paced(hear, go_on), Explanation(steps)))
    except AsplanError as error:
        tell("why", {"steps": steps, "paragraphs": [[printable(error.message)]]})


def _find_reason(
    inputs: Inputs, steps: int, limits: Limits, report: Callable[[Explanation], None]
) -> Explanation:
    problem = load_explainable(inputs)
    deadline = time.monotonic() + (limits.seconds or 0)
    # A warning about what is explained has its place at the lines of the source.
    work = Explainer(problem, deadline, lambda known: report(reworded(known, problem)))
    try:
        found = replace(explain_missing(work, steps), reason="")
    except TimeoutError:
        reason = limits.time_reason(work.so_far.reason)
        found = replace(work.so_far, reason=reason, stopped=Stop.TIME)
    return reworded(found, problem)


def _measure(settings: StudioSettings, result: Result, tell: Tell, go_on: GoOn) -> None:
    horizon = max(1, result.horizon or 0, result.lower_bound)

    def hear(profile: Profile) -> None:
        if profile.rules:
            tell("heat", _heat(profile))

    work = partial(_profile, settings.inputs, horizon)
    try:
        tell("heat", _heat(run_isolated(work, settings.limits, _paced(hear, go_on), Profile())))
    except AsplanError as error:
        tell("heat", {"horizon": horizon, "reason": str(error), "lines": []})


def _profile(inputs: Inputs, horizon: int, report: Callable[[Profile], None]) -> Profile:
    problem = load(inputs)
    return profile_program(problem.program, problem.given, horizon, report=report)


def _heat(profile: Profile) -> dict[str, Any]:
    """Instantiations by file and line, the dearest line first; a line may hold several rules."""
    rules: dict[tuple[str, int], list[RuleCost]] = defaultdict(list)
    for rule in profile.rules:
        rules[real_path(rule.file), rule.line].append(rule)
    lines = [
        {
            "file": file,
            "line": line,
            "instantiations": sum(rule.instantiations for rule in own),
            "share": sum(rule.share for rule in own),
            "approximate": any(rule.approximate for rule in own),
            "advice": " ".join(dict.fromkeys(rule.advice for rule in own if rule.advice)),
        }
        for (file, line), own in rules.items()
    ]
    lines.sort(key=lambda line: -line["instantiations"])  # type: ignore[operator]
    return {"horizon": profile.horizon, "reason": profile.reason, "lines": lines}


def _explain_states(result: Result, allow_includes: bool) -> Any:
    from asplan.drawing.rules import inputs_of
    from asplan.explaining.explainer import explain_states

    inputs = replace(inputs_of(result), allow_scripts=False, allow_includes=allow_includes)
    return explain_states(inputs, result, result.trajectory.states if result.trajectory else ())


def _as_text(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {_as_text(name): _as_text(one) for name, one in value.items()}
    return [_as_text(one) for one in value] if isinstance(value, list | tuple) else value


def report_error(error: AsplanError, tell: Tell) -> None:
    """Tell what was wrong, in a file that is shown from now on; the file is None if in none."""
    at = error.at
    if at is not None and is_there(at.file):
        _tell_files([at.file], tell)
    # Browsers have an event `error` of their own.
    tell("wrong", _remark(error.message, error.hint, at))


def _remark(text: str, hint: str, at: Location | None, code: str = "") -> dict[str, Any]:
    """What is wrong, or may be, and where; the file is None if in none that is there."""
    return {
        "message": printable(text),
        "hint": printable(hint),
        "code": code,
        "file": real_path(at.file) if at and is_there(at.file) else None,
        "line": at.line if at else None,
        "column": at.column if at else None,
    }
