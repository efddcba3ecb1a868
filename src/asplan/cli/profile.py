"""`asplan profile`: what each rule of a program costs to ground."""

from dataclasses import asdict
from typing import Any

import click

from asplan.api.measuring import profile
from asplan.cli.options import (
    INSTANCE,
    Command,
    option,
    shared_options,
)
from asplan.cli.output import Line, print_json, stop_status
from asplan.cli.tables import make_console, named_columns, print_columns, print_table
from asplan.core.text import plain_text
from asplan.measuring.profile import Profile, RuleCost, cells_of


@click.command("profile", cls=Command, section="What to measure")
@click.argument("files", metavar="FILE...", type=INSTANCE, nargs=-1, required=True)
@shared_options("encoding", "steps")
@option("--horizon", type=click.IntRange(0), required=True, help="Ground this many steps.")
@option("--top", type=click.IntRange(1), default=10, help="Show this many rules.")
@option(
    "--one-call",
    is_flag=True,
    help="Ground step(t) and check(t) together, as plain incremental clingo does.",
)
@shared_options("constants", "horizon constant", "fresh", "scripts", "includes")
@shared_options("time limit", "memory limit", "json", "debug")
def command(files: tuple[str, ...], top: int, as_json: bool, **given: Any) -> int:
    """Count how often each rule is instantiated, and in which steps.

    The program is looked at as its author wrote it. docs/compare.md defines what is counted;
    counts marked with ~ are approximate.

    Examples:
      asplan profile sample02 -e origin --horizon 40
      asplan profile my_encoding.lp my_instance.lp --horizon 20 --top 5
      asplan profile sample02 --horizon 40 --json > profile.json
    """

    def show(found: Profile) -> None:
        counted = sum(rule.instantiations for rule in found.rules)
        line.show(found.reason, f"{counted} instantiations")

    with Line() as line:
        found = profile(*files, progress=show, **given)
    if as_json:
        print_json(asdict(found))
    else:
        print_profile(found, top)
    return stop_status(found.stopped, bool(found.reason))


def print_profile(profile: Profile, top: int) -> None:
    console = make_console()
    rules = [rule for rule in profile.rules[:top] if rule.instantiations]
    notes = list(dict.fromkeys(note for rule in rules for note in _notes(rule)))
    names = ["instantiations", "different", "share", "growth", "by step", "place", "rule"]
    title = f"rules, horizon {profile.horizon}"
    cells = [cells_of(rule) for rule in rules]
    for rule, own in zip(rules, cells, strict=True):
        marks = "".join(f" [{notes.index(note) + 1}]" for note in _notes(rule))
        own[names.index("growth")] += marks
    print_columns(named_columns(names, cells), title, key=names.index("place"))
    for number, note in enumerate(notes, 1):
        console.print(plain_text(f"[{number}] {note}", style="yellow"), soft_wrap=True)
    if profile.predicates:
        console.print()
        cells = [[p.predicate, str(p.atoms), str(p.facts)] for p in profile.predicates[:top]]
        print_table("predicates", ["predicate", "atoms", "facts"], cells)
    rest = profile.rules[len(rules) :]
    how = "in one call" if profile.one_call else "in two calls"
    lines = [f"step(t) and check(t) grounded {how}; {profile.seconds:.2f} s with the counters in"]
    if others := sum(rule.instantiations for rule in rest):
        lines.insert(0, f"{len(rest)} more rules, {others} instantiations together")
    for line in lines:
        console.print(plain_text(line, style="dim"), soft_wrap=True)
    if profile.reason:
        console.print(plain_text(profile.reason, style="bold red"), soft_wrap=True)


def _notes(rule: RuleCost) -> list[str]:
    return [note for note in (rule.advice, rule.approximate) if note]
