"""The first step at which a program refuses a plan, and the reason."""

import re
from dataclasses import replace
from itertools import chain

from asplan.clingo import Symbol
from asplan.core.budget import OutOfBudget, Reporter
from asplan.core.dataclass import dataclass
from asplan.engines.asp.answer import Answer
from asplan.engines.asp.replay import Actions, atoms_of
from asplan.engines.asp.solver import Pin
from asplan.explaining.explanation import Nearest, Refusal, RefusalKind
from asplan.explaining.instances import answered
from asplan.explaining.nearest import find_causes
from asplan.explaining.patterns import pattern_of
from asplan.explaining.question import Question
from asplan.explaining.relaxation import strict
from asplan.explaining.violations import with_causes
from asplan.program.incremental import Reading
from asplan.program.reading.unit import HELPER

# `Reading.atom` writes an action that it does not know as an atom of the helper predicate.
_UNKNOWN = re.compile(rf"^{HELPER}\((.*)\)$")


@dataclass(frozen=True)
class PlanReading:
    """A plan's actions as atoms of the program, under one reading.

    A reading interprets atoms of the program as actions. `atoms` has a list for each step.
    """

    atoms: list[list[Symbol]]
    reading: Reading

    def pins(
        self,
        question: Question,
        last: int,
    ) -> list[Pin]:
        """Return the assumptions that fix the actions of the steps up to `last`."""
        wanted = set(chain.from_iterable(self.atoms[:last]))
        pins = [(atom, True) for atom in sorted(wanted)]
        if question.program.plans_in_part:
            return pins
        steps = range(1, last + 1)
        for atom in question.solver.actions():
            if atom not in wanted and self.reading.step(atom) in steps:
                pins.append((atom, False))
        return pins


def cases_of(
    question: Question,
    actions: Actions,
) -> list[PlanReading]:
    """Return a plan's actions as atoms, once for each reading of the program."""
    return [
        PlanReading(atoms_of(actions, reading), reading) for reading in question.program.readings
    ]


def is_satisfiable(answer: Answer) -> bool:
    """Return whether there is an answer set.

    Raise `OutOfBudget` if the time was too short to know.
    """
    if answer.satisfiable is None:
        raise OutOfBudget
    return answer.satisfiable


def find_refusal(
    question: Question,
    actions: Actions,
    report: Reporter[str],
) -> Refusal | None:
    """Return the first step at which the program refuses a plan, with the reason.

    Return None if the program accepts the plan. Step 0 is the initial state. Raise `OutOfBudget` if
    the time is too short.
    """
    last = len(actions)
    cases = cases_of(question, actions)
    if any(_is_accepted(question, case, last) for case in cases):
        return None
    case = _fitting_case(question, cases)
    names = [(), *(tuple(map(str, step)) for step in actions)]
    question = question.variant(question.program)
    kept = question.kept(goals=False)
    for step in range(last + 1):
        question.ground(step, report)
        pins = [*kept, *case.pins(question, step)]
        if not is_satisfiable(question.ask(pins, goal=None)):
            return _refused_step(question, case, step, names[step])
    pins = [*kept, *case.pins(question, last)]
    answer = question.ask(pins, goal=last, least=True)
    broken = with_causes(answered(question, answer, last)) if answer.models else ()
    return Refusal(last, RefusalKind.GOAL, names[last], broken=broken)


def _is_accepted(
    question: Question,
    case: PlanReading,
    last: int,
) -> bool:
    """Return whether the program accepts the first `last` steps of a plan.

    The goal must hold at `last`, or in a monotone program at any time up to `last`. `case` has the
    atoms of the plan's actions.
    """
    pins = [*question.kept(), *case.pins(question, last)]
    times = range(last + 1) if question.contract.monotone else [last]
    return any(is_satisfiable(question.ask(pins, goal=t)) for t in times)


def _fitting_case(
    question: Question,
    cases: list[PlanReading],
) -> PlanReading:
    """Return the first case whose atoms all occur in the program.

    If there is none, return the first case.
    """
    atoms = question.solver.control.symbolic_atoms
    for case in cases:
        if all(atoms[atom] is not None for atom in chain.from_iterable(case.atoms)):
            return case
    return cases[0]


def _refused_step(
    question: Question,
    case: PlanReading,
    step: int,
    names: tuple[str, ...],
) -> Refusal:
    """Return the reason why a step is refused, if the earlier steps are accepted.

    `names` are the actions of the step. `case` has the atoms of the plan's actions.
    """
    earlier = [(strict(t), True) for t in range(step)]
    pins = [*case.pins(question, step), *earlier]
    answer = question.ask(pins, goal=None, least=True)
    if is_satisfiable(answer):
        broken = with_causes(answered(question, answer))
        return Refusal(step, RefusalKind.CONSTRAINT, names, broken=broken)
    nearest = _nearest_to_actions(question, case, step, earlier) if step else ()
    stopped = tuple(n for n in nearest if n.literal is not None or n.rule is None)
    return Refusal(step, RefusalKind.ACTION, names, nearest=stopped or nearest)


def _nearest_to_actions(
    question: Question,
    case: PlanReading,
    step: int,
    earlier: list[Pin],
) -> tuple[Nearest, ...]:
    """Return the rules that come nearest to offering the actions of a step.

    `earlier` are the assumptions that enforce all constraints of earlier steps. `case` has the
    atoms of the plan's actions.
    """
    pins = [*case.pins(question, step - 1), *earlier]
    before = question.ask(pins, goal=None)
    if not is_satisfiable(before):
        return ()
    causes = find_causes(answered(question, before), map(pattern_of, case.atoms[step - 1]))
    return tuple(replace(n, atom=_UNKNOWN.sub(r"\1", n.atom)) for n in causes.values())
