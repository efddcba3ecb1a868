"""What many states look like: the things that are drawn, and which shape each has in each state.

Drawing rules speak of steps, and are grounded once for all states: what holds at one step is left
open. Then each state is an assumption under which clingo tells which shapes stand. The steps are
these, with an empty one between them, so that nothing is remembered from one to the next: 0 the
start; 2 and 3 the state, at rest; 5 a goal, for rules that look there for what is wanted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clingo import Control, Function, Number, Symbol

from asplan.core.errors import Location
from asplan.core.facts import Facts
from asplan.core.plan import Plan
from asplan.drawing.board import draw_board, find_board
from asplan.drawing.rows import read_states
from asplan.drawing.rules import read_rules, read_scene
from asplan.drawing.scene import Object, Shape
from asplan.drawing.shapes import FORMS, GIVEN, KINDS, Atoms
from asplan.problem import Problem
from asplan.program.grounded import ground_base
from asplan.program.unit import joined, unit_of_text
from asplan.result import Trajectory

Fluents = Sequence[Symbol]

_START, _STATE, _GOAL = 0, 3, 5


@dataclass(frozen=True)
class Pictures:
    """The shapes of a thing are all that it has in some state, one after the other.

    `poses` has for each thing a number for each state: that of its shape there, counted from 1; 0
    where it is not there.
    """

    width: int
    height: int
    things: tuple[Object, ...]
    poses: tuple[Sequence[int], ...]


def draw_by_rules(
    problem: Problem, states: Sequence[Fluents], start: Fluents, goal: Fluents
) -> Pictures | None:
    """The states as the problem's drawing rules draw them; None where these are not for them.

    `goal` is a goal state, or empty. Raises `InputError` where the rules make no sense.
    """
    if problem.rules is None:
        return None
    fluents = list(dict.fromkeys(fluent for state in states for fluent in state))
    control = _ground(problem, problem.rules, fluents, start, goal)
    atoms = control.symbolic_atoms
    at = Number(_STATE)
    literals = {f: atoms[Function("holds", [f, at])].literal for f in fluents}  # type: ignore
    given = {fact for fact in problem.facts if fact.name in FORMS}
    drawn = [
        atom
        for name in FORMS
        for arity in FORMS[name][0]
        for atom in atoms.by_signature(name, arity)
        if atom.symbol not in given and _step(atom.symbol) in (None, at)
    ]
    always = [_timeless(atom.symbol) for atom in drawn if atom.is_fact]
    # A number for each atom, as symbols are slow where there are many states.
    changing = [(_timeless(atom.symbol), atom.literal) for atom in drawn if not atom.is_fact]
    moving = [s.arguments[0] if s.name in KINDS else None for s, _ in changing]
    numbered = [(number, literal) for number, (_, literal) in enumerate(changing)]
    shapes: dict[Symbol, dict[Symbol, int]] = {}
    places: dict[int, tuple[Symbol, int]] = {}
    seen: list[dict[Symbol, int]] = []
    for state in states:
        holding = {literals[fluent] for fluent in state}
        true = list[int]()
        control.solve(
            [n if n in holding else -n for n in literals.values()],
            on_model=lambda m: true.extend(n for n, literal in numbered if m.is_true(literal)),  # noqa: B023
        )
        for number in true:
            if number not in places and (thing := moving[number]) is not None:
                known = shapes.setdefault(thing, {})
                symbol = changing[number][0]
                places[number] = thing, known.setdefault(symbol, len(known) + 1)
            elif moving[number] is None and changing[number][0] not in always:
                always.append(changing[number][0])
        seen.append(dict(places[number] for number in true if number in places))
    number = max(map(len, shapes.values()), default=1)
    # A plan would have the shapes of a thing at some steps. Here they are at steps 0, 1, …
    for thing in shapes:
        always += [
            Function(symbol.name, [Number(n - 1), *symbol.arguments])
            for symbol, n in shapes[thing].items()
        ]
    place = Location(problem.rules, 1, 1)
    facts = Facts({}, lambda _: place, lambda: dict.fromkeys(always, place), (problem.rules,))
    rules = Atoms(facts, problem.rules, number - 1)
    scene = read_scene(rules, "", ("",) * (number - 1), Trajectory(states=[tuple(map(str, start))]))
    names = {str(thing): thing for thing in shapes}
    if not names:
        return None  # the rules speak of other fluents
    things, columns = list[Object](), list[Sequence[int]]()
    for drawn_thing in scene.objects:
        name = names.get(drawn_thing.name)
        count = len(shapes[name]) if name else 1
        things.append(replace(drawn_thing, shapes=drawn_thing.shapes[:count]))
        columns.append([poses.get(name, 0) for poses in seen] if name else [1] * len(seen))
    return Pictures(scene.width, scene.height, tuple(things), tuple(columns))


def _ground(
    problem: Problem, rules: str, fluents: Fluents, start: Fluents, goal: Fluents
) -> Control:
    """The drawing rules, with some fluents left open at the step of the state."""
    lines = [f"{fact}." for fact in problem.facts]
    lines += [f"holds({fluent},{_START})." for fluent in start]
    lines += [f"holds({fluent},{_GOAL})." for fluent in goal]
    lines += [
        f"{{ holds({fluent},{_STATE}) }}. holds({fluent},{_STATE - 1}) :- holds({fluent},{_STATE})."
        for fluent in fluents
    ]
    unit = joined([read_rules(rules), unit_of_text("\n".join(lines), GIVEN)])
    return ground_base(unit, problem.constants)


def _is_timed(symbol: Symbol) -> bool:
    return symbol.name in KINDS and len(symbol.arguments) == max(FORMS[symbol.name][0])


def _step(symbol: Symbol) -> Symbol | None:
    return symbol.arguments[0] if _is_timed(symbol) else None


def _timeless(symbol: Symbol) -> Symbol:
    return Function(symbol.name, symbol.arguments[1:]) if _is_timed(symbol) else symbol


def draw_on_board(
    problem: Problem, states: Sequence[Fluents], path: Sequence[int], plan: Plan
) -> Pictures | None:
    """The states as they look where nobody wrote rules; None where they are those of no board.

    `path` leads through some of the states by a plan, whose moves tell what is left and up.
    """
    texts = [tuple(map(str, state)) for state in states]
    whole, steps = [*(texts[n] for n in path), *texts], Plan((*plan, *((),) * len(texts)))
    board = find_board(read_states(whole), len(whole), map(str, problem.facts))
    if board is None or not (board.things or board.areas):
        return None
    # What changes elsewhere is told beside the board.
    scene = draw_board("", steps, replace(board, notes=[]))
    things, columns = list[Object](), list[Sequence[int]]()
    alike = Counter((thing.label, thing.look) for thing in scene.objects)
    for thing in scene.objects:
        poses, shapes = _numbered(thing.shapes[len(path) :])
        if len(shapes) < 2 or alike[thing.label, thing.look] == 1:
            things.append(replace(thing, shapes=shapes))
            columns.append(poses)
            continue
        # Of things that look alike it is not known which is which: there is one for each place.
        for n, shape in enumerate(shapes, 1):
            name = f"{thing.label} {shape.numbers}"
            there = [int(pose == n) for pose in poses]
            if (known := next((k for k, t in enumerate(things) if t.name == name), None)) is None:
                things.append(replace(thing, name=name, shapes=(shape,)))
                columns.append(there)
            else:
                columns[known] = list(map(max, columns[known], there))
    return Pictures(scene.width, scene.height, tuple(things), tuple(columns))


def _numbered(track: Sequence[Shape | None]) -> tuple[list[int], tuple[Shape, ...]]:
    """For each shape its number among the different ones, from 1, or 0; and these."""
    known: dict[Shape, int] = {}
    poses = [known.setdefault(shape, len(known) + 1) if shape else 0 for shape in track]
    return poses, tuple(known)
