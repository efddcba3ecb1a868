"""The instances of a suite: files, what patterns find, shipped ones, and lines of databases."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from asplan.bench.suite import InstanceSource, Suite, beside
from asplan.core.errors import AsplanError, InputError, nearest
from asplan.core.files import exists, is_regular, read_lines, read_text
from asplan.core.text import shortened, whole
from asplan.domains.base import Shape
from asplan.pddl.front import SUFFIX, pair
from asplan.problem.catalog import find_instance, shipped_as
from asplan.problem.notation import to_facts
from asplan.problem.problem import Inputs

# The columns of a database whose first line names none, as in Fogleman's of Rush Hour.
WITHOUT_HEADER = ("moves", "board", "states")


@dataclass(frozen=True)
class DatabaseLine:
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
    line: DatabaseLine | None = None
    group: str = ""


def instances_of(suite: Suite) -> tuple[Instance, ...]:
    """All instances, in the suite's order, each once; `InputError` with the wrong key."""
    instances: dict[Instance, None] = {}
    for i, source in enumerate(suite.written.instances):
        key, read = ("database", _in_database) if source.database else ("files", _in_files)
        try:
            instances |= dict.fromkeys(read(suite, i, source))
        except AsplanError as error:
            if error.at is None:
                hint = error.hint
                raise suite.toml.wrong(error.message, "instances", i, key, hint=hint) from None
            raise
    groups: dict[object, str] = {}
    for one in instances:  # else its trials would be in two groups, too
        group = groups.setdefault((one.files, one.line), one.group)
        if group != one.group:
            both = " and ".join(name or "none" for name in (group, one.group))
            raise suite.toml.wrong(f"{one.name} is in two groups, {both}", "instances")
    times = Counter(instance.name for instance in instances)
    return tuple(one if times[one.name] == 1 else _renamed(one, suite) for one in instances)


def seen_from(suite: Suite, path: str) -> str:
    """What a file is called on every machine: from where the suite is, or as it ships."""
    if shipped := shipped_as(path):
        return shipped
    home, file = Path(suite.toml.path).resolve().parent, Path(path).resolve()
    return str(file.relative_to(home)) if file.is_relative_to(home) else path


def _renamed(one: Instance, suite: Suite) -> Instance:
    if one.line is None:
        return replace(one, name=seen_from(suite, one.files[-1]))
    number = one.name.rpartition(":")[2]
    return replace(one, name=f"{seen_from(suite, one.line.file)}:{number}")


def _in_files(suite: Suite, i: int, source: InstanceSource) -> Iterator[Instance]:
    for j, word in enumerate(source.files):
        paths = [word]
        if any(sign in word for sign in "*?["):
            folder, pattern = Path(suite.toml.path).parent, word
            if word.startswith("/"):
                folder, pattern = Path("/"), word.lstrip("/")
            # PDDL domains are no instances.
            files = (p for p in folder.glob(pattern) if p.is_file() and "domain" not in p.stem)
            paths = sorted(map(str, files))
            if not paths:
                raise suite.toml.wrong(f"no file fits {word}", "instances", i, "files", j)
        for path in paths[:: source.every][: source.most]:
            path = find_instance(beside(suite.toml, path))
            own = () if source.domain is None else (beside(suite.toml, source.domain),)
            chosen = pair(Inputs((*own, path))) or (*own, path)
            if len(chosen) == 2 and chosen[1] != path:
                chosen = (chosen[1], chosen[0])
            for file in chosen:
                _check_file(file)
            name = Path(path).stem
            if path.lower().endswith(SUFFIX):
                name = f"{Path(path).parent.name}/{name}"
            yield Instance(name, chosen, group=source.group)


def _check_file(path: str) -> None:
    """Raise `InputError` where a file cannot be read, or cannot be written about."""
    if not path.isprintable() and any("\ud800" <= sign <= "\udfff" for sign in path):
        raise InputError(f"{path}: the name of the file is not in UTF-8", hint="rename it")
    if exists(path) and not is_regular(path):
        raise InputError(f"{path} is no regular file")
    read_text(path)  # says what is wrong with it


def _in_database(suite: Suite, i: int, source: InstanceSource) -> Iterator[Instance]:
    path = beside(suite.toml, source.database or "")
    _check_file(path)
    lines = list(read_lines(path))
    header = next((line for line in lines if line.strip() and line[0] not in "#;%"), "")
    if not all(word.replace("_", "").isalpha() for word in header.split()):
        header = ""  # it names no columns
    columns = header.split() if len(header.split()) > 1 else WITHOUT_HEADER
    for column in source.where:
        if column not in columns:
            hint = nearest(column, columns, noun="columns")
            raise suite.toml.wrong("no such column", "instances", i, "where", column, hint=hint)
    fit = [n for n, line in enumerate(lines, 1) if _fits(line, columns, source.where)]
    if not fit:
        raise suite.toml.wrong(f"no line of {path} fits", "instances", i, "where")
    shape = Shape(source.columns, source.blank_first)
    for number in fit[:: source.every][: source.most]:
        line = DatabaseLine(path, lines[number - 1], header, shape)
        yield Instance(f"{Path(path).stem}:{number}", line=line, group=source.group)


def _fits(line: str, columns: Sequence[str], where: Mapping[str, object]) -> bool:
    """Whether a line is an instance, and one that the suite asks for."""
    if not line.strip() or line[0] in "#;%":
        return False
    parts = line.rstrip("\r\n").split("\t") if "\t" in line else line.split()
    cells = dict(zip(columns, parts, strict=False))
    if cells and all(cell == column for column, cell in cells.items()):
        return False  # the header
    return all(_is(cells.get(column, "").strip(), wanted) for column, wanted in where.items())


def _is(cell: str, wanted: object) -> bool:
    if isinstance(wanted, list):
        return any(_is(cell, one) for one in wanted)
    low, dots, high = str(wanted).partition("..")
    if dots:
        number, least, most = whole(cell), whole(low), whole(high)
        return None not in (number, least, most) and least <= number <= most  # type: ignore[operator]
    return cell == str(wanted)
