"""What stands behind violated constraints and refused actions: the rules that derive their atoms,
or come nearest, and what stands behind those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from asplan.engines.asp.answer import Answer
from asplan.explaining.explanation import Nearest, Violation
from asplan.explaining.nearest import Found, follow
from asplan.explaining.patterns import Pattern, atoms_in
from asplan.explaining.question import Open, Pin, Question
from asplan.program.incremental import Program

DEPTH = 3
"""How many rules are followed, one behind the other."""


@dataclass(frozen=True)
class Situation:
    """What leads to an answer set: steps, and assumptions that fix it.

    Attributes
    ----------
    program, open
        The program as written, and what relaxes and opens it, or the same with more in it.
    goal
        The horizon at which the goal is demanded, if at one.
    """

    program: Program
    open: Open
    horizon: int
    pins: Sequence[Pin]
    goal: int | None = None

    def causes(self, wanted: Iterable[Pattern]) -> dict[Pattern, Nearest]:
        """For each atom the rule that comes nearest to deriving it, and so on.

        The program is grounded once for each rule in a row, with witnesses for what may derive
        the atoms that are missing.
        """
        levels: list[dict[Pattern, Found]] = []
        known: set[Pattern] = set()
        for _ in range(DEPTH):
            wanted = [pattern for pattern in dict.fromkeys(wanted) if pattern not in known]
            known |= {*wanted}
            levels.append(self._nearest(wanted) if wanted else {})
            found = levels[-1].values()
            wanted = [f.missing for f in found if f.missing is not None]
        return dict(_linked(levels))

    def _nearest(self, wanted: Iterable[Pattern]) -> dict[Pattern, Found]:
        trail = follow(self.program, wanted)
        question = self.open(trail.program)
        question.ground(self.horizon)
        answer = question.ask(self.pins, goal=self.goal)
        if not answer.models:
            return {}
        return trail.nearest(answer.models[-1], question.session.control.get_const)


def _linked(levels: list[dict[Pattern, Found]]) -> Iterator[tuple[Pattern, Nearest]]:
    """The atoms of the first level, each with what is behind it."""
    found = {pattern: f for level in reversed(levels) for pattern, f in level.items()}

    def link(pattern: Pattern, depth: int) -> Nearest:
        near = found[pattern]
        behind = near.missing if depth and near.missing in found else None
        because = None if behind is None else link(behind, depth - 1)
        if because and because.rule and because.rule.choice and because.literal is None:
            because = None  # it could have been chosen, and was not
        return replace(near.nearest, because=because)

    for pattern in levels[0]:
        yield pattern, link(pattern, DEPTH - 1)


def with_causes(question: Question, answer: Answer, situation: Situation) -> tuple[Violation, ...]:
    """The constraints that an answer breaks, each with the rules behind its atoms."""
    witnesses = question.witnesses(answer.models[-1])
    constant = question.session.control.get_const
    behind = {
        w: atoms_in(question.constraints[w.arguments[0].number], w, constant) for w in witnesses
    }
    wanted = (pattern for several in behind.values() for pattern, _ in several)
    broken = [(witness, True) for witness in witnesses]
    causes = replace(situation, pins=[*situation.pins, *broken]).causes(wanted)
    return tuple(
        replace(question.violation(w), because=tuple(_told(causes, behind[w]))) for w in witnesses
    )


def _told(
    causes: dict[Pattern, Nearest], atoms: Iterable[tuple[Pattern, bool]]
) -> Iterator[Nearest]:
    """What is worth telling of the atoms of a constraint.

    Of facts there is nothing to tell, nor of what was chosen.
    """
    for atom, true in atoms:
        nearest = causes.get(atom)
        if nearest is None or (true and nearest.rule is None):
            continue
        if nearest.rule is None or nearest.literal is not None or not nearest.rule.choice:
            yield nearest
