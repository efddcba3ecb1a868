"""The parts of an incremental program, written from the rules of a single-shot one.

`check(t)` is about the present horizon alone. Atoms that later steps may still change are *not
complete*. For their predicates, `check(t)` derives atoms of its own, called present atoms here:
`asplan__last_won(t)` replaces `won`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, count
from math import inf

from asplan.program import syntax
from asplan.program.conversion.normal_rules import NormalRule
from asplan.program.conversion.settling import Onset, Settling
from asplan.program.conversion.simplification import Extent, simplified
from asplan.program.reading.source import parse_text
from asplan.program.reading.unit import HELPER, Unit
from asplan.program.syntax import AST, ASTType, Sign, Signature, Walker
from asplan.program.syntax.terms import Op, Time, comparison, shift_of, term_of
from asplan.program.times.horizon import Horizon

LATEST = HELPER + "last_"  # the prefix of predicates that `check` derives; `rewrite` has others

PARTS = ("base", "step", "check")

Copies = dict[str, list[AST]]
"""The statements that replace others, by the part to which they belong."""

_COMPLETE = -inf  # the distance of an atom that is complete from the horizon


def domains_of(statement: AST, horizon: Horizon) -> list[Signature]:
    """Return the predicates such as `time(0..n)` or `last(n)` that a statement derives."""
    keys = dict.fromkeys(map(syntax.signature, syntax.heads(statement)))
    return [key for key in keys if key in horizon.domains or key in horizon.ends]


class PartWriter:
    """Writes the statements of a single-shot program into parts.

    Three sets are used throughout. `present` are the predicates for which `check(t)` derives atoms
    of the present horizon, such as `asplan__last_p(X,t)` for `p(X)`. Some of them also need copies
    of the original atoms: `copied` maps these predicates to the distances from the horizon at which
    a copy is needed, or to None for all times. `static` are the predicates that are derived without
    the horizon.
    """

    def __init__(
        self,
        settling: Settling,
        whole: Unit,
        static: Set[Signature],
    ) -> None:
        self._settling = settling
        self._vocabulary = settling.vocabulary
        self._horizon = settling.vocabulary.horizon
        self._whole = whole
        self._static = static
        self._origin = self._horizon.origin
        taken = (whole.constants | whole.definitions) - {self._horizon.constant}
        names = chain(("t", "k", "step"), (f"t{i}" for i in count(2)))
        self._t = next(name for name in names if name not in taken)
        self._present = {key for rule in settling.rules for key in rule.keys}
        self._copied: dict[Signature, set[float | None]] = {}

    def write(
        self, units: Sequence[Unit], rules: Mapping[int, Sequence[NormalRule]]
    ) -> tuple[Unit, ...]:
        """Return the units divided into parts.

        `rules` maps the `id` of a statement that depends on the horizon to its rules in normal
        form.
        """
        copies = self._find_copies()
        domains = self._domain_copies(copies.values())
        found = []
        for unit in units:
            parts: Copies = {part: [] for part in PARTS}
            for statement in unit.statements:
                _extend(parts, domains.get(id(statement), {}))
                own = rules.get(id(statement))
                if own is None and self._is_static(statement):
                    parts["base"].append(statement)
                for rule in own or ():
                    _extend(parts, copies[id(rule)])
            is_last = unit is units[-1]
            if is_last:
                parts["check"] += self._rules_for_present()
            found.append(Unit(self._with_headers(parts, is_last), unit.facts))
        return tuple(found)

    def _is_static(self, statement: AST) -> bool:
        """Return whether a statement without a normal form stays unchanged, in `base`."""
        if statement.ast_type == ASTType.Definition:
            return bool(statement.name != self._horizon.constant)
        if statement.ast_type == ASTType.Program:
            return False
        return not domains_of(statement, self._horizon)

    def _with_headers(self, parts: Copies, is_last: bool) -> tuple[AST, ...]:
        """Return the statements of a unit with their `#program` lines.

        The last unit gets all parts, even if they are empty.
        """
        statements = []
        for part, own in parts.items():
            if own or is_last or part == "base":
                parameter = "" if part == "base" else f"({self._t})"
                statements += [parse_text(f"#program {part}{parameter}.")[1], *own]
        return tuple(statements)

    # The domains of times.

    def _domain_copies(self, copies: Iterable[Copies]) -> dict[int, Copies]:
        """Return the rules that define the domains of times, such as `time(0..n)`, in the parts.

        The key is the `id` of the first statement that derives a domain. `copies` are the copies of
        all rules, which may read the domains.
        """
        parts = chain.from_iterable(copy.values() for copy in copies)
        read = set[Signature]().union(*map(syntax.read_in, chain.from_iterable(parts)))
        written = set[Signature]()
        found: dict[int, Copies] = {}
        for statement in self._whole.statements:
            for key in domains_of(statement, self._horizon):
                if key not in written:
                    written.add(key)
                    own = found.setdefault(id(statement), {part: [] for part in PARTS})
                    _extend(own, self._domain(key, statement, key in read))
        return found

    def _is_visible(self, key: Signature) -> bool:
        return not self._whole.shown or key in self._whole.shown

    def _domain(
        self,
        key: Signature,
        source: AST,
        is_read: bool,
    ) -> Copies:
        """Return the rules that define the predicate `key`, a domain of times or an end of times.

        They replace `source`, the first rule for the predicate. `is_read` means that rules read the
        domain. A domain that is neither read nor shown needs no rules.
        """
        if key in self._horizon.ends:
            return self._end(key, source)
        if not is_read and not self._is_visible(key):
            return {}
        sign, name, _ = key
        low, high = self._horizon.domains[key]
        last = self._origin + high
        now = _sum(self._t, last)
        copies: Copies = {}
        if low <= last:
            times = str(low) if low == last else f"{low}..{last}"
            copies["base"] = [_parsed(f"{sign}{name}({times}).", source)]
        since = f" :- {now} >= {low}" if last + 1 < low else ""
        copies["step"] = [_parsed(f"{sign}{name}({now}){since}.", source)]
        return copies

    def _end(self, key: Signature, source: AST) -> Copies:
        """Return a `#show` statement for an end such as `last(n)`; none if `last` is not shown.

        `source` is the rule that defines the end; the statement gets its location.
        """
        if not self._is_visible(key):
            return {}
        sign, name, _ = key
        last = _sum(self._t, self._origin + self._horizon.ends[key])
        return {"check": [_parsed(f"#show {sign}{name}({last}) : query({self._t}).", source)]}

    # The copies of rules.

    def _find_copies(self) -> dict[int, Copies]:
        """Return the copies of each rule for the parts; the key is the `id` of the rule.

        The predicates for which `check` derives atoms of the present horizon are found as a
        fixpoint: at first these are the heads of all rules, then the heads of rules with a copy in
        `check`, until they stay the same.
        """
        copies = {id(rule): self._copies(rule) for rule in self._settling.rules}
        before = None
        checked: dict[int, list[AST]] = {}
        while before != self._present:
            before = self._present
            late = self._settling.late.keys()
            self._copied = {key: {None} for key in late if key in self._static}
            checked = {number: self._in_check(own["check"]) for number, own in copies.items()}
            derived = (rule.keys for rule in self._settling.rules if checked[id(rule)])
            self._present = set().union(late, *derived)
        return {number: {**own, "check": checked[number]} for number, own in copies.items()}

    def _copies(self, rule: NormalRule) -> Copies:
        """Return the copies of a rule in each part; `_in_check` completes the copies of `check`.

        Instances that no later horizon changes go to `base` and `step`, others to `check`.
        """
        present = Extent((self._t, self._origin), self._t, 0)
        if self._settling.is_late(rule):
            return {"check": self._simplified(rule, {}, [], present)}
        onset = self._settling.onset_of(rule)
        if onset is None:
            return {"base": self._base_copies(rule, {}, []), "check": []}
        name = onset.variable
        settled = int(onset.settled)
        step = Extent((self._t, self._origin), self._t, 1)
        check = []
        for by in range(int(onset.natural), settled):
            check += self._simplified(rule, {name: (self._t, self._origin - by)}, [], present)
        now = {name: (self._t, self._origin - settled)}
        return {
            "base": self._early_copies(rule, onset),
            "step": self._simplified(rule, now, [], step),
            "check": check,
        }

    def _early_copies(self, rule: NormalRule, onset: Onset) -> list[AST]:
        """Return the copies of a rule for the part `base`.

        They have the rule instances that stay as they are from the origin on, which is the horizon
        for plans without steps. `onset` has the horizons from which instances stay as they are.
        """
        name = onset.variable
        last = self._origin - int(onset.settled)
        low = self._settling.least_value(rule, name)
        if low > last:
            return []
        if low == last:
            return self._base_copies(rule, {name: ("", last)}, [])
        if self._is_bounded(rule, name, last):
            return self._base_copies(rule, {}, [])
        return self._base_copies(
            rule, {}, [comparison(rule.node, (name, 0), Op.LessEqual, ("", last))]
        )

    def _is_bounded(
        self,
        rule: NormalRule,
        name: str,
        last: int,
    ) -> bool:
        """Return whether a domain atom of a rule, as `time(T)`, keeps `name` at most `last`.

        `name` is a variable. The domain is taken at the horizon of plans without steps.
        """
        for atom in rule.read:
            if atom.key in self._horizon.domains and atom.is_positive:
                high = self._horizon.domains[atom.key][1] + self._origin
                if atom.time and atom.time[0] == name and high - atom.time[1] <= last:
                    return True
        return False

    def _base_copies(
        self,
        rule: NormalRule,
        times: Mapping[str, Time],
        limits: Sequence[AST],
    ) -> list[AST]:
        return self._simplified(rule, times, limits, Extent(("", self._origin), self._t, -inf))

    def _in_check(self, nodes: Iterable[AST]) -> list[AST]:
        """Return the statements `nodes`, the copies of a rule, adapted to the part `check(t)`.

        Each gets `query(t)` in its body and reads the atoms of the present horizon. Copies whose
        body cannot hold are left out.
        """
        copies = []
        for node in nodes:
            absent = [literal for literal in node.body if self._is_absent(literal)]
            if all(literal.sign == Sign.Negation for literal in absent):
                body = [literal for literal in node.body if literal not in absent]
                query = parse_text(f":- query({self._t}).")[1].body[0]
                copies.append(self._with_present_atoms(node.update(body=[*body, query])))
        return copies

    def _simplified(
        self,
        rule: NormalRule,
        times: Mapping[str, Time],
        limits: Sequence[AST],
        extent: Extent,
    ) -> list[AST]:
        copy = simplified(
            rule.node,
            times,
            limits,
            extent,
            self._vocabulary,
        )
        return [] if copy is None else [copy]

    # Atoms of the present horizon.

    def _is_absent(self, literal: AST) -> bool:
        """Return whether only later steps derive the atom of a literal in `check(t)`.

        No rule that is grounded up to step t derives the atom then.
        """
        if not syntax.is_literal(literal, sign=None) or literal.sign == Sign.DoubleNegation:
            return False
        key = syntax.signature(literal.atom)
        if key in self._present or key in self._static:
            return False
        return self._distance(literal.atom) not in (None, _COMPLETE)

    def _distance(self, atom: AST) -> float | None:
        """Return by how much the time of an atom in `check(t)` exceeds the horizon.

        Return `_COMPLETE` if later steps cannot change the atom, and None if its time is not the
        parameter plus a number.
        """
        key = syntax.signature(atom)
        term = syntax.time_of(atom, self._horizon.places)
        if key not in self._vocabulary.dynamic or term is None:
            return _COMPLETE
        time = shift_of(term)
        if time is None or time[0] != self._t:
            return None
        distance = time[1] - self._origin
        is_complete = distance + self._settling.complete.get(key, -inf) <= 0
        return _COMPLETE if is_complete else distance

    def _with_present_atoms(self, node: AST) -> AST:
        """Return a statement of `check(t)` in which atoms that may change are replaced.

        They are replaced by atoms of the present horizon, as in `_present_atom`.
        """
        own = Walker(SymbolicAtom=self._present_atom)
        new: AST = Walker(SymbolicAtom=self._read_present).visit(node)
        if node.ast_type != ASTType.Rule:
            return new
        return new.update(head=_with_heads(node.head, new.head, own))

    def _present_atom(self, atom: AST) -> AST:
        """Return the atom of the present horizon, such as `asplan__last_p(X,t)` for `p(X)`."""
        terms = [*syntax.arguments(atom), term_of(atom.symbol, (self._t, 0))]
        return syntax.renamed(atom, LATEST + syntax.signature(atom)[1], terms)

    def _read_present(self, atom: AST) -> AST:
        """Return the atom to read in `check(t)`: a present atom if the original is incomplete.

        If that needs a copy of the original atom, record it in `copied`.
        """
        key = syntax.signature(atom)
        if key not in self._present:
            return atom
        if key not in self._settling.late:
            distance = self._distance(atom)
            if distance == _COMPLETE:
                return atom
            if distance is None or key in self._static:
                self._copied.setdefault(key, set()).add(distance)
        return self._present_atom(atom)

    def _rules_for_present(self) -> Iterator[AST]:
        """Yield rules of `check(t)` that copy atoms for the present horizon.

        Also yield `#show` statements, which show the copies by the author's names.
        """
        sources = defaultdict[Signature, list[AST]](list)
        for rule in self._settling.rules:
            for key in rule.keys:
                sources[key].append(rule.source)
        for key in sorted(self._present - self._horizon.domains.keys()):
            late = self._settling.late.get(key)
            source = late.source if late else sources[key][0]
            for text in (*self._copy_rules(key), *self._show_statements(key)):
                yield _parsed(text, source)

    def _copy_rules(self, key: Signature) -> Iterator[str]:
        """Yield the rules that copy atoms of a predicate for the present horizon.

        They copy the atoms of all times, or only atoms at the distances in `copied` from the
        horizon.
        """
        distances = self._copied.get(key, set())
        terms = _variables(key)
        if None in distances:
            yield self._copy_rule(key, terms)
            return
        known = [_sum(self._t, self._origin + int(by)) for by in distances if by is not None]
        for time in sorted(known):
            own = list(terms)
            own[self._horizon.places[key]] = time
            yield self._copy_rule(key, own)

    def _copy_rule(self, key: Signature, terms: Sequence[str]) -> str:
        sign, name, _ = key
        head = _atom(sign, LATEST + name, [*terms, self._t])
        return f"{head} :- {_atom(sign, name, terms)}, query({self._t})."

    def _show_statements(self, key: Signature) -> Iterator[str]:
        """Yield the statement that shows atoms of the present horizon by the author's name.

        Atoms that are true under the author's name as well are left out.
        """
        if not self._is_visible(key):
            return
        sign, name, _ = key
        terms = _variables(key)
        plain = _atom(sign, name, terms)
        present = _atom(sign, LATEST + name, [*terms, self._t])
        more = f", not {plain}" if self._copied.get(key) else ""
        yield f"#show {plain} : {present}, query({self._t}){more}."


def _extend(parts: Copies, copies: Copies) -> None:
    for part, statements in copies.items():
        parts[part] += statements


def _with_heads(
    head: AST,
    read: AST,
    own: Walker,
) -> AST:
    """Return the head of a copied rule.

    In a copy, derived atoms get other names than atoms that are read. `own` renames the derived
    literals of the original `head`. All other parts, such as conditions, are those of `read`: the
    same head in which all atoms have the names for reading.
    """
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


def _variables(key: Signature) -> list[str]:
    return [f"V{i}" for i in range(key[2])]


def _atom(
    sign: str,
    name: str,
    terms: Sequence[str],
) -> str:
    return f"{sign}{name}({','.join(terms)})" if terms else f"{sign}{name}"


def _sum(name: str, number: int) -> str:
    return f"{name}{number:+d}" if number else name


def _parsed(text: str, source: AST) -> AST:
    """Return the statement of a text, with the location of `source`."""
    new = parse_text(text)[1]
    new.location = source.location
    return new
