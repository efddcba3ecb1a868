"""A reader of the facts of a Lights Out instance, with its error messages."""

from __future__ import annotations

from collections.abc import Mapping

from asplan.domains.reading import read_cell, read_grid
from asplan.facts import Facts
from lights_out.model import LightsOut


def read(facts: Facts, constants: Mapping[str, str]) -> LightsOut:
    """The board that the facts of an instance describe.

    Raises
    ------
    InputError
        The facts make no sense; the message names the first that does not.
    """
    rows, columns = read_grid(
        facts, example="grid(1..3,1..3).", hint="the lamps fill a rectangle; add that one"
    )
    lit = {read_cell(facts, fact): fact for fact in facts.named("lit", 2)}
    if not lit:
        raise facts.error("has no lamp that is lit", hint="add, for example, lit(1,1).")
    for (row, column), fact in lit.items():
        if not (1 <= row <= rows and 1 <= column <= columns):
            raise facts.error("there is no such lamp", fact)
    return LightsOut(rows, columns, frozenset(lit), wrap=constants["wrap"] == "yes")
