"""Checks of names: predicates read or defined alone, constants without a value, and arguments.

Literals that no atom of the program can be like have a misspelt or a swapped argument. Each
argument of a predicate has shapes: a number, a string, a name, or a function with so many
arguments. Rules hand them on from bodies to heads, until nothing new comes; what cannot be told
(values of scripts and constants, files with very many facts) may have any. A function inside of an
atom is looked at as if it were an atom: so `holds(at(X,courier),t-1)` is noticed where only
`at(courier,X)` is made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache

from clingo import Symbol, SymbolType

from asplan.core.errors import InputWarning, Location
from asplan.core.text import amount
from asplan.program import syntax
from asplan.program.inputs import spelled
from asplan.program.scan import PlainFacts
from asplan.program.syntax import AST, AggregateFunction, ASTType, Sign, Signature, find, predicate
from asplan.program.terms import Op
from asplan.program.unit import QUERY, Section
from asplan.program.wording import plain_text
from asplan.warnings.catalogue import make_warning
from asplan.warnings.clauses import (
    INSIDE,
    Clause,
    Clauses,
    Use,
    as_written,
    is_slip,
    meant,
)
from asplan.warnings.inputs import is_meant, is_ours, matters, missing_predicates, unread_facts

_SLIPS = 2  # in how many places the same slip may stand


def find_undefined(program: Clauses) -> Iterator[InputWarning]:
    """Yield a warning for each predicate that nothing defines and that is most likely a mistake.

    An instance may lack facts that an encoding can read. So a predicate counts only if its name is
    a slip of another one's or like it where it has a time, if facts that nothing reads are most
    likely meant, or, in a file that has the instance as well, if it has a time or the program
    cannot work without it. Nobody makes the same slip everywhere, unless in the head of a rule.
    """
    missing = missing_predicates(program, program.program.declared)
    timed = {key for key, uses in missing.items() if _is_timed(program, key, uses)}
    unread = unread_facts(program)
    is_whole = program.is_one_file and program.has_facts
    is_only = is_whole and len(missing.keys() - timed) == 1
    for key, uses in missing.items():
        is_needed = matters(program, key)
        is_other_arity = any(other[:2] == key[:2] for other in program.defined)
        is_sure = is_whole and (key in timed or is_other_arity or is_needed)
        is_unread = is_meant(key, unread, is_needed)
        if is_sure or is_unread or _is_misspelt(program, key, uses, key in timed, is_only):
            yield _undefined(program, uses)


def _is_timed(program: Clauses, key: Signature, uses: Iterable[Use]) -> bool:
    """Return whether the atoms of a predicate have a time."""
    horizon = program.program.horizon
    if horizon is not None:
        return key in horizon.places and key not in horizon.successors
    return any(use.shifts for use in uses)


def _is_misspelt(
    program: Clauses, key: Signature, uses: Collection[Use], is_timed: bool, is_only: bool
) -> bool:
    """Return whether the name of a missing predicate most likely is another one's with a slip.

    If it is the `is_only` missing one, short names count as well.
    """
    alike = {other for other in program.defined if key[0] == other[0] and key[2] == other[2]}
    # Where `init(F) :- initp(F).` says how both belong together the names are meant.
    read = program.origins.get
    least = 4 if is_only else 5
    slips = {k for k in alike if is_slip(key[1], k[1], least) and key not in read(k, ())}
    if any(map(program.timed_definitions, slips - program.reads.keys())):
        return True
    if is_timed and (slips or any(other[:2] == key[:2] for other in program.defined)):
        return True
    is_like_another = is_timed and bool(meant(key, program.defined | {QUERY}))
    return len(uses) <= _SLIPS and (bool(slips) or is_like_another)


def find_missing(program: Clauses) -> Iterator[InputWarning]:
    """Yield a warning for each predicate that nothing defines, also if an instance may lack it."""
    for uses in missing_predicates(program, program.program.declared).values():
        yield _undefined(program, uses)


def _undefined(program: Clauses, uses: list[Use]) -> InputWarning:
    first, key = uses[0], uses[0].key
    always = "always" if first.sign == Sign.Negation and not first.inner else "never"
    text = f"nothing defines {spelled(key)}, so {first.literal} is {always} true"
    if len(uses) > 1:
        text += f", nor in {amount(len(uses) - 1, 'other place')}"
    return make_warning("undefined", text, first.at, meant(key, program.defined | {QUERY}))


def find_unread(program: Clauses) -> Iterator[InputWarning]:
    """Predicates of rules that nothing reads, while one that is read differs by a slip."""
    read = {key for key in program.reads if key in program.defined}
    for key, pairs in program.definitions.items():
        clause, head = pairs[0]
        if key in program.reads or key in program.shown or is_ours(key):
            continue
        if clause.statement.ast_type != ASTType.Rule or not clause.statement.body:
            continue
        if any(use.key[1] == key[1] for use in clause.reads):
            continue  # it is a projection
        text = f"nothing reads {spelled(key)}, which is defined here"
        found = (k for k in read if k[:2] == key[:2] and program.timed_definitions(k))
        if others := sorted(map(spelled, found)):
            hint = f"rules read {' and '.join(others)}"
            yield make_warning("arity", text, head.at, hint)
            continue
        found = (k for k in read if k[0] == key[0] and k[2] == key[2] and is_slip(key[1], k[1]))
        if alike := sorted(map(spelled, found)):
            hint = f"did you mean {' or '.join(alike)}?"
            yield make_warning("unread", text, head.at, hint)


def _begins(program: Clauses, key: Signature) -> bool:
    """Return whether facts or rules of `base` define a predicate."""
    if any(clause.part == "base" for clause, _ in program.definitions.get(key, ())):
        return True
    return any(key in facts.signatures for facts in program.program.facts)


def find_unread_slips(program: Clauses) -> Iterator[InputWarning]:
    """Yield a warning for facts that nothing reads, while a predicate like theirs is read."""
    read = {key for key in program.reads if _begins(program, key)}
    for key, place in unread_facts(program).items() if program.is_one_file else ():
        others = sorted(k for k in read if k[:2] == key[:2] and program.is_timed(k))
        if others:
            text = f"nothing reads {spelled(key)}, of which there are facts"
            hint = f"rules read {' and '.join(map(spelled, others))}"
            yield make_warning("arity", text, place, hint)
            continue
        alike = sorted(k for k in read if k[::2] == key[::2] and is_slip(key[1], k[1]))
        if alike:
            text = f"nothing reads {spelled(key)}, of which there are facts"
            hint = f"did you mean {' or '.join(map(spelled, alike))}?"
            yield make_warning("unread", text, place, hint)


def find_unshown(program: Clauses) -> Iterator[InputWarning]:
    """Predicates that `#show p/n` names and nothing defines."""
    for key, at in program.shown.items():
        if key not in program.defined and key not in program.program.declared and not is_ours(key):
            text = f"nothing defines {spelled(key)}, so there is nothing to show"
            yield make_warning("no-atoms", text, at, meant(key, program.defined))


def find_near_constants(program: Clauses) -> Iterator[InputWarning]:
    """Yield a warning for a name that stands once, where another like it stands at the same place.

    Facts of one argument say what there is, so a name in one of them is meant.
    """
    found = defaultdict[str, list[tuple[_Place, Location | None]]](list)
    for use in {use for clause in program.clauses for use in (*clause.heads, *clause.reads)}:
        for place, term in enumerate(use.terms):
            if name := _name(term):
                found[name].append(((use.key, place), use.at))
    for facts in program.program.facts:
        if len(facts.text) > _MOST_TEXT:
            return
        for fact, at in facts.of(facts.signatures).places({}):
            for place, value in enumerate(fact.arguments):
                if value.type == SymbolType.Function and value.name and not value.arguments:
                    found[value.name].append(((predicate(fact), place), at))
    strange = {warning.at for warning in find_strange(program)}
    often = {name: {place for place, _ in group} for name, group in found.items() if len(group) > 1}
    for name, group in found.items():
        spot, where = group[0]
        # What no atom is like has a warning already.
        if len(group) > 1 or spot[0][2] == 1 or where in strange:
            continue
        alike = [other for other, spots in often.items() if is_slip(name, other) and spot in spots]
        if alike:
            text = f"{name} stands here alone, and {alike[0]} in {len(found[alike[0]])} places"
            yield make_warning("near-constant", text, where, f"did you mean {alike[0]}?")


def find_vain(program: Clauses) -> Iterator[InputWarning]:
    """Rules that need what they derive, and bodies that contradict themselves."""
    for clause in program.clauses:
        true = {str(use.atom): use for use in clause.true}
        horizon = program.program.horizon
        timed = horizon.places.keys() - horizon.domains.keys() if horizon else set()
        is_timed = clause.part != "base" or any(head.key in timed for head in clause.heads)
        derives = is_timed and not clause.is_choice
        for head in clause.heads if derives else ():
            if use := true.get(str(head.atom)):
                text = f"this rule derives {head.text} only where it is true already"
                yield make_warning("circular", text, use.at, "a state follows from the one before")
        for use in clause.reads:
            if use.sign == Sign.Negation and not use.inner and str(use.atom) in true:
                text = f"{use.text} cannot be true and not true, so this is without effect"
                yield make_warning("contradiction", text, use.at)


_SAME = (Op.Equal, Op.NotEqual)
_SUMS = (AggregateFunction.Sum, AggregateFunction.SumPlus)
_ADDING = (ASTType.BodyAggregate, ASTType.HeadAggregate)


def find_constants(program: Clauses, given: Collection[str]) -> Iterator[InputWarning]:
    """Names without a value that are bounds, in arithmetic, or compared with numbers."""
    whole = program.program
    known = {node.name for node in whole.of_kind(ASTType.Definition)}.union(given)
    times = {section.parameter for section in whole.sections} - {""}
    named = known.union(*(facts.names for facts in whole.facts))
    for section in whole.sections:
        yield from _find_strange_times(section, times - named)
    # The names that are arguments as they stand.
    terms = syntax.find((ASTType.Function, ASTType.Pool), whole.statements)
    named |= {name for term in terms for name in map(_name, term.arguments)}
    for statement in whole.statements:
        for name, term, what in _numbers(statement):
            if name not in named | times:
                named.add(name)  # once is enough
                alike = get_close_matches(name, known, n=1, cutoff=0.7)
                give = f"give it one: #const {name}=… or -c {name}=…"
                hint = f"did you mean {alike[0]}?" if alike else give
                text = f"{name} has no value, so {what}"
                yield make_warning(
                    "undefined-constant", text, syntax.place_in(statement, term), hint
                )


def _find_strange_times(section: Section, times: Collection[str]) -> Iterator[InputWarning]:
    """The first atom of a timed part that speaks of the parameter of another part."""
    own = section.parameter
    for statement in section.statements if own else ():
        for atom in syntax.atoms(statement):
            for name in sorted(set(times) - {own}):
                if any(syntax.names_term(term, name) for term in syntax.arguments(atom)):
                    text = f"{name} is a constant here; the parameter of this part is {own}"
                    hint = f"write {own} for {name}, or #program {section.part}({name})."
                    at = syntax.place_in(statement, atom.symbol)
                    yield make_warning("undefined-constant", text, at, hint)
                    return


def _numbers(statement: AST) -> Iterator[tuple[str, AST, str]]:
    """The names that stand for numbers, each with its term, and what is wrong without a value."""

    def told() -> Iterator[tuple[AST, str]]:
        for node in syntax.find(ASTType.Interval, [statement]):
            for term in (node.left, node.right):
                yield term, f"the interval {plain_text(node)} is empty"
        for kind in (ASTType.BinaryOperation, ASTType.UnaryOperation):
            for node in syntax.find(kind, [statement]):
                for key in node.child_keys:
                    yield getattr(node, key), f"{plain_text(node)} is no number"
        for node in syntax.find(ASTType.Comparison, [statement]):
            terms = [node.term, *(guard.term for guard in node.guards)]
            is_ordered = any(guard.comparison not in _SAME for guard in node.guards)
            for term in terms if is_ordered and not all(map(_name, terms)) else ():
                yield term, f"{plain_text(node)} compares with a mere name"
        for kind in (ASTType.Aggregate, *_ADDING):
            for node in syntax.find(kind, [statement]):
                for guard in filter(None, (node.left_guard, node.right_guard)):
                    if guard.comparison not in _SAME:
                        yield guard.term, "a number is compared with a mere name"
        for node in syntax.find(ASTType.Minimize, [statement]):
            for term in (node.weight, node.priority):
                yield term, "clingo leaves out what is minimized here"
        for kind in _ADDING:
            for node in syntax.find(kind, [statement]):
                for element in node.elements if node.function in _SUMS else ():
                    if element.terms:
                        yield element.terms[0], "the sum leaves its tuple out"

    return ((name, term, what) for term, what in told() if (name := _name(term)))


def _name(term: AST) -> str:
    """The name that a term is; empty if it is anything else."""
    if term.ast_type != ASTType.SymbolicTerm or term.symbol.type != SymbolType.Function:
        return ""
    return str(term.symbol) if not term.symbol.arguments and term.symbol.name else ""


Shape = tuple[str, int]  # name and arity of a function; other things have no such name
Shapes = frozenset[Shape]
_NUMBER: Shape = ("#number", 0)
_STRING: Shape = ("#string", 0)
_ANY: Shapes = frozenset({("#any", 0)})
_SEVERAL = 3  # literals that are strange for one reason and that are named each
_MOST_SHAPES = 60
_MOST_TEXT = 60_000  # characters of the facts of a file that are looked at
_Place = tuple[Signature, int]


def find_strange(program: Clauses) -> Iterator[InputWarning]:
    """Literals with an argument that no atom of their predicate has."""
    known = shapes_of(program)
    strange: dict[tuple[Signature, str], list[Use]] = {}
    for clause in program.clauses:
        for use in clause.reads:
            hints = [known.hint(part) for part in (use, *use.inside)]
            hints.append(known.hint_of_variables(clause, use))
            if (hint := next((hint for hint in hints if hint is not None), None)) is not None:
                strange.setdefault((use.key, hint), []).append(use)
    for (key, hint), uses in strange.items():
        # A level of a game without locks has no atoms for all the rules about locks.
        named = uses if len(uses) <= _SEVERAL else uses[:1]
        more = len(uses) - len(named)
        for use in named:
            text = f"no {spelled(key)} is like {use.text}"
            text += f", nor like {more} more literals of it" if more else ""
            yield make_warning("no-match", text, use.at, hint)


@lru_cache(maxsize=1)
def shapes_of(program: Clauses) -> KnownShapes:
    """What is known of the arguments of the predicates of a program."""
    constants = {s.name for s in program.program.of_kind(ASTType.Definition)}
    horizon = program.program.horizon
    constants |= {horizon.constant} if horizon else set()
    uses = (use for clause in program.clauses for use in (*clause.heads, *clause.reads))
    terms = dict[Use, tuple[Shapes | str, ...]]()
    for part in (part for use in uses for part in (use, *use.inside)):
        terms[part] = tuple(_shapes_of(term, part.parameter, constants) for term in part.terms)
    known = KnownShapes(program, terms)
    known.run()
    return known


def _shapes_of(term: AST, parameter: str, constants: Set[str]) -> Shapes | str:
    """The shapes that a term may have, or the name of a variable."""
    match term.ast_type:
        case ASTType.Variable:
            return str(term.name)
        case ASTType.SymbolicTerm:
            shape = _shape(term.symbol)
            shape = _NUMBER if shape == (parameter, 0) else shape
            return _ANY if shape[0] in constants else frozenset({shape})
        case ASTType.Function if not term.external:
            return frozenset({(term.name, len(term.arguments))})
        case ASTType.BinaryOperation | ASTType.Interval:
            return frozenset({_NUMBER})
    return _ANY


def _shape(value: Symbol) -> Shape:
    if value.type == SymbolType.Function:
        return value.name, len(value.arguments)
    kinds = {SymbolType.Number: _NUMBER, SymbolType.String: _STRING}
    return kinds.get(value.type, ("#any", 0))


def _places(key: Signature) -> list[_Place]:
    return [(key, place) for place in range(key[2])]


class KnownShapes:
    """The shapes of the arguments of all predicates."""

    def __init__(self, program: Clauses, terms: dict[Use, tuple[Shapes | str, ...]]) -> None:
        self.program, self.terms = program, terms
        self.found: dict[_Place, Shapes] = defaultdict(frozenset)
        self.open: set[_Place] = set()
        """The places where another instance may have other shapes."""
        self.changed = False
        unknown = {*program.program.declared, *program.reads} - program.defined
        for key in (*unknown, *self._unknown()):
            self.found.update(dict.fromkeys(_places(key), _ANY))
        for key in () if program.is_one_file and program.has_facts else program.defined:
            if not program.timed_definitions(key):
                self.open.update(_places(key))

    def _unknown(self) -> Iterator[Signature]:
        """The functions that may be made elsewhere than in heads and facts."""
        statements = [clause.statement for clause in self.program.clauses]
        nodes = (node for statement in statements for node in getattr(statement, "body", ()))
        made = [node for node in nodes if not syntax.is_literal(node, sign=None)]
        made += self.program.program.of_kind(ASTType.Definition)
        has_scripts = any(node.external for node in find(ASTType.Function, statements))
        for node in find(ASTType.Function, statements if has_scripts else made):
            yield INSIDE, node.name, len(node.arguments)

    def run(self) -> None:
        for facts in self.program.program.facts:
            self._take_facts(facts)
        self.changed = True
        while self.changed:
            self.changed = False
            for clause in self.program.rules:
                bound = self._bound(clause)
                for head in (part for use in clause.heads for part in (use, *use.inside)):
                    for place, term in enumerate(self.terms[head]):
                        if isinstance(term, str):
                            self._add((head.key, place), *bound.get(term, (_ANY, False)))
                        else:
                            self._add((head.key, place), term, False)

    def _take_facts(self, facts: PlainFacts) -> None:
        if len(facts.text) > _MOST_TEXT:
            inside = (part.key for use in self.terms for part in use.inside)
            for key in (*facts.signatures, *inside):
                self.found.update(dict.fromkeys(_places(key), _ANY))
            return
        left = [(predicate(fact), fact) for fact in facts.symbols()]
        while left:
            key, term = left.pop()
            for place, value in enumerate(term.arguments):
                self._add((key, place), frozenset({_shape(value)}), not self.program.is_one_file)
                if value.type == SymbolType.Function and value.arguments:
                    left.append(((INSIDE, value.name, len(value.arguments)), value))

    def _add(self, place: _Place, shapes: Shapes, is_open: bool) -> None:
        old = self.found[place]
        if is_open and place not in self.open:
            self.open.add(place)
            self.changed = True
        if not shapes <= old and old != _ANY:
            new = _ANY if shapes & _ANY else old | shapes
            self.found[place] = new if len(new) <= _MOST_SHAPES else _ANY
            self.changed = True

    def _bound(self, clause: Clause) -> dict[str, tuple[Shapes, bool]]:
        """The shapes of the variables that literals of a rule bind; whether there may be others."""
        bound: dict[str, tuple[Shapes, bool]] = {}
        for use in clause.reads:
            is_binding = use.sign == Sign.NoSign and (not use.inner or clause.is_choice)
            for part in (use, *use.inside) if is_binding else ():
                terms = [((part.key, i), term) for i, term in enumerate(self.terms[part])]
                excluded = (self._excludes(*pair, is_so_far=True) for pair in terms)
                is_made = part is use or not any(excluded)
                for place, term in terms:
                    if isinstance(term, str):
                        shapes = self.found[place] if is_made else frozenset()
                        old, _ = bound.get(term, (_ANY, False))
                        if old == _ANY or (shapes != _ANY and shapes < old):
                            bound[term] = shapes, place in self.open
        return bound

    def _excludes(self, place: _Place, term: Shapes | str, is_so_far: bool = False) -> bool:
        """Whether no argument at a place is like a term; where none is known, only `is_so_far`."""
        known = self.found[place]
        if isinstance(term, str) or term == _ANY or known == _ANY:
            return False
        return (bool(known) or is_so_far) and not term & known

    def lacks(self, place: _Place, terms: Iterable[Shapes | str]) -> bool:
        """Whether there is an argument at a place that is like none of some terms."""
        told = [_ANY if isinstance(term, str) else term for term in terms]
        known = self.found[place]
        return known != _ANY and _ANY not in told and bool(known.difference(*told))

    def hint(self, use: Use) -> str | None:
        """What to say of a literal that no atom is like; None if some may be."""
        key, terms = use.key, self.terms[use]
        wrong = [i for i, term in enumerate(terms) if self._excludes((key, i), term)]
        if not wrong:
            return None
        if swapped := self._swapped(use, wrong[0]):
            inside = ",".join(map(as_written, swapped))
            return f"did you mean {key[0].strip()}{key[1]}({inside})?"
        place, told = (key, wrong[0]), terms[wrong[0]]
        assert not isinstance(told, str)
        ((name, _),) = told
        known = {n: a for n, a in self.found[place] if not n.startswith("#")}
        slips = [other for other in known if is_slip(name, other)]
        if slips:
            return f"did you mean {slips[0]}?"
        if place in self.open or key[0] == INSIDE or (use.sign and not use.parameter):
            return None  # what no state is at the start may be there in another instance
        if name in known:
            return f"there is {name} with {amount(known[name], 'argument')}"
        kinds = [*sorted(known)[:5], *["a number"] * (_NUMBER in self.found[place])]
        return f"argument {wrong[0] + 1} is {' or '.join(kinds) or 'a string'}"

    def hint_of_variables(self, clause: Clause, use: Use) -> str | None:
        """Return what to say of a denied literal that no values of its variables make true.

        A constraint with it excludes all else that it speaks of; a rule with it may be general.
        """
        is_whole = self.program.is_one_file and self.program.has_facts
        if not is_whole or not clause.is_constraint or use.sign != Sign.Negation or use.inner:
            return None
        others = replace(clause, reads=tuple(each for each in clause.true if each is not use))
        bound = self._bound(others)
        wrong = [i for i, term in enumerate(self.terms[use]) if self._is_apart(use, i, bound)]
        if not wrong:
            return None
        name = self.terms[use][wrong[0]]
        kinds = sorted(n for n, _ in bound[str(name)][0] if not n.startswith("#"))
        return f"{name} is {' or '.join(kinds[:3]) or 'of another kind'} here"

    def _is_apart(self, use: Use, place: int, bound: dict[str, tuple[Shapes, bool]]) -> bool:
        """Return whether a variable is bound to values that no atom has at a place."""
        term, known = self.terms[use][place], self.found[use.key, place]
        if not isinstance(term, str) or term not in bound or (use.key, place) in self.open:
            return False
        shapes, is_open = bound[term]
        if is_open or _ANY in (shapes, known) or not shapes or not known:
            return False
        return not shapes & known

    def _swapped(self, use: Use, wrong: int) -> list[AST] | None:
        """The arguments, with a wrong one and another swapped, if some atom is like that."""
        key, terms = use.key, self.terms[use]
        for other in (place for place in range(len(terms)) if place != wrong):
            order = list(range(len(terms)))
            order[wrong], order[other] = other, wrong
            is_told = self.found[key, other] != _ANY
            if {(key, wrong), (key, other)} & self.open:  # at least one kind is numbers
                is_told = terms[wrong] == self.found[key, other] == frozenset({_NUMBER})
            if is_told and not any(self._excludes((key, i), terms[j]) for i, j in enumerate(order)):
                return [use.terms[i] for i in order]
        return None
