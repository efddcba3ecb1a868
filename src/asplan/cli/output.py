"""How a command works, with a line on a terminal, and how results look there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, wraps
from importlib import import_module
from inspect import unwrap
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Self
from unicodedata import east_asian_width

import click

from asplan.core.errors import LONGEST, InputWarning, Stopped
from asplan.core.files import await_input
from asplan.core.limits import Limits, Stop
from asplan.core.plan import Plan
from asplan.core.process import Done, run_isolated
from asplan.core.text import amount, decimal_text, list_counts, plain_text, printable, shortened
from asplan.domains import find_domain
from asplan.problem import Inputs
from asplan.problem.inputs import STEPPED
from asplan.result import Opinion, Outcome, Result

if TYPE_CHECKING:
    from rich.status import Status


class Line:
    """A line on standard error that says what is being done; none where that is no terminal."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._warned: set[InputWarning] = set()
        self._status: Status | None = None
        if not sys.stderr.isatty():
            return
        from rich.status import Status

        from asplan.cli.tables import make_console

        console = make_console(stderr=True)
        if console.is_terminal:
            self._status = Status("reading", console=console)
            # The display is refreshed by hand: a thread of its own must not live across a fork.
            self._status._live.auto_refresh = False

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._status:
            self._status.stop()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._start

    def warn_of(self, warnings: Iterable[InputWarning]) -> None:
        """Print the warnings that were not printed before, above the line."""
        new = [warning for warning in warnings if warning not in self._warned]
        self._warned.update(new)
        self.say(*(f"warning: {warning}" for warning in new))

    def say(self, *texts: str) -> None:
        if texts and self._status:
            self._status.stop()
        for text in texts:
            click.echo(printable(f"asplan: {shortened(text, LONGEST)}"), err=True)
        if texts and self._status:
            self._status.start()

    def show(self, *parts: str) -> None:
        if self._status:
            seconds = f"{self.seconds:.0f} s"
            self._status.update(plain_text(" · ".join([*filter(None, parts), seconds])))
            self._status._live.refresh()


def stop_status(stopped: Stop | None, otherwise: bool = False) -> int:
    """The exit status of work that may have been stopped, or may be incomplete otherwise."""
    return 130 if stopped == Stop.INTERRUPT else int(otherwise or stopped is not None)


def bounds(result: Result) -> list[str]:
    """What is proven of every plan."""
    lines = []
    if result.lower_bound > 0:
        unit = result.optimized if result.optimized in ("actions", "layers") else "steps"
        lines.append(f"has at least {amount(result.lower_bound, unit.removesuffix('s'))}")
    if result.lower_cost > 0:
        lines.append(f"costs at least {result.lower_cost}")
    return lines


def print_json(data: Any) -> None:
    """Print plain data for other programs."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    import json

    text = json.dumps(data, indent=2, ensure_ascii=not unicode)
    click.echo(re.sub(r"[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text))


def warn(text: str) -> None:
    click.echo(printable(f"asplan: warning: {shortened(text, LONGEST)}"), err=True)


Doing = Callable[[str], None]  # says what is being done


def in_worker(*inputs: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Decorates a function that does the work of a command, in the place next to it.

    It does so in a child process, where limits and Ctrl-C hold whatever it does, and prints there
    what comes of it; only what it does (its first argument is told) and the exit status come back.
    Standard input, if it is among the files that parameters named `inputs` have, is read before.
    Raises `Stopped` where a limit is reached, and what the function raises.
    """

    def decorate(function: Callable[..., int]) -> Callable[..., int]:
        @wraps(function)
        def command(*, limits: Limits, **given: Any) -> int:
            start = time.monotonic()
            limits.check()
            named = (given[name] for name in inputs)
            files = [file for f in named for file in ([f] if isinstance(f, str) else f)]
            await_input(files, limits.seconds)
            work = partial(_work, function.__module__, function.__name__, given)
            begin = Done(0, "reading the files")
            with Line() as line:
                done = run_isolated(work, limits, lambda now: line.show(now.reason), begin, start)
            if done.stopped == Stop.INTERRUPT:
                click.echo(f"asplan: {done.reason}", err=True)
                return 130
            if done.stopped:
                raise Stopped(done.reason)
            return int(done.value)

        return command

    return decorate


def _work(module: str, name: str, given: dict[str, Any], report: Callable[[Done], None]) -> Done:
    """Find the function again, as its name means the command, which no process can hand over."""
    function = unwrap(getattr(import_module(module), name).callback)
    return Done(function(lambda doing: report(Done(0, doing)), **given))


_COLOURS = ["cyan", "yellow", "green", "magenta", "blue", "bright_cyan", "bright_yellow"]
_COLOURS += ["bright_green", "bright_magenta", "bright_blue", "white", "bright_white"]
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
_ONLY_HORIZONS = ("asp", "sat")  # the engines that try horizons, and nothing else


def print_result(
    result: Result, words: Inputs, optimal: str | None = None, states: bool = False
) -> None:
    """Print a result of `words`; with `states` what each step of the first plan changes, too."""
    variants = [f"{name}={value}" for name, value in result.constants.items()]
    heading = [result.domain, result.instance, result.encoding, result.engine, *variants]
    _print(_styled(" · ".join(filter(None, heading)), "dim"))
    for number, plan in enumerate(result.plans, 1):
        _print()
        if len(result.plans) > 1:
            _print(_styled(f"plan {number} of {len(result.plans)}", "bold"))
        shown = states and number == 1 and result.states
        text = with_states(plan, result.states) if shown else str(plan)
        values = plan.timed_values
        if number == 1 and result.trajectory and not values:
            values = tuple(result.trajectory.values)
        if values:
            text = _with_values(text, dict(values))
        _print(printable(text or "nothing to do"))
    if result.trajectory is not None:
        if boards := result.trajectory.boards:
            is_timed = result.plan is not None and bool(result.plan.times)
            titles = ("before", "at the end" if is_timed else f"after {len(result.plan or ())}")
            game = result.referee.domain if result.referee else ""
            domain = find_domain(result.domain or game)
            _print()
            colours = domain.colours if domain else {}
            print_panels(dict(zip(titles, boards, strict=True)), colours)
        # The shown atoms of a program that names no actions, a line for each time.
        for time_, atoms in result.trajectory.timed if result.plan is None else ():
            when = "always" if time_ is None else f"{time_}."
            _print(_styled(f"{when:>6} ", "dim") + printable("  ".join(atoms)))
    _print()
    at_once = result.plan is not None and not result.plan  # most instances need some steps
    outcome, style = str(result.outcome), "bold yellow" if at_once else _OUTCOMES[result.outcome]
    if result.is_doubtful:
        outcome, style = f"{result.verdict} above", "bold yellow"
    _print(_styled(outcome, style), printable(f"({result.reason})"))
    if result.no_actions:
        _print(printable(f"no actions are listed: {result.no_actions}"))
    for text in _footnotes(result, words, optimal):
        _print(_styled(text, "dim"))


def with_states(plan: Plan, states: Sequence[tuple[str, ...]]) -> str:
    """The plan with the first state before it, and below each step what that changes."""
    first, *lines = str(plan).splitlines() if len(plan) else ["1."]
    indent = " " * (first.index(".") + 2)
    found = [f"{'0.':>{len(indent) - 1}} {'  '.join(states[0])}"]
    for line, old, new in zip([first, *lines], states, states[1:], strict=False):
        found += [line, indent + _change(old, new)]
    return "\n".join(found)


def _change(old: Sequence[str], new: Sequence[str]) -> str:
    """Return the change between two states in words: `-on(a)` may be a fluent itself."""
    gone = ", ".join(fluent for fluent in old if fluent not in new)
    come = ", ".join(fluent for fluent in new if fluent not in old)
    parts = [f"no longer {gone}" if gone else "", f"now {come}" if come else ""]
    return "; ".join(filter(None, parts)) or "nothing changes"


def _with_values(text: str, values: Mapping[int | None, Sequence[str]]) -> str:
    """The lines of a plan with values of a theory in comments, so that it can be read back."""
    found, left = [], {time: f"% {'  '.join(known)}" for time, known in values.items()}
    for line in text.splitlines():
        step = re.match(r" *(\d+)\. ", line)
        known = left.pop(int(step[1]), "") if step else ""
        found.append(f"{line}  {known}" if known else line)
    start = [f"{left[0]} at the start"] if 0 in left else []
    rest = [f"{left[None]} without time"] if None in left else []
    return "\n".join([*start, *found, *rest])


def _footnotes(result: Result, words: Inputs, optimal: str | None) -> list[str]:
    lines = [result.way] if result.way else []
    if result.statistics.configuration:
        lines.append(f"clasp's configuration: {result.statistics.configuration}")
    if result.outcome in (Outcome.UNKNOWN, Outcome.PLAN):
        lines += [f"every plan {bound}" for bound in bounds(result)]
    if result.cost:
        is_open = optimal is None and result.optimized != "cost"
        tasks_own = result.domain == STEPPED and is_open and any(result.cost)
        hint = "; --optimal cost finds the least" if tasks_own else ""
        least = ""
        if result.least_among is not None:
            least = f", the least among plans of {amount(result.least_among, 'step')}"
        lines.append(f"cost: {' '.join(map(str, result.cost))}{least}{hint}")
    if result.metric is not None:
        of_preferences = result.domain == STEPPED and optimal is None and result.violated
        hint = "; --optimal metric finds the best" if of_preferences else ""
        lines.append(f"metric: {decimal_text(result.metric)}{hint}")
    if result.violated:
        lines.append(f"violated preferences: {list_counts(result.violated)}")
    if result.beside:
        atoms = shortened(", ".join(result.beside), 200)
        lines.append(f"the answer also has {atoms}, outside of the steps of the plan")
    if result.validated:
        lines.append(_CHECKS[result.validated] + _opinion(result.referee))
        if result.trajectory and (theory := result.trajectory.theory):
            lines[-1] += f"; the values of {theory} by plain arithmetic"
    refuted = result.lower_bound - 1
    is_refuted = refuted >= 0 and result.stopped is not None and result.plan is None
    explain = ["asplan", "explain", *words.command_words]
    if result.plan is not None and not result.plan:
        lines.append(f"why the goal needs no step: {shlex.join(explain)}")
    # Of tasks with time neither is known, what stands in the way nor what states there are.
    if (is_refuted or result.outcome is Outcome.UNSOLVABLE) and result.optimized != "layers":
        explain += ["--horizon", str(refuted)] if is_refuted else []
        lines.append(f"what stands in the way: {shlex.join(explain)}")
        # Such engines would not end where there is no plan.
        on_time = result.stopped in (Stop.TIME, Stop.INTERRUPT)
        if on_time and result.mode == "incremental" and result.engine in _ONLY_HORIZONS:
            lines.append("--engine auto also searches the states, and may see that no plan exists")
    seconds = result.seconds
    parts = f"{seconds.total:.2f} s: grounding {seconds.ground:.2f}, solving {seconds.solve:.2f}"
    conflicts = result.statistics.conflicts
    lines.append(parts if conflicts is None else f"{parts}, {amount(conflicts, 'conflict')}")
    return lines


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
    """Print boards side by side where there is room, each in a frame below its title."""
    panels = [_panel(title, printable(board), colours) for title, board in boards.items()]
    room = shutil.get_terminal_size().columns
    is_wide = sum(width + 1 for width, _ in panels) - 1 > room
    for row in [[panel] for panel in panels] if is_wide else [panels]:
        blanks = [" " * width for width, _ in row]
        for lines in zip_longest(*(lines for _, lines in row)):
            _print(*(line or blank for line, blank in zip(lines, blanks, strict=True)))


def _panel(title: str, board: str, colours: Mapping[str, str]) -> tuple[int, list[str]]:
    rows = board.split("\n")
    inside = max(*map(_cells, rows), _cells(title) + 2)
    left, right, down = "╭╮", "╰╯", "│"
    across = "─"
    if not (sys.stdout.encoding or "").lower().startswith("utf"):
        left, right, down, across = "++", "++", "|", "-"
    spare = inside - _cells(title)
    top = f"{across * (spare // 2)} {title} {across * (spare - spare // 2)}"
    # Each name on the board has a colour of its own; some have one that is given.
    words = sorted({*re.findall(r"\w+", board)})
    others = enumerate(word for word in words if word not in colours)
    shades = {word: _COLOURS[i % len(_COLOURS)] for i, word in others} | dict(colours)
    side, styles = _styled(down, "dim"), {word: _styled(word, shades[word]) for word in words}
    lines = []
    for row in rows:
        shown = re.sub(r"\w+", lambda word: styles[word[0]], row)
        lines.append(f"{side} {shown}{' ' * (inside - _cells(row))} {side}")
    edges = (left, top), (right, across * (inside + 2))
    first, last = (_styled(f"{ends[0]}{edge}{ends[1]}", "dim") for ends, edge in edges)
    return inside + 4, [first, *lines, last]


def _cells(text: str) -> int:
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


_BARE = ("bold", "dim", "italic", "underline", "reverse")


def _styled(text: str, style: str) -> str:
    """A text from anywhere in a style, such as `bold red`; nothing in it steers the terminal."""
    words = style.split()
    colour = next((word for word in words if word not in _BARE), None)
    marks = {word: True for word in words if word in _BARE}
    return click.style(printable(text), fg=colour, **marks)


def _print(*texts: str) -> None:
    """Print styled texts; without styles where that is no terminal, or colours are not wanted."""
    environment, text = os.environ, " ".join(texts)
    wanted = sys.stdout.isatty() or environment.get("FORCE_COLOR")
    if not wanted or "NO_COLOR" in environment or environment.get("TERM") in ("dumb", "unknown"):
        text = click.unstyle(text)
    print(text)
