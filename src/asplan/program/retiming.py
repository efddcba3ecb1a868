"""Programs whose predicates keep other times, written as a transition system.

In a step t an author may choose `do(A,t-1)`, derive `at(X,t+1)`, or begin at time 1. If each
predicate keeps one distance to t wherever it is derived, that is a matter of numbering: each is
moved by its distance, and all are moved by what `base` says beyond time 0:

    at(1,1).                                   at(1,0).
    #program step(t).                          #program step(t).
    1 { do(A,t) : action(A) } 1.        ->     1 { do(A,t) : action(A) } 1.
    at(X+1,t+1) :- at(X,t), do(east,t).        at(X+1,t) :- at(X,t-1), do(east,t).

Here `do` was at its place, and `at` is moved by 1. The first state may be one that several steps of
the program lead to: where `base` reaches beyond time 0, those steps come before it.

What is derived only where the goal is demanded, as `won(t) :- at(9,t), query(t)`, and read only
there, may be derived always. So `query(t)` is left out there.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from clingo import Number

from asplan.core.errors import InputError
from asplan.core.graphs import closure
from asplan.program import syntax
from asplan.program.clock import with_clock
from asplan.program.incremental import TIMED, Program
from asplan.program.roles import (
    TRANSITION_STATEMENTS,
    Occurrence,
    occurrences,
    places_of,
    without_aliases,
)
from asplan.program.stepwise import is_demand, is_goal, transition_times_of
from asplan.program.syntax import AST, ASTType, Sign, Signature, SymbolicTerm, Walker
from asplan.program.terms import distance_to, term_of
from asplan.program.unit import HELPER, Section

TAG = HELPER + "at"  # a time of a goal's helper atom that is not the one at its place, by distance


@dataclass(frozen=True)
class Retimed:
    """A program and how its times were moved.

    An atom at time s was one at s + `before` + the `distances` of its predicate. So many steps,
    `before`, come before its time 0.
    """

    program: Program
    distances: Mapping[Signature, int]
    before: int = 0


@lru_cache(maxsize=16)
def retimed(program: Program) -> Retimed | None:
    """A program with its predicates at the times of a transition system, if that can be.

    None says that times are not what keeps it from being one. The program may still be none.
    """
    program = without_aliases(program.expand_facts())
    atoms = [a.symbol for a in syntax.find(ASTType.SymbolicAtom, program.statements)]
    terms = (a.argument if a.ast_type == ASTType.UnaryOperation else a for a in atoms)
    if any(term.ast_type == ASTType.Pool for term in terms):
        return None  # an atom stands for several, which are not moved one by one
    helpers = _helpers_of_goal(occurrences(program))
    plain = program.changed(lambda s, section: [_without_demand(s, section, helpers)], TIMED)
    index = occurrences(plain)
    places = places_of(index)
    distances = {
        key: {o.shift(place) for o in index[key] if o.head and o.is_timed}
        for key, place in places.items()
    }
    if any(len(found) != 1 or None in found for found in distances.values()):
        return None
    moved = {key: next(iter(found)) or 0 for key, found in distances.items()}
    if any(moved.get(_denial(key), by) != by for key, by in moved.items()):
        return None  # an atom and its denial exclude each other at one time
    given = ((k, p, o) for k, p in places.items() for o in index[k] if o.section.part == "base")
    of_base = [(o.head, syntax.number_of(o.terms[p]), moved[k]) for k, p, o in given]
    starts = [time - by for is_head, time, by in of_base if is_head and time is not None]
    before = max([0, *starts])
    if any(time is None and by + before for _, time, by in of_base):
        return None  # which times a variable stands for is not known

    def move(statement: AST, section: Section) -> Iterator[AST]:
        new, t = _moved(statement, section, places, moved, before), section.parameter
        if section.part in TIMED and (_derives(helpers, statement) or is_goal(statement, t)):
            # Of a time ahead no step has derived an atom so far, and `base` only at the start.
            plain = (b for b in new.body if syntax.is_literal(b, sign=None))
            timed = ((b, syntax.time_of(b.atom, places)) for b in plain)
            future = [b for b, time in timed if time and (distance_to(time, t) or 0) > 0]
            if any(literal.sign != Sign.Negation for literal in future):
                return
            new = new.update(body=[b for b in new.body if b not in future])
        yield new

    new = plain.changed(move)
    if before and with_clock(new) is not new:
        return None  # it reads how many steps are over
    return Retimed(new, moved, before)


def as_transition_system(program: Program, most: int = 0) -> Retimed:
    """The program as a transition system, with its times moved if need be.

    At most so many steps, `most`, may come before its time 0. Raises `InputError` where it is none.
    """
    try:
        transition_times_of(program)
    except InputError as error:
        found = retimed(program)
        if found is None or found.before > most:
            raise
        try:
            transition_times_of(found.program)
        except InputError:
            raise error from None
        return found
    return Retimed(program, {})


def _moved(
    statement: AST,
    section: Section,
    places: Mapping[Signature, int],
    moved: Mapping[Signature, int],
    before: int,
) -> AST:
    """A statement with the times of its atoms moved; what is no time stays, and is found later."""

    def move(atom: AST) -> AST:
        key = syntax.signature(atom)
        if key not in places:
            return atom
        term = syntax.arguments(atom)[places[key]]
        if section.part in TIMED:
            distance = distance_to(term, section.parameter)
            if distance is None:
                return atom
            new = term_of(term, (section.parameter, distance - moved[key]))
        elif (number := syntax.number_of(term)) is not None:
            new = SymbolicTerm(term.location, Number(number - moved[key] - before))
        else:
            return atom
        return _with_argument(atom, places[key], new)

    return Walker(SymbolicAtom=move).visit(statement)


def _with_argument(atom: AST, place: int, term: AST) -> AST:
    terms = syntax.arguments(atom)
    terms[place] = term
    return syntax.renamed(atom, syntax.signature(atom)[1], terms)


def _derives(helpers: Collection[Signature], statement: AST) -> bool:
    is_rule = statement.ast_type == ASTType.Rule
    return is_rule and not syntax.defined_in(statement).isdisjoint(helpers)


def _without_demand(statement: AST, section: Section, helpers: Collection[Signature]) -> AST:
    """A statement in which helpers of the goal hold without `query(t)`, at one time each."""

    def tag(atom: AST) -> AST:
        if syntax.signature(atom) not in helpers:
            return atom
        terms = enumerate(syntax.arguments(atom))
        distances = [(place, old, distance_to(old, section.parameter)) for place, old in terms]
        times = [(place, old, Number(by)) for place, old, by in distances if by is not None]
        for place, old, by in times[:-1]:
            name = SymbolicTerm(old.location, by)
            atom = _with_argument(atom, place, syntax.named_term(old, TAG, [name]))
        return atom

    if _derives(helpers, statement):
        body = [b for b in statement.body if not is_demand(b, section.parameter)]
        statement = statement.update(body=body)
    return Walker(SymbolicAtom=tag).visit(statement)


def _helpers_of_goal(index: Mapping[Signature, list[Occurrence]]) -> set[Signature]:
    """The predicates that only the goal reads, and that may be derived always.

    Where no goal is demanded they must not exclude anything: so none is denied by another one, be
    it by its negation or by a cycle that is not plainly positive.
    """
    helpers = {key for key, found in index.items() if _is_helper_of_goal(found)}
    plain, other = defaultdict[Signature, set[Signature]](set), list[tuple[Signature, Signature]]()
    for key in helpers:
        for literal in (b for o in index[key] if o.head for b in o.statement.body):
            read = syntax.named_in(literal) & helpers
            plain[key] |= read
            if not syntax.is_literal(literal):
                other += [(key, below) for below in read]
    denied = any(_denial(key) in index for key in helpers)
    denied = denied or any(key in closure([below], lambda k: plain[k]) for key, below in other)
    return set() if denied else helpers


def _denial(key: Signature) -> Signature:
    sign, name, arity = key
    return "" if sign else "-", name, arity


def _is_helper_of_goal(found: list[Occurrence]) -> bool:
    """Whether plain rules derive a predicate under `query(t)` alone, and nothing else reads it.

    Its times are to stand in the same arguments everywhere.
    """

    def is_asked(o: Occurrence) -> bool:
        return any(is_demand(literal, o.section.parameter) for literal in o.statement.body)

    if any(o.statement.ast_type == ASTType.ShowTerm and not is_asked(o) for o in found):
        return False
    read = [o for o in found if o.statement.ast_type in TRANSITION_STATEMENTS]
    shapes = {tuple(o.shift(place) is not None for place in range(len(o.terms))) for o in read}
    is_derived = len(shapes) == 1 and any(*shapes) and any(o.head for o in read)
    rules = [o.statement for o in read if o.statement.ast_type == ASTType.Rule]
    heads = {rule.head.ast_type for rule in rules}
    is_plain = len(rules) == len(read) and heads == {ASTType.Literal}
    return is_derived and is_plain and all(map(is_asked, read))
