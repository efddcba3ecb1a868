"""An incremental program: its parts, and what the controller must know about them.

A program has the parts `base`, `step(t)`, `check(t)`, and may have `plan(t)`; the parameter may
have any name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from clingo import Control, Function, Number, Symbol, SymbolType

from asplan.core.errors import InputError, UsageError, nearest
from asplan.program import syntax
from asplan.program.contract import Claims, read_claims
from asplan.program.foreign import refuse_foreign
from asplan.program.ground import Functions, Part
from asplan.program.scan import PlainFacts
from asplan.program.source import parse_text
from asplan.program.syntax import AST, ASTType, Call, ProgramBuilder, Signature
from asplan.program.theory import TEL, Package, checked_package, has_objective, refuse_theory
from asplan.program.unit import (
    HELPER,
    OCCURS,
    QUERY,
    Section,
    Unit,
    joined,
    read_unit,
    statements_in,
    time_places,
)

if TYPE_CHECKING:
    from asplan.program.horizon import Horizon

PARTS = {"base": 0, "step": 1, "check": 1, "plan": 1}  # the parts and how many parameters they have
TIMED = ("step", "check")  # a program has one at least; an instance has neither
LOOP_CONSTANTS = ("imin", "imax", "istop")  # clingo's loop reads them; they may go unused

Rewrite = Callable[[AST, Callable[[AST], None]], None]
"""Calls its second argument with what a statement becomes."""


def base() -> Part:
    """The part that is grounded first, once."""
    return "base", []


def step(t: int) -> Part:
    """The part that leads from the state at t-1 to the state at t."""
    return "step", [Number(t)]


def check(t: int) -> Part:
    """The part that looks at the state at t."""
    return "check", [Number(t)]


def plan(t: int) -> Part:
    """The part that reads a plan off a program whose goal holds at t."""
    return "plan", [Number(t)]


def query(t: int) -> Symbol:
    """The external atom that demands the goal at t."""
    return Function(QUERY[1], [Number(t)])


@dataclass(frozen=True)
class ActionForm:
    """A predicate that says what happens, at a time that is `before` less than the step."""

    name: str
    arity: int
    place: int
    before: int

    def action(self, atom: Symbol) -> Symbol:
        rest = [*atom.arguments[: self.place], *atom.arguments[self.place + 1 :]]
        return rest[0] if self.key == OCCURS else Function(self.name, rest)

    def is_ahead(self, places: Mapping[Signature, Collection[int]]) -> bool:
        """Return whether step(t) derives the actions of the step after; `places` are at t there."""
        return self.before > 0 and self.place in places.get(self.key, ())

    def atom(self, action: Symbol, time: int) -> Symbol:
        """The atom with an action and a time."""
        terms = [action] if self.key == OCCURS else list(action.arguments)
        return Function(self.name, [*terms[: self.place], Number(time), *terms[self.place :]])

    def pattern(self, time: str) -> tuple[str, str]:
        """The most general atom at a time, and the action in it."""
        terms = [f"V{i}" for i in range(self.arity - 1)]
        action = f"{self.name}({','.join(terms)})" if terms else self.name
        atom = ",".join([*terms[: self.place], time, *terms[self.place :]])
        return f"{self.name}({atom})", terms[0] if self.key == OCCURS else action

    @property
    def key(self) -> Signature:
        return "", self.name, self.arity


@dataclass(frozen=True)
class Reading:
    """How atoms say what happens at which step: `occurs(Action,t)`, `move(X,Y,t-1)`."""

    forms: tuple[ActionForm, ...]

    @cached_property
    def by_key(self) -> dict[Signature, ActionForm]:
        return {form.key: form for form in self.forms}

    def is_action(self, atom: Symbol) -> bool:
        """Whether an atom, or a term that looks like one, says what happens."""
        return atom.type == SymbolType.Function and syntax.predicate(atom) in self.by_key

    def step(self, atom: Symbol) -> int | None:
        """The step that an atom speaks of; None if its time is no number."""
        form = self.by_key[syntax.predicate(atom)]
        time = atom.arguments[form.place]
        return time.number + form.before if time.type == SymbolType.Number else None

    def action(self, atom: Symbol) -> Symbol:
        return self.by_key[syntax.predicate(atom)].action(atom)

    def atom(self, action: Symbol, step: int) -> Symbol:
        """The atom that an action occurs at a step; one that no program knows if it is none."""
        form = self.by_key.get(OCCURS)
        if action.type == SymbolType.Function:
            sign, name, arity = syntax.predicate(action)
            form = self.by_key.get((sign, name, arity + 1), form)
        return form.atom(action, step - form.before) if form else Function(HELPER, [action])


READINGS = tuple(
    Reading((ActionForm("occurs", 2, place, before),)) for place in (1, 0) for before in (0, 1)
)


def readings(units: Iterable[Unit]) -> tuple[Reading, ...]:
    """The ways in which a program may mean `occurs/2`; only one where its rules say which."""
    found = [head for unit in units for head in unit.actions]
    for reading in READINGS:
        (form,) = reading.forms
        is_read = syntax.is_just_before if form.before else syntax.is_now
        if found and all(
            section.part == "step" and is_read(terms[form.place], section.parameter)
            for section, terms in found
        ):
            return (reading,)
    return READINGS


@dataclass(frozen=True, eq=False)
class Program:
    """Parsed files with the facts about them that decide how they may be run.

    A rule of it `plans`: derives what happens, and that is shown; it `plans_in_part` where that is
    done by `#show occurs(A,T) : condition`, so that other actions may occur. A `plan_part` is
    grounded once a horizon was found satisfiable. `only_query`: the query of the present is its
    only external.

    If `staged`, `step(t)` may be grounded in a call of its own before `check(t)`: none of its rules
    reads at time t what `check(t)` derives, or the program asks for two calls. If `delicate`,
    answers depend on which rules are grounded together (see `Unit.has_conditional_disjunctions`),
    so it is grounded as clingo's own loop does it. One that `weighs` (see
    `Unit.has_sums_or_disjunctions`) wants another preprocessing; if
    it `weighs_values` a theory says which values are best. `copied` is that parts of its own copy
    the present (see `rewrite`). A `horizon` bounds the time of a program without parts, which is
    grounded anew for each. `theory` is the package of its theory atoms. `facts` are the plain ones
    of `base`: of a predicate that timed parts derive as well, one of each kind is a statement
    instead, to be seen.
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

    @cached_property
    def time_places(self) -> dict[Signature, set[int]]:
        """For each predicate that timed sections define, the arguments that are the parameter."""
        return time_places(self.sections)

    @cached_property
    def actions(self) -> frozenset[Signature]:
        """The predicates that say what happens, where something does."""
        return frozenset(self.readings[0].by_key)

    def is_action(self, atom: Symbol) -> bool:
        """Whether an atom, or a term that looks like one, says what happens."""
        return self.readings[0].is_action(atom)

    @cached_property
    def choices(self) -> frozenset[Signature]:
        """The predicates that rules let the solver choose, but for those of what happens."""
        choices = filter(syntax.is_choice, self.statements)
        chosen = set().union(*map(syntax.defined_in, choices))
        written = {(sign, name.removeprefix(HELPER), arity) for sign, name, arity in chosen}
        return frozenset(written - self.actions)

    @property
    def statements(self) -> Iterator[AST]:
        return (statement for section in self.sections for statement in section.statements)

    def of_kind(self, kind: ASTType) -> Iterator[AST]:
        return (statement for statement in self.statements if statement.ast_type == kind)

    @cached_property
    def declared(self) -> frozenset[Signature]:
        """The predicates that `#defined` names."""
        return frozenset(map(syntax.named_by, self.of_kind(ASTType.Defined)))

    def with_sections(self, *more: Section, **changes: Any) -> Program:
        """The same with more sections, and other changes."""
        return replace(self, sections=(*self.sections, *more), **changes)

    def changed(
        self, change: Callable[[AST, Section], Iterable[AST]], parts: Collection[str] = ()
    ) -> Program:
        """The same with what becomes of each statement, of some `parts` or of all."""
        sections = (
            section.of(new for old in section.statements for new in change(old, section))
            if not parts or section.part in parts
            else section
            for section in self.sections
        )
        return replace(self, sections=tuple(sections))

    def with_timed(self, change: Callable[[AST, str], AST]) -> Program:
        """The same with statements of `step(t)` and `check(t)` changed, given each and its `t`."""
        return self.changed(lambda old, section: [change(old, section.parameter)], TIMED)

    def expand_facts(self) -> Program:
        """The same program with all its facts among the statements."""
        statements = tuple(s for facts in self.facts for s in statements_in(facts))
        return self.with_sections(Section("base", "", statements), facts=())

    def add_to(self, control: Control, rewrite: Rewrite | None = None) -> None:
        """Add all facts and statements to a control, rewritten as a theory wants them."""
        if self.theory and rewrite is None:
            refuse_theory(self.statements)
        with ProgramBuilder(control) as builder:
            for section in self.sections:
                builder.add(_header(section.part, section.parameter))
                for statement in (s for s in section.statements if s.ast_type != ASTType.Script):
                    if rewrite is None:
                        builder.add(statement)
                    else:
                        rewrite(statement, builder.add)
        for facts in self.facts:
            control.add("base", [], facts.text)

    def functions(self) -> Functions | None:
        """What its scripts define, as the context in which to ground it; None without scripts."""
        return Functions(self.scripts, self.calls) if self.scripts else None


@cache
def _header(part: str, parameter: str) -> AST:
    return parse_text(f"#program {part}({parameter})." if parameter else f"#program {part}.")[1]


@lru_cache(maxsize=16)
def with_query(program: Program) -> Program:
    """The program with the declaration of `query(t)` in `check(t)` that clingo's loop adds."""
    if program.horizon is not None:
        return program
    return program.with_sections(Section.of_text("check", "t", "#external query(t)."))


def read_program(files: Iterable[str], constants: Mapping[str, str]) -> Program:
    """A program whose statements are those of its files; raises as `compose` does."""
    return compose([read_unit(file) for file in files], constants)


def compose(
    units: Collection[Unit], constants: Mapping[str, str], allow_scripts: bool = False
) -> Program:
    """The program that some units form, with nothing added or rewritten."""
    for unit in units:
        refuse_foreign(unit.suspects, PARTS, allow_scripts)
    if all(unit.parts.isdisjoint(TIMED) for unit in units):
        what = "the files have no part step(t), so there is nothing to plan with"
        raise InputError(what, hint="add an encoding: -e NAME or one more file")
    refuse_unused(constants, units)
    return _composed(tuple(units))


def compose_anew(
    units: Collection[Unit], constants: Mapping[str, str], horizon: Horizon
) -> Program:
    """The program that units without parts form, which is grounded anew for each horizon."""
    refuse_unused(constants, units)
    return _composed(tuple(units), horizon)


@lru_cache(maxsize=16)
def _composed(units: tuple[Unit, ...], horizon: Horizon | None = None) -> Program:
    """The same, once for the same units: a process that solves again need not look again."""
    written = read_claims(units)
    whole = joined([unit for unit in units if unit.parts != {"base"}])
    theory = checked_package(s for unit in units for s in unit.suspects)
    weighing = [s for unit in units for s in unit.suspects if has_objective(s)]
    has_costs = any(unit.of_kind(ASTType.Minimize) for unit in units)
    if weighing and (has_costs or written.minimized):
        what = "an objective of clingcon's beside another"
        hint = "only one of them can be the best"
        raise InputError(what, at=syntax.location(weighing[0]), hint=hint)
    # Temporal formulas are translated once a step, after all of it was grounded.
    delicate = theory is TEL or any(unit.has_conditional_disjunctions for unit in units)
    shown = {key for unit in units for key in unit.shown}
    in_full = not shown or OCCURS in shown
    terms = [s.term for unit in units for s in unit.of_kind(ASTType.ShowTerm)]
    functions = (term for term in terms if term.ast_type == ASTType.Function)
    in_part = not in_full and OCCURS[1:] in ((f.name, len(f.arguments)) for f in functions)
    sections = tuple(section for unit in units for section in unit.sections)
    samples, facts = _samples(units, time_places(sections))
    return Program(
        sections=(*samples, *sections),
        written=written,
        readings=readings(units),
        plans=(in_full or in_part) and any(OCCURS in unit.defined for unit in units),
        plans_in_part=in_part,
        plan_part=any("plan" in unit.parts for unit in units),
        optimizes=has_costs or bool(weighing),
        weighs_values=bool(weighing),
        only_query=horizon is None
        and theory is not TEL
        and not any(unit.has_foreign_externals for unit in units),
        staged=written.staged or (whole.has_delayed_reads and not delicate),
        delicate=delicate,
        horizon=horizon,
        weighs=any(unit.has_sums_or_disjunctions for unit in units),
        scripts=tuple(script for unit in units for script in unit.of_kind(ASTType.Script)),
        calls=tuple(call for unit in units for call in unit.calls),
        theory=theory,
        facts=facts,
    )


def _samples(
    units: Collection[Unit], timed: Collection[Signature]
) -> tuple[list[Section], tuple[PlainFacts, ...]]:
    """Facts of the predicates that timed parts derive as well, as a section; and all others."""
    facts = tuple(facts for unit in units for facts in unit.facts)
    if all(found.signatures.isdisjoint(timed) for found in facts):
        return [], facts
    parted = [found.samples(timed) for found in facts]
    samples = tuple(s for sample, _ in parted for s in statements_in(sample))
    return [Section("base", "", samples)], tuple(rest for _, rest in parted)


def refuse_unused(
    given: Mapping[str, str], units: Iterable[Unit], variants: Collection[str] = ()
) -> None:
    """Raise `UsageError` at a constant that no file uses, and that is no variant of a domain."""
    units = list(units)
    defined = {name for unit in units for name in unit.definitions}.union(variants)
    names = set(given) - set(LOOP_CONSTANTS) - defined
    used = {name for unit in units for name in unit.constants} if names else set()
    parameters = {s.parameter: s.part for unit in units for s in unit.sections if s.parameter}
    for name in (name for name in given if name in names - used):
        if name in parameters:
            part = f"{parameters[name]}({name})"
            raise UsageError(f"{name} is the parameter of the part {part}, and no constant")
        hint = nearest(name, defined, noun="constants") if defined else ""
        raise UsageError(f"no file uses the constant {name}", hint=hint)


def control_options(constants: Mapping[str, str]) -> list[str]:
    """Command-line words that give a control its constants."""
    return [f"-c{name}={value}" for name, value in constants.items()]
