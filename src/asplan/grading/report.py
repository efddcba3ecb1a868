"""The report of a grading: the marks of each submission, as a page or as comma-separated values."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields

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
        lengths = [
            f"{exercise.name} {'no plan' if exercise.shortest is None else exercise.shortest}"
            for exercise in self.exercises
        ]
        return "Shortest plans: " + ", ".join(lengths)

    def marks_of(self, submission: str) -> list[Mark]:
        """Return the marks of a submission, in the order of the exercises."""
        order = [exercise.name for exercise in self.exercises]
        marks = [mark for mark in self.marks if mark.submission == submission]
        return sorted(marks, key=lambda mark: order.index(mark.instance))

    def findings(self, submission: str) -> Iterator[Finding]:
        """Yield each different fault of a submission, with the names of the
        instances that show it.
        """
        instances: dict[tuple[Verdict, str, str], list[str]] = {}
        for mark in self.marks_of(submission):
            if mark.verdict != Verdict.RIGHT:
                fault = (mark.verdict, mark.why, mark.hint)
                instances.setdefault(fault, []).append(mark.instance)
        for (verdict, why, hint), names in instances.items():
            is_all = len(names) == len(self.exercises) > 1
            where = "all instances" if is_all else ", ".join(names)
            yield Finding(where, verdict, why, hint)


def rows_as_csv(graded: Graded) -> str:
    """Return all marks as comma-separated values."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Mark)], lineterminator="\n")
    writer.writeheader()
    for submission in graded.submissions:
        for mark in graded.marks_of(submission.name):
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
    """Return all marks and findings as a page."""
    return render_page("grading/report.html", _STYLE, title=graded.title, graded=graded)
