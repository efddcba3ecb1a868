"""Submissions: the files of each author; a submission must not use files of others.

A submission might reach files of others by a link or by an include. Paths are resolved before they
are compared, so a linked folder, a chain of links and `..` make no difference.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from asplan.core.budget import ENDLESS
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, InputError, UsageError
from asplan.core.files import (
    exists,
    is_linked_out,
    is_regular,
    real_path,
)
from asplan.core.limits import Limits, Stop
from asplan.core.process import run_apart
from asplan.program.reading.source import read_source
from asplan.program.reading.unit import read_unit

SUFFIXES = (".lp", ".pddl")
"""The ends of the names of programs and PDDL files."""

_DRAWING = "draw.lp"
"""The file with drawing rules, which is not used for planning."""


@dataclass(frozen=True)
class Submission:
    """The files of one author, under a unique name.

    `refused` is the reason why they must not run; empty if they may. `constants` are the names of
    the constants that they use.
    """

    name: str
    files: tuple[str, ...]
    refused: str = ""
    constants: frozenset[str] = frozenset()


def read_submissions(words: Iterable[str], limits: Limits) -> list[Submission]:
    """Return the submissions at some paths: each file or folder is a submission.

    A worker process under the limits finds the files that the submissions include.

    Raises
    ------
    InputError, UsageError
        A path names no submission.
    """
    paths: dict[tuple[str, ...], Path] = {}
    for word in words:
        path = Path(word)
        paths.setdefault(_files_of(path), path)
    names = distinct_names(list(paths.values()))
    places = {name: _place_of(path) for name, path in zip(names, paths.values(), strict=True)}
    submissions = []
    for name, (files, path) in zip(names, paths.items(), strict=True):
        submission = Submission(name, files, refused=_find_foreign_file(files, path))
        if not submission.refused:
            submission = _without_included_files(submission, places, limits)
        submissions.append(submission)
    return submissions


def programs_in(folder: Path) -> tuple[str, ...]:
    """Return the .lp files of a folder, except drawing rules; without any, its .pddl files.

    Raises `UsageError` if there are neither.
    """
    for suffix in SUFFIXES:
        files = [file for file in sorted(folder.glob(f"*{suffix}")) if not file.is_dir()]
        programs = tuple(str(file) for file in files if file.name != _DRAWING)
        if programs:
            return programs
    hint = f"it has folders; to name them: {folder}/*" if _has_programs_below(folder) else ""
    raise UsageError(f"{folder} has no .lp or .pddl file", hint=hint)


def _has_programs_below(folder: Path) -> bool:
    """Return whether a folder in a folder has a program."""
    return any(next(folder.glob(f"*/*{suffix}"), None) for suffix in SUFFIXES)


def why_no_own_file(file: str) -> str:
    """Return the reason why a file must not be read with its folder; empty if it may be.

    A file must not be a link out of its folder, and must be regular.
    """
    if is_linked_out(file):
        return f"{file} is a link to a file outside of its folder"
    return "" if is_regular(file) else f"{file} is not a regular file"


def distinct_names(paths: Sequence[Path]) -> list[str]:
    """Return a unique name for each path: its last parts, as few as make the name unique.

    >>> distinct_names([Path("a/plan.lp"), Path("b/plan.lp"), Path("b/own.lp")])
    ['a/plan', 'b/plan', 'own']
    """
    all_parts = [_parts_of(path) for path in paths]
    longest = max(map(len, all_parts), default=0)
    lengths = range(1, longest + 1)
    counts = {length: _count_ends(all_parts, length) for length in lengths}
    names = []
    for path, parts in zip(paths, all_parts, strict=True):
        unique = [length for length in lengths if counts[length][parts[-length:]] == 1]
        names.append("/".join(parts[-unique[0] :]) if unique else str(path))
    return names


def _count_ends(paths: Iterable[tuple[str, ...]], length: int) -> Counter[tuple[str, ...]]:
    """Count the paths that end with each sequence of `length` parts."""
    return Counter(parts[-length:] for parts in paths)


def _parts_of(path: Path) -> tuple[str, ...]:
    whole = path.absolute()
    return whole.with_suffix("").parts if whole.suffix in SUFFIXES else whole.parts


def _files_of(path: Path) -> tuple[str, ...]:
    if not exists(path):
        raise InputError(f"no such file: {path}")
    if path.is_dir():
        return programs_in(path)
    if not is_regular(path):
        raise UsageError(f"{path} is not a regular file")
    return (str(path),)


def _place_of(path: Path) -> Path:
    """Return the real path of a submission; if the submission is a link, the link's own path."""
    if path.is_symlink():
        return Path(real_path(path.parent), path.name)
    return Path(real_path(path))


def _find_foreign_file(files: Sequence[str], path: Path) -> str:
    """Return the reason to refuse a submission; an empty text if there is none.

    A submission is refused if a link leads out of its folder, or if a file is not regular.
    """
    if path.is_dir() and is_linked_out(path):
        return f"{path} is a link to a folder elsewhere"
    reasons = (why_no_own_file(file) for file in files)
    return next(filter(None, reasons), "")


def _without_included_files(
    submission: Submission,
    places: Mapping[str, Path],
    limits: Limits,
) -> Submission:
    """Return the submission without the files that its other files include.

    Refuse a submission that reads a file of another one. `places` maps the name of each submission
    to its path.
    """
    done = run_apart(limits, ENDLESS, _read_files, submission.files)
    if done.stopped is Stop.INTERRUPT:
        raise KeyboardInterrupt
    if done.stopped:
        return replace(submission, refused=f"its files were not read: {done.reason}")
    included, constants = done.value
    read = included.union(real_path(file) for file in submission.files)
    for name in _other_submissions(submission.name, places):
        if any(Path(file).is_relative_to(places[name]) for file in read):
            return replace(submission, refused=f"it reads a file of the submission {name}")
    files = tuple(file for file in submission.files if real_path(file) not in included)
    return replace(submission, files=files or submission.files, constants=constants)


def _other_submissions(name: str, places: Mapping[str, Path]) -> list[str]:
    """Return the names of the submissions that neither contain submission `name` nor lie in it."""
    own = places[name]
    return [
        other
        for other, place in places.items()
        if not place.is_relative_to(own) and not own.is_relative_to(place)
    ]


def _read_files(files: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the real paths of the files that some files include, and the constants of all.

    A file that cannot be read has neither; the run of the submission reports the error later.
    """
    included: set[str] = set()
    constants: set[str] = set()
    for file in files:
        with suppress(AsplanError):
            texts = read_source(file).texts[1:]
            paths = {real_path(text.name) for text in texts}
            included |= paths - {real_path(file)}
            if not file.endswith(".pddl"):
                unit = read_unit(file)
                constants |= unit.constants | unit.definitions
    return frozenset(included), frozenset(constants)
