"""Why an encoding refuses a plan: the first step that it refuses, and what stands in the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from clingo import Symbol

from asplan.engines.asp.answer import Answer
from asplan.engines.asp.replay import Actions, atoms_of
from asplan.explaining.causes import Situation, with_causes
from asplan.explaining.explanation import Nearest, Refusal
from asplan.explaining.patterns import pattern_of
from asplan.explaining.question import Open, Pin, Question
from asplan.explaining.relaxing import strict
from asplan.program.incremental import Program, Reading


@dataclass(frozen=True)
class _Case:
    """A plan, and how to ask about it."""

    program: Program
    open: Open
    actions: Actions
    atoms: list[list[Symbol]]
    reading: Reading

    def is_known(self, question: Question) -> bool:
        """Whether the program has atoms for all its actions."""
        known = question.session.control.symbolic_atoms
        return all(known[atom] is not None for step in self.atoms for atom in step)

    def pins(self, question: Question, last: int) -> list[Pin]:
        """The assumptions that fix the plan up to a step."""
        wanted = {atom for step in self.atoms[:last] for atom in step}
        if self.program.plans_in_part:
            return [(atom, True) for atom in sorted(wanted)]
        known = (a for a in question.session.atoms("occurs", 2) if a not in wanted)
        others = [(a, False) for a in known if self.reading.step(a) in range(1, last + 1)]
        return [*((atom, True) for atom in sorted(wanted)), *others]


def find_refusal(
    program: Program,
    open_program: Open,
    question: Question,
    actions: Actions,
    tell: Callable[[str], None],
) -> Refusal | None:
    """The first step at which the encoding refuses a plan; None if it accepts it.

    Step 0 is the state in which plans begin, with no action yet.

    Parameters
    ----------
    question
        The program, grounded up to the length of the plan.

    Raises
    ------
    TimeoutError
        The time was over before that was known.
    """
    cases = [
        _Case(program, open_program, actions, atoms_of(actions, reading), reading)
        for reading in program.readings
    ]
    if any(_is_accepted(case, question) for case in cases):
        return None
    case = next((case for case in cases if case.is_known(question)), cases[0])
    return _refusal(case, tell)


def _is_accepted(case: _Case, question: Question) -> bool:
    last = len(case.actions)
    pins = [*question.kept(), *case.pins(question, last)]
    times = range(last + 1) if question.contract.monotone else [last]
    return any(_answered(question.ask(pins, goal=t)) for t in times)


def _refusal(case: _Case, tell: Callable[[str], None]) -> Refusal:
    """The refusal of a plan that is not accepted, step by step."""
    last = len(case.actions)
    question = case.open(case.program)
    kept = question.kept(goals=False)
    for step in range(last + 1):
        question.ground(step, tell)
        if not _answered(question.ask([*kept, *case.pins(question, step)], goal=None)):
            return _at_step(case, question, step)
    pins = case.pins(question, last)
    answer = question.least([*kept, *pins], goal=last)
    situation = Situation(case.program, case.open, last, pins, goal=last)
    broken = with_causes(question, answer, situation) if answer.models else ()
    return Refusal(last, "goal", _named(case.actions[-1:]), broken=broken)


def _answered(answer: Answer) -> bool:
    if answer.satisfiable is None:
        raise TimeoutError
    return answer.satisfiable


def _named(steps: Actions) -> tuple[str, ...]:
    return tuple(str(action) for step in steps for action in step)


def _at_step(case: _Case, question: Question, step: int) -> Refusal:
    """What refuses a step, if all steps before it are fine."""
    named = _named(case.actions[step - 1 : step]) if step else ()
    pins = [*case.pins(question, step), *((strict(t), True) for t in range(step))]
    answer = question.least(pins, goal=None)
    if answer.satisfiable is None:
        raise TimeoutError
    if answer.satisfiable:
        broken = with_causes(question, answer, Situation(case.program, case.open, step, pins))
        return Refusal(step, "constraint", named, broken=broken)
    return Refusal(step, "action", named, nearest=_not_offered(case, question, step))


def _not_offered(case: _Case, question: Question, step: int) -> tuple[Nearest, ...]:
    """For each action of a step that no rule offers there, the rule that comes nearest."""
    if step == 0:
        return ()
    strictly = [(strict(t), True) for t in range(step)]
    pins = [*case.pins(question, step - 1), *strictly]
    wanted = [pattern_of(atom) for atom in case.atoms[step - 1]]
    found = Situation(case.program, case.open, step, pins).causes(wanted).values()
    stopped = tuple(n for n in found if n.literal is not None or n.rule is None)
    return stopped or tuple(found)
