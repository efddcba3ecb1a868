"""`asplan analyse`: the state space of an instance."""

from functools import partial
from pathlib import Path

import click
from rich.table import Table

from asplan.cli.options import (
    ENCODING,
    INSTANCE,
    Command,
    Value,
    input_option,
    limit_option,
    output_option,
    shared_options,
)
from asplan.cli.output import in_worker, note, print_json
from asplan.cli.parameters import Output, WholeNumber
from asplan.cli.results import print_panels
from asplan.cli.tables import (
    Column,
    TableForm,
    form_options,
    make_console,
    print_columns,
    print_table,
)
from asplan.core.budget import Reporter
from asplan.core.errors import UsageError
from asplan.core.text import plain_text
from asplan.domains.base import Domain
from asplan.domains.model import DomainModel
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
    type=WholeNumber(1),
    default=2_000_000,
    help="Give up if there are more states.",
)
@_drawing("--plot", help="Draw the distances into this file: .png, .svg or .pdf.")
@_drawing("--graph", help="Draw the states into this file: .html, .png, .svg or .pdf.")
@output_option("--plans", is_flag=True, help="Count the plans, and show what the shortest share.")
@output_option(
    "--within",
    type=WholeNumber(0),
    metavar="N",
    help="With --plans, also count plans up to N steps longer; by default 2.",
)
@shared_options("includes")
@form_options
@shared_options("json", "limits", "debug")
@in_worker("files")
def command(  # noqa: PLR0913  # each option is a parameter
    report: Reporter[str],
    files: tuple[str, ...],
    max_states: int,
    plot: str | None,
    graph: str | None,
    plans: bool,
    within: int | None,
    form: TableForm,
    as_json: bool,
    **given: Value,
) -> int:
    """Explore and count the reachable states.

    The distance of a state is the number of moves of a shortest plan from there. The output has the
    number of states at each distance, the hardest state, the dead ends, and the exact number of
    shortest plans.

    The domain's model has the states. Without a model, or with a named encoding, the program has
    them: step(t) leads from state to state.

    With --plans, the output has the number of plans of each length, the actions that all, some or
    none of the shortest plans have, and the order that they share; --plot draws these plans.

    A graph shows up to 10,000 states and the moves between them. Its page shows the state under the
    pointer, and a click plays a shortest plan from there.

    Examples:
      asplan analyse sample02
      asplan analyse sample02 --metric slide --plot distances.png
      asplan analyse sample02 --graph states.html
      asplan analyse sample02 --plans --plot plans.svg
    """
    from asplan.statespace.space import state_space

    if plot:
        check_plot(Path(plot))
    if graph:
        check_graph(Path(graph))
    if plans or within is not None:
        from asplan.cli.plan_summary import PlanSummaryPrinter

        _refuse_other_outputs(plans, graph, form)
        printer = PlanSummaryPrinter(Inputs(files, **given), within, max_states, plot)
        return printer.run(report, as_json)
    problem = load_space(Inputs(files, all_states=True, **given))
    domain, model = state_space(problem)
    title = ", ".join(Path(file).stem for file in files)
    if graph:
        draw_graph(problem, model, Path(graph), title, report)
        note(f"{graph} is written")
    analysis = analyse(domain, model, max_states, report)
    if plot:
        report(f"drawing {plot}")
        draw_histogram(analysis, Path(plot), title)
    if as_json:
        constants = dict(problem.constants)
        about = {"files": list(problem.files), "domain": domain.name, "constants": constants}
        print_json(about | _plain_data(model, analysis))
    elif form is TableForm.TEXT:
        _print(domain, model, analysis)
    else:
        _print_tables(domain, analysis, form, title)
    return 0


def _refuse_other_outputs(plans: bool, graph: str | None, form: TableForm) -> None:
    """Raise `UsageError` for `--within` without `--plans`, and for outputs that `--plans` lacks."""
    if not plans:
        raise UsageError("--within needs --plans: it counts longer plans, too")
    if graph is not None:
        raise UsageError(
            "--graph does not work with --plans: use --plot to draw the shortest plans"
        )
    if form is not TableForm.TEXT:
        raise UsageError(f"--plans prints text or JSON, not {form}")


def _plain_data(model: DomainModel, analysis: Analysis) -> dict[str, object]:
    """Return the analysis of a state space as data for JSON."""
    hardest = None
    if analysis.hardest is not None:
        holds = [str(fluent) for fluent in model.fluents(analysis.hardest)]
        hardest = {"distance": len(analysis.distances) - 1, "holds": holds}
    return {
        "states": analysis.states,
        "goal_states": analysis.goal_states,
        "dead_ends": analysis.dead_ends,
        "distance": analysis.distance,
        # As text: other programs may not read all of its digits.
        "shortest_plans": str(analysis.shortest_plans),
        "distances": list(analysis.distances),
        "depths": list(analysis.depths),
        "moves": analysis.moves,
        "branching": {
            "mean": analysis.branching,
            "least": analysis.least_moves,
            "most": analysis.most_moves,
        },
        "hardest": hardest,
        "is_hardest": analysis.is_hardest,
        "parts": [
            {"name": role.name, "moves": str(role.moves), "superfluous": role.is_superfluous}
            for role in analysis.roles
        ],
    }


def _print(
    domain: Domain,
    model: DomainModel,
    analysis: Analysis,
) -> None:
    """Print an analysis: its numbers, a table of distances, the domain's parts, and two states."""
    console = make_console()
    for name, value in _numbers(analysis).items():
        # A number of plans may have more digits than a line has room.
        console.print(plain_text(f"{name:<14} {value}"), soft_wrap=True)
    if analysis.distance is None:
        return
    console.print(_distances_table(analysis))
    if domain.parts and analysis.roles:
        print_columns(_part_columns(domain.parts.noun, analysis))
    boards = {
        f"start: {analysis.distance} moves": model.text(model.initial),
        f"hardest: {len(analysis.distances) - 1} moves": model.text(analysis.hardest),
    }
    print_panels(boards, domain.colours)


def _print_tables(domain: Domain, analysis: Analysis, form: TableForm, title: str) -> None:
    """Print the numbers, distances and parts as tables; as CSV only the distances."""
    if form is not TableForm.CSV:
        print_table(
            title, ["quantity", "value"], [[n, str(v)] for n, v in _numbers(analysis).items()], form
        )
    if analysis.distance is None:
        return
    rows = [[str(distance), str(count)] for distance, count in enumerate(analysis.distances)]
    print_table("states at each distance", ["distance", "states"], rows, form)
    if domain.parts and analysis.roles and form is not TableForm.CSV:
        print_columns(_part_columns(domain.parts.noun, analysis), form=form)


def _numbers(analysis: Analysis) -> dict[str, object]:
    """Return the numbers of an analysis to print, by their labels."""
    lines: dict[str, object] = {
        "states": analysis.states,
        "goal states": analysis.goal_states,
        "dead ends": analysis.dead_ends,
        "fewest moves": "no plan exists" if analysis.distance is None else analysis.distance,
    }
    if analysis.distance is not None:
        lines["hardest start"] = "yes" if analysis.is_hardest else "no"
        lines["shortest plans"] = analysis.shortest_plans
    lines["depth"] = f"{len(analysis.depths) - 1} moves lead from the start to every state"
    least = analysis.least_moves
    most = analysis.most_moves
    lines["branching"] = f"{analysis.branching:.2f} moves a state, from {least} to {most}"
    return lines


def _distances_table(analysis: Analysis) -> Table:
    """Return a table with the number of states at each distance to a goal, also as bars."""
    most = max(analysis.distances)
    table = Table("distance", "states", "", box=None, pad_edge=False)
    for column in table.columns[:2]:
        column.justify = "right"
    for distance, count in enumerate(analysis.distances):
        style = "bold green" if distance == analysis.distance else "cyan"
        bar = f"[{style}]{'█' * max(1, round(40 * count / most))}"
        table.add_row(str(distance), str(count), bar)
    return table


def _part_columns(noun: str, analysis: Analysis) -> list[Column]:
    """Return the columns of a table about the movable parts of a domain, such as cars.

    `noun` names the parts. A part is superfluous if the fewest moves are the same without it.
    """
    roles = analysis.roles
    words = {True: "yes", False: "no", None: ""}
    return [
        Column(noun, [role.name for role in roles], is_words=True),
        Column(
            "moves a shortest plan",
            [f"{role.moves / analysis.shortest_plans:.2f}" for role in roles],
        ),
        Column("superfluous", [words[role.is_superfluous] for role in roles]),
    ]
