"""The default picture of a plan without drawing rules: actions and fluents over time.

Time goes to the right, with a column for each state. The actions are at the top, each on the border
between the states before and after it; a *lane* is a row of actions. Below, each variable has a row
with a bar for each of its values, and each proposition a row with a bar while it holds. The bars of
a *counter*, a variable with many numbers as values, are as high as the numbers are large. Rows that
never change are omitted. A plan with too many steps for the width is shown page by page. All
letters have the same height; a text without enough room is cut.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.plan import Plan
from asplan.core.text import amount
from asplan.drawing.colours import DIM, DONE, INK, NONE, PALETTE, readable_on
from asplan.drawing.lettering import measure_width, shorten_label
from asplan.drawing.rows import PlanRow, ValueSpan
from asplan.drawing.scene import DrawnShape, Look, Object, Scene, action_lines

MOST_STEPS = 1_000
MOST_ROWS = 24
MOST_LANES = 8
MOST_POSES = 3_000_000  # bars times steps

WIDTH = 980
GREATEST_WIDTH = 1_400  # of a picture that has room for all columns then
MARGIN = 14
PITCH = 28  # from one row to the next
BAR = 24  # the height of a bar
LETTERS = 12  # the height of all letters
NARROWEST = 44  # columns
WIDEST = 104
LONGEST_NAME = 190

_LANE = "#f3f5f8"
_NOW = "#dbe8fb"
_PLAIN = "#5f7894"
_LEVEL = "#a9c8ef"  # the bars of counters
_LEAST_LEVELS = 4  # different numbers of a counter
_LOWEST = 0.12  # the height of the lowest bar of a counter, as a share of the row
_ACTIONS = "#1f5fbf"


class Lane(NamedTuple):
    """A row of actions with one name; `texts` maps steps to the arguments of the action there.

    If a step has several actions of one name, they need several lanes. Only the first of these
    lanes has a `name`; in the others it is empty.
    """

    name: str
    texts: dict[int, str]


def make_look(
    fill: str = NONE,
    text: str | None = None,
    stroke: str = NONE,
    stroke_width: float = 0,
    radius: float = 0,
    opacity: float = 1,
) -> Look:
    """Make a look; by default the text has a colour that is readable on the fill."""
    return Look(
        fill,
        stroke,
        text or readable_on(fill),
        stroke_width,
        radius,
        opacity,
    )


@dataclass(frozen=True)
class Columns:
    """The columns of the states 0 to `number` - 1, of which `visible` fit into the picture.

    `left` is the left edge of the first column, `width` the width of each column.
    """

    number: int
    left: float
    width: float
    visible: int

    @property
    def right(self) -> float:
        """The right edge of the last visible column."""
        return self.left + self.width * self.visible

    def find_page(self, now: int) -> int:
        """Return the number of the first state on the page that shows the state `now`.

        Pages are turned: scrolling would change all pixels at each step and make large films.
        """
        page = max(1, self.visible - 2)
        first = max(now // page * page - 1, 0)
        return min(first, self.number - self.visible)

    def make_track(
        self,
        first: float,
        last: float,
        top: float,
        pad: float = 2,
        height: float = BAR,
    ) -> Iterator[DrawnShape | None]:
        """Yield, for each state, the visible part of a bar on the page that shows the state.

        The bar reaches from column `first` to column `last` and is cut at the edges of the page;
        None if too little of it is visible. `top` is its upper edge, `height` its height, and `pad`
        the margin at both ends.
        """
        for now in range(self.number):
            start = self.find_page(now)
            begin = self.left + (first - start) * self.width
            end = self.left + (last + 1 - start) * self.width
            left = max(begin, self.left) + pad
            width = min(end, self.right) - pad - left
            is_visible = width > 0.6 * self.width
            yield DrawnShape("rect", (left, top, width, height)) if is_visible else None


def make_timeline(
    title: str,
    plan: Plan,
    rows: Sequence[PlanRow],
) -> Scene:
    """Draw a plan and the rows of its fluents as a scene; raise `UsageError` for too many steps."""
    if len(plan) > MOST_STEPS:
        raise UsageError(
            f"a plan of {len(plan)} steps is too long for the default picture: the most is "
            f"{MOST_STEPS}",
            hint="docs/drawing.md shows how to write drawing rules",
        )
    number = len(plan) + 1
    all_lanes = find_lanes(plan)
    lanes = all_lanes[:MOST_LANES]
    changing = [row for row in rows if row.changes(number) or number == 1]
    drawn = _select_rows(changing, number)
    columns = _lay_out_columns(number, lanes, drawn)
    objects = [*_draw_background(columns, len(lanes), len(drawn))]
    middle = MARGIN + PITCH / 2
    objects += _draw_steps(columns, middle)
    for lane in lanes:
        middle += PITCH
        objects += _draw_lane(lane, columns, middle)
    middle += MARGIN
    counters = find_counters(changing, number)
    colours = _choose_colours(row for row in drawn if _kind_of(row) not in counters)
    for row in drawn:
        middle += PITCH
        levels = counters.get(_kind_of(row))
        if levels is None:
            objects += _draw_row(row, columns, middle, colours)
        else:
            objects += _draw_counter(row, columns, middle, levels)
    omitted = _describe_omitted(
        constant=len(rows) - len(changing),
        more=len(changing) - len(drawn),
        lanes=len(all_lanes) - len(lanes),
    )
    if omitted or not rows:
        middle += PITCH
        text = f"not drawn: {omitted}" if omitted else "what holds is not known"
        objects.append(
            _make_text(
                "left out",
                text,
                columns.right,
                middle,
                DIM,
                number,
            )
        )
    width = round(columns.right + MARGIN)
    height = round(middle + PITCH / 2 + MARGIN)
    size = max(width, height, 480)
    return Scene(
        title=title,
        width=width,
        height=height,
        objects=tuple(objects),
        actions=action_lines(plan),
        size=size,
        strip=36 / size,
    )


def _select_rows(rows: Sequence[PlanRow], number: int) -> list[PlanRow]:
    """Return the first rows, up to the limits of a picture; `number` is the number of states."""
    selected = []
    poses = 0
    for row in rows[:MOST_ROWS]:
        poses += len(row.runs) * number
        if poses <= MOST_POSES:
            selected.append(row)
    return selected


def _describe_omitted(constant: int, more: int, lanes: int) -> str:
    """Return in words how many rows are not drawn; empty if all are drawn.

    Parameters
    ----------
    constant
        The number of rows that never change.
    more
        The number of other rows that are not drawn.
    lanes
        The number of rows of actions that are not drawn.
    """
    counts = {
        amount(constant, "constant row"): constant,
        amount(more, "more row"): more,
        amount(lanes, "more row") + " of actions": lanes,
    }
    return ", ".join(text for text, count in counts.items() if count)


def find_lanes(plan: Plan) -> list[Lane]:
    """Return the lanes of a plan's actions, grouped by the name of the action.

    A name has as many lanes as the greatest number of its actions in one step. The texts are the
    arguments of the actions, or the name of an action without arguments.
    """
    lanes: dict[str, list[dict[int, str]]] = {}
    for number, step in enumerate(plan, 1):
        used: Counter[str] = Counter()
        for action in step:
            name, arguments = _split_action(plan.name(action))
            own = lanes.setdefault(name, [])
            if used[name] == len(own):
                own.append({})
            texts = own[used[name]]
            texts[number] = arguments or name
            used[name] += 1
    ordered = []
    for name, own in lanes.items():
        for rank, texts in enumerate(own):
            ordered.append(Lane("" if rank else name, texts))
    return ordered


def _split_action(text: str) -> tuple[str, str]:
    """Return the name and the arguments of an action.

    For `pick(a,b)`, return ("pick", "a,b"). For PDDL's `(pick a b)`, return ("pick", "a b").
    """
    inside = text.removeprefix("(").removesuffix(")")
    name, *rest = re.split(r"[\s(]", inside, maxsplit=1)
    return name, "".join(rest)


def _lay_out_columns(
    number: int,
    lanes: Sequence[Lane],
    rows: Sequence[PlanRow],
) -> Columns:
    """Return the columns, wide enough for most of their texts; `number` is the number of states."""
    names = [row.name for row in rows] + [lane.name for lane in lanes]
    longest = max(map(_width_of, names), default=_width_of(""))
    left = MARGIN + min(longest, LONGEST_NAME) + 10
    wanted = max(map(_width_of, _column_texts(lanes, rows))) + 8
    width = max(NARROWEST, min(WIDEST, wanted))
    visible = number
    if left + number * width + MARGIN > GREATEST_WIDTH:
        visible = min(number, int((WIDTH - left - MARGIN) / width))
    return Columns(number, left, width, visible)


def _column_texts(lanes: Sequence[Lane], rows: Sequence[PlanRow]) -> Iterator[str]:
    """Yield the texts that have to fit into one column: actions, values of one
    step, step numbers.
    """
    for run in chain.from_iterable(row.runs for row in rows):
        if run.last == run.first:
            yield run.value
    for lane in lanes:
        yield from lane.texts.values()
    yield "100"


def _width_of(text: str) -> float:
    """Return the width of a rectangle into which a text fits with letters of the height LETTERS."""
    return max(2.0, measure_width(text) / 0.8) * LETTERS


def _draw_background(
    columns: Columns,
    lanes: int,
    rows: int,
) -> Iterator[Object]:
    """Draw a stripe behind each row of fluents, and a marked column behind the current state.

    `lanes` and `rows` are the numbers of rows of actions and of fluents.
    """
    top = MARGIN + PITCH * (1 + lanes) + MARGIN
    for row in range(rows):
        left = columns.left
        stripe = DrawnShape("rect", (left, top + row * PITCH + 2, columns.right - left, BAR))
        shapes = (stripe,) * columns.number
        yield Object(f"row {row}", "", make_look(_LANE), shapes)
    height = (top if rows else top - MARGIN) + rows * PITCH - MARGIN
    present = []
    for step in range(columns.number):
        left = columns.left + (step - columns.find_page(step)) * columns.width
        present.append(DrawnShape("rect", (left, MARGIN, columns.width, height)))
    look = make_look(_NOW, stroke=DONE, stroke_width=2, radius=6)
    yield Object("now", "", look, tuple(present))


def _draw_steps(columns: Columns, middle: float) -> Iterator[Object]:
    """Draw the number of each state above its column.

    `middle` is the y coordinate of the middle of these numbers.
    """
    look = make_look(text=DIM)
    for step in range(columns.number):
        track = columns.make_track(step, step, middle - BAR / 2)
        yield Object(f"step {step}", str(step), look, tuple(track))


def _draw_lane(
    lane: Lane,
    columns: Columns,
    middle: float,
) -> Iterator[Object]:
    """Draw the name of a row of actions, and each action on the border between two states.

    `middle` is the y coordinate of the row's middle.
    """
    yield _draw_name(lane.name, columns, middle, _ACTIONS)
    look = make_look("#ffffff", stroke=_ACTIONS, stroke_width=1, radius=BAR / 2)
    for step, text in lane.texts.items():
        track = columns.make_track(step - 0.5, step - 0.5, middle - BAR / 2)
        label = shorten_label(text, columns.width - 4, LETTERS)
        yield Object(f"{lane.name}{middle:g} {step}", label, look, tuple(track))


def _choose_colours(rows: Iterable[PlanRow]) -> dict[str, str]:
    """Return a colour for each value of the variables; a value has the same colour in all rows."""
    variables = [row.runs for row in rows if row.is_variable]
    runs = sorted(chain.from_iterable(variables))
    values = dict.fromkeys(run.value for run in runs)
    return {value: PALETTE[i % len(PALETTE)] for i, value in enumerate(values)}


def _draw_row(
    row: PlanRow,
    columns: Columns,
    middle: float,
    colours: Mapping[str, str],
) -> Iterator[Object]:
    """Draw the name of a row, and a bar for each run of its values.

    `middle` is the y coordinate of the row's middle, `colours` the colour of each value.
    """
    yield _draw_name(row.name, columns, middle, INK)
    for run in row.runs:
        fill = colours[run.value] if row.is_variable else _PLAIN
        yield _draw_bar(row, run, columns, middle, make_look(fill, radius=5))


def _draw_bar(
    row: PlanRow,
    run: ValueSpan,
    columns: Columns,
    middle: float,
    look: Look,
) -> Object:
    """Draw the bar of a run, with the value of the run as its label.

    A long label is cut, so that it fits into the bar on each page that shows the bar.
    """
    track = tuple(columns.make_track(run.first, run.last, middle - BAR / 2, pad=1))
    room = min((shape.numbers[2] for shape in track if shape), default=0.0)
    label = shorten_label(run.value, room, LETTERS)
    return Object(f"{row.name} {run.value} {run.first}", label, look, track)


Levels = tuple[float, float]
"""The least and the greatest number of a counter."""


def find_counters(rows: Iterable[PlanRow], number: int) -> dict[str, Levels]:
    """Return the predicates of counters, each with the least and the greatest number in its rows.

    A predicate is a counter if its rows have a number as value in each of the `number` states, and
    if there are more different numbers than rows.
    """
    groups: dict[str, list[PlanRow]] = defaultdict(list)
    for row in rows:
        groups[_kind_of(row)].append(row)
    counters = {}
    for kind, own in groups.items():
        values = {run.value for row in own for run in row.runs}
        if len(values) < max(_LEAST_LEVELS, len(own) + 1):
            continue
        if all(map(_NUMBER.fullmatch, values)) and all(row.covers(number) for row in own):
            numbers = list(map(float, values))
            counters[kind] = min(numbers), max(numbers)
    return counters


_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def _kind_of(row: PlanRow) -> str:
    """Return the predicate of a row."""
    return _split_action(row.name)[0]


def _draw_counter(
    row: PlanRow,
    columns: Columns,
    middle: float,
    levels: Levels,
) -> Iterator[Object]:
    """Draw the name of a counter, and for each run of its values a bar with the number in front.

    The height of a bar shows its number; `levels` are the least and the greatest number. `middle`
    is the y coordinate of the row's middle.
    """
    yield _draw_name(row.name, columns, middle, INK)
    low, high = levels
    bottom = middle + BAR / 2
    for run in row.runs:
        share = (float(run.value) - low) / (high - low)
        height = BAR * (_LOWEST + (1 - _LOWEST) * share)
        track = columns.make_track(run.first, run.last, bottom - height, 1, height)
        name = f"{row.name} level {run.first}"
        yield Object(name, "", make_look(_LEVEL, radius=2), tuple(track))
        yield _draw_bar(row, run, columns, middle, make_look(text=INK))


def _draw_name(
    name: str,
    columns: Columns,
    middle: float,
    colour: str,
) -> Object:
    text = shorten_label(name, LONGEST_NAME, LETTERS)
    right = columns.left - 8
    return _make_text(
        f"name {name} {middle:g}",
        text,
        right,
        middle,
        colour,
        columns.number,
    )


def _make_text(
    name: str,
    text: str,
    right: float,
    middle: float,
    colour: str,
    steps: int,
) -> Object:
    """Make a line of text whose right end is at `right` and whose middle is at the height `middle`.

    `steps` is the number of states.
    """
    width = _width_of(text) + 1
    left = right - (width + measure_width(text) * LETTERS) / 2
    shape = DrawnShape("rect", (left, middle - BAR / 2, width, BAR))
    return Object(name, text, make_look(text=colour), (shape,) * steps)
