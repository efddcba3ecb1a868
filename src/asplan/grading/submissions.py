"""Submissions: the files of each author, and the ways out of their folders that are refused.

A submission may name files that are not its own: by a link, or by an include. Paths are resolved
before they are compared, so a linked folder, a chain of links and `..` make no difference.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from asplan.core.errors import AsplanError, InputError, UsageError
from asplan.core.files import exists, is_linked_out, is_regular, real_path
from asplan.core.limits import Limits, Stop
from asplan.core.process import run_apart
from asplan.program.source import read_source

_DRAWING = "draw.lp"  # says how plans look, and takes no part in planning


@dataclass(frozen=True)
class Submission:
    """The files of one author; `name` stands in the report, `refused` says why none is run."""

    name: str
    files: tuple[str, ...]
    refused: str = ""


def read_submissions(words: Iterable[str], limits: Limits) -> list[Submission]:
    """Find the submissions that paths name: each file is one, and so is each folder.

    A worker under the limits reads their includes. Raises `InputError` and `UsageError` for a path
    that names no submission.
    """
    paths: dict[tuple[str, ...], Path] = {}
    for path in map(Path, words):
        paths.setdefault(_files_of(path), path)
    names = distinct_names(list(paths.values()))
    places = {name: _place_of(path) for name, path in zip(names, paths.values(), strict=True)}
    found = []
    for name, files, path in zip(names, paths, paths.values(), strict=True):
        submission = Submission(name, files, refused=_way_out(files, path))
        found.append(submission if submission.refused else _narrowed(submission, places, limits))
    return found


def programs_in(folder: Path) -> tuple[str, ...]:
    """Return the .lp files of a folder, without its drawing rules; `UsageError` if it has none."""
    found = (file for file in sorted(folder.glob("*.lp")) if file.name != _DRAWING)
    if not (files := tuple(str(file) for file in found if not file.is_dir())):
        raise UsageError(f"{folder} holds no .lp file")
    return files


def why_no_own_file(file: str) -> str:
    """Return why a file of a folder is none to read; empty if nothing speaks against it."""
    if is_linked_out(file):
        return f"{file} is a link to a file outside of its folder"
    return "" if is_regular(file) else f"{file} is no regular file"


def distinct_names(paths: Sequence[Path]) -> list[str]:
    """Name each path by its last part, and by as many parts before it as make the name unique.

    >>> distinct_names([Path("a/plan.lp"), Path("b/plan.lp"), Path("b/own.lp")])
    ['a/plan', 'b/plan', 'own']
    """
    whole = [path.absolute() for path in paths]
    parts = [(path.with_suffix("") if path.suffix == ".lp" else path).parts for path in whole]
    longest = max(map(len, parts), default=0)
    times = [Counter(part[-length:] for part in parts) for length in range(1, longest + 1)]
    names = []
    for path, own in zip(paths, parts, strict=True):
        unique = (length for length, t in enumerate(times, 1) if t[own[-length:]] == 1)
        count = next(unique, None)
        names.append(str(path) if count is None else "/".join(own[-count:]))
    return names


def _files_of(path: Path) -> tuple[str, ...]:
    if not exists(path):
        raise InputError(f"no such file: {path}")
    if path.is_dir():
        return programs_in(path)
    if not is_regular(path):
        raise UsageError(f"{path} is no regular file")
    return (str(path),)


def _place_of(path: Path) -> Path:
    """Return the place of a path from the root; a link stands at its own place."""
    real = Path(real_path(path.parent), path.name) if path.is_symlink() else real_path(path)
    return Path(real)


def _way_out(files: Sequence[str], path: Path) -> str:
    """Return which link or special file leads out of a submission; empty if none does."""
    if path.is_dir() and is_linked_out(path):
        return f"{path} is a link to a folder elsewhere"
    return next(filter(None, map(why_no_own_file, files)), "")


def _narrowed(submission: Submission, places: Mapping[str, Path], limits: Limits) -> Submission:
    """Drop the files that others include; refuse a submission that reads another one's files."""
    done = run_apart(limits, lambda: None, _included_by, submission.files)
    if done.stopped is Stop.INTERRUPT:
        raise KeyboardInterrupt
    if done.stopped:
        return replace(submission, refused=f"its files were not read: {done.reason}")
    included = frozenset(done.value)
    reached = included.union(map(real_path, submission.files))
    own = places[submission.name]
    for name, place in places.items():
        # A folder may be handed in beside one of its own files: neither leads out.
        is_apart = not place.is_relative_to(own) and not own.is_relative_to(place)
        if is_apart and any(Path(file).is_relative_to(place) for file in reached):
            return replace(submission, refused=f"it reads a file of the submission {name}")
    files = tuple(file for file in submission.files if real_path(file) not in included)
    return replace(submission, files=files or submission.files)


def _included_by(files: Sequence[str]) -> set[str]:
    """Return the real paths that files include; one that makes no sense includes nothing."""
    included = set[str]()
    for file in files:
        with suppress(AsplanError):  # the run reports it with its place
            texts = read_source(file).texts[1:]
            included |= {real_path(text.name) for text in texts} - {real_path(file)}
    return included
