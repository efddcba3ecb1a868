"""Check that two results are of the same suite, and describe other differences between them.

An entry of a suite is given by its path of keys, such as `methods`, name, `steps`.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

import msgspec

from asplan.bench.records import Results, RunStart
from asplan.bench.reports.stored_suite import methods_of, suite_of
from asplan.core.errors import InputError

_FREE_ENTRIES = ("name", "about", "repetitions", "instances")
"""The entries that may differ between two suites that count as the same.

With other texts or more repetitions the trials are the same. Sources of instances may differ,
because the names and files of the instances are compared instead.
"""

_MEASURED_KEY = "encoding"
"""The key of a method that may differ, because the effect of a changed encoding is measured."""

_MOST_NESTED = 20
"""The depth below which data are compared as a whole; no suite has entries so deep."""

_FEW = 4
"""The number of items that a message lists."""

Leaves = Mapping[tuple[str, ...], object]
"""The innermost values of nested data, by their path of keys."""


def check_same_suite(old: RunStart, new: RunStart) -> None:
    """Check that two results are of the same suite.

    Raises
    ------
    InputError
        The suites differ, or the files of their instances.
    """
    lone_methods = set(old.methods) ^ set(new.methods)
    differences = [
        *_describe_lone_names("methods", old.methods, new.methods),
        *_describe_lone_names("instances", old.instances, new.instances),
        *_describe_changes(_fixed_entries(old, lone_methods), _fixed_entries(new, lone_methods)),
    ]
    if differences:
        hint = "compare results of one suite, before and after a change"
        raise InputError(
            f"the results are of different suites: {_list_few(differences)}", hint=hint
        )
    instances = _instance_files(old) | _instance_files(new)
    changed = [path for path in _changed_files(old, new) if path in instances]
    if changed:
        hint = "run both on the same instances"
        message = f"the files of instances are not the same: {_list_few(changed)}"
        raise InputError(message, hint=hint)


def describe_circumstances(old: Results, new: Results) -> Iterator[str]:
    """Yield sentences about differences between two results that were measured with the same suite.

    They are about incomplete lines, files, machines, versions, and entries that may differ.
    """
    for name, results in (("old", old), ("new", new)):
        if results.torn:
            yield f"the last line of the {name} results was cut off, and is left out"
    changed = _changed_files(old.start, new.start)
    if changed:
        yield f"changed files: {_list_few(changed)}"
    for name, before, after in (
        ("the machine", _leaves_of(old.start.machine), _leaves_of(new.start.machine)),
        ("versions", _leaves_of(old.start.versions), _leaves_of(new.start.versions)),
        ("the suite", _reported_entries(old.start), _reported_entries(new.start)),
    ):
        changes = list(_describe_changes(before, after))
        if changes:
            yield f"{name} changed: {_list_few(changes)}"


def _suite_leaves(start: RunStart) -> Leaves:
    return _leaves_of(suite_of(start, dict[str, object]))


def _fixed_entries(start: RunStart, lone_methods: set[str]) -> Leaves:
    """Return the entries of a suite that must be equal in both suites.

    Entries of `lone_methods`, which only one side has, are omitted; other messages name these
    methods.
    """
    fixed = {}
    for path, value in _suite_leaves(start).items():
        is_free = path[0] in _FREE_ENTRIES or path[-1] == _MEASURED_KEY
        is_lone = path[0] == "methods" and not lone_methods.isdisjoint(path[1:2])
        if not is_free and not is_lone:
            fixed[path] = value
    return fixed


def _reported_entries(start: RunStart) -> Leaves:
    """Return the entries that may differ between comparable suites, though they affect times."""
    return {
        path: value
        for path, value in _suite_leaves(start).items()
        if path == ("repetitions",) or path[-1] == _MEASURED_KEY
    }


def _list_few(items: Sequence[str]) -> str:
    more = f"; and {len(items) - _FEW} more" if len(items) > _FEW else ""
    return "; ".join(items[:_FEW]) + more


def _describe_lone_names(noun: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for side, names, others in (("old", old, new), ("new", new, old)):
        lone = [name for name in names if name not in set(others)]
        if lone:
            more = f" and {len(lone) - _FEW} more" if len(lone) > _FEW else ""
            yield f"{noun} only in the {side} ones: {', '.join(lone[:_FEW])}{more}"


def _leaves_of(value: object, path: tuple[str, ...] = ()) -> Leaves:
    """Return the innermost values of nested data by their path of keys.

    Tables in a list are identified by their names, if all have one; any other list is one value.
    `path` is the path of the data themselves.
    """
    entries = _entries_of(value)
    if entries is None or len(path) >= _MOST_NESTED:
        return {path: value}
    leaves: dict[tuple[str, ...], object] = {}
    for key, entry in entries.items():
        leaves |= _leaves_of(entry, (*path, key))
    return leaves


def _entries_of(value: object) -> Mapping[str, object] | None:
    """Return the entries of a table by key, or of a list of named tables by name; else None."""
    if isinstance(value, dict):
        return {str(key): entry for key, entry in value.items()}
    if not isinstance(value, list) or not value:
        return None
    names = [entry.get("name") if isinstance(entry, dict) else None for entry in value]
    if not all(isinstance(name, str) for name in names):
        return None
    return dict(zip(map(str, names), value, strict=True))


def _describe_changes(old: Leaves, new: Leaves) -> Iterator[str]:
    for path in dict.fromkeys([*old, *new]):
        before = old.get(path)
        after = new.get(path)
        if before != after:
            yield f"{'.'.join(path)}: {_in_words(before)}, and {_in_words(after)}"


def _in_words(value: object) -> str:
    if value is None:
        return "nothing"
    return value if isinstance(value, str) else json.dumps(value)


def _changed_files(old: RunStart, new: RunStart) -> list[str]:
    """Return the files that occur in both results, but with different digests.

    If the results have no path in common, files are compared by their names without folders.
    """
    before: Mapping[str, str] = old.files
    after: Mapping[str, str] = new.files
    if before.keys().isdisjoint(after):
        before = _digests_by_name(before)
        after = _digests_by_name(after)
    return [path for path in before if path in after and before[path] != after[path]]


def _digests_by_name(files: Mapping[str, str]) -> dict[str, str]:
    """Map file names without folders to digests; names that occur twice are omitted."""
    counts = Counter(PurePath(path).name for path in files)
    digests = {PurePath(path).name: digest for path, digest in files.items()}
    return {name: digest for name, digest in digests.items() if counts[name] == 1}


class _Source(msgspec.Struct):
    files: list[str] = []
    domain: str | None = None
    database: str | None = None


class _Sources(msgspec.Struct):
    instances: list[_Source] = []


def _instance_files(start: RunStart) -> set[str]:
    """Return the paths of the files of instances, and also their names without folders.

    These are PDDL files, and files named like a source or an instance, unless a method uses them as
    its encoding.
    """
    stems = _source_stems(start)
    encodings = {
        str(entry.get("encoding")).partition(":")[0] for entry in methods_of(start).values()
    }
    files: set[str] = set()
    for path in start.files:
        if path in encodings or path.startswith("asplan:encodings/"):
            continue
        if PurePath(path).suffix == ".pddl" or PurePath(path).stem in stems:
            files |= {path, PurePath(path).name}
    return files


def _source_stems(start: RunStart) -> set[str]:
    """Return the names of all instances and of all files in their sources, without suffixes."""
    words = list(start.instances)
    for source in suite_of(start, _Sources).instances:
        words += source.files
        words += [source.domain or "", source.database or ""]
    return {PurePath(word).stem for word in words if word}
