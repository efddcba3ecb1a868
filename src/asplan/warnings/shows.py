"""A check of `#show`: whether it leaves out some of the actions that it is to show."""

from __future__ import annotations

from collections.abc import Iterator

from asplan.core.warning import InputWarning
from asplan.program.syntax import ASTType, Sign, location
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import Clauses, spelled


def find_hidden(program: Clauses) -> Iterator[InputWarning]:
    """Terms that are shown instead of atoms, and actions hidden beside others of their choice."""
    choices = [c for c in program.rules if c.is_choice and c.part == "step"]
    chosen = {head.key[1]: head.key for clause in choices for head in clause.heads}
    named = {name for _, name, _ in program.shown}
    for show in program.of_kind(ASTType.ShowTerm):
        if not show.body and (key := chosen.get(str(show.term))):
            named.add(key[1])
            text = f"#show {key[1]}. shows the mere name, not the atoms"
            yield make_warning("hidden-actions", text, location(show), f"#show {spelled(key)}.")
    follows = set(program.shown) | program.behind(list(program.shown))
    terms = [c for c in program.clauses if c.statement.ast_type == ASTType.ShowTerm]
    follows |= {use.key for clause in terms for use in clause.reads}
    effects = {
        use.key
        for clause in program.rules
        for use in clause.reads
        if not clause.is_choice and use.sign == Sign.NoSign
    }
    for clause in choices:
        keys = {head.key for head in clause.heads} & program.places.keys()
        hidden = sorted(k for k in (keys & effects) - follows if k[1] not in named)
        if keys & set(program.shown) and hidden:
            names = " and ".join(map(spelled, hidden))
            text = f"#show hides {names}, which a step may choose as well"
            yield make_warning("hidden-actions", text, clause.at, f"#show {spelled(hidden[0])}.")
