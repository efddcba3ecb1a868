"""A question: a solver with a relaxed program, which can enforce any set of its constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from asplan.clingo import Number, Symbol
from asplan.core.budget import ENDLESS, Budget, Reporter, ignore_report
from asplan.core.choices import Mode
from asplan.core.plan import Plan
from asplan.engines.asp.answer import Answer, ShownAtoms, read_plan, without_idle_end
from asplan.engines.asp.solver import ClingoSolver, PartsSolver, Pin
from asplan.explaining.explanation import Values, Violation
from asplan.explaining.relaxation import BROKEN, JUDGE, Constraint, relax
from asplan.program.incremental import Program
from asplan.program.reading.contract import Contract, read_contract

_OPTIONS = ("--opt-strategy=usc", "--sat-prepro=no")


@dataclass
class Question:
    """A solver with the relaxation of a program, grounded up to a horizon.

    An assumption (`Pin`) is an atom with the truth value that it must have in an answer.

    Attributes
    ----------
    constraints
        The constraints of the program, by the number of the switch that turns each on.
    contract
        The claims of the program about itself, for example that it is monotone.
    horizon
        The number of steps that are grounded.
    """

    program: Program
    constants: Mapping[str, str]
    constraints: tuple[Constraint, ...]
    solver: ClingoSolver
    contract: Contract
    horizon: int = 0

    def variant(
        self,
        program: Program,
        shown: str = "",
    ) -> Question:
        """Return a question about another program, with the same constants and budget.

        `shown` are `#show` statements to add.
        """
        return open_question(program, self.constants, self.solver.budget, shown)

    def ground(
        self,
        horizon: int,
        report: Reporter[str] = ignore_report,
    ) -> None:
        """Ground all steps up to a horizon.

        If the program is not monotone, solve before each step. This decides the atoms that the new
        step may read. `report` receives a phrase for each step.
        """
        while self.horizon < horizon:
            if not self.contract.monotone:
                self.solver.settle()
            self.horizon += 1
            report(f"grounding step {self.horizon}")
            self.solver.ground_step(self.horizon)
            self.solver.ground([(JUDGE, [Number(self.horizon)])])

    def kept(
        self,
        goals: bool = True,
    ) -> list[Pin]:
        """Return the assumptions that enforce all constraints.

        Without `goals`, constraints of the goal are left out.
        """
        return [(c.kept, True) for c in self.constraints if goals or not c.rule.goal]

    def ask(
        self,
        pins: Iterable[Pin],
        *,
        goal: int | None,
        least: bool = False,
        on_better: Reporter[Answer] = ignore_report,
    ) -> Answer:
        """Solve under assumptions, with the goal demanded at the horizon `goal` (None: no goal).

        If `least` is set, minimize the number of violations; `on_better` receives each better
        answer. `pins` are the assumptions.
        """
        if goal is not None:
            self.solver.demand(goal)
        try:
            return self.solver.search(
                self.horizon, optimize=least, assumptions=pins, on_better=on_better
            )
        finally:
            if goal is not None:
                self.solver.drop(goal)

    def core(
        self,
        answer: Answer,
        assumed: Sequence[Pin],
        goal: int,
    ) -> list[Pin]:
        """Return the assumptions in the unsatisfiable core of an answer.

        If the solver reports no core, solve without assumptions. If there is no plan even then,
        return an empty list, else all of `assumed`.
        """
        atoms = self.solver.control.symbolic_atoms
        core: list[Pin] = []
        for pin in assumed:
            atom = atoms[pin[0]]
            if atom is not None and atom.literal in answer.core:
                core.append(pin)
        if core or self.ask([], goal=goal).satisfiable is False:
            return core
        return list(assumed)

    def violations(
        self,
        symbols: Iterable[Symbol],
    ) -> dict[Symbol, Violation]:
        """Return the violations of constraints in an answer set, by their witness atoms."""
        violations: dict[Symbol, Violation] = {}
        for witness in sorted(symbol for symbol in symbols if symbol.match(BROKEN, 3)):
            number, step, _ = witness.arguments
            rule = self.constraints[number.number].rule
            violations[witness] = Violation(rule, step.number, self.values(witness))
        return violations

    def values(
        self,
        witness: Symbol,
    ) -> Values:
        """Return the names and values of the variables in a witness of a violation."""
        number, _, values = witness.arguments
        names = self.constraints[number.number].variables
        return tuple(zip(names, map(str, values.arguments), strict=True))

    def plan(
        self,
        shown: ShownAtoms,
    ) -> Plan:
        """Return the plan that an answer set shows; an empty one if it shows no actions."""
        return read_plan(shown, self.horizon, self.solver.program.readings) or Plan()

    def shortened(
        self,
        plan: Plan,
        shown: ShownAtoms,
    ) -> Plan:
        """Return a plan without idle steps after the goal is reached, if the program is monotone.

        The answer set of the plan, `shown`, must satisfy all constraints.
        """
        if not self.contract.monotone:
            return plan
        actions = set(shown.actions)
        pins = [(atom, atom in actions) for atom in self.solver.actions()]
        pins += self.kept()
        return without_idle_end(plan, lambda t: bool(self.ask(pins, goal=t).satisfiable))


def open_question(
    program: Program,
    constants: Mapping[str, str],
    budget: Budget = ENDLESS,
    shown: str = "",
) -> Question:
    """Return a question about a program: its relaxation, grounded at horizon 0.

    `shown` are `#show` statements to add.
    """
    relaxed, constraints = relax(program, shown)
    solver = PartsSolver(relaxed, constants, list(_OPTIONS), budget)
    solver.ground_first()
    contract = read_contract(solver.claims(), None, Mode.INCREMENTAL)
    solver.ground([(JUDGE, [Number(0)])])
    return Question(program, constants, constraints, solver, contract)
