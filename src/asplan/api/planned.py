"""A plan from a file: what `asplan solve --json` prints, or a line for each step.

>>> read_lines("move(a,left). % first\\n\\nload(b) move(c,up)\\n", "plan.txt").steps
(('move(a,left)',), ('load(b)', 'move(c,up)'))
"""

from __future__ import annotations

import re
from dataclasses import replace

from asplan.errors import InputError, Location, UsageError
from asplan.loading import Problem, Words
from asplan.loading.variant import with_variant
from asplan.plan import Plan
from asplan.program.files import read_text
from asplan.program.source import ground_term
from asplan.result import Result
from asplan.stored import read_plan_file

_MEND = "a plan is what asplan solve --json prints, or has the actions of a step in each line"
_NUMBER = re.compile(r"\s*\d+[.:)]\s+")


def read_plan(file: str, source: Problem | None = None) -> Plan | Result:
    """The plan in a file, as asplan stores it, or as the source of a problem writes plans.

    Raises
    ------
    InputError
        The file holds no plan.
    """
    text = read_text(file)
    if not text.lstrip().startswith("{"):
        if source is not None and source.plan_files is not None:
            return source.plan_files.read(text.splitlines(), file)
        return read_lines(text, file)
    stored = read_plan_file(file)
    if stored.plan is None:
        raise InputError(f"{file} holds no plan: its outcome is {stored.outcome}")
    return stored


def with_result(words: Words, result: Result) -> tuple[Words, Plan]:
    """The words, with what they leave open taken from a result; and its plan."""
    # Imported where a result is given: what draws takes long to load.
    from asplan.drawing.rules import words_of

    words, known = with_variant(words), words_of(result)
    return replace(
        words,
        encoding=words.encoding or known.encoding,
        constants={**known.constants, **words.constants},
    ), result.plan or Plan()


def read_lines(text: str, file: str) -> Plan:
    """A plan as text: the actions of a step in a line, `%` begins a comment.

    A line may begin with a number, as asplan prints them, and end with a full stop.
    """
    steps = []
    for number, line in enumerate(text.splitlines(), 1):
        words = _NUMBER.sub("", line.partition("%")[0], count=1).strip().rstrip(".")
        if not words:
            continue
        try:
            steps.append(tuple(str(ground_term(word, "action")) for word in _terms(words)))
        except UsageError as error:
            raise InputError(error.message, at=Location(file, number, 1), mend=_MEND) from error
    return Plan(tuple(steps))


def _terms(words: str) -> list[str]:
    """The terms in a line: what stands between spaces outside of parentheses and strings."""
    found, depth, quoted = [""], 0, False
    for before, char in zip(f" {words}", words, strict=False):
        quoted = quoted != (char == '"' and before != "\\")
        depth += 0 if quoted else (char in "([") - (char in ")]")
        if char.isspace() and depth == 0 and not quoted:
            found.append("")
        else:
            found[-1] += char
    return [term for term in found if term]
