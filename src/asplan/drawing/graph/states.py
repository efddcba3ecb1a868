"""How the states of a space look: their colours, and each as the drawing rules draw it.

Rules speak of steps, and run once for all states. State n is put at step 3n, the state before it
and the action that leads from there at the step before, so that rules that look one step back see
what a plan would show; one step is left empty, so that nothing is remembered from one state to the
next. As a plan does, the steps end at a goal, for rules that look there for what is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from asplan.core.errors import InputError
from asplan.core.figures import import_matplotlib
from asplan.core.plan import Plan
from asplan.domains.model import Model
from asplan.drawing.rules import program_of, read_scene, run_rules
from asplan.drawing.scene import Scene
from asplan.drawing.shapes import FORMS, KINDS, Atoms
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
    """What the colours of states mean: each stands for a number."""

    what: str
    """What the number is."""
    colours: tuple[str, ...]
    """One for each number from 0."""
    numbers: tuple[int | None, ...]
    """That of each state; None for a dead end."""

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


_SHAPES, _ATOMS = 500_000, 2_000_000
"""How many there may be of all states together; so many are read in a minute or two."""
_APART = 3


@dataclass(frozen=True)
class Looks:
    """Each state as a few lines of text, and as a step of a scene where there are drawing rules."""

    scene: Scene | None
    texts: tuple[str, ...]


def looks_of(problem: Problem, model: Model[Any, Any], space: Space) -> Looks:
    """What the states look like; raises as `make_scene` does."""
    referee, states = model, space.states
    if problem.referee is not None:
        referee, states = problem.referee, _replay(problem.referee, model, space)
    texts = tuple(map(referee.text, states))
    if problem.rules is None:
        return Looks(None, texts)
    try:
        return Looks(_scene(problem, model, referee, space, states), texts)
    except InputError:
        if not model.acts_together:
            raise
        # The rules are for the fluents of a model, and those of a program may have other names.
        return Looks(None, texts)


def _scene(
    problem: Problem,
    model: Model[Any, Any],
    referee: Model[Any, Any],
    space: Space,
    states: Sequence[Any],
) -> Scene | None:
    """The states as rules draw them; None if that were too much, or they are not for these."""
    holds = [tuple(map(str, referee.fluents(state))) for state in states]
    first = _atoms(problem, holds[:1], [], holds[0])
    # How many shapes belong to one step.
    moving = sum(len(a.arguments) == max(FORMS[a.name][0]) for a in first.named(*KINDS))
    if 2 * len(holds) * moving > _SHAPES:
        return None
    terms = model.terms
    entries = [(move.source, terms(move.action)) for move in space.entries.values()]
    # States are numbered by their depths, so that the first goal is one of the nearest.
    atoms = _atoms(problem, holds, entries, holds[min(space.goals, default=0)])
    whole = read_scene(atoms, "", ("",) * atoms.last, Trajectory(states=holds[:1]))
    if model.acts_together and any(warning.code == "draw-object" for warning in whole.warnings):
        return None  # the rules are for the fluents of a model, and the program has other names
    # The steps of the states alone.
    things = (replace(t, shapes=t.shapes[: _APART * len(holds) : _APART]) for t in whole.objects)
    visible = tuple(thing for thing in things if any(thing.shapes))
    return replace(whole, objects=visible, actions=("",) * (len(holds) - 1))


def _replay(referee: Model[Any, Any], model: Model[Any, Any], space: Space) -> list[Any]:
    """The states as another model of the same problem has them."""
    found, terms = [referee.initial], model.terms
    for move in space.entries.values():
        state = found[move.source]
        for term in terms(move.action):
            state = referee.apply(state, referee.parse_action(ground_term(term, "action")))
        found.append(state)
    return found


def _atoms(
    problem: Problem,
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
    assert problem.rules is not None
    derived = run_rules(problem.rules, given, problem.constants, most=_ATOMS)
    return Atoms(derived, problem.rules, len(happens), most=_SHAPES)
