"""The output of `asplan analyse --plans`: the numbers of plans and what the shortest ones share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import click

from asplan.cli.output import note, print_json
from asplan.core.budget import Reporter
from asplan.core.dataclass import dataclass
from asplan.core.text import amount, plain_text
from asplan.enumeration.summary import PlanSummary, summarize_plans
from asplan.problem import Inputs, load_space

_MOST_NAMED = 50  # actions in a line
_LONGER = 2  # steps by which the plans that are counted are longer by default


@dataclass(frozen=True)
class PlanSummaryPrinter:
    """The printer of a summary of plans, with the files, the bounds, and the file for a picture."""

    inputs: Inputs
    within: int | None
    max_states: int
    plot: str | None

    def run(self, report: Reporter[str], as_json: bool) -> int:
        """Count the plans, draw and print them; return the exit status: 3 if there is no plan."""
        from asplan.statespace.space import state_space

        problem = load_space(self.inputs)
        domain, model = state_space(problem)
        within = _LONGER if self.within is None else self.within
        summary = summarize_plans(model, within, self.max_states, report)
        title = ", ".join(Path(file).stem for file in self.inputs.files)
        if self.plot and summary.braid is not None:
            from asplan.enumeration.picture import draw_braid

            report(f"drawing {self.plot}")
            draw_braid(summary.braid, Path(self.plot), title, problem.write_action)
        elif self.plot:
            note(f"there is no plan, so {self.plot} is not written")
        if as_json:
            about = {"files": list(problem.files), "domain": domain.name}
            print_json(about | _plain_data(summary))
        else:
            for line in _lines(summary, problem.write_action):
                click.echo(plain_text(line))
        return 0 if summary.counts else 3


def _plain_data(summary: PlanSummary) -> dict[str, object]:
    """Return a summary as data for JSON; numbers of plans are text, as they may be large."""
    return {
        "states": summary.states,
        "plans": {str(length): str(number) for length, number in summary.counts.items()},
        "always": summary.always,
        "sometimes": summary.sometimes,
        "never": summary.never,
        "order": summary.order,
        "waits": summary.waits,
    }


def _name(actions: Sequence[str], write: Callable[[str], str]) -> str:
    """Return the number of actions, and the names of the first ones, as text."""
    if not actions:
        return "0 actions"
    names = ", ".join(map(write, actions[:_MOST_NAMED]))
    rest = f", … ({len(actions) - _MOST_NAMED} more)" if len(actions) > _MOST_NAMED else ""
    return f"{amount(len(actions), 'action')}: {names}{rest}"


def _lines(
    summary: PlanSummary,
    write: Callable[[str], str],
) -> Iterable[str]:
    """Yield the lines of a summary."""
    if not summary.counts:
        yield f"no plan exists: none of {amount(summary.states, 'state')} is a goal"
        return
    yield "plans by length"
    width = len(str(max(summary.counts)))
    for length, number in summary.counts.items():
        yield f"  {length:{width}} steps  {number}"
    if summary.waits:
        yield "  plans that wait at other times are counted apart"
    for title, actions in (
        ("in all shortest plans", summary.always),
        ("in some shortest plans", summary.sometimes),
        ("in no shortest plan", summary.never),
    ):
        yield f"{title}: {_name(actions, write)}"
    if summary.order:
        yield "always in this order, each when it is first done:"
        for first, second in summary.order:
            yield f"  {write(first)} before {write(second)}"
