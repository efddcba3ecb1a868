"""The check of a plan in a fresh clingo: the program is solved again with the plan fixed.

A plan is checked here if its domain has no model in Python. The check shares the encoding with the
engine, so it finds mistakes of the engine or of a stored plan, but not of the encoding.

Assumptions make the actions of the plan true and all other actions false. If the program shows only
some of its actions, the others stay open. A single-shot program may require actions before the
first or after the last step of the plan. Such actions stay open if there is no answer set without
them. Then no state of the plan and no required atom may depend on them; `Replayed.beside` names
them.

Choices are narrowed: `{ occurs(A,t) : action(A) }` gets the condition
`asplan__planned_occurs(A,t)`, so that only states along the plan are grounded. A single-shot
program that has no such answer set is grounded again as written, since it may require actions
beside the plan. If clingo has to solve before each step of a program in parts, constraints fix the
earlier steps. A program may choose other atoms than
actions. Their values in the engine's answer are tried first, because a search for them can take as
long as the search for the plan.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain

from asplan.clingo import Function, Symbol, SymbolType
from asplan.core.choices import Mode
from asplan.core.dataclass import dataclass
from asplan.core.errors import InvalidPlan, UsageError
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.engines.asp.answer import Answer
from asplan.engines.asp.checking import Checking, read_values
from asplan.engines.asp.influence import find_influence
from asplan.engines.asp.opening import make_solver
from asplan.engines.asp.solver import ClingoSolver, Pin
from asplan.program.incremental import Program, Reading, with_query
from asplan.program.incremental import plan as plan_part
from asplan.program.reading.contract import Contract, read_contract
from asplan.program.reading.plain_facts import PlainFacts
from asplan.program.reading.source import ground_term
from asplan.program.reading.unit import HELPER, Section
from asplan.program.syntax import AST, BRACES, ASTType, Signature, Walker, named_atom, signature
from asplan.program.theory import TEL, Meaning, Package, Values

PLANNED = HELPER + "planned_"

MakeMeaning = Callable[[], Meaning]  # makes a meaning of theory atoms other than the package's own
Actions = list[list[Symbol]]  # the actions of each step


@dataclass(frozen=True)
class Replayed:
    """The answer set in which the program accepts a plan.

    Attributes
    ----------
    length
        The first horizon at which the plan reaches the goal; the length of the plan if the program
        is not monotone.
    reading
        The reading of action atoms, as actions at steps, under which the plan is accepted.
    atoms, all_atoms
        The shown atoms, and all atoms.
    facts
        The facts of `base`, if the program has scripts; else empty.
    values
        The values of a theory's variables.
    cost
        The value of the program's objective.
    beside
        The true atoms of actions before the first or after the last step of the plan, which a
        single-shot program may require.
    needed
        The last step of the plan with actions that the program needs.
    """

    length: int
    reading: Reading
    atoms: tuple[Symbol, ...]
    all_atoms: Sequence[Symbol]
    facts: tuple[Symbol, ...]
    values: Values
    cost: tuple[int, ...] = ()
    beside: tuple[Symbol, ...] = ()
    needed: int = 0


def replay(
    program: Program,
    constants: Mapping[str, str],
    plan: Plan,
    drops_needless: bool = False,
) -> Replayed:
    """Return the answer set in which a program accepts a plan.

    `constants` are the values of the program's constants. With `drops_needless`, the answer set is
    one without the last actions of the plan if the program accepts the plan without them: a
    single-shot program may allow actions at its last time, after the goal. Raises `InvalidPlan` if
    the program does not accept the plan.
    """
    package = program.theory
    if package is None or package is TEL:  # formulas have no values
        may_drop = drops_needless and program.horizon is not None
        return _replay_actions(program, constants, plan, drops_needless=may_drop)
    if not plan.values:
        first = _replay_actions(program, constants, plan)
        plan = replace(plan, steps=plan.steps[: first.length], values=first.values)
    replayed = _replay_values(program, package, constants, plan)
    if plan.cost and program.weighs_values and replayed.cost != plan.cost:
        cost = " ".join(map(str, replayed.cost))
        claimed = " ".join(map(str, plan.cost))
        raise InvalidPlan(f"the values of the plan cost {cost}, not {claimed}")
    return replayed


def _replay_values(
    program: Program,
    package: Package,
    constants: Mapping[str, str],
    plan: Plan,
) -> Replayed:
    """Replay a plan; the variables of the theory take the values that the plan gives.

    Plain arithmetic checks the theory atoms, without the solver in `package`. Raises `InvalidPlan`
    if the program does not accept the plan or its values.
    """
    refused: list[str] = []
    make_meaning = partial(Checking, package, read_values(plan.values), refused)
    try:
        return _replay_actions(program, constants, plan, make_meaning)
    except InvalidPlan:
        _replay_actions(program, constants, plan)  # the actions may be wrong with any values
        reason = f"{refused[-1]} does not hold" if refused else "no answer set has them"
        raise InvalidPlan(f"the values do not fit the plan: {reason}") from None


def _replay_actions(
    program: Program,
    constants: Mapping[str, str],
    plan: Plan,
    make_meaning: MakeMeaning | None = None,
    drops_needless: bool = False,
) -> Replayed:
    """Replay a plan under the first reading of its actions that the program accepts.

    A reading maps action atoms to actions at steps, and back. `make_meaning` returns an object that
    interprets theory atoms; by default the package of the theory interprets them. `drops_needless`
    is as in `replay`.
    """
    program = with_query(program)
    chosen = set(_chosen_atoms(plan))
    actions = [[_term(t, action) for action in step] for t, step in enumerate(plan, 1)]
    first_error: InvalidPlan | None = None
    for reading in program.readings:
        attempt = _Attempt(program, constants, actions, reading, make_meaning, drops_needless)
        error: InvalidPlan | None = None
        for narrowed in _narrowed_attempts(attempt, chosen):
            try:
                return narrowed.replay(chosen)
            except InvalidPlan as refusal:
                error = refusal
            except _Contradiction:
                error = None
        first_error = first_error or error or attempt.first_wrong()
    assert first_error is not None
    raise first_error


def _narrowed_attempts(attempt: "_Attempt", chosen: Collection[Symbol]) -> "Iterator[_Attempt]":
    """Yield the attempt with choices of actions restricted to the plan, or the attempt unchanged.

    A program in parts has one attempt: restricted if possible, else unchanged. A single-shot
    program has the restricted attempt if possible, and then the unchanged one, because it may
    require actions outside of the plan's steps. If `chosen` has atoms, the choices of a single-shot
    program that are no actions are restricted to these atoms.
    """
    program = attempt.program
    if program.horizon is not None:
        if len(program.readings) == 1 and not (program.plans_in_part or program.theory):
            keys = program.actions | program.choices if chosen else program.actions
            narrowed = _narrowed(program, "base", keys)
            facts = (*program.facts, _planned_facts(chain(*attempt.atoms, chosen)))
            yield replace(attempt, program=replace(narrowed, facts=facts))
        yield attempt
    elif _can_narrow(program):
        yield replace(attempt, program=_narrowed(program, "step", program.actions))
    else:
        yield attempt


def _planned_facts(atoms: Iterable[Symbol]) -> PlainFacts:
    """Return a fact `asplan__planned_…` for each of `atoms`; narrowed choices depend on it."""
    planned = (_planned(atom) for atom in atoms if atom.type == SymbolType.Function and atom.name)
    return PlainFacts("<plan>", "\n".join(f"{fact}." for fact in planned))


def _planned(atom: Symbol) -> Symbol:
    return Function(PLANNED + atom.name, atom.arguments)


def _can_narrow(program: Program) -> bool:
    """Return whether choice rules of the program may be restricted to the actions of a plan.

    They may not in two cases. Externals other than `query` may depend on actions. And if actions at
    time t lead to the state at t+1, the program may choose actions after the plan's last step.
    """
    if program.plans_in_part or not program.only_query or len(program.readings) > 1:
        return False
    forms = program.readings[0].forms
    return not any(form.is_ahead(program.time_places) for form in forms)


def _chosen_atoms(plan: Plan) -> Iterator[Symbol]:
    """Yield as symbols the atoms in a plan's field `chosen`: true choices that are no actions.

    Skip texts that are not terms.
    """
    for text in plan.chosen:
        with suppress(UsageError):
            yield ground_term(text, "chosen")


class _Contradiction(Exception):
    """The exception for a plan if no answer set has exactly the plan's actions."""


def _term(t: int, action: str) -> Symbol:
    try:
        return ground_term(action, "action")
    except UsageError as error:
        raise InvalidPlan(f"step {t}: {error.message}") from error


@dataclass(frozen=True, eq=False)
class _Attempt:
    """An attempt to replay a plan under one reading of its actions.

    `actions` has the actions of each step, and `reading` turns them into atoms of the program.
    `drops_needless` is as in `replay`.
    """

    program: Program
    constants: Mapping[str, str]
    actions: Actions
    reading: Reading
    make_meaning: MakeMeaning | None
    drops_needless: bool = False

    @cached_property
    def atoms(self) -> list[list[Symbol]]:
        """The atoms that stand for the actions of each step."""
        return atoms_of(self.actions, self.reading)

    @property
    def last(self) -> int:
        """The number of the last step of the plan; steps count from 1."""
        return len(self.actions)

    def open(self, make_meaning: MakeMeaning | None = None) -> tuple[ClingoSolver, Contract]:
        """Ground the start of a program; return the solver, and the program's facts `asplan(…)`.

        For a program with parts, ground `base` and `check(0)`, and add a fact `asplan__planned_…`
        for each action. Ground a single-shot program for all steps.
        """
        solver = make_solver(self.program, self.constants, brief=True, make_meaning=make_meaning)
        solver.keeps_all_atoms = True
        solver.watched = self.program.choices
        if self.program.horizon is None:
            self._add_plan(solver)
            solver.ground_first()
        else:
            solver.ground_step(self.last)
        return solver, read_contract(solver.claims(), None, Mode.INCREMENTAL)

    def _add_plan(self, solver: ClingoSolver) -> None:
        """Add the facts `asplan__planned_…`, on which narrowed choices depend."""
        with solver.control.backend() as backend:
            for step in self.atoms:
                for atom in step:
                    backend.add_rule([backend.add_atom(_planned(atom))])

    def replay(self, chosen: set[Symbol]) -> Replayed:
        """Return the answer set that contains exactly the plan's actions, with the goal reached.

        `chosen` has the chosen atoms of the engine's answer, without actions. The first attempt
        fixes these choices; the last one does not.

        Raises
        ------
        _Contradiction
            If no answer set contains exactly the actions of the plan.
        InvalidPlan
            If the goal does not hold after the last step.
        """
        solver, contract = self.open(self.make_meaning)
        facts = self._base_facts(solver)
        self._ground_steps(solver, contract)
        pins = self.pins(solver, self.last)
        if pins is None:
            raise _Contradiction
        beside = self.beside(solver)
        choices = _pins_of_choices(solver, chosen)
        for t in range(self.last + 1) if contract.monotone else [self.last]:
            solver.demand(t)
            for others in _other_pins(beside, choices if t == self.last else []):
                answer = solver.search(t, assumptions=[*pins, *others])
                if answer.satisfiable:
                    needed, answer = self._drop_needless(solver, t, answer, (pins, others))
                    return self._replayed(t, answer, facts, beside, needed)
            solver.drop(t)
        if solver.search(self.last, assumptions=pins).satisfiable is False:
            raise _Contradiction
        raise InvalidPlan(f"after step {self.last} the goal does not hold")

    def _drop_needless(
        self,
        solver: ClingoSolver,
        horizon: int,
        answer: Answer,
        assumed: tuple[list[Pin], list[Pin]],
    ) -> tuple[int, Answer]:
        """Return the last step of the plan with needed actions, and an answer without later ones.

        `answer` is the answer for the whole plan. It was found by the assumptions `assumed`: those
        about the plan's actions, and others. Actions are dropped step by step, from the end, while
        the program accepts the plan and its cost does not rise.
        """
        pins, others = assumed
        needed = self.last
        while self.drops_needless and needed:
            dropped = set(self.atoms[needed - 1])
            if dropped:
                pins = [(atom, holds and atom not in dropped) for atom, holds in pins]
                shorter = solver.search(horizon, assumptions=[*pins, *others])
                if not shorter.satisfiable or shorter.cost > answer.cost:
                    break
                answer = shorter
            needed -= 1
        return needed, answer

    def _base_facts(self, solver: ClingoSolver) -> tuple[Symbol, ...]:
        """Return the grounded facts of `base`, except asplan's own helper facts.

        Return `()` if the program has no scripts: then the facts are known already.
        """
        if not self.program.scripts:
            return ()
        facts = (atom.symbol for atom in solver.control.symbolic_atoms if atom.is_fact)
        return tuple(symbol for symbol in facts if not symbol.name.startswith(HELPER))

    def _ground_steps(self, solver: ClingoSolver, contract: Contract) -> None:
        """Ground all steps of the plan.

        If clingo has to solve before each step, fix the actions of the earlier steps first.
        """
        settles = not contract.monotone and self.program.horizon is None
        fixed: set[Pin] = set()
        for t in solver.steps_to(self.last):
            if settles:
                new = set(self.pins(solver, t - 1) or ()) - fixed
                solver.fix(new)
                solver.settle()
                fixed |= new
            solver.ground_step(t)
        if self.program.plan_part:
            solver.ground([plan_part(self.last)])

    def _replayed(
        self,
        length: int,
        answer: Answer,
        facts: tuple[Symbol, ...],
        beside: Sequence[Symbol],
        needed: int,
    ) -> Replayed:
        """Return the replayed plan for an answer in which the goal holds at the horizon `length`.

        `beside` has the grounded actions outside of the plan's steps, `needed` is the last step
        with needed actions. Raises `InvalidPlan` if some actions `beside` are true, and the plan
        depends on them.
        """
        model = answer.models[0]
        true = set(model.all_atoms)
        outside = sorted(atom for atom in beside if atom in true)
        if outside:
            self._require_no_influence(outside, length)
        return Replayed(
            length=length,
            reading=self.reading,
            atoms=model.symbols,
            all_atoms=model.all_atoms,
            facts=facts,
            values=model.values,
            cost=answer.cost,
            beside=tuple(outside),
            needed=needed,
        )

    def _require_no_influence(self, outside: Sequence[Symbol], length: int) -> None:
        """Raise `InvalidPlan` if a state or the goal depends on the actions `outside` the steps."""
        program = self.program
        if program.horizon is None or program.theory:  # a theory may link any atoms
            return
        value = program.horizon.value(max(self.last, program.horizon.least))
        constants = {**self.constants, program.horizon.constant: str(value)}
        atom = find_influence(program, constants, outside, length)
        if atom is not None:
            others = ", ".join(map(str, outside))
            raise InvalidPlan(f"{atom} depends on {others} outside of the steps of the plan")

    def beside(self, solver: ClingoSolver) -> list[Symbol]:
        """Return the grounded actions of a single-shot program that are at no step of the plan."""
        if self.program.horizon is None or self.program.plans_in_part:
            return []
        steps = range(1, self.last + 1)
        return [atom for atom in solver.actions() if self.reading.step(atom) not in steps]

    def pins(self, solver: ClingoSolver, last: int) -> list[Pin] | None:
        """Return assumptions that make exactly the plan's actions true, up to the step `last`.

        Return None if an action of the plan is not grounded.
        """
        planned = set(chain.from_iterable(self.atoms[:last]))
        grounded = solver.actions()
        if not planned <= set(grounded):
            return None
        if self.program.plans_in_part:
            return [(atom, True) for atom in planned]
        steps = range(1, last + 1)
        return [(atom, atom in planned) for atom in grounded if self.reading.step(atom) in steps]

    def first_wrong(self) -> InvalidPlan:
        """Return the error of the first wrong step, for a plan that no answer set contains.

        A step is wrong if it has an unknown action, or if no answer set begins with the steps up to
        this one.
        """
        solver, _ = self.open()
        if self.program.horizon is None:
            return self._first_wrong_step(solver)
        return self._first_wrong_beginning(solver)

    def _first_wrong_step(self, solver: ClingoSolver) -> InvalidPlan:
        """Return the error of the first wrong step for a program in parts; ground step by step."""
        for t, step in enumerate(self.actions, 1):
            solver.ground_step(t)
            error = self._unknown_action(solver, t)
            if error is not None:
                return error
            if self._is_refuted(solver, t, t):
                return InvalidPlan(f"step {t}: {_list_actions(step)} contradicts the encoding")
        return InvalidPlan("the plan contradicts the encoding")

    def _first_wrong_beginning(self, solver: ClingoSolver) -> InvalidPlan:
        """Return the error of the first wrong step for a single-shot program.

        All steps are grounded. A step t is wrong if no plan of the same length begins with the
        steps 1 to t.
        """
        for t in range(1, self.last + 1):
            error = self._unknown_action(solver, t)
            if error is not None:
                return error
        steps = amount(self.last, "step")
        if self._is_refuted(solver, 0, self.last):
            return InvalidPlan(f"no plan of {steps} exists")
        for t, step in enumerate(self.actions, 1):
            if self._is_refuted(solver, t, self.last):
                beginning = f"begins with the steps up to this one, {_list_actions(step)}"
                return InvalidPlan(f"step {t}: no plan of {steps} {beginning}")
        return InvalidPlan("the plan contradicts the encoding")

    def _unknown_action(self, solver: ClingoSolver, t: int) -> InvalidPlan | None:
        """Return an error that names an action of step t that is not grounded; None if all are."""
        grounded = set(solver.actions())
        for action, atom in zip(self.actions[t - 1], self.atoms[t - 1], strict=True):
            if atom not in grounded:
                known = {self.reading.action(each) for each in grounded}
                return InvalidPlan(
                    f"step {t}: {action} is not an action of the encoding at this step",
                    hint=_suggest_order(action, known),
                )
        return None

    def _is_refuted(
        self,
        solver: ClingoSolver,
        t: int,
        horizon: int,
    ) -> bool:
        """Return whether no answer set at a horizon contains the plan's steps up to t."""
        pins = self.pins(solver, t)
        return pins is None or solver.search(horizon, assumptions=pins).satisfiable is False


def _suggest_order(action: Symbol, known: Iterable[Symbol]) -> str:
    """Return a hint about a known action with the same arguments in another order.

    The hint is empty if there is no such action.
    """
    functions = [each for each in known if each.type == SymbolType.Function]
    if action.type != SymbolType.Function or not action.arguments:
        return ""
    alike = [each for each in functions if _without_order(each) == _without_order(action)]
    return f"did you mean {min(alike)}?" if alike else ""


def _without_order(action: Symbol) -> tuple[str, list[Symbol]]:
    """Return the name of an action and its sorted arguments."""
    return action.name, sorted(action.arguments)


def _list_actions(step: Sequence[Symbol]) -> str:
    return ", ".join(map(str, step)) or "an empty step"


def _pins_of_choices(solver: ClingoSolver, chosen: set[Symbol]) -> list[Pin]:
    """Return assumptions that fix all choices except actions: `chosen` atoms true, others false.

    Return no assumptions if `chosen` is empty.
    """
    if not chosen:
        return []
    open_atoms = (atom for atom in solver.chosen_atoms() if not atom.is_fact)
    return [(atom.symbol, atom.symbol in chosen) for atom in open_atoms]


def _other_pins(beside: Iterable[Symbol], choices: list[Pin]) -> Iterator[list[Pin]]:
    """Yield the further assumptions of each attempt to replay a plan, the strictest first.

    The first attempt makes the actions `beside` the plan false, and fixes the other `choices` as in
    the engine's answer. The second one drops `choices`: if the goal holds earlier than in that
    answer, other choices may be needed. The last one assumes nothing further.
    """
    none_beside = [(atom, False) for atom in beside]
    if choices:
        yield [*none_beside, *choices]
    if none_beside:
        yield none_beside
    yield []


def atoms_of(actions: Actions, reading: Reading) -> list[list[Symbol]]:
    """Return the atoms that stand for the actions of each step under a reading."""
    return [[reading.atom(action, t) for action in step] for t, step in enumerate(actions, 1)]


def _narrowed(
    program: Program,
    part: str,
    keys: Collection[Signature],
) -> Program:
    """Return the program with a condition `asplan__planned_…` on each choice of predicates `keys`.

    Only choices in the part `part` are changed.
    """

    def narrow(element: AST) -> AST:
        atom = element.literal.atom
        if atom.ast_type != ASTType.SymbolicAtom or atom.symbol.ast_type != ASTType.Function:
            return element
        if signature(atom) not in keys:
            return element
        planned = named_atom(element, PLANNED + atom.symbol.name, atom.symbol.arguments)
        return element.update(condition=[*element.condition, planned])

    walker = Walker(ConditionalLiteral=narrow)

    def change(rule: AST, section: Section) -> list[AST]:
        if rule.ast_type != ASTType.Rule or rule.head.ast_type not in BRACES:
            return [rule]
        return [rule.update(head=walker.visit(rule.head))]

    return program.changed(change, [part])
