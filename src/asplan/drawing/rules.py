"""From a plan to a scene: drawing rules in ASP are found and run, and what they derive is read.

The steps of a plan whose actions have times are the moments at which things happen.

>>> from fractions import Fraction as F
>>> plan = Plan((("load(a)",), ("go",)), times=(((F(0), F(2)),), ((F(1), None),)))
>>> [step for step, in happenings(plan, (F(0), F(0), F(1), F(2)))]
['begin(load(a))', 'go', 'end(load(a))']
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from math import floor, log10

from clingo import Symbol

from asplan.core.errors import InputError, InputWarning, UsageError
from asplan.core.facts import Facts
from asplan.core.files import STDIN
from asplan.core.plan import Plan
from asplan.core.text import decimal_text
from asplan.drawing.board import draw_board, find_board
from asplan.drawing.scene import Object, Scene
from asplan.drawing.shapes import (
    GIVEN,
    LONGEST_LABEL,
    MOST_ATOMS,
    MOST_STEPS,
    Atoms,
    hidden_things,
    lost_atoms,
    read_canvas,
    read_looks,
    read_tracks,
    text,
    unknown_shapes,
    unknown_styles,
)
from asplan.drawing.timeline import find_rows, find_runs, make_timeline, read_states, steps_of
from asplan.problem import Inputs, Problem, load
from asplan.problem.catalog import refuse_linked_out
from asplan.program.ground import ground_facts
from asplan.program.source import ground_term
from asplan.program.syntax import AST, ASTType, find, location
from asplan.program.unit import Unit, read_unit, unit_of_text
from asplan.result import Result, Trajectory
from asplan.validation import trajectory_of

_LARGEST = 1400  # pixels of the longer side of a picture of times, if nobody asks for more

_STRANGE = {
    ASTType.Script: "a script",
    ASTType.External: "#external",
    ASTType.Minimize: "an objective",
    ASTType.Heuristic: "#heuristic",
    ASTType.Edge: "#edge",
    ASTType.ProjectAtom: "#project",
    ASTType.ProjectSignature: "#project",
    ASTType.TheoryDefinition: "#theory",
}


def make_scene(result: Result, draw: str | None = None, allow_includes: bool = False) -> Scene:
    """What the plan of a result looks like, by the rules in `draw`, or its own, or by default."""
    if result.trajectory is None and STDIN in result.files:
        hint = "store it in a file, and name that"
        raise UsageError("an instance that came through standard input cannot be drawn", hint=hint)
    plan = result.plan
    if (steps := len(plan or ()) or result.horizon or 0) > MOST_STEPS:
        why = f"a plan of {steps} steps is too long to be drawn: the most is {MOST_STEPS}"
        raise UsageError(why)
    if plan is None and result.horizon is None:
        raise UsageError("there is no plan, so there is nothing to draw")
    plan = Plan(((),) * steps) if plan is None else plan
    trajectory = result.trajectory
    if trajectory is None:
        words = replace(words_of(result), allow_includes=allow_includes)
        trajectory = trajectory_of(load(words, needs_model=result.encoding is None), result)
    file, times = choose_rules(draw, trajectory.rules), list[str]()
    if plan.times:
        times = list(facts_of_times(plan, trajectory.times))
        plan = happenings(plan, trajectory.times)
    if file is None:
        held, number = read_states(trajectory.states), len(plan) + 1
        if board := find_board(held, number, trajectory.facts):
            scene = draw_board(result.instance, plan, board)
        else:
            scene = make_timeline(result.instance, plan, find_rows(held, number))
    else:
        given = "\n".join([program_of(trajectory, plan), *times])
        derived = run_rules(file, given, result.constants, allow_includes)
        actions = tuple(", ".join(map(plan.name, step)) for step in plan)
        atoms = Atoms(derived, file, len(plan))
        scene = read_scene(atoms, result.instance, actions, trajectory)
        slips = unknown_shapes(atoms, read_rules(file, allow_includes))
        scene = replace(scene, warnings=(*slips, *scene.warnings))
        if times:  # there is much to be read
            size = min(max(scene.width, scene.height), _LARGEST)
            scene = replace(scene, size=size, strip=36 / size)
    return replace(scene, states=tuple(trajectory.states))


def with_reasons(scene: Scene, result: Result, allow_includes: bool = False) -> Scene:
    """A scene that says of what holds why it does; raises what `explain_states` raises."""
    from asplan.explaining.explainer import explain_states

    inputs = replace(words_of(result), allow_includes=allow_includes)
    return replace(scene, why=explain_states(inputs, result, scene.states))


def check_rules(problem: Problem, draw: str | None, allow_includes: bool = False) -> None:
    """Raise, as far as it can be known without a plan, what `make_scene` raises."""
    known = problem.rules
    if known is None and problem.recognised is not None:
        known = problem.recognised.rules
    if file := choose_rules(draw, known):
        read_rules(file, allow_includes)


def choose_rules(named: str | None, found: str | None) -> str | None:
    """Return the drawing rules that are named, else those found beside the files.

    Raises `InputError` where a link leads from the file that was found to elsewhere.
    """
    if named is None and found is not None:
        refuse_linked_out(found, "if you trust it, name it: --draw FILE")
    return named or found


def read_rules(file: str, allow_includes: bool = False) -> Unit:
    """The statements of a file; `InputError` where one does something else than to derive atoms."""
    unit = read_unit(file, allow_includes)
    for statement in unit.statements:
        if (kind := _strange(statement)) is not None:
            why = f"{kind} has no place among drawing rules"
            hint = "they derive shapes from what holds and occurs, and do nothing else"
            raise InputError(why, at=location(statement), hint=hint)
    return unit


def _strange(statement: AST) -> str | None:
    """What a statement is called that is no plain rule; None if it is one."""
    kind = statement.ast_type
    if kind == ASTType.Program:
        return None if statement.name == "base" and not statement.parameters else "another part"
    if kind == ASTType.Rule and str(statement.head) == "#false":
        return "a constraint"
    if "&" in str(statement) and any(find(ASTType.TheoryAtom, [statement])):
        return "a theory atom"
    if "@" in str(statement) and any(f.external for f in find(ASTType.Function, [statement])):
        return "a call of a script"
    return _STRANGE.get(kind)


def words_of(result: Result) -> Inputs:
    """The words that lead to the problem of a result; reading runs no script."""
    encoding = None if result.encoding in result.files else result.encoding
    return Inputs(result.files, None, encoding, result.constants, allow_scripts=True)


def run_rules(
    file: str, given: str, constants: Mapping[str, str], allow_includes: bool = False
) -> Facts:
    """All that the rules derive from a plan, each with the place of its rule."""
    # The rules come first: what a rule derives is drawn even if it was given too.
    units = [read_rules(file, allow_includes), unit_of_text(given, GIVEN)]
    hint = "drawing rules derive shapes, they do not choose them"
    return ground_facts(units, constants, [file], hint=hint, most=MOST_ATOMS)


def read_scene(atoms: Atoms, title: str, actions: tuple[str, ...], trajectory: Trajectory) -> Scene:
    atoms.check()
    canvas = read_canvas(atoms)
    tracks = read_tracks(atoms, canvas)
    # A label is one line, in the page as in the picture.
    labels = {thing: _label(atoms, a) for thing, a in atoms.by_thing("label").items()}
    layers = {t: atoms.number(a, a.arguments[1]) for t, a in atoms.by_thing("layer").items()}
    looks = read_looks(atoms, tracks, canvas[1])
    objects = tuple(
        Object(str(thing), labels.get(thing, ""), looks[thing], tuple(tracks[thing]))
        for thing in sorted(tracks, key=lambda thing: (layers.get(thing, 0), thing))
    )
    numbers = {str(thing): number for thing, number in layers.items()}
    lost = lost_atoms(atoms, tracks) if objects else [_empty(atoms, trajectory)]
    slips = (*lost, *unknown_styles(atoms), *hidden_things(objects, numbers, atoms))
    return Scene(title, *canvas, objects, actions, warnings=slips)


def _empty(atoms: Atoms, trajectory: Trajectory) -> InputWarning:
    if any(trajectory.states):
        text, hint = "the picture is empty: the rules derive no shape", ""
    else:
        text = "the picture is empty: the rules derive no shape, and no holds(Fluent,Step) is known"
        hint = "derive holds/2 in the encoding, and add #show holds/2."
    (canvas,) = atoms.named("canvas")
    return InputWarning("draw-empty", text, atoms.facts.at(canvas), hint)


def _label(atoms: Atoms, atom: Symbol) -> str:
    label = " ".join(text(atom.arguments[1]).split())
    if len(label) > LONGEST_LABEL:
        raise atoms.error(atom, f"a label has at most {LONGEST_LABEL} characters, not {len(label)}")
    return label


def program_of(trajectory: Trajectory, plan: Plan) -> str:
    """What drawing rules read: facts, `holds(Fluent,Step)`, `occurs(Action,Step)`; `UsageError`."""
    lines = [f"{fact}." for fact in trajectory.facts]
    for fluent, steps in steps_of(trajectory.states).items():
        ranges = ";".join(f"{r.first}..{r.last}" for r in find_runs((t, "") for t in steps))
        lines.append(f"holds({fluent},({ranges})).")
    actions = [(ground_term(a, "action"), t) for t, step in enumerate(plan, 1) for a in step]
    lines += [f"occurs({action},{t})." for action, t in actions]
    return "\n".join(lines)


PARTS = 1000  # into which the time of a plan is divided


def happenings(plan: Plan, times: Sequence[Fraction]) -> Plan:
    """What begins and ends at each of some times, the first of which is before all happens."""
    place = {time: t for t, time in enumerate(times[1:])}
    steps: list[list[str]] = [[] for _ in place]
    names = {}
    for action, start, takes in _timed(plan):
        if takes is None:
            found = [(start, action, plan.name(action))]
        else:
            written = plan.name(action)
            found = [(start, f"begin({action})", f"{written} begins")]
            found.append((start + takes, f"end({action})", f"{written} ends"))
        for time, term, name in found:
            steps[place[time]].append(term)
            names[term] = f"{decimal_text(time)}: {name}"
    return Plan(tuple(map(tuple, steps)), names=names)


def facts_of_times(plan: Plan, times: Sequence[Fraction]) -> Iterator[str]:
    """The times of a plan as facts for drawing rules; docs/drawing.md describes them."""
    actions = sorted(_timed(plan), key=lambda each: each[1:2])
    ends = [start + (takes or 0) for _, start, takes in actions]
    last = max([*ends, *times], default=Fraction(0)) or Fraction(1)

    def part(time: Fraction) -> int:
        return round(time * PARTS / last)

    kinds: dict[str, int] = {}
    for i, ((action, start, takes), end) in enumerate(zip(actions, ends, strict=True), 1):
        kind = kinds.setdefault(action.partition("(")[0], len(kinds))
        yield f"spans({i},{part(start)},{part(end)}). kind({i},{kind})."
        yield f"called({i},{json.dumps(plan.name(action))}). action({i},{action})."
        if takes is not None:
            yield f'lasts({i},"{decimal_text(takes)}").'
    for t, time in enumerate(times):
        yield f'moment({t},{part(time)}). clock({t},"{decimal_text(time)}").'
    # A round number that goes into the time between four and ten times or so.
    power = Fraction(10) ** floor(log10(last / 4))
    width = max(factor * power for factor in (1, 2, 5) if factor * power * 4 <= last)
    for k in range(floor(last / width) + 1):
        yield f'tick({part(k * width)},"{decimal_text(k * width)}").'


def _timed(plan: Plan) -> list[tuple[str, Fraction, Fraction | None]]:
    timing = chain.from_iterable(plan.times)
    return [(a, start, takes) for a, (start, takes) in zip(plan.actions, timing, strict=True)]
