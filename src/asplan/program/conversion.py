"""Single-shot programs as incremental ones, with the same answers at each horizon.

Step t belongs to the value `origin + t` of the constant. What is settled at that value stands in
`step(t)`, and in `base` what is settled at the origin. What holds for the time being, and what is
another thing for each horizon, stands in `check(t)`: it derives atoms of its own,
`asplan__last_goal(t)` for `goal`, and its constraints are under `query(t)`. See `times` for when
a rule is settled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from clingo import SymbolType

from asplan.core.graphs import components
from asplan.program.horizon import Horizon
from asplan.program.incremental import HELPER
from asplan.program.normal import (
    Reader,
    Spoken,
    dynamic_predicates,
    known_times,
    normal_forms,
    places_of,
    split,
    with_names,
)
from asplan.program.sorts import shift_of, sorts_of
from asplan.program.source import parse_text
from asplan.program.syntax import (
    AST,
    ASTType,
    Sign,
    Signature,
    Walker,
    arguments,
    atoms,
    find,
    heads,
    is_choice,
    is_literal,
    location,
    names_term,
    number_of,
    reads,
    signature,
)
from asplan.program.times import (
    Analysis,
    Clause,
    NotConvertible,
    Op,
    Putting,
    Span,
    Time,
    bounds_of,
    comparison,
    is_variable,
    term_of,
    truth,
)
from asplan.program.unit import QUERY, Unit, joined

_DEMANDING = (ASTType.Minimize, ASTType.ShowTerm, ASTType.Heuristic, ASTType.Edge)
_KEPT = (ASTType.ShowSignature, ASTType.Defined, ASTType.ProjectSignature, ASTType.Program)

LATEST = HELPER + "last_"
"""How the names begin of what `check` derives; `rewrite` names the present of `at` asplan__at."""


def convert(
    units: Sequence[Unit], horizon: Horizon, constants: Mapping[str, str]
) -> tuple[Unit, ...]:
    """The units with the parts base, step(t) and check(t).

    Raises `NotConvertible` where that is not certain to have the same answers.
    """
    return _Conversion(units, horizon, constants).units()


@dataclass
class _Copies:
    """What becomes of one statement; `past` tells copies of check from each other."""

    base: list[AST] = field(default_factory=list)
    step: list[AST] = field(default_factory=list)
    check: list[AST] = field(default_factory=list)
    past: list[int] = field(default_factory=list)


class _Conversion:
    """The conversion of one program."""

    def __init__(
        self, given: Sequence[Unit], horizon: Horizon, constants: Mapping[str, str]
    ) -> None:
        self.horizon, self.origin = horizon, horizon.origin
        self.given = [_with_expanded(unit, horizon.constant) for unit in given]
        self.whole = joined(self.given)
        self.constants = constants
        self._moving: dict[int, bool] = {}
        self._written: set[Signature] = set()
        self._refuse()
        self.numbers = {
            name: int(value)
            for name, value in {**self.whole.values, **constants}.items()
            if name != horizon.constant and value.lstrip("-").isdigit()
        }
        self.shown = self.whole.shown
        self.t = _parameter(self.whole, horizon.constant)
        self._analyse()

    def _refuse(self) -> None:
        constant = self.horizon.constant
        for statement in self.whole.statements:
            at = location(statement)
            if statement.ast_type == ASTType.Definition and statement.name != constant:
                if names_term(statement.value, constant):
                    what = f"the constant {statement.name} is computed from the horizon"
                    raise NotConvertible(what, at=at)
            elif statement.ast_type == ASTType.Program and str(statement) != "#program base.":
                raise NotConvertible("the program has parts of its own", at=at)
            elif statement.ast_type not in (*_DEMANDING, *_KEPT, ASTType.Rule, ASTType.Definition):
                raise NotConvertible(f"{statement} is not known here", at=at)
            if any(signature(atom) == QUERY for atom in atoms(statement)):
                raise NotConvertible("query/1 has a meaning of its own", at=at)
            if find(ASTType.TheoryAtom, [statement]):
                raise NotConvertible("theory atoms are not converted", at=at)

    def _analyse(self) -> None:
        constant, statements = self.horizon.constant, self.whole.statements
        self.dynamic = dynamic_predicates(statements, constant)
        self.open = set(sorts_of(self.whole).open)
        self.known = known_times(self.given, self.horizon, self.constants, self.dynamic, self.open)
        self.dynamic -= self.known.ends.keys()
        nodes: list[tuple[AST, list[AST]]] = []
        put = Putting({name: ("", number) for name, number in self.numbers.items()})
        for statement in statements:
            forms: list[AST] = []
            keys = {signature(atom) for atom in heads(statement)}
            fixed = self.known.domains.keys() | self.known.ends.keys()
            if keys & fixed:
                if not keys <= fixed:
                    what = f"{statement} derives a domain of times and more"
                    raise NotConvertible(what, at=location(statement))
            elif self._is_moving(statement):
                forms = normal_forms(put.visit(statement), constant, self.known)
            nodes.append((statement, forms))
        flat = [form for _, forms in nodes for form in forms]
        spoken = [Spoken.of(form) for form in flat]
        places = places_of(spoken, constant, self.known, self.dynamic)
        reader = Reader(constant, self.dynamic, places, self.known)
        self.clauses: dict[int, list[Clause]] = {}
        self.own = set[Signature]()
        for statement, forms in nodes:
            self.clauses[id(statement)] = [
                reader.clause(statement, with_names(node, places))
                for form in forms
                for new in split(form, constant, places, self.known)
                for node in self._without_ever(new, places)
            ]
        fixed_times, given = self._fixed(places, put)
        self.times = Analysis(
            constant=constant,
            origin=self.origin,
            dynamic=self.dynamic,
            domains=self.known.domains,
            places=places,
            rules=[clause for group in self.clauses.values() for clause in group],
            fixed=fixed_times,
            facts=given,
        )
        self.times.run()
        for key in self.times.late:
            for rule in self.times.rules_of(key):
                if rule.is_open:
                    raise self._late_choice(rule)

    def _without_ever(self, node: AST, places: Mapping[Signature, int]) -> list[AST]:
        """The statement with a predicate of its own for `not p(X,_)`, which speaks of all times."""
        more, body = list[AST](), list[AST]()
        for literal in getattr(node, "body", ()):
            new = literal
            if literal.ast_type == ASTType.Literal and literal.sign == Sign.Negation and (
                literal.atom.ast_type == ASTType.SymbolicAtom
            ):  # fmt: skip
                (sign, name, arity), terms = signature(literal.atom), arguments(literal.atom)
                place = places.get((sign, name, arity))
                if place is not None and str(terms[place]) == "_":
                    kept = [i for i, term in enumerate(terms) if str(term) != "_"]
                    own = "", f"{name}_{'not_' if sign else ''}ever", len(kept)
                    if own not in self.whole.defined | self.whole.read:
                        inside = [f"V{i}" if i in kept else "_" for i in range(arity)]
                        inside[place] = "T"
                        head = _atom("", own[1], [f"V{i}" for i in kept])
                        rule = _parsed(f"{head} :- {_atom(sign, name, inside)}.", node)
                        if own not in self.own:
                            more.append(rule)
                        self.own.add(own)
                        self.dynamic.add(own)
                        symbol = rule.head.atom.symbol
                        if kept:
                            symbol = symbol.update(arguments=[terms[i] for i in kept])
                        new = literal.update(atom=literal.atom.update(symbol=symbol))
            body.append(new)
        return (
            [*more, node.update(body=body)]
            if (self.own and more) or body != list(getattr(node, "body", ()))
            else [node]
        )

    def _late_choice(self, rule: Clause) -> NotConvertible:
        elsewhere = {str(at) for at in self.horizon.elsewhere}
        if rule.elsewhere and str(rule.at) in elsewhere:
            what = f"{self.horizon.constant} also stands where no time is"
        else:
            what = "this choice depends on the horizon"
        return NotConvertible(what, at=rule.at)

    def _is_moving(self, statement: AST) -> bool:
        """Whether a statement says something else as the horizon grows."""
        if id(statement) not in self._moving:
            self._moving[id(statement)] = self._moves(statement)
        return self._moving[id(statement)]

    def _moves(self, statement: AST) -> bool:
        if statement.ast_type in (*_KEPT, ASTType.Definition):
            return False
        read = {signature(atom) for atom in reads(statement)}
        if statement.ast_type in (ASTType.Heuristic, ASTType.ProjectAtom):
            read |= {signature(atom) for atom in atoms(statement)}
        return bool(
            names_term(statement, self.horizon.constant)
            or read & self.dynamic
            or read & self.known.ends.keys()
        )

    def _fixed(
        self, places: Mapping[Signature, int], put: Putting
    ) -> tuple[dict[Signature, tuple[float, float]], dict[Signature, tuple[float, float]]]:
        """The times of what does not depend on the horizon: what is open, and what is given."""
        fixed, given = (
            dict[Signature, tuple[float, float]](),
            dict[Signature, tuple[float, float]](),
        )

        def add(table: dict[Signature, tuple[float, float]], key: Signature, low: float,
                high: float) -> None:  # fmt: skip
            old = table.get(key, (inf, -inf))
            table[key] = min(low, old[0]), max(high, old[1])

        for facts in self.whole.facts:
            keys = places.keys() & self.dynamic & facts.signatures - self.known.domains.keys()
            for symbol in facts.of(keys).symbols() if keys else ():
                key = ("" if symbol.positive else "-", symbol.name, len(symbol.arguments))
                term = symbol.arguments[places[key]]
                name = str(term)
                if term.type == SymbolType.Number:
                    add(given, key, term.number, term.number)
                elif name in self.numbers:
                    add(given, key, self.numbers[name], self.numbers[name])
        for statement in self.whole.statements:
            if statement.ast_type != ASTType.Rule or self._is_moving(statement):
                continue
            body = {signature(atom) for atom in reads(statement)}
            is_given = not is_choice(statement) and not body & self.open
            for atom in heads(put.visit(statement)):
                key = signature(atom)
                if key in places and key in self.dynamic and key not in self.known.domains:
                    low, high = self._extent(arguments(atom)[places[key]], statement)
                    add(given if is_given else fixed, key, low, high)
        return fixed, given

    def _extent(self, term: AST, statement: AST) -> tuple[float, float]:
        """Between which numbers a term of a rule lies that does not depend on the horizon."""
        if (number := number_of(term)) is not None:
            return number, number
        if term.ast_type == ASTType.Interval:
            low, high = number_of(term.left), number_of(term.right)
            if low is not None and high is not None:
                return low, high
        time = shift_of(term)
        for literal in statement.body:
            if time is None or not is_variable(time[0]) or not is_literal(literal):
                continue
            for place, argument in enumerate(arguments(literal.atom)):
                if str(argument) == time[0] and (values := self._values(literal.atom, place)):
                    return min(values) + time[1], max(values) + time[1]
        return -inf, inf

    def _values(self, atom: AST, place: int) -> list[int]:
        """The numbers that plain facts have at a place; empty if there is more to it."""
        key = signature(atom)
        if any(signature(head) == key for s in self.whole.statements for head in heads(s)):
            return []
        terms = [
            symbol.arguments[place]
            for facts in self.whole.facts
            for symbol in facts.of({key}).symbols()
        ]
        if not all(term.type == SymbolType.Number for term in terms):
            return []
        return [term.number for term in terms]

    # What becomes of the statements.

    def units(self) -> tuple[Unit, ...]:
        """The converted program."""
        times = self.times
        self.summed = {key for key in times.late if self._is_summed(key)}
        self.fringe = self._fringe({})
        while True:
            copies = {id(clause): self._copies(clause) for clause in times.rules}
            found = self._fringe(copies)
            if found == self.fringe:
                break
            self.fringe = found
        self._guard(copies)
        used = {
            signature(atom)
            for each in copies.values()
            for part in (each.base, each.step, each.check)
            for node in part
            for atom in reads(node)
        }
        more = self._more(used)
        result = []
        for unit in self.given:
            parts: dict[str, list[AST]] = {"base": [], "step": [], "check": []}
            for statement in unit.statements:
                if statement.ast_type == ASTType.Program:
                    continue
                if statement.ast_type == ASTType.Definition:
                    if statement.name != self.horizon.constant:
                        parts["base"].append(statement)
                    continue
                if self._is_known(statement):
                    for part, nodes in self._domain(statement, used).items():
                        parts[part] += nodes
                    continue
                if not self._is_moving(statement):
                    parts["base"].append(statement)
                for clause in self.clauses[id(statement)]:
                    each = copies[id(clause)]
                    parts["base"] += each.base
                    parts["step"] += each.step
                    parts["check"] += each.check
            if unit is self.given[-1]:
                for part, nodes in more.items():
                    parts[part] += nodes
            headers = parse_text(f"#program base. #program step({self.t}). "
                                 f"#program check({self.t}).")[1:]  # fmt: skip
            statements = [headers[0], *parts["base"]]
            for header, part in zip(headers[1:], ("step", "check"), strict=True):
                if parts[part] or unit is self.given[-1]:
                    statements += [header, *parts[part]]
            result.append(Unit(tuple(statements), unit.facts))
        return tuple(result)

    def _is_known(self, statement: AST) -> bool:
        keys = {signature(atom) for atom in heads(statement)}
        return bool(keys & (self.known.domains.keys() | self.known.ends.keys()))

    def _is_visible(self, key: Signature) -> bool:
        return key not in self.own and (not self.shown or key in self.shown)

    def _domain(self, statement: AST, used: Collection[Signature]) -> dict[str, list[AST]]:
        """The facts of a domain, where its first rule stands."""
        parts: dict[str, list[AST]] = {}
        for key in dict.fromkeys(signature(atom) for atom in heads(statement)):
            if key in self._written:
                continue
            self._written.add(key)
            sign, name, _ = key
            if key in self.known.ends:
                if self._is_visible(key):
                    now = _sum(self.t, self.origin + self.known.ends[key])
                    text = f"#show {sign}{name}({now}) : query({self.t})."
                    parts.setdefault("check", []).append(_parsed(text, statement))
                continue
            if not self._is_visible(key) and key not in used:
                continue
            low, high = self.known.domains[key]
            top = self.origin + high
            by = self.known.pairs.get(key)
            if low <= top:
                if by is None:
                    term = str(low) if low == top else f"{low}..{top}"
                    text = f"{sign}{name}({term})."
                elif low == top:
                    text = f"{sign}{name}({low},{low + by})."
                else:
                    text = f"{sign}{name}(T,{_sum('T', by)}) :- T = {low}..{top}."
                parts.setdefault("base", []).append(_parsed(text, statement))
            now = _sum(self.t, top)
            terms = now if by is None else f"{now},{_sum(self.t, top + by)}"
            since = f" :- {now} >= {low}" if top + 1 < low else ""
            text = f"{sign}{name}({terms}){since}."
            parts.setdefault("step", []).append(_parsed(text, statement))
        return parts

    def _is_summed(self, key: Signature) -> bool:
        """Whether what is late only gathers what holds at some time, so that each step may add."""
        sign, name, arity = key
        if ("" if sign else "-", name, arity) in self.dynamic:
            return False
        for clause in self.times.rules_of(key):
            if len(clause.heads) != 1 or self.times.reason(clause):
                return False
            span = self.times.span(clause)
            if span is not None and span.others:
                return False
        return True

    def _gathered(self, key: Signature) -> str:
        """The name of what is gathered; its own where check adds what holds for the time being."""
        spans = [self.times.span(clause) for clause in self.times.rules_of(key)]
        is_all = all(span is None or span.natural == span.settled for span in spans)
        return f"{LATEST}{'' if is_all else '0'}{key[1]}"

    def _fringe(self, copies: Mapping[int, _Copies]) -> dict[Signature, set[int]]:
        """What holds for the time being: how far from the horizon the times of such atoms are."""
        found: dict[Signature, set[int]] = {}
        for clause in self.times.rules:
            keys = {key for key, _ in clause.heads} - self.times.late.keys()
            span = self.times.span(clause) if keys else None
            if span is None or span.others:
                continue
            past: Collection[int] = range(int(span.natural), int(span.settled))
            if copies:
                past = copies[id(clause)].past
            for key, time in clause.heads:
                if key in keys and time is not None and past:
                    found.setdefault(key, set()).update(time[1] - by for by in past)
        return found

    def _copies(self, clause: Clause) -> _Copies:
        """What becomes of a clause."""
        keys = {key for key, _ in clause.heads}
        is_late = bool(keys & self.times.late.keys())
        if self.times.reason(clause) or (is_late and not keys <= self.summed):
            return _Copies(check=self._checked(clause, {}))
        span = self.times.span(clause)
        if span is None:
            return _Copies(base=self._based(clause, {}, {}))
        if span.others:
            return self._several(clause, span)
        copies = _Copies()
        name, settled, natural = span.name, int(span.settled), int(span.natural)
        copies.base = self._based(clause, {name: settled}, {})
        copies.step = self._stepped(clause, {name: (self.t, self.origin - settled)}, [])
        for by in range(natural, settled):
            if found := self._checked(clause, {name: (self.t, self.origin - by)}):
                copies.check += found
                copies.past.append(by)
        return copies

    def _several(self, clause: Clause, span: Span) -> _Copies:
        """One copy for each time that may be the greatest."""
        copies = _Copies()
        settled = {span.name: int(span.settled)}
        settled |= {name: int(value) for name, value in span.others.items()}
        copies.base = self._based(clause, settled, {})
        names = list(settled)
        for i, name in enumerate(names):
            limits = [
                comparison(
                    clause.node,
                    (other, 0),
                    Op.LessThan if j > i else Op.LessEqual,
                    (self.t, self.origin - settled[other]),
                )
                for j, other in enumerate(names)
                if other != name
            ]
            put = {name: (self.t, self.origin - settled[name])}
            copies.step += self._stepped(clause, put, limits)
        return copies

    def _based(
        self, clause: Clause, settled: Mapping[str, int], put: Mapping[str, Time]
    ) -> list[AST]:
        """The copy for base, if there are times that are settled at the origin."""
        times, limits = dict(put), list[AST]()
        for name, by in settled.items():
            low, top = self.times.lower(clause, name), self.origin - by
            if low > top:
                return []
            if low == top:
                times[name] = "", top
            elif not self._implies(clause, name, top):
                limits.append(comparison(clause.node, (name, 0), Op.LessEqual, ("", top)))
        times[self.horizon.constant] = "", self.origin
        node = self._put(clause, times, limits)
        simple = None if node is None else self._simplified(node, -inf)
        return [] if simple is None else [self._renamed(simple, ("", 0))]

    def _implies(self, clause: Clause, name: str, top: int) -> bool:
        """Whether the domains in a rule keep a variable within what base has."""
        return any(
            reading.is_plain
            and reading.time is not None
            and reading.time[0] == name
            and reading.key in self.known.domains
            and self.origin + self.known.domains[reading.key][1] - reading.time[1] <= top
            for reading in clause.readings
        )

    def _stepped(self, clause: Clause, put: Mapping[str, Time], limits: Sequence[AST]) -> list[AST]:
        """The copy for step."""
        times = {**put, self.horizon.constant: (self.t, self.origin)}
        node = self._put(clause, times, limits)
        simple = None if node is None else self._simplified(node, 1)
        return [] if simple is None else [self._renamed(simple, (self.t, 0))]

    def _checked(self, clause: Clause, put: Mapping[str, Time]) -> list[AST]:
        """A copy for check, which is about the present horizon alone."""
        times = {**put, self.horizon.constant: (self.t, self.origin)}
        node = self._put(clause, times, [])
        simple = None if node is None else self._simplified(node, 0)
        present = None if simple is None else self._present(simple, clause)
        if present is None:
            return []
        return [present] if clause.heads else [self._demanded(present)]

    def _demanded(self, node: AST) -> AST:
        """The statement under the query of the present."""
        (query,) = parse_text(f":- query({self.t}).")[1].body
        return node.update(body=[*node.body, query])

    def _put(self, clause: Clause, times: Mapping[str, Time], limits: Sequence[AST]) -> AST:
        node: AST = Putting(times).visit(clause.node)
        return node.update(body=[*node.body, *limits]) if limits else node

    def _renamed(self, node: AST, now: Time) -> AST:
        """The statement with names of its own for what is gathered."""

        def renamed(atom: AST) -> tuple[str, list[AST]] | None:
            if (key := signature(atom)) not in self.summed:
                return None
            return self._gathered(key), [*arguments(atom), term_of(atom.symbol, now)]

        if not any(signature(atom) in self.summed for atom in heads(node)):
            return node
        return node.update(head=_Renamer(renamed).visit(node.head))

    # Simplifying.

    def _simplified(self, node: AST, least: float) -> AST | None:
        """The statement without literals that hold; None if one never does."""
        body = self._literals(node.body, least)
        if body is None:
            return None
        node = node.update(body=body)
        if node.ast_type == ASTType.Rule and node.head.ast_type in (
            ASTType.Aggregate,
            ASTType.Disjunction,
        ):
            elements = []
            for element in node.head.elements:
                condition = self._literals(element.condition, least)
                if condition is not None:
                    elements.append(element.update(condition=condition))
            if elements:
                return node.update(head=node.head.update(elements=elements))
            if node.head.ast_type == ASTType.Aggregate and _allows_none(node.head):
                return None
        return node

    def _literals(self, literals: Iterable[AST], least: float) -> list[AST] | None:
        found: list[AST] = []
        for literal in (new for one in literals for new in self._ends(one)):
            holds = self._holds(literal, least)
            if holds is False:
                return None
            if holds is None:
                found.append(self._with_conditions(literal, least))
        return found

    def _ends(self, literal: AST) -> list[AST]:
        """What an interval says of a time that is no variable."""
        bounds = bounds_of(literal)
        if len(bounds) == 2 and not is_variable(bounds[0][0][0]):
            return [comparison(literal, *bound) for bound in bounds]
        return [literal]

    def _with_conditions(self, literal: AST, least: float) -> AST:
        if literal.ast_type == ASTType.ConditionalLiteral:
            condition = self._literals(literal.condition, least)
            return literal if condition is None else literal.update(condition=condition)
        if literal.ast_type == ASTType.Literal and literal.atom.ast_type in (
            ASTType.Aggregate,
            ASTType.BodyAggregate,
        ):
            elements = []
            for element in literal.atom.elements:
                condition = self._literals(element.condition, least)
                if condition is not None:
                    elements.append(element.update(condition=condition))
            if elements:
                return literal.update(atom=literal.atom.update(elements=elements))
        return literal

    def _holds(self, literal: AST, least: float) -> bool | None:
        """Whether a literal about times alone holds; None if that is not certain."""
        if literal.ast_type != ASTType.Literal:
            return None
        if literal.atom.ast_type == ASTType.Comparison:
            return truth(literal, {self.t}, least)
        if literal.atom.ast_type != ASTType.SymbolicAtom or literal.sign == Sign.DoubleNegation:
            return None
        key = signature(literal.atom)
        if key not in self.known.domains:
            return None
        times = [shift_of(term) for term in arguments(literal.atom)]
        low, high = self.known.domains[key]
        holds = self._in_domain(times[0], low, high, least)
        if holds and key[2] == 2:
            by = self.known.pairs[key]
            first, second = times
            if first is None or second != (first[0], first[1] + by):
                holds = None
        return holds if holds is None or literal.sign == Sign.NoSign else not holds

    def _in_domain(self, time: Time | None, low: int, high: int, least: float) -> bool | None:
        if time is None:
            return None
        name, shift = time
        if name == self.t:
            if shift > self.origin + high or (least == -inf):
                return False if shift > self.origin + high else None
            return True if least + shift >= low else None
        if not name and least == -inf:
            return low <= shift <= self.origin + high
        if not name and shift < low:
            return False
        return None

    # What is about the present horizon alone.

    def _kind(self, atom: AST) -> str:
        """What an atom in check is: late, of the boundary, absent as yet, or as it was."""
        key = signature(atom)
        if key in self.times.late:
            return "late"
        if key not in self.dynamic or key not in self.times.places or key in self.known.domains:
            return ""
        time = shift_of(arguments(atom)[self.times.places[key]])
        if time is not None and time[0] == self.t:
            by = time[1] - self.origin
            if by + self.times.complete.get(key, -inf) <= 0:
                return ""
            is_added = by in self.fringe.get(key, ())
            first = self.horizon.value(self.horizon.least) + by
            if key in self.times.early and first <= self.times.facts[key][1]:
                return "unclear" if is_added else ""
            return "boundary" if is_added else "absent"
        return "unclear" if key in self.fringe else ""

    def _present(self, node: AST, clause: Clause) -> AST | None:
        body = []
        for literal in node.body:
            if literal.ast_type == ASTType.Literal and (
                literal.atom.ast_type == ASTType.SymbolicAtom
            ) and self._kind(literal.atom) == "absent":  # fmt: skip
                if literal.sign == Sign.Negation:
                    continue
                return None
            body.append(literal)
        node = node.update(body=body)
        for atom in reads(node):
            if self._kind(atom) == "unclear":
                what = "this reads atoms that are not complete at the last step"
                raise NotConvertible(what, at=clause.at)
        new: AST = _Renamer(self._read).visit(node)
        if node.ast_type == ASTType.Rule and clause.heads:
            head: AST = _Renamer(self._own).visit(_unconditional(node.head))
            new = new.update(head=_conditional(head, new.head))
        return new

    def _read(self, atom: AST) -> tuple[str, list[AST]] | None:
        """How an atom is read in check; None if as it was."""
        return self._own(atom) if self._kind(atom) in ("late", "boundary") else None

    def _own(self, atom: AST) -> tuple[str, list[AST]]:
        """The atom of the present horizon; a time that is always as far from it is left out."""
        key, terms = signature(atom), arguments(atom)
        if len(self.fringe.get(key, ())) == 1:
            del terms[self.times.places[key]]
        return LATEST + key[1], [*terms, term_of(atom.symbol, (self.t, 0))]

    def _guard(self, copies: Mapping[int, _Copies]) -> None:
        """Put rules of check under the query where they leave something open."""
        rules = [
            (each, index, clause)
            for clause in self.times.rules
            if clause.heads
            for each in (copies[id(clause)],)
            for index in range(len(each.check))
        ]
        after: dict[Signature, set[Signature]] = {}
        denied = set[tuple[Signature, Signature]]()
        for each, index, _ in rules:
            node = each.check[index]
            read = [a for a in reads(node) if signature(a)[1].startswith(LATEST)]
            positive = {str(a) for b in node.body if is_literal(b) for a in atoms(b)}
            for head in heads(node):
                key = signature(head)
                after.setdefault(key, set()).update(map(signature, read))
                denied |= {(key, signature(a)) for a in read if str(a) not in positive}
        keys = list(after)
        number = {key: i for i, key in enumerate(keys)}
        open_keys = {key for key in keys if (("" if key[0] else "-"), *key[1:]) in number}
        graph = [[number[b] for b in after[key] if b in number] for key in keys]
        for part in components(graph):
            members = {keys[i] for i in part}
            if any({a, b} <= members for a, b in denied):
                open_keys |= members
        for each, index, clause in rules:
            node = each.check[index]
            if clause.is_open or any(signature(head) in open_keys for head in heads(node)):
                each.check[index] = self._demanded(node)

    def _more(self, used: Collection[Signature]) -> dict[str, list[AST]]:
        """What carries on what is gathered, and what shows atoms of check by their own names."""
        parts: dict[str, list[AST]] = {"base": [], "step": [], "check": []}
        times = self.times
        for key in sorted(times.late.keys() | self.fringe):
            sign, name, arity = key
            at = (times.late.get(key) or times.rules_of(key)[0]).source
            terms = [f"V{i}" for i in range(arity)]
            own = list(terms)
            if len(ahead := self.fringe.get(key, set())) == 1:
                terms[times.places[key]] = _sum(self.t, self.origin + max(ahead))
                del own[times.places[key]]
            plain, now = _atom(sign, name, terms), _atom(sign, LATEST + name, [*own, self.t])
            if key in self.summed:
                gathered = self._gathered(key)
                at_t = _atom(sign, gathered, [*own, self.t])
                before = _atom(sign, gathered, [*own, f"{self.t}-1"])
                parts["step"].append(_parsed(f"{at_t} :- {before}.", at))
                if at_t != now:
                    parts["check"].append(_parsed(f"{now} :- {at_t}.", at))
            if key in times.late and self._has_static(key):
                if key in self.summed:
                    first = _atom(sign, gathered, [*terms, "0"])
                    parts["base"].append(_parsed(f"{first} :- {plain}.", at))
                else:
                    parts["check"].append(_parsed(f"{now} :- {plain}.", at))
            if self._is_visible(key):
                # An atom that base has as well would be shown twice.
                more = f", not {plain}" if self._has_static(key) else ""
                text = f"#show {plain} : {now}, query({self.t}){more}."
                parts["check"].append(_parsed(text, at))
        return parts

    def _has_static(self, key: Signature) -> bool:
        """Whether base derives a predicate that is late."""
        if any(key in facts.signatures for facts in self.whole.facts):
            return True
        return any(
            not self._is_moving(s) and key in {signature(a) for a in heads(s)}
            for s in self.whole.statements
            if s.ast_type == ASTType.Rule
        )


class _Renamer(Walker):
    """Gives atoms other names and arguments."""

    def __init__(self, renamed: Callable[[AST], tuple[str, list[AST]] | None]) -> None:
        self.renamed = renamed

    def visit_SymbolicAtom(self, atom: AST) -> AST:
        if (new := self.renamed(atom)) is None:
            return atom
        term = atom.symbol
        is_denied = term.ast_type == ASTType.UnaryOperation
        function = (term.argument if is_denied else term).update(name=new[0], arguments=new[1])
        return atom.update(symbol=term.update(argument=function) if is_denied else function)


def _allows_none(choice: AST) -> bool:
    """Whether the bounds of a choice allow that nothing is chosen."""
    for guard, is_left in ((choice.left_guard, True), (choice.right_guard, False)):
        if guard is None:
            continue
        number, zero = number_of(guard.term), ("", 0)
        if number is None:
            return False
        left, right = (("", number), zero) if is_left else (zero, ("", number))
        if not truth(comparison(choice, left, Op(guard.comparison), right)):
            return False
    return True


def _unconditional(head: AST) -> AST:
    """A head without the conditions of its atoms."""
    if head.ast_type in (ASTType.Aggregate, ASTType.Disjunction):
        elements = [element.update(condition=[]) for element in head.elements]
        return head.update(elements=elements)
    if head.ast_type == ASTType.HeadAggregate:
        elements = [
            element.update(condition=element.condition.update(condition=[]), terms=[])
            for element in head.elements
        ]
        return head.update(elements=elements)
    return head


def _conditional(head: AST, conditions: AST) -> AST:
    """A head with conditions again."""
    if head.ast_type in (ASTType.Aggregate, ASTType.Disjunction):
        pairs = zip(head.elements, conditions.elements, strict=True)
        return head.update(elements=[a.update(condition=b.condition) for a, b in pairs])
    if head.ast_type == ASTType.HeadAggregate:
        pairs = zip(head.elements, conditions.elements, strict=True)
        elements = [
            b.update(condition=a.condition.update(condition=b.condition.condition))
            for a, b in pairs
        ]
        return conditions.update(elements=elements)
    return head


def _atom(sign: str, name: str, terms: Sequence[str]) -> str:
    return f"{sign}{name}({','.join(terms)})" if terms else f"{sign}{name}"


def _sum(name: str, number: int) -> str:
    return f"{name}{number:+d}" if number else name


def _parsed(text: str, source: AST) -> AST:
    """A statement that stands where another does."""
    new = parse_text(text)[1]
    new.location = source.location
    return new


def _with_expanded(unit: Unit, constant: str) -> Unit:
    """The unit with plain facts that name the constant among its statements."""
    keys = set[Signature]()
    for facts in unit.facts:
        if constant in facts.names:
            for statement in parse_text(facts.text)[1:]:
                if names_term(statement, constant):
                    keys |= {signature(atom) for atom in heads(statement)}
    if not keys:
        return unit
    more = unit.expand_facts(keys)
    return Unit((*unit.statements, *more), tuple(facts.without(keys) for facts in unit.facts))


def _parameter(unit: Unit, constant: str) -> str:
    """A name for the parameter of the parts that nothing else has."""
    taken = (unit.constants | unit.definitions) - {constant}
    names = ("t", "k", "step", *(f"t{i}" for i in range(2, 1000)))
    return next(name for name in names if name not in taken)
