"""A relaxed program, grounded up to a horizon, and the questions that it can be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from clingo import Symbol

from asplan.engines.asp.answer import Answer, Shown, read_plan, without_idle_end
from asplan.engines.asp.session import Session
from asplan.explaining.explanation import Violation
from asplan.explaining.relaxing import BROKEN, Constraint, Relaxation, judge, relax
from asplan.plan import Plan
from asplan.program.contract import Contract, read_contract
from asplan.program.incremental import Program

Pin = tuple[Symbol, bool]
"""An atom, and what is assumed of it."""


@dataclass
class Question:
    """A session with a relaxed program.

    Attributes
    ----------
    horizon
        The steps that are grounded.
    """

    relaxation: Relaxation
    session: Session
    contract: Contract
    horizon: int = 0

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """All constraints of the program."""
        return self.relaxation.constraints

    def ground(self, horizon: int, tell: Callable[[str], None] = lambda doing: None) -> None:
        """Ground all steps up to a horizon.

        A program that reads what a later step derives means what it does in clingo's own loop,
        which solves before each step.
        """
        while self.horizon < horizon:
            if not self.contract.monotone:
                self.session.settle()
            self.horizon += 1
            tell(f"grounding step {self.horizon}")
            self.session.ground_step(self.horizon)
            self.session.ground([judge(self.horizon)])

    def kept(self, goals: bool = True) -> list[Pin]:
        """What keeps all constraints, those of the goal included or not."""
        return [(c.kept, True) for c in self.constraints if goals or not c.rule.goal]

    def ask(self, pins: Iterable[Pin], *, goal: int | None) -> Answer:
        """Look for an answer set under some assumptions.

        Parameters
        ----------
        goal
            The horizon at which the goal is demanded, if at one.
        """
        with _Demand(self.session, goal):
            return self.session.solve(self.horizon, assumptions=pins)

    def least(
        self,
        pins: Iterable[Pin],
        *,
        goal: int | None,
        on_better: Callable[[Answer], None] = lambda answer: None,
    ) -> Answer:
        """The same, but for an answer set that breaks few of the constraints."""
        with _Demand(self.session, goal):
            return self.session.solve(
                self.horizon, optimize=True, assumptions=pins, on_better=on_better
            )

    def core(self, answer: Answer, among: Sequence[Pin], goal: int) -> list[Pin]:
        """Those assumptions that an answer names as a reason why there is none.

        clingo names no assumption that is false whatever is assumed besides. So where none is
        named it may be any of them.
        """
        known = self.session.control.symbolic_atoms
        literals = {pin: atom.literal for pin in among if (atom := known[pin[0]]) is not None}
        found = [pin for pin, literal in literals.items() if literal in answer.core]
        if found or self.ask([], goal=goal).satisfiable is False:
            return found
        return list(among)

    def witnesses(self, shown: Shown) -> list[Symbol]:
        """The instances of constraints that an answer set breaks."""
        return sorted(s for s in shown.symbols if s.match(BROKEN, 3))

    def violations(self, shown: Shown) -> tuple[Violation, ...]:
        """The same in words, in order of time."""
        found = [self.violation(witness) for witness in self.witnesses(shown)]
        return tuple(sorted(found, key=lambda v: (v.step, v.rule.at)))

    def violation(self, witness: Symbol) -> Violation:
        """An instance of a constraint in words."""
        number, time, _ = witness.arguments
        constraint = self.constraints[number.number]
        return Violation(constraint.rule, time.number, self.relaxation.values(witness))

    def plan(self, shown: Shown, horizon: int) -> Plan:
        """The plan in an answer set."""
        return read_plan(shown, horizon, self.session.program.readings) or Plan()

    def shortened(self, plan: Plan, shown: Shown) -> Plan:
        """A plan that keeps all constraints, without idle steps after its goal if monotone."""
        if not self.contract.monotone:
            return plan
        actions = set(shown.actions)
        pins = [(atom, atom in actions) for atom in self.session.atoms("occurs", 2)]
        pins += self.kept()
        return without_idle_end(plan, lambda t: bool(self.ask(pins, goal=t).satisfiable))


class _Demand:
    """Demands the goal at a horizon while something is asked."""

    def __init__(self, session: Session, goal: int | None) -> None:
        self.session, self.goal = session, goal

    def __enter__(self) -> None:
        if self.goal is not None:
            self.session.demand(self.goal)

    def __exit__(self, *_: object) -> None:
        if self.goal is not None:
            self.session.drop(self.goal)


def opener(constants: Mapping[str, str], deadline: float | None) -> Open:
    """What opens programs with some constants, to be solved before a deadline."""

    def open_program(program: Program) -> Question:
        return open_question(relax(program), constants, deadline)

    return open_program


def open_question(
    relaxation: Relaxation, constants: Mapping[str, str], deadline: float | None
) -> Question:
    """A question with horizon 0.

    Raises
    ------
    InputError
        The program refuses the instance, or cannot be grounded.
    """
    words = ["--opt-strategy=usc", "--sat-prepro=no"]
    session = Session(relaxation.program, constants, words, deadline)
    session.ground_first()
    contract = read_contract(session.said(), None, "incremental")
    session.ground([judge(0)])
    return Question(relaxation, session, contract)


Open = Callable[[Program], Question]
"""Relaxes a program and opens it."""
