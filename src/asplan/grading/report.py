"""The report of a grading: all marks, as an HTML page or as comma-separated values."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputWarning
from asplan.core.page import render_page
from asplan.core.text import amount
from asplan.grading.exercises import Exercise
from asplan.grading.marking import Mark, Verdict
from asplan.grading.submissions import Submission


@dataclass(frozen=True)
class Finding:
    """A fault of a submission, with a remedy; `where` names the instances on which it occurs."""

    where: str
    verdict: Verdict
    why: str
    hint: str


@dataclass(frozen=True)
class MistakeKind:
    """A kind of mistake, the names of the submissions that show it, and an example."""

    name: str
    submissions: Sequence[str]
    example: str

    @property
    def count(self) -> int:
        """The number of submissions with this mistake."""
        return len(self.submissions)


@dataclass(frozen=True)
class Graded:
    """A grading with its marks; after an interrupt some marks are missing."""

    domain: str
    submissions: Sequence[Submission]
    exercises: Sequence[Exercise]
    marks: Sequence[Mark]

    @property
    def title(self) -> str:
        """The domain, with the numbers of submissions and instances."""
        submissions = amount(len(self.submissions), "submission")
        return f"{self.domain}: {submissions} on {amount(len(self.exercises), 'instance')}"

    @property
    def lead(self) -> str:
        """A sentence with the lengths of the shortest plans."""
        lengths = []
        for exercise in self.exercises:
            steps = exercise.shortest
            length = "no plan" if steps is None else amount(steps, "step")
            lengths.append(f"{exercise.name}: {length}")
        return "Shortest plans: " + ", ".join(lengths)

    def marks_of(self, submission: str) -> list[Mark]:
        """Return the marks of a submission, in the order of the exercises."""
        order = [exercise.name for exercise in self.exercises]
        marks = [mark for mark in self.marks if mark.submission == submission]
        return sorted(marks, key=lambda mark: order.index(mark.instance))

    def findings(self, submission: str) -> Iterator[Finding]:
        """Yield each fault of a submission once, with the names of its instances."""
        instances: dict[tuple[Verdict, str, str], list[str]] = {}
        for mark in self.marks_of(submission):
            if mark.verdict != Verdict.RIGHT:
                fault = (mark.verdict, mark.why, mark.hint)
                instances.setdefault(fault, []).append(mark.instance)
        for (verdict, why, hint), names in instances.items():
            is_all = len(names) == len(self.exercises) > 1
            where = "all instances" if is_all else ", ".join(names)
            yield Finding(where, verdict, why, hint)

    def warnings_of(self, submission: str) -> list[InputWarning]:
        """Return the different warnings about a submission, as `solve` prints them."""
        found = [warning for mark in self.marks_of(submission) for warning in mark.warned]
        return list(dict.fromkeys(found))

    def kinds(self) -> list[MistakeKind]:
        """Return the kinds of mistakes and of warnings, the most frequent ones first."""
        people: dict[str, list[str]] = {}
        examples: dict[str, str] = {}
        for submission in self.submissions:
            for name, example in self._kinds_of(submission.name):
                people.setdefault(name, []).append(submission.name)
                examples.setdefault(name, example)
        kinds = []
        for name, names in people.items():
            kinds.append(MistakeKind(name, list(dict.fromkeys(names)), examples[name]))
        return sorted(kinds, key=lambda kind: -kind.count)

    def _kinds_of(self, submission: str) -> Iterator[tuple[str, str]]:
        """Yield the kinds of the mistakes and warnings of a submission, each with an example."""
        for mark in self.marks_of(submission):
            if mark.mistake is not None:
                yield str(mark.mistake), f"{submission}, {mark.instance}: {mark.why}"
        for warning in self.warnings_of(submission):
            yield f"warning {warning.code}", f"{submission}: {warning.text}"


_ROWS = (
    *("submission", "instance", "verdict", "steps", "shortest", "step", "why"),
    *("warnings", "seconds", "hint", "mistake"),
)
"""The columns of comma-separated values, which are fields of a mark."""


def rows_as_csv(graded: Graded) -> str:
    """Return all marks as comma-separated values."""
    text = io.StringIO()
    writer = csv.DictWriter(text, _ROWS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for submission in graded.submissions:
        for mark in graded.marks_of(submission.name):
            writer.writerow(asdict(mark) | {"seconds": f"{mark.seconds:.3f}"})
    return text.getvalue()


STYLE = """
.marks td { white-space: nowrap; }
.marks td small { display: block; color: var(--quiet); }
.right-mark { box-shadow: inset 4px 0 #2a9d58; }
.not-shortest-mark { box-shadow: inset 4px 0 #e0a800; }
.wrong-plan-mark, .wrong-claim-mark, .refused-mark { box-shadow: inset 4px 0 var(--red); }
.too-loose-mark, .too-strict-mark { box-shadow: inset 4px 0 var(--red); }
.no-answer-mark, .not-judged-mark { box-shadow: inset 4px 0 #8a8a88; }
.kinds td:last-child { min-width: 16rem; }
.kinds td { white-space: normal; min-width: 6rem; overflow-wrap: anywhere; }
.kinds td:first-child { min-width: 11rem; }
a { color: inherit; }
h3 { margin-top: 1.4rem; }
.findings { list-style: none; margin: 0; padding: 0; font-size: .87rem; overflow-wrap: anywhere; }
.findings li { padding: .2rem .8rem; margin: .3rem 0; }
.findings small { white-space: pre-line; color: var(--quiet); }
"""
"""The style of the pages about a grading."""


def html_page(graded: Graded, pages: Mapping[str, str] | None = None) -> str:
    """Return all marks and findings as a page.

    `pages` maps the names of submissions to the addresses of their own pages.
    """
    return render_page(
        "grading/report.html", STYLE, title=graded.title, graded=graded, pages=pages or {}
    )
