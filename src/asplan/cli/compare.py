"""`asplan compare`: the cost of encodings on the same instances."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path, PurePath

import click

from asplan.api.measuring import compare, compare_rules
from asplan.cli.options import (
    ENCODING,
    INSTANCE,
    Command,
    Value,
    input_option,
    megabytes_option,
    option,
    output_option,
    seconds_option,
    shared_options,
)
from asplan.cli.output import ProgressLine, note, print_json
from asplan.cli.parameters import Output, WholeNumber
from asplan.cli.tables import (
    Column,
    TableForm,
    form_options,
    print_columns,
    print_note,
    print_table,
    print_values,
)
from asplan.core.dataclass import dataclass
from asplan.core.errors import LONGEST, UsageError
from asplan.core.files import atomic_file, check_writable, is_there
from asplan.core.limits import Stop
from asplan.core.text import shortened
from asplan.measuring.cases import COMPLETE
from asplan.measuring.comparison import (
    COSTS,
    EFFORTS,
    SIZES,
    SOLVING,
    Row,
    column_names,
    geometric_ratios,
)
from asplan.measuring.growth import sparkline
from asplan.measuring.matching import RuleComparison, RuleMatch, check_two, summarize
from asplan.measuring.profile import Profile, RuleCost


@click.command("compare", cls=Command, section="What to measure")
@click.argument("instances", metavar="INSTANCE...", type=INSTANCE, nargs=-1, required=True)
@input_option(
    *("-e", "--encoding", "encodings"),
    type=ENCODING,
    multiple=True,
    help="Measure this encoding, or NAME:CONST=VALUE; by default all of the domain.",
)
@option("--horizon", type=WholeNumber(0), required=True, help="Ground this many steps.")
@option("--rules", is_flag=True, help="Say which rules make one of two encodings larger.")
@option("--solve", is_flag=True, help="Solve as well, with at most this many steps.")
@shared_options("constants", "horizon constant", "fresh", "scripts", "includes")
@seconds_option(help="Stop the work on a row after this many seconds.")
@megabytes_option(help="Stop it when it uses this many megabytes.")
@output_option("--plot", type=Output(), metavar="F.png", help="Draw size and time into this file.")
@form_options
@shared_options("json", "debug")
def command(
    instances: tuple[str, ...],
    plot: str | None,
    rules: bool,
    form: TableForm,
    as_json: bool,
    **given: Value,
) -> int:
    """Measure the size of encodings, and their time and memory.

    Lines, words and bytes are those of the output of clingo --text, with base, all steps and all
    checks up to the horizon grounded in one call.

    Examples:
      asplan compare sample02 --horizon 40         all encodings of the domain
      asplan compare sample01 sample02 -e origin -e my.lp --horizon 40 --solve
      asplan compare sample02 -e origin -e block_tuple --horizon 40 --rules
      asplan compare one.lp other.lp --horizon 20 --rules       complete programs
      asplan compare domain.pddl problem.pddl -e exists -e forall --horizon 10
      asplan compare sample02 --horizon 40 --plot sizes.png
    """
    if rules:
        check_two(given["encodings"] or _programs(instances))
    _check_plot(plot)

    def show(row: Row) -> None:
        line.show(row.instance, row.encoding, row.reason)

    with ProgressLine() as line:
        rows = compare(*instances, progress=show, **given)
        status = _status(rows)
        matches = _compare_rules(instances, given, line) if rules and not status else ()
    if status == 2:
        _print_errors(rows)
        return status
    found = _Comparison(rows, matches, given["solve"], rules)
    if rules and status:
        _print_errors([row for row in rows if row.reason and form is TableForm.CSV])
        note("the rules are not compared, because a measurement failed")
    if as_json:
        found.print_as_json()
    elif form is TableForm.CSV:
        found.print_as_csv()
    else:
        found.print_tables(form)
    if plot is not None:
        _write_plot(rows, matches, Path(plot))
    return status or int(any(match.reason for match in matches))


@dataclass(frozen=True)
class _Comparison:
    """The rows and matched rules to print; `has_rules` means that `--rules` was passed."""

    rows: Sequence[Row]
    matches: Sequence[RuleComparison]
    solve: bool
    has_rules: bool

    def print_as_json(self) -> None:
        names = column_names(self.solve)
        cells = [{name: asdict(row)[name] for name in names} for row in self.rows]
        data: dict[str, object] = {"rows": cells}
        if self.has_rules:
            data["rules"] = [asdict(match) for match in self.matches]
        print_json(data)

    def print_as_csv(self) -> None:
        """Print the measurements as comma-separated values; with `has_rules` the matched rules."""
        if self.has_rules:
            _print_rule_values(self.matches)
            return
        names = column_names(self.solve)
        print_values(names, ([getattr(row, name) for name in names] for row in self.rows))

    def print_tables(self, form: TableForm) -> None:
        print_comparison(self.rows, self.solve, form)
        for match in self.matches:
            print_rules(match, form, self._opposite_lines(match))

    def _opposite_lines(self, match: RuleComparison) -> str:
        """Return a remark if the encoding with fewer instantiations has more numeric lines."""
        lines = [
            next(
                row.numeric_lines or 0
                for row in self.rows
                if (row.instance, row.encoding) == (match.instance, encoding)
            )
            for encoding in match.encodings
        ]
        sizes = match.sizes
        if (lines[0] - lines[1]) * (sizes[0] - sizes[1]) >= 0:
            return ""
        smaller, larger = ("A", "B") if sizes[0] < sizes[1] else ("B", "A")
        return (
            f"In the numeric format {smaller} has more lines ({max(lines)}, {larger} has "
            f"{min(lines)}): one instantiation of a choice or an aggregate may become several."
        )


def _programs(words: Sequence[str]) -> Sequence[str]:
    """Return the words if all of them name files, which may be complete programs."""
    return words if all(map(is_there, words)) else ()


def _check_plot(plot: str | None) -> None:
    if plot is not None:
        if Path(plot).suffix.lower() != ".png":
            raise UsageError(f"{plot}: the name must end with .png")
        check_writable(Path(plot))


def _compare_rules(
    instances: tuple[str, ...], given: dict[str, Value], line: ProgressLine
) -> tuple[RuleComparison, ...]:
    """Compare the rules of the two encodings on each instance."""

    def show(found: Profile) -> None:
        line.show("counting instantiations", found.reason)

    options = {name: value for name, value in given.items() if name != "solve"}
    return compare_rules(*instances, progress=show, **options)


def _print_rule_values(matches: Sequence[RuleComparison]) -> None:
    """Print a line of comma-separated values for each rule of both encodings."""
    heads = ["instance", "encoding", "head", "role", "place", "different", "instantiations", "rule"]
    lines = []
    for match in matches:
        for row in match.rules:
            for encoding, rule in rules_of(match, row):
                about = [match.instance, encoding, row.head, row.role, place_of(rule)]
                lines.append([*about, rule.different, rule.instantiations, rule.rule])
    print_values(heads, lines)


def _status(rows: Sequence[Row]) -> int:
    """Return the exit status: 130 if interrupted, 2 if all rows have bad input, 1 if some fail."""
    if any(row.stopped == Stop.INTERRUPT for row in rows):
        return 130
    if all(row.reason and row.stopped is None for row in rows):
        return 2
    return int(any(row.reason for row in rows))


def _print_errors(rows: Sequence[Row]) -> None:
    for row in rows:
        note(f"{shortened(_name_of(row), 100)}: {shortened(row.reason, LONGEST - 110)}")


def _name_of(row: Row) -> str:
    """Return the encoding and the instance of a row: "origin on sample02".

    Complete programs have no instance; their name is enough.
    """
    instance = "" if row.instance == COMPLETE else row.instance
    return " on ".join(filter(None, [row.encoding, instance]))


def _write_plot(rows: Sequence[Row], matches: Sequence[RuleComparison], plot: Path) -> None:
    if all(row.lines is None for row in rows):
        note(f"nothing was measured, so {plot} is not written")
        return
    from asplan.measuring.chart import comparison_chart

    with atomic_file(plot) as file:
        comparison_chart(rows, matches).savefig(file, format="png", dpi=120)


def print_comparison(rows: Sequence[Row], solve: bool, form: TableForm = TableForm.TEXT) -> None:
    """Print a table for each instance, the mean ratios of encodings, and remarks on single rows.

    If `solve` is set, the tables also have the measures of solving.
    """
    is_mixed = any(row.form not in ("", "in parts") for row in rows)
    names = [*(["form"] if is_mixed else []), *SIZES, *COSTS, *(SOLVING if solve else ())]
    instances = list(dict.fromkeys(row.instance for row in rows))
    for instance in instances:
        own = [row for row in rows if row.instance == instance]
        print_columns(
            _measure_columns(own, names), f"{instance}, horizon {own[0].horizon}", form=form
        )
    if len(instances) > 1:
        _print_ratios(rows, [*SIZES, *COSTS, *(EFFORTS if solve else ())], form)
    for row in rows:
        if row.remark:
            print_note(f"{_name_of(row)}: {row.remark}", form, "dim")
        if row.reason:
            print_note(f"{_name_of(row)}: {row.reason}", form, "red")


def _measure_columns(rows: Sequence[Row], names: Sequence[str]) -> list[Column]:
    """Return the measures of an instance: a column for each encoding, with ratios to the first.

    `names` are the names of the measures, which are fields of a row.
    """
    ratios = geometric_ratios(rows)
    columns = [Column("", list(map(_label, names)), is_words=True)]
    for row in rows:
        own = ratios.get(row.encoding, {})
        cells = [_cell(getattr(row, name)) for name in names]
        columns.append(Column(row.encoding, cells))
        if own:
            columns.append(Column("ratio", [_ratio(own.get(name)) for name in names]))
    return columns


def _label(name: str) -> str:
    return name.replace("_", " ").replace(" mb", " MB")


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _print_ratios(rows: Sequence[Row], measures: Sequence[str], form: TableForm) -> None:
    """Print a table of the mean ratios of each encoding's measures to the first encoding's."""
    columns = [Column("", list(map(_label, measures)), is_words=True)]
    for encoding, ratios in geometric_ratios(rows).items():
        if ratios:
            columns.append(Column(encoding, [_ratio(ratios.get(name)) for name in measures]))
    if len(columns) > 1:
        print_columns(columns, f"ratio to {rows[0].encoding}, geometric mean", form=form)


def _cell(value: Value) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


_SHOWN = 10  # most rows of the tables about rules and predicates
_SHOWN_RULES = 3  # most rules of a row and an encoding whose texts are shown
_BARS = 8  # characters of a chart of growth


def print_rules(match: RuleComparison, form: TableForm, remark: str = "") -> None:
    """Print which rules and predicates make one of two encodings larger, and their texts.

    `remark` follows the summary.
    """
    first, second = match.encodings
    print_note(
        f"{match.instance}, horizon {match.horizon}: A = {first}, B = {second}", form, "bold"
    )
    print_note(summarize(match), form)
    if remark:
        print_note(remark, form)
    rows = [row for row in match.rules if row.difference][:_SHOWN]
    if rows:
        print_columns(_rule_columns(match, rows), "instantiations by head and role", form=form)
        _print_texts(match, rows, form)
    predicates = [row for row in match.predicates if row.difference][:_SHOWN]
    if predicates:
        cells = []
        for row in predicates:
            counts = [str(row.first), str(row.second), f"{row.difference:+}"]
            cells.append([row.predicate, *counts])
        print_table("atoms", ["predicate", "A", "B", "B - A"], cells, form)
    if match.reason:
        print_note(match.reason, form, "bold red")


def _rule_columns(match: RuleComparison, rows: Sequence[RuleMatch]) -> list[Column]:
    """Return the columns of a table with a row for each head and role, and a row for all rules.

    The columns are the sizes of both encodings, their difference, and their growth by step.
    """
    sizes = [row.sizes for row in rows]
    bars = [_bars_of(row.steps) for row in rows]
    total = _bars_of(match.steps)
    whole = match.sizes
    return [
        Column(
            "head", [*(row.head or ":-" for row in rows), "all rules"], folds=True, narrowest=16
        ),
        Column("role", [*(row.role for row in rows), ""], is_words=True),
        Column("A", [str(size) for size, _ in [*sizes, whole]]),
        Column("B", [str(size) for _, size in [*sizes, whole]]),
        Column("B - A", [*(f"{row.difference:+}" for row in rows), f"{whole[1] - whole[0]:+}"]),
        Column("growth A", [bar for bar, _ in [*bars, total]], is_words=True, is_chart=True),
        Column("growth B", [bar for _, bar in [*bars, total]], is_words=True, is_chart=True),
    ]


def _bars_of(steps: tuple[Sequence[int], Sequence[int]]) -> tuple[str, str]:
    """Return both encodings' costs by step as bars of one scale; empty if no step has costs."""
    largest = max(chain(*steps), default=0)
    first, second = (sparkline(costs, _BARS, largest) if any(costs) else "" for costs in steps)
    return first, second


def _print_texts(match: RuleComparison, rows: Sequence[RuleMatch], form: TableForm) -> None:
    """Print the most expensive rules of each row with their places: as lines, or as a table."""
    lines = []
    for row in rows:
        if form is TableForm.TEXT:
            print_note(f"{row.name}: {row.difference:+}", form, "bold")
        for letter, rule in _shown_rules(row):
            if form is TableForm.TEXT:
                print_note(f"  {letter}  {place_of(rule)}  {rule.different}", form, "dim")
                print_note(f"     {rule.rule}", form)
            lines.append([letter, place_of(rule), str(rule.different), rule.rule])
    if form is not TableForm.TEXT:
        print_table(
            "the rules of these rows", ["encoding", "place", "different", "rule"], lines, form
        )


def _shown_rules(row: RuleMatch) -> Iterator[tuple[str, RuleCost]]:
    """Yield the most expensive rules of a row, each with the letter of its encoding, A or B."""
    for letter, rules in zip("AB", (row.first, row.second), strict=True):
        for rule in rules[:_SHOWN_RULES]:
            if rule.different:
                yield letter, rule


def rules_of(match: RuleComparison, row: RuleMatch) -> Iterator[tuple[str, RuleCost]]:
    """Yield the rules of a row, each with the name of its encoding."""
    for encoding, rules in zip(match.encodings, (row.first, row.second), strict=True):
        for rule in rules:
            yield encoding, rule


def place_of(rule: RuleCost) -> str:
    """Return the file and the line of a rule."""
    return f"{PurePath(rule.file).name}:{rule.line}"
