"""Checks of an instance against its encoding: every fact is read, and none is derived."""

from collections.abc import Collection, Iterable, Iterator

from asplan.catalog import ShippedFile
from asplan.clingo import Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, InputWarning
from asplan.core.facts import Facts, Predicate
from asplan.core.text import shortened
from asplan.domains import Domain
from asplan.problem.instance import quoted
from asplan.program import syntax
from asplan.program.reading.contract import CONTRACT
from asplan.program.reading.unit import QUERY, Section, Unit
from asplan.program.syntax import AST, ASTType, Signature

_MAX_WARNINGS = 5  # predicates that warnings about unread facts name


def unread_facts(
    domain: Domain | None,
    facts: Facts,
    encoding: Unit | None,
) -> tuple[InputWarning, ...]:
    """Return a warning for each predicate with facts that neither domain nor encoding reads."""
    if domain is None or facts.signatures() <= domain.vocabulary:
        return ()
    read = encoding.read if encoding else frozenset()
    unread: list[Predicate] = []
    for predicate in facts.groups:
        name, arity, _ = predicate
        if (name, arity) not in domain.vocabulary and _signature(predicate) not in read:
            unread.append(predicate)
    warnings = [_unread_warning(domain, facts, predicate) for predicate in unread[:_MAX_WARNINGS]]
    more = len(unread) - _MAX_WARNINGS
    if more > 0:
        warnings.append(InputWarning("unread-fact", f"and nothing reads {more} more predicates"))
    return tuple(warnings)


def _unread_warning(
    domain: Domain,
    facts: Facts,
    predicate: Predicate,
) -> InputWarning:
    name, arity, _ = predicate
    fact = facts.groups[predicate][0]
    vocabulary = ", ".join(f"{name}/{arity}" for name, arity in sorted(domain.vocabulary))
    text = (
        f"{shortened(str(fact), 100)}: nothing reads {shortened(name, 100)}/{arity}; "
        f"{domain.name} knows {vocabulary}"
    )
    return InputWarning("unread-fact", text, facts.at(fact))


def _signature(predicate: Predicate) -> Signature:
    name, arity, positive = predicate
    return "" if positive else "-", name, arity


def check_rules(
    instance: Unit,
    domain: Domain | None,
    entry: ShippedFile,
    encoding: Unit,
) -> None:
    """Raise `InputError` at a rule of an instance that reads an atom of the encoding.

    `entry` is the file of the encoding.
    """
    own = {("", *key) for key in domain.vocabulary} if domain else set()
    foreign = (instance.read & encoding.defined) - own
    if not foreign:
        return
    for statement in instance.statements:
        for atom in syntax.reads(statement):
            if syntax.signature(atom) in foreign:
                raise InputError(
                    f"{quoted(statement)}: this reads {quoted(atom)}, which {entry.name} derives",
                    at=syntax.location(statement),
                    hint="the facts of an instance must not depend on the encoding",
                )


def check_facts(
    facts: Facts,
    domain: Domain | None,
    entry: ShippedFile,
    encoding: Unit,
) -> None:
    """Raise `InputError` at a fact that an instance must not have.

    These are the facts that the encoding derives, and facts like `query(t)` that belong to
    encodings. `entry` is the file of the encoding.
    """
    vocabulary = domain.vocabulary if domain else frozenset()
    for fact in [*facts.named(CONTRACT, 1), *facts.named(QUERY[1], 1)]:
        key = syntax.predicate(fact)
        if key == QUERY or key not in encoding.defined:
            hint = "leave it out of the instance"
            raise facts.error("only an encoding may have this fact", fact, hint=hint)
    given = {_signature(predicate): group for predicate, group in facts.groups.items()}
    own = {("", name, arity) for name, arity in vocabulary}
    derived = encoding.defined - own
    for key, group in given.items():
        if key in derived:
            derivations = list(_derivations(encoding, key, given.keys() - {key}))
            for fact in group:
                _check_fact(facts, fact, entry, derivations)


@dataclass(frozen=True)
class _Derivation:
    """A statement that derives a predicate.

    `time_places` has the indices of the head's arguments that are t. It is empty if the statement
    may derive atoms at time 0.
    """

    statement: AST
    time_places: list[int]

    def allows(self, fact: Symbol) -> bool:
        """Return whether an instance may have a fact of this predicate, despite the statement.

        It may if the statement is the same fact, or if the fact has a time before 1.
        """
        if str(self.statement) == f"{fact}.":
            return True
        times = (fact.arguments[place] for place in self.time_places)
        return any(time.type == SymbolType.Number and time.number < 1 for time in times)


def _check_fact(
    facts: Facts,
    fact: Symbol,
    entry: ShippedFile,
    derivations: list[_Derivation],
) -> None:
    """Raise `InputError` if the encoding derives a fact.

    `derivations` are the statements that derive its predicate; `entry` is the file of the encoding.
    """
    for derivation in derivations:
        if not derivation.allows(fact):
            line = syntax.location(derivation.statement).line
            predicate = f"{fact.name}/{len(fact.arguments)}"
            raise facts.error(
                f"{entry.name} derives {predicate} itself, in line {line}",
                fact,
                hint="leave this fact out: an instance has no facts that its encoding derives",
            )


def _derivations(
    encoding: Unit,
    key: Signature,
    given: Iterable[Signature],
) -> Iterator[_Derivation]:
    """Yield the statements that derive a predicate; `given` are the other predicates with facts."""
    initial = _initial_predicates(encoding, given)
    plain = Section("base", "", tuple(encoding.expand_facts({key})))
    for section in (*encoding.sections, plain):
        for statement in section.statements:
            for head in syntax.heads(statement):
                if syntax.signature(head) != key:
                    continue
                places: list[int] = []
                if section.parameter and not _fires_initially(section, statement, initial):
                    places = _time_places(encoding, section, head)
                yield _Derivation(statement, places)


def _time_places(
    encoding: Unit,
    section: Section,
    head: AST,
) -> list[int]:
    """Return the indices of a head's arguments that are t.

    For a head outside of `step`, return an empty list if no rule of `step` reads its predicate at
    t-1.
    """
    terms = enumerate(syntax.arguments(head))
    places = [place for place, term in terms if syntax.is_now(term, section.parameter)]
    if section.part == "step" or _is_fluent(encoding, syntax.signature(head), places):
        return places
    return []


def _is_fluent(
    encoding: Unit,
    key: Signature,
    places: list[int],
) -> bool:
    """Return whether a step reads a predicate at t-1, in one of its time arguments."""
    for section in encoding.sections:
        if section.part != "step":
            continue
        for statement in section.statements:
            if _reads_before(statement, key, places, section.parameter):
                return True
    return False


def _reads_before(
    statement: AST,
    key: Signature,
    places: list[int],
    parameter: str,
) -> bool:
    """Return whether a statement reads an atom of a predicate with t-1 as one of its `places`.

    `parameter` is the name of t in the statement's part.
    """
    for atom in syntax.reads(statement):
        if syntax.signature(atom) == key:
            terms = syntax.arguments(atom)
            if any(syntax.is_before(terms[place], parameter) for place in places):
                return True
    return False


def _initial_predicates(
    encoding: Unit,
    given: Iterable[Signature],
) -> set[Signature]:
    """Return the predicates that may hold at time 0: given, or derived by `base` or `check(0)`."""
    initial = set(given)
    for facts in encoding.facts:
        initial |= facts.signatures
    checks: list[tuple[Section, AST]] = []
    for section in encoding.sections:
        for statement in section.statements:
            if section.part == "base":
                initial |= syntax.defined_in(statement)
            elif section.part == "check":
                checks.append((section, statement))
    is_growing = True
    while is_growing:
        is_growing = False
        for section, statement in checks:
            defined = syntax.defined_in(statement)
            if not defined <= initial and _fires_initially(section, statement, initial):
                initial |= defined
                is_growing = True
    return initial


def _fires_initially(
    section: Section,
    statement: AST,
    initial: Collection[Signature],
) -> bool:
    """Return whether a rule of `check` surely derives something at time 0.

    Choices do not; nor do rules with comparisons of t, or with atoms that need not hold at time 0.
    """
    if section.part != "check" or statement.ast_type != ASTType.Rule or syntax.is_choice(statement):
        return False
    literals = [literal for literal in statement.body if literal.ast_type == ASTType.Literal]
    comparisons = [each for each in literals if each.atom.ast_type == ASTType.Comparison]
    if section.parameter in syntax.constants(comparisons):
        return False
    positive = [literal for literal in literals if syntax.is_literal(literal)]
    return all(_may_hold_initially(each, initial, section.parameter) for each in positive)


def _may_hold_initially(
    literal: AST,
    initial: Collection[Signature],
    parameter: str,
) -> bool:
    """Return whether a literal has an atom of an `initial` predicate that is not of time t-1."""
    for atom in syntax.atoms(literal):
        if syntax.signature(atom) in initial:
            terms = syntax.arguments(atom)
            if not any(syntax.is_before(term, parameter) for term in terms):
                return True
    return False
