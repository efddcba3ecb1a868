"""Which arguments of a program without parts are times: those that choices and steps range over.

Arguments that share a variable are of one sort, and so are variables that are compared. A sort is
that of times where atoms of one predicate speak of neighbouring values in one rule, always onwards
where one follows from the other: `holds(F,T+1) :- holds(F,T)`. In a grid steps lead both ways, and
several arguments of an atom are of its sort.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, product
from typing import TypeVar

from asplan.core.graphs import DisjointSets, closure, components_of
from asplan.program import syntax
from asplan.program.syntax import AST, ASTType, Sign, Signature
from asplan.program.terms import BELOW, MIRRORED, Compared, Op, Time, comparisons, is_name, shift_of
from asplan.program.theory import theory_atoms
from asplan.program.unit import Unit, statements_in

Place = tuple[Signature, int]  # a predicate and one of its arguments, counted from 0

TIME = re.compile(
    r"(max|last|end|n|num|t)?_?(time|step|stage|horizon|turn|move|length|len)s?(_?max)?"
)
"""What people call a domain of times, or its end; no more than a hint."""


@dataclass(frozen=True)
class Use:
    """An argument that is a name (a variable, a constant, or none) plus a number."""

    key: Signature
    place: int
    name: str
    shift: int
    term: AST
    file: str
    head: bool = False
    is_denied: bool = False

    @property
    def is_variable(self) -> bool:
        return is_name(self.name)


Successors = Mapping[Signature, tuple[int, int, int]]
"""For predicates such as `next(T,T+1)` two arguments, and what the second is more than the first.

They are no part of the state: no choice bears on them."""

NONE: Signature = ("", "", 0)


_End = tuple[Use, AST, Use]  # the upper end of an interval, the lower one, and what lies between


@dataclass(frozen=True, eq=False)
class Clause:
    """A statement with the arguments of its atoms, what they are by another name, and ends."""

    statement: AST
    uses: tuple[Use, ...]
    compared: tuple[tuple[Use, Op, Use], ...]
    ends: tuple[_End, ...]
    aliases: dict[str, Time]

    @cached_property
    def defined(self) -> frozenset[Signature]:
        return frozenset(syntax.defined_in(self.statement))

    @cached_property
    def read(self) -> frozenset[Signature]:
        return frozenset(syntax.read_in(self.statement))

    @cached_property
    def denied(self) -> frozenset[Signature]:
        """The predicates behind `not` in its body."""
        return frozenset(syntax.signature(atom) for atom in _denied(self.statement))

    @cached_property
    def is_open(self) -> bool:
        """Whether it leaves it open which atoms of its head hold."""
        return syntax.is_choice(self.statement) or self.statement.ast_type == ASTType.External


def _denied(statement: AST) -> list[AST]:
    """The atoms behind `not` in the body of a rule."""
    body = statement.body if statement.ast_type == ASTType.Rule else ()
    literals = (b for b in body if b.ast_type == ASTType.Literal and b.sign == Sign.Negation)
    return [atom for literal in literals for atom in syntax.atoms(literal)]


def clause_of(statement: AST, successors: Successors = {}) -> Clause:  # noqa: B006
    """What a statement tells of sorts, where some predicates say what comes after what."""
    pairs, file = list(comparisons(statement)), syntax.location(statement).file
    aliases = _aliases(statement, pairs, successors)
    compared, ends, uses = list[tuple[Use, Op, Use]](), list[_End](), list[Use]()

    def use(term: AST, key: Signature = NONE, place: int = 0, *signs: bool) -> Use | None:
        if (found := shift_of(term)) is None:
            return None
        name, by = aliases.get(found[0], (found[0], 0))
        return Use(key, place, name, found[1] + by, term, file, *signs)

    def span(term: AST, between: Use) -> None:
        if term.ast_type == ASTType.Interval and (high := use(term.right)) is not None:
            ends.append((high, term.left, between))

    def place_of(atom: AST) -> str:
        return str(atom.symbol.location)

    for left, operator, right in pairs:
        a, b = use(left), use(right)
        if a and b:
            compared.append((a, operator, b))
        for between, other in ((a, right), (b, left)):
            if operator == Op.Equal and between and between.is_variable:
                span(other, between)
    denied = set(map(place_of, _denied(statement)))
    for head, group in ((True, syntax.heads(statement)), (False, syntax.reads(statement))):
        for atom in group:
            key, is_denied = syntax.signature(atom), not head and place_of(atom) in denied
            for place, term in enumerate(syntax.arguments(atom)):
                if (found := use(term, key, place, head, is_denied)) is not None:
                    uses.append(found)
                else:
                    span(term, Use(key, place, "", 0, term, file, head))
    return Clause(statement, tuple(uses), tuple(compared), tuple(ends), aliases)


def _aliases(statement: AST, pairs: Iterable[Compared], successors: Successors) -> dict[str, Time]:
    """For each variable that is another name plus a number, that name and the number."""
    equal = [(shift_of(left), shift_of(right)) for left, op, right in pairs if op == Op.Equal]
    body = statement.body if statement.ast_type == ASTType.Rule and successors else ()
    for atom in (a for literal in filter(syntax.is_literal, body) for a in syntax.atoms(literal)):
        if (found := successors.get(syntax.signature(atom))) is not None:
            one, other = (shift_of(syntax.arguments(atom)[place]) for place in found[:2])
            equal.append((other, one and (one[0], one[1] + found[2])))
    aliases: dict[str, Time] = {}
    for a, b in equal:
        if a and b and (not is_name(a[0]) or a[0] in aliases):
            a, b = b, a
        if not a or not b or not is_name(a[0]) or a[0] in aliases or not b[0]:
            continue
        name, by = aliases.get(b[0], (b[0], 0))
        if name != a[0]:
            more = by + b[1] - a[1]
            for other_name, (root, shift) in aliases.items():
                if root == a[0]:
                    aliases[other_name] = name, shift + more
            aliases[a[0]] = name, more
    return aliases


def _successors(unit: Unit, clauses: Iterable[Clause]) -> Successors:
    """The predicates of rules with two arguments that are apart by the same number in all heads."""
    given = {key for facts in unit.facts for key in facts.signatures}
    apart: dict[Signature, set[tuple[int, int, int] | None]] = {}
    for clause in clauses:
        for key in map(syntax.signature, syntax.heads(clause.statement)):
            uses = [u for u in clause.uses if u.head and u.key == key and u.is_variable]
            both = [(a, b) for a, b in product(uses, repeat=2) if a.name == b.name]
            found = [(a.place, b.place, b.shift - a.shift) for a, b in both if b.shift > a.shift]
            is_one = len(found) == 1 and not clause.is_open
            apart.setdefault(key, set()).add(found[0] if is_one else None)
    said = {key: only for key, (only, *more) in apart.items() if not more and key not in given}
    return {key: only for key, only in said.items() if only is not None}


@dataclass(frozen=True, eq=False)
class Limit:
    """A comparison of a variable of a sort with a constant or a number, read from the variable.

    `T < 7` and `7 > T` are both `Op.LessThan` with the use of 7. A clause `is_restriction` if it
    derives nothing and leaves nothing open: it excludes answers, and bounds no time.
    """

    use: Use
    operator: Op
    is_restriction: bool

    @property
    def is_upper(self) -> bool:
        """Whether a rule uses the limit as an upper bound."""
        return self.operator in BELOW and not self.is_restriction


@dataclass(frozen=True, eq=False)
class Sort:
    """Arguments that range over the same things, with all that bounds them from above.

    `is_named` holds if something has a name as times have. `ends` are upper ends of intervals with
    the lower end and the argument or variable between them, `limits` comparisons, and `given` the
    constants and numbers that are arguments themselves.
    """

    places: frozenset[Place]
    variables: frozenset[tuple[int, str]]
    score: int
    steps: int
    is_named: bool
    ends: tuple[_End, ...]
    limits: tuple[Limit, ...]
    given: tuple[Use, ...]

    @property
    def highs(self) -> list[Use]:
        return [high for high, _, _ in self.ends]

    @property
    def bounds(self) -> list[Use]:
        """The constants and numbers with which its variables are compared."""
        return [limit.use for limit in self.limits]

    @property
    def unary(self) -> set[Signature]:
        """The predicates with one argument, which is of the sort."""
        return {key for key, _ in self.places if key[2] == 1}

    def place_of(self) -> dict[Signature, int]:
        """Return the first argument of each predicate that is of the sort."""
        found: dict[Signature, int] = {}
        for key, place in sorted(self.places):
            found.setdefault(key, place)
        return found


@dataclass
class Sorts:
    """The clauses of a program, and the sorts of the arguments of its predicates."""

    clauses: list[Clause]
    successors: Successors
    open: frozenset[Signature]
    found: list[Sort] = field(default_factory=list)


Member = Place | tuple[int, str]
"""An argument of a predicate, or a variable with the number of its clause."""


@lru_cache(maxsize=8)
def sorts_of(unit: Unit) -> Sorts:
    """Return the sorts of a program, the likeliest to be that of times first."""
    clauses, successors = _clauses_of(unit)
    groups = _grouped(clauses, _Values(unit))
    opened = frozenset(_open(clauses))
    limits = _by_group(groups, _limits_in(clauses))
    ends = _by_group(groups, _ends_in(clauses))
    members: dict[Member, set[Member]] = {}
    for member in groups:
        members.setdefault(groups.find(member), set()).add(member)
    found = [
        _sort(unit, clauses, opened, group, ends.get(root, []), limits.get(root, []))
        for root, group in members.items()
    ]
    found.sort(key=lambda sort: -sort.score)
    return Sorts(clauses, successors, opened, found)


def _clauses_of(unit: Unit) -> tuple[list[Clause], Successors]:
    """Return the clauses of a program, read with its successor predicates, and these."""
    statements = [s for s in unit.statements if s.ast_type != ASTType.Script]
    plain = [clause_of(s) for s in statements]
    successors = _successors(unit, plain)
    clauses = [
        clause_of(c.statement, successors) if any(u.key in successors for u in c.uses) else c
        for c in plain
    ]
    return clauses, successors


def _member(number: int, use: Use) -> Member:
    """Return the variable of a use in a clause, or else its argument."""
    return (number, use.name) if use.is_variable else (use.key, use.place)


_FEW = 50
"""So many facts a predicate may have if they are looked at one by one."""


class _Values:
    """How many values the variables of an atom can have, by the facts and rules for it."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._known: dict[Signature, list[tuple[AST, AST]]] = {}

    def single_names(self, clause: Clause) -> set[str]:
        """Return the variables of a clause that some atom of its body leaves one value.

        That is `L` in `length(L)` and in `limit(last,L)` if one fact fits, or if one rule derives
        `length(L)` without an atom for `L`, as `length(L) :- L = #max { T : time(T) }` does.
        """
        found = set[str]()
        for atom in syntax.reads(clause.statement):
            names = syntax.variable_names(*syntax.arguments(atom))
            if len(names) == 1 and self._holds_once(atom):
                found.update(names)
        return found

    def _holds_once(self, atom: AST) -> bool:
        heads = self._heads(syntax.signature(atom))
        fitting = [(statement, head) for statement, head in heads if _fits(atom, head)]
        return len(fitting) == 1 and _has_one_value(*fitting[0])

    def _heads(self, key: Signature) -> list[tuple[AST, AST]]:
        """Return the heads of a predicate with their statements; none if it has many facts."""
        if key not in self._known:
            self._known[key] = list(self._find_heads(key))
        return self._known[key]

    def _find_heads(self, key: Signature) -> Iterator[tuple[AST, AST]]:
        facts = [found.of({key}) for found in self._unit.facts if key in found.signatures]
        if sum(found.text.count(f"{key[1]}(") for found in facts) > _FEW:
            return
        written = chain.from_iterable(map(statements_in, facts))
        for statement in chain(self._unit.statements, written):
            for head in syntax.heads(statement):
                if syntax.signature(head) == key:
                    yield statement, head


def _fits(atom: AST, head: AST) -> bool:
    """Return whether a head may be an instance of an atom, by their plain arguments."""
    pairs = zip(syntax.arguments(atom), syntax.arguments(head), strict=True)
    return all(
        str(ours) == str(other)
        for ours, other in pairs
        if not syntax.variable_names(ours) and not syntax.variable_names(other)
    )


def _has_one_value(statement: AST, head: AST) -> bool:
    """Return whether a statement derives a head for at most one value of its variables."""
    if syntax.is_choice(statement) or statement.ast_type != ASTType.Rule:
        return False
    if syntax.find((ASTType.Interval, ASTType.Pool), [head]):
        return False
    plain = [literal for literal in statement.body if syntax.is_literal(literal, sign=None)]
    return set(syntax.variable_names(head)).isdisjoint(syntax.variable_names(*plain))


def _grouped(clauses: Collection[Clause], values: _Values) -> DisjointSets[Member]:
    """Join the arguments and variables that range over the same things.

    An argument and its variable are joined, and the end of an interval with what it bounds. A
    comparison joins two variables only if one of them has a single value, as `L` in `T < L` with
    `length(L)`: in `X <= T+2` objects may be compared with times.
    """
    groups = DisjointSets[Member]()
    for number, clause in enumerate(clauses):
        for use in clause.uses:
            groups.join((use.key, use.place), _member(number, use))
        for left, operator, right in clause.compared:
            if not (left.is_variable and right.is_variable):
                continue
            names = (left.name, right.name)
            if operator == Op.Equal or not values.single_names(clause).isdisjoint(names):
                groups.join(_member(number, left), _member(number, right))
        for high, _, between in clause.ends:
            groups.find(_member(number, between))
            if high.is_variable:
                groups.join(_member(number, high), _member(number, between))
    return groups


Found = TypeVar("Found")


def _by_group(
    groups: DisjointSets[Member], found: Iterable[tuple[Member, Found]]
) -> dict[Member, list[Found]]:
    """Collect what belongs to a member by the root of its group."""
    collected: dict[Member, list[Found]] = {}
    for member, each in found:
        collected.setdefault(groups.find(member), []).append(each)
    return collected


def _ends_in(clauses: Iterable[Clause]) -> Iterator[tuple[Member, _End]]:
    """Yield the ends of intervals, each with the argument or variable that it bounds."""
    for number, clause in enumerate(clauses):
        for end in clause.ends:
            yield _member(number, end[2]), end


def _limits_in(clauses: Iterable[Clause]) -> Iterator[tuple[Member, Limit]]:
    """Yield the comparisons of variables with constants and numbers, each with its variable."""
    for number, clause in enumerate(clauses):
        is_restriction = not clause.defined
        for left, operator, right in clause.compared:
            if left.is_variable and not right.is_variable:
                yield _member(number, left), Limit(right, operator, is_restriction)
            if right.is_variable and not left.is_variable:
                yield _member(number, right), Limit(left, MIRRORED[operator], is_restriction)


def _sort(
    unit: Unit,
    clauses: Collection[Clause],
    opened: Collection[Signature],
    members: Iterable[Member],
    ends: Collection[_End],
    limits: Collection[Limit],
) -> Sort:
    """Return the sort of some arguments and variables, with the evidence that they are times."""
    places = frozenset(m for m in members if not isinstance(m[0], int) and m[0] != NONE)
    variables = frozenset(m for m in members if isinstance(m[0], int))
    given = [
        use
        for clause in clauses
        for use in clause.uses
        if not use.is_variable and (use.key, use.place) in places
    ]
    steps, apart, score = _evidence(clauses, places, opened)
    if not steps and score > 0 and ends:
        steps = int(_is_linked(unit, clauses, places & _places_in(opened), ends))
    bounding = (*(limit.use for limit in limits), *(high for high, *_ in ends))
    hints = {use.name for use in bounding if not use.is_variable}
    hints |= {key[1] for key, _ in places if key[2] == 1 and len(key[1]) > 1}
    is_named = any(map(TIME.fullmatch, hints))
    if is_named:
        steps += apart
        score += 1
    return Sort(places, variables, score, steps, is_named, tuple(ends), tuple(limits), tuple(given))


def _open(clauses: Collection[Clause]) -> set[Signature]:
    """Predicates that are chosen, or by rules that deny each other, and what depends on them."""
    after: dict[Signature, set[Signature]] = {}
    starts, denied = set[Signature](), set[tuple[Signature, Signature]]()
    for clause in clauses:
        if clause.is_open:
            starts |= clause.defined
        for key in clause.defined:
            after.setdefault(key, set()).update(clause.read)
        denied |= {(key, other) for key in clause.defined for other in clause.denied}
    for members in map(set, components_of(after)):
        if any({a, b} <= members for a, b in denied):
            starts |= members
    return depending_on(starts, ((clause.defined, clause.read) for clause in clauses))


def depending_on(
    starts: Iterable[Signature], rules: Iterable[tuple[Set[Signature], Set[Signature]]]
) -> set[Signature]:
    """Some predicates, and all that depend on them; of rules is given what they define and read."""
    after: dict[Signature, set[Signature]] = {}
    for defined, read in rules:
        for key in read:
            after.setdefault(key, set()).update(defined)
    return closure(starts, lambda key: after.get(key, ()))


def _evidence(
    clauses: Iterable[Clause], places: Collection[Place], opened: Collection[Signature]
) -> tuple[int, bool, int]:
    """Return the evidence that places are times.

    That is the number of predicates that go on by steps, whether a rule has neighbouring values,
    and a score. Steps onwards count for times, as do choices at a value, one for each predicate
    that is chosen. Steps that lead back, and several such places in one predicate, count against.
    """
    onwards = set[Place]()
    backwards = set[Place]()
    beside = set[Place]()
    chosen = set[Signature]()
    apart = False
    for clause in clauses:
        timed = [u for u in clause.uses if (u.key, u.place) in places and u.key in opened]
        of_sort = [use for use in timed if use.is_variable]
        if clause.is_open:
            chosen |= {use.key for use in of_sort if use.head}
        for a, b in product(of_sort, repeat=2):
            if a.name != b.name or a.shift <= b.shift:
                continue
            apart = True
            place = (a.key, a.place)
            if place == (b.key, b.place):
                steps = beside if a.head == b.head else onwards if a.head else backwards
                steps.add(place)
    several = Counter(key for key, _ in places if key in opened)
    crowded = sum(count > 1 for count in several.values())
    score = 3 * len(onwards) + len(beside - onwards) + len(chosen)
    score -= 3 * len(backwards) + 3 * crowded
    return len(onwards), apart, score


def _places_in(keys: Iterable[Signature]) -> frozenset[Place]:
    """Return all argument places of some predicates."""
    return frozenset((key, place) for key in keys for place in range(key[2]))


Distances = dict[tuple[Signature, Signature], set[int]]
"""For pairs of predicates how far the value of the first is from that of the second."""


def _is_linked(
    unit: Unit, clauses: Iterable[Clause], places: Collection[Place], ends: Iterable[_End]
) -> bool:
    """Return whether steps lead on by what is chosen and what follows from it, not by inertia.

    As in `:- go(P,Q,T), not at(P,T-1).` with `at(Q,T) :- go(P,Q,T).` and a fact `at(a,0).` before
    the first value of T. All such rules lead the same way; in a grid they lead both ways.
    """
    lows = [low for low in (syntax.number_of(low) for _, low, _ in ends) if low is not None]
    if not lows:
        return False
    read, derived = Distances(), Distances()
    chosen: dict[Signature, int] = {}
    for clause in clauses:
        uses = [u for u in clause.uses if (u.key, u.place) in places and u.is_variable]
        for use in (use for use in uses if use.head and clause.is_open):
            chosen[use.key] = min(lows) + use.shift
        for a, b in product(uses, repeat=2):
            if a.name == b.name and a.key != b.key and not b.head:
                found = derived if a.head and not clause.is_open else read
                found.setdefault((a.key, b.key), set()).add(a.shift - b.shift)
    for key, first in chosen.items():
        for state, ahead in _ahead_of(key, derived).items():
            back = read.get((key, state), set())
            if back and min(back) >= 0 and max(back) + ahead > 0:
                own = [place for other, place in places if other == state]
                if any(_starts_before(unit, state, place, first + ahead) for place in own):
                    return True
    return False


def _ahead_of(key: Signature, derived: Distances) -> dict[Signature, int]:
    """Return how far ahead of a predicate those are that follow from it, never behind."""
    found = {key: 0}
    waiting = [key]
    while waiting:
        source = waiting.pop()
        for (target, other), distances in derived.items():
            if other == source and target not in found and min(distances) >= 0:
                found[target] = found[source] + max(distances)
                waiting.append(target)
    del found[key]
    return found


def _starts_before(unit: Unit, key: Signature, place: int, first: int) -> bool:
    """Return whether facts give a predicate at a smaller value than the first derived one."""
    heads = (syntax.heads(fact) for fact in unit.expand_facts({key}))
    values = (syntax.number_of(syntax.arguments(atoms[0])[place]) for atoms in heads)
    return any(value is not None and value < first for value in values)


VARIABLE = "asplan__of_"  # how atoms begin that stand for variables of a theory


def as_rules(statements: Iterable[AST]) -> str:
    """Rules with a theory's variables as atoms, in which times are seen as in other rules."""
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
    """Whether a time before (`-`) or after (`+`) another stands in a term, as `T - 1` or as `S`.

    `by` has the signs of variables as in `S = T-1`.
    """
    names = [rf"\b{name}\b" for name, its in by.items() if its == sign]
    return re.search("|".join([rf"[A-Z]\w* \{sign} \d", *names]), text) is not None
