"""Suites: the methods to run, the instances to run them on, and the limits of each trial.

A suite is a TOML file; docs/benchmarks.md describes it. Errors name the key and its line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated

import msgspec

from asplan.api import read_constants
from asplan.bench.toml_text import Keys, TomlText
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, UsageError, nearest
from asplan.core.files import is_there, read_text
from asplan.core.limits import Limits
from asplan.core.text import parse_natural
from asplan.engines import find_engine, make_options, option_forms
from asplan.engines.options import EngineOptions

Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=1e9)]

# Engine options that are not keys of a method: the keys `rewrite` and `states` replace two of them,
# and a suite names no output files.
_OPTIONS_WITHOUT_KEY = {"no_rewrite", "no_states", "proof"}


class SuiteLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of each trial.

    `seconds` limits wall-clock time. `cpu_seconds` limits the processor time of each process, in
    whole seconds.
    """

    seconds: Seconds | None = None
    cpu_seconds: Count | None = None
    megabytes: Count | None = None
    min_horizon: int = 0
    max_horizon: int | None = None

    def limits(self) -> Limits:
        """Return the limits that engines observe themselves: all except processor time."""
        return Limits(self.seconds, self.megabytes, self.min_horizon, self.max_horizon)


class InstanceSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A source of instances: `files`, or the lines of a `database` in some notation.

    `where` maps columns of the database to a value, a list of values, or a range "20..30". Only
    instances that satisfy all these conditions are used. Of these, every `every`-th instance is
    taken, and at most `most` in all.
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


class _MethodEntry(msgspec.Struct, frozen=True):
    """A method as written in a suite; every key that is not a field is an option of its engine."""

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
    """The entries of a suite as written in its file."""

    name: str
    instances: list[InstanceSource]
    methods: list[dict[str, object]]
    about: str = ""
    limits: SuiteLimits = SuiteLimits()
    repetitions: Count = 1
    seed: int | None = None


@dataclass(frozen=True)
class Trust:
    """Permissions for the programs of a suite: to run scripts, and to include files anywhere."""

    scripts: bool = False
    includes: bool = False


NO_TRUST = Trust()


@dataclass(frozen=True)
class BenchMethod:
    """An engine with its encoding, constants and options.

    `on` names the groups of instances on which the method runs; empty for all instances.
    """

    name: str
    engine: str
    options: EngineOptions
    encoding: str | None = None
    steps: str | None = None
    constants: Mapping[str, str] = field(default_factory=dict)
    on: tuple[str, ...] = ()

    @property
    def encoding_name(self) -> str:
        """The encoding, without the constants that may follow after a colon."""
        return (self.encoding or "").partition(":")[0]

    def runs_on(self, group: str) -> bool:
        """Return whether the method runs on the instances of a group."""
        return not self.on or group in self.on


@dataclass(frozen=True)
class Suite:
    """A suite that has been checked.

    `content` is the suite as JSON, with the names of all methods; it is equal for two suites with
    equal entries.
    """

    toml: TomlText
    entries: SuiteEntries
    methods: tuple[BenchMethod, ...]
    content: str
    trust: Trust = NO_TRUST


def read_suite(path: str, trust: Trust = NO_TRUST) -> Suite:
    """Read and check a suite; its instances are read later, by `instances.instances_of`.

    Raises
    ------
    InputError
        The suite is wrong; the error names the key and its line.
    """
    toml = TomlText(path, read_text(path))
    entries = toml.convert(toml.parse(), SuiteEntries)
    _check_entries(toml, entries)
    methods = tuple(_read_method(toml, entries, i) for i in range(len(entries.methods)))
    names = [method.name for method in methods]
    for i, name in enumerate(names):
        if name in names[:i]:
            hint = "give one of them another name"
            raise toml.error_at(f"another method has the name {name}, too", "methods", i, hint=hint)
    named_methods = [
        {**entry, "name": name} for entry, name in zip(entries.methods, names, strict=True)
    ]
    content = {**msgspec.to_builtins(entries), "methods": named_methods}
    return Suite(toml, entries, methods, json.dumps(content, sort_keys=True), trust)


def _check_entries(toml: TomlText, entries: SuiteEntries) -> None:
    if not entries.name:
        raise toml.error_at("the name of the suite is empty", "name")
    try:
        entries.limits.limits().check()
    except UsageError as error:
        raise toml.error_at(error.message, "limits") from None
    if not entries.instances:
        raise toml.error_at("the suite needs at least one instance", "instances")
    if not entries.methods:
        raise toml.error_at("the suite needs at least one method", "methods")
    for i, source in enumerate(entries.instances):
        _check_source(toml, source, i)


def _check_source(toml: TomlText, source: InstanceSource, i: int) -> None:
    if source.files and source.database:
        raise toml.error_at("give either files or a database, not both", "instances", i)
    if not source.files and not source.database:
        raise toml.error_at("files or a database is missing", "instances", i)
    for key in ("where", "blank_first", "columns"):
        if getattr(source, key) and source.database is None:
            message = f"{key} is allowed only together with database"
            raise toml.error_at(message, "instances", i)
    for column, condition in source.where.items():
        values = condition if isinstance(condition, list) else [condition]
        for value in values:
            _check_range(toml, str(value), ("instances", i, "where", column))


def _check_range(toml: TomlText, text: str, keys: Keys) -> None:
    if not is_range(text):
        return
    ends = range_ends(text)
    if ends is None:
        hint = 'ranges are written "20..30"'
        raise toml.error_at(f"{text} is not a range", *keys, hint=hint)
    low, high = ends
    if low > high:
        first, _, last = text.partition("..")
        hint = f'write "{last}..{first}"'
        raise toml.error_at(f"the range {text} is the wrong way round", *keys, hint=hint)


def is_range(text: str) -> bool:
    """Return whether a condition on a column is written as a range, such as "20..30"."""
    return ".." in text


def range_ends(text: str) -> tuple[int, int] | None:
    """Return the least and the greatest number of a range; None if an end is not a number.

    >>> range_ends("20..30")
    (20, 30)
    """
    first, _, last = text.partition("..")
    low = parse_natural(first)
    high = parse_natural(last)
    if low is None or high is None:
        return None
    return low, high


def _read_method(toml: TomlText, entries: SuiteEntries, i: int) -> BenchMethod:
    table = entries.methods[i]
    keys = _MethodEntry.__struct_fields__
    own = {key: value for key, value in table.items() if key in keys}
    options = {key: value for key, value in table.items() if key not in keys}
    entry = toml.convert(own, _MethodEntry, "methods", i)
    known_options = set(option_forms()) - _OPTIONS_WITHOUT_KEY
    for key in options.keys() - known_options:
        hint = nearest(key, {*known_options, *keys}, noun="keys")
        raise toml.error_at("there is no such key", "methods", i, key, hint=hint)
    if ".py:" in str(options.get("heuristic", "")):
        hint = "asplan grade --heuristic compares heuristics of your own"
        raise toml.error_at(
            "a suite cannot run a heuristic from a Python file",
            "methods",
            i,
            "heuristic",
            hint=hint,
        )
    for key in ("name", "on"):
        if key in table and not table[key]:
            raise toml.error_at("it is empty", "methods", i, key, hint="leave it out")
    _check_groups(toml, entries, entry, i)
    if entry.states and entry.engine != "asp":
        hint = "leave it out"
        raise toml.error_at("only engine asp has states", "methods", i, "states", hint=hint)
    try:
        method = _make_method(toml, entry, options, entries.limits.limits())
    except AsplanError as error:
        raise toml.error_at(error.message, "methods", i, hint=error.hint) from None
    _refuse_encoding(toml, method, i)
    return method


def _refuse_encoding(toml: TomlText, method: BenchMethod, i: int) -> None:
    """Raise `InputError` if an encoding is chosen for an engine that uses none."""
    engine = find_engine(method.engine)
    key = ""
    if method.encoding and not engine.takes_encoding:
        key = "encoding"
    elif method.steps and not engine.takes_steps:
        key = "steps"
    if key:
        message = f"engine {method.engine} uses no encoding"
        raise toml.error_at(message, "methods", i, key, hint="leave it out")


def _check_groups(
    toml: TomlText,
    entries: SuiteEntries,
    entry: _MethodEntry,
    i: int,
) -> None:
    groups = {source.group for source in entries.instances if source.group}
    for group in entry.on:
        if group not in groups:
            hint = "no instances have a group: add one to [[instances]]"
            if groups:
                hint = nearest(group, groups, noun="groups")
            raise toml.error_at(f"there is no group {group}", "methods", i, "on", hint=hint)


def _make_method(
    toml: TomlText,
    entry: _MethodEntry,
    options: Mapping[str, object],
    limits: Limits,
) -> BenchMethod:
    given: dict[str, object] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in options.items()
    }
    given["clingo"] = tuple(entry.clingo)
    given["no_rewrite"] = None if entry.rewrite else True
    # Other engines have no such option.
    without_states = entry.engine == "asp" and not entry.states
    given["no_states"] = True if without_states else None
    return BenchMethod(
        name=entry.name or Path(entry.encoding or "").stem or entry.engine,
        engine=entry.engine,
        options=make_options(entry.engine, given, limits),
        encoding=resolve_path(toml, entry.encoding) if entry.encoding else entry.encoding,
        steps=entry.steps,
        constants=read_constants(entry.constants, entry.metric),
        on=tuple(entry.on),
    )


def resolve_path(toml: TomlText, name: str) -> str:
    """Return the path of a file that is named relative to the suite's folder.

    If there is no such file, the name is returned unchanged.
    """
    path = str(Path(toml.path).parent / name)
    return path if is_there(path) else name
