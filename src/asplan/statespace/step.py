"""One step of a program, grounded once for all times, with the state before it left open.

The step leads from time 1 to time 2: what `base` says is of time 0. Which atoms may hold at time 1
is found first, as in the last layer of a planning graph: rules `{ p(X,1) } :- p(X,0)` and `{ p(X,1)
} :- p(X,2)` make the step recursive, so that one call finds all, unless there is no end to them.
The step is grounded again with just these atoms open. `:- query(t), B` is read as
`asplan__goal_missed(t) :- B`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clingo import Control, Function, Number, Symbol, SymbolicAtom, SymbolType

from asplan.core.errors import InputError
from asplan.core.limits import interrupts_held, is_interrupted
from asplan.program import incremental, syntax
from asplan.program.bounds import bounding_atom
from asplan.program.ground import Functions, Ground, Part, ground
from asplan.program.incremental import TIMED, ActionForm, Program, Reading
from asplan.program.rewrite import without_anonymous
from asplan.program.roles import roles_of, without_aliases
from asplan.program.source import reporting
from asplan.program.stepwise import HINT, Times, is_demand, is_goal, times_of, with_clock, wording
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.unit import HELPER, QUERY, Section, messages_of, pairs

BEFORE, NOW = 1, 2  # the times that the grounded step leads from and to
GOAL_MISSED = HELPER + "goal_missed"  # the atom that the goal does not hold

_LINK, _MET, _OPEN, _KEPT = (HELPER + word for word in ("link", "met", "open", "kept"))

MOST_STARTS = 500_000  # initial states; they are kept, which takes some hundred megabytes

_HEED = 64  # atoms that may hold between calls of `heed`
_MOST = 100_000  # atoms that may hold at a time; more are taken to have no end

_DROPPED = (ASTType.Minimize, ASTType.Heuristic, ASTType.ProjectAtom, ASTType.ProjectSignature)


@dataclass(frozen=True)
class Start:
    atoms: frozenset[Symbol]
    is_goal: bool


@dataclass(frozen=True, eq=False)
class OpenStep:
    """A grounded step, in `control`; `ground` has its rules, and those of `base` that it reads.

    `before` are the open atoms by their numbers: those of time 1, as atoms of time 0, and those
    that `base` leaves open; `fluents` are the same without their times. What it reads of time 0
    beside the state is `asplan__kept(p(1,0))`. `after` has for each the literal that it is true
    after the step, 0 where it always is, and None where it cannot be; `goal_missed` is such a
    literal, too. `actions` are those that may be shown, in order, with their literals.
    """

    control: Control
    ground: Ground
    before: Mapping[int, Symbol]
    fluents: Mapping[int, Symbol]
    after: Mapping[int, int | None]
    goal_missed: int | None
    actions: Sequence[tuple[Symbol, int]]
    starts: Sequence[Start]


def open_step(
    program: Program,
    constants: Mapping[str, str],
    heed: Callable[[], None] = lambda: None,
    before: int = 0,
) -> OpenStep:
    """Ground a step of a program.

    `heed` is called for each initial state, and for some atoms that may hold; it may raise. So many
    steps, `before`, lead to the initial states, which are those of time 0.
    """
    times, actions = times_of(program), roles_of(program).actions
    program = with_clock(without_aliases(program))
    ahead = frozenset(key for key, before in actions.items() if before) - times.late
    judged = _with_goal_atom(without_anonymous(program))
    control, _ = _control(judged, constants, _links(times))
    _ground_start(judged, control, before)
    starts = _starts(judged, control, times, heed)
    endless = _Endless(program, control, judged.functions(), heed)
    parts = [incremental.step(NOW), incremental.check(NOW), (_LINK, [])]
    try:
        _ground(judged, control, parts, endless)
    except InputError:
        if endless.failure is not None:
            raise endless.failure from None
        raise
    possible = [
        atom.symbol
        for sign, name, arity in sorted(times.state)
        for atom in control.symbolic_atoms.by_signature(name, arity, not sign)
        if atom.symbol.arguments[times.places[sign, name, arity]] == Number(BEFORE)
        and _is_there(atom)
    ]
    return _opened(judged, constants, times, possible, starts, before, ahead)


def _control(
    program: Program, constants: Mapping[str, str], *more: Section
) -> tuple[Control, Ground]:
    """A control with a program, and what will be known of its ground rules."""
    messages, rules = messages_of(program.sections), Ground()
    control = Control(incremental.control_options(constants), logger=messages)
    control.register_observer(rules)
    with reporting(messages):
        program.with_sections(*more).add_to(control)
    return control, rules


def _ground(
    program: Program, control: Control, parts: list[Part], endless: _Endless | None = None
) -> None:
    functions = program.functions() if endless is None else endless.functions
    with reporting():
        ground(control, parts, functions, endless)


def _ground_start(program: Program, control: Control, before: int, *more: Part) -> None:
    """Ground what leads to the initial states, at time 0, and more parts together with them."""
    calls = [[incremental.base(), incremental.check(-before)]]
    calls += ([incremental.check(t), incremental.step(t)] for t in range(1 - before, 1))
    calls[-1] += more
    for parts in calls:
        _ground(program, control, parts)


def _with_goal_atom(program: Program) -> Program:
    """The program with the goal as an atom, and without what says nothing of a step."""

    def kept(statement: AST, section: Section) -> list[AST]:
        t, kind = section.parameter, statement.ast_type
        if kind in _DROPPED:
            return []
        if section.part not in TIMED or not is_goal(statement, t):
            is_query = kind == ASTType.External and syntax.signature(statement.atom) == QUERY
            return [] if section.part in TIMED and is_query else [statement]
        head = syntax.named_atom(statement, GOAL_MISSED, [syntax.named_term(statement, t)])
        body = [literal for literal in statement.body if not is_demand(literal, t)]
        return [statement.update(head=head, body=body)]

    return program.changed(kept)


def _links(times: Times) -> Section:
    """The rules by which what may hold at a time may hold at the time before the step."""
    rules = []
    for key in sorted(times.state):
        before, now = (syntax.general_atom(key, times.places[key], str(t)) for t in (BEFORE, NOW))
        rules.append(f"{{ {before} }} :- {syntax.general_atom(key, times.places[key], '0')}.")
        rules.append(f"{{ {before} }} :- {now}, @{_MET}({now}) = 1.")
    return Section.of_text(_LINK, "", " ".join(rules))


class _Endless:
    """What clingo calls for each atom that may hold after a step; it stops what has no end.

    Numbers that are far larger than any in `base`, and atoms without number, are such.
    """

    def __init__(
        self,
        program: Program,
        control: Control,
        functions: Functions | None,
        heed: Callable[[], None],
    ) -> None:
        self.program, self.functions, self.heed = program, functions, heed
        self.failure: Exception | None = None
        atoms = (argument for atom in control.symbolic_atoms for argument in atom.symbol.arguments)
        numbers = (abs(a.number) for a in atoms if a.type == SymbolType.Number)
        self._largest = 10 * (10 + max(numbers, default=0))
        self._count = 0
        setattr(self, _MET, self._met)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.functions, name)

    def _met(self, atom: Symbol) -> Symbol:
        self._count += 1
        if self._count % _HEED == 0:
            try:
                self.heed()
            except Exception as failure:
                self.failure = failure
                raise
        numbers = (a.number for a in atom.arguments if a.type == SymbolType.Number)
        if self._count <= _MOST and all(abs(number) <= self._largest for number in numbers):
            return Number(1)
        # The error is at the first rule that computes one of the atoms.
        timed = (s for section, s in pairs(self.program.sections) if section.part in TIMED)
        heads = ((rule, head) for rule in timed for head in syntax.heads(rule))
        rules = [pair for pair in heads if syntax.signature(pair[1]) == syntax.predicate(atom)]
        computing = (rule for rule, head in rules if syntax.find(ASTType.BinaryOperation, [head]))
        rule = next(computing, rules[0][0])
        what = f"it counts: there is no end to the atoms of {atom.name}/{len(atom.arguments)}"
        if bound := self._bound_of(rule, atom):
            what += f"; add {bound} to the rule, for a constraint comes too late"
        self.failure = InputError(wording(rule, what), at=syntax.location(rule), hint=HINT)
        raise self.failure

    def _bound_of(self, rule: AST, atom: Symbol) -> str:
        """Return what to add to a rule, if a constraint limits what the rule derives."""
        heads = [h for h in syntax.heads(rule) if syntax.signature(h) == syntax.predicate(atom)]
        found = (bounding_atom(self.program.statements, head) for head in heads)
        return next(filter(None, found), "")


def _starts(
    program: Program, control: Control, times: Times, heed: Callable[[], None]
) -> list[Start]:
    """Return the initial states: what the answer sets of `base` and `check(0)` say of time 0."""
    wanted, goal_missed = [], Function(GOAL_MISSED, [Number(0)])
    for atom in filter(_is_there, control.symbolic_atoms):
        key = syntax.predicate(atom.symbol)
        place = times.places.get(key)
        is_start = place is not None and atom.symbol.arguments[place] == Number(0)
        if (is_start and key in times.state) or atom.symbol == goal_missed:
            wanted.append((atom.symbol, atom.literal))
        if not atom.is_fact and (place is None or (is_start and key in times.told)):
            wanted.append((_kept(atom.symbol, times), atom.literal))
    with control.backend() as backend:
        backend.add_project([literal for _, literal in wanted])
    solving: Any = control.configuration.solve
    solving.models, solving.project = 0, "project"
    found = []
    with interrupts_held(), control.solve(yield_=True) as handle:
        for model in handle:
            heed()
            if is_interrupted():
                break
            atoms = frozenset(symbol for symbol, literal in wanted if model.is_true(literal))
            found.append(Start(atoms - {goal_missed}, goal_missed not in atoms))
            if len(found) > MOST_STARTS:
                raise _too_many_starts(program)
    return found


def _too_many_starts(program: Program) -> InputError:
    """Return the error about initial states that are too many to be listed."""
    first = (s for section, s in pairs(program.sections) if section.part == "base")
    choice = next(filter(syntax.is_choice, first), None)
    return InputError(
        f"there are more than {MOST_STARTS} initial states, too many to be listed",
        at=syntax.location(choice) if choice else None,
        hint="--engine asp does not list them; to list fewer, fix what base chooses",
    )


def _kept(atom: Symbol, times: Times) -> Symbol:
    """What an atom that `base` leaves open is called, apart from the atom of a state."""
    return Function(_KEPT, [atom]) if syntax.predicate(atom) in times.places else atom


def _opened(
    program: Program,
    constants: Mapping[str, str],
    times: Times,
    possible: Sequence[Symbol],
    starts: Sequence[Start],
    before_start: int,
    ahead: frozenset[Signature],
) -> OpenStep:
    """Ground the step with some atoms of the time before it left open.

    Actions of the predicates `ahead` are atoms of that time.
    """
    control, rules = _control(program, constants)
    # In atoms that a backend adds clingo's #min and #max miss some values.
    control.add(_OPEN, [], f"{{ {'; '.join(map(str, possible))} }}.")
    _ground_start(program, control, before_start, (_OPEN, []))
    numbers = [number for atom in possible if (number := _number(control, atom))]
    given = rules.rules[:], rules.sums[:]
    rules.clear()
    _ground(program, control, [incremental.step(NOW), incremental.check(NOW)])
    before, after, fluents = dict[int, Symbol](), dict[int, int | None](), dict[int, Symbol]()
    for number, atom in zip(numbers, possible, strict=True):
        place, terms = times.places[syntax.predicate(atom)], atom.arguments
        start, now = (
            Function(atom.name, [*terms[:place], Number(t), *terms[place + 1 :]], atom.positive)
            for t in (0, NOW)
        )
        before[number], after[number] = start, _number(control, now)
        fluents[number] = Function(atom.name, [*terms[:place], *terms[place + 1 :]], atom.positive)
    _add_read(rules, given, set(before))
    known = control.symbolic_atoms
    symbols = {a.literal: a.symbol for a in known if a.literal and not a.is_fact}
    for number in _undefined(rules, set(before)):
        if number in symbols:
            before[number] = fluents[number] = _kept(symbols[number], times)
            after[number] = number
    goal_missed = _number(control, Function(GOAL_MISSED, [Number(NOW)]))
    actions = list(_actions(program.actions - ahead, times, control, rules))
    for number, atom in zip(numbers, possible, strict=True):
        if (key := syntax.predicate(atom)) in ahead:
            actions.append((ActionForm(*key[1:], times.places[key], 1).action(atom), number))
    actions.sort()
    return OpenStep(control, rules, before, fluents, after, goal_missed, actions, starts)


def _add_read(ground: Ground, given: tuple[Sequence[Any], Sequence[Any]], known: set[int]) -> None:
    """Add the rules of `base` that derive what the step reads, and that are not choices."""
    rules, sums = given
    chosen = {a for choice, head, *_ in (*rules, *sums) if choice for a in head}
    while missing := _undefined(ground, known) - chosen:
        known = known | missing
        ground.rules += [rule for rule in rules if not missing.isdisjoint(rule[1])]
        ground.sums += [rule for rule in sums if not missing.isdisjoint(rule[1])]


def _undefined(ground: Ground, known: set[int]) -> set[int]:
    """The atoms that rules read and none derives."""
    bodies = [body for _, _, body in ground.rules] + list(ground.constraints)
    bodies += [condition for _, condition in ground.terms]
    read = {abs(literal) for body in bodies for literal in body}
    read |= {abs(literal) for *_, body in ground.sums for literal, _ in body}
    read |= {literal for _, literal in ground.shown}
    derived = {a for rules in (ground.rules, ground.sums) for _, head, *_ in rules for a in head}
    return read - derived - known - {0}


def _actions(
    keys: Iterable[Signature], times: Times, control: Control, ground: Ground
) -> Iterator[tuple[Symbol, int]]:
    known = [key for key in keys if key in times.places]
    forms = (ActionForm(*key[1:], times.places[key], int(key in times.late)) for key in known)
    reading = Reading(tuple(forms))
    conditions: dict[Symbol, list[Sequence[int]]] = {}
    shown = [(symbol, [literal] if literal else []) for symbol, literal in ground.shown]
    for symbol, condition in (*shown, *ground.terms):
        if reading.is_action(symbol) and reading.step(symbol) == NOW:
            conditions.setdefault(reading.action(symbol), []).append(condition)
    for action in sorted(conditions):
        given = conditions[action]
        if len(given) == 1 and len(given[0]) < 2:
            yield action, sum(given[0])
            continue
        with control.backend() as backend:
            literal = backend.add_atom()
            for condition in given:
                backend.add_rule([literal], condition)
        yield action, literal


def _is_there(atom: SymbolicAtom) -> bool:
    """Whether an atom may be true; clingo lists some that only rules speak of that are gone."""
    return atom.is_fact or bool(atom.literal)


def _number(control: Control, atom: Symbol) -> int | None:
    found = control.symbolic_atoms[atom]
    if found is None or not _is_there(found):
        return None
    return 0 if found.is_fact else found.literal
