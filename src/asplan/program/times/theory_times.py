"""Ordinary rules over the variables of theory atoms, in which the time analysis finds times.

The theory variable `pos(X,T)` becomes the atom `asplan__of_pos(X,T)`.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from asplan.program import syntax
from asplan.program.syntax import AST, ASTType
from asplan.program.theory import theory_atoms

VARIABLE = "asplan__of_"
"""The prefix of predicates that represent variables of a theory."""

_SHIFTED = re.compile(r"^(\w+)=\(?\w+([-+])\d+\)?$")


def as_rules(statements: Iterable[AST]) -> str:
    """Return the text of ordinary rules with atoms in place of theory variables.

    If a theory atom relates variables, a rule derives the atom of one of them from the atoms of the
    others. The time analysis then finds the times of the variables in these rules.
    """
    lines = list[str]()
    for statement in statements:
        atoms = theory_atoms(statement)
        if atoms:
            lines.extend(_rules_of(statement, atoms))
    return "\n".join(lines)


def _rules_of(rule: AST, theory: Collection[AST]) -> Iterator[str]:
    """Yield the ordinary rules that replace `rule`; `theory` are its theory atoms."""
    heads = list[str]()
    body = list[str]()
    for atom in theory:
        variables = _variables_of(atom)
        if atom == rule.head:
            heads = _derived(variables, _signs_of(rule))
        body += [text for text in variables if text not in heads]
        for element in atom.elements:
            body += map(str, element.condition)
    if not heads and not body:
        return
    body += [str(each) for each in rule.body if getattr(each, "atom", each) not in theory]
    for head in heads or [""]:
        yield f"{head} :- {', '.join(body)}."


def _variables_of(atom: AST) -> list[str]:
    """Return the theory variables in a theory atom, as the text of ordinary atoms."""
    functions = syntax.find(ASTType.TheoryFunction, [atom])
    named = [each for each in functions if each.name[:1].isalpha()]
    return [f"{VARIABLE}{each}" for each in named if each.arguments]


def _derived(variables: list[str], signs: Mapping[str, str]) -> list[str]:
    """Return the theory variables of a head that have the latest time in the head.

    `variables` are the texts of the head's theory variables. `signs` maps variables that the body
    defines as shifted times to the sign of the shift: S to + for `S = T+1`.
    """
    present = [text for text in variables if not _has_shift(text, "-", signs)]
    following = [text for text in present if _has_shift(text, "+", signs)]
    return following or present


def _signs_of(rule: AST) -> dict[str, str]:
    """Map each variable that the body defines with a shift, as `S = T-1`, to the shift's sign."""
    signs = dict[str, str]()
    for literal in rule.body:
        match = _SHIFTED.match(str(literal).replace(" ", ""))
        if match is not None:
            signs[match[1]] = match[2]
    return signs


def _has_shift(text: str, sign: str, signs: Mapping[str, str]) -> bool:
    """Return whether a text has a time with a number added (`sign` is +) or subtracted (-).

    The text may contain the sum itself, as in `T - 1`, or a variable that has the sign in `signs`.
    """
    names = [rf"\b{name}\b" for name, shift in signs.items() if shift == sign]
    return re.search("|".join([rf"[A-Z]\w* \{sign} \d", *names]), text) is not None
