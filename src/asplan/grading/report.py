"""The marks as text, as a page, and as rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields

from asplan.core.page import page, safe
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
        """How many submissions on what."""
        here, on = amount(len(self.submissions), "submission"), len(self.exercises)
        return f"{self.domain}: {here} on {amount(on, 'instance')}"

    @property
    def lead(self) -> str:
        """The instances, with the lengths of their shortest plans."""
        lengths = {e.name: "no plan" if e.shortest is None else e.shortest for e in self.exercises}
        return "Shortest plans: " + ", ".join(f"{name} {n}" for name, n in lengths.items())

    def of(self, submission: str) -> list[Mark]:
        """The marks of one submission, by instance."""
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


_CLASS = {verdict: f"{verdict.replace(' ', '-')}-mark" for verdict in Verdict}
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
    """One page: a table of all marks, and below it what is not right."""
    return page(graded.title, _parts(graded), _STYLE)


def _parts(graded: Graded) -> Iterator[str]:
    yield f"<h1>{safe(graded.title)}</h1>\n<p class=lead>{safe(graded.lead)}</p>"
    names = [exercise.name for exercise in graded.exercises]
    heads = "".join(f"<th>{safe(head)}</th>" for head in names)
    rows = "".join(_row(graded, one.name, names) for one in graded.submissions)
    yield (
        "<div class=wide tabindex=0 role=region><table class=marks>"
        "<thead><tr><th>submission</th><th class=n>right</th>"
        f"{heads}<th class=n>warnings</th></tr></thead>\n"
        f"<tbody>\n{rows}</tbody></table></div>"
    )
    if any(mark.verdict != Verdict.RIGHT for mark in graded.marks):
        yield "<h2>What is not right</h2>"
    for one in graded.submissions:
        if findings := list(graded.findings(one.name)):
            items = "".join(
                f"<li class={_CLASS[verdict]}><b>{safe(where)}</b>: {verdict}: {safe(why)}</li>"
                for where, verdict, why in findings
            )
            yield f"<h3>{safe(one.name)}</h3>\n<ul class=findings>{items}</ul>"


def _row(graded: Graded, submission: str, names: Sequence[str]) -> str:
    own = {mark.instance: mark for mark in graded.of(submission)}
    right = sum(mark.verdict == Verdict.RIGHT for mark in own.values())
    cells = "".join(_cell(own.get(name)) for name in names)
    warnings = max((mark.warnings for mark in own.values()), default=0)
    return (
        f"<tr><td><b>{safe(submission)}</b></td><td class=n>{right} of {len(names)}</td>{cells}"
        f"<td class=n>{warnings or ''}</td></tr>\n"
    )


def _cell(mark: Mark | None) -> str:
    if mark is None:
        return "<td>–</td>"
    steps = "" if mark.steps is None else amount(mark.steps, "step")
    if mark.step is not None:
        steps = f"step {mark.step}"
    small = f"<small>{steps}</small>" if steps else ""
    return f"<td class={_CLASS[mark.verdict]}>{mark.verdict}{small}</td>"
