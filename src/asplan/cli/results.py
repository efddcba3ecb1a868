"""The printing of results on a terminal, for people."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from unicodedata import east_asian_width

import click

from asplan.core.choices import Mode, Objective
from asplan.core.dataclass import dataclass
from asplan.core.limits import Stop
from asplan.core.plan import Plan
from asplan.core.text import amount, decimal_text, list_counts, printable, shortened
from asplan.domains import find_domain
from asplan.problem import Inputs
from asplan.problem.inputs import STEPPED
from asplan.result import Opinion, Outcome, Result, Trajectory

_COLOURS = (
    "cyan",
    "yellow",
    "green",
    "magenta",
    "blue",
    "bright_cyan",
    "bright_yellow",
    "bright_green",
    "bright_magenta",
    "bright_blue",
    "white",
    "bright_white",
)
_OUTCOMES = {
    Outcome.OPTIMAL: "bold green",
    Outcome.PLAN: "bold yellow",
    Outcome.UNSOLVABLE: "bold red",
    Outcome.UNKNOWN: "bold magenta",
}
_CHECKS = {
    "model": "plan checked: replayed in the domain's own model",
    "replay": "plan checked: replayed in a fresh clingo",
    "text": "plan checked: executed on the PDDL text, apart from its translation",
}
_ONLY_HORIZONS = ("asp", "sat")  # the engines that refute horizons, without other searches


def bounds(result: Result) -> list[str]:
    """Return the proven bounds as phrases that follow `every plan`."""
    lines = []
    if result.lower_bound > 0:
        is_own = result.optimized in (Objective.ACTIONS, Objective.LAYERS)
        unit = result.optimized if is_own else Objective.STEPS
        lines.append(f"has at least {amount(result.lower_bound, unit.removesuffix('s'))}")
    if result.lower_cost > 0:
        lines.append(f"costs at least {result.lower_cost}")
    return lines


def print_result(
    result: Result,
    words: Inputs,
    optimal: str | None = None,
    states: bool = False,
) -> None:
    """Print a result.

    `words` are the files and options of the command, from which advice is made. `optimal` is the
    objective that the user chose, or None. If `states` is set, also print the changes of each step.
    """
    print_heading(result)
    for index, plan in enumerate(result.plans):
        _print()
        if len(result.plans) > 1:
            _print(_styled(f"plan {index + 1} of {len(result.plans)}", "bold"))
        trajectory = result.trajectory if index == 0 else None
        _print(printable(_plan_text(plan, trajectory, states) or "nothing to do"))
    if result.trajectory is not None:
        _print_trajectory(result, result.trajectory)
    _print()
    print_end(result, words, optimal)


def print_heading(result: Result) -> None:
    """Print the names of domain, instance, encoding, engine and its method, and constants."""
    variants = [f"{name}={value}" for name, value in result.constants.items()]
    heading = [result.domain, result.instance, result.encoding, result.engine_text, *variants]
    _print(_styled(" · ".join(filter(None, heading)), "dim"))


def print_end(
    result: Result,
    words: Inputs,
    optimal: str | None = None,
    *claims: str,
) -> None:
    """Print the outcome of a result, further claims, and the footnotes, such as bounds.

    `words` are the files and options of the command, from which advice is made. `optimal` is the
    objective that the user chose, or None.
    """
    _print_outcome(result)
    for text in (*claims, *_footnotes(result, words, optimal)):
        _print(_styled(text, "dim"))


def _plan_text(
    plan: Plan,
    trajectory: Trajectory | None,
    states: bool,
) -> str:
    """Return the text of a plan, with the values of a theory, and with changes if `states`."""
    text = str(plan)
    values = plan.timed_values
    if trajectory is not None:
        if states and trajectory.states:
            text = with_states(plan, trajectory.states)
        values = values or tuple(trajectory.values)
    return _with_values(text, dict(values)) if values else text


def _print_trajectory(result: Result, trajectory: Trajectory) -> None:
    """Print the first and last board, and for a program without actions the atoms by time."""
    if trajectory.boards:
        _print_boards(result, trajectory.boards)
    if result.plan is None:
        for time, atoms in trajectory.timed:
            when = "always" if time is None else f"{time}."
            _print(_styled(f"{when:>6} ", "dim") + printable("  ".join(atoms)))


def _print_boards(result: Result, boards: Sequence[str]) -> None:
    """Print the boards before and after the plan, side by side if there is room."""
    is_timed = result.plan is not None and bool(result.plan.times)
    titles = ("before", "at the end" if is_timed else f"after {len(result.plan or ())}")
    game = result.referee.domain if result.referee else ""
    domain = find_domain(result.domain or game)
    _print()
    print_panels(dict(zip(titles, boards, strict=True)), domain.colours if domain else {})


def _print_outcome(result: Result) -> None:
    outcome = str(result.outcome)
    style = _OUTCOMES[result.outcome]
    if result.plan is not None and not result.plan:  # most instances need some steps
        style = "bold yellow"
    if result.is_doubtful:
        outcome = f"{result.verdict} above"
        style = "bold yellow"
    _print(_styled(outcome, style), printable(f"({result.reason})"))
    if result.no_actions:
        _print(printable(f"no actions are listed: {result.no_actions}"))


def with_states(plan: Plan, states: Sequence[tuple[str, ...]]) -> str:
    """Return a plan as text, with the first state above it and the changes below each step."""
    first, *others = str(plan).splitlines() if len(plan) else ["1."]
    indent = " " * (first.index(".") + 2)
    lines = [f"{'0.':>{len(indent) - 1}} {'  '.join(states[0])}"]
    for line, old, new in zip([first, *others], states, states[1:], strict=False):
        lines += [line, indent + _change(old, new)]
    return "\n".join(lines)


def _change(old: Sequence[str], new: Sequence[str]) -> str:
    """Return the change from an old to a new state, as text: `no longer A; now B`."""
    gone = ", ".join(fluent for fluent in old if fluent not in new)
    come = ", ".join(fluent for fluent in new if fluent not in old)
    parts = [f"no longer {gone}" if gone else "", f"now {come}" if come else ""]
    return "; ".join(filter(None, parts)) or "nothing changes"


def _with_values(text: str, values: Mapping[int | None, Sequence[str]]) -> str:
    """Return a plan's text with values by time as comments, so that it can still be read back."""
    comments = {time: f"% {'  '.join(known)}" for time, known in values.items()}
    lines = []
    for line in text.splitlines():
        step = re.match(r" *(\d+)\. ", line)
        comment = comments.pop(int(step[1]), "") if step else ""
        lines.append(f"{line}  {comment}" if comment else line)
    if 0 in comments:
        lines.insert(0, f"{comments[0]} at the start")
    if None in comments:
        lines.append(f"{comments[None]} without time")
    return "\n".join(lines)


def _footnotes(
    result: Result,
    words: Inputs,
    optimal: str | None,
) -> Iterator[str]:
    """Yield the lines that are printed below the outcome, such as bounds, checks and advice.

    `optimal` is the objective that the user chose, or None.
    """
    if result.way:
        yield result.way
    if result.statistics.configuration:
        yield f"clasp's configuration: {result.statistics.configuration}"
    if result.outcome in (Outcome.UNKNOWN, Outcome.PLAN):
        for bound in bounds(result):
            yield f"every plan {bound}"
    if result.domain == STEPPED and result.plan and len(result.plan.actions) > len(result.plan):
        yield f"parallel steps: {len(result.plan.actions)} actions in {len(result.plan)} steps"
    yield from _quality(result, optimal)
    if result.beside:
        atoms = shortened(", ".join(result.beside), 200)
        yield f"the answer also has {atoms}, outside of the steps of the plan"
    if result.validated:
        yield _check_line(result, result.validated)
    yield from _advice(result, words)
    yield _effort(result)


def _quality(result: Result, optimal: str | None) -> Iterator[str]:
    """Yield lines about cost, metric and violated preferences, with options that improve them.

    `optimal` is the objective that the user chose, or None.
    """
    is_task = result.domain == STEPPED and optimal is None
    if result.cost:
        improves = is_task and result.optimized != Objective.COST and any(result.cost)
        hint = "; --optimal cost finds the least" if improves else ""
        yield f"cost: {' '.join(map(str, result.cost))}{_least(result.least_among)}{hint}"
    if result.metric is not None:
        hint = "; --optimal metric finds the best" if is_task and result.violated else ""
        yield f"metric: {decimal_text(result.metric)}{hint}"
    if result.violated:
        yield f"violated preferences: {list_counts(result.violated)}"


def _least(steps: int | None) -> str:
    """Return the remark that a cost is the least among plans of `steps` steps; empty for None."""
    return "" if steps is None else f", the least among plans of {amount(steps, 'step')}"


def _check_line(result: Result, how: str) -> str:
    line = _CHECKS[how] + _opinion(result.referee)
    if result.trajectory and result.trajectory.theory:
        line += f"; the values of {result.trajectory.theory} by plain arithmetic"
    return line


def _advice(result: Result, words: Inputs) -> Iterator[str]:
    """Yield lines with commands that explain an unusual outcome, or that may go further."""
    explain = ["asplan", "explain", *words.command_words]
    if result.plan is not None and not result.plan:
        yield f"to see why the goal needs no step: {shlex.join(explain)}"
    # Temporal tasks have neither explanations nor state spaces.
    if result.optimized == Objective.LAYERS or not _needs_explanation(result):
        return
    if _is_refuted(result):
        explain += ["--horizon", str(result.lower_bound - 1)]
    yield f"to see why: {shlex.join(explain)}"
    # These engines do not end if no plan exists.
    only_horizons = result.mode == Mode.INCREMENTAL and result.engine in _ONLY_HORIZONS
    if only_horizons and result.stopped in (Stop.TIME, Stop.INTERRUPT):
        yield "--engine auto also searches the states and can prove that no plan exists"


def _needs_explanation(result: Result) -> bool:
    return result.outcome is Outcome.UNSOLVABLE or _is_refuted(result)


def _is_refuted(result: Result) -> bool:
    """Return True if a stopped engine has refuted a horizon and found no plan."""
    return result.lower_bound > 0 and result.stopped is not None and result.plan is None


def _effort(result: Result) -> str:
    seconds = result.seconds
    parts = f"{seconds.total:.2f} s: grounding {seconds.ground:.2f}, solving {seconds.solve:.2f}"
    conflicts = result.statistics.conflicts
    return parts if conflicts is None else f"{parts}, {amount(conflicts, 'conflict')}"


def _opinion(referee: Opinion | None) -> str:
    if referee is None:
        return ""
    if referee.agrees is None:
        return f"; {referee.domain}'s own model does not know its actions"
    if not referee.agrees:
        return f"; {referee.domain}'s own model refuses it"
    variant = " and ".join(f"{name}={value}" for name, value in referee.variants.items())
    return f"; {referee.domain}'s own model agrees" + (f", with {variant}" if variant else "")


def print_panels(boards: Mapping[str, str], colours: Mapping[str, str]) -> None:
    """Print boards by title, in frames, side by side if the terminal is wide enough.

    `colours` maps words of the boards to colours.
    """
    panels = [_panel(title, printable(board), colours) for title, board in boards.items()]
    room = shutil.get_terminal_size().columns
    is_wide = sum(width + 1 for width, _ in panels) - 1 > room
    for row in [[panel] for panel in panels] if is_wide else [panels]:
        blanks = [" " * width for width, _ in row]
        for lines in zip_longest(*(lines for _, lines in row)):
            _print(*(line or blank for line, blank in zip(lines, blanks, strict=True)))


@dataclass(frozen=True)
class _Frame:
    """The characters of the frame around a board."""

    top_left: str
    top_right: str
    bottom_left: str
    bottom_right: str
    across: str
    down: str


_ROUND = _Frame("╭", "╮", "╰", "╯", "─", "│")
_ASCII = _Frame("+", "+", "+", "+", "-", "|")


def _panel(
    title: str,
    board: str,
    colours: Mapping[str, str],
) -> tuple[int, list[str]]:
    """Return the width and the lines of a board in a frame with a title, its words in colours."""
    has_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    frame = _ROUND if has_unicode else _ASCII
    rows = board.split("\n")
    inside = max(*map(_cells, rows), _cells(title) + 2)
    spare = inside - _cells(title)
    before = frame.across * (spare // 2)
    after = frame.across * (spare - spare // 2)
    top = f"{frame.top_left}{before} {title} {after}{frame.top_right}"
    bottom = f"{frame.bottom_left}{frame.across * (inside + 2)}{frame.bottom_right}"
    side = _styled(frame.down, "dim")
    styles = _styled_words(board, colours)
    lines = []
    for row in rows:
        shown = re.sub(r"\w+", lambda word: styles[word[0]], row)
        lines.append(f"{side} {shown}{' ' * (inside - _cells(row))} {side}")
    return inside + 4, [_styled(top, "dim"), *lines, _styled(bottom, "dim")]


def _styled_words(board: str, colours: Mapping[str, str]) -> dict[str, str]:
    """Return each word of a board with its style: its own colour, or one of the usual colours."""
    words = sorted({*re.findall(r"\w+", board)})
    others = [word for word in words if word not in colours]
    shades = {word: _COLOURS[i % len(_COLOURS)] for i, word in enumerate(others)}
    shades.update(colours)
    return {word: _styled(word, shades[word]) for word in words}


def _cells(text: str) -> int:
    """Return the width of a text on a terminal, where some characters are two columns wide."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


_BARE = ("bold", "dim", "italic", "underline", "reverse")


def _styled(text: str, style: str) -> str:
    """Return a text with the codes of a style such as `bold red`, and no other control codes."""
    words = style.split()
    colour = next((word for word in words if word not in _BARE), None)
    marks = {word: True for word in words if word in _BARE}
    return click.style(printable(text), fg=colour, **marks)


def _print(*texts: str) -> None:
    """Print texts with their styles if the output is a terminal, else without.

    The environment variables FORCE_COLOR and NO_COLOR override this.
    """
    text = " ".join(texts)
    environment = os.environ
    is_wanted = sys.stdout.isatty() or bool(environment.get("FORCE_COLOR"))
    is_plain = "NO_COLOR" in environment or environment.get("TERM") in ("dumb", "unknown")
    print(text if is_wanted and not is_plain else click.unstyle(text))
