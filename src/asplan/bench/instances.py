"""The instances of a suite: files, what patterns find, shipped ones, and lines of databases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from asplan.bench.suite import Source, Suite, beside
from asplan.domains.base import Shape
from asplan.errors import AsplanError, InputError, nearest
from asplan.files import exists, is_regular, read_lines, read_text
from asplan.pddl.front import SUFFIX, pair
from asplan.problem.catalog import find_instance, shipped_as
from asplan.problem.notation import to_facts
from asplan.problem.problem import Inputs
from asplan.text import shortened, whole

WITHOUT_HEADER = ("moves", "board", "states")
"""The columns of a database whose first line names none, as in Fogleman's of Rush Hour."""


@dataclass(frozen=True)
class Line:
    """A line of a database, under the one that names its columns, if there is one."""

    file: str
    text: str
    header: str
    shape: Shape

    def facts(self) -> str:
        """The instance as facts; raises `InputError` where the line makes no sense."""
        for read in to_facts([self.header, self.text], self.file, None, self.shape):
            if isinstance(read, InputError):
                raise InputError(f"{self.file}: {read.message}", hint=read.hint)
            return read.text
        raise InputError(f"{self.file} has no instance {shortened(self.text, 100)}")


@dataclass(frozen=True)
class Instance:
    """An instance with a name of its own in the suite: files, or a line of a database."""

    name: str
    files: tuple[str, ...] = ()
    line: Line | None = None
    group: str = ""


def instances_of(suite: Suite) -> tuple[Instance, ...]:
    """All instances, in the suite's order, each once.

    Raises
    ------
    InputError
        With the key: a file cannot be read, a pattern finds none, a condition fits no line.
    """
    found: list[Instance] = []
    for i, source in enumerate(suite.sources):
        read = _from_database if source.database else _from_files
        try:
            found += read(suite, i, source)
        except AsplanError as error:
            if error.at is None:
                key = "database" if source.database else "files"
                message = error.message
                raise suite.toml.wrong(message, "instances", i, key, hint=error.hint) from None
            raise
    found = list(dict.fromkeys(found))
    _refuse_two_groups(suite, found)
    times = Counter(instance.name for instance in found)
    home = Path(suite.toml.path).resolve().parent
    return tuple(_told_apart(one, home) if times[one.name] > 1 else one for one in found)


def seen_from(home: Path, path: str) -> str:
    """What a file is called on every machine: from where the suite is, or as it ships."""
    if shipped := shipped_as(path):
        return shipped
    whole = Path(path).resolve()
    return str(whole.relative_to(home)) if whole.is_relative_to(home) else path


def _told_apart(instance: Instance, home: Path) -> Instance:
    if instance.line is not None:
        number = instance.name.rpartition(":")[2]
        return replace(instance, name=f"{seen_from(home, instance.line.file)}:{number}")
    return replace(instance, name=seen_from(home, instance.files[-1]))


def _refuse_two_groups(suite: Suite, instances: Iterable[Instance]) -> None:
    """Raise `InputError` where an instance is in two groups: then its trials would be, too."""
    groups: dict[object, str] = {}
    for one in instances:
        group = groups.setdefault((one.files, one.line), one.group)
        if group != one.group:
            both = " and ".join(name or "none" for name in (group, one.group))
            raise suite.toml.wrong(f"{one.name} is in two groups, {both}", "instances")


def _from_files(suite: Suite, i: int, source: Source) -> Iterator[Instance]:
    for j, word in enumerate(source.files):
        paths = [word]
        if any(sign in word for sign in "*?["):
            paths = sorted(map(str, _matching(Path(suite.toml.path).parent, word)))
            if not paths:
                raise suite.toml.wrong(f"no file fits {word}", "instances", i, "files", j)
        for path in paths[:: source.every][: source.most]:
            yield _from_file(suite, source, find_instance(beside(suite.toml, path)))


def _matching(folder: Path, pattern: str) -> Iterator[Path]:
    """The files that fit a pattern; PDDL domains are no instances."""
    base, rest = (Path("/"), pattern.lstrip("/")) if pattern.startswith("/") else (folder, pattern)
    return (p for p in base.glob(rest) if p.is_file() and "domain" not in p.stem)


def _from_file(suite: Suite, source: Source, path: str) -> Instance:
    files: tuple[str, ...] = (path,)
    if source.domain is not None:
        files = (beside(suite.toml, source.domain), path)
    if (pddl := pair(Inputs(files))) is not None:
        files = pddl if pddl[1] == path else (pddl[1], pddl[0])
    for file in files:
        _check_file(file)
    name = Path(path).stem
    if path.lower().endswith(SUFFIX):
        name = f"{Path(path).parent.name}/{name}"
    return Instance(name, files, group=source.group)


def _check_file(path: str) -> None:
    """Raise `InputError` where a file cannot be read, or cannot be written about."""
    if not path.isprintable() and any("\ud800" <= sign <= "\udfff" for sign in path):
        raise InputError(f"{path}: the name of the file is not in UTF-8", hint="rename it")
    if exists(path) and not is_regular(path):
        raise InputError(f"{path} is no regular file")
    read_text(path)  # says what is wrong with it


def _from_database(suite: Suite, i: int, source: Source) -> Iterator[Instance]:
    """The lines of a database that fit."""
    assert source.database is not None
    path = beside(suite.toml, source.database)
    _check_file(path)
    lines = list(read_lines(path))
    columns = _columns(lines)
    for column in source.where:
        if column not in columns:
            hint = nearest(column, columns, noun="columns")
            raise suite.toml.wrong("no such column", "instances", i, "where", column, hint=hint)
    fit = [n for n, line in enumerate(lines, 1) if _fits(line, columns, source.where)]
    if not fit:
        raise suite.toml.wrong(f"no line of {path} fits", "instances", i, "where")
    shape = Shape(source.columns, source.blank_first)
    header = lines[_header(lines) - 1] if _header(lines) else ""
    for number in fit[:: source.every][: source.most]:
        line = Line(path, lines[number - 1], header, shape)
        yield Instance(f"{Path(path).stem}:{number}", line=line, group=source.group)


def _header(lines: list[str]) -> int:
    """The number of the line that names the columns; 0 where none does."""
    first = next((n for n, ln in enumerate(lines, 1) if ln.strip() and ln[0] not in "#;%"), 0)
    words = lines[first - 1].split() if first else []
    return first if words and all(word.replace("_", "").isalpha() for word in words) else 0


def _columns(lines: list[str]) -> tuple[str, ...]:
    number = _header(lines)
    words = lines[number - 1].split() if number else []
    return tuple(words) if len(words) > 1 else WITHOUT_HEADER


def _fits(line: str, columns: tuple[str, ...], where: Mapping[str, object]) -> bool:
    """Whether a line is an instance that is wanted."""
    if not line.strip() or line[0] in "#;%":
        return False
    parts = line.rstrip("\r\n").split("\t") if "\t" in line else line.split()
    cells = dict(zip(columns, parts, strict=False))
    if cells and all(cell == column for column, cell in cells.items()):
        return False  # the header
    return all(_is(cells.get(column, "").strip(), wish) for column, wish in where.items())


def _is(cell: str, wish: object) -> bool:
    """Whether a cell is what is wished: a value, one of a list, or in a range."""
    if isinstance(wish, list):
        return any(_is(cell, one) for one in wish)
    low, dots, high = str(wish).partition("..")
    if dots:
        number, least, most = whole(cell), whole(low), whole(high)
        return None not in (number, least, most) and least <= number <= most  # type: ignore[operator]
    return cell == str(wish)
