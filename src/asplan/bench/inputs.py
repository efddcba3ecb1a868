"""The files that a suite reads, and what they looked like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from asplan.bench.instances import Instance
from asplan.bench.suite import Suite, Trust
from asplan.catalog import encodings, shipped_as
from asplan.program.files import is_there, read_text
from asplan.program.source import read_source


def input_files(suite: Suite, instances: Sequence[Instance]) -> list[str]:
    """The paths of all instances, databases and encodings, and of what they include."""
    return list(dict.fromkeys(_all(suite, instances)))


def digests(suite: Suite, instances: Sequence[Instance]) -> dict[str, str]:
    """The SHA-256 of each input file, by its path as seen from the suite."""
    home = Path(suite.toml.path).resolve().parent
    return {
        _seen_from(home, path): sha256(read_text(path).encode()).hexdigest()
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


def _seen_from(home: Path, path: str) -> str:
    """A path relative to a folder where it is below it, else as it is."""
    if shipped := shipped_as(path):
        return shipped
    whole = Path(path).resolve()
    return str(whole.relative_to(home)) if whole.is_relative_to(home) else path
