"""The names of a task as ASP terms, and back; and conditions, effects and numbers as PDDL text.

PDDL's names are not ASP's: `pick-up` would be a difference, `3d` is no term, and `not` is a word of
the language. So every name gets a term of its own: lower case, `_` for `-`.

>>> from clingo import Function
>>> names = PddlNames.of(["A", "3d", "7", "none"], predicates=["on"], actions=["pick-up"])
>>> names.action("pick-up", ["a"]), names.atom("on", ["3d", "7"]), names.atom("on", ["none", "a"])
('pick_up(a)', 'on(n3d,7)', 'on(none_,a)')
>>> names.action_of(Function("pick_up", [Function("a")]))
('pick-up', ('a',))
>>> names.written("pick_up(a)")
'(pick-up A)'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from clingo import Symbol, SymbolType

from asplan.core.errors import nearest
from asplan.core.text import decimal_text, parse_natural, shortened
from asplan.pddl.language import syntax
from asplan.pddl.language.syntax import OBJECT, TaskText, Typed, substitute

_IDENTIFIER = re.compile(r"[_']*[a-z][A-Za-z0-9_']*")
_ODD = re.compile(r"[^a-z0-9_]")
RESERVED = frozenset(("not", "none", "axiom", "absent", "first", "optimal", "repeats"))
"""Words of ASP, of the vocabulary of tasks and of the translation, and constants of encodings."""


@dataclass(frozen=True)
class NameTable:
    """Names of one kind, one to one: PDDL's in lower case, ASP's, and as they were written."""

    terms: Mapping[str, str]
    spelling: Mapping[str, str]

    @classmethod
    def of(cls, written: Iterable[str], numbers: bool = False) -> NameTable:
        """The table of some names in the order of their declaration; the first spelling counts.

        With `numbers`, numbers stay numbers, as they can where no arguments follow.
        """
        spelling: dict[str, str] = {}
        for name in written:
            spelling.setdefault(name.lower(), name)
        terms: dict[str, str] = {}
        used: set[str] = set()
        for name in spelling:
            term, count = _term(name, numbers), 2
            while term in used:
                term, count = f"{_term(name, False)}_{count}", count + 1
            terms[name] = term
            used.add(term)
        return cls(terms, spelling)

    @cached_property
    def names(self) -> dict[str, str]:
        """PDDL's names by ASP's."""
        return {term: name for name, term in self.terms.items()}


def _term(name: str, numbers: bool) -> str:
    """An ASP name that is much like one of PDDL.

    >>> [_term(name, True) for name in ("a-b", "3d", "17", "017", "not", "_x", "_1", "4294967296")]
    ['a_b', 'n3d', '17', 'n017', 'not_', '_x', 'n_1', 'n4294967296']
    """
    if numbers and (number := parse_natural(name)) is not None and str(number) == name:
        return name
    term = _ODD.sub("_", name)
    if not _IDENTIFIER.fullmatch(term):
        return f"n{term}"
    return f"{term}_" if term in RESERVED else term


@dataclass(frozen=True)
class PddlNames:
    """The names of a task; all but those of objects are told apart by their place.

    PDDL's names are given, and come back, in lower case.
    """

    objects: NameTable
    predicates: NameTable
    actions: NameTable
    types: NameTable
    functions: NameTable

    @classmethod
    def of(
        cls,
        objects: Iterable[str] = (),
        predicates: Iterable[str] = (),
        actions: Iterable[str] = (),
        types: Iterable[str] = (),
        functions: Iterable[str] = (),
    ) -> PddlNames:
        """The names that are declared in this order."""
        rest = map(NameTable.of, (predicates, actions, (OBJECT, *types), functions))
        return cls(NameTable.of(objects, numbers=True), *rest)

    def atom(self, predicate: str, arguments: Sequence[str]) -> str:
        """An atom such as `on(a,b)` or `handempty`; `KeyError` if a name is unknown."""
        return self._term(self.predicates.terms[predicate], arguments)

    def action(self, name: str, arguments: Sequence[str]) -> str:
        """An action such as `pick_up(a)`; `KeyError` if a name is unknown."""
        return self._term(self.actions.terms[name], arguments)

    def function(self, name: str, arguments: Sequence[str]) -> str:
        """A function such as `fuel(truck)`; `KeyError` if a name is unknown."""
        return self._term(self.functions.terms[name], arguments)

    def _term(self, head: str, objects: Sequence[str]) -> str:
        terms = self.objects.terms
        return f"{head}({','.join([terms[name] for name in objects])})" if objects else head

    def action_of(self, term: Symbol) -> tuple[str, tuple[str, ...]]:
        """The name and the arguments of an action; `ValueError` says what is unknown in it."""
        if term.type != SymbolType.Function or not term.name or term.negative:
            raise ValueError(f"{shortened(str(term), 100)} is no action")
        if term.name not in self.actions.names:
            hint = nearest(term.name, self.actions.names, noun="actions")
            raise ValueError(f"there is no action {shortened(term.name, 100)}; {hint}")
        known = self.objects.names
        arguments = [str(argument) for argument in term.arguments]
        for argument in arguments:
            if argument not in known:
                raise ValueError(f"there is no object {shortened(argument, 100)}")
        return self.actions.names[term.name], tuple(known[argument] for argument in arguments)

    def written(self, action: str) -> str:
        """The term of an action as the source writes it, such as `(pick-up A)`."""
        head, _, rest = action.removesuffix(")").partition("(")
        name = self.actions.names[head]
        objects = (self.objects.names[term] for term in rest.split(",") if term)
        return self.spelled(self.actions.spelling[name], *objects)

    def written_atom(self, predicate: str, *arguments: str) -> str:
        """An atom or function as the source writes it, such as `(on A B)`; variables stay."""
        spelling = self.predicates.spelling.get(predicate)
        if spelling is None:
            spelling = self.functions.spelling.get(predicate, predicate)
        return self.spelled(spelling, *arguments)

    def spelled(self, head: str, *arguments: str) -> str:
        """A word with objects behind it, in parentheses."""
        spelling = self.objects.spelling
        return f"({' '.join([head, *(spelling.get(word, word) for word in arguments)])})"


def names_of(task: TaskText) -> PddlNames:
    domain = task.domain
    return PddlNames.of(
        objects=(declared[0].name.text for declared in task.objects.values()),
        predicates=(signature.name.text for signature in domain.predicates),
        actions=[*(a.name.text for a in domain.actions), *(a.name.text for a in domain.durative)],
        types=(word.text for typed in domain.types for word in (typed.name, *typed.types)),
        functions=(signature.name.text for signature in domain.functions),
    )


DIGITS = 40  # behind the point, at most

_NONE: Mapping[str, str] = {}


def written(
    node: syntax.Formula | syntax.EffectFormula | syntax.Expression,
    bound: Mapping[str, str] = _NONE,
    names: PddlNames | None = None,
) -> str:
    """A condition, effect or expression; variables that have a value are replaced by it.

    With names, predicates and objects are spelled as their declarations have it.
    """

    def text(*parts: syntax.Formula | syntax.EffectFormula | syntax.Expression) -> str:
        return " ".join(written(part, bound, names) for part in parts)

    def group(*words: str) -> str:
        return f"({' '.join(filter(None, words))})"

    match node:
        case Fraction():
            return number_text(node)
        case syntax.Atom(name, ()) if name.key == syntax.DURATION:
            return str(name)
        case syntax.Atom(name, arguments):
            if names is not None:
                return names.written_atom(*node.ground(bound))
            return group(name.text, *substitute(tuple(map(str, arguments)), bound))
        case syntax.Equal(left, right):
            words = substitute(("=", left.key, right.key), bound)
            return names.spelled(*words) if names else group(*words)
        case syntax.Compare(word, left, right):
            return group(word, text(left, right))
        case syntax.Operation(word, parts) | syntax.Connected(word, parts):
            return group(word, text(*parts))
        case syntax.Quantified(word, variables, body):
            own = {typed.name.key for typed in variables}
            outer = {key: value for key, value in bound.items() if key not in own}
            return group(word, group(_typed(variables)), written(body, outer, names))
        case syntax.Changed(atom, holds):
            return text(atom) if holds else group("not", text(atom))
        case syntax.Together(parts):
            return group("and", text(*parts))
        case syntax.Each(variables, body):
            return group("forall", group(_typed(variables)), text(body))
        case syntax.When(condition, body):
            return group("when", text(condition, body))
        case syntax.Assign(word, target, amount):
            return group(word, text(target, amount))


def number_text(number: Fraction) -> str:
    """A number as PDDL writes it; one that has no end is an operation.

    >>> [number_text(Fraction(n)) for n in ("3", "-2.50", "1/3", "1e-3")]
    ['3', '-2.5', '(/ 1 3)', '0.001']
    """
    if 10**DIGITS % number.denominator:
        return f"(/ {number.numerator} {number.denominator})"
    return decimal_text(number, DIGITS)


def _typed(several: Iterable[Typed]) -> str:
    """Variables with their types."""
    words = []
    for typed in several:
        types = " ".join(map(str, typed.types))
        types = f"(either {types})" if len(typed.types) > 1 else types
        words.append(f"{typed.name} - {types}" if types else str(typed.name))
    return " ".join(words)
