"""Each submission plans for each instance in a worker of its own; the domain's model is the judge.

A submission is an encoding of anybody's. It may run for ever, use all memory or make no sense: that
is a mark like any other, and the others are graded. The marks become a text, a page, and rows.
"""

import csv
import io
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

from asplan.core.errors import AsplanError, InputError, InvalidPlan, UsageError, nearest
from asplan.core.files import exists
from asplan.core.limits import Limits, Stop
from asplan.core.page import page
from asplan.core.pool import run_all
from asplan.core.text import amount, shortened
from asplan.engines import make_options
from asplan.grading.submissions import (
    Submission,
    distinct_names,
    programs_in,
    why_no_own_file,
)
from asplan.planner import Request, answer
from asplan.problem import Inputs, Problem, load
from asplan.problem.catalog import find_instance, instances
from asplan.result import Outcome, Result
from asplan.validation import check, why_unknown

MANY = 5  # shipped instances that are taken where none is named, the easiest
LONGEST = 300  # characters of a reason, and of a hint
_OWN_FILES = "hand in all that belongs to it: one .lp file, or a folder of them"


class Verdict(StrEnum):
    """What may be said of a submission on an instance."""

    RIGHT = "right"
    LONGER = "not shortest"
    WRONG = "wrong plan"
    CLAIM = "wrong claim"
    NONE = "no answer"
    UNJUDGED = "not judged"
    REFUSED = "refused"


@dataclass(frozen=True)
class Exercise:
    """An instance as its domain has it; `shortest` is the length of a shortest plan, if any."""

    name: str
    problem: Problem
    shortest: int | None


@dataclass(frozen=True)
class Mark:
    """What came of a submission on an instance; `step` is the first that does not apply."""

    submission: str
    instance: str
    verdict: Verdict
    steps: int | None = None
    shortest: int | None = None
    step: int | None = None
    why: str = ""
    warnings: int = 0
    seconds: float = 0.0
    hint: str = ""


def read_exercises(
    domain: str,
    words: Iterable[str],
    constants: Mapping[str, str],
    limits: Limits,
    doing: Callable[[str], None] = lambda what: None,
) -> list[Exercise]:
    """The instances that words name, or the easiest, with lengths of shortest plans by A*."""
    files = list(dict.fromkeys(_files(domain, words))) or easiest(domain)
    exercises = []
    for name, file in zip(distinct_names(list(map(Path, files))), files, strict=True):
        inputs = Inputs((file,), constants=constants)
        problem = load(inputs, needs_model=True)
        if problem.domain is None or problem.domain.name != domain:
            raise UsageError(f"{file} is no instance of {domain}")
        request = Request(inputs, "astar", make_options("astar", {}, limits), limits)
        what = f"looking for a shortest plan of {name}"
        result = answer(request, lambda _, what=what: doing(what), isolate=True)  # type: ignore[misc]
        if result.stopped is Stop.INTERRUPT:
            raise KeyboardInterrupt
        if result.outcome not in (Outcome.OPTIMAL, Outcome.UNSOLVABLE):
            why = f"{name} has no shortest plan to compare with: {result.reason}"
            raise UsageError(why, hint="raise the limits, or leave the instance out")
        exercises.append(Exercise(name, problem, result.horizon))
    return exercises


def _files(domain: str, words: Iterable[str]) -> Iterator[str]:
    own = {entry.name: str(entry.path) for entry in instances() if entry.domain == domain}
    for word in words:
        if word and Path(word).is_dir():
            yield from _own_programs(Path(word))
        elif exists(word) or "/" in word:
            yield find_instance(word)
        elif word in own:
            yield own[word]
        else:
            hint = nearest(word, own, noun="instances")
            raise UsageError(f"{domain} has no instance {word}", hint=hint)


def _own_programs(folder: Path) -> tuple[str, ...]:
    """Return the .lp files of a folder; `InputError` for one that leads out of it."""
    files = programs_in(folder)
    if why := next(filter(None, map(why_no_own_file, files)), ""):
        raise InputError(why, hint="name that file itself if you trust it")
    return files


def easiest(domain: str) -> list[str]:
    """The shipped instances with the shortest of all shortest plans, as their headers have them."""
    said = ((re.search(r"shortest plan (\d+)", e.title), e) for e in instances())
    known = [(int(m[1]), e.name, str(e.path)) for m, e in said if m and e.domain == domain]
    if not (found := sorted(one for one in known if one[0])):
        why = f"no instance that ships with {domain} says how long its shortest plan is"
        raise UsageError(why, hint="name instances by --instances")
    return [path for _, _, path in found[:MANY]]


def grade(
    submissions: Sequence[Submission],
    exercises: Sequence[Exercise],
    limits: Limits,
    jobs: int = 1,
    waiting: Callable[[], None] = lambda: None,
) -> Iterator[Mark]:
    """The marks, as they come; `waiting` is called now and then."""
    pairs = ((one, exercise) for one in submissions for exercise in exercises)
    return run_all(pairs, partial(_mark, limits), jobs, waiting)


def _mark(limits: Limits, pair: tuple[Submission, Exercise], heed: Callable[[], None]) -> Mark:
    submission, exercise = pair
    (file,), own = exercise.problem.files, submission.files
    inputs = Inputs((file,), encoding=own[0]) if len(own) == 1 else Inputs((file, *own))
    start = time.monotonic()
    mark = Mark(submission.name, exercise.name, Verdict.RIGHT, shortest=exercise.shortest)
    if submission.refused:
        return replace(mark, verdict=Verdict.REFUSED, why=submission.refused, hint=_OWN_FILES)
    try:
        request = Request(inputs, options=make_options("asp", {}, limits), limits=limits)
        result = answer(request, lambda _: heed(), isolate=True)
        count = sum(warning.code != "referee" for warning in result.warnings)
        steps = None if result.plan is None else len(result.plan)
        mark = replace(mark, warnings=count, steps=steps)
        mark = _judge(mark, exercise, result)
    except InvalidPlan as error:
        why = error.message
        mark = replace(mark, verdict=Verdict.WRONG, step=error.step, why=why, hint=error.hint)
    except AsplanError as error:
        mark = replace(mark, verdict=Verdict.REFUSED, why=error.what, hint=error.hint)
    seconds = time.monotonic() - start
    why, hint = shortened(mark.why, LONGEST), shortened(mark.hint, LONGEST)
    return replace(mark, why=why, hint=hint, seconds=seconds)


def _judge(mark: Mark, exercise: Exercise, result: Result) -> Mark:
    shortest = exercise.shortest
    if result.plan is None:
        verdict, why = Verdict.NONE, result.reason
        if result.outcome == Outcome.UNSOLVABLE:
            if shortest is None:
                return mark
            verdict = Verdict.CLAIM
            why = f"says that there is no plan; there is one of {amount(shortest, 'step')}"
        elif result.horizon is not None:
            why = "shows no actions, so there is no plan to look at"
        return replace(mark, verdict=verdict, why=why)
    domain, model = exercise.problem.domain_and_model()
    if why := why_unknown(model, result.plan):
        why += f"; show actions in the words of {domain.name}"
        return replace(mark, verdict=Verdict.UNJUDGED, why=why)
    checked = check(exercise.problem, result.plan, as_listed=False)
    if shortest is None or len(result.plan) <= shortest:
        return mark
    why = f"{amount(len(result.plan), 'step')}, and the shortest plan has {shortest}"
    if (length := len(checked.plan)) < len(result.plan):
        why += f"; the goal holds after step {length} already"
    return replace(mark, verdict=Verdict.LONGER, why=why)


@dataclass(frozen=True)
class Finding:
    """What is not right with a submission on some instances, and what to do about it."""

    where: str
    verdict: Verdict
    why: str
    hint: str


@dataclass(frozen=True)
class Graded:
    """All that was graded, submission by submission; fewer marks where it was interrupted."""

    domain: str
    submissions: Sequence[Submission]
    exercises: Sequence[Exercise]
    marks: Sequence[Mark]

    @property
    def title(self) -> str:
        here, on = amount(len(self.submissions), "submission"), len(self.exercises)
        return f"{self.domain}: {here} on {amount(on, 'instance')}"

    @property
    def lead(self) -> str:
        lengths = {e.name: "no plan" if e.shortest is None else e.shortest for e in self.exercises}
        return "Shortest plans: " + ", ".join(f"{name} {n}" for name, n in lengths.items())

    def of(self, submission: str) -> list[Mark]:
        order = [exercise.name for exercise in self.exercises]
        own = [mark for mark in self.marks if mark.submission == submission]
        return sorted(own, key=lambda mark: order.index(mark.instance))

    def findings(self, submission: str) -> Iterator[Finding]:
        """Yield what is not right, once for all instances where it is the same."""
        where: dict[tuple[Verdict, str, str], list[str]] = {}
        for mark in self.of(submission):
            if mark.verdict != Verdict.RIGHT:
                where.setdefault((mark.verdict, mark.why, mark.hint), []).append(mark.instance)
        for (verdict, why, hint), names in where.items():
            is_all = len(names) == len(self.exercises) > 1
            yield Finding("all instances" if is_all else ", ".join(names), verdict, why, hint)


def rows_as_csv(graded: Graded) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [f.name for f in fields(Mark)], lineterminator="\n")
    writer.writeheader()
    for submission in graded.submissions:
        for mark in graded.of(submission.name):
            writer.writerow(asdict(mark) | {"seconds": f"{mark.seconds:.3f}"})
    return text.getvalue()


_STYLE = """
.marks td { white-space: nowrap; }
.marks td small { display: block; color: var(--quiet); }
.right-mark { box-shadow: inset 4px 0 #2a9d58; }
.not-shortest-mark { box-shadow: inset 4px 0 #e0a800; }
.wrong-plan-mark, .wrong-claim-mark, .refused-mark { box-shadow: inset 4px 0 var(--red); }
.no-answer-mark, .not-judged-mark { box-shadow: inset 4px 0 #8a8a88; }
h3 { margin-top: 1.4rem; }
.findings { list-style: none; margin: 0; padding: 0; font-size: .87rem; overflow-wrap: anywhere; }
.findings li { padding: .2rem .8rem; margin: .3rem 0; }
"""


def html_page(graded: Graded) -> str:
    return page("grading/report.html", _STYLE, title=graded.title, graded=graded)
