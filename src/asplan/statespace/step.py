"""One step of a program, grounded once for all times, with the state before it left open.

The grounded step leads from time 1 to time 2; the atoms of `base` have time 0. A first grounding
finds the atoms that may hold at time 1, as in the last layer of a planning graph. The rules `{
p(X,1) } :- p(X,0)` and `{ p(X,1) } :- p(X,2)` make the step recursive, so that one call finds all
of these atoms, unless there are infinitely many. A second grounding leaves just these atoms open:
they may be true or false before the step. The goal's constraint `:- query(t), B` becomes the rule
`asplan__goal_missed(t) :- B`, so its atom means that the goal does not hold.
"""

from __future__ import annotations

from collections.abc import (
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import field
from itertools import chain
from typing import Any

from asplan.clingo import (
    Control,
    Function,
    Number,
    Symbol,
    SymbolicAtom,
    control_options,
    open_control,
)
from asplan.core.budget import ENDLESS, Budget
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError
from asplan.core.limits import hold_interrupts, is_interrupted
from asplan.program import incremental, syntax
from asplan.program.ground import (
    Ground,
    Part,
    Rule,
    Sum,
    ground,
)
from asplan.program.incremental import (
    ActionForm,
    Program,
    Reading,
)
from asplan.program.reading.source import reporting
from asplan.program.reading.unit import (
    HELPER,
    QUERY,
    TIMED,
    Section,
    messages_of,
    pairs,
)
from asplan.program.roles.roles import roles_of, without_aliases
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.transitions.clock import with_clock
from asplan.program.transitions.rewrite import without_anonymous
from asplan.program.transitions.stepwise import (
    TransitionTimes,
    is_demand,
    is_goal,
    transition_times_of,
)
from asplan.statespace.endless import MET, Endless

BEFORE = 1  # the time that the grounded step leads from
NOW = 2  # the time that it leads to
GOAL_MISSED = HELPER + "goal_missed"  # its atom is true if the goal does not hold

MOST_STARTS = 500_000  # the most initial states; they are kept, in some hundred megabytes

_LINK = HELPER + "link"  # the program part with the rules that make the step recursive
_OPEN = HELPER + "open"  # the program part with the choice of the state before the step
_KEPT = HELPER + "kept"  # the function around atoms that `base` chooses once for all times

_DROPPED = (ASTType.Minimize, ASTType.Heuristic, ASTType.ProjectAtom, ASTType.ProjectSignature)


@dataclass(frozen=True)
class InitialStep:
    """An initial state: its true atoms, with the time 0, and whether the goal holds in it."""

    atoms: frozenset[Symbol]
    is_goal: bool


@dataclass(frozen=True, eq=False)
class OpenStep:
    """A grounded step whose state before is open: each of its atoms may be true or false.

    Literals are numbers: 0 is true, and None is false.

    Attributes
    ----------
    control
        The control that has grounded the step.
    ground
        The rules of the step, and the rules of `base` that it reads.
    before
        The open atoms by their numbers in the control. Atoms of time 1 are given with time 0, so
        that they compare with initial states. Atoms that `base` chooses for all times are open,
        too; those with a time are wrapped, as in `asplan__kept(p(1,0))`.
    fluents
        The open atoms by their numbers, without their times.
    after
        The literal of each open atom after the step, by the number of the atom before it.
    goal_missed
        The literal that is true if the goal does not hold after the step.
    actions
        The actions that the step may show, in order, with their literals.
    starts
        The initial states.
    """

    control: Control
    ground: Ground
    before: Mapping[int, Symbol]
    fluents: Mapping[int, Symbol]
    after: Mapping[int, int | None]
    goal_missed: int | None
    actions: Sequence[tuple[Symbol, int]]
    starts: Sequence[InitialStep]


def open_step(
    program: Program,
    constants: Mapping[str, str],
    budget: Budget = ENDLESS,
    before: int = 0,
) -> OpenStep:
    """Ground one step of a program, with an open state before it, and find the initial states.

    `before` is the number of steps that lead to the initial states, which have time 0. The budget
    is checked for each initial state, and now and then during the first grounding. Raise
    `InputError` if the program is no transition system or its atoms have no end.
    """
    times = transition_times_of(program)
    actions = roles_of(program).actions
    ahead = frozenset(key for key, shift in actions.items() if shift) - times.previous
    program = with_clock(without_aliases(program))
    judged = _with_goal_atom(without_anonymous(program))
    control, _ = _make_control(judged, constants, _link_rules(times))
    _ground_start(judged, control, before)
    starts = _find_starts(judged, control, times, budget)
    endless = Endless(program, control, judged.functions(), budget)
    _ground_endless(judged, control, endless)
    possible = _atoms_before(control, times)
    return _Opening(judged, constants, times).open(possible, starts, before, ahead)


def project(
    control: Control,
    literals: Iterable[int],
) -> None:
    """Set a control to find all answer sets that differ in the given literals."""
    with control.backend() as backend:
        backend.add_project([abs(literal) for literal in literals])
    solving: Any = control.configuration.solve  # clingo leaves options untyped
    solving.models = 0
    solving.project = "project"


def _make_control(
    program: Program, constants: Mapping[str, str], *more: Section
) -> tuple[Control, Ground]:
    """Return a control with a program added, and the observer that records its ground rules.

    `more` are further sections of the program.
    """
    messages = messages_of(program.sections)
    rules = Ground()
    control = open_control(control_options(constants), messages)
    control.register_observer(rules)
    with reporting(messages):
        program.with_sections(*more).add_to(control)
    return control, rules


def _ground(
    program: Program,
    control: Control,
    parts: list[Part],
) -> None:
    with reporting():
        ground(control, parts, program.functions())


def _ground_endless(
    program: Program,
    control: Control,
    endless: Endless,
) -> None:
    """Ground the step together with the rules of `_link_rules`.

    Raise `InputError` if the step has infinitely many atoms.
    """
    parts = [incremental.step(NOW), incremental.check(NOW), (_LINK, [])]
    try:
        with reporting():
            ground(control, parts, endless.functions, endless)
    except InputError:
        if endless.failure is not None:
            raise endless.failure from None
        raise


def _ground_start(program: Program, control: Control, before: int, *more: Part) -> None:
    """Ground the parts that lead to the initial states at time 0.

    `before` is the number of steps that lead there. The last call of clingo also grounds the parts
    `more`.
    """
    calls = [[incremental.base(), incremental.check(-before)]]
    for t in range(1 - before, 1):
        calls.append([incremental.check(t), incremental.step(t)])
    calls[-1] += more
    for parts in calls:
        _ground(program, control, parts)


def _with_goal_atom(program: Program) -> Program:
    """Return the program with the atom of `GOAL_MISSED` instead of the goal's constraints.

    Statements that do not concern a step, such as objectives, are dropped.
    """

    def replace(
        statement: AST,
        section: Section,
    ) -> list[AST]:
        if statement.ast_type in _DROPPED:
            return []
        if section.part not in TIMED:
            return [statement]
        if is_goal(statement, section.parameter):
            return [_goal_rule(statement, section.parameter)]
        is_external = statement.ast_type == ASTType.External
        is_query = is_external and syntax.signature(statement.atom) == QUERY
        return [] if is_query else [statement]

    return program.changed(replace)


def _goal_rule(
    constraint: AST,
    parameter: str,
) -> AST:
    """Return the rule that derives `GOAL_MISSED` if a constraint of the goal is violated.

    `parameter` is the name of the time in the rule's part.
    """
    time = syntax.named_term(constraint, parameter)
    head = syntax.named_atom(constraint, GOAL_MISSED, [time])
    body = [literal for literal in constraint.body if not is_demand(literal, parameter)]
    return constraint.update(head=head, body=body)


def _link_rules(times: TransitionTimes) -> Section:
    """Return the rules that make the step recursive, as if it led from each state to the next.

    By these rules an atom may hold before the step if it may hold at time 0 or after the step.
    """
    rules = []
    for key in sorted(times.state):
        start, before, now = (
            syntax.general_atom(key, times.places[key], str(time)) for time in (0, BEFORE, NOW)
        )
        rules.append(f"{{ {before} }} :- {start}.")
        rules.append(f"{{ {before} }} :- {now}, @{MET}({now}) = 1.")
    return Section.of_text(_LINK, "", " ".join(rules))


def _find_starts(
    program: Program,
    control: Control,
    times: TransitionTimes,
    budget: Budget,
) -> list[InitialStep]:
    """Return the initial states, which are the answer sets of `base` and `check(0)`.

    Raise `InputError` if there are more than `MOST_STARTS` of them.
    """
    relevant = list(_start_atoms(control, times))
    project(control, [literal for _, literal in relevant])
    goal_missed = Function(GOAL_MISSED, [Number(0)])
    starts = []
    with hold_interrupts(), control.solve(yield_=True) as handle:
        for model in handle:
            budget.check()
            if is_interrupted():
                break
            true = frozenset(symbol for symbol, literal in relevant if model.is_true(literal))
            starts.append(InitialStep(true - {goal_missed}, goal_missed not in true))
            if len(starts) > MOST_STARTS:
                raise _too_many_starts(program)
    return starts


def _too_many_starts(program: Program) -> InputError:
    """Return the error for more initial states than `MOST_STARTS`."""
    base = (rule for section, rule in pairs(program.sections) if section.part == "base")
    choice = next(filter(syntax.is_choice, base), None)
    return InputError(
        f"there are more than {MOST_STARTS} initial states, too many to be listed",
        at=syntax.location(choice) if choice else None,
        hint="--engine asp does not list them; to list fewer, fix what base chooses",
    )


def _start_atoms(
    control: Control,
    times: TransitionTimes,
) -> Iterator[tuple[Symbol, int]]:
    """Yield the atoms that tell initial states apart, with their literals.

    They are the atoms of time 0, the goal's atom, and the choices of `base` for all times.
    """
    goal_missed = Function(GOAL_MISSED, [Number(0)])
    for atom in filter(_is_possible, control.symbolic_atoms):
        symbol = atom.symbol
        key = syntax.predicate(symbol)
        place = times.places.get(key)
        is_start = place is not None and symbol.arguments[place] == Number(0)
        is_state = is_start and key in times.state
        is_kept = place is None or (is_start and key in times.read_by_base)
        if is_state or symbol == goal_missed:
            yield symbol, atom.literal
        if is_kept and not atom.is_fact:
            yield _kept_atom(symbol, times), atom.literal


def _kept_atom(
    atom: Symbol,
    times: TransitionTimes,
) -> Symbol:
    """Wrap a timed atom that `base` chooses for all times, to tell it from an atom of a state.

    Return an atom without time unchanged.
    """
    return Function(_KEPT, [atom]) if syntax.predicate(atom) in times.places else atom


def _atoms_before(
    control: Control,
    times: TransitionTimes,
) -> list[Symbol]:
    """Return the atoms that may hold before the step, according to the first grounding."""
    atoms = []
    for sign, name, arity in sorted(times.state):
        place = times.places[sign, name, arity]
        for atom in control.symbolic_atoms.by_signature(name, arity, not sign):
            if atom.symbol.arguments[place] == Number(BEFORE) and _is_possible(atom):
                atoms.append(atom.symbol)
    return atoms


@dataclass
class _OpenAtoms:
    """The open atoms of a step; `OpenStep` has the same mappings and explains them."""

    before: dict[int, Symbol] = field(default_factory=dict)
    fluents: dict[int, Symbol] = field(default_factory=dict)
    after: dict[int, int | None] = field(default_factory=dict)


class _Opening:
    """The second grounding of a step, with the state before it left open."""

    def __init__(
        self,
        program: Program,
        constants: Mapping[str, str],
        times: TransitionTimes,
    ) -> None:
        self._program = program
        self._times = times
        self._control, self._ground = _make_control(program, constants)

    def open(
        self,
        possible: Sequence[Symbol],
        starts: Sequence[InitialStep],
        before_start: int,
        ahead: frozenset[Signature],
    ) -> OpenStep:
        """Ground the step for the second time, with open atoms.

        Parameters
        ----------
        possible
            The atoms before the step to leave open.
        starts
            The initial states.
        before_start
            The number of steps that lead to the initial states.
        ahead
            The predicates of actions that are atoms of the state before the step.
        """
        control = self._control
        # A rule adds the choice: clingo's #min and #max miss values of atoms that a backend adds.
        control.add(_OPEN, [], f"{{ {'; '.join(map(str, possible))} }}.")
        _ground_start(self._program, control, before_start, (_OPEN, []))
        numbers = list(filter(None, map(self._literal, possible)))
        base_rules = self._ground.rules[:]
        base_sums = self._ground.sums[:]
        self._ground.clear()
        _ground(self._program, control, [incremental.step(NOW), incremental.check(NOW)])
        atoms = _OpenAtoms()
        for number, atom in zip(numbers, possible, strict=True):
            self._add_fluent(atoms, number, atom)
        _add_read_rules(self._ground, base_rules, base_sums, set(atoms.before))
        self._add_kept(atoms)
        goal_missed = self._literal(Function(GOAL_MISSED, [Number(NOW)]))
        actions = list(self._shown_actions(self._program.actions - ahead))
        for number, atom in zip(numbers, possible, strict=True):
            key = syntax.predicate(atom)
            if key in ahead:
                actions.append((self._action_form(key, 1).action(atom), number))
        actions.sort()
        return OpenStep(
            control,
            self._ground,
            atoms.before,
            atoms.fluents,
            atoms.after,
            goal_missed,
            actions,
            starts,
        )

    def _add_fluent(
        self,
        atoms: _OpenAtoms,
        number: int,
        atom: Symbol,
    ) -> None:
        """Add an open atom of the state before the step, whose literal is `number`."""
        place = self._times.places[syntax.predicate(atom)]
        left = atom.arguments[:place]
        right = atom.arguments[place + 1 :]
        start = Function(atom.name, [*left, Number(0), *right], atom.positive)
        now = Function(atom.name, [*left, Number(NOW), *right], atom.positive)
        atoms.before[number] = start
        atoms.after[number] = self._literal(now)
        atoms.fluents[number] = Function(atom.name, [*left, *right], atom.positive)

    def _add_kept(self, atoms: _OpenAtoms) -> None:
        """Add to `atoms` the choices of `base` for all times that the step reads.

        The step cannot change these atoms, so they keep their values.
        """
        symbols = {
            atom.literal: atom.symbol
            for atom in self._control.symbolic_atoms
            if atom.literal and not atom.is_fact
        }
        for number in sorted(_underived(self._ground, set(atoms.before))):
            if number in symbols:
                kept = _kept_atom(symbols[number], self._times)
                atoms.before[number] = kept
                atoms.fluents[number] = kept
                atoms.after[number] = number

    def _shown_actions(self, keys: Iterable[Signature]) -> Iterator[tuple[Symbol, int]]:
        """Yield the actions that the step may show, with their literals.

        `keys` are the predicates of actions to consider.
        """
        forms = []
        for key in keys:
            if key in self._times.places:
                before = int(key in self._times.previous)
                forms.append(self._action_form(key, before))
        reading = Reading(tuple(forms))
        conditions: dict[Symbol, list[Sequence[int]]] = {}
        shown = [(symbol, [literal] if literal else []) for symbol, literal in self._ground.shown]
        for symbol, condition in chain(shown, self._ground.terms):
            if reading.is_action(symbol) and reading.step(symbol) == NOW:
                conditions.setdefault(reading.action(symbol), []).append(condition)
        for action in sorted(conditions):
            yield action, self._disjoin(conditions[action])

    def _disjoin(self, conditions: Sequence[Sequence[int]]) -> int:
        """Return a literal that holds if all literals in one of the `conditions` hold."""
        if len(conditions) == 1 and len(conditions[0]) < 2:
            return sum(conditions[0])
        with self._control.backend() as backend:
            literal: int = backend.add_atom()
            for condition in conditions:
                backend.add_rule([literal], condition)
        return literal

    def _action_form(
        self,
        key: Signature,
        before: int,
    ) -> ActionForm:
        _, name, arity = key
        return ActionForm(name, arity, self._times.places[key], before)

    def _literal(self, atom: Symbol) -> int | None:
        """Return the literal of an atom: 0 for a fact, and None for an atom that cannot hold."""
        symbolic = self._control.symbolic_atoms[atom]
        if symbolic is None or not _is_possible(symbolic):
            return None
        return 0 if symbolic.is_fact else symbolic.literal


def _add_read_rules(
    ground: Ground,
    rules: Sequence[Rule],
    sums: Sequence[Sum],
    known: set[int],
) -> None:
    """Complete a ground program by rules of `base` that derive the atoms in its bodies.

    `rules` and `sums` are the rules and weight rules of `base`; choices among them are not added.
    `known` are atoms that need no rule.
    """
    chosen = _heads(
        [rule for rule in rules if rule[0]],
        [rule for rule in sums if rule[0]],
    )
    while missing := _underived(ground, known) - chosen:
        known = known | missing
        ground.rules += [rule for rule in rules if not missing.isdisjoint(rule[1])]
        ground.sums += [rule for rule in sums if not missing.isdisjoint(rule[1])]


def _heads(
    rules: Sequence[Rule],
    sums: Sequence[Sum],
) -> set[int]:
    """Return the atoms in the heads of rules and weight rules."""
    heads = chain((head for _, head, _ in rules), (head for _, head, _, _ in sums))
    return set(chain.from_iterable(heads))


def _underived(
    ground: Ground,
    known: set[int],
) -> set[int]:
    """Return the atoms that rules read and no rule derives, except `known` ones."""
    bodies: list[Sequence[int]] = [body for _, _, body in ground.rules]
    bodies += ground.constraints
    bodies += [condition for _, condition in ground.terms]
    for _, _, _, weighted in ground.sums:
        bodies.append([literal for literal, _ in weighted])
    bodies.append([literal for _, literal in ground.shown])
    read = set(map(abs, chain.from_iterable(bodies)))
    return read - _heads(ground.rules, ground.sums) - known - {0}


def _is_possible(atom: SymbolicAtom) -> bool:
    """Return True if an atom may hold; clingo also lists atoms whose rules it has removed."""
    return atom.is_fact or bool(atom.literal)
