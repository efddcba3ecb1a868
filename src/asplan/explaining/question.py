"""A relaxed program, grounded up to a horizon, and the questions that it can be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from clingo import Number, Symbol

from asplan.engines.asp.answer import Answer, Shown, read_plan, without_idle_end
from asplan.engines.asp.session import Session
from asplan.explaining.explanation import Values, Violation
from asplan.explaining.relaxing import BROKEN, JUDGE, SHOWN, Constraint, relax
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
    program
        The program as it was before it was relaxed.
    horizon
        The steps that are grounded.
    """

    program: Program
    constants: Mapping[str, str]
    constraints: tuple[Constraint, ...]
    session: Session
    contract: Contract
    horizon: int = 0

    def variant(self, program: Program, shown: str = SHOWN) -> Question:
        """The same question about another program, with the same deadline."""
        return open_question(program, self.constants, self.session.deadline, shown)

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
            self.session.ground([(JUDGE, [Number(self.horizon)])])

    def kept(self, goals: bool = True) -> list[Pin]:
        """What keeps all constraints, those of the goal included or not."""
        return [(c.kept, True) for c in self.constraints if goals or not c.rule.goal]

    def ask(self, pins: Iterable[Pin], *, goal: int | None) -> Answer:
        """Look for an answer set under assumptions, with the goal demanded at a horizon."""
        with self._demand(goal):
            return self.session.solve(self.horizon, assumptions=pins)

    def least(
        self,
        pins: Iterable[Pin],
        *,
        goal: int | None,
        on_better: Callable[[Answer], None] = lambda answer: None,
    ) -> Answer:
        """The same, but for an answer set that breaks few of the constraints."""
        with self._demand(goal):
            return self.session.solve(
                self.horizon, optimize=True, assumptions=pins, on_better=on_better
            )

    @contextmanager
    def _demand(self, goal: int | None) -> Iterator[None]:
        if goal is not None:
            self.session.demand(goal)
        try:
            yield
        finally:
            if goal is not None:
                self.session.drop(goal)

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

    def violations(self, shown: Shown) -> dict[Symbol, Violation]:
        """The instances of constraints that an answer set breaks, by their witnesses."""
        return {
            witness: Violation(
                self.constraints[witness.arguments[0].number].rule,
                witness.arguments[1].number,
                self.values(witness),
            )
            for witness in sorted(s for s in shown.symbols if s.match(BROKEN, 3))
        }

    def values(self, witness: Symbol) -> Values:
        """The variables of a witness with their values."""
        number, _, found = witness.arguments
        names = self.constraints[number.number].variables
        return tuple(zip(names, map(str, found.arguments), strict=True))

    def plan(self, shown: Shown) -> Plan:
        """The plan in an answer set."""
        return read_plan(shown, self.horizon, self.session.program.readings) or Plan()

    def shortened(self, plan: Plan, shown: Shown) -> Plan:
        """A plan that keeps all constraints, without idle steps after its goal if monotone."""
        if not self.contract.monotone:
            return plan
        actions = set(shown.actions)
        pins = [(atom, atom in actions) for atom in self.session.atoms("occurs", 2)]
        pins += self.kept()
        return without_idle_end(plan, lambda t: bool(self.ask(pins, goal=t).satisfiable))


def open_question(
    program: Program,
    constants: Mapping[str, str],
    deadline: float | None = None,
    shown: str = SHOWN,
) -> Question:
    """A question with horizon 0; `shown` is what its models are to show.

    Raises
    ------
    InputError
        The program refuses the instance, or cannot be grounded.
    """
    relaxed, constraints = relax(program, shown)
    session = Session(relaxed, constants, ["--opt-strategy=usc", "--sat-prepro=no"], deadline)
    session.ground_first()
    contract = read_contract(session.said(), None, "incremental")
    session.ground([(JUDGE, [Number(0)])])
    return Question(program, constants, constraints, session, contract)
