"""The conversion of single-shot programs to incremental ones, with equal answers at each horizon.

Step t belongs to the value `origin + t` of the constant that bounds the time. A rule instance
*settles* at the least horizon from which it stays the same (see `settling`). Instances that settle
at the horizon of step t are put into `step(t)`, or into `base` if they settle at the origin.
Instances that may still change, and *late* rules, whose instances never settle, are put into
`check(t)` under `query(t)`. There they derive atoms of their own. With `time(0..n)`

    { go(T) } :- time(T), T < n.    at(X+1,T+1) :- at(X,T), go(T).    won :- at(3,T).    :- not won.

becomes

    #program step(t).     { go(t-1) }.      at(X+1,t) :- at(X,t-1), go(t-1).
    #program check(t).    asplan__last_won(t) :- at(3,T), query(t).
                          :- not asplan__last_won(t), query(t).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import inf

from asplan.clingo import SymbolType
from asplan.program import syntax
from asplan.program.conversion.normal import NotConvertible, TimeVocabulary, normal_forms
from asplan.program.conversion.normal_rules import NormalRule
from asplan.program.conversion.part_writer import PartWriter, domains_of
from asplan.program.conversion.settling import Settling, find_settling
from asplan.program.ground import ground_facts
from asplan.program.model.program import TemporalRule
from asplan.program.reading.unit import QUERY, Unit, joined, statements_in
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.syntax.terms import Substitution, Time
from asplan.program.theory import theory_atoms
from asplan.program.times.horizon import Horizon
from asplan.program.times.timing import dynamic_predicates, part_for, values_in

_DEMANDING = (ASTType.Minimize, ASTType.ShowTerm, ASTType.Heuristic, ASTType.Edge)
_KEPT = (ASTType.ShowSignature, ASTType.Defined, ASTType.ProjectSignature, ASTType.Program)
_CONVERTIBLE = (*_DEMANDING, *_KEPT, ASTType.Rule, ASTType.Definition)


def convert(
    units: Sequence[Unit],
    horizon: Horizon,
    constants: Mapping[str, str],
) -> tuple[Unit, ...]:
    """Convert a single-shot program to one with the parts base, step(t) and check(t).

    `constants` are the values that the user has given. Raise `NotConvertible` if answers may
    differ.
    """
    units = [_with_expanded(unit, horizon.constant) for unit in units]
    whole = joined(units)
    _check_statements(whole, horizon)
    dynamic = dynamic_predicates(whole.statements, horizon.constant)
    vocabulary = TimeVocabulary(horizon, dynamic - horizon.ends.keys())
    numbers = Substitution(_numbers(whole, constants, horizon))
    others = [each for each in whole.statements if not domains_of(each, horizon)]
    moving = [each for each in others if _is_moving(each, vocabulary)]
    rules = {id(each): list(_normal_rules(each, numbers, vocabulary)) for each in moving}
    flat = list(chain.from_iterable(rules.values()))
    still = [each for each in others if id(each) not in rules]
    static = [each for each in still if each.ast_type == ASTType.Rule]
    keys = _moving_keys(vocabulary)
    closed = [statement for statement in static if not _is_open(statement, horizon)]
    given = _given_times(
        keys,
        whole,
        closed,
        horizon,
        constants,
    )
    opened = [numbers.visit(statement) for statement in static if _is_open(statement, horizon)]
    settling = find_settling(vocabulary, flat, given, _latest_choices(keys, opened, horizon))
    _check_choices(settling)
    facts = (found.signatures for found in whole.facts)
    derived = set[Signature]().union(*map(syntax.defined_in, static), *facts)
    return PartWriter(settling, whole, derived).write(units, rules)


def _normal_rules(
    statement: AST,
    numbers: Substitution,
    vocabulary: TimeVocabulary,
) -> Iterator[NormalRule]:
    """Yield the rules in normal form that together replace a statement.

    Constants that are numbers are replaced by their values.
    """
    for form in normal_forms(numbers.visit(statement), vocabulary):
        yield NormalRule(statement, TemporalRule(form), vocabulary)


def _with_expanded(unit: Unit, constant: str) -> Unit:
    """Return a unit with its plain facts about the horizon's `constant` turned into statements.

    All plain facts of a predicate become statements if one of them contains the constant.
    """
    keys = set[Signature]()
    for facts in unit.facts:
        if constant in facts.names:
            for statement in statements_in(facts):
                if syntax.names_term(statement, constant):
                    keys |= syntax.defined_in(statement)
    if not keys:
        return unit
    more = unit.expand_facts(keys)
    return Unit((*unit.statements, *more), tuple(facts.without(keys) for facts in unit.facts))


def _numbers(
    whole: Unit,
    constants: Mapping[str, str],
    horizon: Horizon,
) -> dict[str, Time]:
    """Return the values of all constants that are numbers, except the constant of the horizon."""
    values = {**whole.values, **constants}
    values.pop(horizon.constant, None)
    return {name: ("", int(value)) for name, value in values.items() if value.lstrip("-").isdigit()}


def _is_moving(statement: AST, vocabulary: TimeVocabulary) -> bool:
    """Return whether the ground instances of a statement depend on the horizon.

    `vocabulary` contains the predicates that depend on the horizon.
    """
    if statement.ast_type in (*_KEPT, ASTType.Definition):
        return False
    changing = vocabulary.dynamic | vocabulary.horizon.ends.keys()
    if syntax.names_term(statement, vocabulary.horizon.constant):
        return True
    return not syntax.read_in(statement).isdisjoint(changing)


# Programs that are refused.


def _check_statements(whole: Unit, horizon: Horizon) -> None:
    """Raise `NotConvertible` at the first statement that cannot be divided into parts."""
    reads_query = QUERY in whole.read | whole.defined
    for statement in whole.statements:
        reason = _obstacle_of_kind(statement, horizon)
        if not reason and reads_query and QUERY in syntax.named_in(statement):
            reason = "asplan reserves query/1 for the goal"
        reason = reason or _obstacle_of_atoms(statement, horizon)
        if reason:
            raise NotConvertible(reason, at=syntax.location(statement))


def _obstacle_of_kind(statement: AST, horizon: Horizon) -> str:
    """Return the reason why a kind of statement cannot be converted; empty if it can."""
    kind = statement.ast_type
    if kind == ASTType.Definition and statement.name != horizon.constant:
        if syntax.names_term(statement.value, horizon.constant):
            return f"the constant {statement.name} is computed from the horizon"
    elif kind == ASTType.Program and str(statement) != "#program base.":
        return "the program has its own parts"
    elif kind not in _CONVERTIBLE:
        return f"asplan cannot divide this statement into parts: {statement}"
    return ""


def _obstacle_of_atoms(statement: AST, horizon: Horizon) -> str:
    """Return the reason why atoms prevent a statement's conversion; empty if none does."""
    if theory_atoms(statement):
        return "theory atoms are not converted"
    keys = syntax.defined_in(statement)
    bounding = horizon.domains.keys() | horizon.ends.keys()
    if keys & bounding and not keys <= bounding:
        return f"{statement} derives a domain of times and other atoms"
    return ""


def _check_choices(settling: Settling) -> None:
    """Raise `NotConvertible` at a choice whose instances may differ from horizon to horizon.

    An incremental program would have to make such a choice again at each horizon.
    """
    horizon = settling.vocabulary.horizon
    elsewhere = set(map(str, horizon.elsewhere))
    for rule in settling.rules:
        if rule.is_open and rule.keys & settling.late.keys():
            reason = "this choice depends on the horizon"
            if rule.has_other_constants and str(rule.at) in elsewhere:
                reason = f"{horizon.constant} is used as a time and as something else"
            raise NotConvertible(reason, at=rule.at)


# The times of atoms that `base` derives.


def _moving_keys(vocabulary: TimeVocabulary) -> set[Signature]:
    """Return the predicates that have a time and depend on the constant, except time domains."""
    keys = vocabulary.horizon.places.keys() - vocabulary.horizon.domains.keys()
    return {key for key in keys if key in vocabulary.dynamic}


def _is_open(statement: AST, horizon: Horizon) -> bool:
    """Return whether a statement is a choice, or reads a predicate that depends on a choice."""
    if syntax.is_choice(statement):
        return True
    return not horizon.open.isdisjoint(syntax.read_in(statement))


def _latest_choices(
    keys: Collection[Signature],
    opened: Iterable[AST],
    horizon: Horizon,
) -> dict[Signature, float]:
    """Return the greatest time of each predicate of `keys` in the heads of statements in `opened`.

    `opened` are choices of `base`, and rules whose bodies depend on choices. A time that is not a
    number counts as infinite.
    """
    latest: dict[Signature, float] = {}
    for atom in chain.from_iterable(map(syntax.heads, opened)):
        key = syntax.signature(atom)
        if key in keys:
            number = syntax.number_of(syntax.arguments(atom)[horizon.places[key]])
            time = inf if number is None else number
            latest[key] = max(time, latest.get(key, -inf))
    return latest


def _given_times(
    keys: Collection[Signature],
    whole: Unit,
    closed: Iterable[AST],
    horizon: Horizon,
    constants: Mapping[str, str],
) -> dict[Signature, tuple[float, float]]:
    """Return the least and the greatest time of the derived atoms of each predicate in `keys`.

    `closed` are the rules of the program `whole` that depend on no choice; only these are grounded.
    """
    given: dict[Signature, tuple[float, float]] = {}
    part = part_for(keys, whole, closed, horizon.constant)
    for symbol in ground_facts([part], values_in(part, constants), strict=False):
        key = syntax.predicate(symbol)
        if key not in keys:
            continue
        term = symbol.arguments[horizon.places[key]]
        if term.type == SymbolType.Number:
            low, high = given.get(key, (inf, -inf))
            given[key] = min(low, term.number), max(high, term.number)
    return given
