"""The pages of a grading: one for each submission, with each plan beside a shortest plan."""

import base64
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError
from asplan.core.page import render_page
from asplan.core.plan import Plan, Steps
from asplan.core.text import amount
from asplan.drawing.rules import make_scene
from asplan.drawing.stage import Stage
from asplan.drawing.stills import write_svg
from asplan.grading.exercises import Exercise
from asplan.grading.marking import Mark, Verdict
from asplan.grading.report import STYLE, Graded, html_page
from asplan.referee import trajectory_of
from asplan.result import Result

INDEX = "index.html"
"""The name of the page with the marks of all submissions."""

_LONGEST = 60  # most characters of the name of a page
_MOST_STEPS = 200  # most steps of a plan to list; a longer plan has no picture
_PIXELS = 300  # the longer side of a picture

_STYLE = (
    STYLE
    + """
.plans { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem 2rem; }
@media (max-width: 40rem) { .plans { grid-template-columns: 1fr; } }
.plans section { min-width: 0; }
.plans h3 { margin-top: .2rem; }
.plans ol { margin: 0 0 .8rem; padding-left: 2.4rem; font-variant-numeric: tabular-nums; }
.plans li { overflow-wrap: anywhere; padding-left: .4rem; }
.plans li.differs { box-shadow: inset 3px 0 #e0a800; }
.plans li.refused { box-shadow: inset 3px 0 var(--red); background: var(--red-ground); }
.plans li.unreached { color: var(--quiet); }
.reason { color: var(--red); overflow-wrap: anywhere; }
.plans img { width: 100%; max-width: 18rem; }
"""
)


@dataclass(frozen=True)
class PageStep:
    """A step of a plan as text.

    `kind` is `refused` if the step does not apply, `unreached` if it comes after such a step,
    `differs` if the shortest plan beside it has another step, and empty otherwise.
    """

    text: str
    kind: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture of a state: a data URL, and a caption."""

    address: str
    caption: str


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a plan, and a picture of the last state that it reaches.

    `note` is shown if there are no steps. `reason` is the reason for a bad verdict.
    """

    title: str
    steps: Sequence[PageStep]
    note: str = ""
    reason: str = ""
    picture: Picture | None = None


@dataclass(frozen=True)
class ComparedMark:
    """A submission's plan beside a shortest plan."""

    mark: Mark
    sides: Sequence[Side]


def make_pages(graded: Graded) -> Iterator[tuple[str, str]]:
    """Yield the name and the HTML of each page: one with all marks, and one for each submission."""
    names = page_names([submission.name for submission in graded.submissions])
    yield INDEX, html_page(graded, names)
    exercises = {exercise.name: exercise for exercise in graded.exercises}
    shortest = {name: _shortest_side(exercise) for name, exercise in exercises.items()}
    for name, page in names.items():
        comparisons = []
        for mark in graded.marks_of(name):
            own = _own_side(mark, exercises[mark.instance])
            comparisons.append(ComparedMark(mark, (own, shortest[mark.instance])))
        yield page, _submission_page(graded, name, comparisons)


def page_names(submissions: Sequence[str]) -> dict[str, str]:
    """Map the name of each submission to a unique file name for its page.

    >>> page_names(["ada", "ben/plan", "ben-plan"])
    {'ada': 'ada.html', 'ben/plan': 'ben-plan.html', 'ben-plan': 'ben-plan-2.html'}
    """
    names: dict[str, str] = {}
    taken = {INDEX.casefold()}
    for submission in submissions:
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", submission).strip("-")[:_LONGEST] or "submission"
        name = f"{stem}.html"
        number = 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem}-{number}.html"
        taken.add(name.casefold())
        names[submission] = name
    return names


def _submission_page(graded: Graded, name: str, comparisons: Sequence[ComparedMark]) -> str:
    right = sum(one.mark.verdict == Verdict.RIGHT for one in comparisons)
    return render_page(
        "grading/submission.html",
        _STYLE,
        title=f"{name}, {graded.domain}",
        name=name,
        graded=graded,
        right=right,
        amount=amount,
        comparisons=comparisons,
        findings=list(graded.findings(name)),
        warnings=graded.warnings_of(name),
    )


def _shortest_side(exercise: Exercise) -> Side:
    """Return a shortest plan of an exercise, as a side of each comparison."""
    if exercise.plan is None:
        return Side("a shortest plan", (), note="There is no plan.")
    steps = exercise.plan.steps
    title = f"a shortest plan: {amount(len(steps), 'step')}"
    note = "" if steps else "The goal holds at the start."
    shown = [PageStep(_text_of(step)) for step in steps]
    return Side(title, _shortened(shown), note, picture=_draw_end(exercise, steps))


def _own_side(mark: Mark, exercise: Exercise) -> Side:
    """Return a submission's plan for an exercise, as a side of a comparison."""
    if mark.plan is None:
        return Side(mark.submission, (), note="No plan.", reason=mark.why)
    title = f"{mark.submission}: {amount(len(mark.plan), 'step')}"
    shown = _shortened(_steps_beside(mark.plan, exercise, mark.step))
    note = "" if mark.plan else "Nothing to do."
    if mark.verdict == Verdict.UNJUDGED:
        return Side(title, shown, note, mark.why)
    done = mark.plan if mark.step is None else mark.plan[: mark.step - 1]
    return Side(title, shown, note, mark.why, _draw_end(exercise, done))


def _steps_beside(plan: Steps, exercise: Exercise, refused: int | None) -> list[PageStep]:
    """Return the steps of a plan, each compared with the same step of a shortest plan.

    `refused` is the number of the first step that does not apply, or None.
    """
    beside = exercise.plan.steps if exercise.plan else ()
    steps = []
    for number, own in enumerate(plan, 1):
        kind = "" if own in beside[number - 1 : number] else "differs"
        if refused is not None and number >= refused:
            kind = "refused" if number == refused else "unreached"
        steps.append(PageStep(_text_of(own), kind))
    return steps


def _text_of(step: Sequence[str]) -> str:
    return "  ".join(step) or "(nothing)"


def _shortened(steps: Sequence[PageStep]) -> Sequence[PageStep]:
    """Return the steps to show: all, or for a long plan the first ones and a note on the rest."""
    left = len(steps) - _MOST_STEPS
    if left <= 0:
        return steps
    return [*steps[:_MOST_STEPS], PageStep(f"… and {amount(left, 'more step')}", "unreached")]


def _draw_end(exercise: Exercise, steps: Steps) -> Picture | None:
    """Draw the state after some steps; None for a state that cannot be drawn."""
    if len(steps) > _MOST_STEPS:
        return None
    problem = exercise.problem
    result = Result(files=problem.files, plans=(Plan(steps),), constants=problem.constants)
    file = io.BytesIO()
    try:
        trajectory = trajectory_of(problem, result)
        if len(trajectory.states) <= len(steps):  # a reference has the states of valid plans only
            return None
        scene = make_scene(replace(result, trajectory=trajectory))
        write_svg(file, Stage(scene, _PIXELS, caption=False), [scene.last])
    except AsplanError:
        return None
    data = base64.b64encode(file.getvalue()).decode()
    caption = f"after {amount(len(steps), 'step')}" if steps else "at the start"
    return Picture(f"data:image/svg+xml;base64,{data}", caption)
