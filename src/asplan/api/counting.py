"""The function `analyse_plans`, which counts plans and finds what the shortest ones share."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict, Unpack

from asplan.api import File, Files, inputs_of
from asplan.core.budget import Reporter
from asplan.core.errors import UsageError
from asplan.core.limits import keep_interrupts
from asplan.core.text import LARGEST
from asplan.enumeration.summary import PlanSummary, summarize_plans
from asplan.notebook.progress import progress_report
from asplan.problem import load_space


class CountSettings(TypedDict, total=False):
    """The parameters of `analyse_plans` that describe the problem, as for `solve`."""

    text: str | None
    encoding: File | None
    metric: str | None
    actions: list[str]
    constants: dict[str, object] | None
    allow_includes: bool


@keep_interrupts()
def analyse_plans(
    *files: Files,
    within: int = 2,
    max_states: int | None = None,
    plot: File | None = None,
    progress: Reporter[str] | None = None,
    **settings: Unpack[CountSettings],
) -> PlanSummary:
    """Count the plans of a problem, and find what all shortest plans share.

    All numbers are exact. The plans are paths through the states that `analyse` explores.

    Parameters
    ----------
    files
        As for `solve`.
    within
        The number of steps by which the counted plans may be longer than a shortest one.
    max_states
        The most states to explore.
    plot
        A file for a picture of all shortest plans (.svg, .png or .pdf); no file is written if there
        is no plan.
    progress
        A function to call with a description of the current work; by default a notebook shows a
        bar.
    settings
        The parameters of `CountSettings`.

    Returns
    -------
    PlanSummary
        The numbers of plans by length; the actions in all, in some and in no shortest plans; their
        order; and their braid. If there is no plan, `counts` is empty.

    Raises
    ------
    InputError
        If the program is no transition system, and there is no model in Python.
    TooManyStates
        If there are more than `max_states`.
    UsageError
        If `within` is no number from 0, or the picture cannot be written.

    Examples
    --------
    >>> import asplan
    >>> summary = asplan.analyse_plans("two_cars.lp", within=1)
    >>> summary.counts, summary.always
    ({6: 3, 7: 0}, ('move(r,right,1)', 'move(b,down,1)'))
    """
    from asplan.statespace.space import state_space  # puzzles and boards need no numpy

    unknown = settings.keys() - CountSettings.__annotations__.keys()
    if unknown:
        raise TypeError(f"analyse_plans() got an unexpected keyword argument {min(unknown)!r}")
    if type(within) is not int or not 0 <= within <= LARGEST:
        raise UsageError(f"within={within!r}: within must be a number of steps, at least 0")
    inputs = inputs_of(files, settings)
    problem = load_space(inputs)
    _, model = state_space(problem)
    with progress_report(progress, lambda doing: (doing, None)) as report:
        summary = summarize_plans(model, within, max_states, report)
        if plot is not None and summary.braid is not None:
            from asplan.enumeration.picture import draw_braid  # matplotlib takes long to import

            title = ", ".join(Path(file).stem for file in inputs.files)
            draw_braid(summary.braid, Path(plot), title, problem.write_action)
    return summary
