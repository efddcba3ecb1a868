"""One run of the studio, stage by stage, each in a worker process under the limits.

The stages find included files, solve the problem, draw its plan or explain why there is none,
measure its rules, and find the reasons of atoms. Each stage publishes sections of the page.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Generic, TypeVar

from asplan.catalog import find_encoding
from asplan.core.budget import Budget, Reporter
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, InputWarning, Stopped
from asplan.core.files import is_there
from asplan.core.process import run_apart, run_isolated
from asplan.core.text import printable
from asplan.drawing.html import make_page
from asplan.drawing.rules import make_scene
from asplan.drawing.scene import Timing
from asplan.engines import make_options
from asplan.explaining.explanation import Explanation
from asplan.measuring.profile import Profile, profile_program
from asplan.planner import Request, answer
from asplan.problem import Inputs, load
from asplan.program.reading.source import read_source
from asplan.result import Result
from asplan.studio.page_data import (
    FilesData,
    encode_outcome,
    encode_plan,
    encode_profile,
    encode_progress,
    encode_remark,
    encode_warnings,
    make_printable,
    sum_step_times,
)
from asplan.studio.reasons import (
    FindReason,
    Publish,
    SearchedReason,
    explaining_limits,
    publish_explanation,
    refuted_steps,
)
from asplan.studio.settings import StudioSettings

_PACE = 0.1  # seconds between two reports to the page

Partial = TypeVar("Partial")
Answer = TypeVar("Answer")


def run(settings: StudioSettings, publish: Publish, budget: Budget) -> None:
    """Carry out all stages of a run; raise the errors of loading and solving the problem.

    The run ends early if `budget` is abandoned, because a newer order replaces the run.
    """
    _Run(settings, publish, budget).run()


@dataclass(frozen=True)
class _Run:
    """A run that publishes its results as sections of the page."""

    settings: StudioSettings
    publish: Publish
    budget: Budget

    def run(self) -> None:
        self._begin("reading the files")
        read = self._add_included(self.settings.named)
        publish_files(read, self.publish)
        result = self._solve()
        self.publish("progress", encode_progress(result))
        self._publish_warnings(result)
        self.publish("plan", encode_plan(result))
        self.publish("outcome", encode_outcome(result))
        self._publish_all_files(result, read)
        if result.plan is not None:
            self._draw(result)
        else:
            self._explain_missing_plan(result)
        self._measure(result)
        self._explain_atoms(result)

    def _begin(self, work: str) -> None:
        self.publish("doing", work)

    def _publish_warnings(self, result: Result) -> None:
        self.publish("warnings", encode_warnings(result.warnings))

    def _add_included(self, files: Iterable[str]) -> tuple[str, ...]:
        """Return files with the files that they include; unchanged if a limit is reached."""
        files = tuple(files)
        if not files:
            return ()
        allow_includes = self.settings.allow_includes
        done = run_apart(
            self.settings.limits,
            self.budget,
            _find_included,
            files,
            allow_includes,
        )
        return done.value or files

    def _publish_all_files(self, result: Result, read: Sequence[str]) -> None:
        """Publish the files of a result and the drawing rules; `read` are the files published
        before.
        """
        found = [file for file in _files_of(result) if file not in read]
        rules = result.trajectory.rules if result.trajectory else None
        files: FilesData = {
            "shown": [*self._add_included(found), *read],
            "others": [] if rules is None else [rules],
            "are_all": True,
        }
        self.publish("files", files)

    def _run_apart(self, work: Callable[[Result, bool], Answer], result: Result) -> Answer:
        """Call a function with a result in a worker; raise `Stopped` if it reaches a limit."""
        allow_includes = self.settings.allow_includes
        done = run_apart(
            self.settings.limits,
            self.budget,
            work,
            result,
            allow_includes,
        )
        if done.stopped:
            raise Stopped(done.reason)
        value: Answer = done.value
        return value

    def _solve(self) -> Result:
        options = make_options("asp", {}, self.settings.limits)
        limits = self.settings.limits
        request = Request(self.settings.inputs, options=options, limits=limits)
        report = _Paced(_SolvingReport(self.publish))
        with SearchedReason(self.settings, self.publish) as reason:

            def report_all(partial_result: Result) -> None:
                report(partial_result)
                reason(partial_result)

            result = answer(request, report_all, isolate=True, budget=self.budget)
        self.publish("steps", {"steps": sum_step_times(result)})
        return result

    def _draw(self, result: Result) -> None:
        self._begin("drawing the plan")
        try:
            drawn = self._run_apart(_draw_player, result)
        except AsplanError as error:
            self.publish("player", {"reason": str(error)})
            return
        self.publish("player", {"page": drawn.page})
        if drawn.warnings:
            warned = replace(result, warnings=(*result.warnings, *drawn.warnings))
            self._publish_warnings(warned)
            self.publish("outcome", encode_outcome(warned))

    def _explain_missing_plan(self, result: Result) -> None:
        """Explain why there is no plan of a refuted length; do nothing if no length was refuted."""
        steps = refuted_steps(result)
        if steps is None:
            return
        self._begin("looking for the reason")
        report = partial(publish_explanation, steps, self.publish)
        limits = explaining_limits(self.settings)
        work = FindReason(self.settings.inputs, steps, limits)
        try:
            begin = Explanation(steps)
            report(run_isolated(work, limits, _Paced(report), begin, budget=self.budget))
        except AsplanError as error:
            why = [[printable(error.message)]]
            self.publish("why", {"steps": steps, "paragraphs": why})

    def _measure(self, result: Result) -> None:
        self._begin("measuring the rules")
        horizon = max(1, result.horizon or 0, result.lower_bound)

        def report(profile: Profile) -> None:
            if profile.rules:
                self.publish("heat", encode_profile(profile))

        work = partial(_profile, self.settings.inputs, horizon)
        limits = self.settings.limits
        paced = _Paced(report)
        try:
            profile = run_isolated(work, limits, paced, Profile(), budget=self.budget)
        except AsplanError as error:
            self.publish("heat", {"horizon": horizon, "reason": str(error), "lines": []})
        else:
            self.publish("heat", encode_profile(profile))

    def _explain_atoms(self, result: Result) -> None:
        if result.trajectory is None or not result.trajectory.states:
            return
        self._begin("finding the reasons of atoms")
        try:
            reasons = self._run_apart(_explain_states, result)
        except AsplanError as error:
            self.publish("reasons", {"reason": str(error)})
        else:
            self.publish("reasons", {"why": make_printable(reasons)})


class _Paced(Generic[Partial]):
    """A reporter that forwards partial results, but at most one every `_PACE` seconds."""

    def __init__(self, report: Reporter[Partial]) -> None:
        self._report = report
        self._last: object = None
        self._due = 0.0

    def __call__(self, partial_result: Partial) -> None:
        now = time.monotonic()
        if partial_result is not self._last and now >= self._due:
            self._last = partial_result
            self._due = now + _PACE
            self._report(partial_result)


class _SolvingReport:
    """A reporter that publishes partial results of solving, and the files once they are known."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._has_encoding = False

    def __call__(self, result: Result) -> None:
        if result.encoding and not self._has_encoding:
            self._has_encoding = True
            publish_files(_files_of(result), self._publish)
        if result.warnings:
            self._publish("warnings", encode_warnings(result.warnings))
        self._publish("doing", result.reason)
        if result.encoding:
            self._publish("progress", encode_progress(result))


def publish_files(files: Iterable[str], publish: Publish) -> None:
    """Publish files to show and to watch; the page keeps the files that it shows already."""
    content: FilesData = {"shown": list(files), "others": [], "are_all": False}
    publish("files", content)


def report_error(error: AsplanError, publish: Publish) -> None:
    """Publish an error, and show the file in which it occurs."""
    at = error.at
    if at is not None and is_there(at.file):
        publish_files([at.file], publish)
    # Browsers have an event `error` of their own.
    publish("wrong", encode_remark(error.message, error.hint, at))


def _files_of(result: Result) -> Iterator[str]:
    """Yield the files of a result: first the encoding, unless it is one of the given files."""
    if result.encoding and not is_there(result.encoding):
        yield str(find_encoding(result.encoding, result.domain).path)
    elif result.encoding and result.encoding not in result.files:
        yield result.encoding
    yield from result.files


# Functions for workers are at the top level, so that they can be pickled where forks do not exist.


def _find_included(files: tuple[str, ...], allow_includes: bool) -> tuple[str, ...]:
    """Return each file, followed by the files that it includes, without repetitions."""
    found: dict[str, None] = {}
    for file in files:
        found[file] = None
        if file.endswith(".lp"):
            texts = read_source(file, allow_includes).texts
            found.update(dict.fromkeys(text.name for text in texts))
    return tuple(found)


@dataclass(frozen=True)
class _Player:
    """The page that plays a plan, and the warnings about its drawing rules."""

    page: str
    warnings: tuple[InputWarning, ...]


def _draw_player(result: Result, allow_includes: bool) -> _Player:
    scene = make_scene(result, None, allow_includes)
    return _Player(make_page(scene, Timing()), scene.warnings)


def _profile(inputs: Inputs, horizon: int, report: Reporter[Profile]) -> Profile:
    problem = load(inputs)
    return profile_program(problem.program, problem.user_constants, horizon, report=report)


def _explain_states(result: Result, allow_includes: bool) -> Mapping[str, object]:
    from asplan.drawing.rules import inputs_of
    from asplan.explaining.states import explain_states

    inputs = replace(inputs_of(result), allow_scripts=False, allow_includes=allow_includes)
    states = result.trajectory.states if result.trajectory else ()
    return explain_states(inputs, result, states)
