"""Repetition of constraints in the next step, where rules have the same atoms in their bodies.

clasp simplifies the rules of one ground call together. A constraint then also removes the rules
whose bodies contain its atoms, and further rules that need their heads. Across calls, it does not.
So a constraint that was grounded a step before such rules leaves impossible atoms behind, which
lead to more of them with each step:

    #program step(t).     :- go(D,t-1), at(X,t-1), wall(X+D).
                          at(X+D,t-1) :- go(D,t-2), at(X,t-2).

`with_repeated_constraints` adds the constraint of the step before, which excludes nothing more:

                          :- go(D,t-2), at(X,t-2), wall(X+D), t > 1.

On levels of Helltaker, converted into parts, clingo then grounds a sixth of the rules, and needs a
tenth of the time.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from asplan.program.incremental import Program
from asplan.program.model.program import Kind, Literal, TemporalRule
from asplan.program.syntax import AST, Signature
from asplan.program.syntax.terms import Op, Substitution, comparison

_Pattern = tuple[Signature, tuple[int | None, ...]]
"""A predicate, and for each argument k if it is t+k, else None."""

_FIRST = ("", 1)  # the first step, as a time


def with_repeated_constraints(program: Program) -> Program:
    """Return a program whose `step(t)` repeats some constraints of the step before.

    These are constraints with the same atoms as the body of a rule in `step(t)`. Each atom that a
    repeated constraint reads must have all its rules by the step before; then the repetition
    changes no answer set.
    """
    model = program.model
    steps = [rule for rule in model.rules if rule.part == "step"]
    late = [_patterns(rule.positive) for rule in steps if rule.kind is Kind.RULE]
    late = [patterns for patterns in late if any(min(_times(each)) < -1 for each in patterns)]
    if not late:
        return program
    repeated = {
        id(rule.statement): _repetition(rule)
        for rule in steps
        if _recurs(rule, late) and all(_is_settled(each, model.literals) for each in rule.reads)
    }

    def add_repetition(statement: AST) -> Iterator[AST]:
        yield statement
        if id(statement) in repeated:
            yield repeated[id(statement)]

    return program.changed(lambda statement, _: add_repetition(statement), ("step",))


def _patterns(literals: Sequence[Literal], later: int = 0) -> set[_Pattern]:
    """Return the patterns of the literals with times; `later` is added to their times."""
    return {
        (each.key, tuple(None if k is None else k + later for k in each.all_shifts))
        for each in literals
        if each.shifts
    }


def _times(pattern: _Pattern) -> list[int]:
    return [k for k in pattern[1] if k is not None]


def _recurs(rule: TemporalRule, late: Collection[set[_Pattern]]) -> bool:
    """Return whether a rule is a constraint whose atoms are in a body of the next step.

    `late` are the patterns of these bodies.
    """
    if not rule.is_constraint or rule.has_inner:
        return False
    patterns = _patterns(rule.positive, later=-1)
    return bool(patterns) and any(patterns <= body for body in late)


def _is_settled(literal: Literal, literals: Mapping[Signature, Sequence[Literal]]) -> bool:
    """Return whether the atoms of a literal have all their rules by the step of the literal.

    `literals` has all literals of a predicate. An atom of time s has its rules by step s-k if all
    heads have the time t+k.
    """
    heads = [each for each in literals[literal.key] if each.is_head and each.part != "base"]
    if not heads:
        return True
    for place, shift in enumerate(literal.all_shifts):
        known = [head.shift(place) for head in heads]
        if shift is not None and all(k is not None and shift <= k for k in known):
            return True
    return False


def _repetition(rule: TemporalRule) -> AST:
    """Return the constraint of the step before, for all steps but the first."""
    parameter = rule.parameter
    before: AST = Substitution({parameter: (parameter, -1)}).visit(rule.statement)
    guard = comparison(rule.statement, (parameter, 0), Op.GreaterThan, _FIRST)
    return before.update(body=[*before.body, guard])
