"""Reading of Brain Twist instances: checks the facts and makes the model from them."""

from collections.abc import Mapping

from asplan.clingo import Function, Symbol
from asplan.core.facts import Facts
from asplan.domains.brain_twist.model import BrainTwist
from asplan.domains.brain_twist.turns import POSITIONS, TILES, Tiles
from asplan.domains.reading import at_start, by_object, read_number

FLIP_NAME = Function("f")


def read(facts: Facts, constants: Mapping[str, str]) -> BrainTwist:
    """Make the model of an instance; raise `InputError` at the place of an invalid fact."""
    goal = constants.get("goal", "faces")
    rotation = constants.get("rotation", "fixed")
    flips: list[Symbol] = []
    tile_facts: list[Symbol] = []
    for fact in at_start(facts, "on", 3, "on/3"):
        if fact.arguments[1] == FLIP_NAME:
            flips.append(fact)
        else:
            tile_facts.append(fact)
    tiles = _read_tiles(facts, tile_facts, rotation)
    flip = _read_flip(facts, flips)
    return BrainTwist((flip, tiles), goal, rotation)


def _read_flip(facts: Facts, flips: list[Symbol]) -> int:
    if not flips:
        hint = "add on(0,f,0)., or on(0,f,1). if it is"
        raise facts.error("does not say whether the puzzle is flipped", hint=hint)
    for fact in flips:
        if _read_position(facts, fact) not in (0, 1):
            raise facts.error("the flip must be 0 or 1", fact)
    if len(flips) > 1:
        raise facts.error(f"the flip already has {flips[0]}", flips[1])
    return _read_position(facts, flips[0])


def _read_position(facts: Facts, fact: Symbol) -> int:
    return read_number(facts, fact, fact.arguments[2])


def _read_tiles(
    facts: Facts,
    tile_facts: list[Symbol],
    rotation: str,
) -> Tiles:
    """Return the tiles at positions 1 to 12; raise `InputError` unless each
    position has one tile.
    """
    hint = f"the tiles are {' '.join(sorted(TILES))}"
    fact_of = by_object(facts, tile_facts, 1, "tile")
    fact_at: dict[int, Symbol] = {}
    tile_at: dict[int, str] = {}
    for name, fact in fact_of.items():
        tile = str(name)
        if tile not in TILES:
            raise facts.error(f"there is no tile {name}", fact, hint=hint)
        position = _read_position(facts, fact)
        if not 1 <= position <= POSITIONS:
            raise facts.error(f"the position must be from 1 to {POSITIONS}", fact)
        if position in fact_at:
            raise facts.error(f"position {position} is taken by {fact_at[position]}", fact)
        if rotation == "fixed":
            _check_fixed(facts, fact, tile, position)
        fact_at[position] = fact
        tile_at[position] = tile
    missing = sorted(TILES - set(tile_at.values()))
    if missing:
        raise facts.error(f"has no position for tile {missing[0]}", hint=hint)
    positions = range(1, POSITIONS + 1)
    return tuple(tile_at[position] for position in positions)


def _check_fixed(
    facts: Facts,
    fact: Symbol,
    tile: str,
    position: int,
) -> None:
    """Raise `InputError` if the fact contradicts that the tile rc is fixed at position 1.

    The fact is wrong if it puts another tile at position 1, or rc at another position.
    """
    if (tile == "rc") != (position == 1):
        raise facts.error(
            "position 1 holds rc",
            fact,
            hint="rotate the whole puzzle until rc is there, and number the positions anew; "
            "or set -c rotation=free",
        )
