"""The violations of constraints in an answer set, with the rules that explain their atoms."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from asplan.clingo import Symbol
from asplan.core.dataclass import dataclass
from asplan.explaining.explanation import Nearest, Violation
from asplan.explaining.instances import Answered
from asplan.explaining.nearest import find_causes
from asplan.explaining.patterns import Pattern, Values
from asplan.explaining.question import Question
from asplan.program import syntax
from asplan.program.syntax import Sign


@dataclass(frozen=True)
class _ReadAtom:
    """An atom that a violated constraint reads; `is_true` is set if the atom is true."""

    pattern: Pattern
    is_true: bool


def with_causes(answer: Answered) -> tuple[Violation, ...]:
    """Return the violated constraints of an answer set, with the rules that explain their atoms."""
    violations = answer.question.violations(answer.symbols)
    read = {witness: _atoms_in(answer.question, witness) for witness in violations}
    patterns = [atom.pattern for atom in chain.from_iterable(read.values())]
    causes = find_causes(answer, patterns)
    explained: list[Violation] = []
    for witness, violation in violations.items():
        because = tuple(_notable(causes, read[witness]))
        explained.append(replace(violation, because=because))
    return tuple(explained)


def _atoms_in(
    question: Question,
    witness: Symbol,
) -> list[_ReadAtom]:
    """Return the atoms of a violated constraint, false ones first.

    Atoms with unknown arguments are left out.
    """
    number, time, values = witness.arguments
    constraint = question.constraints[number.number]
    if constraint.rule.bound:
        return []  # the number of chosen elements counts, not which
    by_name = dict(zip(constraint.variables, values.arguments, strict=True))
    constant = question.solver.control.get_const
    substitution = Values(by_name, constraint.parameter, time, constant)
    read: list[_ReadAtom] = []
    for literal in constraint.body:
        if not syntax.is_literal(literal, sign=None):
            continue
        for atom in syntax.atoms(literal):
            pattern = substitution.pattern(atom)
            if None not in pattern.arguments:
                read.append(_ReadAtom(pattern, literal.sign == Sign.NoSign))
    return sorted(read, key=lambda atom: atom.is_true)


def _notable(
    causes: dict[Pattern, Nearest],
    atoms: Iterable[_ReadAtom],
) -> Iterator[Nearest]:
    """Yield the nearest rules of a constraint's atoms, except for facts and chosen atoms.

    `causes` has the nearest rule of each atom.
    """
    for atom in atoms:
        nearest = causes.get(atom.pattern)
        if nearest is None:
            continue
        if nearest.rule is None:
            if not atom.is_true:
                yield nearest
        elif nearest.literal is not None or not nearest.rule.choice:
            yield nearest
