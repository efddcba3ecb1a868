"""The search for the reason why there is no plan, after a run or during it.

It takes place in a worker process, and the studio publishes each partial result.
"""

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from asplan.core.budget import Budget, OutOfBudget, Reporter
from asplan.core.dataclass import dataclass
from asplan.core.limits import Limits, Stop
from asplan.core.process import Worker, apply_limits
from asplan.core.text import printable
from asplan.explaining.encodings import load_explainable
from asplan.explaining.explainer import Explainer, explain_missing, explain_refuted
from asplan.explaining.explanation import Explanation
from asplan.explaining.rewording import reworded
from asplan.explaining.text import paragraphs
from asplan.problem import Inputs
from asplan.result import Outcome, Result
from asplan.studio.settings import StudioSettings

Publish = Callable[[str, object], None]  # called with the name of a section and its new content

_PATIENCE = 3.0  # seconds of a search without a plan before the search for a reason starts
_EXPLAINED_STEPS = 10  # the length to explain if there is no plan of any length
_MOST_EXPLAINED = 30  # the greatest length to explain
_EXPLAINING = 20.0  # the most seconds for an explanation


def refuted_steps(result: Result) -> int | None:
    """Return a refuted plan length that is short enough to explain; None if there is none."""
    if result.outcome is Outcome.UNSOLVABLE:
        return _EXPLAINED_STEPS
    if result.outcome is Outcome.UNKNOWN and result.lower_bound > 0:
        return min(result.lower_bound - 1, _MOST_EXPLAINED)
    return None


def explaining_limits(settings: StudioSettings) -> Limits:
    """Return the limits of an explanation: those of a run, but at most `_EXPLAINING` seconds."""
    limits = replace(settings.limits, max_horizon=None)
    if settings.time_limit <= _EXPLAINING:
        return limits
    usual = f"usual time limit of {_EXPLAINING:g} s for explanations"
    return replace(limits, seconds=_EXPLAINING, named=usual)


def publish_explanation(steps: int, publish: Publish, found: Explanation) -> None:
    """Publish the reason why no plan has `steps` steps.

    The solving stage has proven that there is no such plan; `found` explains it.
    """
    proven = replace(found, horizon=steps, excluded=True)
    texts = [[printable(line.plain) for line in lines] for lines in paragraphs(proven)]
    publish("why", {"steps": steps, "paragraphs": texts if len(texts) > 1 else []})


@dataclass(frozen=True)
class FindReason:
    """The work of a worker process: it explains why no plan has `steps` steps.

    If `quick` is set, the quick analyses come first.
    """

    inputs: Inputs
    steps: int
    limits: Limits
    quick: bool = False

    def __call__(self, report: Reporter[Explanation]) -> Explanation:
        """Return the explanation; if the time runs out, the part that was found."""
        problem = load_explainable(self.inputs)
        budget = Budget(time.monotonic() + (self.limits.seconds or 0))
        # Warnings of the problem are placed at the lines of its source.
        work = Explainer(problem, budget, lambda found: report(reworded(found, problem)))
        explain = explain_refuted if self.quick else explain_missing
        try:
            found = replace(explain(work, self.steps), reason="")
        except OutOfBudget:
            reason = self.limits.time_reason(work.so_far.reason)
            found = replace(work.so_far, reason=reason, stopped=Stop.TIME)
        return reworded(found, problem)


class SearchedReason(AbstractContextManager["SearchedReason"]):
    """A search for the reason why there is no short plan, during a search for plans.

    It is called with the partial results of the search for plans, several times a second. After
    `_PATIENCE` seconds without a plan it starts a worker, which stops at the end of the `with`
    block.
    """

    def __init__(self, settings: StudioSettings, publish: Publish) -> None:
        self._settings = settings
        self._publish = publish
        self._due = time.monotonic() + _PATIENCE
        self._steps = 0
        self._deadline = 0.0
        self._published: Explanation | None = None
        self._worker: Worker[Explanation] | None = None

    def __exit__(self, *_: object) -> None:
        self._stop()

    def __call__(self, result: Result) -> None:
        """Publish the explanation if it is new; start the worker if no plan was found for too long.

        `result` is the last partial result of the search for plans.
        """
        if self._worker is not None:
            self._receive(self._worker)
        elif result.plan is None and result.lower_bound > 0 and time.monotonic() > self._due:
            self._start(result.lower_bound - 1)

    def _start(self, refuted: int) -> None:
        limits = explaining_limits(self._settings)
        self._steps = min(refuted, _MOST_EXPLAINED)
        self._deadline = limits.deadline(time.monotonic())
        self._worker = Worker(Explanation(self._steps))
        self._worker.start(FindReason(self._settings.inputs, self._steps, limits, quick=True))

    def _receive(self, worker: Worker[Explanation]) -> None:
        if worker.receiver.poll() or worker.child.status() is not None:
            worker.receive()
            found = replace(worker.last, reason="")
            if worker.error is None and found != self._published:
                publish_explanation(self._steps, self._publish, found)
                self._published = found
        limits = explaining_limits(self._settings)
        if worker.ended or apply_limits(worker, limits, self._deadline) is not None:
            self._stop()

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.stop()
        self._worker = None
        self._due = math.inf
