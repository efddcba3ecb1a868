"""A suite: which methods on which instances, and what each trial may use.

It is a TOML file, as docs/benchmarks.md describes it. Errors name the key and its line, which the
library that reads it does not.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from asplan.api import read_constants
from asplan.core.errors import AsplanError, InputError, Location, UsageError, nearest
from asplan.core.files import is_there, read_text
from asplan.core.limits import Limits
from asplan.core.text import whole
from asplan.engines import make_options, option_forms
from asplan.engines.run import EngineOptions

Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=1e9)]

# Options that a method has no key for: one has another name, and a suite names no output.
_NOT_A_SUITE_S = {"no_rewrite", "no_states", "proof"}


class SuiteLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a trial may use; processor time in whole seconds, for each process."""

    seconds: Seconds | None = None
    cpu_seconds: Count | None = None
    megabytes: Count | None = None
    min_horizon: int = 0
    max_horizon: int | None = None

    def limits(self) -> Limits:
        """Those that are kept everywhere."""
        return Limits(self.seconds, self.megabytes, self.min_horizon, self.max_horizon)


class InstanceSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where instances come from: `files`, or lines of a `database` in some notation.

    `where` says what columns of the database have to be: a value, a list of values, or "20..30". Of
    what fits, `every` takes one of so many, and `most` so many in all.
    """

    files: list[str] = []
    domain: str | None = None
    database: str | None = None
    where: dict[str, int | str | list[int | str]] = {}
    every: Count = 1
    most: Count | None = None
    columns: Count | None = None
    blank_first: bool = False
    group: str = ""


class _Method(msgspec.Struct, frozen=True):
    """A method as it is written; every other key is an option of its engine."""

    name: str | None = None
    engine: str = "asp"
    encoding: str | None = None
    steps: str | None = None
    metric: str | None = None
    constants: dict[str, int | str] = {}
    clingo: list[str] = []
    rewrite: bool = True
    states: bool = False
    on: list[str] = []


class SuiteEntries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    instances: list[InstanceSource]
    methods: list[dict[str, Any]]
    about: str = ""
    limits: SuiteLimits = SuiteLimits()
    repetitions: Count = 1
    seed: int | None = None


@dataclass(frozen=True)
class Trust:
    """What the caller of a suite allows its programs: running scripts, and including any file."""

    scripts: bool = False
    includes: bool = False


NO_TRUST = Trust()


@dataclass(frozen=True)
class Method:
    """An engine with its encoding, constants and options; `on` names groups of instances."""

    name: str
    engine: str
    options: EngineOptions
    encoding: str | None = None
    steps: str | None = None
    constants: Mapping[str, str] = field(default_factory=dict)
    on: tuple[str, ...] = ()

    def serves(self, group: str) -> bool:
        return not self.on or group in self.on


@dataclass(frozen=True)
class Suite:
    """What a suite says; `content` is all of it in JSON, and `toml` its text."""

    toml: TomlText
    written: SuiteEntries
    methods: tuple[Method, ...]
    content: str
    trust: Trust = NO_TRUST


def read_suite(path: str, trust: Trust = NO_TRUST) -> Suite:
    """Read and check a suite, but for its instances; `InputError` with the key and its line."""
    toml = TomlText(path, read_text(path))
    written = toml.convert(toml.data(), SuiteEntries)
    _check(toml, written)
    groups = {source.group for source in written.instances if source.group}
    limits = written.limits.limits()
    methods = tuple(_method(toml, i, t, limits, groups) for i, t in enumerate(written.methods))
    names = [method.name for method in methods]
    for i, name in enumerate(names):
        if name in names[:i]:
            hint = "give each a name of its own"
            raise toml.wrong(f"there are two of the name {name}", "methods", i, hint=hint)
    tables = [{**t, "name": n} for t, n in zip(written.methods, names, strict=True)]
    content = json.dumps({**msgspec.to_builtins(written), "methods": tables}, sort_keys=True)
    return Suite(toml, written, methods, content, trust)


def _check(toml: TomlText, written: SuiteEntries) -> None:
    if not written.name:
        raise toml.wrong("a suite has a name", "name")
    try:
        written.limits.limits().check()
    except UsageError as error:
        raise toml.wrong(error.message, "limits") from None
    for key, entries in (("instances", written.instances), ("methods", written.methods)):
        if not entries:
            raise toml.wrong("there are none", key)
    for i, source in enumerate(written.instances):
        if bool(source.files) == bool(source.database):
            raise toml.wrong("it names either files or a database", "instances", i)
        if source.database is None and (source.where or source.blank_first or source.columns):
            raise toml.wrong("only a database has columns", "instances", i)
        for column, wanted in source.where.items():
            keys = ("instances", i, "where", column)
            for text in map(str, wanted if isinstance(wanted, list) else [wanted]):
                low, dots, high = text.partition("..")
                least, most = whole(low), whole(high)
                if dots and (least is None or most is None):
                    hint = 'ranges are written "20..30"'
                    raise toml.wrong(f"{text} is no range", *keys, hint=hint)
                if dots and least > most:  # type: ignore[operator]
                    hint = f'write "{high}..{low}"'
                    raise toml.wrong(f"no number lies in {text}", *keys, hint=hint)


def _method(
    toml: TomlText, i: int, table: Mapping[str, Any], limits: Limits, groups: set[str]
) -> Method:
    own = _Method.__struct_fields__
    written = toml.convert({k: v for k, v in table.items() if k in own}, _Method, "methods", i)
    options = {k: tuple(v) if isinstance(v, list) else v for k, v in table.items() if k not in own}
    known = set(option_forms()) - _NOT_A_SUITE_S
    for key in options.keys() - known:
        hint = nearest(key, {*known, *own}, noun="keys")
        raise toml.wrong("there is no such key", "methods", i, key, hint=hint)
    for key in ("name", "on"):
        if key in table and not table[key]:
            raise toml.wrong("it is empty", "methods", i, key, hint="leave it out")
    for group in set(written.on) - groups:
        hint = nearest(group, groups, noun="groups") if groups else "give instances a group"
        raise toml.wrong(f"there is no group {group}", "methods", i, "on", hint=hint)
    options |= {"clingo": tuple(written.clingo), "no_rewrite": not written.rewrite or None}
    if written.states and written.engine != "asp":
        raise toml.wrong("it is for engine asp alone", "methods", i, "states")
    options["no_states"] = (written.engine == "asp" and not written.states) or None
    try:
        name = written.name or Path(written.encoding or "").stem or written.engine
        chosen = make_options(written.engine, options, limits)
        encoding = written.encoding and beside(toml, written.encoding)
        constants, on = read_constants(written.constants, written.metric), tuple(written.on)
        return Method(name, written.engine, chosen, encoding, written.steps, constants, on)
    except AsplanError as error:
        raise toml.wrong(error.message, "methods", i, hint=error.hint) from None


def beside(toml: TomlText, name: str) -> str:
    """The path of a file that is named from the suite's folder; where there is none, the name."""
    path = str(Path(toml.path).parent / name)
    return path if is_there(path) else name


Keys = tuple[str | int, ...]
"""What leads to a value: keys, and the numbers of tables in an array, from 0."""

Wanted = TypeVar("Wanted")


@dataclass(frozen=True)
class TomlText:
    path: str
    text: str

    def data(self) -> dict[str, Any]:
        """What it says; raises `InputError` where it is no TOML."""
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            message, _, place = str(error).partition(" (at ")
            numbers = [int(number) for number in re.findall(r"\d+", place)]
            at = Location(self.path, *(numbers if len(numbers) == 2 else (1, 1)))
            raise InputError(f"this is no TOML: {message}", at=at) from None
        except RecursionError:
            raise InputError(f"{self.path}: this is nested too deep") from None

    def convert(self, data: Any, kind: type[Wanted], *keys: str | int) -> Wanted:
        """Some of its data as a struct; raises `InputError` where they have another shape."""
        try:
            return msgspec.convert(data, kind)
        except msgspec.ValidationError as error:
            message, _, place = str(error).partition(" - at `")
            # msgspec writes keys as in $.methods[0].clingo[1]
            steps = _STEP.findall(place.rstrip("`").removeprefix("$"))
            keys = (*keys, *(int(number) if number else key for key, number in steps))
            if unknown := re.search(r"unknown field `(.+)`", message):
                keys = (*keys, unknown[1])
                message = "there is no such key"
            message = message.replace("Object missing required field", "it lacks the key")
            raise self.wrong(message.replace("Expected", "expected"), *keys) from None

    def wrong(self, message: str, *keys: str | int, hint: str = "") -> InputError:
        """An error about the value that some keys lead to."""
        named = "".join(f"[{k + 1}]" if isinstance(k, int) else f".{k}" for k in keys)
        at = Location(self.path, line_of(self.text, keys), 1)
        return InputError(f"{named.lstrip('.')}: {message}" if keys else message, at=at, hint=hint)


_TABLE = re.compile(r"\s*(\[\[?)([^\[\]]+)\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*([\w.-]+|"[^"]*"|'[^']*')\s*=""")
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")


def line_of(text: str, keys: Keys) -> int:
    """The line, from 1, of the value that keys lead to, or of the nearest table around it.

    >>> line_of('a = 1\\n[[m]]\\nb = 2\\n[[m]]\\nb = 3', ("m", 1, "b"))
    5
    """
    lines: dict[Keys, int] = {}
    counts: Counter[Keys] = Counter()
    table: Keys = ()
    for number, line in enumerate(text.splitlines(), 1):
        if match := _TABLE.match(line):
            table = _names(match[2])
            if match[1] == "[[":
                lines.setdefault(table, number)
                counts[table] += 1
                table = (*table, counts[table] - 1)
        elif match := _KEY.match(line):
            lines.setdefault((*table, *_names(match[1])), number)
            continue
        lines.setdefault(table, number)
    while keys and keys not in lines:
        keys = keys[:-1]
    return lines.get(keys, 1)


def _names(text: str) -> Keys:
    return tuple(part.strip().strip("\"'") for part in text.split("."))
