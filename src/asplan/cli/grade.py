"""`asplan grade`: marks for many people's encodings of a domain."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from math import inf
from pathlib import Path
from textwrap import fill

import click

from asplan.cli.options import (
    Command,
    ShippedName,
    input_option,
    megabytes_option,
    option,
    output_option,
    seconds_option,
    shared_options,
)
from asplan.cli.output import ProgressLine, note, print_json
from asplan.cli.parameters import Output, WholeNumber
from asplan.cli.tables import Column, make_console, print_columns
from asplan.core.errors import UsageError, nearest
from asplan.core.files import atomic_file, check_writable, is_linked_out
from asplan.core.limits import Limits
from asplan.core.text import plain_text
from asplan.domains import domains
from asplan.grading.exercises import Exercise, read_exercises, read_own_exercises
from asplan.grading.heuristics import Score, score_all
from asplan.grading.marking import Mark, Verdict, grade
from asplan.grading.references import Reference, is_reference
from asplan.grading.report import Graded, MistakeKind, html_page, rows_as_csv
from asplan.grading.submissions import Submission, read_submissions
from asplan.version import __version__

_FORMATS = {".html": html_page, ".csv": rows_as_csv}

_RARE = (Verdict.LOOSE, Verdict.STRICT, Verdict.CLAIM, Verdict.UNJUDGED)
"""The verdicts that get a column only if they occur."""


@click.command("grade", cls=Command, section="What to grade")
@click.argument(
    "domain",
    metavar="DOMAIN|REFERENCE",
    type=ShippedName("domain", lambda: list(domains())),
)
@click.argument("submissions", metavar="SUBMISSION...", type=click.Path(), nargs=-1, required=True)
@input_option(
    "--instances",
    metavar="NAME|FILE|DIR",
    multiple=True,
    help="Plan for this instance, or for those in this folder. May be given several times; by "
    "default for the five easiest shipped instances, or for those beside the reference.",
)
@shared_options("constants")
@seconds_option(help="Stop each submission on each instance after this many seconds.", default=30.0)
@megabytes_option(help="Stop it when it uses this many megabytes.", default=1024)
@option(
    "--heuristic",
    metavar="FUNCTION",
    help="Grade this function of each SUBMISSION, a .py file, as a heuristic for A*.",
)
@option("--jobs", type=WholeNumber(1, 1024), default=1, help="Run this many at a time.")
@output_option(
    *("-o", "--output", "outputs"),
    type=Output(),
    metavar="FILE",
    multiple=True,
    help="Write the marks into this file: .html (a page) or .csv; or into a folder with a page for "
    "each submission. May be given several times.",
)
@shared_options("json", "debug")
def command(  # noqa: PLR0913  # each option is a parameter
    domain: str,
    submissions: tuple[str, ...],
    instances: tuple[str, ...],
    constants: Mapping[str, str],
    time_limit: float,
    memory_limit: int,
    heuristic: str | None,
    jobs: int,
    outputs: tuple[str, ...],
    as_json: bool,
) -> int:
    """Grade many people's encodings or heuristics of a domain.

    Each encoding runs on instances of the domain, and the domain's model judges the plans. For a
    domain without a model, name a reference solution: its file (.lp or .pddl) judges the plans.

    SUBMISSION is a file, .lp or .pddl, or a folder whose files belong together. Scripts are
    refused. Constants select the variant of the game.

    With --heuristic, SUBMISSION is a .py file. Its function guides A*, and its score is the number
    of states added to the queue. It is checked for consistency on the whole state space.

    Examples:
      asplan grade rush_hour submissions/*.lp
      asplan grade rush_hour submissions/* -o marks.html -o marks.csv
      asplan grade rush_hour submissions/* -o marks/
      asplan grade sliding_tiles anna.lp ben/ --instances eight20
      asplan grade rush_hour submissions/* --metric slide --instances boards/
      asplan grade solution/encoding.lp submissions/*
      asplan grade rush_hour anna.py ben.py --heuristic h --instances cards/
    """
    own = Reference(domain, constants) if is_reference(domain) else None
    if own is None and domain not in domains():
        hint = nearest(domain, domains(), noun="domains")
        raise UsageError(f"there is no domain {domain} with a model", hint=hint)
    _check_outputs(outputs)
    limits = Limits(time_limit, memory_limit)
    if heuristic is not None:
        if own is not None:
            raise UsageError("--heuristic needs a domain with a model, not a reference solution")
        _check_heuristics(submissions, outputs)
        with ProgressLine() as line:
            exercises = read_exercises(domain, instances, constants, limits, line.show)
            scores = _score(submissions, heuristic, exercises, limits, jobs, line)
        return show_scores(domain, exercises, scores, as_json)
    people = read_submissions(submissions, limits)
    with ProgressLine() as line:
        if own is None:
            exercises = read_exercises(domain, instances, constants, limits, line.show)
        else:
            exercises = read_own_exercises(own, instances, limits, line.show)
        marks, is_complete = _mark(people, exercises, limits, jobs, line)
    graded = Graded(domain, people, exercises, marks)
    if as_json:
        print_json(_plain_data(graded))
    else:
        print_marks(graded)
    if not is_complete:
        lost = f"; nothing was written into {', '.join(outputs)}" if outputs else ""
        total = len(people) * len(exercises)
        click.echo(f"asplan: interrupted after {len(marks)} of {total}{lost}", err=True)
        return 130
    for output in outputs:
        _write(graded, Path(output))
    return 0


def _write(graded: Graded, output: Path) -> None:
    """Write the marks into a file, or into a folder with a page for each submission."""
    make_text = _FORMATS.get(output.suffix.lower())
    if make_text is not None:
        _write_text(output, make_text(graded))
        return
    from asplan.grading.pages import INDEX, make_pages

    output.mkdir(exist_ok=True)
    for name, text in make_pages(graded):
        _check_link(output / name)
        _write_text(output / name, text)
    note(f"{output / INDEX} is written, with a page for each submission beside it")


def _write_text(path: Path, text: str) -> None:
    with atomic_file(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def _check_heuristics(submissions: Iterable[str], outputs: Iterable[str]) -> None:
    """Raise `UsageError` if a submission is no Python file, or if the option `-o` is used."""
    for submission in submissions:
        if Path(submission).suffix != ".py":
            hint = "pass .py files, each with the function that --heuristic names"
            raise UsageError(f"{submission} is no .py file with a heuristic", hint=hint)
        if not Path(submission).is_file():
            raise UsageError(f"no such file: {submission}")
    if any(outputs):
        raise UsageError("scores of heuristics are printed, also with --json; leave out -o")


def _score(
    files: Sequence[str],
    function: str,
    exercises: Sequence[Exercise],
    limits: Limits,
    jobs: int,
    line: ProgressLine,
) -> list[Score]:
    """Return the score of each heuristic on each exercise, in the order of both lists.

    `function` is the name of the heuristic in each of the `files`. `limits` hold for each
    pair of a heuristic and an exercise; `jobs` pairs are worked on at a time.
    """
    scores: list[Score] = []
    total = len(files) * len(exercises)

    def waiting() -> None:
        line.show(f"{len(scores)} of {total}", scores[-1].submission if scores else "")

    for score in score_all(files, function, exercises, limits, jobs, waiting):
        scores.append(score)
        waiting()
    places = {exercise.name: place for place, exercise in enumerate(exercises)}
    return sorted(scores, key=lambda one: (files.index(one.submission), places[one.instance]))


def show_scores(
    domain: str,
    exercises: Sequence[Exercise],
    scores: Sequence[Score],
    as_json: bool,
) -> int:
    """Print the scores of heuristics as a table with findings, or as JSON; return the exit status.

    A score is the number of states that A* queued; an infinite one is "infinity" in JSON.
    """
    if as_json:
        rows = list(map(_plain_score, scores))
        print_json({"version": __version__, "domain": domain, "scores": rows})
        return 0
    print_columns(_score_columns(exercises, scores), f"{domain}: states added to the queue")
    for score in scores:
        if score.why:
            click.echo(plain_text(_folded(_describe(score), 80, "")).plain)
    return 0


def _plain_score(score: Score) -> dict[str, object]:
    row = asdict(score)
    if score.queued == inf:
        row["queued"] = "infinity"
    return row


def _score_columns(exercises: Sequence[Exercise], scores: Sequence[Score]) -> list[Column]:
    """Return the columns of a table of heuristics: a score for each exercise, and consistency."""
    names = list(dict.fromkeys(score.submission for score in scores))
    columns = [Column("submission", names, is_words=True)]
    for exercise in exercises:
        own = [score.queued for score in scores if score.instance == exercise.name]
        columns.append(Column(exercise.name, list(map(_score_cell, own))))
    answers = [[one.is_consistent for one in scores if one.submission == name] for name in names]
    columns.append(Column("consistent", list(map(_say_consistent, answers)), is_words=True))
    return columns


def _say_consistent(answers: Sequence[bool | None]) -> str:
    """Return whether a heuristic is consistent on all exercises: `yes`, `no`, or `?` if unknown."""
    if False in answers:
        return "no"
    return "?" if None in answers else "yes"


def _score_cell(queued: float | None) -> str:
    if queued is None:
        return "-"
    return "∞" if queued == inf else str(queued)


def _describe(score: Score) -> str:
    """Return the finding about a heuristic on an exercise, as a line of text."""
    kind = ""
    if score.is_consistent is False:
        kind = "not consistent: "
    elif score.is_admissible is False:
        kind = "not admissible: "
    return f"{score.submission}, {score.instance}: {kind}{score.why}"


def _check_outputs(outputs: Iterable[str]) -> None:
    """Raise `UsageError` if marks cannot be written to a file or folder that `-o` names."""
    for output in outputs:
        path = Path(output)
        is_folder = path.is_dir() or output.endswith("/") or not path.suffix
        if not is_folder and path.suffix.lower() not in _FORMATS:
            hint = "for a folder with a page for each submission, end its name with /"
            raise UsageError(f"{output}: the name must end with {' or '.join(_FORMATS)}", hint=hint)
        if is_folder and path.exists() and not path.is_dir():
            raise UsageError(f"cannot write {output}: a folder is needed, and it is a file")
        check_writable(path / "index.html" if path.is_dir() else path)
        _check_link(path)


def _check_link(path: Path) -> None:
    """Raise `UsageError` if a path for the marks is a link to something outside of its folder."""
    if is_linked_out(path):
        why = f"cannot write {path}: it is a link to a file outside of its folder"
        raise UsageError(why, hint="it may be somebody else's; name the file itself")


def _mark(
    people: Sequence[Submission],
    exercises: Sequence[Exercise],
    limits: Limits,
    jobs: int,
    line: ProgressLine,
) -> tuple[list[Mark], bool]:
    """Return the marks of all submissions on all exercises, and True if they are complete.

    They are incomplete after Ctrl-C. `limits` hold for each pair of a submission and an exercise;
    `jobs` pairs are worked on at a time.
    """
    marks: list[Mark] = []
    total = len(people) * len(exercises)

    def waiting() -> None:
        line.show(f"{len(marks)} of {total}", marks[-1].submission if marks else "")

    try:
        for mark in grade(people, exercises, limits, jobs, waiting):
            marks.append(mark)
            waiting()
    except KeyboardInterrupt:
        return marks, False
    return marks, True


def _plain_data(graded: Graded) -> dict[str, object]:
    marks = []
    for submission in graded.submissions:
        marks += [asdict(mark) for mark in graded.marks_of(submission.name)]
    return {
        "version": __version__,
        "domain": graded.domain,
        "instances": [{"name": e.name, "shortest": e.shortest} for e in graded.exercises],
        "marks": marks,
    }


def print_marks(graded: Graded) -> None:
    """Print a table with the verdicts on each submission, and below it the findings about each."""
    print_columns(_mark_columns(graded), graded.title)
    console = make_console()
    console.print(plain_text(fill(graded.lead, 80), style="dim"), soft_wrap=True)
    width = min(console.width, 100) if console.is_terminal else 80
    for submission in graded.submissions:
        lines = list(_finding_lines(graded, submission.name, width))
        if lines:
            console.print()
            console.print(plain_text(submission.name, style="bold"), soft_wrap=True)
        for line in lines:
            console.print(plain_text(line), soft_wrap=True)
    kinds = graded.kinds()
    if kinds and len(graded.submissions) > 1:
        print_columns(_kind_columns(kinds))


def _finding_lines(graded: Graded, submission: str, width: int) -> Iterator[str]:
    """Yield the findings and the warnings about a submission, each with its hint."""
    for finding in graded.findings(submission):
        yield _folded(f"{finding.where}: {finding.verdict}: {finding.why}", width, "  ")
        if finding.hint:
            yield _folded(finding.hint, width, "    ")
    for warning in graded.warnings_of(submission):
        text, _, hint = str(warning).partition("\n")
        yield _folded(f"warning: {text}", width, "  ")
        if hint:
            yield _folded(hint.strip(), width, "    ")


def _kind_columns(kinds: Sequence[MistakeKind]) -> list[Column]:
    """Return the columns of a table of the kinds of mistakes in a class."""
    return [
        Column("mistake", [kind.name for kind in kinds], is_words=True),
        Column("submissions", [str(kind.count) for kind in kinds]),
        Column("whose", [", ".join(kind.submissions) for kind in kinds], is_words=True, folds=True),
    ]


def _mark_columns(graded: Graded) -> list[Column]:
    """Return the columns of a table of submissions: the counts of each verdict and of warnings."""
    names = list(dict.fromkeys(submission.name for submission in graded.submissions))
    counts = [Counter(mark.verdict for mark in graded.marks_of(name)) for name in names]
    columns = [Column("submission", names, is_words=True)]
    for verdict in Verdict:
        numbers = [own[verdict] for own in counts]
        if verdict not in _RARE or any(numbers):
            columns.append(Column(verdict.replace(" ", "\n"), list(map(_count_cell, numbers))))
    warnings = [max([0, *(mark.warnings for mark in graded.marks_of(name))]) for name in names]
    columns.append(Column("warnings", list(map(_count_cell, warnings))))
    return columns


def _count_cell(number: int) -> str:
    return str(number) if number else ""


def _folded(text: str, width: int, indent: str) -> str:
    """Fold a text into lines of a width; indent the first by `indent`, the others by 4 spaces."""
    return fill(
        text,
        width=width,
        initial_indent=indent,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
