"""The atoms of a drawing: which there are, where each was derived, and what is wrong with one.

canvas(W,H)                        the size of the picture
rect(T,Id,X,Y,W,H)                 a shape at step T; without T it stands at every step
circle(T,Id,X,Y,R)                 X, Y is the centre
polygon(T,Id,((X,Y),(X,Y),…))
label(Id,Text)  layer(Id,N)  style(Id,Key,Value)
appears(Id)                        Id is not there at step 0, and fades in later
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from clingo import Symbol, SymbolType

from asplan.errors import InputError
from asplan.facts import Facts
from asplan.text import shortened

GIVEN = "<plan>"
"""The file of an atom that was given to the rules, not derived by them."""

FORMS = {
    "canvas": ({2}, "canvas(Width,Height)"),
    "rect": ({5, 6}, "rect(Step,Id,X,Y,Width,Height) or rect(Id,X,Y,Width,Height)"),
    "circle": ({4, 5}, "circle(Step,Id,X,Y,Radius) or circle(Id,X,Y,Radius)"),
    "polygon": ({2, 3}, "polygon(Step,Id,((X,Y),…)) or polygon(Id,((X,Y),…))"),
    "label": ({2}, "label(Id,Text)"),
    "layer": ({2}, "layer(Id,Number)"),
    "style": ({3}, "style(Id,Key,Value)"),
    "appears": ({1}, "appears(Id)"),
}
"""The numbers of arguments that a predicate of the drawing may have, and how it is written."""

KINDS = ("rect", "circle", "polygon")

MOST_STEPS = 100_000
MOST_ATOMS = 400_000
MOST_SHAPES = 100_000
MOST_THINGS = 20_000
MOST_POSES = 5_000_000
"""Things times steps."""
LARGEST_CANVAS = 1_000_000
MOST_POINTS = 1_000
LONGEST_LABEL = 1_000


@dataclass(frozen=True)
class Atoms:
    """What the rules of a file derived for a plan whose last step is `last`.

    There may be at most `most` shapes.
    """

    facts: Facts
    file: str
    last: int
    most: int = MOST_SHAPES

    @cached_property
    def _by_name(self) -> dict[str, list[Symbol]]:
        found: dict[str, list[Symbol]] = {name: [] for name in FORMS}
        for atom, place in self.facts.places.items():
            if place.file != GIVEN and atom.type == SymbolType.Function and atom.name in found:
                found[atom.name].append(atom)
        return found

    def named(self, *names: str) -> Iterable[Symbol]:
        """The atoms with one of some names, those of each in the order of the rules."""
        return [atom for name in names for atom in self._by_name[name]]

    def by_thing(self, name: str) -> dict[Symbol, Symbol]:
        """The atoms of a predicate that may speak of each object once, by object."""
        found: dict[Symbol, Symbol] = {}
        for atom in self.named(name):
            if other := found.get(atom.arguments[0]):
                raise self.error(atom, f"a second {name}; the first is {other}")
            found[atom.arguments[0]] = atom
        return found

    def check_number(self) -> None:
        """Raise `InputError` where there are more shapes than can be drawn in a reasonable time."""
        if (found := sum(len(self._by_name[kind]) for kind in KINDS)) > self.most:
            raise self.too_many(f"{found} shapes")

    def too_many(self, what: str) -> InputError:
        """What is wrong with a drawing that has too much of something."""
        return InputError(
            f"{self.file}: {what} are too many",
            mend=f"there may be {self.most} shapes, {MOST_THINGS} things, and {MOST_POSES} "
            "things times steps; one can stand for many cells, and one without T for all steps",
        )

    def check_forms(self) -> None:
        """Raise `InputError` at a predicate with a wrong number of arguments."""
        for atom in self.named(*FORMS):
            arities, form = FORMS[atom.name]
            if len(atom.arguments) not in arities:
                raise self.error(atom, f"{atom.name} is written {form}")

    def number(
        self, atom: Symbol, term: Symbol, least: int | None = None, greatest: int | None = None
    ) -> int:
        """The number that a term in an atom is; `InputError` if it is none, or out of range."""
        if term.type != SymbolType.Number:
            raise self.error(atom, f"{term} is no number")
        if least is not None and term.number < least:
            raise self.error(atom, f"{term} is less than {least}")
        if greatest is not None and term.number > greatest:
            raise self.error(atom, f"{term} is more than {greatest}")
        return term.number

    def error(self, atom: Symbol, why: str, mend: str = "") -> InputError:
        """What is wrong with an atom, at the rule that derives it."""
        return InputError(f"{shortened(str(atom), 100)}: {why}", at=self.facts.at(atom), mend=mend)


def text(term: Symbol) -> str:
    """A string without its quotes, any other term as it is written."""
    return term.string if term.type == SymbolType.String else str(term)
