"""What an instance may hold: facts, and none that its encoding derives."""

from __future__ import annotations

from collections.abc import Iterator

from clingo import Symbol, SymbolType
from clingo.ast import AST, ASTType, Sign

from asplan.catalog import Entry
from asplan.domains import Domain
from asplan.errors import InputError
from asplan.facts import Facts
from asplan.program.grounded import FACTS_ONLY
from asplan.program.syntax import Signature, arguments, heads, is_now, location, signature
from asplan.program.unit import Section, Unit

_NO_FACTS = {
    ASTType.Minimize: "an objective",
    ASTType.External: "an external",
    ASTType.Edge: "an edge",
}


def refuse_guesses(unit: Unit) -> None:
    """Raise `InputError` at the first statement of an instance that is more than facts.

    What only grounding shows (that a rule's head is no fact) is found there.
    """
    for statement in unit.statements:
        kind = _NO_FACTS.get(statement.ast_type)
        if _is_constraint(statement):
            kind = "a constraint"
        if kind:
            raise InputError(
                f"{kind} in an instance: {statement}", at=location(statement), mend=FACTS_ONLY
            )


def _is_constraint(statement: AST) -> bool:
    if statement.ast_type != ASTType.Rule or statement.head.ast_type != ASTType.Literal:
        return False
    head = statement.head
    return bool(head.atom.ast_type == ASTType.BooleanConstant or head.sign != Sign.NoSign)


def check_instance(facts: Facts, domain: Domain | None, entry: Entry, encoding: Unit) -> None:
    """Raise `InputError` at a fact that the encoding derives itself.

    What the domain's vocabulary knows is the instance's to say, and so is a predicate that the
    encoding derives only for later times.
    """
    known = domain.vocabulary if domain else frozenset()
    own = encoding.defined & {_signature(fact) for fact in facts} - {("", *key) for key in known}
    if not own:
        return
    for fact in facts:
        if _signature(fact) not in own:
            continue
        for section, head, statement in _heads_of(encoding, _signature(fact)):
            if str(statement) != f"{fact}." and not _is_later(section, head, fact):
                place = location(statement)
                raise facts.error(
                    f"{entry.name} derives {fact.name}/{len(fact.arguments)} itself, in line "
                    f"{place.line}",
                    fact,
                    mend="an instance gives what its encoding reads, not what it derives: "
                    "leave this fact out",
                )


def _heads_of(encoding: Unit, key: Signature) -> Iterator[tuple[Section, AST, AST]]:
    for section in encoding.sections:
        for statement in section.statements:
            for head in heads(statement):
                if signature(head) == key:
                    yield section, head, statement


def _is_later(section: Section, head: AST, fact: Symbol) -> bool:
    """Whether a head of a timed part speaks of t, which is 1 or more, and a fact of before."""
    if not section.parameter:
        return False
    times = (
        argument
        for term, argument in zip(arguments(head), fact.arguments, strict=True)
        if is_now(term, section.parameter)
    )
    return any(time.type == SymbolType.Number and time.number < 1 for time in times)


def _signature(fact: Symbol) -> Signature:
    return "" if fact.positive else "-", fact.name, len(fact.arguments)


def unread(domain: Domain | None, facts: Facts, encoding: Unit | None) -> tuple[str, ...]:
    """A warning for each predicate that the domain does not know and nothing reads."""
    if domain is None or facts.signatures() <= domain.vocabulary:
        return ()
    read = encoding.read if encoding else frozenset()
    strange: dict[Signature, Symbol] = {}
    for fact in facts:
        key = _signature(fact)
        if key[1:] not in domain.vocabulary and key not in read:
            strange.setdefault(key, fact)
    known = ", ".join(f"{name}/{arity}" for name, arity in sorted(domain.vocabulary))
    return tuple(
        f"{facts.at(fact)}: {fact}: nothing reads {name}/{arity}; {domain.name} knows {known}"
        for (_, name, arity), fact in strange.items()
    )
