"""Draws many states at once: objects with all their shapes, and the shape of each in each state.

Drawing rules derive shapes at steps, so one run of the rules draws many states. State n is placed
at step 3n. Its predecessor, with the action that leads to state n, is placed at step 3n-1. Step
3n-2 is left empty, so that the rules carry nothing over from state n-1. The initial state is at
step 0, a goal state at the last step.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import field, replace

from asplan.clingo import Function, Number, Symbol, SymbolicAtoms, SymbolType
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, Location
from asplan.core.facts import Facts
from asplan.core.plan import Plan
from asplan.domains.model import Model
from asplan.drawing.board import find_board
from asplan.drawing.board_scene import draw_board
from asplan.drawing.cells import add_coordinates
from asplan.drawing.rows import read_states
from asplan.drawing.rules import choose_rules, read_rules, read_scene
from asplan.drawing.scene import DrawnShape, Object, Scene
from asplan.drawing.shapes import FORMS, GIVEN, Atoms, is_timed
from asplan.engines.asp.trajectory import changing_predicates, find_columns
from asplan.problem import Problem
from asplan.program.ground import ground_base
from asplan.program.reading.source import ground_term
from asplan.program.reading.unit import joined, unit_of_text
from asplan.result import Trajectory
from asplan.statespace.analysis import Space

AnyModel = Model[Hashable, Hashable]
Fluents = Sequence[Symbol]

Entry = tuple[Fluents, Sequence[str]]
"""One way into a state: the fluents of the predecessor, and the actions that lead from it.

An initial state has no actions.
"""

_APART = 3  # steps from one state to the next
_TOGETHER = 1000  # the most states that one run of the rules draws


@dataclass(frozen=True)
class Pictures:
    """The drawings of many states: some objects, all shapes of each object, and its shape in each
    state.

    `poses` has a sequence for each object. The sequence has, for each state, the number of the
    object's shape, counted from 1, or 0 if the object is absent.
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
    """Draw all states of a state space by drawing rules; `holds` has the fluents of each state.

    None if there are no rules for these fluents. Raises the errors of `draw_by_rules`.
    """
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

    `entries` has, for each state but the first, the fluents of its predecessor and the actions from
    it. `goal` has the fluents of a goal state. None if there are no rules, or if they read other
    fluents than these. Raises the errors of `read_scene`.
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
    """The shapes of each object, numbered from 1, and for each state the numbers of the shapes in
    it.
    """

    shapes: dict[Symbol, dict[Symbol, int]] = field(default_factory=dict)
    poses: list[dict[Symbol, int]] = field(default_factory=list)
    others: dict[Symbol, None] = field(default_factory=dict)
    """The drawn atoms without a step, such as `label(Id,Text)`, in order of derivation."""

    def add(self, state: int, thing: Symbol, shape: Symbol) -> None:
        """Store the shape of an object in a state."""
        numbers = self.shapes.setdefault(thing, {})
        self.poses[state][thing] = numbers.setdefault(shape, len(numbers) + 1)


def _draw_batches(
    problem: Problem,
    file: str,
    states: Sequence[Fluents],
    entries: Sequence[Entry],
    goal: Fluents,
) -> Pictures | None:
    """Draw all states by the rules of a file, `_TOGETHER` states in each run of the rules."""
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
    """Yield the facts that place states at steps, so that one run of the rules draws all of them.

    `start` is at step 0. State n of the batch, from 1, is at step 3n and its predecessor at step
    3n-1. `goal` is at the last step.
    """
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
    """Yield the atoms that belong to a drawing: shapes, labels, layers, styles and the canvas."""
    for name, form in FORMS.items():
        for arity in form.arities:
            yield from (atom.symbol for atom in atoms.by_signature(name, arity))


def _add_atom(
    table: _ShapeTable,
    symbol: Symbol,
    first: int,
    size: int,
) -> None:
    """Add an atom that the rules derived for a batch of `size` states.

    The batch has the states `first + 1` to `first + size`; state 0 is the initial one.
    """
    if not is_timed(symbol.name, len(symbol.arguments)):
        table.others[symbol] = None
        return
    step, thing, *numbers = symbol.arguments
    if step.type != SymbolType.Number or step.number % _APART:
        return
    place = step.number // _APART
    if 0 <= place <= size:
        # Each batch has the initial state at place 0.
        state = first + place if place else 0
        table.add(state, thing, Function(symbol.name, [thing, *numbers]))


def _read_scene(
    table: _ShapeTable,
    file: str,
    start: Fluents,
) -> Scene:
    """Make a scene that has all shapes of each object: shape number n is at step n-1.

    `start` has the fluents of the initial state.
    """
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
    """Return the drawings of all states: the objects of a scene, and their shapes in each state.

    `scene` has all shapes of each object, as `_read_scene` returns it.
    """
    names = {str(thing): thing for thing in table.shapes}
    objects: list[Object] = []
    poses: list[Sequence[int]] = []
    for drawn in scene.objects:
        thing = names.get(drawn.name)
        if thing is None:  # an object that is the same in all states
            objects.append(replace(drawn, shapes=drawn.shapes[:1]))
            poses.append([1] * len(table.poses))
            continue
        size = len(table.shapes[thing])
        objects.append(replace(drawn, shapes=drawn.shapes[:size]))
        poses.append([numbers.get(thing, 0) for numbers in table.poses])
    return Pictures(scene.width, scene.height, tuple(objects), tuple(poses))


def number_cells(pictures: Pictures | None) -> Pictures:
    """Add the numbers of rows and columns to drawings of states; raise the errors of
    `add_coordinates`.
    """
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
    """Return the model of the problem's source, with the states of a state space in this model.

    A PDDL task is searched in a translated form. Each state of the translated task is replaced by
    the state of the PDDL text that the same actions reach. For other problems, return `model` and
    the states of `space`.
    """
    source = problem.source
    if source is None:
        return model, space.states
    referee = source.referee
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
    """Draw states on a board that is found automatically; None if no board fits, or it has no
    pieces.

    `path` has the numbers of the states that `plan` passes. The actions of the plan show the
    board's orientation.
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


def _number_shapes(track: Iterable[DrawnShape | None]) -> tuple[tuple[DrawnShape, ...], list[int]]:
    """Return the different shapes in `track`, and the number of the shape of each entry.

    Shapes are numbered from 1; the number of the entry None is 0.
    """
    numbers: dict[DrawnShape, int] = {}
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
    """Add one object for each shape of a thing that looks like other things.

    Things that look alike cannot be told apart, so they share the object of a shape. The object is
    present in a state if any of the things has its shape there. `poses` has the presence of each
    object in each state, 1 or 0; `numbers` has the number of the shape of `thing` in each state.
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
    """Return the index of the first object with a name; None if there is none."""
    for index, thing in enumerate(objects):
        if thing.name == name:
            return index
    return None
