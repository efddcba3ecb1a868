"""Why an encoding refuses a plan: the first step that it refuses, and what stands in the way."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from clingo import Symbol

from asplan.engines.asp.answer import Answer
from asplan.engines.asp.replay import Actions, atoms_of
from asplan.explaining.explanation import Nearest, Refusal
from asplan.explaining.instances import answered, pattern_of
from asplan.explaining.nearest import find_causes, with_causes
from asplan.explaining.question import Pin, Question, strict
from asplan.program.incremental import HELPER, Reading

_UNKNOWN = re.compile(rf"^{HELPER}\((.*)\)$")


def find_refusal(
    question: Question, actions: Actions, tell: Callable[[str], None]
) -> Refusal | None:
    """The first step at which the encoding refuses a plan, 0 the state in which plans begin.

    Raises `TimeoutError` where the time was over before that was known; None if it accepts it.
    """
    last = len(actions)
    cases = cases_of(question, actions)
    times = range(last + 1) if question.contract.monotone else [last]
    for case in cases:
        pins = [*question.kept(), *case.pins(question, last)]
        if any(is_satisfiable(question.ask(pins, goal=t)) for t in times):
            return None
    known = question.session.control.symbolic_atoms
    fitting = (c for c in cases if all(known[a] is not None for step in c.atoms for a in step))
    case = next(fitting, cases[0])
    named = [(), *(tuple(map(str, step)) for step in actions)]
    question = question.variant(question.program)
    kept = question.kept(goals=False)
    for step in range(last + 1):
        question.ground(step, tell)
        if not is_satisfiable(question.ask([*kept, *case.pins(question, step)], goal=None)):
            return _refused_step(question, case, step, named[step])
    pins = case.pins(question, last)
    answer = question.ask([*kept, *pins], goal=last, least=True)
    broken = with_causes(answered(question, answer, last)) if answer.models else ()
    return Refusal(last, "goal", named[last], broken=broken)


@dataclass(frozen=True)
class Case:
    """The atoms of a plan, if the program means its actions in one way."""

    atoms: list[list[Symbol]]
    reading: Reading

    def pins(self, question: Question, last: int) -> list[Pin]:
        """The assumptions that fix the plan up to a step."""
        wanted = {atom for step in self.atoms[:last] for atom in step}
        others: list[Symbol] = []
        if not question.program.plans_in_part:
            others = [a for a in question.session.actions() if a not in wanted]
        steps = range(1, last + 1)
        return [
            *((atom, True) for atom in sorted(wanted)),
            *((atom, False) for atom in others if self.reading.step(atom) in steps),
        ]


def cases_of(question: Question, actions: Actions) -> list[Case]:
    """A plan in each way in which the program may mean its actions."""
    return [Case(atoms_of(actions, reading), reading) for reading in question.program.readings]


def is_satisfiable(answer: Answer) -> bool:
    """Whether there is an answer set; `TimeoutError` where the time did not do to know it."""
    if answer.satisfiable is None:
        raise TimeoutError
    return answer.satisfiable


def _refused_step(question: Question, case: Case, step: int, named: tuple[str, ...]) -> Refusal:
    """What refuses a step, if all steps before it are fine."""
    earlier = [(strict(t), True) for t in range(step)]
    pins = [*case.pins(question, step), *earlier]
    answer = question.ask(pins, goal=None, least=True)
    if is_satisfiable(answer):
        return Refusal(step, "constraint", named, broken=with_causes(answered(question, answer)))
    nearest: tuple[Nearest, ...] = ()
    if step:
        wanted = map(pattern_of, case.atoms[step - 1])
        pins = [*case.pins(question, step - 1), *earlier]
        before = question.ask(pins, goal=None)
        if is_satisfiable(before):
            nearest = tuple(find_causes(answered(question, before), wanted).values())
    # An action that the program has no predicate for is an atom of no program.
    nearest = tuple(replace(n, atom=_UNKNOWN.sub(r"\1", n.atom)) for n in nearest)
    stopped = tuple(n for n in nearest if n.literal is not None or n.rule is None)
    return Refusal(step, "action", named, nearest=stopped or nearest)
