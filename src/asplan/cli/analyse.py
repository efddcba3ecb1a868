"""`asplan analyse`: the whole state space of an instance."""

from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from asplan.cli.options import (
    ENCODING,
    INSTANCE,
    Command,
    Output,
    input_option,
    limit_option,
    output_option,
    shared_options,
)
from asplan.cli.output import Doing, in_worker, print_json, print_panels
from asplan.cli.tables import Column, make_console, print_columns
from asplan.core.text import plain_text
from asplan.domains.base import Domain
from asplan.domains.model import Model
from asplan.drawing.graph import check_graph, draw_graph
from asplan.problem import Inputs, load_space
from asplan.statespace.analysis import Analysis, analyse, check_plot, draw_histogram

_drawing = partial(output_option, type=Output(dir_okay=False), metavar="FILE")


@click.command("analyse", cls=Command)
@click.argument("files", metavar="INSTANCE...", type=INSTANCE, nargs=-1, required=True)
@input_option("-e", "--encoding", type=ENCODING, help="Explore the states of this encoding.")
@shared_options("constants", "actions")
@limit_option(
    "--max-states",
    type=click.IntRange(1),
    default=2_000_000,
    help="Give up if there are more states.",
)
@_drawing("--plot", help="Draw the distances into this file: .png, .svg or .pdf.")
@_drawing("--graph", help="Draw the states into this file: .html, .png, .svg or .pdf.")
@shared_options("includes", "json", "limits", "debug")
@in_worker("files")
def command(
    doing: Doing,
    files: tuple[str, ...],
    max_states: int,
    plot: str | None,
    graph: str | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Explore all states that can be reached, and count them.

    The distance of a state is the fewest moves from there to a goal. Shown are how many states
    have each distance, the hardest one, dead ends, and the exact number of shortest plans.

    The states are those of the domain's model. Where there is none, or an encoding is named, they
    are those of the program: what step(t) leads to.

    A graph shows up to 10,000 states and the moves between them. In the page a state shows itself
    under the pointer, and a click plays a shortest plan from there.

    Examples:
      asplan analyse sample02
      asplan analyse sample02 --metric slide --plot distances.png
      asplan analyse sample02 --graph states.html
    """
    from asplan.statespace.space import state_space

    if plot:
        check_plot(Path(plot))
    if graph:
        check_graph(Path(graph))
    problem = load_space(Inputs(files, all_states=True, **given))
    domain, model = state_space(problem)
    title = ", ".join(Path(file).stem for file in files)
    if graph:
        draw_graph(problem, model, Path(graph), title, doing)
    analysis = analyse(domain, model, max_states, doing)
    if plot:
        doing(f"drawing {plot}")
        draw_histogram(analysis, Path(plot), title)
    if as_json:
        constants = dict(problem.constants)
        about = {"files": list(problem.files), "domain": domain.name, "constants": constants}
        print_json(about | _plain(model, analysis))
    else:
        _print(domain, model, analysis)
    return 0


def _plain(model: Model[Any, Any], analysis: Analysis) -> dict[str, Any]:
    deepest, hardest = len(analysis.distances) - 1, None
    if analysis.hardest is not None:
        holds = [str(fluent) for fluent in model.fluents(analysis.hardest)]
        hardest = {"distance": deepest, "holds": holds}
    same = ("states", "goal_states", "dead_ends", "distance")
    branching = analysis.branching, analysis.least_moves, analysis.most_moves
    return {
        **{name: getattr(analysis, name) for name in same},
        # As text: it can have more digits than other programs read exactly.
        "shortest_plans": str(analysis.shortest_plans),
        "distances": list(analysis.distances),
        "depths": list(analysis.depths),
        "moves": analysis.moves,
        "branching": dict(zip(("mean", "least", "most"), branching, strict=True)),
        "hardest": hardest,
        "is_hardest": analysis.is_hardest,
        "parts": [
            {"name": role.name, "moves": str(role.moves), "superfluous": role.is_superfluous}
            for role in analysis.roles
        ],
    }


def _print(domain: Domain, model: Model[Any, Any], analysis: Analysis) -> None:
    console = make_console()
    lines = {
        "states": analysis.states,
        "goal states": analysis.goal_states,
        "dead ends": analysis.dead_ends,
        "fewest moves": "no plan exists" if analysis.distance is None else analysis.distance,
    }
    if analysis.distance is not None:
        lines["hardest start"] = "yes" if analysis.is_hardest else "no"
        lines["shortest plans"] = analysis.shortest_plans
    lines["depth"] = f"{len(analysis.depths) - 1} moves lead from the start to every state"
    least, most = analysis.least_moves, analysis.most_moves
    lines["branching"] = f"{analysis.branching:.2f} moves a state, from {least} to {most}"
    for name, value in lines.items():
        # A number of plans may have more digits than a line has room.
        console.print(plain_text(f"{name:<14} {value}"), soft_wrap=True)
    if analysis.distance is None:
        return
    widest = max(analysis.distances)
    table = Table("distance", "states", "", box=None, pad_edge=False)
    for column in table.columns[:2]:
        column.justify = "right"
    for away, count in enumerate(analysis.distances):
        style = "bold green" if away == analysis.distance else "cyan"
        bar = f"[{style}]{'█' * max(1, round(40 * count / widest))}"
        table.add_row(str(away), str(count), bar)
    console.print(table)
    if domain.parts and analysis.roles:
        roles, words = analysis.roles, {True: "yes", False: "no", None: ""}
        means = [f"{role.moves / analysis.shortest_plans:.2f}" for role in roles]
        superfluous = [words[role.is_superfluous] for role in roles]
        names = Column(domain.parts.noun, [role.name for role in roles], is_words=True)
        counts = Column("moves a shortest plan", means), Column("superfluous", superfluous)
        print_columns([names, *counts])
    boards = {
        f"start: {analysis.distance} moves": model.text(model.initial),
        f"hardest: {len(analysis.distances) - 1} moves": model.text(analysis.hardest),
    }
    print_panels(boards, domain.colours)
