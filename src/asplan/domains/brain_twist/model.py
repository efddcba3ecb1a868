"""The positions of Brain Twist, what moves them, and how the tiles lie when it is solved.

Twelve tiles lie on twelve positions, three at each vertex of one tetrahedron and, after a flip, of
another. A position is a face and one of its vertices. A turn moves the tiles at a vertex by 120
degrees. With `rotation` fixed position 1 always holds rc: where its tile would move, all others
turn the other way instead, so of the twelve rotations of the whole one is a state. With `rotation`
free all of them are; nothing takes more or fewer moves then.

Turns and colours follow the talk "Brain Twist in ASP" (2016); a test derives the turns.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from random import Random
from typing import Any

from clingo import Function, Number, Symbol, SymbolType

from asplan.core.facts import Facts
from asplan.core.text import amount
from asplan.domains import generator
from asplan.domains.generator import Generator, Option, Puzzle, Range, Shortest
from asplan.domains.model import Model
from asplan.domains.reading import at_start, by_object, read_number

Tiles = tuple[str, ...]
Cycle = tuple[int, int, int]
Permute = Callable[[Tiles], Tiles]  # from the tiles at positions 1 to 12 to those after a move

POSITIONS = 12

OWN: Mapping[int, Cycle] = {
    1: (1, 2, 3),
    2: (4, 9, 10),
    3: (5, 11, 6),
    4: (7, 12, 8),
    5: (1, 4, 5),
    6: (2, 6, 7),
    7: (3, 8, 9),
    8: (10, 12, 11),
}
"""For each vertex its turn: the tile at the first position goes to the second, and so on. Vertices
1 to 4 turn while the puzzle is not flipped, 5 to 8 while it is."""

REST: Mapping[int, tuple[Cycle, ...]] = {
    1: ((4, 8, 6), (5, 9, 7), (10, 12, 11)),
    5: ((2, 11, 9), (3, 6, 10), (7, 12, 8)),
}
"""What the vertices at position 1 turn instead, if rc is to stay there."""

CYCLES: Mapping[str, Mapping[int, tuple[Cycle, ...]]] = {
    "fixed": {vertex: REST.get(vertex, (cycle,)) for vertex, cycle in OWN.items()},
    "free": {vertex: (cycle,) for vertex, cycle in OWN.items()},
}
"""For each value of `rotation` the turn of each vertex."""

FLIP = 0  # the flip as a move; the others are 1 to 8, negative for the inverse turn

MOVES = ((1, -1, 2, -2, 3, -3, 4, -4), (5, -5, 6, -6, 7, -7, 8, -8))
"""The turns while the puzzle is not flipped, and while it is."""

ARRANGEMENTS: Mapping[str, tuple[Tiles, Tiles]] = {
    "faces": (
        ("rc", "bc", "fc", "rg", "rv", "bv", "bs", "fs", "fg", "ag", "av", "as"),
        ("rc", "fc", "bc", "rv", "rg", "fg", "fs", "bs", "bv", "av", "ag", "as"),
    ),
    "points": (
        ("rc", "rg", "rv", "bc", "fc", "fg", "ag", "av", "bv", "bs", "fs", "as"),
        ("rc", "rv", "rg", "fc", "bc", "bv", "av", "ag", "fg", "fs", "bs", "as"),
    ),
}
"""For each goal the solved arrangements with rc at position 1. The two differ by an odd
permutation, and turns and rotations are even ones, so each arrangement can reach exactly one of
them, or its rotations."""

TILES = frozenset(ARRANGEMENTS["faces"][0])


def permute(cycles: Iterable[tuple[int, ...]]) -> Permute:
    """What cycles of positions make of the tiles."""
    source = list(range(POSITIONS))
    for cycle in cycles:
        for come, go in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            source[go - 1] = come - 1
    return itemgetter(*source)


def _turns(cycles: Mapping[int, tuple[Cycle, ...]]) -> dict[int, Permute]:
    """The turns of all vertices both ways."""
    back = {-vertex: tuple(c[::-1] for c in found) for vertex, found in cycles.items()}
    return {move: permute(found) for move, found in {**cycles, **back}.items()}


TURNS: Mapping[str, Mapping[int, Permute]] = {name: _turns(c) for name, c in CYCLES.items()}
"""For each value of `rotation` and each move but the flip what it makes of the tiles."""


def rotations(tiles: Tiles) -> frozenset[Tiles]:
    """An arrangement as it looks after each of the twelve rotations of the whole puzzle."""
    about = [permute([OWN[vertex], *(c[::-1] for c in rest)]) for vertex, rest in REST.items()]
    found = [tiles]
    for seen in found:  # which grows meanwhile
        found += [after for rotate in about if (after := rotate(seen)) not in found]
    return frozenset(found)


SOLVED: Mapping[tuple[str, str], frozenset[Tiles]] = {
    **{(goal, "fixed"): frozenset(two) for goal, two in ARRANGEMENTS.items()},
    **{(goal, "free"): frozenset.union(*map(rotations, two)) for goal, two in ARRANGEMENTS.items()},
}
"""For each goal and value of `rotation` all solved arrangements: 2, or 24."""


State = tuple[int, Tiles]  # the flip, 0 or 1, and the tiles at positions 1 to 12

_IN_ORDER = {
    rotation: tuple(tuple(turns[move] for move in moves) for moves in MOVES)
    for rotation, turns in TURNS.items()
}


@dataclass(frozen=True)
class Move:
    """Turn a vertex, or turn the puzzle inside out."""

    number: int

    def __str__(self) -> str:
        return f"turn({self.number})" if self.number else "flip"


_ACTIONS = tuple(tuple(Move(move) for move in (*moves, FLIP)) for moves in MOVES)


@dataclass(frozen=True)
class BrainTwist(Model[State, Move]):
    """One scrambled puzzle; `goal` and `rotation` are a key of `SOLVED`."""

    initial: State
    goal: str = "faces"
    rotation: str = "fixed"

    def actions(self, state: State) -> Iterable[Move]:
        return _ACTIONS[state[0]]

    def apply(self, state: State, action: Move) -> State:
        flip, tiles = state
        if action.number == FLIP:
            return 1 - flip, tiles
        return flip, TURNS[self.rotation][action.number](tiles)

    def successors(self, state: State) -> list[State]:
        flip, tiles = state
        turns = _IN_ORDER[self.rotation][flip]
        return [*((flip, turn(tiles)) for turn in turns), (1 - flip, tiles)]

    def is_goal(self, state: State) -> bool:
        return state[1] in SOLVED[self.goal, self.rotation]

    def goals(self) -> list[State]:
        solved = sorted(SOLVED[self.goal, self.rotation])
        return [(flip, tiles) for tiles in solved for flip in (0, 1)]

    def parse_action(self, term: Symbol) -> Move:
        """Read `turn(V)` or `flip`; ValueError if the term is neither."""
        if term == Function("flip"):
            return Move(FLIP)
        if not term.match("turn", 1):
            raise ValueError(f"{term} is neither turn(V) nor flip")
        vertex = term.arguments[0]
        if vertex.type != SymbolType.Number or abs(vertex.number) not in OWN:
            raise ValueError(f"{term}: {vertex} is not a vertex, 1 to 8 or -1 to -8")
        return Move(vertex.number)

    def why_not(self, state: State, action: Move) -> str | None:
        """A vertex of the other side does not turn."""
        if action.number == FLIP or action.number in MOVES[state[0]]:
            return None
        first, last = MOVES[state[0]][0], MOVES[state[0]][-2]
        side = "flipped" if state[0] else "not flipped"
        return f"while the puzzle is {side}, vertices {first} to {last} turn"

    def fluents(self, state: State) -> Iterator[Symbol]:
        """`on(Tile,Position)` for every tile, and `flipped` if it is."""
        flip, tiles = state
        for position, tile in enumerate(tiles, 1):
            yield Function("on", [Function(tile), Number(position)])
        if flip:
            yield Function("flipped")

    def text(self, state: State) -> str:
        """The tiles by position, and the flip."""
        flip, tiles = state
        return " ".join(tiles) + (" (flipped)" if flip else "")


def read(facts: Facts, constants: Mapping[str, str]) -> BrainTwist:
    found = at_start(facts, "on", 3, "on/3")
    flips = [fact for fact in found if fact.arguments[1] == Function("f")]
    goal, rotation = constants.get("goal", "faces"), constants.get("rotation", "fixed")
    tiles = _read_tiles(facts, [fact for fact in found if fact not in flips], rotation)
    return BrainTwist((_read_flip(facts, flips), tiles), goal, rotation)


def _read_flip(facts: Facts, flips: list[Symbol]) -> int:
    if not flips:
        hint = "add on(0,f,0)., or on(0,f,1). if it is"
        raise facts.error("does not say whether the puzzle is flipped", hint=hint)
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


# Scrambled puzzles that take a given number of moves: tiles are put down at random, and of a
# shortest plan for them the last moves remain, as many as are asked for.

MOST = 16  # no state takes more moves; docs/brain_twist.md tells how that was found

OPTIONS = (
    Option(
        "moves", "Ask for so many moves, such as 4..12.", generator.ranges(1, MOST), "A..B", "8"
    ),
)


def make_wish(values: Mapping[str, Any]) -> Range:
    moves: Range = values["moves"]
    return moves


def attempt(moves: Range, random: Random, shortest: Shortest) -> Puzzle | None:
    """Try to make a puzzle; None where the random one takes fewer moves than are aimed at."""
    aim = random.randint(*moves)
    first, *rest = ARRANGEMENTS["faces"][0]
    tiles = [rest.pop(random.randrange(len(rest))) for _ in range(len(rest))]
    problem = BrainTwist((random.randint(0, 1), (first, *tiles)))
    state = generator.before_the_last(
        aim, shortest(_facts(problem.initial), "bidirectional"), problem
    )
    if state is None:
        return None
    return Puzzle(
        title=f"Generated Brain Twist: shortest plan {amount(aim, 'move')} to goal faces.",
        facts=_facts(state),
        picture=problem.text(state),
        difficulty={"moves": aim},
    )


def _facts(state: State) -> str:
    flip, tiles = state
    facts = [f"on(0,{tile},{position})." for position, tile in enumerate(tiles, 1)]
    lines = ["  ".join(facts[start : start + 4]) for start in range(0, len(facts), 4)]
    return "\n".join([*lines, f"on(0,f,{flip})."]) + "\n"


GENERATOR = Generator("scrambled puzzles that take a number of moves", OPTIONS, make_wish, attempt)
