"""The supports of the atoms of an answer set: for each atom the rule instance that derives it.

The program is run from its facts on, and the first instance that derives an atom supports it; so no
atom supports itself. The tree of an instance has the atoms of its body as children, and below them
their supports, down to facts and choices. Instances with low trees are run first, so the support of
an atom has the lowest tree of all instances that derive it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush

from asplan.clingo import Symbol
from asplan.core.dataclass import dataclass
from asplan.explaining.bodies import Body
from asplan.explaining.elements import (
    Element,
    body_searches,
    element_searches,
    holds_with,
    is_aggregate,
)
from asplan.explaining.explanation import Counted, Support, SupportKind, WrittenRule
from asplan.explaining.instances import Answered, Instance
from asplan.explaining.patterns import Pattern
from asplan.program import syntax
from asplan.program.reading.unit import QUERY
from asplan.program.syntax import Sign

_Elements = dict[tuple[Body, tuple[Symbol, Symbol]], list[Element]]
"""The true elements of aggregates and conditions, by the instance's body and key."""


class Supports:
    """The supports of the atoms of an answer set.

    For each atom that was passed to `of`, `absent` has the false atoms that its support
    reads with `not`.
    """

    def __init__(self, answer: Answered) -> None:
        self.absent: dict[str, list[Pattern]] = defaultdict(list)
        self._answer = answer
        self._atoms = {str(atom): atom for atom in answer.atoms}
        self._elements: _Elements = defaultdict(list)
        searches = [*body_searches(answer.bodies), *element_searches(answer.bodies)]
        derivations: list[_Derivation] = []
        for instance in answer.instances(searches):
            *head, reads = instance.more
            true = tuple(atom for atom in reads.arguments if atom in answer.atoms)
            if len(head) == 1:
                derivations.append(_Derivation(head[0], true, instance))
            else:
                number, terms = head
                element = Element(number.number, tuple(terms.arguments), true)
                self._elements[instance.search.body, instance.key].append(element)
        self._first = _first_derivations(derivations, self._elements)

    def of(self, text: str) -> Support:
        """Return the support of a true atom, given as text."""
        atom = self._atoms[text]
        if atom not in self._first:
            is_goal = syntax.predicate(atom) == QUERY
            kind = SupportKind.DEMANDED if is_goal else SupportKind.FACT
            return Support(text, kind, self._fact(atom))
        instance, reads = self._first[atom]
        body = instance.search.body
        values = instance.values
        if not body.literals and not body.rule.choice:
            return Support(text, SupportKind.FACT, body.rule)
        negated = (values.atom_behind(literal, Sign.Negation) for literal in body.literals)
        absent = [pattern for pattern in negated if pattern is not None]
        self.absent[text] = absent
        return Support(
            text,
            SupportKind.CHOSEN if body.rule.choice else SupportKind.DERIVED,
            body.rule,
            values.texts,
            body=tuple(map(str, reads)),
            absent=tuple(map(str, absent)),
            counted=tuple(self._counted(instance)),
        )

    def _counted(self, instance: Instance) -> Iterator[Counted]:
        """Yield the aggregates in the body of an instance with their true elements."""
        body = instance.search.body
        elements = self._elements[body, instance.key]
        for number, literal in enumerate(body.literals):
            if is_aggregate(literal):
                tuples = {element.terms for element in elements if element.literal == number}
                texts = tuple(",".join(map(str, terms)) for terms in sorted(tuples))
                yield Counted(body.places[number].text, texts)

    def _fact(self, atom: Symbol) -> WrittenRule | None:
        """Return an atom as a fact with its location; None if no file has this fact."""
        for facts in self._answer.question.program.facts:
            if syntax.predicate(atom) in facts.signatures:
                values = {name: self._answer.constant(name) for name in facts.names}
                constants = {name: value for name, value in values.items() if value is not None}
                for _, place in facts.places(constants, atom):
                    return WrittenRule(place, f"{atom}.")
        return None


@dataclass(frozen=True, eq=False)
class _Derivation:
    """An instance of a rule that derives the atom `head`.

    `reads` has the true atoms of its body.
    """

    head: Symbol
    reads: tuple[Symbol, ...]
    instance: Instance


def _first_derivations(
    derivations: list[_Derivation],
    elements: _Elements,
) -> dict[Symbol, tuple[Instance, tuple[Symbol, ...]]]:
    """Return for each atom its supporting instance, and the atoms in the instance's body.

    `elements` has the true elements of aggregates and conditions of these instances.
    """
    order = _Order(derivations, elements)
    for number in range(len(derivations)):
        order.enqueue(number)
    while order.is_pending():
        order.derive_next()
    return order.first


class _Order:
    """The order in which the rule instances of an answer set derive their heads.

    An instance is ready if all atoms that it reads are derived, and its aggregates hold with the
    elements derived so far. The next instance is the ready one whose tree of derivations is lowest,
    as in Dijkstra's algorithm.

    Attributes
    ----------
    first
        For each derived atom its supporting instance, and the atoms in the instance's body.
    """

    def __init__(
        self,
        derivations: list[_Derivation],
        elements: _Elements,
    ) -> None:
        self.first: dict[Symbol, tuple[Instance, tuple[Symbol, ...]]] = {}
        self._derivations = derivations
        self._elements = elements
        self._derivable = {each.head for each in derivations}
        self._heights: dict[Symbol, int] = {}
        self._queue: list[tuple[int, int, tuple[Symbol, ...]]] = []
        self._queued: set[int] = set()
        self._waiting: dict[Symbol, list[int]] = defaultdict(list)
        for number, derivation in enumerate(derivations):
            for atom in self._needed(derivation) & self._derivable:
                self._waiting[atom].append(number)

    def _elements_of(self, derivation: _Derivation) -> list[Element]:
        instance = derivation.instance
        return self._elements[instance.search.body, instance.key]

    def _needed(self, derivation: _Derivation) -> set[Symbol]:
        """Return the atoms that an instance reads, also in elements of aggregates."""
        needed = set(derivation.reads)
        for element in self._elements_of(derivation):
            needed.update(element.reads)
        return needed

    def _are_derived(self, atoms: Iterable[Symbol]) -> bool:
        return all(atom not in self._derivable or atom in self.first for atom in atoms)

    def enqueue(self, number: int) -> None:
        """Add the instance with this number to the queue if it is ready."""
        derivation = self._derivations[number]
        if number in self._queued or derivation.head in self.first:
            return
        reads = self._reads_if_ready(derivation)
        if reads is None:
            return
        self._queued.add(number)
        height = 0
        if reads and not derivation.instance.search.body.rule.choice:
            height = 1 + max(self._heights.get(atom, 0) for atom in reads)
        heappush(self._queue, (height, number, reads))

    def _reads_if_ready(self, derivation: _Derivation) -> tuple[Symbol, ...] | None:
        """Return the atoms derived so far that an instance reads; None if it is not ready."""
        if not self._are_derived(derivation.reads):
            return None
        elements = self._elements_of(derivation)
        derived = [element for element in elements if self._are_derived(element.reads)]
        if len(derived) < len(elements) and not holds_with(derivation.instance, derived, elements):
            return None
        reads = dict.fromkeys(derivation.reads)
        for element in derived:
            reads.update(dict.fromkeys(element.reads))
        return tuple(reads)

    def is_pending(self) -> bool:
        """Return whether instances are queued."""
        return bool(self._queue)

    def derive_next(self) -> None:
        """Derive the head of the next instance, and queue the instances that this makes ready."""
        height, number, reads = heappop(self._queue)
        derivation = self._derivations[number]
        head = derivation.head
        if head in self.first:
            return
        self.first[head] = derivation.instance, reads
        self._heights[head] = height
        for dependent in self._waiting[head]:
            self.enqueue(dependent)
