"""The times of theory variables, as rules in which they are atoms."""

import re
from collections.abc import Iterable, Mapping

from asplan.program import syntax
from asplan.program.syntax import AST, ASTType
from asplan.program.theory import theory_atoms

VARIABLE = "asplan__of_"  # how atoms begin that stand for variables of a theory


def as_rules(statements: Iterable[AST]) -> str:
    """Return rules with the variables of a theory as atoms, so that their times can be found."""
    rules = list[str]()
    for rule in statements:
        found, read, heads = theory_atoms(rule), list[str](), list[str]()
        body = [str(each).replace(" ", "") for each in (rule.body if found else ())]
        by = {
            n: sign for each in body for n, sign in re.findall(r"^(\w+)=\(?\w+([-+])\d+\)?$", each)
        }
        for atom in found:
            named = (f for f in syntax.find(ASTType.TheoryFunction, [atom]) if f.arguments)
            texts = [f"{VARIABLE}{f}" for f in named if f.name[:1].isalpha()]
            if atom == rule.head:
                now = [text for text in texts if not _is_beside("-", text, by)]
                heads = [text for text in now if _is_beside("+", text, by)] or now
            read += [text for text in texts if text not in heads]
            read += [str(each) for element in atom.elements for each in element.condition]
        if heads or read:
            read += [str(each) for each in rule.body if getattr(each, "atom", each) not in found]
        rules += [f"{head} :- {', '.join(read)}." for head in heads or ([""] if read else [])]
    return "\n".join(rules)


def _is_beside(sign: str, text: str, by: Mapping[str, str]) -> bool:
    """Return whether a term has a time before (`-`) or after (`+`) another, as `T - 1` or as `S`.

    `by` has the signs of variables as in `S = T-1`.
    """
    names = [rf"\b{name}\b" for name, its in by.items() if its == sign]
    return re.search("|".join([rf"[A-Z]\w* \{sign} \d", *names]), text) is not None
