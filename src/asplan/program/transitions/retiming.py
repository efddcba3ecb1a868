"""The renumbering of times, by which more programs become transition systems.

In a transition system, step t derives atoms of time t from atoms of time t-1, and the initial state
has time 0. In step t an author may instead choose `do(A,t-1)`, derive `at(X,t+1)`, or begin at time
1. If rules derive each predicate at a fixed distance from t, renumbering brings it to t. Each
predicate moves by its distance, and all move by the last time of `base`:

    at(1,1).                                   at(1,0).
    #program step(t).                          #program step(t).
    1 { do(A,t) : action(A) } 1.        ->     1 { do(A,t) : action(A) } 1.
    at(X+1,t+1) :- at(X,t), do(east,t).        at(X+1,t) :- at(X,t-1), do(east,t).

Here `at` has moved by 1, and `do` by 0. If `base` has times beyond 0, several steps of the original
program lead to the initial state.

A helper of the goal is a predicate that is derived and read only under `query(t)`, as `won(t) :-
at(9,t), query(t)`. Its rules lose `query(t)`, because it may as well hold at all times.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from asplan.clingo import Number
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError
from asplan.core.graphs import components_of
from asplan.program import syntax
from asplan.program.incremental import Program
from asplan.program.model.program import Kind, Literal, TemporalProgram
from asplan.program.reading.unit import HELPER, TIMED, Section
from asplan.program.roles.roles import without_aliases
from asplan.program.syntax import AST, ASTType, Sign, Signature, SymbolicTerm, Walker
from asplan.program.syntax.terms import distance_to, term_of
from asplan.program.transitions.clock import with_clock
from asplan.program.transitions.stepwise import is_demand, is_goal, transition_times_of

DISTANCE = HELPER + "at"  # the function around the distance of a further time in a goal's helper


@dataclass(frozen=True)
class Retimed:
    """A renumbered program, with the distances by which its times have moved.

    An atom of time s had the time s + `before` + the distance of its predicate in the original
    program. The first `before` steps of the original program lead to the new time 0.
    """

    program: Program
    distances: Mapping[Signature, int]
    before: int = 0


def as_transition_system(program: Program, most: int = 0) -> Retimed:
    """Return a program as a transition system, renumbered if necessary.

    `most` is the greatest number of steps of the original program that may lead to the new time 0.
    Raise `InputError` if the program cannot become a transition system.
    """
    obstacle = _obstacle(program)
    if obstacle is None:
        return Retimed(program, {})
    moved = move_times(program)
    if moved is None or moved.before > most or _obstacle(moved.program) is not None:
        raise obstacle
    return moved


def _obstacle(program: Program) -> InputError | None:
    """Return the error about the first statement that a transition system cannot contain.

    Return None for a transition system.
    """
    try:
        transition_times_of(program)
    except InputError as error:
        return error
    return None


@lru_cache(maxsize=16)
def move_times(program: Program) -> Retimed | None:
    """Renumber the times of a program so that rules derive each predicate at time t.

    Return None if no numbering does that. The result need not be a transition system: other
    obstacles may remain.
    """
    program = without_aliases(program.expand_facts())
    if _has_pool_of_atoms(program):
        return None  # the atoms of a pool do not move one by one
    helpers = _helpers_of_goal(program.model.literals)
    released = program.changed(lambda s, section: [_release(s, section, helpers)], TIMED)
    numbering = _find_numbering(released.model)
    if numbering is None:
        return None
    moved = released.changed(lambda s, section: _moved_statement(s, section, numbering, helpers))
    if numbering.before and with_clock(moved) is not moved:
        return None  # it compares the time with a number
    return Retimed(moved, numbering.distances, numbering.before)


def _has_pool_of_atoms(program: Program) -> bool:
    atoms = [atom.symbol for atom in syntax.find(ASTType.SymbolicAtom, program.statements)]
    is_denied = ASTType.UnaryOperation
    terms = (term.argument if term.ast_type == is_denied else term for term in atoms)
    return any(term.ast_type == ASTType.Pool for term in terms)


# The distances by which times move.


@dataclass(frozen=True)
class _Numbering:
    """The time arguments of predicates, and the distances by which their times are reduced.

    Attributes
    ----------
    places
        Maps each predicate to the index of its time argument.
    distances
        Maps each predicate to the number to subtract from its times.
    before
        A further number to subtract from times in `base`, so that their last one becomes 0.
    """

    places: Mapping[Signature, int]
    distances: Mapping[Signature, int]
    before: int


def _find_numbering(model: TemporalProgram) -> _Numbering | None:
    """Return the numbering with which rules derive all predicates at t; None if there is none."""
    places = model.places
    distances = _distances_of(model)
    if distances is None:
        return None
    in_base: dict[Signature, list[Literal]] = {}
    for key in places:
        in_base[key] = [each for each in model.literals[key] if each.part == "base"]
    before = _last_time_of_base(in_base, places, distances)
    moving = {key: found for key, found in in_base.items() if distances[key] + before}
    if _has_variable_times(moving, places):
        return None
    return _Numbering(places, distances, before)


def _distances_of(model: TemporalProgram) -> dict[Signature, int] | None:
    """Return the number k for each predicate such that rules derive it at time t+k.

    Return None if rules derive a predicate at several distances, or its classical negation at
    another distance: an atom and its negation must keep the same time to exclude each other.
    """
    distances: dict[Signature, int] = {}
    for key, place in model.places.items():
        shifts = model.derived_shifts(key, place)
        shift = shifts.pop() if len(shifts) == 1 else None
        if shift is None:
            return None
        distances[key] = shift
    for key, distance in distances.items():
        if distances.get(_denial(key), distance) != distance:
            return None
    return distances


def _denial(key: Signature) -> Signature:
    """Return the predicate of the classical negation: `-p/1` for `p/1`, and `p/1` for `-p/1`."""
    sign, name, arity = key
    return "" if sign else "-", name, arity


def _last_time_of_base(
    in_base: Mapping[Signature, Sequence[Literal]],
    places: Mapping[Signature, int],
    distances: Mapping[Signature, int],
) -> int:
    """Return the last time in heads of `base` after predicates have moved; at least 0.

    `in_base` has the literals of each predicate in `base`. `distances` maps predicates to the
    numbers to subtract from their times.
    """
    last = 0
    for key, found in in_base.items():
        for literal in found:
            time = syntax.number_of(literal.terms[places[key]])
            if literal.is_head and time is not None:
                last = max(last, time - distances[key])
    return last


def _has_variable_times(
    in_base: Mapping[Signature, Sequence[Literal]], places: Mapping[Signature, int]
) -> bool:
    """Return whether an atom of `base` cannot move because its time is not a number.

    `in_base` has the literals of each predicate in `base`.
    """
    for key, found in in_base.items():
        if any(syntax.number_of(each.terms[places[key]]) is None for each in found):
            return True
    return False


# Statements with moved times.


def _moved_statement(
    statement: AST,
    section: Section,
    numbering: _Numbering,
    helpers: Collection[Signature],
) -> Iterator[AST]:
    """Yield a statement with moved times; yield nothing if its body can never hold.

    `helpers` are the predicates that only the goal reads. Constraints of the goal and rules for
    helpers may read atoms at times after t. No step has derived these atoms yet, so literals that
    negate them hold and are dropped.
    """
    moved = _with_moved_times(statement, section, numbering)
    t = section.parameter
    is_timed = section.part in TIMED
    if not is_timed or not (_derives(helpers, statement) or is_goal(statement, t)):
        yield moved
        return
    ahead = [literal for literal in moved.body if _is_ahead(literal, t, numbering.places)]
    if all(literal.sign == Sign.Negation for literal in ahead):
        yield moved.update(body=[literal for literal in moved.body if literal not in ahead])


def _is_ahead(
    literal: AST,
    parameter: str,
    places: Mapping[Signature, int],
) -> bool:
    """Return whether the atom of a literal has a time t+k with k > 0."""
    if not syntax.is_literal(literal, sign=None):
        return False
    time = syntax.time_of(literal.atom, places)
    distance = None if time is None else distance_to(time, parameter)
    return distance is not None and distance > 0


def _with_moved_times(
    statement: AST,
    section: Section,
    numbering: _Numbering,
) -> AST:
    """Return a statement with the times of its atoms moved; other arguments stay."""

    def move(atom: AST) -> AST:
        key = syntax.signature(atom)
        if key not in numbering.places:
            return atom
        place = numbering.places[key]
        term = _moved_term(
            syntax.arguments(atom)[place], section, numbering.distances[key], numbering.before
        )
        return atom if term is None else _with_argument(atom, place, term)

    return Walker(SymbolicAtom=move).visit(statement)


def _moved_term(
    term: AST,
    section: Section,
    distance: int,
    before: int,
) -> AST | None:
    """Return the term of a time that is earlier by `distance`: t+k becomes t+k-distance.

    In `base` the times are numbers, and `before` is subtracted as well. Return None for other
    terms.
    """
    if section.part in TIMED:
        own = distance_to(term, section.parameter)
        return None if own is None else term_of(term, (section.parameter, own - distance))
    number = syntax.number_of(term)
    if number is None:
        return None
    return SymbolicTerm(term.location, Number(number - distance - before))


def _with_argument(
    atom: AST,
    place: int,
    term: AST,
) -> AST:
    terms = syntax.arguments(atom)
    terms[place] = term
    return syntax.renamed(atom, syntax.signature(atom)[1], terms)


def _derives(keys: Collection[Signature], statement: AST) -> bool:
    is_rule = statement.ast_type == ASTType.Rule
    return is_rule and not syntax.defined_in(statement).isdisjoint(keys)


# Helpers of the goal.


def _release(
    statement: AST,
    section: Section,
    helpers: Collection[Signature],
) -> AST:
    """Return a statement in which helpers of the goal no longer depend on `query(t)`.

    If several arguments of a helper are times, only the last one is kept. Each of the others, such
    as t+k, is replaced by a constant term that contains k.
    """

    def name_distances(atom: AST) -> AST:
        if syntax.signature(atom) not in helpers:
            return atom
        terms = syntax.arguments(atom)
        distances: dict[int, int] = {}
        for place, term in enumerate(terms):
            distance = distance_to(term, section.parameter)
            if distance is not None:
                distances[place] = distance
        for place in list(distances)[:-1]:
            term = terms[place]
            number = SymbolicTerm(term.location, Number(distances[place]))
            named = syntax.named_term(term, DISTANCE, [number])
            atom = _with_argument(atom, place, named)
        return atom

    if _derives(helpers, statement):
        body = [b for b in statement.body if not is_demand(b, section.parameter)]
        statement = statement.update(body=body)
    return Walker(SymbolicAtom=name_distances).visit(statement)


def _helpers_of_goal(index: Mapping[Signature, Sequence[Literal]]) -> set[Signature]:
    """Return the helpers of the goal: predicates derived and read only under `query(t)`.

    Return the empty set if helpers could exclude answer sets when the goal is not demanded: by a
    classical negation of a helper, or by a cycle of helpers with a literal that is not positive.
    """
    helpers = {key for key, found in index.items() if _is_helper_of_goal(found)}
    if any(_denial(key) in index for key in helpers):
        return set()
    read: dict[Signature, set[Signature]] = {}
    not_positive: dict[Signature, set[Signature]] = {}
    for key in helpers:
        rules = [each.rule.statement for each in index[key] if each.is_head]
        literals = list(chain.from_iterable(rule.body for rule in rules))
        others = [literal for literal in literals if not syntax.is_literal(literal)]
        read[key] = helpers & _named_in(literals)
        not_positive[key] = helpers & _named_in(others)
    components = map(set, components_of(read))
    if any(_has_link_within(component, not_positive) for component in components):
        return set()
    return helpers


def _has_link_within(
    component: set[Signature],
    links: Mapping[Signature, set[Signature]],
) -> bool:
    """Return whether a link leads from a member of a component to a member of this component."""
    return any(not component.isdisjoint(links[key]) for key in component)


def _named_in(literals: Iterable[AST]) -> set[Signature]:
    return set[Signature]().union(*map(syntax.named_in, literals))


def _is_helper_of_goal(found: Sequence[Literal]) -> bool:
    """Return whether a predicate is a helper of the goal; `found` are its literals.

    All its rules must be plain rules under `query(t)`, and all its atoms must have times at the
    same arguments.
    """
    uses = [each for each in found if each.rule.restricts_transitions]
    shown = [each for each in found if each.rule.kind is Kind.SHOW]
    if not all(each.rule.demands_goal for each in (*uses, *shown)):
        return False
    if not all(_is_plain_rule(each.rule.statement) for each in uses):
        return False
    return _have_same_times(uses) and any(each.is_head for each in uses)


def _have_same_times(uses: Iterable[Literal]) -> bool:
    """Return whether the same arguments are times in all `uses`, and at least one is."""
    shapes = {tuple(shift is not None for shift in each.all_shifts) for each in uses}
    return len(shapes) == 1 and any(*shapes)


def _is_plain_rule(statement: AST) -> bool:
    if statement.ast_type != ASTType.Rule:
        return False
    return bool(statement.head.ast_type == ASTType.Literal)
