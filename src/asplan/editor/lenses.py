"""Code lenses, which offer commands above a program, and hints inside its lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from lsprotocol import types

from asplan.core.dataclass import dataclass
from asplan.editor.documents import Document
from asplan.editor.index import Kind, Name
from asplan.editor.profile import RuleProfile, instances

SOLVE = "asplan.solve"
EXPLAIN = "asplan.explain"
PLAY = "asplan.play"
PROFILE = "asplan.profile"


@dataclass(frozen=True)
class Solved:
    """The result of the last run of a problem.

    Attributes
    ----------
    outcome
        The outcome; empty if the problem was not solved yet.
    steps
        The number of steps of the plan; None without a plan.
    texts
        The texts of the run, by path.
    profile
        The sizes of the rules; empty if they were not counted.
    """

    outcome: str = ""
    steps: int | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    profile: RuleProfile = RuleProfile()

    @property
    def has_no_plan(self) -> bool:
        """True if the last run has found no plan."""
        return self.outcome in ("unsolvable", "unknown")


def lenses_of(document: Document, solved: Solved) -> list[types.CodeLens]:
    """Return the lenses for a document whose files can be solved, above its first statement."""
    statements = document.index.statements
    line = statements[0].span.line if statements else 0
    place = document.range_of_line(line)
    title = "Solve"
    if solved.steps is not None:
        title = f"Solve: {solved.steps} step{'' if solved.steps == 1 else 's'}"
    elif solved.outcome:
        title = f"Solve: {solved.outcome}"
    commands = [(title, SOLVE)]
    commands += [("Why no plan?", EXPLAIN)] if solved.has_no_plan else [("Play", PLAY)]
    commands += [] if document.is_pddl else [("Count instances", PROFILE)]
    return [
        types.CodeLens(place, types.Command(title, command, arguments=[document.uri]))
        for title, command in commands
    ]


def hints_of(document: Document, solved: Solved, horizon: str) -> list[types.InlayHint]:
    """Return the hints to show inside the lines of a document.

    The definition of the constant `horizon` gets a label; the name is empty if no constant is the
    horizon. Each rule gets its number of instances, if that is known.
    """
    index = document.index
    hints = []
    for each in index.definitions(Name(Kind.TERM, horizon, 0)) if horizon else ():
        place = document.position(each.span.line, each.span.column)
        hints.append(types.InlayHint(place, "horizon ", tooltip="the most steps of a plan"))
    for statement in index.statements:
        sizes = solved.profile.sizes.get((document.path, statement.span.line))
        if sizes is not None:
            end = document.position(statement.span.end_line, statement.span.end_column)
            hints.append(types.InlayHint(end, instances(sizes.instances), padding_left=True))
    return hints
