"""Makes the site's gallery: an animation for each set of drawing rules, and maps of states.

    python scripts/gallery.py FOLDER

An animation is of a solved instance, drawn by the `draw.lp` that asplan finds for it; a map is a
page, with a picture of it. What is in the folder already and is younger than its rules stays.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import asplan

ROOT = Path(__file__).parents[1]
SIZE = 320
"""Pixels of the longer side."""


@dataclass(frozen=True)
class Exhibit:
    """One animation.

    Attributes
    ----------
    folder
        Where the drawing rules are, from the root of the project.
    instance, encoding
        What is solved: by name, or as a file of the folder.
    guide
        The page of docs/ that tells more.
    """

    title: str
    folder: str
    instance: str
    guide: str
    encoding: str | None = None

    @property
    def file(self) -> str:
        """The name of the animation."""
        return f"{Path(self.folder).name}.webp"

    @property
    def rules(self) -> Path:
        """The drawing rules that it shows."""
        return ROOT / self.folder / "draw.lp"

    @property
    def command(self) -> str:
        """The command that makes it, as a reader gives it."""
        encoding = f" -e {self.encoding}" if self.encoding else ""
        return f"asplan solve {self.instance}{encoding} -o plan.webp"

    def make(self, target: Path) -> None:
        """Solve the instance, and draw the plan."""
        here = self.rules.parent
        words = [word and str(here / word) for word in (self.instance, self.encoding)]
        if not (here / self.instance).exists():
            words = [self.instance, self.encoding]
        result = asplan.solve(words[0] or "", encoding=words[1])
        asplan.render(result, target, size=SIZE, draw=self.rules)


EXHIBITS = (
    Exhibit("Rush Hour", "encodings/rush_hour", "sample02", "rush_hour.md"),
    Exhibit("Sliding tiles", "encodings/sliding_tiles", "eight20", "sliding_tiles.md"),
    Exhibit("Brain Twist", "encodings/brain_twist", "twist08", "brain_twist.md"),
    Exhibit("Towers of Hanoi", "encodings/hanoi", "towers4", "drawing.md"),
    Exhibit("Blocks, from PDDL", "instances/pddl/blocks", "blocks-2", "pddl.md"),
    Exhibit("Gripper, from PDDL", "instances/pddl/gripper", "gripper-1", "pddl.md"),
    Exhibit("Crates, from PDDL", "instances/pddl/crates", "crates-1", "pddl.md"),
    Exhibit(
        "A courier's battery, from PDDL with numbers",
        "instances/pddl/courier",
        "courier-1",
        "numbers_and_time.md",
    ),
    Exhibit(
        "Mending by the light of matches, from PDDL with time",
        "encodings/pddl/timed",
        "cellar-1",
        "numbers_and_time.md",
    ),
    Exhibit(
        "The bee of the tutorial",
        "templates/meadow",
        "instances/first.lp",
        "tutorial.md",
        "encoding.lp",
    ),
    Exhibit(
        "The blocks of `asplan new --kind blocks`",
        "templates/stacking",
        "instances/second.lp",
        "tutorial.md",
        "encoding.lp",
    ),
)


@dataclass(frozen=True)
class StateMap:
    """A state space, as a page and as a picture."""

    instance: str
    about: str

    @property
    def files(self) -> tuple[str, str]:
        """The names of the page and of the picture."""
        return f"map-{self.instance}.html", f"map-{self.instance}.png"

    @property
    def command(self) -> str:
        """The command that makes the page."""
        return f"asplan analyse {self.instance} --graph states.html"


MAPS = (
    StateMap("towers4", "Four discs on three poles, searched by the rules of the encoding alone."),
    StateMap("crates-1", "A crate in a hall: whoever pushes it to a wall ends in red."),
    StateMap("sample02", "A board of Rush Hour: one long way in, and then two."),
)


def make(folder: Path) -> None:
    """Make what is missing in a folder, and animations that are older than their rules."""
    folder.mkdir(parents=True, exist_ok=True)
    for exhibit in EXHIBITS:
        target = folder / exhibit.file
        if not target.exists() or target.stat().st_mtime < exhibit.rules.stat().st_mtime:
            exhibit.make(target)
    for one in MAPS:
        for target in map(folder.joinpath, one.files):
            if not target.exists():
                asplan.analyse(one.instance, graph=target)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    make(parser.parse_args().folder)
