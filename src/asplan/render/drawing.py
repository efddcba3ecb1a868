"""From a plan to a scene: drawing rules in ASP are found, run, and what they derive is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from asplan.asp.source import parse, parse_text
from asplan.catalog import find_drawing
from asplan.errors import InputError, UsageError
from asplan.facts import Facts, ground_facts
from asplan.instance import Instance, read_for_check, reread
from asplan.render.atoms import Atoms, text
from asplan.render.looks import read_looks
from asplan.render.scene import Object, Scene
from asplan.render.shapes import read_canvas, read_tracks
from asplan.render.trajectory import Trajectory, follow
from asplan.result import Result


def make_scene(result: Result, draw: str | None = None) -> Scene:
    """What the plan of a result looks like.

    Parameters
    ----------
    draw
        The file with the drawing rules; without it the one of the domain or the encoding.

    Raises
    ------
    UsageError
        There is no plan, or there are no drawing rules.
    InputError
        The rules, or what they derive, make no sense.
    """
    file = check_rules(result.files, result.encoding, result.constants, draw)
    instance = reread(result)
    trajectory = follow(result, instance)
    atoms = Atoms(run_rules(file, trajectory, instance), file, len(trajectory.plan))
    actions = tuple(", ".join(step) for step in trajectory.plan)
    return read_scene(atoms, result.instance, actions, bool(trajectory.holds))


def check_rules(
    files: Iterable[str], encoding: str | None, constants: Mapping[str, str], draw: str | None
) -> str:
    """The file with the drawing rules for a problem, which can be parsed.

    Raises what `make_scene` raises, as far as it can be known without a plan.
    """
    files = tuple(files)
    if "-" in files:
        raise UsageError(
            "an instance that came through standard input cannot be drawn",
            mend="store it in a file, and name that",
        )
    file = draw or find_rules(read_for_check(files, encoding, constants))
    parse([file])
    return file


def find_rules(instance: Instance) -> str:
    """The drawing rules of the domain, or the draw.lp beside the encoding.

    Raises
    ------
    UsageError
        There are none.
    """
    if instance.domain and (shipped := find_drawing(instance.domain.name)):
        return str(shipped)
    encoding = instance.encoding.path if instance.encoding else Path(instance.encoding_name)
    beside = encoding.parent / "draw.lp"
    if beside.is_file():
        return str(beside)
    raise UsageError(
        "there are no drawing rules for this plan",
        mend="say --draw FILE.lp, or put a draw.lp beside the encoding; "
        "docs/drawing.md shows how to write one",
    )


def run_rules(file: str, trajectory: Trajectory, instance: Instance) -> Facts:
    """All that the rules derive from a plan, each atom with the place of its rule."""
    # The rules come first: what a rule derives is drawn even if it was given too.
    statements = [*parse([file]), *parse_text("#program base." + trajectory.text)]
    mend = "drawing rules derive shapes, they do not choose them"
    return ground_facts(statements, instance.constants, [file], mend=mend)


def read_scene(atoms: Atoms, title: str, actions: tuple[str, ...], fluents: bool) -> Scene:
    """The scene that the atoms of a drawing describe; `fluents` tells whether any were known."""
    atoms.check_forms()
    canvas = read_canvas(atoms)
    tracks = read_tracks(atoms, canvas)
    if not tracks:
        raise _nothing_drawn(atoms.file, fluents)
    # A label is one line, in the page as in the picture.
    labels = {t: " ".join(text(a.arguments[1]).split()) for t, a in atoms.by_thing("label").items()}
    layers = {t: atoms.number(a, a.arguments[1]) for t, a in atoms.by_thing("layer").items()}
    looks = read_looks(atoms, tracks)
    objects = tuple(
        Object(str(thing), labels.get(thing, ""), looks[thing], tuple(tracks[thing]))
        for thing in sorted(tracks, key=lambda thing: (layers.get(thing, 0), thing))
    )
    return Scene(title, *canvas, objects, actions)


def _nothing_drawn(file: str, fluents: bool) -> InputError:
    if fluents:
        return InputError(f"{file}: the rules derive no shape")
    return InputError(
        f"{file}: the rules derive no shape, and the plan shows no holds(Fluent,Step)",
        mend="derive holds/2 in the encoding, and add #show holds/2.",
    )
