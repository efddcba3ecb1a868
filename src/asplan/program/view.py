"""A single-shot program as if it were written in parts, for those who ask what is what in it.

A rule that speaks of times becomes one of `step(t)`, or of `check(t)` if it derives nothing: its
latest time is `t`. Where what happens at T leads to T+1, rules of what happens are of `t-1`. The
view is read and never run: what it leaves out is when a rule begins and ends to hold.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import lru_cache

from asplan.program.horizon import Horizon, following
from asplan.program.incremental import Program
from asplan.program.sorts import Clause, Use, clause_of
from asplan.program.syntax import ASTType, Signature, is_choice
from asplan.program.terms import Putting
from asplan.program.unit import Section

_NOW = "t"


@lru_cache(maxsize=16)
def in_parts(program: Program) -> Program:
    """The view of a program that is grounded anew for each horizon."""
    horizon = program.horizon
    assert horizon is not None
    known, later = horizon.clauses, horizon.successors
    clauses = (known.get(id(s)) or clause_of(s, later) for s in program.statements)
    timed = [(clause, list(_times(clause, horizon))) for clause in clauses]
    early = following(timed, horizon.events if horizon.lag else (), horizon.carried)
    sections = [_section(clause, uses, early, horizon.constant) for clause, uses in timed]
    return replace(program, sections=tuple(sections), horizon=None)


def _times(clause: Clause, horizon: Horizon) -> Iterator[Use]:
    """The arguments that are times, except those of the domains."""
    known = {*horizon.domains, *horizon.ends, *horizon.successors}
    return (u for u in clause.uses if horizon.places.get(u.key) == u.place and u.key not in known)


def _section(
    clause: Clause, uses: Collection[Use], early: Collection[Signature], constant: str
) -> Section:
    statement = clause.statement
    heads = [use for use in uses if use.head and use.is_variable]
    latest = max(heads or (u for u in uses if u.is_variable), key=lambda u: u.shift, default=None)
    ends = [use for use in uses if use.name == constant]
    if latest is None and ends and statement.ast_type == ASTType.Rule:
        latest = max(ends, key=lambda use: use.shift)
    if latest is None:
        return Section("base", "", (statement,))
    ahead = latest.shift + (latest.head and latest.key in early)
    times = {
        n: (_NOW, by - ahead) for n, (root, by) in clause.aliases.items() if root == latest.name
    }
    statement = Putting({**times, latest.name: (_NOW, -ahead)}).visit(statement)
    part = "step" if heads or is_choice(statement) else "check"
    return Section(part, _NOW, (statement,))
