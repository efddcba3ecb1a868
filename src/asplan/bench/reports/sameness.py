"""Whether two results are of the same suite, and what else differs between them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePath
from typing import Any

from asplan.bench.records import Results, Start
from asplan.bench.reports.values import methods_of, suite_of
from asplan.errors import InputError

_FREE = ("name", "about", "repetitions", "instances")
"""What may differ in what suites say. With other words or more repetitions the trials are the same;
and of instances only names and files count, not how they were found."""

_REPETITIONS = ("repetitions",)
_CHANGES = "encoding"
"""What a method says of its encoding may change: to measure that is the purpose."""

_SHIPPED = "asplan:encodings/"

_DEEP = 20
"""No suite nests its entries so deep."""

_FEW = 4
Path = tuple[str, ...]
"""Where something stands in plain data: the keys from the outside to the inside."""

_MEND = "compare results of one suite, before and after a change"


def check_same_suite(old: Start, new: Start) -> None:
    """Raise `InputError` where two results are not of the same suite, or its instances changed."""
    found = [
        *_names("methods", old.methods, new.methods),
        *_names("instances", old.instances, new.instances),
        *_entries(old, new),
    ]
    if found:
        raise InputError(f"results of different suites: {_some(found)}", mend=_MEND)
    instances = _instance_files(old) | _instance_files(new)
    if changed := [path for path in _changed(old, new) if path in instances]:
        raise InputError(
            f"the files of instances are not the same: {_some(changed)}",
            mend="run both on the same instances",
        )


def circumstances(old: Results, new: Results) -> Iterator[str]:
    """What else differs: torn lines, files, the machine, versions and repetitions."""
    for name, results in (("old", old), ("new", new)):
        if results.torn:
            yield f"the last line of the {name} results was cut off, and is left out"
    if changed := _changed(old.start, new.start):
        yield f"changed files: {_some(changed)}"
    for what, before, after in (
        ("the machine", _flat(old.start.machine), _flat(new.start.machine)),
        ("versions", _flat(old.start.versions), _flat(new.start.versions)),
        ("the suite", _free(old.start), _free(new.start)),
    ):
        if found := list(_leaves(before, after)):
            yield f"{what} changed: {_some(found)}"


def _free(start: Start) -> dict[Path, Any]:
    """What may differ between suites, and is told."""
    said = _flat(suite_of(start))
    return {path: v for path, v in said.items() if path == _REPETITIONS or path[-1] == _CHANGES}


def _some(found: Sequence[str]) -> str:
    more = f"; and {len(found) - _FEW} more" if len(found) > _FEW else ""
    return "; ".join(islice(found, _FEW)) + more


def _names(what: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for side, own, other in (("old", old, new), ("new", new, old)):
        if lone := [name for name in own if name not in set(other)]:
            more = f" and {len(lone) - _FEW} more" if len(lone) > _FEW else ""
            yield f"{what} only in the {side} ones: {', '.join(lone[:_FEW])}{more}"


def _entries(old: Start, new: Start) -> Iterator[str]:
    """What the suites say differently, but for methods that only one of them has."""
    lone = set(old.methods) ^ set(new.methods)
    before, after = (
        {
            path: value
            for path, value in _flat(suite_of(start)).items()
            if path[0] not in _FREE and path[-1] != _CHANGES
            if path[0] != "methods" or not lone.intersection(path[1:2])
        }
        for start in (old, new)
    )
    yield from _leaves(before, after)


def _flat(value: Any, path: Path = ()) -> dict[Path, Any]:
    """The leaves of plain data by their path; of a list whose entries have names, by these."""
    if isinstance(value, list) and value and all(_has_name(entry) for entry in value):
        value = {entry["name"]: entry for entry in value}
    if isinstance(value, dict) and len(path) < _DEEP:
        inner = (_flat(own, (*path, str(key))) for key, own in value.items())
        return {leaf: own for found in inner for leaf, own in found.items()}
    return {path: value}


def _has_name(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("name"), str)


def _leaves(old: Mapping[Path, Any], new: Mapping[Path, Any]) -> Iterator[str]:
    """Where two tables differ, with both values."""
    for key in dict.fromkeys([*old, *new]):
        if old.get(key) != new.get(key):
            yield f"{'.'.join(key)}: {_shown(old.get(key))}, and {_shown(new.get(key))}"


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    return value if isinstance(value, str) else json.dumps(value)


def _changed(old: Start, new: Start) -> list[str]:
    """The files of both results whose digests differ; where paths differ, names count."""
    before, after = old.files, new.files
    if not before.keys() & after.keys():
        before, after = _by_name(before), _by_name(after)
    return [path for path in before if path in after and before[path] != after[path]]


def _by_name(files: Mapping[str, str]) -> dict[str, str]:
    """The files by their name without the folder, where no two have the same."""
    names = [PurePath(path).name for path in files]
    return {
        name: digest
        for name, digest in zip(names, files.values(), strict=True)
        if names.count(name) == 1
    }


def _instance_files(start: Start) -> set[str]:
    """The paths, and the names, of input files that are those of instances.

    They are the PDDL files, and those that an entry of the suite for instances names, or that are
    called as an instance is; but for encodings.
    """
    said = map(str, _strings(suite_of(start).get("instances")))
    stems = {PurePath(word).stem for word in (*said, *start.instances)}
    own = {str(entry.get("encoding")).partition(":")[0] for entry in methods_of(start).values()}
    found = {
        path
        for path in start.files
        if path not in own and not path.startswith(_SHIPPED)
        if PurePath(path).suffix == ".pddl" or PurePath(path).stem in stems
    }
    return found | {PurePath(path).name for path in found}


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth < _DEEP:
        for own in value.values() if isinstance(value, dict) else value:
            yield from _strings(own, depth + 1)
