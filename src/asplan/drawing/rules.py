"""Makes the scene of a plan: finds its drawing rules, which are ASP, runs them and
reads the atoms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from asplan.catalog import refuse_linked_out
from asplan.clingo import Symbol
from asplan.core.errors import InputError, InputWarning, UsageError
from asplan.core.facts import Facts
from asplan.core.files import STDIN
from asplan.core.plan import Plan
from asplan.drawing.board import find_board
from asplan.drawing.board_scene import draw_board
from asplan.drawing.mistakes import (
    find_hidden_objects,
    find_lost_atoms,
    find_unknown_shapes,
    find_unknown_styles,
)
from asplan.drawing.moments import plan_by_moments, write_times
from asplan.drawing.rows import find_rows, find_runs, read_states, steps_of
from asplan.drawing.scene import Object, Scene, action_lines
from asplan.drawing.shapes import (
    GIVEN,
    MOST_ATOMS,
    MOST_STEPS,
    Atoms,
    read_canvas,
    read_fold,
    read_label,
    read_looks,
    read_tracks,
)
from asplan.drawing.timeline import make_timeline
from asplan.problem import Inputs, Problem, load
from asplan.program.ground import ground_facts
from asplan.program.reading.source import ground_term
from asplan.program.reading.unit import Unit, read_unit, unit_of_text
from asplan.program.syntax import AST, ASTType, find, location
from asplan.referee import trajectory_of
from asplan.result import Result, Trajectory

_LARGEST = 1400  # pixels: the default limit of the longer side for a plan with times

_REFUSED = {
    ASTType.Script: "a script",
    ASTType.External: "#external",
    ASTType.Minimize: "an objective",
    ASTType.Heuristic: "#heuristic",
    ASTType.Edge: "#edge",
    ASTType.ProjectAtom: "#project",
    ASTType.ProjectSignature: "#project",
    ASTType.TheoryDefinition: "#theory",
}
"""Kinds of statements that drawing rules must not contain."""


def make_scene(
    result: Result,
    draw: str | None = None,
    allow_includes: bool = False,
) -> Scene:
    """Make the scene of a plan.

    The scene is drawn by the rules in the file `draw`, else by the problem's own rules, else as a
    board, else as a timeline of the fluents. For a plan with times the scene has a step for each
    moment at which an action begins or ends.

    Raises
    ------
    UsageError
        There is no plan, it is too long, or its instance was read from standard input.
    InputError
        The drawing rules are wrong, or derive a wrong drawing.
    """
    plan = _drawable_plan(result)
    trajectory = result.trajectory
    if trajectory is None:
        inputs = replace(inputs_of(result), allow_includes=allow_includes)
        problem = load(inputs, needs_model=result.encoding is None)
        trajectory = trajectory_of(problem, result)
    times: list[str] = []
    if plan.times:
        times = list(write_times(plan, trajectory.times))
        plan = plan_by_moments(plan, trajectory.times)
    file = choose_rules(draw, trajectory.rules)
    if file is None:
        scene = _draw_by_default(result, plan, trajectory)
    else:
        given = "\n".join([write_facts(trajectory, plan), *times])
        derived = run_rules(file, given, result.constants, allow_includes)
        atoms = Atoms(derived, file, len(plan))
        scene = read_scene(atoms, result.instance, action_lines(plan), trajectory)
        mistakes = find_unknown_shapes(atoms, read_rules(file, allow_includes))
        scene = replace(scene, warnings=(*mistakes, *scene.warnings))
        if times:  # such drawings have much text
            size = min(max(scene.width, scene.height), _LARGEST)
            scene = replace(scene, size=size, strip=36 / size)
    return replace(scene, states=tuple(trajectory.states))


def _drawable_plan(result: Result) -> Plan:
    """Return the plan of a result; if its actions are unknown, a plan of equally many empty steps.

    Raises `UsageError` if there is no plan, if it is too long, or if its files cannot be read
    again.
    """
    if result.trajectory is None and STDIN in result.files:
        hint = "store it in a file, and name that"
        raise UsageError("an instance that came through standard input cannot be drawn", hint=hint)
    plan = result.plan
    steps = len(plan or ()) or result.horizon or 0
    if steps > MOST_STEPS:
        why = f"a plan of {steps} steps is too long to be drawn: the most is {MOST_STEPS}"
        raise UsageError(why)
    if plan is not None:
        return plan
    if result.horizon is None:
        raise UsageError("there is no plan, so there is nothing to draw")
    return Plan(((),) * steps)


def _draw_by_default(
    result: Result,
    plan: Plan,
    trajectory: Trajectory,
) -> Scene:
    fluents = read_states(trajectory.states)
    number = len(plan) + 1
    board = find_board(fluents, number, trajectory.facts, trajectory.changing, trajectory.columns)
    if board is not None:
        return draw_board(result.instance, plan, board)
    return make_timeline(result.instance, plan, find_rows(fluents, number))


def add_reasons(
    scene: Scene,
    result: Result,
    allow_includes: bool = False,
) -> Scene:
    """Add the reason for each true atom to a scene; raise the errors of `explain_states`."""
    from asplan.explaining.states import explain_states

    inputs = replace(inputs_of(result), allow_includes=allow_includes)
    return replace(scene, why=explain_states(inputs, result, scene.states))


def check_rules(
    problem: Problem,
    draw: str | None,
    allow_includes: bool = False,
) -> None:
    """Check, before solving, that the drawing rules of a problem can be read.

    Raises the errors of `read_rules`. `draw` is the file that the user names, or None.
    """
    found = problem.rules
    if found is None and problem.recognised is not None:
        found = problem.recognised.rules
    file = choose_rules(draw, found)
    if file:
        read_rules(file, allow_includes)


def choose_rules(named: str | None, found: str | None) -> str | None:
    """Return the file with drawing rules: `named` by the user, else `found` with the problem.

    Raises `InputError` if the found file is a link to another folder.
    """
    if named is None and found is not None:
        refuse_linked_out(found, "if you trust it, name it: --draw FILE")
    return named or found


def read_rules(file: str, allow_includes: bool = False) -> Unit:
    """Read a file of drawing rules.

    Raises `InputError` for statements that drawing rules must not contain, such as constraints.
    """
    unit = read_unit(file, allow_includes)
    for statement in unit.statements:
        kind = _refused_kind(statement)
        if kind is not None:
            why = f"{kind} is not allowed in drawing rules"
            hint = "drawing rules only derive shapes, from the atoms of holds and occurs"
            raise InputError(why, at=location(statement), hint=hint)
    return unit


def _refused_kind(statement: AST) -> str | None:
    """Return the name of a statement's kind if drawing rules must not contain it; else None."""
    kind = statement.ast_type
    if kind == ASTType.Program:
        is_base = statement.name == "base" and not statement.parameters
        return None if is_base else "another part"
    if kind == ASTType.Rule and str(statement.head) == "#false":
        return "a constraint"
    if _has_theory_atom(statement):
        return "a theory atom"
    if _calls_script(statement):
        return "a call of a script"
    return _REFUSED.get(kind)


# Searching the text first saves most statements a walk through their syntax tree.


def _has_theory_atom(statement: AST) -> bool:
    return "&" in str(statement) and bool(find(ASTType.TheoryAtom, [statement]))


def _calls_script(statement: AST) -> bool:
    if "@" not in str(statement):
        return False
    return any(function.external for function in find(ASTType.Function, [statement]))


def inputs_of(result: Result) -> Inputs:
    """Return the inputs from which the problem of a result is loaded again.

    Scripts are allowed, because loading only reads them.
    """
    encoding = None if result.encoding in result.files else result.encoding
    return Inputs(
        result.files,
        None,
        encoding,
        result.constants,
        allow_scripts=True,
    )


def run_rules(
    file: str,
    given: str,
    constants: Mapping[str, str],
    allow_includes: bool = False,
) -> Facts:
    """Derive all atoms from the rules in `file` and the facts in `given`; also return their places.

    The place of an atom is that of the rule that derives it. Raises `InputError` if a rule chooses
    among several sets of atoms, and for more than `MOST_ATOMS` atoms.
    """
    # The rules come first: an atom that is both given and derived has the place of its rule.
    units = [read_rules(file, allow_includes), unit_of_text(given, GIVEN)]
    hint = "drawing rules derive shapes, they do not choose them"
    return ground_facts(
        units,
        constants,
        [file],
        hint=hint,
        most=MOST_ATOMS,
    )


def read_scene(
    atoms: Atoms,
    title: str,
    actions: Sequence[str],
    trajectory: Trajectory,
) -> Scene:
    """Make a scene of the atoms that drawing rules derive; raise `InputError` for a
    wrong drawing.
    """
    atoms.check()
    width, height = read_canvas(atoms)
    tracks = read_tracks(atoms, (width, height))
    labels = {}
    for thing, atom in atoms.by_object("label").items():
        labels[thing] = read_label(atoms, atom)
    layers = _read_layers(atoms)
    looks = read_looks(atoms, tracks, height)

    def depth_of(thing: Symbol) -> tuple[int, Symbol]:
        return layers.get(thing, 0), thing

    objects = []
    for thing in sorted(tracks, key=depth_of):
        label = labels.get(thing, "")
        shapes = tuple(tracks[thing])
        objects.append(Object(str(thing), label, looks[thing], shapes))
    layers_by_name = {str(thing): layer for thing, layer in layers.items()}
    lost = find_lost_atoms(atoms, tracks) if objects else [_warn_empty(atoms, trajectory)]
    mistakes = (
        *lost,
        *find_unknown_styles(atoms),
        *find_hidden_objects(objects, layers_by_name, atoms),
    )
    return Scene(
        title,
        width,
        height,
        tuple(objects),
        tuple(actions),
        warnings=mistakes,
        fold=read_fold(atoms),
    )


def _read_layers(atoms: Atoms) -> dict[Symbol, int]:
    layers = {}
    for thing, atom in atoms.by_object("layer").items():
        layers[thing] = atoms.number(atom, atom.arguments[1])
    return layers


def _warn_empty(atoms: Atoms, trajectory: Trajectory) -> InputWarning:
    if any(trajectory.states):
        text = "the picture is empty: the rules derive no shape"
        hint = ""
    else:
        text = "the picture is empty: the rules derive no shape, and no holds(Fluent,Step) is known"
        hint = "derive holds/2 in the encoding, and add #show holds/2."
    (canvas,) = atoms.select("canvas")
    return InputWarning("draw-empty", text, atoms.facts.at(canvas), hint)


def write_facts(trajectory: Trajectory, plan: Plan) -> str:
    """Return the facts that drawing rules read: the instance, `holds/2` and `occurs/2`.

    Raises `UsageError` for an action that is not a term.
    """
    lines = [f"{fact}." for fact in trajectory.facts]
    for fluent, steps in steps_of(trajectory.states).items():
        runs = find_runs((step, "") for step in steps)
        intervals = ";".join(f"{run.first}..{run.last}" for run in runs)
        lines.append(f"holds({fluent},({intervals})).")
    for number, step in enumerate(plan, 1):
        for action in step:
            lines.append(f"occurs({ground_term(action, 'action')},{number}).")
    return "\n".join(lines)
