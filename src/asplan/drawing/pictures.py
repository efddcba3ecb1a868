"""Draws many states at once: objects with all their shapes, and the shape of each in each state.

Drawing rules derive shapes at steps, so they run once for many states. State n is at step 3n. The
state before it, with the action that leads to state n, is at step 3n-1; step 3n-2 is empty, so
that the rules carry nothing over. The initial state is at step 0, a goal state at the last step.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from asplan.clingo import Function, Number, Symbol, SymbolicAtoms, SymbolType
from asplan.core.errors import InputError, Location
from asplan.core.facts import Facts
from asplan.core.plan import Plan
from asplan.domains.model import Model
from asplan.drawing.board import find_board
from asplan.drawing.board_scene import draw_board
from asplan.drawing.cells import add_coordinates
from asplan.drawing.rows import read_states
from asplan.drawing.rules import choose_rules, read_rules, read_scene
from asplan.drawing.scene import Object, Scene, Shape
from asplan.drawing.shapes import FORMS, GIVEN, Atoms, is_timed
from asplan.engines.asp.trajectory import changing_predicates, find_columns
from asplan.problem import Problem
from asplan.problem.kinds import UntimedTask
from asplan.program.ground import ground_base
from asplan.program.source import ground_term
from asplan.program.unit import joined, unit_of_text
from asplan.result import Trajectory
from asplan.statespace.analysis import Space

AnyModel = Model[Hashable, Hashable]
Fluents = Sequence[Symbol]

Entry = tuple[Fluents, Sequence[str]]
"""The fluents before a state and the actions that lead to it; no actions for initial states."""

_APART = 3  # steps from one state to the next
_TOGETHER = 1000  # states for which the rules run once


@dataclass(frozen=True)
class Pictures:
    """Objects with all their shapes, and the shape of each in each state.

    `poses` has a sequence for each object: for each state the number of its shape, counted from 1,
    or 0 if the object is absent.
    """

    width: int
    height: int
    objects: tuple[Object, ...]
    poses: tuple[Sequence[int], ...]


def draw_space(
    problem: Problem,
    model: AnyModel,
    space: Space,
    holds: Sequence[Fluents],
) -> Pictures | None:
    """Draw all states of a space, given their fluents, as `draw_by_rules` does."""
    initial = holds[1 : space.starts]
    entries: list[Entry] = [(fluents, ()) for fluents in initial]
    for move in space.entries.values():
        entries.append((holds[move.source], model.terms(move.action)))
    goal = holds[min(space.goals)] if space.goals else ()
    return draw_by_rules(
        problem,
        model,
        holds,
        entries,
        goal,
    )


def draw_by_rules(
    problem: Problem,
    model: AnyModel,
    states: Sequence[Fluents],
    entries: Sequence[Entry],
    goal: Fluents,
) -> Pictures | None:
    """Draw states by the drawing rules of a problem; the first state is the initial one.

    `entries` has one item for each state but the first. None if there are no rules, or if they are
    for other fluents. Raises the errors of `read_scene`.
    """
    rules = choose_rules(None, problem.rules)
    if rules is None:
        return None
    try:
        return _draw_batches(
            problem,
            rules,
            states,
            entries,
            goal,
        )
    except InputError:
        if model.acts_together:
            return None  # a program whose fluents differ from those of the domain's model
        raise


@dataclass(frozen=True)
class _ShapeTable:
    """The shapes of all objects, numbered by object from 1, and their numbers in each state."""

    shapes: dict[Symbol, dict[Symbol, int]] = field(default_factory=dict)
    poses: list[dict[Symbol, int]] = field(default_factory=list)
    others: dict[Symbol, None] = field(default_factory=dict)
    """The atoms without a step, in order."""

    def add(self, state: int, thing: Symbol, shape: Symbol) -> None:
        """Note the shape of an object in a state."""
        numbers = self.shapes.setdefault(thing, {})
        self.poses[state][thing] = numbers.setdefault(shape, len(numbers) + 1)


def _draw_batches(
    problem: Problem,
    file: str,
    states: Sequence[Fluents],
    entries: Sequence[Entry],
    goal: Fluents,
) -> Pictures | None:
    """Run the rules of a file for all states, some at a time."""
    given = {fact for fact in problem.facts if fact.name in FORMS}
    table = _ShapeTable(poses=[{} for _ in states])
    for first in range(0, max(1, len(entries)), _TOGETHER):
        batch = states[first + 1 : first + 1 + _TOGETHER]
        lines = [f"{fact}." for fact in problem.facts]
        lines += _write_states(states[0], batch, entries[first:], goal)
        facts = unit_of_text("\n".join(lines), GIVEN)
        unit = joined([read_rules(file), facts])
        control = ground_base(unit, problem.constants)
        for symbol in _derived_atoms(control.symbolic_atoms):
            if symbol not in given:
                _add_atom(table, symbol, first, len(batch))
    scene = _read_scene(table, file, states[0])
    if not table.shapes:
        return None  # the rules are for other fluents
    return _select_shapes(scene, table)


def _write_states(
    start: Fluents,
    batch: Sequence[Fluents],
    entries: Sequence[Entry],
    goal: Fluents,
) -> Iterator[str]:
    """Yield the facts that put states at steps; the module's docstring has the order."""
    last = _APART * len(batch) + 2
    yield from (f"holds({fluent},0)." for fluent in start)
    yield from (f"holds({fluent},{last})." for fluent in goal)
    step = 0
    for state, (before, actions) in zip(batch, entries, strict=False):
        step += _APART
        yield from (f"holds({fluent},{step - 1})." for fluent in before)
        yield from (f"holds({fluent},{step})." for fluent in state)
        yield from (f"occurs({action},{step})." for action in actions)


def _derived_atoms(atoms: SymbolicAtoms) -> Iterator[Symbol]:
    """Yield the atoms of a drawing."""
    for name, form in FORMS.items():
        for arity in form.arities:
            yield from (atom.symbol for atom in atoms.by_signature(name, arity))


def _add_atom(
    table: _ShapeTable,
    symbol: Symbol,
    first: int,
    size: int,
) -> None:
    """Add an atom that a batch of a size derived after the states up to `first`."""
    if not is_timed(symbol.name, len(symbol.arguments)):
        table.others[symbol] = None
        return
    step, thing, *numbers = symbol.arguments
    if step.type != SymbolType.Number or step.number % _APART:
        return
    place = step.number // _APART
    if 0 <= place <= size:
        # Place 0 is the initial state in each batch.
        state = first + place if place else 0
        table.add(state, thing, Function(symbol.name, [thing, *numbers]))


def _read_scene(
    table: _ShapeTable,
    file: str,
    start: Fluents,
) -> Scene:
    """Read the shapes as those of a plan: shape n of each object is at step n-1."""
    sizes = map(len, table.shapes.values())
    number = max(sizes, default=1)
    derived = dict(table.others)
    for shapes in table.shapes.values():
        for symbol, n in shapes.items():
            arguments = [Number(n - 1), *symbol.arguments]
            derived[Function(symbol.name, arguments)] = None
    place = Location(file, 1, 1)
    places = dict.fromkeys(derived, place)
    facts = Facts({}, lambda _: place, lambda: places, (file,))
    atoms = Atoms(facts, file, number - 1)
    trajectory = Trajectory(states=[tuple(map(str, start))])
    return read_scene(atoms, "", ("",) * (number - 1), trajectory)


def _select_shapes(scene: Scene, table: _ShapeTable) -> Pictures:
    """Give each object as many shapes as it has, and their numbers in each state."""
    names = {str(thing): thing for thing in table.shapes}
    objects: list[Object] = []
    poses: list[Sequence[int]] = []
    for drawn in scene.objects:
        thing = names.get(drawn.name)
        if thing is None:  # an object without steps
            objects.append(replace(drawn, shapes=drawn.shapes[:1]))
            poses.append([1] * len(table.poses))
            continue
        size = len(table.shapes[thing])
        objects.append(replace(drawn, shapes=drawn.shapes[:size]))
        poses.append([numbers.get(thing, 0) for numbers in table.poses])
    return Pictures(scene.width, scene.height, tuple(objects), tuple(poses))


def number_cells(pictures: Pictures | None) -> Pictures:
    """Add the numbers of rows and columns; raise `UsageError` as `add_coordinates` does."""
    drawn = pictures or Pictures(0, 0, (), ())
    scene = Scene("", drawn.width, drawn.height, drawn.objects, actions=())
    scene = add_coordinates(scene)
    states = len(drawn.poses[0])
    added = len(scene.objects) - len(drawn.objects)
    poses = (*drawn.poses, *[[1] * states] * added)
    return Pictures(scene.width, scene.height, scene.objects, poses)


def source_states(
    problem: Problem, model: AnyModel, space: Space
) -> tuple[AnyModel, Sequence[Hashable]]:
    """Return the states of a space in terms of the problem's source, and the model they belong to.

    A problem with a referee, as in PDDL, is searched as another, translated one.
    """
    if not isinstance(problem, UntimedTask):
        return model, space.states
    referee = problem.referee
    states = [referee.initial]
    for move in space.entries.values():
        state = states[move.source]
        for term in model.terms(move.action):
            action = referee.parse_action(ground_term(term, "action"))
            state = referee.apply(state, action)
        states.append(state)
    return referee, states


def draw_on_board(
    problem: Problem,
    states: Sequence[Fluents],
    path: Sequence[int],
    plan: Plan,
) -> Pictures | None:
    """Draw states on an automatic board; None if there is none, or nothing is on it.

    `path` has the numbers of the states along a plan, whose moves show the board's orientation.
    """
    texts = [tuple(map(str, state)) for state in states]
    whole = [*(texts[number] for number in path), *texts]
    # A task in PDDL, and an instance that its domain's model searches, have no program.
    program = None if problem.encoding is None else problem.program
    changing = tuple(changing_predicates(program)) if program else ()
    columns = tuple(find_columns(program)) if program else ()
    facts = map(str, problem.facts)
    board = find_board(read_states(whole), len(whole), facts, changing, columns)
    if board is None or not (board.pieces or board.areas):
        return None
    idle = ((),) * len(texts)
    steps = Plan((*plan, *idle))
    # The page itself shows the fluents outside the board.
    scene = draw_board("", steps, replace(board, notes=[]))
    objects: list[Object] = []
    poses: list[list[int]] = []
    alike = Counter((thing.label, thing.look) for thing in scene.objects)
    for thing in scene.objects:
        shapes, numbers = _number_shapes(thing.shapes[len(path) :])
        if len(shapes) < 2 or alike[thing.label, thing.look] == 1:
            objects.append(replace(thing, shapes=shapes))
            poses.append(numbers)
        else:
            _add_places(objects, poses, replace(thing, shapes=shapes), numbers)
    return Pictures(scene.width, scene.height, tuple(objects), tuple(poses))


def _number_shapes(track: Iterable[Shape | None]) -> tuple[tuple[Shape, ...], list[int]]:
    """Return the different shapes of a track, and the number of each one, from 1; 0 for none."""
    numbers: dict[Shape, int] = {}
    poses = []
    for shape in track:
        if shape is None:
            poses.append(0)
        else:
            poses.append(numbers.setdefault(shape, len(numbers) + 1))
    return tuple(numbers), poses


def _add_places(
    objects: list[Object],
    poses: list[list[int]],
    thing: Object,
    numbers: Sequence[int],
) -> None:
    """Add an object for each shape of one that has alike ones, which nothing tells apart.

    Such an object is present in a state if any of the alike ones is at its place.
    """
    for number, shape in enumerate(thing.shapes, 1):
        if shape is None:
            continue
        name = f"{thing.label} {shape.numbers}"
        present = [int(pose == number) for pose in numbers]
        old = _find_by_name(objects, name)
        if old is None:
            objects.append(replace(thing, name=name, shapes=(shape,)))
            poses.append(present)
        else:
            poses[old] = list(map(max, poses[old], present))


def _find_by_name(objects: Sequence[Object], name: str) -> int | None:
    """Return the index of the first object of a name."""
    for index, thing in enumerate(objects):
        if thing.name == name:
            return index
    return None
