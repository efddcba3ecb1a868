"""Reads the facts of a Brain Twist instance, and says what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping

from clingo import Function, Symbol

from asplan.domains.brain_twist.model import POSITIONS, TILES, BrainTwist, Tiles
from asplan.domains.reading import at_start, by_object, read_number
from asplan.facts import Facts


def read(facts: Facts, constants: Mapping[str, str]) -> BrainTwist:
    """The problem that the facts of an instance describe.

    Raises
    ------
    InputError
        The facts make no sense; the message names the first that does not.
    """
    found = at_start(facts, "on", 3, "on/3")
    flips = [fact for fact in found if fact.arguments[1] == Function("f")]
    goal, rotation = constants.get("goal", "faces"), constants.get("rotation", "fixed")
    tiles = _read_tiles(facts, [fact for fact in found if fact not in flips], rotation)
    return BrainTwist((_read_flip(facts, flips), tiles), goal, rotation)


def _read_flip(facts: Facts, flips: list[Symbol]) -> int:
    if not flips:
        raise facts.error(
            "does not say whether the puzzle is flipped",
            hint="add on(0,f,0)., or on(0,f,1). if it is",
        )
    for fact in flips:
        if read_number(facts, fact, fact.arguments[2]) not in (0, 1):
            raise facts.error("the flip is 0 or 1", fact)
    if len(flips) > 1:
        raise facts.error(f"the flip has another value already: {flips[0]}", flips[1])
    return int(flips[0].arguments[2].number)


def _read_tiles(facts: Facts, found: list[Symbol], rotation: str) -> Tiles:
    known = f"the tiles are {' '.join(sorted(TILES))}"
    places: dict[int, Symbol] = {}
    for name, fact in by_object(facts, found, 1, "tile").items():
        if str(name) not in TILES:
            raise facts.error(f"there is no tile {name}", fact, hint=known)
        position = read_number(facts, fact, fact.arguments[2])
        if not 1 <= position <= POSITIONS:
            raise facts.error(f"positions are 1 to {POSITIONS}", fact)
        if position in places:
            raise facts.error(f"position {position} is taken by {places[position]}", fact)
        if rotation == "fixed" and (str(name) == "rc") != (position == 1):
            raise facts.error(
                "position 1 holds rc",
                fact,
                hint="rotate the whole puzzle until rc is there, and number the positions anew; "
                "or set -c rotation=free",
            )
        places[position] = fact
    tiles = {position: str(fact.arguments[1]) for position, fact in places.items()}
    missing = sorted(TILES - set(tiles.values()))
    if missing:
        raise facts.error(f"has no position for tile {missing[0]}", hint=known)
    return tuple(tiles[position] for position in range(1, POSITIONS + 1))
