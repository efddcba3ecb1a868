"""`asplan profile`: the grounding effort of each rule of a program."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import click

from asplan.api.measuring import profile
from asplan.cli.options import (
    INSTANCE,
    Command,
    Value,
    option,
    shared_options,
)
from asplan.cli.output import ProgressLine, print_json, stop_status
from asplan.cli.parameters import WholeNumber
from asplan.cli.tables import (
    TableForm,
    form_options,
    make_console,
    named_columns,
    print_columns,
    print_note,
    print_table,
    print_values,
)
from asplan.measuring.profile import Profile, RuleCost, cells_of


@click.command("profile", cls=Command, section="What to measure")
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1, required=True)
@shared_options("encoding", "steps")
@option("--horizon", type=WholeNumber(0), required=True, help="Ground this many steps.")
@option("--top", type=WholeNumber(1), default=10, help="Show this many rules.")
@option(
    "--one-call",
    is_flag=True,
    help="Ground step(t) and check(t) together, as incremental clingo does.",
)
@shared_options("constants", "horizon constant", "fresh", "scripts", "includes")
@shared_options("time limit", "memory limit")
@form_options
@shared_options("json", "debug")
def command(
    files: tuple[str, ...],
    top: int,
    form: TableForm,
    as_json: bool,
    **given: Value,
) -> int:
    """Count the instantiations of each rule by step.

    The counts are about the program as its author wrote it; docs/compare.md defines them. Counts
    with ~ are approximate.

    Examples:
      asplan profile sample02 -e origin --horizon 40
      asplan profile my_encoding.lp my_instance.lp --horizon 20 --top 5
      asplan profile sample02 --horizon 40 --json > profile.json
    """

    def show(found: Profile) -> None:
        counted = sum(rule.instantiations for rule in found.rules)
        line.show(found.reason, f"{counted} instantiations")

    with ProgressLine() as line:
        found = profile(*files, progress=show, **given)
    if as_json:
        print_json(asdict(found))
    elif form is TableForm.CSV:
        print_values(_FIELDS, ([getattr(rule, name) for name in _FIELDS] for rule in found.rules))
    else:
        print_profile(found, top, form)
    return stop_status(found.stopped, bool(found.reason))


_FIELDS = (
    "file",
    "line",
    "part",
    "role",
    "instantiations",
    "different",
    "share",
    "growth",
    "rule",
)
"""The columns of comma-separated values, in which all rules are printed."""


def print_profile(profile: Profile, top: int, form: TableForm = TableForm.TEXT) -> None:
    """Print tables of the `top` most costly rules and predicates, with notes and totals."""
    rules = [rule for rule in profile.rules[:top] if rule.instantiations]
    notes = _print_rules(rules, f"rules, horizon {profile.horizon}", form)
    for number, note in enumerate(notes, 1):
        print_note(f"[{number}] {note}", form, "yellow")
    if profile.predicates:
        if form is TableForm.TEXT:
            make_console().print()
        cells = [[p.predicate, str(p.atoms), str(p.facts)] for p in profile.predicates[:top]]
        print_table("predicates", ["predicate", "atoms", "facts"], cells, form)
    for line in _totals(profile, len(rules)):
        print_note(line, form, "dim")
    if profile.reason:
        print_note(profile.reason, form, "bold red")


def _print_rules(rules: Sequence[RuleCost], title: str, form: TableForm) -> list[str]:
    """Print a table of rules, and return its footnotes, to which it refers by number."""
    names = ["instantiations", "different", "share", "growth", "by step", "place", "rule"]
    notes: list[str] = []
    rows = []
    for rule in rules:
        cells = cells_of(rule)
        for note in _notes(rule):
            if note not in notes:
                notes.append(note)
            cells[names.index("growth")] += f" [{notes.index(note) + 1}]"
        rows.append(cells)
    print_columns(named_columns(names, rows), title, key=names.index("place"), form=form)
    return notes


def _totals(profile: Profile, shown: int) -> Iterator[str]:
    """Yield lines about the rules after the first `shown` ones, and about the grounding calls."""
    rest = profile.rules[shown:]
    instantiations = sum(rule.instantiations for rule in rest)
    if instantiations:
        yield f"{len(rest)} more rules, {instantiations} instantiations together"
    how = "in one call" if profile.one_call else "in two calls"
    yield f"step(t) and check(t) grounded {how}; {profile.seconds:.2f} s, counting included"


def _notes(rule: RuleCost) -> list[str]:
    return [note for note in (rule.advice, rule.approximate) if note]
