"""How results look in a terminal."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from asplan.cli.tables import make_console
from asplan.cli.work import bounds
from asplan.core.limits import Stop
from asplan.core.plan import Plan
from asplan.core.text import plain, printable
from asplan.domains import domains
from asplan.problem import Inputs
from asplan.problem.problem import STEPPED
from asplan.result import Opinion, Outcome, Result

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
_ONLY_HORIZONS = ("asp", "sat")
"""The engines that try horizons, and nothing else."""


def print_result(
    result: Result, words: Inputs, optimal: str | None = None, states: bool = False
) -> None:
    """Print a result for people, who named `words`; `optimal` is what they asked to be least.

    With `states`, what changes is written below each step of the first plan.
    """
    console = make_console()
    variants = [f"{name}={value}" for name, value in result.constants.items()]
    heading = [result.domain, result.instance, result.encoding, result.engine, *variants]
    console.print(plain(" · ".join(filter(None, heading)), style="dim"), soft_wrap=True)
    for number, plan in enumerate(result.plans, 1):
        console.print()
        if len(result.plans) > 1:
            console.print(Text(f"plan {number} of {len(result.plans)}", style="bold"))
        shown = states and number == 1 and result.states
        text = _with_states(plan, result.states) if shown else str(plan)
        if number == 1 and result.trajectory and result.trajectory.values:
            text = _with_values(text, dict(result.trajectory.values))
        steps = plain(text or "nothing to do")
        console.print(steps, soft_wrap=not console.is_terminal)
    if result.trajectory is not None:
        _print_boards(console, result, result.trajectory.boards)
        # The shown atoms of a program that names no actions, a line for each time.
        for time_, atoms in result.trajectory.timed if result.plan is None else ():
            when = "always" if time_ is None else f"{time_}."
            line = Text(f"{when:>6} ", style="dim") + plain("  ".join(atoms))
            console.print(line, soft_wrap=not console.is_terminal)
    console.print()
    at_once = result.plan is not None and not result.plan  # most instances need some steps
    outcome = Text(str(result.outcome), "bold yellow" if at_once else _OUTCOMES[result.outcome])
    if result.is_doubtful:
        outcome = Text(f"{result.verdict} above", style="bold yellow")
    console.print(outcome, plain(f"({result.reason})"), soft_wrap=True)
    for text in _footnotes(result, words, optimal):
        console.print(Text(text, style="dim"), soft_wrap=True)


def _with_states(plan: Plan, states: Sequence[tuple[str, ...]]) -> str:
    """The plan with the first state before it, and below each step what that changes."""
    first, *lines = str(plan).splitlines() if len(plan) else ["1."]
    indent = " " * (first.index(".") + 2)
    found = [f"{'0.':>{len(indent) - 1}} {'  '.join(states[0])}"]
    for line, old, new in zip([first, *lines], states, states[1:], strict=False):
        gone = [f"-{fluent}" for fluent in old if fluent not in new]
        come = [f"+{fluent}" for fluent in new if fluent not in old]
        found += [line, f"{indent}{'  '.join([*gone, *come]) or 'nothing changes'}"]
    return "\n".join(found)


def _with_values(text: str, values: Mapping[int | None, Sequence[str]]) -> str:
    """The lines of a plan with the values of a theory's variables behind each step.

    They stand in comments, so that the plan can be read back.
    """
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
        tasks_own = result.domain == STEPPED and optimal is None and any(result.cost)
        hint = "; --optimal cost finds the least" if tasks_own else ""
        lines.append(f"cost: {' '.join(map(str, result.cost))}{hint}")
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
    lines.append(parts if conflicts is None else f"{parts}, {conflicts} conflicts")
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


def _print_boards(console: Console, result: Result, boards: tuple[str, ...]) -> None:
    if not boards:
        return
    is_timed = result.plan is not None and bool(result.plan.times)
    titles = ("before", "at the end" if is_timed else f"after {len(result.plan or ())}")
    game = result.referee.domain if result.referee else ""
    domain = domains().get(result.domain or game)
    console.print()
    console.print(panels(dict(zip(titles, boards, strict=True)), domain.colours if domain else {}))


def panels(boards: Mapping[str, str], colours: Mapping[str, str]) -> Columns:
    """Boards side by side, each below its title."""
    return Columns(
        Panel(_coloured(board, colours), title=title, expand=False, border_style="dim")
        for title, board in boards.items()
    )


def _coloured(board: str, own: Mapping[str, str]) -> Text:
    """A board with one colour a name; some names have their own."""
    board = printable(board)
    names = sorted({word for word in re.findall(r"\w+", board) if word not in own})
    styles = {name: _COLOURS[i % len(_COLOURS)] for i, name in enumerate(names)} | dict(own)
    text = Text(board)
    for match in re.finditer(r"\w+", board):
        text.stylize(styles[match[0]], match.start(), match.end())
    return text
