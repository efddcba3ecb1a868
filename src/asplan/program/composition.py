"""The composition of units, the content of files, into a program.

First the features of all units are collected; the properties of the program follow from them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, UsageError, nearest
from asplan.program import syntax
from asplan.program.incremental import LOOP_CONSTANTS, PARTS, Program, readings
from asplan.program.reading.contract import Claims, read_claims
from asplan.program.reading.foreign import refuse_foreign
from asplan.program.reading.plain_facts import PlainFacts
from asplan.program.reading.unit import (
    OCCURS,
    TIMED,
    Section,
    Unit,
    joined,
    read_unit,
    statements_in,
    time_places,
)
from asplan.program.syntax import AST, ASTType, Call, Signature
from asplan.program.theory import TEL, Package, checked_package, has_objective

if TYPE_CHECKING:
    from asplan.program.times.horizon import Horizon


def read_program(files: Iterable[str], constants: Mapping[str, str]) -> Program:
    """Read files as a program; raise the errors of `compose` and `read_unit`."""
    return compose([read_unit(file) for file in files], constants)


def compose(
    units: Collection[Unit], constants: Mapping[str, str], allow_scripts: bool = False
) -> Program:
    """Return the program that consists of `units`, without any rewriting.

    Parameters
    ----------
    units
        The contents of the files.
    constants
        The values that the user has given to constants.
    allow_scripts
        Whether the user trusts the Python code in the program.

    Raises
    ------
    InputError
        If asplan cannot run a statement, or no unit has timed parts.
    UsageError
        If no unit uses one of the constants.
    """
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
    """Return the program of units without parts, which is grounded anew for each horizon.

    Raises
    ------
    UsageError
        If no unit uses one of the constants.
    """
    refuse_unused(constants, units)
    return _composed(tuple(units), horizon)


@lru_cache(maxsize=16)
def _composed(units: tuple[Unit, ...], horizon: Horizon | None = None) -> Program:
    """Return the program of some units; for the same units, return the same object.

    `horizon` is the bound of the time of a program without parts, else None.
    """
    features = _collect_features(units)
    _refuse_two_objectives(features)
    program = Program(
        sections=features.sections,
        facts=features.facts,
        scripts=features.scripts,
        calls=features.calls,
        horizon=horizon,
        theory=features.theory,
        written=features.claims,
        readings=readings(units),
        plans=features.shows_actions and features.defines_occurs,
        plans_in_part=features.shows_some_actions,
        plan_part="plan" in features.parts,
        optimizes=features.has_costs or features.objective is not None,
        weighs_values=features.objective is not None,
        only_query=horizon is None and features.has_only_query,
        staged=features.is_staged,
        delicate=features.is_delicate,
        weighs=features.has_sums_or_disjunctions,
    )
    if horizon is None:
        return program
    from asplan.program.roles.analysis_parts import divide

    return replace(program, divided=divide(program))


@dataclass(frozen=True)
class _Features:
    """The features of statements, from which the properties of a `Program` follow.

    `objective` is the first statement with an objective of a theory. `shown` has the predicates of
    statements `#show p/n.`. `shown_functions` has the names and arities of the terms in statements
    `#show term : condition`. `Unit` explains the other attributes.
    """

    claims: Claims
    theory: Package | None
    objective: AST | None
    sections: tuple[Section, ...]
    facts: tuple[PlainFacts, ...]
    scripts: tuple[AST, ...]
    calls: tuple[Call, ...]
    parts: frozenset[str]
    shown: frozenset[Signature]
    shown_functions: frozenset[tuple[str, int]]
    defines_occurs: bool
    has_costs: bool
    has_foreign_externals: bool
    has_conditional_disjunctions: bool
    has_sums_or_disjunctions: bool
    has_delayed_reads: bool

    @property
    def shows_all_actions(self) -> bool:
        """Return whether the program shows all atoms of `occurs/2`."""
        return not self.shown or OCCURS in self.shown

    @property
    def shows_some_actions(self) -> bool:
        """Return whether `#show occurs(A,T) : …` shows atoms `occurs/2` on a condition.

        Then other atoms `occurs/2` may be true, but not shown.
        """
        _, name, arity = OCCURS
        return not self.shows_all_actions and (name, arity) in self.shown_functions

    @property
    def shows_actions(self) -> bool:
        """Return whether the program shows atoms of `occurs/2`, all or some of them."""
        return self.shows_all_actions or self.shows_some_actions

    @property
    def has_only_query(self) -> bool:
        """Return whether `query(t)` is the only external."""
        return self.theory is not TEL and not self.has_foreign_externals

    @property
    def is_delicate(self) -> bool:
        """Return whether the answer sets change if rules are grounded in separate calls."""
        # Temporal formulas are translated once a step, after all of it was grounded.
        return self.theory is TEL or self.has_conditional_disjunctions

    @property
    def is_staged(self) -> bool:
        """Return whether `step(t)` may be grounded separately, before `check(t)`.

        It may if the program claims so, or if step(t) reads the predicates of check(t) only at
        earlier times.
        """
        return self.claims.staged or (self.has_delayed_reads and not self.is_delicate)


def _collect_features(units: Sequence[Unit]) -> _Features:
    """Return the features of units; raise `InputError` at a wrong claim or theory atom."""
    claims = read_claims(units)
    whole = joined(units)
    timed = joined(unit for unit in units if unit.parts != {"base"})
    theory = checked_package(whole.suspects)
    objectives = filter(has_objective, whole.suspects)
    sections = list[Section]()
    for unit in units:
        sections.extend(unit.sections)
    samples, facts = _samples(whole.facts, time_places(sections))
    return _Features(
        claims=claims,
        theory=theory,
        objective=next(objectives, None),
        sections=(*samples, *sections),
        facts=facts,
        scripts=whole.of_kind(ASTType.Script),
        calls=whole.calls,
        parts=frozenset(section.part for section in sections),
        shown=whole.shown,
        shown_functions=_shown_functions(whole),
        defines_occurs=any(OCCURS in unit.defined for unit in units),
        has_costs=bool(whole.of_kind(ASTType.Minimize)),
        has_foreign_externals=any(unit.has_foreign_externals for unit in units),
        has_conditional_disjunctions=any(unit.has_conditional_disjunctions for unit in units),
        has_sums_or_disjunctions=any(unit.has_sums_or_disjunctions for unit in units),
        has_delayed_reads=timed.has_delayed_reads,
    )


def _shown_functions(unit: Unit) -> frozenset[tuple[str, int]]:
    """Return the names and arities of the terms in statements `#show term : condition`."""
    terms = [statement.term for statement in unit.of_kind(ASTType.ShowTerm)]
    functions = [term for term in terms if term.ast_type == ASTType.Function]
    return frozenset((term.name, len(term.arguments)) for term in functions)


def _refuse_two_objectives(features: _Features) -> None:
    """Raise `InputError` if the program has a theory's objective and another one."""
    has_other = features.has_costs or features.claims.minimized
    if features.objective is not None and has_other:
        what = "the program has clingcon's objective and another one"
        at = syntax.location(features.objective)
        raise InputError(what, at=at, hint="keep only one of them")


def _samples(
    facts: tuple[PlainFacts, ...], timed: Collection[Signature]
) -> tuple[list[Section], tuple[PlainFacts, ...]]:
    """Split facts into samples, as sections of statements, and all other facts.

    The samples are a few facts of each predicate in `timed`; `PlainFacts.samples` selects them.
    """
    if all(each.signatures.isdisjoint(timed) for each in facts):
        return [], facts
    statements = list[AST]()
    others = list[PlainFacts]()
    for each in facts:
        samples, rest = each.samples(timed)
        statements.extend(statements_in(samples))
        others.append(rest)
    return [Section("base", "", tuple(statements))], tuple(others)


def refuse_unused(
    given: Mapping[str, str], units: Iterable[Unit], variants: Collection[str] = ()
) -> None:
    """Raise `UsageError` for a constant in `given` that no unit uses.

    Names in `variants`, the constants of a domain's variants, are allowed.
    """
    units = list(units)
    defined = set(variants).union(*(unit.definitions for unit in units))
    unknown = [name for name in given if name not in defined and name not in LOOP_CONSTANTS]
    if not unknown:
        return
    used = set[str]().union(*(unit.constants for unit in units))
    for name in unknown:
        if name not in used:
            raise _unused(name, units, defined)


def _unused(name: str, units: Iterable[Unit], defined: Collection[str]) -> UsageError:
    """Return the error about a given constant that no file uses.

    `defined` are the known constants; the hint names the most similar one.
    """
    parts = dict[str, str]()
    for unit in units:
        parts.update((section.parameter, section.part) for section in unit.sections)
    if name in parts:
        part = f"{parts[name]}({name})"
        return UsageError(f"{name} is the parameter of the part {part}, not a constant")
    hint = nearest(name, defined, noun="constants") if defined else ""
    return UsageError(f"no file uses the constant {name}", hint=hint)
