"""An index of a program as its author wrote it: its rules by the predicates that they mention.

Aliases of the time are replaced (`without_aliases`), so that a rule with `T = t` in its body looks
as if it had t instead of T.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import chain

from asplan.clingo import SymbolType
from asplan.core.dataclass import dataclass
from asplan.core.errors import Location
from asplan.core.graphs import closure
from asplan.program import syntax
from asplan.program.incremental import Program
from asplan.program.model.program import Kind, Literal, TemporalRule
from asplan.program.reading.unit import QUERY
from asplan.program.roles.inputs import key_text
from asplan.program.roles.roles import Roles, in_parts_without_aliases, roles_of, without_aliases
from asplan.program.syntax import (
    ASTType,
    Signature,
)

_UNREAD = (Kind.PROJECT, Kind.OTHER)
"""The kinds of statements that no check examines."""


@dataclass(frozen=True, eq=False)
class ProgramIndex:
    """The rules of a program, by the predicates that they define and read.

    A `Literal` is called a *use* of its predicate in a body, and a *head* in a head. Its
    attribute `rule` is the rule that contains it.

    Attributes
    ----------
    roles
        The fluents, the actions, and the time arguments of predicates.
    statements
        The rules, and other statements that read atoms.
    is_one_file
        True if encoding and instance are one file.
    """

    program: Program
    roles: Roles
    statements: tuple[TemporalRule, ...]
    is_one_file: bool

    @cached_property
    def in_steps(self) -> ProgramIndex:
        """The index of the program with parts; a program without parts is divided first."""
        if self.program.horizon is None:
            return self
        divided = in_parts_without_aliases(self.program)
        return replace(self, program=divided, statements=_statements_of(divided))

    @cached_property
    def rules(self) -> tuple[TemporalRule, ...]:
        """The statements with heads."""
        return tuple(rule for rule in self.statements if rule.heads)

    @cached_property
    def reads(self) -> dict[Signature, list[Literal]]:
        """The uses of each predicate: all its literals that are no heads."""
        uses: dict[Signature, list[Literal]] = {}
        for rule in self.statements:
            for use in rule.reads:
                uses.setdefault(use.key, []).append(use)
        return uses

    @cached_property
    def queries(self) -> list[Literal]:
        """The uses of `query/1` in parts with a time."""
        return [use for use in self.reads.get(QUERY, ()) if use.parameter]

    @cached_property
    def heads(self) -> dict[Signature, list[Literal]]:
        """The heads of each predicate, in all parts."""
        heads: dict[Signature, list[Literal]] = {}
        for rule in self.rules:
            for head in rule.heads:
                heads.setdefault(head.key, []).append(head)
        return heads

    @cached_property
    def defined(self) -> frozenset[Signature]:
        """The predicates with rules or facts."""
        facts = (facts.signatures for facts in self.program.facts)
        return frozenset(self.heads).union(*facts)

    @cached_property
    def chosen(self) -> frozenset[Signature]:
        """The predicates that some rule chooses."""
        heads = (rule.heads for rule in self.rules if rule.is_choice)
        return frozenset(head.key for head in chain.from_iterable(heads))

    @cached_property
    def has_facts(self) -> bool:
        """True if the program has facts or an initial state, and so most likely its instance."""
        if any(facts.signatures for facts in self.program.facts):
            return True
        base = (c for c in self.rules if c.part == "base" and not c.reads and not c.is_choice)
        return any(rule.heads[0].key in self.places for rule in base)

    @property
    def is_complete(self) -> bool:
        """True if the program is one file that most likely contains the instance, too."""
        return self.is_one_file and self.has_facts

    @cached_property
    def shown(self) -> dict[Signature, Location]:
        """The predicates of statements `#show p/n.`, with the locations of the statements."""
        shows = (s for s in self.program.of_kind(ASTType.ShowSignature) if s.name)
        return {syntax.named_by(show): syntax.location(show) for show in shows}

    def is_in_base(self, key: Signature) -> bool:
        """Return whether `base` has facts or rules of a predicate."""
        if any(head.part == "base" for head in self.heads.get(key, ())):
            return True
        return any(key in facts.signatures for facts in self.program.facts)

    def timed_heads(self, key: Signature) -> list[Literal]:
        """Return the heads of a predicate in parts other than `base`."""
        return [head for head in self.heads.get(key, ()) if head.part != "base"]

    def step_heads(self, key: Signature) -> list[Literal]:
        """Return the heads of a predicate in `step`."""
        return [head for head in self.heads.get(key, ()) if head.part == "step"]

    def is_timed(self, key: Signature) -> bool:
        """Return whether atoms of a predicate have a time."""
        horizon = self.program.horizon
        if horizon is not None:
            return key in horizon.places and key not in horizon.domains
        return bool(self.timed_heads(key))

    @cached_property
    def places(self) -> dict[Signature, int]:
        """The index of the time argument of each predicate with rules outside of `base`.

        Predicates are left out if one of these rules has no time in this argument.
        """
        places: dict[Signature, int] = {}
        for key, place in self.roles.places.items():
            heads = self.timed_heads(key)
            if heads and all(head.shift(place) is not None for head in heads):
                places[key] = place
        return places

    def start(
        self,
        key: Signature,
        place: int,
    ) -> set[int] | None:
        """Return the times of a predicate's atoms in `base`; `place` is its time argument.

        Return None if one of the times is negative or no number.
        """
        heads = (head for head in self.heads.get(key, ()) if head.part == "base")
        times = {syntax.number_of(head.terms[place]) for head in heads}
        times |= self._times_of_facts(key, place)
        # A program has just one fact of each kind for times before 1, so these are incomplete.
        numbers = {time for time in times if time is not None}
        is_plain = None not in times and min(numbers, default=0) >= 0
        return numbers if is_plain else None

    def is_initial(self, key: Signature) -> bool:
        """Return whether all atoms of a predicate in `base`, at least one, have the time 0."""
        place = self.places.get(key)
        return place is not None and self.start(key, place) == {0}

    def _times_of_facts(
        self,
        key: Signature,
        place: int,
    ) -> set[int | None]:
        """Return the numbers in an argument of a predicate's facts, with None for other terms.

        The result is cached, since there may be millions of facts.
        """
        times = self._fact_times.get((key, place))
        if times is None:
            times = self._read_times(key, place)
            self._fact_times[key, place] = times
        return times

    def _read_times(
        self,
        key: Signature,
        place: int,
    ) -> set[int | None]:
        times: set[int | None] = set()
        for facts in self.program.facts:
            for fact in facts.symbols_of({key}):
                time = fact.arguments[place]
                times.add(time.number if time.type == SymbolType.Number else None)
        return times

    @cached_property
    def _fact_times(self) -> dict[tuple[Signature, int], set[int | None]]:
        return {}

    @cached_property
    def origins(self) -> dict[Signature, set[Signature]]:
        """For each predicate, the predicates that its rules read; choice rules do not count."""
        origins: dict[Signature, set[Signature]] = {}
        for rule in self.rules:
            if rule.is_choice:
                continue
            for head in rule.heads:
                origins.setdefault(head.key, set()).update(use.key for use in rule.reads)
        return origins

    def behind(self, keys: Iterable[Signature]) -> set[Signature]:
        """Return the predicates on which some predicates depend, directly or indirectly."""

        def origins(key: Signature) -> Collection[Signature]:
            return self.origins.get(key, ())

        direct = set[Signature]().union(*map(origins, keys))
        return closure(direct, origins)


@lru_cache(maxsize=4)
def index_of(
    program: Program,
    is_one_file: bool,
) -> ProgramIndex:
    """Return the index of a program; `is_one_file` is set if it includes the instance."""
    plain = without_aliases(program)
    return ProgramIndex(plain, roles_of(program), _statements_of(plain), is_one_file)


def _statements_of(program: Program) -> tuple[TemporalRule, ...]:
    """Return the statements of a program that checks examine."""
    return tuple(rule for rule in program.model.rules if rule.kind not in _UNREAD)


def suggest_predicates(
    key: Signature,
    defined: Collection[Signature],
) -> str:
    """Return a hint about defined predicates with a name similar to that of `key`.

    The hint is empty if there are none.
    """
    sign, name, _ = key
    arities = sorted(arity for s, n, arity in defined if (s, n) == (sign, name))
    if arities:
        return f"there is {' and '.join(f'{sign}{name}/{arity}' for arity in arities)}"
    names = {n for _, n, _ in defined if not n.startswith("asplan")}
    alike = get_close_matches(name, names, n=1, cutoff=0.6)
    similar = sorted(key_text(other) for other in defined if other[1] in alike)
    return f"did you mean {' or '.join(similar)}?" if similar else ""


def _common_length(
    first: str,
    second: str,
) -> int:
    """Return the length of the longest common prefix of two words."""
    length = 0
    for left, right in zip(first, second, strict=False):
        if left != right:
            break
        length += 1
    return length


def is_slip(
    name: str,
    other: str,
    least: int = 5,
) -> bool:
    """Return whether a name is most likely a misspelling of another one.

    This is so if one letter is missing or extra, or differs within the name, or two are transposed.
    In names of fewer than `least` letters, a differing letter does not count as a misspelling.

    >>> is_slip("ocurs", "occurs"), is_slip("claen", "clean"), is_slip("room", "rooms")
    (True, True, True)
    >>> is_slip("on", "in"), is_slip("wall_h", "wall_v"), is_slip("move1", "move2")
    (False, False, False)
    """
    if min(len(name), len(other)) < 3 or name == other:
        return False
    start = _common_length(name, other)
    end = _common_length(name[start:][::-1], other[start:][::-1])
    left = name[start : len(name) - end]
    right = other[start : len(other) - end]
    if len(left) == len(right) == 1:
        is_within = start > 0 and end > 0
        return len(name) >= least and is_within and (left + right).isalpha()
    is_missing_letter = len(left + right) == 1 and (left + right).isalpha()
    is_transposed = len(left) == 2 and left == right[::-1]
    return is_missing_letter or is_transposed
