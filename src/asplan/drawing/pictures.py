"""What many states look like: the things that are drawn, and which shape each has in each state.

Drawing rules speak of steps, so that they run once for many states. State n is put at step 3n, and
the state before it with the action that led from there at the step before; one step is left empty,
so that nothing is remembered. The start is at step 0, and a goal at the last step.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from clingo import Function, Number, Symbol, SymbolType

from asplan.core.errors import InputError, Location
from asplan.core.facts import Facts
from asplan.core.plan import Plan
from asplan.domains.model import Model
from asplan.drawing.board import find_board
from asplan.drawing.board_scene import draw_board
from asplan.drawing.rows import read_states
from asplan.drawing.rules import choose_rules, read_rules, read_scene
from asplan.drawing.scene import Object, Shape
from asplan.drawing.shapes import FORMS, GIVEN, KINDS, Atoms
from asplan.problem import Problem
from asplan.program.ground import ground_base
from asplan.program.source import ground_term
from asplan.program.unit import joined, unit_of_text
from asplan.result import Trajectory
from asplan.statespace.analysis import Space

Fluents = Sequence[Symbol]

Entry = tuple[Fluents, Sequence[str]]
"""What held before a state, and the actions that led to it; no actions where nothing happened."""

_APART = 3  # steps from one state to the next
_TOGETHER = 1000  # states for which the rules run once

_NUMBER = SymbolType.Number
_ARITIES = [(name, arity) for name, (arities, _) in FORMS.items() for arity in arities]


@dataclass(frozen=True)
class Pictures:
    """Things with all their shapes, and for each state the number of each one's, from 1, or 0."""

    width: int
    height: int
    things: tuple[Object, ...]
    poses: tuple[Sequence[int], ...]


def draw_space(
    problem: Problem, model: Model[Any, Any], space: Space, holds: Sequence[Fluents]
) -> Pictures | None:
    """All states of a space, in each of which something holds, as `draw_by_rules` draws them."""
    starts = [(state, ()) for state in holds[1 : space.starts]]
    moves = [(holds[move.source], model.terms(move.action)) for move in space.entries.values()]
    goal = holds[min(space.goals)] if space.goals else ()
    return draw_by_rules(problem, model, holds, [*starts, *moves], goal)


def draw_by_rules(
    problem: Problem,
    model: Model[Any, Any],
    states: Sequence[Fluents],
    entries: Sequence[Entry],
    goal: Fluents,
) -> Pictures | None:
    """The states as drawing rules draw them, the first being the start; None if not for them."""
    if (rules := choose_rules(None, problem.rules)) is None:
        return None
    try:
        return _draw(problem, rules, states, entries, goal)
    except InputError:
        if model.acts_together:
            return None  # the rules are for a domain's model, and a program may have other names
        raise


def _draw(
    problem: Problem, file: str, states: Sequence[Fluents], entries: Sequence[Entry], goal: Fluents
) -> Pictures | None:
    given = {fact for fact in problem.facts if fact.name in FORMS}
    always: dict[Symbol, None] = {}
    shapes: dict[Symbol, dict[Symbol, int]] = {}
    seen: list[dict[Symbol, int]] = [{} for _ in states]
    for first in range(0, max(1, len(entries)), _TOGETHER):
        some = states[first + 1 : first + 1 + _TOGETHER]
        steps = list(zip(some, entries[first:], strict=False))
        last = _APART * len(steps) + 2
        lines = [f"{fact}." for fact in problem.facts]
        lines += [f"holds({fluent},0)." for fluent in states[0]]
        lines += [f"holds({fluent},{last})." for fluent in goal]
        for step, (state, (before, actions)) in zip(count(_APART, _APART), steps, strict=False):
            lines += [f"holds({fluent},{step - 1})." for fluent in before]
            lines += [f"holds({fluent},{step})." for fluent in state]
            lines += [f"occurs({action},{step})." for action in actions]
        unit = joined([read_rules(file), unit_of_text("\n".join(lines), GIVEN)])
        control = ground_base(unit, problem.constants)
        atoms = control.symbolic_atoms  # which are gone when it goes
        for name, arity in _ARITIES:
            is_timed = name in KINDS and arity == max(FORMS[name][0])
            for symbol in (atom.symbol for atom in atoms.by_signature(name, arity)):
                if symbol in given:
                    continue
                if not is_timed:
                    always[symbol] = None
                    continue
                at, *rest = symbol.arguments
                n, between = divmod(at.number, _APART) if at.type == _NUMBER else (0, 1)
                if not between and 0 <= n <= len(some):
                    known = shapes.setdefault(rest[0], {})
                    shape = Function(name, rest)
                    seen[first + n if n else 0][rest[0]] = known.setdefault(shape, len(known) + 1)
    number = max(map(len, shapes.values()), default=1)
    # A plan would have the shapes of a thing at some steps. Here they are at steps 0, 1, …
    for thing in shapes:
        for symbol, n in shapes[thing].items():
            always[Function(symbol.name, [Number(n - 1), *symbol.arguments])] = None
    place = Location(file, 1, 1)
    facts = Facts({}, lambda _: place, lambda: dict.fromkeys(always, place), (file,))
    rules = Atoms(facts, file, number - 1)
    start = tuple(map(str, states[0]))
    scene = read_scene(rules, "", ("",) * (number - 1), Trajectory(states=[start]))
    names = {str(thing): thing for thing in shapes}
    if not names:
        return None  # the rules speak of other fluents
    things, columns = list[Object](), list[Sequence[int]]()
    for drawn in scene.objects:
        own = names.get(drawn.name)
        things.append(replace(drawn, shapes=drawn.shapes[: len(shapes[own]) if own else 1]))
        columns.append([poses.get(own, 0) for poses in seen] if own else [1] * len(seen))
    return Pictures(scene.width, scene.height, tuple(things), tuple(columns))


def as_written(
    problem: Problem, model: Model[Any, Any], space: Space
) -> tuple[Model[Any, Any], Sequence[Any]]:
    """The states of a space as the source of the problem has them, and the model whose they are."""
    if problem.referee is None:
        return model, space.states
    referee, terms = problem.referee, model.terms
    found = [referee.initial]
    for move in space.entries.values():
        state = found[move.source]
        for term in terms(move.action):
            state = referee.apply(state, referee.parse_action(ground_term(term, "action")))
        found.append(state)
    return referee, found


def draw_on_board(
    problem: Problem, states: Sequence[Fluents], path: Sequence[int], plan: Plan
) -> Pictures | None:
    """The states on a board that nobody drew, if it is one; moves along `path` tell left and up."""
    texts = [tuple(map(str, state)) for state in states]
    whole, steps = [*(texts[n] for n in path), *texts], Plan((*plan, *((),) * len(texts)))
    board = find_board(read_states(whole), len(whole), map(str, problem.facts))
    if board is None or not (board.pieces or board.areas):
        return None
    # What changes elsewhere is told beside the board.
    scene = draw_board("", steps, replace(board, notes=[]))
    things, columns = list[Object](), list[Sequence[int]]()
    alike = Counter((thing.label, thing.look) for thing in scene.objects)
    for thing in scene.objects:
        known: dict[Shape, int] = {}
        track = thing.shapes[len(path) :]
        poses = [known.setdefault(shape, len(known) + 1) if shape else 0 for shape in track]
        shapes = tuple(known)
        if len(shapes) < 2 or alike[thing.label, thing.look] == 1:
            things.append(replace(thing, shapes=shapes))
            columns.append(poses)
            continue
        # Of things that look alike it is not known which is which: there is one for each place.
        for n, shape in enumerate(shapes, 1):
            name = f"{thing.label} {shape.numbers}"
            there = [int(pose == n) for pose in poses]
            if (old := next((k for k, t in enumerate(things) if t.name == name), None)) is None:
                things.append(replace(thing, name=name, shapes=(shape,)))
                columns.append(there)
            else:
                columns[old] = list(map(max, columns[old], there))
    return Pictures(scene.width, scene.height, tuple(things), tuple(columns))
