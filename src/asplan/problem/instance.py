"""What an instance may hold: facts, not too many, and none that its encoding derives."""

from collections.abc import Collection, Iterable, Iterator
from math import prod
from random import Random

from clingo import Function, Symbol, SymbolType

from asplan.core.errors import InputError, InputWarning
from asplan.core.facts import Facts
from asplan.core.text import shortened
from asplan.domains import Domain
from asplan.problem.catalog import Entry
from asplan.program import syntax
from asplan.program.contract import SAYS
from asplan.program.ground import FACTS_ONLY
from asplan.program.scan import PlainFacts
from asplan.program.syntax import AST, ASTType, Sign, Signature
from asplan.program.theory import package_of, theory_atoms
from asplan.program.unit import QUERY, Section, Unit

MOST = 100_000_000  # facts of one statement: clingo takes 150 bytes for each, twice

_NO_FACTS = {
    ASTType.Minimize: "an objective",
    ASTType.External: "an external",
    ASTType.Edge: "an edge",
    ASTType.Script: "a script",
}

_WARNINGS = 5  # predicates that nothing reads and that are named


def shuffle_facts(facts: Iterable[str], order: int, file: str) -> Unit:
    """The unit of some facts, each with its dot, in the order that a number draws of the set."""
    lines = sorted(facts)
    Random(order).shuffle(lines)
    return Unit((), (PlainFacts(file, "\n".join(lines) + "\n"),))


def _quoted(node: AST) -> str:
    """Return a statement or a term as a person would write it."""
    from asplan.program.wording import plain_text

    return plain_text(node)


def refuse_amounts(statements: Iterable[AST]) -> None:
    """Raise `InputError` at a fact such as `grid(1..40000,1..40000).`, which is too many facts."""
    for rule in statements:
        if rule.ast_type != ASTType.Rule or rule.body or rule.head.ast_type != ASTType.Literal:
            continue
        for atom in syntax.atoms(rule.head):
            if (count := prod(map(_amount, syntax.arguments(atom)))) > MOST:
                what = f"{_quoted(atom)} is {count} facts, and one statement may be {MOST}"
                hint = "name fewer things, or say by a rule of an encoding what there is"
                raise InputError(what, at=syntax.location(rule), hint=hint)


def _amount(term: AST) -> int:
    """How many values an argument has, where it is an interval between two numbers; else 1."""
    if term.ast_type != ASTType.Interval:
        return 1
    low, high = syntax.number_of(term.left), syntax.number_of(term.right)
    return 1 if low is None or high is None else max(0, high - low + 1)


def refuse_guesses(unit: Unit) -> None:
    """Raise `InputError` at the first statement of an instance that is more than facts."""
    for statement in unit.statements:
        kind = "a theory atom" if theory_atoms(statement) else _NO_FACTS.get(statement.ast_type)
        if statement.ast_type == ASTType.Rule and statement.head.ast_type == ASTType.Literal:
            head = statement.head
            if head.atom.ast_type == ASTType.BooleanConstant or head.sign != Sign.NoSign:
                kind = "a constraint"
        if kind:
            what = f"{kind} in an instance: {_quoted(statement)}"
            raise InputError(what, at=syntax.location(statement), hint=FACTS_ONLY)


def may_guess(statement: AST) -> bool:
    """Whether a statement of a file without parts is one of a program rather than a fact."""
    return syntax.is_choice(statement) or is_constraint(statement) or bool(theory_atoms(statement))


def is_constraint(statement: AST) -> bool:
    """Whether a statement derives nothing and forbids something."""
    return statement.ast_type == ASTType.Rule and str(statement.head) == "#false"


def refuse_other_kinds(unit: Unit, known: Iterable[Collection[tuple[str, int]]]) -> None:
    """Raise `InputError` where a file without parts is no instance but a program of another kind.

    `known` are the predicates of each domain: what gives all of one is meant as an instance.
    """
    package = package_of(unit.suspects)
    rules = unit.of_kind(ASTType.Rule)
    if rules and all(map(is_constraint, rules)) and not unit.defined:
        what = "constraints alone, so nothing in it happens"
        hint = "name the file with the facts and the choices, too"
        raise InputError(what, at=syntax.location(rules[0]), hint=hint)
    guesses = [s for s in unit.statements if theory_atoms(s)]
    guesses += [s for s in unit.statements if syntax.is_choice(s) or s.ast_type in _NO_FACTS]
    if not guesses and any(map(is_constraint, rules)):  # a :- not b. b :- not a.
        from asplan.program.sorts import sorts_of

        opened = sorts_of(unit).open
        guesses = [
            s for s in rules if not opened.isdisjoint(map(syntax.signature, syntax.heads(s)))
        ]
    if not guesses:
        return
    given = {syntax.signature(a)[1:] for s in rules if not s.body for a in syntax.heads(s)}
    given.update(key[1:] for facts in unit.facts for key in facts.signatures)
    from asplan.program.inputs import missing_instance

    if error := missing_instance(unit):
        raise error
    if package or not any(given.issuperset(keys) for keys in known):
        raise InputError(
            "no steps that lead on from a first time, so nothing in it is a plan",
            at=syntax.location(guesses[0]),
            hint=f"{package.tool if package else 'clingo'} solves it; if it plans, "
            "--horizon-constant names its end, or asplan plans with the parts base, step(t) "
            "and check(t)",
        )


def refuse_constants(unit: Unit, taken: frozenset[str], owner: str) -> None:
    """Raise `InputError` where an instance defines a constant that is somebody else's."""
    for statement in unit.statements:
        if statement.ast_type == ASTType.Definition and statement.name in taken:
            what = f"{statement} in an instance: {statement.name} is a constant of {owner}"
            hint = f"set it with -c {statement.name}=…"
            raise InputError(what, at=syntax.location(statement), hint=hint)


def refuse_names(unit: Unit, taken: frozenset[str], owner: str) -> None:
    """Refuse the name of somebody's constant for a thing, which would silently get its value."""
    if syntax.constants(unit.statements).isdisjoint(taken) and not any(
        facts.mentions(taken) for facts in unit.facts
    ):
        return
    said = [(str(s), syntax.location(s), syntax.constants([s])) for s in unit.statements]
    for facts in unit.facts:
        said += [(f"{fact}.", place, _names(fact)) for fact, place in facts.places({})]
    for text, place, names in said:
        if named := sorted(names & taken):
            what = f"{text} in an instance: {named[0]} is a constant of {owner}"
            raise InputError(what, at=place, hint="give the thing another name")


def _names(symbol: Symbol) -> set[str]:
    """The names in the arguments of a fact that might be those of constants."""
    if symbol.type != SymbolType.Function:
        return set()
    plain = {a.name for a in symbol.arguments if a.type == SymbolType.Function and not a.arguments}
    return plain.union(*map(_names, symbol.arguments))


def refuse_negated(facts: Facts, domain: Domain | None) -> None:
    """Raise `InputError` at a fact that says what is not, where that means nothing or too much."""
    for fact in facts.denied():
        opposite = Function(fact.name, fact.arguments)
        if opposite in facts:
            raise facts.error(f"the instance says {opposite} as well", fact)
        if domain and (fact.name, len(fact.arguments)) in domain.vocabulary:
            raise facts.error(f"an instance of {domain.name} says what is, not what is not", fact)


def refuse_arities(facts: Facts, domain: Domain) -> None:
    """Raise `InputError` at a fact with another number of arguments than its domain knows."""
    known = dict(domain.vocabulary)
    for name, arity, positive in facts.groups:
        if name in known and (name, arity) not in domain.vocabulary:
            fact = facts.groups[name, arity, positive][0]
            raise facts.error(f"{domain.name} knows {name}/{known[name]}, not {name}/{arity}", fact)


def unread(domain: Domain | None, facts: Facts, encoding: Unit | None) -> tuple[InputWarning, ...]:
    """A warning for each predicate that the domain does not know and nothing reads."""
    if domain is None or facts.signatures() <= domain.vocabulary:
        return ()
    read = encoding.read if encoding else frozenset()
    strange = [
        (name, arity, facts.groups[name, arity, positive][0])
        for name, arity, positive in facts.groups
        if (name, arity) not in domain.vocabulary
        and ("" if positive else "-", name, arity) not in read
    ]
    known = ", ".join(f"{name}/{arity}" for name, arity in sorted(domain.vocabulary))
    warnings = [
        InputWarning(
            "unread-fact",
            f"{shortened(str(fact), 100)}: nothing reads {shortened(name, 100)}/{arity}; "
            f"{domain.name} knows {known}",
            facts.at(fact),
        )
        for name, arity, fact in strange[:_WARNINGS]
    ]
    if (more := len(strange) - _WARNINGS) > 0:
        warnings.append(InputWarning("unread-fact", f"and nothing reads {more} more predicates"))
    return tuple(warnings)


def check_rules(instance: Unit, domain: Domain | None, entry: Entry, encoding: Unit) -> None:
    """Refuse a rule of an instance that reads what an encoding derives: it depends on none."""
    known = {("", *key) for key in domain.vocabulary} if domain else set()
    if not (read := (instance.read & encoding.defined) - known):
        return
    for statement in instance.statements:
        for atom in syntax.reads(statement):
            if syntax.signature(atom) in read:
                read_here = f"this reads {_quoted(atom)}, which {entry.name} derives"
                what = f"{_quoted(statement)}: {read_here}"
                hint = "the facts of an instance do not depend on the encoding"
                raise InputError(what, at=syntax.location(statement), hint=hint)


def check_instance(facts: Facts, domain: Domain | None, entry: Entry, encoding: Unit) -> None:
    """Refuse a fact that the encoding derives itself, or that is asplan's to hear."""
    known = domain.vocabulary if domain else frozenset()
    for fact in [*facts.named(SAYS, 1), *facts.named(QUERY[1], 1)]:
        if syntax.predicate(fact) == QUERY or syntax.predicate(fact) not in encoding.defined:
            hint = "leave it out of the instance"
            raise facts.error("only an encoding says that", fact, hint=hint)
    given = [("" if positive else "-", name, arity) for name, arity, positive in facts.groups]
    for key in given:
        if key in encoding.defined and (key[0] or key[1:] not in known):
            rules = list(_deriving(encoding, key, set(given) - {key}))
            for fact in facts.groups[key[1], key[2], not key[0]]:
                for statement, places in rules:
                    if not _is_at_start(fact, places) and str(statement) != f"{fact}.":
                        line = syntax.location(statement).line
                        raise facts.error(
                            f"{entry.name} derives {fact.name}/{key[2]} itself, in line {line}",
                            fact,
                            hint="an instance gives what its encoding reads, not what it derives: "
                            "leave this fact out",
                        )


def _deriving(
    encoding: Unit, key: Signature, given: Iterable[Signature]
) -> Iterator[tuple[AST, list[int]]]:
    """The statements that derive a predicate, each with the arguments that are t, 1 or more."""
    held = _held_at_first(encoding, given)
    written = Section("base", "", tuple(encoding.expand_facts({key})))
    for section in (*encoding.sections, written):
        for statement in section.statements:
            for head in (head for head in syntax.heads(statement) if syntax.signature(head) == key):
                places: list[int] = []
                if section.parameter and not _fires_at_first(section, statement, held):
                    terms = enumerate(syntax.arguments(head))
                    places = [i for i, term in terms if syntax.is_now(term, section.parameter)]
                    if section.part != "step" and not _is_state(encoding, key, places):
                        places = []
                yield statement, places


def _is_at_start(fact: Symbol, places: Iterable[int]) -> bool:
    """Whether a fact speaks of a time before 1, at one of the places where a head speaks of t."""
    times = (fact.arguments[place] for place in places)
    return any(time.type == SymbolType.Number and time.number < 1 for time in times)


def _is_state(encoding: Unit, key: Signature, places: list[int]) -> bool:
    return any(
        syntax.is_before(syntax.arguments(atom)[place], section.parameter)
        for section in encoding.sections
        if section.part == "step"
        for statement in section.statements
        for atom in syntax.reads(statement)
        if syntax.signature(atom) == key
        for place in places
    )


def _held_at_first(encoding: Unit, given: Iterable[Signature]) -> set[Signature]:
    """The predicates that may hold at time 0: those given, and those of `base` and `check(0)`."""
    held = set(given).union(*(facts.signatures for facts in encoding.facts))
    rules = [
        (section, statement, {syntax.signature(head) for head in syntax.heads(statement)})
        for section in encoding.sections
        for statement in section.statements
    ]
    held.update(*(defined for section, _, defined in rules if section.part == "base"))
    while fresh := [
        defined
        for section, statement, defined in rules
        if not defined <= held and _fires_at_first(section, statement, held)
    ]:
        held.update(*fresh)
    return held


def _fires_at_first(section: Section, statement: AST, held: Collection[Signature]) -> bool:
    """Whether a rule of `check` is seen to derive something at time 0 that it does not choose."""
    if section.part != "check" or statement.ast_type != ASTType.Rule or syntax.is_choice(statement):
        return False
    literals = [literal for literal in statement.body if literal.ast_type == ASTType.Literal]
    compared = [each for each in literals if each.atom.ast_type == ASTType.Comparison]
    return section.parameter not in syntax.constants(compared) and all(
        any(
            syntax.signature(atom) in held
            and not any(
                syntax.is_before(term, section.parameter) for term in syntax.arguments(atom)
            )
            for atom in syntax.atoms(literal)
        )
        for literal in literals
        if syntax.is_literal(literal)
    )
