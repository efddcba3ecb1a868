"""The colours of states: by their distance to a goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from asplan.domains.model import Model, acts_together, terms_of
from asplan.drawing.rules import program_of, read_scene, run_rules
from asplan.drawing.scene import Scene
from asplan.drawing.shapes import FORMS, KINDS, Atoms
from asplan.errors import InputError
from asplan.figures import import_matplotlib
from asplan.plan import Plan
from asplan.problem import Problem
from asplan.program.source import ground_term
from asplan.result import Texts, Trajectory
from asplan.statespace.analysis import Space

DEAD = "#c8324a"
"""Of states from which no goal can be reached."""
_NEAR, _FAR = 0.9, 0.05
"""The part of the colour map that is seen on white."""


@dataclass(frozen=True)
class Shades:
    """What the colours of states mean.

    Attributes
    ----------
    what
        What the number is that a colour stands for.
    colours
        One for each number from 0.
    numbers
        That of each state; None for a dead end.
    """

    what: str
    colours: tuple[str, ...]
    numbers: tuple[int | None, ...]

    def of(self, state: int) -> str:
        """The colour of a state, as `#rrggbb`."""
        number = self.numbers[state]
        return DEAD if number is None else self.colours[number]


def shades_of(space: Space) -> Shades:
    """By the fewest moves to a goal; where no goal can be reached, by those from the start."""
    what, numbers = "fewest moves to a goal", tuple(space.distances)
    if not space.goals:
        what, numbers = "fewest moves from the start; no goal can be reached", tuple(space.depths)
    most = max(number for number in numbers if number is not None)
    import_matplotlib()
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    def shade(number: int) -> Any:
        return colormaps["viridis"](_NEAR + (_FAR - _NEAR) * number / max(1, most))

    return Shades(what, tuple(to_hex(shade(n)) for n in range(most + 1)), numbers)


# What each state of a space looks like: the drawing rules of its plans, run once for all states.
#
# Rules speak of steps. State n is put at step 3n, the state before it and the action that leads
# from there at the step before, so that rules that look one step back see what a plan would show;
# one step is left empty, so that nothing is remembered from one state to the next. As a plan does,
# the steps end at a goal, for rules that look there for what is wanted.


_SHAPES, _ATOMS = 500_000, 2_000_000
"""How many there may be of all states together; so many are read in a minute or two."""
_APART = 3


@dataclass(frozen=True)
class Looks:
    """Each state as text, and as a step of a scene where there are drawing rules.

    Attributes
    ----------
    scene
        Its steps are the states, by their numbers; None where states are only written.
    texts
        Each state as a few lines of text.
    """

    scene: Scene | None
    texts: tuple[str, ...]


def looks_of(problem: Problem, model: Model[Any, Any], space: Space) -> Looks:
    """What the states look like.

    Raises
    ------
    InputError
        The drawing rules, or what they derive, make no sense.
    """
    referee, states = model, space.states
    if problem.referee is not None:
        referee, states = problem.referee, _followed(problem.referee, model, space)
    texts = tuple(map(referee.text, states))
    if problem.rules is None:
        return Looks(None, texts)
    try:
        return Looks(_scene(problem, model, problem.rules, referee, space, states), texts)
    except InputError:
        if not acts_together(model):
            raise
        # The rules are for the fluents of a model, and those of a program may have other names.
        return Looks(None, texts)


def _scene(
    problem: Problem,
    model: Model[Any, Any],
    rules: str,
    referee: Model[Any, Any],
    space: Space,
    states: Sequence[Any],
) -> Scene | None:
    """The states as rules draw them; None if that were too much."""
    holds = [tuple(map(str, referee.fluents(state))) for state in states]
    first = _atoms(problem, rules, holds[:1], [], holds[0])
    if 2 * len(holds) * _moving(first) > _SHAPES:
        return None
    terms = terms_of(model)
    entries = [(move.source, terms(move.action)) for move in space.entries.values()]
    # States are numbered by their depths, so that the first goal is one of the nearest.
    atoms = _atoms(problem, rules, holds, entries, holds[min(space.goals, default=0)])
    whole = read_scene(atoms, "", ("",) * atoms.last, Trajectory(states=holds[:1]))
    return _of_states(whole, len(holds))


def _followed(referee: Model[Any, Any], model: Model[Any, Any], space: Space) -> list[Any]:
    """The states as another model of the same problem has them."""
    found, terms = [referee.initial], terms_of(model)
    for move in space.entries.values():
        state = found[move.source]
        for term in terms(move.action):
            state = referee.apply(state, referee.parse_action(ground_term(term, "action")))
        found.append(state)
    return found


def _atoms(
    problem: Problem,
    rules: str,
    holds: Sequence[tuple[str, ...]],
    entries: Sequence[tuple[int, tuple[str, ...]]],
    end: tuple[str, ...],
) -> Atoms:
    """What the rules derive, given for each state but the first its source and its action."""
    at, happens = [holds[0]], []
    for state, (source, actions) in zip(holds[1:], entries, strict=True):
        at += [(), holds[source], state]
        happens += [(), (), actions]
    at += [(), end]
    happens += [(), ()]
    trajectory = Trajectory(facts=Texts(lambda: map(str, problem.facts)), states=at)
    given = program_of(trajectory, Plan(tuple(happens)))
    derived = run_rules(rules, given, problem.constants, most=_ATOMS)
    return Atoms(derived, rules, len(happens), most=_SHAPES)


def _moving(atoms: Atoms) -> int:
    """How many shapes belong to one step."""
    return sum(len(atom.arguments) == max(FORMS[atom.name][0]) for atom in atoms.named(*KINDS))


def _of_states(scene: Scene, count: int) -> Scene:
    """A scene with the steps of the states alone."""
    things = (replace(t, shapes=t.shapes[: _APART * count : _APART]) for t in scene.objects)
    seen = tuple(thing for thing in things if any(thing.shapes))
    return replace(scene, objects=seen, actions=("",) * (count - 1))
