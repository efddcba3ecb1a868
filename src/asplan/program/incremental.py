"""An incremental program: its parts, and the properties on which the search for plans relies.

A program has the parts `base`, `step(t)`, `check(t)`, and may have `plan(t)`; the parameter may
have any name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, lru_cache
from operator import is_
from typing import TYPE_CHECKING

from asplan.clingo import Control, Function, Number, Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.program import syntax
from asplan.program.ground import Part
from asplan.program.reading.contract import Claims
from asplan.program.reading.plain_facts import PlainFacts
from asplan.program.reading.source import parse_text
from asplan.program.reading.unit import (
    HELPER,
    OCCURS,
    QUERY,
    TIMED,
    Section,
    Unit,
    statements_in,
    time_places,
)
from asplan.program.syntax import AST, ASTType, Call, ProgramBuilder, Signature
from asplan.program.theory import Package, refuse_theory

if TYPE_CHECKING:
    from asplan.program.display_rules import DisplayRules
    from asplan.program.model.program import TemporalProgram
    from asplan.program.reading.scripts import Functions
    from asplan.program.times.horizon import Horizon

PARTS = {"base": 0, "step": 1, "check": 1, "plan": 1}
"""The parts of a program, with the number of their parameters."""

LOOP_CONSTANTS = ("imin", "imax", "istop")
"""The constants that control clingo's incremental loop; a program need not use them."""

COPY = "asplan_copy"
"""The part of a rewritten program that copies the atoms of the present time."""

START = "asplan_start"
"""The part of a rewritten program that copies the initial state."""

Rewrite = Callable[[AST, Callable[[AST], None]], None]
"""A function that rewrites a statement and passes each result to its second argument."""


def base() -> Part:
    """Return the part that is grounded first and only once."""
    return "base", []


def step(t: int) -> Part:
    """Return the part for step t, which leads from the state at t-1 to the state at t."""
    return "step", [Number(t)]


def check(t: int) -> Part:
    """Return the part for the conditions on the state at time t."""
    return "check", [Number(t)]


def plan(t: int) -> Part:
    """Return the part that derives the plan once the goal holds at time t."""
    return "plan", [Number(t)]


@lru_cache(maxsize=16)
def query(t: int) -> Symbol:
    """Return the external atom `query(t)`. If it is true, the goal must hold at time t."""
    return Function(QUERY[1], [Number(t)])


@dataclass(frozen=True)
class ActionForm:
    """The form of the atoms of one action predicate, such as `move(X,Y,t-1)`.

    Parameters
    ----------
    name
        The name of the predicate.
    arity
        The number of its arguments, with the time.
    place
        The index of the time argument.
    before
        The number of the step minus the time in the atom: 1 if `move(X,Y,t-1)` is an action of step
        t.
    """

    name: str
    arity: int
    place: int
    before: int

    @property
    def key(self) -> Signature:
        """Return the predicate of the atoms, a triple of an empty sign, the name and the arity."""
        return "", self.name, self.arity

    def action(self, atom: Symbol) -> Symbol:
        """Return the action in an atom: the atom without its time, or A for `occurs(A,t)`."""
        rest = list(atom.arguments)
        del rest[self.place]
        return rest[0] if self.key == OCCURS else Function(self.name, rest)

    def is_ahead(self, places: Mapping[Signature, Collection[int]]) -> bool:
        """Return whether rules of `step(t)` derive actions at time t, which belong to step t+1.

        `places` maps predicates to the indices of arguments that are t in all timed heads.
        """
        return self.before > 0 and self.place in places.get(self.key, ())

    def atom(self, action: Symbol, time: int) -> Symbol:
        """Return the atom for an action at a time: the inverse of `action`."""
        terms = [action] if self.key == OCCURS else list(action.arguments)
        terms.insert(self.place, Number(time))
        return Function(self.name, terms)

    def pattern(self, time: str) -> tuple[str, str]:
        """Return the most general atom at a time, and its action, as text.

        For a predicate `move/2`, `pattern("t")` is `move(V0,t)` and `move(V0)`.
        """
        terms = [f"V{i}" for i in range(self.arity - 1)]
        if self.key == OCCURS:
            action = terms[0]
        else:
            action = f"{self.name}({','.join(terms)})" if terms else self.name
        terms.insert(self.place, time)
        return f"{self.name}({','.join(terms)})", action


@dataclass(frozen=True)
class Reading:
    """An interpretation of a program's atoms as actions, with one form for each action predicate.

    For example, `move(X,Y,t-1)` may be the action `move(X,Y)` of step t.
    """

    forms: tuple[ActionForm, ...]

    @cached_property
    def by_key(self) -> dict[Signature, ActionForm]:
        """Return the form of the atoms of each action predicate."""
        return {form.key: form for form in self.forms}

    def is_action(self, atom: Symbol) -> bool:
        """Return whether a ground atom has an action predicate."""
        return atom.type == SymbolType.Function and syntax.predicate(atom) in self.by_key

    def step(self, atom: Symbol) -> int | None:
        """Return the step to which an action atom belongs; None if its time is not a number."""
        form = self.by_key[syntax.predicate(atom)]
        time = atom.arguments[form.place]
        return time.number + form.before if time.type == SymbolType.Number else None

    def action(self, atom: Symbol) -> Symbol:
        """Return the action in an action atom, without its time."""
        return self.by_key[syntax.predicate(atom)].action(atom)

    def atom(self, action: Symbol, step: int) -> Symbol:
        """Return the atom of an action at a step.

        For an unknown action, return an atom that no program has.
        """
        form = self.by_key.get(OCCURS)
        if action.type == SymbolType.Function:
            sign, name, arity = syntax.predicate(action)
            form = self.by_key.get((sign, name, arity + 1), form)
        if form is None:
            return Function(HELPER, [action])
        return form.atom(action, step - form.before)


READINGS = (
    Reading((ActionForm("occurs", 2, 1, 0),)),
    Reading((ActionForm("occurs", 2, 1, 1),)),
    Reading((ActionForm("occurs", 2, 0, 0),)),
    Reading((ActionForm("occurs", 2, 0, 1),)),
)
"""The possible readings of `occurs/2`.

The time may be either argument, and the step may have the number of the time or one more.
"""


def readings(units: Iterable[Unit]) -> tuple[Reading, ...]:
    """Return the possible readings of atoms of `occurs/2` as actions.

    If the heads of rules determine the reading, return only this one.
    """
    heads = list[tuple[Section, list[AST]]]()
    for unit in units:
        heads.extend(unit.actions)
    for reading in READINGS:
        if heads and _agrees(reading, heads):
            return (reading,)
    return READINGS


def _agrees(reading: Reading, heads: Iterable[tuple[Section, list[AST]]]) -> bool:
    """Return whether a reading agrees with all heads `occurs/2` of a program.

    They must be in `step(t)`, and their times must have the form that the reading expects. `heads`
    are pairs of a section and the arguments of a head.
    """
    (form,) = reading.forms
    has_time = syntax.is_just_before if form.before else syntax.is_now
    for section, terms in heads:
        if section.part != "step" or not has_time(terms[form.place], section.parameter):
            return False
    return True


@dataclass(frozen=True, eq=False)
class Program:
    """A parsed program, with the properties that decide how it can be run.

    Parameters
    ----------
    sections
        The statements. If rules of timed parts derive a predicate of plain facts too, a few of
        these facts are among the statements as samples, one for each form.
    written
        The claims of the program: its facts `asplan(…)`.
    readings
        The possible readings of its action atoms.
    plans
        Whether a rule derives actions and the program shows them, so that answers contain a plan.
    plans_in_part
        Whether actions are shown by `#show occurs(A,T) : condition`. Then other actions may be
        true, but not shown.
    plan_part
        Whether there is a part `plan(t)`. It is grounded once a horizon was found satisfiable.
    optimizes
        Whether there is an objective.
    only_query
        Whether `query(t)` is the only external.
    staged
        Whether `step(t)` may be grounded separately, before `check(t)`. This is so if its
        rules read the predicates of `check(t)` at earlier times only, or if the program claims it.
    scripts
        The `#script` statements.
    calls
        The calls of script functions.
    delicate
        Whether answers depend on the rules that are grounded together, as with conditions in
        disjunctions. Such a program is grounded exactly as clingo's own loop does.
    weighs
        Whether timed parts have sums or disjunctions. Then the solver uses other settings for
        preprocessing.
    weighs_values
        Whether the objective is over the values of a theory.
    copied
        Whether asplan has added parts that copy the atoms of the present time (see `rewrite`).
    horizon
        The bound of the time, if the program has no parts and is grounded anew for each horizon.
    theory
        The package that interprets the theory atoms.
    facts
        The plain facts of `base`, without samples.
    divided
        For a program without parts: the same program with approximate parts, for analyses.
    display
        Rules that asplan has taken out until there is a plan (see `transitions.display`).
    """

    sections: tuple[Section, ...]
    written: Claims
    readings: tuple[Reading, ...]
    plans: bool
    plans_in_part: bool
    plan_part: bool
    optimizes: bool
    only_query: bool
    staged: bool
    scripts: tuple[AST, ...] = ()
    calls: tuple[Call, ...] = ()
    delicate: bool = False
    weighs: bool = False
    weighs_values: bool = False
    copied: bool = False
    horizon: Horizon | None = None
    theory: Package | None = None
    facts: tuple[PlainFacts, ...] = ()
    divided: Program | None = None
    display: DisplayRules | None = None

    @cached_property
    def model(self) -> TemporalProgram:
        """Return the rules of the program with their literals, as analyses read them."""
        from asplan.program.model.program import TemporalProgram  # many programs never need it

        return TemporalProgram.of_sections(self.sections)

    @property
    def is_final(self) -> bool:
        """True if the program is grounded as it is, without the changes of `rewrite`.

        This is so if it claims `asplan(staged)`, if it is `delicate`, or if it has no parts.
        """
        is_whole = self.horizon is not None
        return self.written.staged or self.delicate or is_whole

    @property
    def derives_in_check(self) -> bool:
        """True if a statement of `check(t)` derives an atom or declares it external."""
        checks = (each for each in self.sections if each.part == "check")
        return any(any(map(syntax.heads, section.statements)) for section in checks)

    @cached_property
    def time_places(self) -> dict[Signature, set[int]]:
        """Map predicates to the indices of arguments that are the parameter in all timed heads."""
        return time_places(self.sections)

    @cached_property
    def actions(self) -> frozenset[Signature]:
        """Return the predicates whose atoms are actions, in the first of the possible readings."""
        return frozenset(self.readings[0].by_key)

    def is_action(self, atom: Symbol) -> bool:
        """Return whether a ground atom is an action, in the first of the possible readings."""
        return self.readings[0].is_action(atom)

    @cached_property
    def choices(self) -> frozenset[Signature]:
        """Return the predicates in heads of choices and disjunctions, except action predicates."""
        choices = filter(syntax.is_choice, self.statements)
        chosen = set().union(*map(syntax.defined_in, choices))
        written = {(sign, name.removeprefix(HELPER), arity) for sign, name, arity in chosen}
        return frozenset(written - self.actions)

    @property
    def statements(self) -> Iterator[AST]:
        """Return the statements of all sections in order."""
        return (statement for section in self.sections for statement in section.statements)

    def of_kind(self, kind: ASTType) -> Iterator[AST]:
        """Return the statements of a kind, such as `#show`, in order."""
        return (statement for statement in self.statements if statement.ast_type == kind)

    @cached_property
    def declared(self) -> frozenset[Signature]:
        """Return the predicates of `#defined` statements."""
        return frozenset(map(syntax.named_by, self.of_kind(ASTType.Defined)))

    def with_sections(self, *more: Section) -> Program:
        """Return the program with further sections after its own."""
        return self.with_own_sections((*self.sections, *more))

    def with_own_sections(self, sections: Iterable[Section]) -> Program:
        """Return the program with its sections replaced by `sections`."""
        return replace(self, sections=tuple(sections), divided=None)

    def changed(
        self, change: Callable[[AST, Section], Iterable[AST]], parts: Collection[str] = ()
    ) -> Program:
        """Return the program with each statement replaced by the statements that `change` returns.

        If `parts` are named, only their statements are changed. The result is this program itself
        if `change` returns each statement as it is.
        """
        sections = list[Section]()
        for section in self.sections:
            if not parts or section.part in parts:
                new = list[AST]()
                for statement in section.statements:
                    new.extend(change(statement, section))
                if not _are_same(new, section.statements):
                    section = section.of(new)
            sections.append(section)
        return self if _are_same(sections, self.sections) else self.with_own_sections(sections)

    def with_timed(self, change: Callable[[AST, str], AST]) -> Program:
        """Return the program with `change` applied to each statement of `step(t)` and `check(t)`.

        The second argument of `change` is the parameter, such as t.
        """
        return self.changed(lambda old, section: [change(old, section.parameter)], TIMED)

    def expand_facts(self) -> Program:
        """Return the program with statements in place of its plain facts, which are text."""
        statements = list[AST]()
        for facts in self.facts:
            statements.extend(statements_in(facts))
        section = Section("base", "", tuple(statements))
        return replace(self.with_sections(section), facts=())

    def add_to(self, control: Control, rewrite: Rewrite | None = None) -> None:
        """Add all facts and statements to a control.

        If `rewrite` is given, it rewrites each statement for a theory.

        Raises
        ------
        InputError
            If the program has theory atoms and `rewrite` is not given.
        """
        if self.theory and rewrite is None:
            refuse_theory(self.statements)
        with ProgramBuilder(control) as builder:
            for section in self.sections:
                builder.add(_header(section.part, section.parameter))
                for statement in section.statements:
                    if statement.ast_type == ASTType.Script:
                        continue
                    if rewrite is None:
                        builder.add(statement)
                    else:
                        rewrite(statement, builder.add)
        for facts in self.facts:
            control.add("base", [], facts.text)

    def functions(self) -> Functions | None:
        """Return the functions of the program's scripts, which clingo calls in grounding.

        Return None if there are no scripts.
        """
        if not self.scripts:
            return None
        from asplan.program.reading.scripts import Functions

        return Functions(self.scripts, self.calls)


def _are_same(some: Sequence[object], others: Sequence[object]) -> bool:
    """Return whether two sequences consist of the same objects."""
    return len(some) == len(others) and all(map(is_, some, others))


@cache
def _header(part: str, parameter: str) -> AST:
    return parse_text(f"#program {part}({parameter})." if parameter else f"#program {part}.")[1]


@lru_cache(maxsize=16)
def with_query(program: Program) -> Program:
    """Return the program with the declaration `#external query(t)` that clingo's loop adds."""
    if program.horizon is not None:
        return program
    return program.with_sections(Section.of_text("check", "t", "#external query(t)."))
