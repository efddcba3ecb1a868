"""`asplan grade`: many people's encodings of a domain, graded."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from textwrap import fill

import click

from asplan.cli.options import (
    Command,
    Names,
    Output,
    input_option,
    megabytes_option,
    option,
    output_option,
    seconds_option,
    shared_options,
)
from asplan.cli.output import Line, print_json
from asplan.cli.tables import Column, make_console, print_columns
from asplan.core.errors import UsageError, nearest
from asplan.core.files import atomic_file, check_writable, is_linked_out
from asplan.core.limits import Limits
from asplan.core.text import plain_text
from asplan.domains import domains
from asplan.grading.exercises import read_exercises
from asplan.grading.marking import Mark, Verdict, grade
from asplan.grading.report import Graded, html_page, rows_as_csv
from asplan.grading.submissions import read_submissions
from asplan.version import __version__

_FORMATS = {".html": html_page, ".csv": rows_as_csv}

_RARE = (Verdict.CLAIM, Verdict.UNJUDGED)  # what has a column only where it occurs


@click.command("grade", cls=Command, section="What to grade")
@click.argument("domain", type=Names("domain", lambda: list(domains())))
@click.argument("submissions", metavar="SUBMISSION...", type=click.Path(), nargs=-1, required=True)
@input_option(
    "--instances",
    metavar="NAME|FILE|DIR",
    multiple=True,
    help="Plan for this instance, or for those in this folder. May be given several times; else "
    "the five easiest that ship are taken.",
)
@shared_options("constants")
@seconds_option(help="Stop each submission on each instance after this many seconds.", default=30.0)
@megabytes_option(help="Stop it when this many megabytes are in use.", default=1024)
@option("--jobs", type=click.IntRange(1, 1024), default=1, help="Run this many at a time.")
@output_option(
    *("-o", "--output", "outputs"),
    type=Output(),
    metavar="FILE",
    multiple=True,
    help="Write the marks into this file: .html (a page) or .csv. May be given several times.",
)
@shared_options("json", "debug")
def command(
    domain: str,
    submissions: tuple[str, ...],
    instances: tuple[str, ...],
    constants: Mapping[str, str],
    time_limit: float,
    memory_limit: int,
    jobs: int,
    outputs: tuple[str, ...],
    as_json: bool,
) -> int:
    """Grade many people's encodings of a domain by what its model says.

    Each runs on instances of the domain, and the domain's model judges the plans.

    SUBMISSION is an .lp file, or a folder whose .lp files belong together; of a folder with none,
    those in it are taken. Scripts are refused. Constants say which game the judge knows.

    Examples:
      asplan grade rush_hour submissions/*.lp
      asplan grade rush_hour submissions/* -o marks.html -o marks.csv
      asplan grade sliding_tiles anna.lp ben/ --instances eight20
      asplan grade rush_hour submissions/* --metric slide --instances boards/
    """
    if domain not in domains():
        hint = nearest(domain, domains(), noun="domains")
        raise UsageError(f"there is no domain {domain} that has a model", hint=hint)
    for output in outputs:
        if Path(output).suffix.lower() not in _FORMATS:
            raise UsageError(f"{output}: marks are written as {' or '.join(_FORMATS)}")
        check_writable(Path(output))
        if is_linked_out(output):
            what = f"cannot write {output}: it is a link to a file outside of its folder"
            raise UsageError(what, hint="it may be somebody else's; name the file itself")
    limits, marks = Limits(time_limit, memory_limit), list[Mark]()
    found = read_submissions(submissions, limits)
    with Line() as line:
        exercises = read_exercises(domain, instances, constants, limits, line.show)
        total = len(found) * len(exercises)

        def waiting() -> None:
            line.show(f"{len(marks)} of {total}", marks[-1].submission if marks else "")

        interrupted = False
        try:
            for mark in grade(found, exercises, limits, jobs, waiting):
                marks.append(mark)
                waiting()
        except KeyboardInterrupt:
            interrupted = True
    graded = Graded(domain, found, exercises, marks)
    if as_json:
        lengths = [{"name": e.name, "shortest": e.shortest} for e in exercises]
        rows = [asdict(mark) for one in found for mark in graded.marks_of(one.name)]
        print_json({"version": __version__, "domain": domain, "instances": lengths, "marks": rows})
    else:
        print_marks(graded)
    if interrupted:
        where = f"; nothing was written into {', '.join(outputs)}" if outputs else ""
        click.echo(f"asplan: interrupted after {len(marks)} of {total}{where}", err=True)
        return 130
    for output in outputs:
        with atomic_file(Path(output)) as file:
            text = _FORMATS[Path(output).suffix.lower()](graded)
            file.write(text.encode("utf-8", "backslashreplace"))
    return 0


def print_marks(graded: Graded) -> None:
    counts = {
        s.name: Counter(m.verdict for m in graded.marks_of(s.name)) for s in graded.submissions
    }
    warnings = [max([0, *(m.warnings for m in graded.marks_of(name))]) for name in counts]
    columns = [Column("submission", list(counts), is_words=True)]
    columns += [
        Column(verdict.replace(" ", "\n"), [str(own[verdict] or "") for own in counts.values()])
        for verdict in Verdict
        if verdict not in _RARE or any(own[verdict] for own in counts.values())
    ]
    columns.append(Column("warnings", [str(number or "") for number in warnings]))
    print_columns(columns, graded.title)
    console = make_console()
    console.print(plain_text(fill(graded.lead, 80), style="dim"), soft_wrap=True)
    width = min(console.width, 100) if console.is_terminal else 80
    for name in counts:
        for number, finding in enumerate(graded.findings(name)):
            if number == 0:
                console.print()
                console.print(plain_text(name, style="bold"), soft_wrap=True)
            text = f"{finding.where}: {finding.verdict}: {finding.why}"
            console.print(plain_text(_folded(text, width, "  ")), soft_wrap=True)
            if finding.hint:
                console.print(plain_text(_folded(finding.hint, width, "    ")), soft_wrap=True)


def _folded(text: str, width: int, indent: str) -> str:
    """Fold a text at its spaces; only the first line begins at `indent`, others further in."""
    return fill(
        text,
        width=width,
        initial_indent=indent,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
