"""The picture of a plan that nobody wrote drawing rules for: what happens and holds, over time.

Time goes to the right, with a column for each state. The actions stand on top, each between the
states that it leads from and to; below, each variable has a row with a bar for each value, and each
proposition one with a bar while it holds. What never changes is left out. A plan with more steps
than have room is played page by page.

A predicate is a variable where some of its arguments are the value that the others have: `at(b,3)`
says that `at(b)` is 3, if b is at one place at a time.

>>> atoms = [["at(a,1)", "at(b,1)", "open"], ["at(a,2)", "at(b,1)"], ["at(a,2)", "at(b,1)"]]
>>> for row in find_rows(read_states(atoms), 3):
...     print(row.name, row.runs)
at(a) (Run(first=0, last=0, value='1'), Run(first=1, last=2, value='2'))
at(b) (Run(first=0, last=2, value='1'),)
open (Run(first=0, last=0, value=''),)
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from clingo import Function, Symbol, SymbolType

from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.drawing.colours import DIM, DONE, INK, NONE, PALETTE, readable_on
from asplan.drawing.lettering import load_font, measure_width, shorten
from asplan.drawing.scene import Look, Object, Scene, Shape
from asplan.program.source import ground_term

Steps = Mapping[Symbol, Sequence[int]]  # the steps after which each fluent holds, in order
Kind = tuple[str, int, bool]  # name, arity, and whether it is positive


class Run(NamedTuple):
    """The steps, from the first to the last, at which a row has a value."""

    first: int
    last: int
    value: str


@dataclass(frozen=True)
class Row:
    """A proposition, whose value is empty text while it holds, or a variable."""

    name: str
    runs: tuple[Run, ...]
    is_variable: bool = False

    def changes(self, number: int) -> bool:
        """Whether its value is not the same at a number of steps from 0."""
        return self.runs[0].last - self.runs[0].first + 1 < number


def steps_of(states: Iterable[Iterable[str]]) -> dict[str, list[int]]:
    """The steps at which each fluent holds."""
    steps: dict[str, list[int]] = defaultdict(list)
    for step, fluents in enumerate(states):
        for fluent in fluents:
            steps[fluent].append(step)
    return steps


def read_states(states: Iterable[Iterable[str]]) -> dict[Symbol, list[int]]:
    """The steps by term; a fluent that is no term is the constant of its text."""
    return {_read(fluent): at for fluent, at in steps_of(states).items()}


def _read(text: str) -> Symbol:
    with suppress(UsageError):
        return ground_term(text, "fluent")
    return Function(text)


def by_kind(steps: Steps) -> dict[Kind, list[Symbol]]:
    kinds: dict[Kind, list[Symbol]] = defaultdict(list)
    for atom in sorted(steps):
        is_function = atom.type == SymbolType.Function
        kind = (atom.name, len(atom.arguments), atom.positive) if is_function else ("", 0, True)
        kinds[kind].append(atom)
    return kinds


def find_rows(steps: Steps, number: int) -> list[Row]:
    """The rows of all fluents at a number of steps from 0; variables come first."""
    groups = []
    for atoms in by_kind(steps).values():
        values = find_values(atoms, steps, number)
        rows: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for atom in atoms:
            name, value = split(atom, values[1]) if values else (str(atom), "")
            rows[name] += [(step, value) for step in steps[atom]]
        found = [Row(name, find_runs(sorted(at)), bool(values)) for name, at in rows.items()]
        rank = 2 if values is None else 1 - values[0]
        groups.append((rank, len(found), found[0].name, found))
    return [row for group in sorted(groups, key=lambda g: g[:3]) for row in group[3]]


def find_values(atoms: Sequence[Symbol], steps: Steps, number: int) -> tuple[bool, range] | None:
    """Which arguments are a value, and whether one is at each step; few rows come before many."""
    arity = len(atoms[0].arguments) if atoms[0].type == SymbolType.Function else 0
    best: tuple[bool, int] | None = None
    chosen: range | None = None
    ends = [range(arity - n, arity) for n in range(1, arity + 1)]
    for values in ends[:1] + [range(1)] * (arity > 1) + ends[1:]:
        taken: set[tuple[str, int]] = set()
        seen: dict[str, set[str]] = defaultdict(set)
        count = 0
        for atom in atoms:
            name, value = split(atom, values)
            taken.update((name, step) for step in steps[atom])
            count += len(steps[atom])
            seen[name].add(value)
        if len(taken) < count or all(len(different) == 1 for different in seen.values()):
            continue
        rank = len(taken) < len(seen) * number, len(seen)
        if best is None or rank < best:
            best, chosen = rank, values
    return None if best is None or chosen is None else (not best[0], chosen)


def split(atom: Symbol, values: range) -> tuple[str, str]:
    """The name of the row and its value, the arguments at some places being the value."""
    terms = atom.arguments
    value = ",".join(str(terms[i]) for i in values)
    rest = [term for i, term in enumerate(terms) if i not in values]
    name = str(Function(atom.name, rest, atom.positive)) if atom.name else ",".join(map(str, rest))
    return name, f"({value})" if len(values) > 1 else value


def find_runs(values: Iterable[tuple[int, str]]) -> tuple[Run, ...]:
    """Values by step, in order, with equal ones of steps in a row together."""
    runs: list[Run] = []
    for step, value in values:
        if runs and runs[-1].last == step - 1 and runs[-1].value == value:
            runs[-1] = runs[-1]._replace(last=step)
        else:
            runs.append(Run(step, step, value))
    return tuple(runs)


MOST_STEPS, MOST_ROWS, MOST_LANES = 1_000, 24, 8
MOST_POSES = 3_000_000  # bars times steps
WIDTH, MARGIN, PITCH, BAR, LETTERS = 980, 14, 28, 24, 12
NARROWEST, WIDEST, LONGEST_NAME = 44, 104, 190
_LANE, _NOW, _PLAIN, _ACTIONS = "#f3f5f8", "#dbe8fb", "#5f7894", "#1f5fbf"

Lane = tuple[str, dict[int, str]]  # a name, and what stands at which step


def look(
    fill: str = NONE,
    text: str | None = None,
    stroke: str = NONE,
    stroke_width: float = 0,
    radius: float = 0,
    opacity: float = 1,
) -> Look:
    """A look whose text can be read, unless its colour is given."""
    return Look(fill, stroke, text or readable_on(fill), stroke_width, radius, opacity)


def words(name: str, text: str, right: float, middle: float, colour: str, steps: int) -> Object:
    """A line of text that ends at the right."""
    width = max(measure_width(text), 1.0) * LETTERS / 0.8 + 1
    shape = Shape("rect", (right - 0.9 * width, middle - BAR / 2, width, BAR))
    return Object(name, text, look(text=colour), (shape,) * steps)


def cut(text: str, room: float, letters: float = LETTERS) -> str:
    """A text that has room enough, as a label, if it is written with such letters at least."""
    return shorten(text, room * 0.8 * 64 / letters, load_font(64))


@dataclass(frozen=True)
class Columns:
    """Where the columns of some steps are; `visible` of them have room at a time."""

    number: int
    left: float
    width: float
    visible: int

    @property
    def right(self) -> float:
        return self.left + self.width * self.visible

    def start(self, now: int) -> int:
        """The first step in sight at a step; pages are turned, for scrolling makes large films."""
        page = max(1, self.visible - 2)
        return min(max(now // page * page - 1, 0), self.number - self.visible)

    def track(
        self, first: float, last: float, top: float, pad: float = 2
    ) -> Iterator[Shape | None]:
        """A bar from one column to the end of another, cut to what is in sight at each step."""
        for now in range(self.number):
            start = self.start(now)
            left = max(self.left + (first - start) * self.width, self.left) + pad
            right = min(self.left + (last + 1 - start) * self.width, self.right) - pad
            enough = 0.6 * self.width < right - left
            yield Shape("rect", (left, top, right - left, BAR)) if enough else None


def make_timeline(title: str, plan: Plan, rows: Sequence[Row]) -> Scene:
    number = len(plan) + 1
    if number > MOST_STEPS + 1:
        raise UsageError(
            f"a plan of {len(plan)} steps is too long for the default picture: the most is "
            f"{MOST_STEPS}",
            hint="docs/drawing.md shows how to write drawing rules",
        )
    lanes = find_lanes(plan)
    changing = [row for row in rows if row.changes(number) or number == 1]
    drawn, bars = list[Row](), 0
    for row in changing[:MOST_ROWS]:
        bars += len(row.runs) * number
        if bars <= MOST_POSES:
            drawn.append(row)
    columns = _columns(number, lanes[:MOST_LANES], drawn)
    objects = [*_ground(columns, len(lanes[:MOST_LANES]), len(drawn))]
    middle = MARGIN + PITCH / 2
    for step in range(number):
        shapes = columns.track(step, step, middle - BAR / 2)
        objects.append(Object(f"step {step}", str(step), look(text=DIM), tuple(shapes)))
    style = look("#ffffff", stroke=_ACTIONS, stroke_width=1, radius=BAR / 2)
    for name, happens in lanes[:MOST_LANES]:
        middle += PITCH
        # Each on the line between two states.
        objects.append(_name(name, columns, middle, _ACTIONS))
        for t, text in happens.items():
            shapes = columns.track(t - 0.5, t - 0.5, middle - BAR / 2)
            label = cut(text, columns.width - 4, 8)
            objects.append(Object(f"{name}{middle:g} {t}", label, style, tuple(shapes)))
    middle += MARGIN
    # A colour for each value of a variable, the same in all rows.
    runs: list[Run] = sorted(run for row in drawn if row.is_variable for run in row.runs)
    values = dict.fromkeys(run.value for run in runs)
    colours = {value: PALETTE[i % len(PALETTE)] for i, value in enumerate(values)}
    for row in drawn:
        middle += PITCH
        objects.append(_name(row.name, columns, middle, INK))
        for run in row.runs:
            fill = colours[run.value] if row.is_variable else _PLAIN
            label = cut(run.value, columns.width * (run.last - run.first + 1) - 4, 8)
            shapes = columns.track(run.first, run.last, middle - BAR / 2, 1)
            name = f"{row.name} {run.value} {run.first}"
            objects.append(Object(name, label, look(fill, radius=5), tuple(shapes)))
    left_out = [
        amount(len(rows) - len(changing), "constant row"),
        amount(len(changing) - len(drawn), "more row"),
        amount(len(lanes[MOST_LANES:]), "more row") + " of actions",
    ]
    told = ", ".join(text for text in left_out if not text.startswith("0 "))
    if told or not rows:
        middle += PITCH
        text = f"not drawn: {told}" if told else "what holds is not known"
        objects.append(words("left out", text, columns.right, middle, DIM, number))
    width, height = round(columns.right + MARGIN), round(middle + PITCH / 2 + MARGIN)
    texts = tuple(", ".join(map(plan.name, step)) for step in plan)
    size = max(width, height, 480)
    return Scene(title, width, height, tuple(objects), texts, size=size, strip=36 / size)


def find_lanes(plan: Plan) -> list[Lane]:
    """Actions by name, in as many lanes as happen at a time; each step has their arguments."""
    lanes: dict[tuple[str, int], dict[int, str]] = {}
    for t, step in enumerate(plan, 1):
        used: dict[str, int] = {}
        for action in step:
            # An action is written as a term, or as in PDDL: pick(a,b), (pick a b).
            text = plan.name(action).removeprefix("(").removesuffix(")")
            name, *rest = re.split(r"[\s(]", text, maxsplit=1)
            used[name] = used.get(name, 0) + 1
            lanes.setdefault((name, used[name]), {})[t] = "".join(rest) or name
    names = list(dict.fromkeys(name for name, _ in lanes))
    ordered = sorted(lanes, key=lambda lane: (names.index(lane[0]), lane[1]))
    return [(name if n == 1 else "", lanes[name, n]) for name, n in ordered]


def _columns(number: int, lanes: Iterable[Lane], rows: Sequence[Row]) -> Columns:
    """Columns so wide that most of what stands in them can be read."""
    names = chain((row.name for row in rows), (name for name, _ in lanes))
    longest = max((measure_width(name) for name in names), default=1) * LETTERS / 0.8
    left = MARGIN + min(longest, LONGEST_NAME) + 10
    short = (r.value for row in rows for r in row.runs if r.last == r.first)
    texts = [*short, *chain.from_iterable(happens.values() for _, happens in lanes), "100"]
    wanted = max(map(measure_width, texts)) * LETTERS / 0.8 + 8
    fitting = (WIDTH - left - MARGIN) / number
    width = max(NARROWEST, min(WIDEST, wanted, max(fitting, wanted * 0.7)))
    return Columns(number, left, width, min(number, int((WIDTH - left - MARGIN) / width)))


def _ground(columns: Columns, lanes: int, rows: int) -> Iterator[Object]:
    """A stripe behind each row, and a column behind the present state."""
    top = MARGIN + PITCH * (1 + lanes) + MARGIN
    for row in range(rows):
        box = columns.left, top + row * PITCH + 2, columns.right - columns.left, BAR
        yield Object(f"row {row}", "", look(_LANE), (Shape("rect", box),) * columns.number)
    height = (top if rows else top - MARGIN) + rows * PITCH - MARGIN
    lefts = (columns.left + (t - columns.start(t)) * columns.width for t in range(columns.number))
    shapes = tuple(Shape("rect", (left, MARGIN, columns.width, height)) for left in lefts)
    yield Object("now", "", look(_NOW, stroke=DONE, stroke_width=2, radius=6), shapes)


def _name(name: str, columns: Columns, middle: float, colour: str) -> Object:
    text = cut(name, LONGEST_NAME)
    return words(f"name {name} {middle:g}", text, columns.left - 8, middle, colour, columns.number)
