"""Checks a plan in a fresh clingo: the whole program once more, with the plan fixed.

This is how a plan is checked where no model in Python exists. It shares the encoding with the
engine, so it finds mistakes of the engine and of a stored plan, not of the encoding; so `base` is
grounded anew, too, which is faster than to hand over its facts.

Assumptions make the actions of the plan true, and all others false, unless the program shows only
some. A program without parts may demand actions outside of the steps, as at the last of its times.
Only if it has no answer set without them are they left open, and no state of the plan and no
demanded atom may depend on them; `Replayed.beside` names them.

Choices are narrowed: `{ occurs(A,t) : action(A) }` gets the condition
`asplan__planned_occurs(A,t)`, so that only states along the plan are grounded. Where
clingo has to solve before each step, constraints fix the steps behind it. What else an answer chose
is fixed in a first attempt at the last step, for to find it once more can take as long as the plan.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate

from clingo import Function, Number, Symbol

from asplan.core.errors import InvalidPlan, UsageError
from asplan.core.plan import Plan, Steps
from asplan.core.text import amount
from asplan.engines.asp.answer import Answer, read_plan
from asplan.engines.asp.checking import Checking, read_values
from asplan.engines.asp.influence import find_influence
from asplan.engines.asp.session import Pin, Session, session_of
from asplan.program.contract import Contract, read_contract
from asplan.program.incremental import Program, Reading, with_query
from asplan.program.incremental import plan as plan_part
from asplan.program.source import ground_term
from asplan.program.syntax import AST, ASTType, Walker, named_atom, signature
from asplan.program.theory import TEL, Meaning, Values
from asplan.program.unit import HELPER, Section

PLANNED = HELPER + "planned_"

MakeMeaning = Callable[[], Meaning]  # of a meaning that is not of the theory's package
Actions = list[list[Symbol]]  # the actions of each step


@dataclass(frozen=True)
class Replayed:
    """What the replay of a plan has shown: `atoms`, `whole` all of it, and `values` of a theory.

    `length` is the first horizon at which the goal is reached, or that of the plan for a program
    that is not monotone; `facts` are those of `base` of a program with scripts. `beside` are the
    atoms of actions before the first and after the last step, which the program demands.
    """

    length: int
    reading: Reading
    atoms: tuple[Symbol, ...]
    all_atoms: Sequence[Symbol]
    facts: tuple[Symbol, ...]
    values: Values
    cost: tuple[int, ...] = ()
    beside: tuple[Symbol, ...] = ()


def replay(program: Program, constants: Mapping[str, str], plan: Plan) -> Replayed:
    """What the replay shows, or `_Contradicts`; `chosen` is what else its answer chose."""
    if program.theory in (None, TEL):  # formulas have no values
        return _replay_as_meant(program, constants, plan)
    if not plan.values:
        found = _replay_as_meant(program, constants, plan)
        plan = replace(plan, steps=plan.steps[: found.length], values=found.values)
    refused: list[str] = []
    checking = partial(Checking, program.theory, read_values(plan.values), refused)
    try:
        found = _replay_as_meant(program, constants, plan, checking)
    except InvalidPlan:
        _replay_as_meant(program, constants, plan)  # the actions may be wrong, whatever the values
        why = f"{refused[-1]} does not hold" if refused else "no answer set has them"
        raise InvalidPlan(f"the values do not fit the plan: {why}") from None
    if plan.cost and program.weighs_values and found.cost != plan.cost:
        said, cost = (" ".join(map(str, each)) for each in (plan.cost, found.cost))
        raise InvalidPlan(f"the values of the plan cost {cost}, not {said}")
    return found


def _replay_as_meant(
    program: Program, constants: Mapping[str, str], plan: Plan, meaning: MakeMeaning | None = None
) -> Replayed:
    """Replay a plan in the way, of those that are possible, in which it is one."""
    program = with_query(program)
    chosen: set[Symbol] = set()
    for text in plan.chosen:
        with suppress(UsageError):  # the check can do without what cannot be read
            chosen.add(ground_term(text, "chosen"))
    actions = [[_term(t, action) for action in step] for t, step in enumerate(plan, 1)]
    known = program.readings
    # What is declared external under a condition on actions must stay as it is; and where actions
    # of t lead to t+1, those after the last step are not planned, but may be chosen.
    may_go_on = any(form.is_ahead(program.time_places) for form in known[0].forms)
    as_it_is = program.plans_in_part or len(known) > 1 or not program.only_query or may_go_on
    narrowed = program if as_it_is else _narrowed(program)
    refused: InvalidPlan | None = None
    for reading in known:
        meant = _Meant(program, constants, actions, reading, meaning)
        try:
            return replace(meant, program=narrowed).replay(chosen)
        except InvalidPlan as error:
            refused = refused or error
        except _Contradicts:
            refused = refused or meant.first_wrong()
    assert refused is not None
    raise refused


class _Contradicts(Exception):
    """No answer set contains just these actions."""


def _term(t: int, action: str) -> Symbol:
    try:
        return ground_term(action, "action")
    except UsageError as error:
        raise InvalidPlan(f"step {t}: {error.message}") from error


@dataclass(frozen=True, eq=False)
class _Meant:
    """A plan, with a way in which the program may mean its actions."""

    program: Program
    constants: Mapping[str, str]
    actions: Actions
    reading: Reading
    meaning: MakeMeaning | None

    @cached_property
    def atoms(self) -> list[list[Symbol]]:
        return atoms_of(self.actions, self.reading)

    def open(self, meaning: MakeMeaning | None = None) -> tuple[Session, Contract]:
        """A session that knows the plan, and what the program says of itself."""
        session = session_of(self.program, self.constants, brief=True, make_meaning=meaning)
        session.keeps_all_atoms = True
        session.watched = self.program.choices
        if self.program.horizon is None:
            with session.control.backend() as backend:
                for atom in (atom for step in self.atoms for atom in step):
                    planned = Function(PLANNED + atom.name, atom.arguments)
                    backend.add_rule([backend.add_atom(planned)])
        session.ground_first()
        return session, read_contract(session.claims(), None, "incremental")

    def replay(self, chosen: set[Symbol]) -> Replayed:
        """What the replay shows; `chosen` is what else its answer chose."""
        program, (session, contract) = self.program, self.open(self.meaning)
        facts: tuple[Symbol, ...] = ()
        if program.scripts:
            known = (atom.symbol for atom in session.control.symbolic_atoms if atom.is_fact)
            facts = tuple(symbol for symbol in known if not symbol.name.startswith(HELPER))
        last, fixed = len(self.actions), set[Pin]()
        for t in range(1, last + 1):
            if not contract.monotone and program.horizon is None:
                new = set(self.pins(session, t - 1) or ()) - fixed
                session.fix(new)
                session.settle()
                fixed |= new
            session.ground_step(t)
        if program.plan_part:
            session.ground([plan_part(last)])
        pins = self.pins(session, last)
        if pins is None:
            raise _Contradicts
        open_atoms = (atom for atom in session.chosen_atoms() if not atom.is_fact)
        answer_itself = [(a.symbol, a.symbol in chosen) for a in open_atoms] if chosen else []
        beside = self.beside(session, last)
        none_beside = [(atom, False) for atom in beside]
        for t in range(last + 1) if contract.monotone else [last]:
            session.demand(t)
            attempts: list[list[Pin]] = [none_beside, []] if beside else [[]]
            if t == last and answer_itself:
                # The answer may have reached the goal later than it could.
                attempts = [[*none_beside, *answer_itself], *attempts]
            for others in attempts:
                answer = session.solve(t, assumptions=[*pins, *others])
                if answer.satisfiable:
                    return self._replayed(t, answer, facts, beside)
            session.drop(t)
        if session.solve(last, assumptions=pins).satisfiable is False:
            raise _Contradicts
        raise InvalidPlan(f"after step {last} the goal does not hold")

    def _replayed(
        self, length: int, answer: Answer, facts: tuple[Symbol, ...], beside: Sequence[Symbol]
    ) -> Replayed:
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
        )

    def _require_no_influence(self, outside: Sequence[Symbol], length: int) -> None:
        """Raise `InvalidPlan` if a part of the plan depends on actions outside of its steps."""
        program = self.program
        if program.horizon is None or program.theory:  # a theory may link any atoms
            return
        value = program.horizon.value(max(len(self.actions), program.horizon.least))
        constants = {**self.constants, program.horizon.constant: str(value)}
        atom = find_influence(program, constants, outside, length)
        if atom is not None:
            others = ", ".join(map(str, outside))
            raise InvalidPlan(f"{atom} depends on {others}, which is outside of the steps")

    def beside(self, session: Session, last: int) -> list[Symbol]:
        """Return the actions of a program without parts that belong to no step of the plan."""
        if self.program.horizon is None or self.program.plans_in_part:
            return []
        steps = range(1, last + 1)
        return [atom for atom in session.actions() if self.reading.step(atom) not in steps]

    def pins(self, session: Session, last: int) -> list[Pin] | None:
        """The assumptions that fix the plan up to a step; None if an action is not known."""
        wanted = {atom for step in self.atoms[:last] for atom in step}
        known = session.actions()
        if not wanted <= set(known):
            return None
        if self.program.plans_in_part:
            return [(atom, True) for atom in wanted]
        steps = range(1, last + 1)
        return [(atom, atom in wanted) for atom in known if self.reading.step(atom) in steps]

    def first_wrong(self) -> InvalidPlan:
        """Name the first step that the encoding does not know, or that leaves no answer set."""
        session, _ = self.open()
        is_whole, last = self.program.horizon is not None, len(self.actions)
        if is_whole:
            session.ground_step(last)
        for t, step in enumerate(self.actions, 1):
            if not is_whole:
                session.ground_step(t)
            known = set(session.actions())
            for action, atom in zip(step, self.atoms[t - 1], strict=True):
                if atom not in known:
                    what = f"{action} is no action that the encoding knows there"
                    return InvalidPlan(f"step {t}: {what}")
            if not is_whole and self._is_refuted(session, t, t):
                chosen = ", ".join(map(str, step)) or "no action"
                return InvalidPlan(f"step {t}: {chosen} contradicts the encoding")
        for t in range(last + 1) if is_whole else ():
            if self._is_refuted(session, t, last):
                step = self.actions[t - 1] if t else []
                chosen = ", ".join(map(str, step)) or "no action"
                how = f"begins with the steps up to this one, {chosen}" if t else "exists"
                where = f"step {t}: " if t else ""
                return InvalidPlan(f"{where}no plan of {amount(last, 'step')} {how}")
        return InvalidPlan("the plan contradicts the encoding")

    def _is_refuted(self, session: Session, t: int, horizon: int) -> bool:
        pins = self.pins(session, t)
        return pins is None or session.solve(horizon, assumptions=pins).satisfiable is False


def atoms_of(actions: Actions, reading: Reading) -> list[list[Symbol]]:
    return [[reading.atom(a, t) for a in step] for t, step in enumerate(actions, 1)]


def _narrowed(program: Program) -> Program:
    """The program with its choices of actions narrowed to what is planned."""

    def narrowed(element: AST) -> AST:
        atom = element.literal.atom
        if atom.ast_type != ASTType.SymbolicAtom or atom.symbol.ast_type != ASTType.Function:
            return element
        if signature(atom) not in program.actions:
            return element
        planned = named_atom(element, PLANNED + atom.symbol.name, atom.symbol.arguments)
        return element.update(condition=[*element.condition, planned])

    walker = Walker(ConditionalLiteral=narrowed)
    choices = (ASTType.Aggregate, ASTType.HeadAggregate)

    def change(rule: AST, section: Section) -> list[AST]:
        if rule.ast_type != ASTType.Rule or rule.head.ast_type not in choices:
            return [rule]
        return [rule.update(head=walker.visit(rule.head))]

    return program.changed(change, ["step"])


# The actions of each step in an order in which they can be executed one after the other, for
# programs that say `asplan(ordered)`. The program is run once more with as many steps as there are
# actions: the actions of a step of the plan share a window of steps, and the solver puts each of
# them at one of these.

SHARE, SLOT, HAPPENS = HELPER + "share", HELPER + "slot", HELPER + "happens"

_RULES = f"""
1 {{{{ {SLOT}(A,T) : T = First..Last }}}} 1 :- {SHARE}(A,First,Last).
:- {SLOT}(A,T), {SLOT}(B,T), A < B.
:- {SLOT}(A,T), not {HAPPENS}(A,T).
:- {HAPPENS}(A,T), not {SLOT}(A,T), 0 < T, T <= {{last}}.
"""


def in_order(
    program: Program,
    constants: Mapping[str, str],
    plan: Plan,
    reading: Reading,
    as_listed: bool = False,
) -> Plan:
    """The plan with the actions of each step in such an order, or `as_listed`."""
    order = partial(_order, with_query(program), constants, reading, as_listed)
    if (steps := order(plan.steps, goal=True)) is not None:
        return replace(plan, steps=steps)
    for t in range(1, len(plan) + 1):
        if order(plan.steps[:t], goal=False) is None:
            together, which = ", ".join(plan.steps[t - 1]), "this" if as_listed else "any"
            raise InvalidPlan(
                f"step {t}: {together}: these cannot be executed one after the other in {which} "
                "order"
            )
    raise InvalidPlan("executed one after the other, the actions do not lead to the goal")


def _order(
    program: Program,
    constants: Mapping[str, str],
    reading: Reading,
    as_listed: bool,
    steps: Steps,
    goal: bool,
) -> Steps | None:
    """The steps with their actions in order; None if there is none (that leads to the goal)."""
    ends = list(accumulate(max(1, len(step)) for step in steps))
    starts = [0, *ends[:-1]]
    last = ends[-1] if ends else 0
    session = session_of(program, constants)
    session.ground_first()
    for t in range(1, last + 1):
        session.ground_step(t)
    with session.control.backend() as backend:
        for start, step in zip(starts, steps, strict=True):
            for number, action in enumerate(step, start + 1):
                window = (number, number) if as_listed else (start + 1, start + len(step))
                share = [ground_term(action, "action"), *map(Number, window)]
                backend.add_rule([backend.add_atom(Function(SHARE, share))])
    rules = [_RULES.format(last=last)]
    for form in reading.forms:
        atom, action = form.pattern(f"T-{form.before}" if form.before else "T")
        rules.append(f"{HAPPENS}({action},T) :- {atom}.")
    session.control.add("asplan_order", [], " ".join(rules))
    session.ground([("asplan_order", [])])
    if goal:
        session.demand(last)
    answer = session.solve(last)
    found = read_plan(answer.models[0], last, (reading,)) if answer.models else None
    if found is None:
        return None
    slots = [slot[0] if slot else None for slot in found.steps]
    return tuple(
        tuple(action for action in slots[start:end] if action is not None)
        for start, end in zip(starts, ends, strict=True)
    )
