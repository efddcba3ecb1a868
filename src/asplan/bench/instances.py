"""The instances of a suite: files, shipped instances, and lines of databases.

A *database* is a text file with an instance on each line. A *source* is an entry of a suite that
names files or a database.
"""

from collections import Counter
from collections.abc import (
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import replace
from pathlib import Path

from asplan.bench.suite import (
    InstanceSource,
    Suite,
    is_range,
    range_ends,
    resolve_path,
)
from asplan.catalog import find_instance, shipped_as
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, InputError, nearest
from asplan.core.files import (
    exists,
    is_regular,
    read_lines,
    read_text,
)
from asplan.core.text import parse_natural, shortened
from asplan.domains.base import Shape
from asplan.pddl.front import SUFFIX, pair
from asplan.problem.inputs import Inputs
from asplan.problem.notation import to_facts

DEFAULT_COLUMNS = ("moves", "board", "states")
"""The columns of a database without a header line, as in Fogleman's database of
Rush Hour boards.
"""

_COMMENT_MARKS = "#;%"


@dataclass(frozen=True)
class DatabaseLine:
    """A line of a database.

    `header` is the line that names the columns; empty if the database has no such line.
    """

    file: str
    text: str
    header: str
    shape: Shape

    def facts(self) -> str:
        """Return the instance of the line as facts; raise `InputError` if it is not an instance."""
        converted = next(to_facts([self.header, self.text], self.file, None, self.shape), None)
        if converted is None:
            raise InputError(f"{self.file} has no instance {shortened(self.text, 100)}")
        if isinstance(converted, InputError):
            raise InputError(f"{self.file}: {converted.message}", hint=converted.hint)
        return converted.text


@dataclass(frozen=True)
class SuiteInstance:
    """An instance of a suite under a unique name: some files, or a line of a database."""

    name: str
    files: tuple[str, ...] = ()
    line: DatabaseLine | None = None
    group: str = ""

    @property
    def origin(self) -> str:
        """The folder or the database that the instance comes from."""
        return self.line.file if self.line else str(Path(self.files[-1]).parent)


def instances_of(suite: Suite) -> tuple[SuiteInstance, ...]:
    """Return all instances in the order of the suite, without repetitions.

    Raises
    ------
    InputError
        A source is wrong (the error names its key), or an instance is in two groups, so that its
        trials would belong to both.
    """
    # A dictionary is an ordered set here.
    instances: dict[SuiteInstance, None] = {}
    for i, source in enumerate(suite.entries.instances):
        instances |= dict.fromkeys(_read_source(suite, i, source))
    _check_groups(suite, instances)
    counts = Counter(instance.name for instance in instances)
    return tuple(
        instance if counts[instance.name] == 1 else _named_by_path(instance, suite)
        for instance in instances
    )


def _read_source(suite: Suite, i: int, source: InstanceSource) -> list[SuiteInstance]:
    """Return the instances of a source, which is entry `i` of the suite's instances."""
    key = "database" if source.database else "files"
    read = _instances_in_database if source.database else _instances_in_files
    try:
        return list(read(suite, i, source))
    except AsplanError as error:
        if error.at is not None:
            raise
        hint = error.hint
        raise suite.toml.error_at(error.message, "instances", i, key, hint=hint) from None


def _check_groups(suite: Suite, instances: Iterable[SuiteInstance]) -> None:
    groups: dict[object, str] = {}
    for instance in instances:
        group = groups.setdefault((instance.files, instance.line), instance.group)
        if group != instance.group:
            names = f"{group or 'none'} and {instance.group or 'none'}"
            raise suite.toml.error_at(f"{instance.name} is in two groups, {names}", "instances")


def portable_path(suite: Suite, path: str) -> str:
    """Return the path of a file in a form that is the same on every machine, if possible.

    The form is a path relative to the suite's folder, or the name of a file that ships with asplan.
    """
    if shipped := shipped_as(path):
        return shipped
    home = Path(suite.toml.path).resolve().parent
    file = Path(path).resolve()
    return str(file.relative_to(home)) if file.is_relative_to(home) else path


def _named_by_path(instance: SuiteInstance, suite: Suite) -> SuiteInstance:
    if instance.line is None:
        return replace(instance, name=portable_path(suite, instance.files[-1]))
    number = instance.name.rpartition(":")[2]
    return replace(instance, name=f"{portable_path(suite, instance.line.file)}:{number}")


def _instances_in_files(suite: Suite, i: int, source: InstanceSource) -> Iterator[SuiteInstance]:
    for j, word in enumerate(source.files):
        if any(sign in word for sign in "*?["):
            paths = _matching_files(suite, word)
            if not paths:
                raise suite.toml.error_at(f"no file matches {word}", "instances", i, "files", j)
        else:
            paths = [word]
        for path in paths[:: source.every][: source.most]:
            yield _instance_at(suite, source, path)


def _matching_files(suite: Suite, pattern: str) -> list[str]:
    """Return the files that match a pattern, sorted, without PDDL domains."""
    folder = Path(suite.toml.path).parent
    if pattern.startswith("/"):
        folder = Path("/")
        pattern = pattern.lstrip("/")
    files = [path for path in folder.glob(pattern) if path.is_file()]
    return sorted(str(file) for file in files if "domain" not in file.stem)


def _instance_at(suite: Suite, source: InstanceSource, path: str) -> SuiteInstance:
    """Return the instance in a file; the files of a PDDL problem begin with its domain."""
    path = find_instance(resolve_path(suite.toml, path))
    words: tuple[str, ...] = (path,)
    if source.domain is not None:
        words = (resolve_path(suite.toml, source.domain), path)
    files: tuple[str, ...] = pair(Inputs(words)) or words
    if len(files) == 2 and files[1] != path:
        files = (files[1], files[0])
    for file in files:
        _check_file(file)
    name = Path(path).stem
    if path.lower().endswith(SUFFIX):
        # The problems of many PDDL domains are called p01, p02 and so on.
        name = f"{Path(path).parent.name}/{name}"
    return SuiteInstance(name, files, group=source.group)


def _check_file(path: str) -> None:
    """Raise `InputError` if a file cannot be read, or its name cannot be written in UTF-8."""
    has_surrogate = any("\ud800" <= sign <= "\udfff" for sign in path)
    if not path.isprintable() and has_surrogate:
        raise InputError(f"{path}: the name of the file is not in UTF-8", hint="rename it")
    if exists(path) and not is_regular(path):
        raise InputError(f"{path} is not a regular file")
    read_text(path)  # raises an error with the reason


def _instances_in_database(suite: Suite, i: int, source: InstanceSource) -> Iterator[SuiteInstance]:
    path = resolve_path(suite.toml, source.database or "")
    _check_file(path)
    lines = list(read_lines(path))
    header = _header_of(lines)
    names = header.split()
    columns = names if len(names) > 1 else DEFAULT_COLUMNS
    for column in source.where:
        if column not in columns:
            keys = ("instances", i, "where", column)
            hint = nearest(column, columns, noun="columns")
            raise suite.toml.error_at("no such column", *keys, hint=hint)
    numbers = [n for n, line in enumerate(lines, 1) if _matches(line, columns, source.where)]
    if not numbers:
        raise suite.toml.error_at(f"no line of {path} fits", "instances", i, "where")
    shape = Shape(source.columns, source.blank_first)
    for number in numbers[:: source.every][: source.most]:
        line = DatabaseLine(path, lines[number - 1], header, shape)
        yield SuiteInstance(f"{Path(path).stem}:{number}", line=line, group=source.group)


def _header_of(lines: Sequence[str]) -> str:
    """Return the first line that is neither blank nor a comment, if it names columns; else ""."""
    first = next((line for line in lines if _has_content(line)), "")
    is_header = all(word.replace("_", "").isalpha() for word in first.split())
    return first if is_header else ""


def _has_content(line: str) -> bool:
    """Return whether a line is neither blank nor a comment."""
    return bool(line.strip()) and line[0] not in _COMMENT_MARKS


def _matches(line: str, columns: Sequence[str], where: Mapping[str, object]) -> bool:
    """Return whether a line is an instance whose columns satisfy all conditions of `where`."""
    if not _has_content(line):
        return False
    cells = line.rstrip("\r\n").split("\t") if "\t" in line else line.split()
    row = dict(zip(columns, cells, strict=False))
    is_header = all(cell == column for column, cell in row.items())
    if row and is_header:
        return False
    return all(
        _cell_fulfils(row.get(column, "").strip(), condition) for column, condition in where.items()
    )


def _cell_fulfils(cell: str, condition: object) -> bool:
    if isinstance(condition, list):
        return any(_cell_fulfils(cell, value) for value in condition)
    text = str(condition)
    if not is_range(text):
        return cell == text
    ends = range_ends(text)
    number = parse_natural(cell)
    if ends is None or number is None:
        return False
    low, high = ends
    return low <= number <= high
