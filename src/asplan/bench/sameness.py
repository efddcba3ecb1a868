"""Whether two results are of the same suite, and what else differs between them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePath
from typing import Any

from asplan.bench.records import Results, Start
from asplan.bench.values import suite_of
from asplan.errors import InputError

_FREE = ("name", "repetitions", "groups")
"""What may differ between suites: with other names or more repetitions the trials are the same."""

_FEW = 4
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
    repetitions = [
        {"repetitions": suite_of(start).get("repetitions")} for start in (old.start, new.start)
    ]
    pairs: list[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = [
        ("the machine", old.start.machine, new.start.machine),
        ("versions", old.start.versions, new.start.versions),
        ("the suite", repetitions[0], repetitions[1]),
    ]
    for what, before, after in pairs:
        if found := list(_leaves(before, after)):
            yield f"{what} changed: {_some(found)}"


def _some(found: Sequence[str]) -> str:
    more = f"; and {len(found) - _FEW} more" if len(found) > _FEW else ""
    return "; ".join(islice(found, _FEW)) + more


def _names(what: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for side, own, other in (("old", old, new), ("new", new, old)):
        if lone := [name for name in own if name not in set(other)]:
            more = f" and {len(lone) - _FEW} more" if len(lone) > _FEW else ""
            yield f"{what} only in the {side} ones: {', '.join(lone[:_FEW])}{more}"


def _entries(old: Start, new: Start) -> Iterator[str]:
    """What the suites say differently, but for methods and instances that only one of them has."""
    lone = {
        what: set(getattr(old, what)) ^ set(getattr(new, what)) for what in ("methods", "instances")
    }
    said: list[dict[str, Any]] = [
        {
            ".".join(path): value
            for path, value in _flat(suite_of(start)).items()
            if not (names := lone.get(path[0])) or (path[1:] and path[1] not in names)
        }
        for start in (old, new)
    ]
    yield from _leaves(*said)


def _flat(value: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """The leaves of plain data by their path; of a list whose entries have names, by these."""
    if isinstance(value, list) and value and all(_has_name(entry) for entry in value):
        value = {entry["name"]: entry for entry in value}
    if not isinstance(value, dict):
        return {path: value}
    inner = (_flat(own, (*path, str(key))) for key, own in value.items())
    if path == ():
        inner = (_flat(own, (str(key),)) for key, own in value.items() if key not in _FREE)
    return {leaf: own for found in inner for leaf, own in found.items()}


def _has_name(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("name"), str)


def _leaves(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Where two tables differ, with both values."""
    for key in dict.fromkeys([*old, *new]):
        if old.get(key) != new.get(key):
            yield f"{key}: {_shown(old.get(key))}, and {_shown(new.get(key))}"


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
    called as an instance is.
    """
    said = map(str, _strings(suite_of(start).get("instances")))
    stems = {PurePath(word).stem for word in (*said, *start.instances)}
    found = {p for p in start.files if PurePath(p).suffix == ".pddl" or PurePath(p).stem in stems}
    return found | {PurePath(path).name for path in found}


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for own in value.values() if isinstance(value, dict) else value:
            yield from _strings(own)
