"""A translation between the names of a task and ASP terms.

Names of PDDL are not terms of ASP: `pick-up` would be a difference, `3d` is not a term, and `not`
is a keyword. So each name gets a unique term, in lower case, with `_` for `-`.

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
from fractions import Fraction
from functools import cached_property

from asplan.clingo import Symbol, SymbolType
from asplan.core.dataclass import dataclass
from asplan.core.errors import nearest
from asplan.core.text import decimal_text, parse_natural, shortened
from asplan.pddl.language.syntax import OBJECT, TaskText

_IDENTIFIER = re.compile(r"[_']*[a-z][A-Za-z0-9_']*")
_ODD = re.compile(r"[^a-z0-9_]")
RESERVED = frozenset(("not", "none", "axiom", "absent", "first", "optimal", "repeats"))
"""Keywords of ASP, words of the task vocabulary, and constants of encodings."""


@dataclass(frozen=True)
class NameTable:
    """A one-to-one map between PDDL names and ASP terms.

    Attributes
    ----------
    terms
        The ASP term of each PDDL name. The keys are names in lower case.
    spelling
        The spelling of each PDDL name in the files. The keys are names in lower case.
    """

    terms: Mapping[str, str]
    spelling: Mapping[str, str]

    @classmethod
    def of(
        cls,
        written: Iterable[str],
        numbers: bool = False,
    ) -> NameTable:
        """Return the table of names, given as the files spell them, in the order of declaration.

        If a name has several spellings, the first one counts. If `numbers` is set, names that are
        natural numbers stay numbers in ASP, which is possible only for names without arguments.
        """
        spelling: dict[str, str] = {}
        for name in written:
            spelling.setdefault(name.lower(), name)
        terms: dict[str, str] = {}
        used: set[str] = set()
        for name in spelling:
            term = _term(name, numbers)
            count = 2
            while term in used:
                term = f"{_term(name, False)}_{count}"
                count += 1
            terms[name] = term
            used.add(term)
        return cls(terms, spelling)

    @cached_property
    def names(self) -> dict[str, str]:
        """The PDDL name, in lower case, of each ASP term."""
        return {term: name for name, term in self.terms.items()}


def _term(
    name: str,
    numbers: bool,
) -> str:
    """Return an ASP name similar to a PDDL name.

    If `numbers` is set, natural numbers that clingo can represent stay unchanged.

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
    """The names of a task in PDDL and in ASP. Methods take and return PDDL names in lower case.

    There is a table for each kind of name. Different names of one kind have different terms. Two
    kinds may share a term, because the position of a term shows its kind.
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
        """Return the tables of names, given in the files' spelling and in the declared order."""
        return cls(
            objects=NameTable.of(objects, numbers=True),
            predicates=NameTable.of(predicates),
            actions=NameTable.of(actions),
            types=NameTable.of((OBJECT, *types)),
            functions=NameTable.of(functions),
        )

    def atom(
        self,
        predicate: str,
        arguments: Sequence[str],
    ) -> str:
        """Return an atom as a term, such as `on(a,b)`; raise `KeyError` if a name is unknown."""
        return self._term(self.predicates.terms[predicate], arguments)

    def action(
        self,
        name: str,
        arguments: Sequence[str],
    ) -> str:
        """Return an action as a term, such as `pick_up(a)`.

        Raise `KeyError` if a name is unknown.
        """
        return self._term(self.actions.terms[name], arguments)

    def function(
        self,
        name: str,
        arguments: Sequence[str],
    ) -> str:
        """Return a function as a term, such as `fuel(truck)`.

        Raise `KeyError` if a name is unknown.
        """
        return self._term(self.functions.terms[name], arguments)

    def _term(
        self,
        head: str,
        objects: Sequence[str],
    ) -> str:
        """Return the term with this head and these objects as arguments."""
        if not objects:
            return head
        terms = self.objects.terms
        return f"{head}({','.join([terms[name] for name in objects])})"

    def action_of(self, term: Symbol) -> tuple[str, tuple[str, ...]]:
        """Return the PDDL name and arguments of an action term.

        Raise `ValueError` at unknown names.
        """
        if term.type != SymbolType.Function or not term.name or term.negative:
            raise ValueError(f"{shortened(str(term), 100)} is not an action")
        if term.name not in self.actions.names:
            hint = nearest(term.name, self.actions.names, noun="actions")
            raise ValueError(f"there is no action {shortened(term.name, 100)}; {hint}")
        objects = self.objects.names
        arguments = [str(argument) for argument in term.arguments]
        for argument in arguments:
            if argument not in objects:
                raise ValueError(f"there is no object {shortened(argument, 100)}")
        return self.actions.names[term.name], tuple(objects[argument] for argument in arguments)

    def action_in(self, term: str) -> tuple[str, tuple[str, ...]]:
        """Return the PDDL name and arguments of a term that `action` has made.

        Raise `KeyError` at unknown names.
        """
        head, _, rest = term.removesuffix(")").partition("(")
        objects = self.objects.names
        return self.actions.names[head], tuple(objects[each] for each in rest.split(",") if each)

    def written(self, action: str) -> str:
        """Return the PDDL text of an action term in the files' spelling, such as `(pick-up A)`."""
        name, objects = self.action_in(action)
        return self.spelled(self.actions.spelling[name], *objects)

    def written_atom(
        self,
        predicate: str,
        *arguments: str,
    ) -> str:
        """Return an atom or function as PDDL text in the spelling of the files, such as `(on A B)`.

        Variables among the arguments stay as they are.
        """
        spelling = self.predicates.spelling.get(predicate)
        if spelling is None:
            spelling = self.functions.spelling.get(predicate, predicate)
        return self.spelled(spelling, *arguments)

    def spelled(
        self,
        head: str,
        *arguments: str,
    ) -> str:
        """Return PDDL text in parentheses: the word `head`, and the arguments in their spelling."""
        spelling = self.objects.spelling
        words = (spelling.get(word, word) for word in arguments)
        return f"({' '.join([head, *words])})"


def names_of(task: TaskText) -> PddlNames:
    """Return the names of a task in PDDL and in ASP."""
    domain = task.domain
    actions = [action.name.text for action in domain.actions]
    actions += [action.name.text for action in domain.durative]
    types: list[str] = []
    for typed in domain.types:
        types += (word.text for word in (typed.name, *typed.types))
    return PddlNames.of(
        objects=(declared[0].name.text for declared in task.objects.values()),
        predicates=(signature.name.text for signature in domain.predicates),
        actions=actions,
        types=types,
        functions=(signature.name.text for signature in domain.functions),
    )


DIGITS = 40
"""The maximum number of decimal places."""


def number_text(number: Fraction) -> str:
    """Return a number as PDDL text; a number without a finite decimal becomes a division.

    >>> [number_text(Fraction(n)) for n in ("3", "-2.50", "1/3", "1e-3")]
    ['3', '-2.5', '(/ 1 3)', '0.001']
    """
    if 10**DIGITS % number.denominator:
        return f"(/ {number.numerator} {number.denominator})"
    return decimal_text(number, DIGITS)
