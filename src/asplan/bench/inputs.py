"""The files that a suite reads, and what they looked like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from asplan.bench.instances import Instance, seen_from
from asplan.bench.suite import Suite, Trust
from asplan.bench.trials import Trial
from asplan.catalog import encodings
from asplan.errors import UsageError
from asplan.program.files import is_there, read_text
from asplan.program.source import read_source


def input_files(suite: Suite, instances: Sequence[Instance]) -> list[str]:
    """The paths of all instances, databases and encodings, and of what they include."""
    return list(dict.fromkeys(_all(suite, instances)))


def digests(suite: Suite, instances: Sequence[Instance]) -> dict[str, str]:
    """The SHA-256 of each input file, by its path as seen from the suite."""
    home = Path(suite.toml.path).resolve().parent
    return {
        seen_from(home, path): sha256(read_text(path).encode()).hexdigest()
        for path in input_files(suite, instances)
    }


def _all(suite: Suite, instances: Sequence[Instance]) -> Iterator[str]:
    for instance in instances:
        if instance.line:
            yield instance.line.file
        for file in instance.files:
            yield from with_included(file, suite.trust)
    for method in suite.methods:
        if method.encoding is None:
            continue
        word = method.encoding.partition(":")[0]
        if is_there(word):
            yield from with_included(word, suite.trust)
        else:
            yield from (str(entry.path) for entry in encodings() if entry.is_called(word))


def with_included(file: str, trust: Trust) -> Iterator[str]:
    """A file, and those that it includes if it is an ASP program."""
    if not file.endswith(".lp"):
        yield file
        return
    yield from (text.name for text in read_source(file, trust.includes).texts)


Stamp = tuple[int, int]


def stamps(paths: Iterable[str]) -> dict[str, Stamp]:
    """When each of some files was last written, and its size."""
    return {path: _stamp(path) for path in paths}


def unchanged(trials: Iterable[Trial], known: Mapping[str, Stamp]) -> Iterator[Trial]:
    """The trials, as long as their files are as they were.

    Raises
    ------
    UsageError
        One has been written since, so that what comes now would be of something else.
    """
    for trial in trials:
        line, encoding = trial.instance.line, trial.method.encoding
        files = [*trial.instance.files, line.file if line else "", encoding or ""]
        for path in files:
            if path in known and _stamp(path) != known[path]:
                raise UsageError(
                    f"{path} changed while the suite ran",
                    mend="put it back and say --resume, or begin anew in another folder",
                )
        yield trial


def _stamp(path: str) -> Stamp:
    try:
        found = Path(path).stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
