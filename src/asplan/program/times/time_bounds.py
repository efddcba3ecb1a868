"""Candidates for the bound of the time of a single-shot program: constants, ranges and facts.

Each candidate becomes a program with a constant in its place. So `time(0..7)` becomes
`time(0..asplan__horizon)`, and 7 is replaced wherever else it means that time; `length(13)`
becomes `length(asplan__horizon)`; `time(0). time(1). time(2).` become a range. A candidate counts
only if it bounds the times of some action.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, Location
from asplan.program import syntax
from asplan.program.model.program import TemporalRule
from asplan.program.model.sorts import Sort, Sorts, sorts_of
from asplan.program.model.timed_rules import ScopedRule, is_variable, temporal_rules
from asplan.program.reading.source import parse_text
from asplan.program.reading.unit import Unit, joined
from asplan.program.syntax import AST, ASTType, Signature, Walker
from asplan.program.syntax.term_uses import TermUse
from asplan.program.syntax.terms import ABOVE, BELOW, OWN, term_of
from asplan.program.syntax.wording import Wording
from asplan.program.theory import theory_atoms
from asplan.program.times.furthest import LONG_AGO, LatestTimes
from asplan.program.times.theory_times import VARIABLE
from asplan.program.times.timeline import carried_in, events_in
from asplan.program.times.timing import Extents, Timed

Line = tuple[str, int]  # a file and a line of it


@dataclass(frozen=True, eq=False)
class TimeBound:
    """A candidate for the bound of the time, and the program with a constant in place of it.

    Attributes
    ----------
    text, at
        The text of the bound as its author wrote it, and its location.
    units
        The files, with the constant in the place of a number or a fact.
    timed
        The program in `units`, with its times.
    extents
        The predicates such as `time(0..n)` and `last(n)`, whose times the constant bounds.
    score
        The weight of the evidence that the sort is one of times.
    moved
        Further lines in which a number was replaced by the constant.
    """

    text: str
    at: Location
    units: tuple[Unit, ...]
    timed: Timed
    extents: Extents
    score: int
    moved: tuple[Line, ...] = ()

    @property
    def sorts(self) -> Sorts:
        """The sorts of the arguments of the program in `units`."""
        return self.timed.sorts

    @property
    def sort(self) -> Sort:
        """The sort, a set of arguments with the same values, that is time."""
        return self.timed.sort

    @cached_property
    def rules(self) -> list[ScopedRule]:
        """The rules of the program, with the times of their atoms."""
        return temporal_rules(self.sorts, self.sort)

    @cached_property
    def limited(self) -> frozenset[Signature]:
        """The action predicates whose latest time depends on the constant.

        If nothing is chosen over times, carried predicates count instead of actions. If the
        constant limits none of these, return the domains that it limits.
        """
        moving = happening_in(self.rules, self.timed.actions) or self._carried
        return self._limited_among(moving) or self._limited_among(self.extents.domains)

    @cached_property
    def limited_actions(self) -> frozenset[Signature]:
        """The predicates that are chosen at each time up to a time that depends on the constant."""
        return self._limited_among(happening_in(self.rules, self.timed.actions))

    @property
    def _carried(self) -> frozenset[Signature]:
        return carried_in(self.rules, self.timed.actions)

    @cached_property
    def _reach(self) -> LatestTimes:
        facts = frozenset[Signature]().union(*(rule.defined for rule in self.timed.own))
        return LatestTimes(self.rules, self.extents, dict.fromkeys(facts, LONG_AGO))

    def _limited_among(self, keys: Iterable[Signature]) -> frozenset[Signature]:
        latest = {key: self._reach.of_predicate(key) for key in keys}
        return frozenset(key for key, time in latest.items() if LONG_AGO / 2 < time < -LONG_AGO)


def happening_in(
    rules: Sequence[ScopedRule], actions: frozenset[Signature]
) -> frozenset[Signature]:
    """Return the predicates that are chosen at all times: the time in a head is a variable.

    `actions` are the predicates that the user has named as actions.
    """
    over_times = {head.key for rule in rules for head in rule.heads if is_variable(head.time)}
    return events_in(rules, actions) & over_times


def ambiguous(bounds: Sequence[TimeBound]) -> InputError:
    """Return the error that several candidates bound the times of actions."""
    places = [f"{bound.text} ({bound.at.file}:{bound.at.line})" for bound in bounds]
    names = [bound.extents.name for bound in bounds if bound.extents.name != OWN]
    if names:
        options = " or ".join(f"--horizon-constant {name}" for name in names)
        hint = f"name the one that counts the steps of a plan: {options}"
    else:
        hint = (
            "write `#const n = …` and use n as the last time of the steps of a plan: "
            "--horizon-constant n"
        )
    text = " and ".join(places)
    return InputError(f"{text} both bound what happens", at=bounds[0].at, hint=hint)


@dataclass(frozen=True, eq=False)
class BoundSearch:
    """The search for the bound of a program's time, where `sort` is taken as time.

    Attributes
    ----------
    files
        The files of the program.
    unit
        All files as one.
    sorts, sort
        All sorts, and the one that is taken as time.
    constants
        The values that the user has given to constants.
    actions
        The predicates that the user has named as actions.
    """

    files: Sequence[Unit]
    unit: Unit
    sorts: Sorts
    sort: Sort
    constants: Mapping[str, str]
    actions: frozenset[Signature]

    @cached_property
    def timed(self) -> Timed:
        """The program as its author wrote it, with its times."""
        return Timed(self.unit, self.sorts, self.sort, self.constants, self.actions)

    def only_bound(self) -> TimeBound | None:
        """Return the bound that limits the times of actions; None if there is none.

        The author's constants are tried first. Only if none fits, ranges, numbers and facts are.
        Raise `InputError` if several candidates of one kind fit.
        """
        for candidates in (self.constant_bounds(), self.other_bounds()):
            bounds = [bound for bound in candidates if bound.limited]
            # A constant with a value from outside is the horizon if no other one can be.
            others = [bound for bound in bounds if bound.extents.name not in self.constants]
            if len(bounds) > 1 and len(others) != 1:
                raise ambiguous(bounds)
            bounds = others or bounds
            if bounds:
                return bounds[0]
        return None

    def by_name(self, name: str) -> TimeBound | None:
        """Return the candidate for the bound of the time with the constant `name`.

        Return None if the constant does not bound the time.
        """
        is_used = name in {use.name for use in self._uses() if not use.is_variable}
        return self._constant_bound(name) if is_used else None

    def _uses(self) -> list[TermUse]:
        """Return the constants and numbers that are times, upper bounds first."""
        sort = self.sort
        upper = [limit.use for limit in sort.limits if limit.is_upper]
        places = sort.places
        written = [
            use for rule in self.timed.own for use in rule.uses if (use.key, use.place) in places
        ]
        return [*sort.highs, *upper, *sort.given, *written, *sort.bounds]

    def constant_bounds(self) -> Iterator[TimeBound]:
        """Yield a bound for each of the author's constants that may give the last time."""
        names = [use.name for use in self._uses() if use.name and not use.is_variable]
        for name in dict.fromkeys(names):
            value = self.unit.values.get(name, "1")
            if value.isidentifier() or value.startswith('"'):
                continue
            if (bound := self._constant_bound(name)) is not None:
                yield bound

    def _constant_bound(self, name: str) -> TimeBound | None:
        extents = self.timed.extents(name)
        if extents is None:
            return None
        units = tuple(_as_default(each, name) for each in self.files)
        return TimeBound(name, self._place_of(name), units, self.timed, extents, self.sort.score)

    def _place_of(self, name: str) -> Location:
        """Return the location of a constant's definition, or else of its first use."""
        for statement in self.unit.of_kind(ASTType.Definition):
            if statement.name == name:
                return syntax.location(statement)
        # The nodes of a tree do not all know their file.
        return min(
            replace(syntax.location(use.term), file=use.file)
            for use in self._uses()
            if use.name == name
        )

    def other_bounds(self) -> Iterator[TimeBound]:
        """Yield a bound for each range, number or fact that may give the last time."""
        ends = (*self._facts(), *self._numbers(), *self._enumerations())
        by_place = {end.at: end for end in ends}
        for end in by_place.values():
            units = tuple(end.change(each) for each in self.files)
            unit = joined(units)
            sorts = sorts_of(unit)
            sort = max(sorts.found, key=lambda found: len(found.places & self.sort.places))
            timed = Timed(unit, sorts, sort, self.constants, self.actions)
            if (extents := timed.extents(OWN)) is not None:
                yield TimeBound(end.text, end.at, units, timed, extents, self.sort.score, end.moved)

    def _numbers(self) -> Iterator["_End"]:
        """Yield the numbers that may be the last time: ends of ranges, or else upper limits.

        Numbers that differ by 1 at most count as one candidate.
        """
        ends = [high for high in self.sort.highs if not high.name]
        if not ends:
            upper = (limit.use for limit in self.sort.limits if limit.is_upper)
            ends = [use for use in upper if not use.name and use.shift > 1]
        while ends:
            last = max(use.shift for use in ends)
            first = next(use for use in ends if use.shift == last)
            yield self._end_at(first, last)
            ends = [use for use in ends if use.shift < last - 1]

    def _end_at(self, use: TermUse, last: int) -> "_End":
        statement = next(s for s in self.unit.statements if _stands_in(use, s))
        part = statement
        if statement.ast_type == ASTType.Rule and not statement.body:
            part = statement.head
        text = Wording()(part, use.file)
        at = syntax.location(statement)
        new = self._as_constant(last)
        return _End(text, at, _putting(new), _lines_beside(new, at))

    def _as_constant(self, last: int) -> "_New":
        """Map positions in the files to the terms that replace the numbers there.

        At the end of a range or in a comparison with a time, the numbers `last` and `last` - 1 are
        replaced. As an argument, as in `not at(goal,7)`, the numbers `last` and `last` + 1 are
        replaced. Numbers in facts stay, because they belong to the instance.
        """
        near = [high for high in self.sort.highs if last - 1 <= high.shift <= last]
        near += [use for use in self.sort.bounds if last - 1 <= use.shift <= last]
        facts = {
            _spot(use.file, use.term)
            for rule in self.sorts.rules
            if rule.statement.ast_type == ASTType.Rule and not rule.statement.body
            for use in rule.uses
            if rule.defined and not rule.is_open
        }
        near += [
            use
            for use in self.sort.given
            if last <= use.shift <= last + 1 and _spot(use.file, use.term) not in facts
        ]
        numbers = [use for use in near if not use.name]
        new = {
            _spot(use.file, use.term): term_of(use.term, (OWN, use.shift - last)) for use in numbers
        }
        return {**new, **self._in_theory(last)}

    def _in_theory(self, last: int) -> "_New":
        """Map positions of numbers in theory variables to the terms that replace the numbers.

        A number is replaced if it is a time and equals `last` or `last` + 1.
        """
        new = dict[_Spot, AST]()
        for statement in filter(theory_atoms, self.unit.statements):
            for term in syntax.find(ASTType.TheoryFunction, theory_atoms(statement)):
                key = ("", f"{VARIABLE}{term.name}", len(term.arguments))
                for place, argument in enumerate(term.arguments):
                    is_time = (key, place) in self.sort.places
                    number = syntax.number_of(argument) if is_time else None
                    if number is not None and last <= number <= last + 1:
                        own = OWN if number == last else f"({OWN}+1)"
                        rule = parse_text(f"&sum {{ {own} }}.")[1]
                        spot = _spot(syntax.location(statement).file, argument)
                        new[spot] = rule.head.elements[0].terms[0]
        return new

    def _facts(self) -> Iterator["_End"]:
        """Yield the facts that give the last time: `length(9)` if a body has `length(L), T < L`."""
        for number, name in sorted(self._last_variables()):
            for atom in syntax.reads(self.unit.statements[number]):
                end = self._fact_for(atom, name)
                if end is not None:
                    yield end

    def _fact_for(self, atom: AST, name: str) -> "_End | None":
        """Return the fact that binds `name` in `atom` to a number, which may be the last time.

        Return None if there is no such fact, or several.
        """
        key = syntax.signature(atom)
        terms = syntax.arguments(atom)
        places = [place for place, term in enumerate(terms) if str(term) == name]
        if not places:
            return None
        heads = _fact_heads(self.unit, key)
        fitting = [(fact, head) for fact, head in heads if _is_instance(head, terms)]
        if len(fitting) != 1:
            return None
        ((fact, head),) = fitting
        term = syntax.arguments(head)[places[0]]
        last = syntax.number_of(term)
        if last is None:
            return None
        new = {_spot(syntax.location(fact).file, term): term_of(term, (OWN, 0))}
        change = _instead(key, new, _putting(self._in_theory(last)))
        return _End(str(head), syntax.location(fact), change)

    def _last_variables(self) -> set[tuple[int, str]]:
        """Return (statement index, name) of the variables that bound times from above."""
        found = set[tuple[int, str]]()
        for number, statement in enumerate(self.unit.statements):
            if statement.ast_type == ASTType.Script or not syntax.heads(statement):
                continue
            rule = TemporalRule(statement)
            own = {
                name
                for other, name in self.sort.variables
                if self.sorts.rules[other].statement is statement
            }
            highs = [high for high, *_ in rule.ends]
            for left, operator, right in rule.compared:
                low, high = (left, right) if operator in BELOW else (right, left)
                is_upper = operator in (*BELOW, *ABOVE)
                if is_upper and low.is_variable and high.is_variable:
                    highs.append(high)
            found |= {(number, use.name) for use in highs if use.is_variable and use.name in own}
        return found

    def _enumerations(self) -> Iterator["_End"]:
        """Yield the domains whose times are listed as facts, as `time(0)` and `time(1)`."""
        derived = {
            key
            for statement in self.unit.of_kind(ASTType.Rule)
            if statement.body
            for key in syntax.defined_in(statement)
        }
        for key in sorted(self.sort.unary - derived):
            heads = _fact_heads(self.unit, key)
            numbers = {syntax.number_of(syntax.arguments(atom)[0]) or 0 for _, atom in heads}
            times = sorted(numbers)
            if len(times) < 2 or times != list(range(times[0], times[-1] + 1)):
                continue
            at = min(syntax.location(fact) for fact, _ in heads)
            text = f"{key[1]}({times[0]}..{OWN})."
            rule = parse_text("\n" * (at.line - 1) + " " * (at.column - 1) + text, at.file)[1]
            new = self._as_constant(times[-1])
            change = _instead(key, {}, _putting(new), rule)
            text = f"{key[1]}({times[0]}) to {key[1]}({times[-1]})"
            yield _End(text, at, change, _lines_beside(new, at))


def _as_default(unit: Unit, name: str) -> Unit:
    """Return the unit with `#const name=…` as a default, which a value of the user replaces."""
    if name not in unit.definitions:
        return unit
    changed = tuple(
        s.update(is_default=1) if s.ast_type == ASTType.Definition and s.name == name else s
        for s in unit.statements
    )
    return replace(unit, statements=changed)


# A constant in the place of what bounds the time: a number, a fact, or facts for all times.

_Spot = tuple[str, int, int, int, int]  # where a term begins and ends in a file
_New = Mapping[_Spot, AST]  # terms in the place of others, by where they stand


@dataclass(frozen=True)
class _End:
    """A number or fact that may give the last time, and its replacement by a constant.

    `text` is the number or fact as its author wrote it, and `at` its location. `change` returns a
    unit with the constant in its place. `moved` are the other lines with a number that means the
    last time.
    """

    text: str
    at: Location
    change: Callable[[Unit], Unit]
    moved: tuple[Line, ...] = ()


def _lines_beside(new: "_New", at: Location) -> tuple[Line, ...]:
    """Return the lines of the positions in `new`, except the line of the candidate at `at`."""
    lines = {(file, line) for file, line, *_ in new}
    return tuple(sorted(lines - {(at.file, at.line)}))


def _stands_in(use: TermUse, statement: AST) -> bool:
    """Return whether a statement contains the term of a use."""
    file = syntax.location(statement).file
    terms = syntax.find(ASTType.SymbolicTerm, [statement])
    return _spot(use.file, use.term) in {_spot(file, term) for term in terms}


def _is_instance(head: AST, terms: Sequence[AST]) -> bool:
    """Return whether a head matches an atom with the arguments `terms`; variables match all."""
    pairs = zip(terms, syntax.arguments(head), strict=True)
    return all(a.ast_type == ASTType.Variable or str(a) == str(b) for a, b in pairs)


class _Replacing(Walker):
    """Replaces the terms at certain positions, among them sums of numbers such as `8+1`."""

    def __init__(self, new: _New, file: str) -> None:
        self.new = new
        self.file = file

    def visit_SymbolicTerm(self, term: AST) -> AST:
        return self.new.get(_spot(self.file, term), term)

    def visit_BinaryOperation(self, term: AST) -> AST:
        replaced = self.new.get(_spot(self.file, term))
        return replaced or term.update(**self.visit_children(term))


def _put(new: _New, statement: AST) -> AST:
    return _Replacing(new, syntax.location(statement).file).visit(statement)


def _putting(new: _New) -> Callable[[Unit], Unit]:
    return lambda unit: replace(unit, statements=tuple(_put(new, s) for s in unit.statements))


def _spot(file: str, term: AST) -> _Spot:
    begin, end = term.location.begin, term.location.end
    return file, begin.line, begin.column, end.line, end.column


def _fact_heads(unit: Unit, key: Signature) -> list[tuple[AST, AST]]:
    """Return (fact, head) for all facts of a predicate."""
    written = (s for s in unit.statements if s.ast_type == ASTType.Rule and not s.body)
    facts = (*written, *unit.expand_facts({key}))
    return [(s, head) for s in facts for head in syntax.heads(s) if syntax.signature(head) == key]


def _instead(
    key: Signature, new: _New, then: Callable[[Unit], Unit], rule: AST | None = None
) -> Callable[[Unit], Unit]:
    """Return a function that replaces terms in the facts of the predicate `key` in a unit.

    `new` maps positions to the new terms. If `rule` is given, it stands in place of all facts of
    the predicate. A unit without the predicate keeps its statements. At the end, the function
    applies `then` to the unit and returns the result.
    """

    def is_of(statement: AST) -> bool:
        return syntax.defined_in(statement) == {key}

    def change(unit: Unit) -> Unit:
        if key not in unit.defined:
            return then(unit)
        own = unit.expand_facts({key})
        kept = [s for s in unit.statements if not rule or not is_of(s)]
        if rule is not None:
            facts = (*own, *filter(is_of, unit.statements))
            own = [rule] if syntax.location(rule) in map(syntax.location, facts) else []
        statements = tuple(_put(new, s) for s in (*own, *kept))
        return then(Unit(statements, tuple(facts.without({key}) for facts in unit.facts)))

    return change
