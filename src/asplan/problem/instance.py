"""Checks of an instance: it has facts only, not too many, and facts that its domain accepts."""

from collections.abc import Collection, Iterable, Iterator
from math import prod
from random import Random

from asplan.clingo import Function, Symbol, SymbolType
from asplan.core.errors import InputError, Location
from asplan.core.facts import Facts
from asplan.domains import Domain
from asplan.program import syntax
from asplan.program.ground import FACTS_ONLY
from asplan.program.reading.plain_facts import PlainFacts
from asplan.program.reading.unit import Unit
from asplan.program.syntax import AST, ASTType, Sign
from asplan.program.theory import package_of, theory_atoms

MAX_FACTS = 100_000_000  # facts of one statement: clingo takes 150 bytes for each, twice

_KINDS = {
    ASTType.Minimize: "an objective",
    ASTType.External: "an external",
    ASTType.Edge: "an edge",
    ASTType.Script: "a script",
}
"""Statements that an instance must not have, with a noun for messages."""


def shuffle_facts(
    facts: Iterable[str],
    order: int,
    file: str,
) -> Unit:
    """Return a unit with `facts`, texts that end with a dot, shuffled with the seed `order`.

    `file` is the file that locations name.
    """
    lines = sorted(facts)
    Random(order).shuffle(lines)
    return Unit((), (PlainFacts(file, "\n".join(lines) + "\n"),))


def quoted(node: AST) -> str:
    """Return a statement or a term as a person would write it."""
    from asplan.program.syntax.wording import plain_text

    return plain_text(node)


def refuse_large_facts(statements: Iterable[AST]) -> None:
    """Raise `InputError` at a statement with too many facts, such as `grid(1..40000,1..40000).`."""
    for statement in statements:
        if not _is_fact(statement):
            continue
        for atom in syntax.atoms(statement.head):
            count = prod(map(_value_count, syntax.arguments(atom)))
            if count > MAX_FACTS:
                raise InputError(
                    f"{quoted(atom)} stands for {count} facts; one statement may stand for at most "
                    f"{MAX_FACTS}",
                    at=syntax.location(statement),
                    hint="name fewer things, or derive them by a rule of an encoding",
                )


def _is_fact(statement: AST) -> bool:
    """Return whether a statement is a fact, with intervals or without."""
    if statement.ast_type != ASTType.Rule or statement.body:
        return False
    return bool(statement.head.ast_type == ASTType.Literal)


def _value_count(term: AST) -> int:
    """Return the number of values of an interval between two numbers; 1 for other terms."""
    if term.ast_type != ASTType.Interval:
        return 1
    low = syntax.number_of(term.left)
    high = syntax.number_of(term.right)
    return 1 if low is None or high is None else max(0, high - low + 1)


def refuse_guesses(unit: Unit) -> None:
    """Raise `InputError` at the first statement of an instance that is not made of facts."""
    for statement in unit.statements:
        kind = _kind_of_guess(statement)
        if kind:
            message = f"{kind} in an instance: {quoted(statement)}"
            raise InputError(message, at=syntax.location(statement), hint=FACTS_ONLY)


def _kind_of_guess(statement: AST) -> str:
    """Return a noun for a statement that an instance must not have; empty if it may have it."""
    if statement.ast_type == ASTType.Rule and statement.head.ast_type == ASTType.Literal:
        head = statement.head
        if head.atom.ast_type == ASTType.BooleanConstant or head.sign != Sign.NoSign:
            return "a constraint"
    if theory_atoms(statement):
        return "a theory atom"
    return _KINDS.get(statement.ast_type, "")


def has_guesses(unit: Unit) -> bool:
    """Return whether a unit has choices, constraints or theory atoms, so it is no instance."""
    return any(map(_is_guess, unit.statements))


def _is_guess(statement: AST) -> bool:
    return (
        syntax.is_choice(statement)
        or syntax.is_constraint(statement)
        or bool(theory_atoms(statement))
    )


def refuse_other_kinds(
    unit: Unit,
    vocabularies: Iterable[Collection[tuple[str, int]]],
) -> None:
    """Raise `InputError` if a file without parts is a program that does not plan.

    A file with facts for all predicates of a domain is no such program, but an instance.
    `vocabularies` has the predicates of each domain. The gaps of a worksheet are named.
    """
    rules = unit.of_kind(ASTType.Rule)
    if rules and all(map(syntax.is_constraint, rules)) and not unit.defined:
        message = "the program has only constraints, so nothing can happen"
        hint = "add the file with the facts and the choices"
        raise InputError(message, at=syntax.location(rules[0]), hint=hint)
    guesses = _guesses(unit)
    if not guesses:
        return
    from asplan.program.roles.inputs import missing_instance

    error = missing_instance(unit)
    if error is not None:
        raise error
    package = package_of(unit.suspects)
    given = _fact_predicates(unit)
    if package is None and any(given.issuperset(predicates) for predicates in vocabularies):
        return
    from asplan.problem.gaps import refuse_gaps

    at = syntax.location(guesses[0])
    refuse_gaps(at.file)
    tool = package.tool if package else "clingo"
    raise InputError(
        "no rule leads from one time to the next, so the program has no plans",
        at=at,
        hint=f"solve it with {tool}; if it plans, name its last time with --horizon-constant, or "
        "divide it into base, step(t) and check(t)",
    )


def _guesses(unit: Unit) -> list[AST]:
    """Return the statements of a unit that no instance has: choices, objectives and the like.

    If there are none and the unit has constraints, return the rules of even loops through `not`,
    which choose as well.
    """
    guesses = [s for s in unit.statements if theory_atoms(s)]
    guesses += [s for s in unit.statements if syntax.is_choice(s) or s.ast_type in _KINDS]
    rules = unit.of_kind(ASTType.Rule)
    if guesses or not any(map(syntax.is_constraint, rules)):
        return guesses
    # Even loops guess as well: a :- not b. b :- not a.
    from asplan.program.model.sorts import sorts_of

    opened = sorts_of(unit).open
    return [rule for rule in rules if not opened.isdisjoint(syntax.defined_in(rule))]


def _fact_predicates(unit: Unit) -> set[tuple[str, int]]:
    """Return name and arity of the predicates with facts."""
    predicates: set[tuple[str, int]] = set()
    for rule in unit.of_kind(ASTType.Rule):
        if not rule.body:
            predicates.update((name, arity) for _, name, arity in syntax.defined_in(rule))
    for facts in unit.facts:
        predicates.update((name, arity) for _, name, arity in facts.signatures)
    return predicates


def refuse_constants(
    unit: Unit,
    taken: frozenset[str],
    owner: str,
) -> None:
    """Raise `InputError` if an instance defines a constant of its domain or its encoding.

    `taken` are their constants; `owner` names the domain or the encoding in the message.
    """
    for statement in unit.statements:
        if statement.ast_type == ASTType.Definition and statement.name in taken:
            message = f"{statement} in an instance: {statement.name} is a constant of {owner}"
            hint = f"set it with -c {statement.name}=…"
            raise InputError(message, at=syntax.location(statement), hint=hint)


def refuse_names(
    unit: Unit,
    taken: frozenset[str],
    owner: str,
) -> None:
    """Raise `InputError` if an object has the name of a constant, whose value would replace it.

    `taken` are the constants of the domain or the encoding, which `owner` names in the message.
    """
    used = syntax.constants(unit.statements)
    if used.isdisjoint(taken) and not any(facts.mentions(taken) for facts in unit.facts):
        return
    for text, place, names in _named_constants(unit):
        if clashes := sorted(names & taken):
            message = f"{text} in an instance: {clashes[0]} is a constant of {owner}"
            raise InputError(message, at=place, hint="rename it in the instance")


def _named_constants(unit: Unit) -> Iterator[tuple[str, Location, set[str]]]:
    """Yield each statement as text, with its location and the names that may be constants."""
    for statement in unit.statements:
        yield str(statement), syntax.location(statement), syntax.constants([statement])
    for facts in unit.facts:
        for fact, place in facts.places({}):
            yield f"{fact}.", place, _names(fact)


def _names(symbol: Symbol) -> set[str]:
    """Return the names in the arguments of a fact that may be constants."""
    names: set[str] = set()
    if symbol.type != SymbolType.Function:
        return names
    for argument in symbol.arguments:
        if argument.type == SymbolType.Function and not argument.arguments:
            names.add(argument.name)
        names |= _names(argument)
    return names


def refuse_negated(
    facts: Facts,
    domain: Domain | None,
) -> None:
    """Raise `InputError` at a classically negated fact that is contradictory or meaningless."""
    for fact in facts.negated():
        opposite = Function(fact.name, fact.arguments)
        if opposite in facts:
            raise facts.error(f"the instance has the fact {opposite} as well", fact)
        if domain and (fact.name, len(fact.arguments)) in domain.vocabulary:
            raise facts.error(f"an instance of {domain.name} has no negated facts", fact)


def refuse_arities(
    facts: Facts,
    domain: Domain,
) -> None:
    """Raise `InputError` at a fact whose predicate has another arity in its domain."""
    arities = dict(domain.vocabulary)
    for name, arity, positive in facts.groups:
        if name in arities and (name, arity) not in domain.vocabulary:
            fact = facts.groups[name, arity, positive][0]
            message = f"{name} has {arities[name]} arguments in {domain.name}, not {arity}"
            raise facts.error(message, fact)
