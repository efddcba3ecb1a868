"""The marks as text, as a page, and as rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields

from asplan.core.page import page
from asplan.core.text import amount
from asplan.grading.grading import Exercise, Mark, Submission, Verdict


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

    def findings(self, submission: str) -> Iterator[tuple[str, Verdict, str]]:
        """What is not right, with the names of the instances where it is the same."""
        where: dict[tuple[Verdict, str], list[str]] = {}
        for mark in self.of(submission):
            if mark.verdict != Verdict.RIGHT:
                where.setdefault((mark.verdict, mark.why), []).append(mark.instance)
        for (verdict, why), names in where.items():
            is_all = len(names) == len(self.exercises) > 1
            yield "all instances" if is_all else ", ".join(names), verdict, why


def rows_as_csv(graded: Graded) -> str:
    """All marks, as comma-separated values, in the order of submissions and instances."""
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
