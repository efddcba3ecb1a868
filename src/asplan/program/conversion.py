"""Single-shot programs as incremental ones, with the same answers at each horizon.

Step t belongs to the value `origin + t` of the constant. What is settled at that value (see
`times`) stands in `step(t)`, and in `base` what is settled at the origin. What holds for the time
being, and what is another thing for each horizon, stands in `check(t)` under `query(t)`, and
derives atoms of its own there. With `time(0..n)`

    { go(T) } :- time(T), T < n.    at(X+1,T+1) :- at(X,T), go(T).    won :- at(3,T).    :- not won.

becomes

    #program step(t).     { go(t-1) }.      at(X+1,t) :- at(X,t-1), go(t-1).
    #program check(t).    asplan__last_won(t) :- at(3,T), query(t).
                          :- not asplan__last_won(t), query(t).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from itertools import chain, count
from math import inf

from clingo import SymbolType

from asplan.program import syntax
from asplan.program.clauses import Clause, Use, clause_of, depending_on
from asplan.program.ground import ground_facts
from asplan.program.horizon import Horizon
from asplan.program.incremental import Program
from asplan.program.normal import Bound, Known, NotConvertible, Rule, rule_of
from asplan.program.source import parse_text
from asplan.program.syntax import AST, ASTType, Sign, Signature, Walker, is_choice
from asplan.program.terms import MIRRORED, Op, Substitution, Time, comparison, shift_of, term_of
from asplan.program.theory import theory_atoms
from asplan.program.times import Times, times_of
from asplan.program.timing import dynamic_predicates, part_for, values_in
from asplan.program.unit import HELPER, QUERY, Section, Unit, joined, statements_in

_DEMANDING = (ASTType.Minimize, ASTType.ShowTerm, ASTType.Heuristic, ASTType.Edge)
_KEPT = (ASTType.ShowSignature, ASTType.Defined, ASTType.ProjectSignature, ASTType.Program)

LATEST = HELPER + "last_"  # how names begin of what `check` derives; `rewrite` has others


def convert(
    units: Sequence[Unit], horizon: Horizon, constants: Mapping[str, str]
) -> tuple[Unit, ...]:
    """The units with parts base, step(t) and check(t); `NotConvertible` if answers may differ."""
    units = [_with_expanded(unit, horizon.constant) for unit in units]
    whole = joined(units)
    _refuse(whole, horizon)
    dynamic = dynamic_predicates(whole.statements, horizon.constant)
    known = Known(horizon, dynamic - horizon.ends.keys())
    values = {**whole.values, **constants, horizon.constant: ""}.items()
    numbers = {name: ("", int(value)) for name, value in values if value.lstrip("-").isdigit()}
    rules, still = dict[int, list[Rule]](), list[AST]()
    for statement in (s for s in whole.statements if not _domains_of(s, horizon)):
        if _is_moving(statement, known):
            forms = known.normal_forms(Substitution(numbers).visit(statement))
            rules[id(statement)] = [rule_of(statement, form, known) for form in forms]
        elif statement.ast_type == ASTType.Rule:
            still.append(statement)
    flat = [rule for group in rules.values() for rule in group]
    numbered = Substitution(numbers)
    times = times_of(known, flat, *_base_times(whole, still, known, constants, numbered))
    for rule in flat:
        if rule.is_open and rule.keys & times.late.keys():
            what = "this choice depends on the horizon"
            if rule.elsewhere and str(rule.at) in set(map(str, horizon.elsewhere)):
                what = f"{horizon.constant} also stands where no time is"
            raise NotConvertible(what, at=rule.at)
    static = map(syntax.defined_in, still)
    given = (facts.signatures for facts in whole.facts)
    return _Copying(times, whole, set().union(*static, *given)).units(units, rules)


def _refuse(whole: Unit, horizon: Horizon) -> None:
    """Raise `NotConvertible` at what has a meaning of its own in parts, or no times."""
    known = horizon.domains.keys() | horizon.ends.keys()
    is_asked = QUERY in whole.read | whole.defined
    for statement in whole.statements:
        what, kind, keys = "", statement.ast_type, syntax.defined_in(statement)
        if kind == ASTType.Definition and statement.name != horizon.constant:
            if syntax.names_term(statement.value, horizon.constant):
                what = f"the constant {statement.name} is computed from the horizon"
        elif kind == ASTType.Program and str(statement) != "#program base.":
            what = "the program has parts of its own"
        elif kind not in (*_DEMANDING, *_KEPT, ASTType.Rule, ASTType.Definition):
            what = f"{statement} is not known here"
        elif is_asked and QUERY in syntax.named_in(statement):
            what = "query/1 has a meaning of its own"
        elif theory_atoms(statement):
            what = "theory atoms are not converted"
        elif keys & known and not keys <= known:
            what = f"{statement} derives a domain of times and more"
        if what:
            raise NotConvertible(what, at=syntax.location(statement))


def _domains_of(statement: AST, horizon: Horizon) -> list[Signature]:
    keys = dict.fromkeys(syntax.signature(atom) for atom in syntax.heads(statement))
    return [key for key in keys if key in horizon.domains or key in horizon.ends]


def _is_moving(statement: AST, known: Known) -> bool:
    """Whether a statement says something else as the horizon grows."""
    if statement.ast_type in (*_KEPT, ASTType.Definition):
        return False
    changing = known.dynamic | known.horizon.ends.keys()
    read = syntax.read_in(statement)
    return syntax.names_term(statement, known.horizon.constant) or not read.isdisjoint(changing)


def _base_times(
    whole: Unit,
    still: Collection[AST],
    known: Known,
    constants: Mapping[str, str],
    put: Substitution,
) -> tuple[dict[Signature, tuple[float, float]], dict[Signature, float]]:
    """Between which times base gives atoms of a predicate, and up to which it leaves some open."""
    horizon, is_open = known.horizon, set(known.horizon.open)
    keys = {key for key in horizon.places if key in known.dynamic and key not in horizon.domains}
    given, fixed = dict[Signature, tuple[float, float]](), dict[Signature, float]()
    closed = list[AST]()
    for statement in still:
        if not syntax.is_choice(statement) and is_open.isdisjoint(syntax.read_in(statement)):
            closed.append(statement)
            continue
        for atom in syntax.heads(put.visit(statement)):
            if (key := syntax.signature(atom)) in keys:
                time = syntax.number_of(syntax.arguments(atom)[horizon.places[key]])
                fixed[key] = max(inf if time is None else time, fixed.get(key, -inf))
    part = part_for(keys, whole, closed, horizon.constant)
    for symbol in ground_facts([part], values_in(part, constants), strict=False):
        if (key := syntax.predicate(symbol)) in keys:
            term = symbol.arguments[horizon.places[key]]
            if term.type == SymbolType.Number:
                low, high = given.get(key, (inf, -inf))
                given[key] = min(low, term.number), max(high, term.number)
    return given, fixed


_Copies = dict[str, list[AST]]  # what becomes of a statement, by part

_PARTS = ("base", "step", "check")


class _Copying:
    """Writes the statements into parts; check has atoms of its own of `present` predicates."""

    def __init__(self, times: Times, whole: Unit, static: Set[Signature]) -> None:
        self.times, self.whole, self.static = times, whole, static
        self.horizon, self.origin = times.known.horizon, times.known.horizon.origin
        taken = (whole.constants | whole.definitions) - {self.horizon.constant}
        names = chain(("t", "k", "step"), (f"t{i}" for i in count(2)))
        self.t = next(name for name in names if name not in taken)  # which nothing else has
        self.present = {key for rule in times.rules for key in rule.keys}
        self.copied: dict[Signature, set[float | None]] = {}

    def units(self, units: Sequence[Unit], rules: Mapping[int, list[Rule]]) -> tuple[Unit, ...]:
        before = None
        while before != self.present:
            before = self.present
            self.copied = {key: {None} for key in self.times.late if key in self.static}
            copies = {id(rule): self._copies(rule) for rule in self.times.rules}
            derived = (r.keys for r in self.times.rules if copies[id(r)].get("check"))
            self.present = set().union(self.times.late, *derived)
        parts = [copies[id(rule)] for rule in self.times.rules]
        copied = [s for part in parts for several in part.values() for s in several]
        used, written, found = set().union(*map(syntax.read_in, copied)), set[Signature](), []
        for unit in units:
            own: _Copies = {part: [] for part in _PARTS}
            for statement in unit.statements:
                if statement.ast_type == ASTType.Definition:
                    own["base"] += [statement] if statement.name != self.horizon.constant else []
                elif keys := _domains_of(statement, self.horizon):
                    for key in (key for key in keys if key not in written):
                        written.add(key)
                        self._write_domain(key, statement, key in used, own)
                elif id(statement) not in rules:
                    own["base"] += [statement] if statement.ast_type != ASTType.Program else []
                for rule in rules.get(id(statement), ()):
                    for part, copied in copies[id(rule)].items():
                        own[part] += copied
            is_last = unit is units[-1]
            own["check"] += self._shown() if is_last else []
            statements = []
            for part, copied in own.items():
                if copied or is_last or part == "base":
                    header = f"#program {part}({self.t})." if part != "base" else "#program base."
                    statements += [parse_text(header)[1], *copied]
            found.append(Unit(tuple(statements), unit.facts))
        return tuple(found)

    def _is_visible(self, key: Signature) -> bool:
        return not self.whole.shown or key in self.whole.shown

    def _write_domain(self, key: Signature, source: AST, is_used: bool, own: _Copies) -> None:
        """The times of a domain, or that which is the last, where its first rule stands."""
        name, origin = f"{key[0]}{key[1]}", self.origin
        if key in self.horizon.ends:
            if self._is_visible(key):
                last = _sum(self.t, origin + self.horizon.ends[key])
                own["check"].append(_parsed(f"#show {name}({last}) : query({self.t}).", source))
        elif self._is_visible(key) or is_used:
            low, top = self.horizon.domains[key][0], origin + self.horizon.domains[key][1]
            now = _sum(self.t, top)
            if low <= top:
                times = str(low) if low == top else f"{low}..{top}"
                own["base"].append(_parsed(f"{name}({times}).", source))
            since = f" :- {now} >= {low}" if top + 1 < low else ""
            own["step"].append(_parsed(f"{name}({now}){since}.", source))

    def _shown(self) -> list[AST]:
        """What copies atoms for check, and shows those of check by their own names."""
        found = []
        for key in sorted(self.present - self.horizon.domains.keys()):
            sign, name, arity = key
            late = self.times.late.get(key)
            at = (late or next(r for r in self.times.rules if key in r.keys)).source
            terms = [f"V{i}" for i in range(arity)]
            plain, now = _atom(sign, name, terms), _atom(sign, LATEST + name, [*terms, self.t])
            distances = self.copied.get(key, set())
            known = sorted(
                _sum(self.t, self.origin + int(by)) for by in distances if by is not None
            )
            for time in [None] if None in distances else known:  # of a time, or of all times
                copied, to = plain, now
                if time is not None:
                    own = terms.copy()
                    own[self.horizon.places[key]] = time
                    copied, to = _atom(sign, name, own), _atom(sign, LATEST + name, [*own, self.t])
                found.append(_parsed(f"{to} :- {copied}, query({self.t}).", at))
            if self._is_visible(key):
                more = f", not {plain}" if distances else ""  # which is shown already
                found.append(_parsed(f"#show {plain} : {now}, query({self.t}){more}.", at))
        return found

    # The copies of a rule.

    def _copies(self, rule: Rule) -> _Copies:
        if self.times.changes(rule):
            return {"check": self._checked(rule, {})}
        first: tuple[Time, float] = ("", self.origin), -inf
        if (span := self.times.span(rule)) is None:
            return {"base": self._simplified(rule, {}, [], *first)}
        name, settled = span.name, int(span.settled)
        low, top = self.times.lower(rule, name), self.origin - settled
        base, checks = list[AST](), list[AST]()
        if low == top:
            base = self._simplified(rule, {name: ("", top)}, [], *first)
        elif low < top:
            is_within = any(
                self.horizon.domains[r.key][1] + self.origin - r.time[1] <= top
                for r in rule.readings
                if r.is_plain and r.key in self.horizon.domains and r.time and r.time[0] == name
            )
            limit = comparison(rule.node, (name, 0), Op.LessEqual, ("", top))
            base = self._simplified(rule, {}, [] if is_within else [limit], *first)
        for by in range(int(span.natural), settled):
            checks += self._checked(rule, {name: (self.t, self.origin - by)})
        step = self._simplified(rule, {name: (self.t, top)}, [], (self.t, self.origin), 1)
        return {"base": base, "step": step, "check": checks}

    def _checked(self, rule: Rule, put: Mapping[str, Time]) -> list[AST]:
        """The copy for check, which is about the present horizon alone."""
        found = []
        for node in self._simplified(rule, put, [], (self.t, self.origin), 0):
            body = [b for b in node.body if not self._is_absent(b)]
            if all(literal.sign == Sign.Negation for literal in node.body if literal not in body):
                (query,) = parse_text(f":- query({self.t}).")[1].body
                node = node.update(body=[*body, query])
                found.append(self._of_present(node))
        return found

    def _simplified(
        self, rule: Rule, put: Mapping[str, Time], limits: Sequence[AST], last: Time, least: float
    ) -> list[AST]:
        """The rule with some times, without literals that hold; none where one never holds."""
        node: AST = Substitution({**put, self.horizon.constant: last}).visit(rule.node)

        def hold(literals: Iterable[AST]) -> list[AST] | None:
            found = []
            for literal in literals:
                holds = self._holds(literal, last, least)
                if holds is False:
                    return None
                found += [literal] if holds is None else []
            return found

        if (body := hold(node.body)) is None:
            return []
        node = node.update(body=[*body, *limits])
        head = node.head if node.ast_type == ASTType.Rule else None
        if head is not None and head.ast_type in (ASTType.Aggregate, ASTType.Disjunction):
            pairs = [(element, hold(element.condition)) for element in head.elements]
            elements = [e.update(condition=c) for e, c in pairs if c is not None]
            if elements:
                node = node.update(head=head.update(elements=elements))
            elif head.ast_type == ASTType.Aggregate and not (head.left_guard or head.right_guard):
                return []
        return [node]

    def _holds(self, literal: AST, last: Time, least: float) -> bool | None:
        """Whether a literal about times alone holds; None if that is not certain."""
        is_denied = syntax.is_literal(literal, sign=Sign.Negation)
        bounds = self.times.known.bounds(literal.update(sign=Sign.NoSign) if is_denied else literal)
        put = {self.horizon.constant: last}
        held = {_holds(bound, put, self.t, least) for bound in bounds}
        if not bounds or (None in held and False not in held):
            return None
        return (False in held) == is_denied

    # What is of the present horizon alone.

    def _is_absent(self, literal: AST) -> bool:
        """Whether a literal of check is about an atom that no rule derives yet."""
        if not syntax.is_literal(literal, sign=None) or literal.sign == Sign.DoubleNegation:
            return False
        key, by = syntax.signature(literal.atom), self._distance(literal.atom)
        return key not in {*self.present, *self.static} and by not in (None, -inf)

    def _distance(self, atom: AST) -> float | None:
        """How far an atom that is not complete is from the horizon; -inf if it is complete."""
        key, times = syntax.signature(atom), self.times
        term = syntax.time_of(atom, self.horizon.places)
        if key not in times.known.dynamic or term is None:
            return -inf
        time = shift_of(term)
        if time is None or time[0] != self.t:
            return None
        by = time[1] - self.origin
        return -inf if by + times.complete.get(key, -inf) <= 0 else by

    def _of_present(self, node: AST) -> AST:
        """The statement with atoms of the present horizon."""

        def own(atom: AST) -> AST:
            terms = [*syntax.arguments(atom), term_of(atom.symbol, (self.t, 0))]
            return syntax.renamed(atom, LATEST + syntax.signature(atom)[1], terms)

        def read(atom: AST) -> AST:
            if (key := syntax.signature(atom)) not in self.present:
                return atom
            if key not in self.times.late:
                if (by := self._distance(atom)) == -inf:
                    return atom
                if by is None or key in self.static:
                    self.copied.setdefault(key, set()).add(by)
            return own(atom)

        new: AST = Walker(SymbolicAtom=read).visit(node)
        if node.ast_type == ASTType.Rule:
            new = new.update(head=_with_heads(node.head, new.head, Walker(SymbolicAtom=own)))
        return new


def _with_heads(head: AST, read: AST, own: Walker) -> AST:
    """A head with atoms of its own names, and the conditions of another."""
    if head.ast_type not in (ASTType.Aggregate, ASTType.Disjunction, ASTType.HeadAggregate):
        return own.visit(head)
    elements = []
    for old, new in zip(head.elements, read.elements, strict=True):
        if head.ast_type == ASTType.HeadAggregate:
            literal = own.visit(old.condition.literal)
            elements.append(new.update(condition=new.condition.update(literal=literal)))
        else:
            elements.append(new.update(literal=own.visit(old.literal)))
    return read.update(elements=elements)


def _holds(bound: Bound, put: Mapping[str, Time], t: str, least: float) -> bool | None:
    """Whether a bound holds for all values of t from the least on; None if for some."""
    left, operator, right = bound
    (a, x), (b, y) = (
        (put[name][0], put[name][1] + shift) if name in put else (name, shift)
        for name, shift in (left, right)
    )
    low = high = float(x - y)
    if a != b:
        if b == t and not a:
            a, x, operator, b, y = b, y, MIRRORED[operator], a, x
        if a != t or b:
            return None
        low, high = least + x - y, inf
    match operator:
        case Op.LessThan | Op.GreaterEqual:
            found = True if low >= 0 else False if high < 0 else None
        case Op.LessEqual | Op.GreaterThan:
            found = True if low > 0 else False if high <= 0 else None
        case _:
            found = True if low > 0 or high < 0 else False if low == high == 0 else None
    is_as_found = operator in (Op.GreaterEqual, Op.GreaterThan, Op.NotEqual)
    return found if found is None or is_as_found else not found


def _atom(sign: str, name: str, terms: Sequence[str]) -> str:
    return f"{sign}{name}({','.join(terms)})" if terms else f"{sign}{name}"


def _sum(name: str, number: int) -> str:
    return f"{name}{number:+d}" if number else name


def _parsed(text: str, source: AST) -> AST:
    new = parse_text(text)[1]
    new.location = source.location
    return new


def _with_expanded(unit: Unit, constant: str) -> Unit:
    """The unit with plain facts that name the constant among its statements."""
    found = (statements_in(facts) for facts in unit.facts if constant in facts.names)
    naming = (s for group in found for s in group if syntax.names_term(s, constant))
    if not (keys := set().union(*map(syntax.defined_in, naming))):
        return unit
    more = unit.expand_facts(keys)
    return Unit((*unit.statements, *more), tuple(facts.without(keys) for facts in unit.facts))


# A program that is grounded anew for each horizon, as if it were written in parts.

_NOW = "t"


@lru_cache(maxsize=16)
def in_parts(program: Program) -> Program:
    """Such a program for those who ask what is what in it; it is read and never run.

    A rule that speaks of times becomes one of `step(t)`, or of `check(t)` if it derives nothing:
    its latest time is `t`. Where what happens at T leads to T+1, rules of what happens are of
    `t-1`. What is left out is when a rule begins and ends to hold.
    """
    horizon = program.horizon
    assert horizon is not None
    places, domains = horizon.places, {*horizon.domains, *horizon.ends, *horizon.successors}
    clauses = (clause_of(statement, horizon.successors) for statement in program.statements)
    timed = [
        (c, [u for u in c.uses if places.get(u.key) == u.place and u.key not in domains])
        for c in clauses
    ]
    early = _following(timed, horizon.events if horizon.lag else (), horizon.carried)
    sections = tuple(_section(clause, uses, early, horizon.constant) for clause, uses in timed)
    return replace(program, sections=sections, horizon=None)


def _following(
    rules: Iterable[tuple[Clause, Collection[Use]]],
    starts: Iterable[Signature],
    other: Collection[Signature],
) -> frozenset[Signature]:
    """Some predicates, and what follows from them at the same time that is none of the others."""
    links = list[tuple[set[Signature], set[Signature]]]()
    for clause, uses in rules:
        timed = {u.key: (u.name, u.shift) for u in uses if u.head}
        for u in uses:
            if not u.head:
                now = u.name, u.shift
                found = {key for key in clause.defined if timed.get(key, now) == now}
                links.append((found.difference(other), {u.key}))
    return frozenset(depending_on(starts, links))


def _section(
    clause: Clause, uses: Collection[Use], early: Collection[Signature], constant: str
) -> Section:
    statement = clause.statement
    heads = [use for use in uses if use.head and use.is_variable]
    timed = heads or [use for use in uses if use.is_variable]
    if not timed and statement.ast_type == ASTType.Rule:
        timed = [use for use in uses if use.name == constant]
    if not timed:
        return Section("base", "", (statement,))
    latest = max(timed, key=lambda use: use.shift)
    ahead = latest.shift + (latest.head and latest.key in early)
    aliases = clause.aliases.items()
    times = {n: (_NOW, by - ahead) for n, (root, by) in aliases if root == latest.name}
    statement = Substitution({**times, latest.name: (_NOW, -ahead)}).visit(statement)
    return Section("step" if heads or is_choice(statement) else "check", _NOW, (statement,))
