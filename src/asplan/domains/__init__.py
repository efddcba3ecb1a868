"""The domains that have a model in Python, by name.

A package of somebody else's brings one with an entry point in the group `asplan.domains` that names
a `Domain`; docs/domains.md shows how.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from asplan.domains import brain_twist, rush_hour, sliding_tiles
from asplan.domains.base import Domain
from asplan.domains.model import Model
from asplan.errors import UsageError
from asplan.pddl import task as pddl

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "asplan.domains"

_OWN = (rush_hour.DOMAIN, sliding_tiles.DOMAIN, brain_twist.DOMAIN, pddl.DOMAIN)


@cache
def domains() -> dict[str, Domain]:
    """All domains, asplan's own first.

    Raises
    ------
    UsageError
        A package brings one that cannot be loaded, or whose name exists.
    """
    found = {domain.name: domain for domain in _OWN}
    for point in _points():
        domain = _load(point)
        _check_sane(point, domain)
        _check_new(point, "domain", domain.name, found)
        for name in domain.notations:
            _check_new(point, "notation", name, {n for d in found.values() for n in d.notations})
        found[domain.name] = domain
    return found


def _points() -> Iterable[EntryPoint]:
    """The domains of other packages, by name.

    Most often there are none. To see that, looking for the group's name is enough, and takes a
    small part of the time in which `importlib.metadata` is imported and reads all packages.
    """
    if not _may_be_some():
        return []
    from importlib.metadata import entry_points

    return sorted(entry_points(group=GROUP), key=lambda point: point.name)


def _may_be_some() -> bool:
    """Whether some installed package names the group, or is where only Python's own way leads."""
    if any(hasattr(f, "find_distributions") for f in sys.meta_path if f is not PathFinder):
        return True
    for folder in map(Path, dict.fromkeys(sys.path)):
        if folder.is_file() or folder.suffix == ".egg":
            return True
        for file in folder.glob("*.*-info/entry_points.txt"):
            with suppress(OSError):
                if GROUP in file.read_text(encoding="utf-8", errors="replace"):
                    return True
    return False


def _check_new(point: EntryPoint, kind: str, name: str, known: Collection[str]) -> None:
    if name in known:
        raise UsageError(
            f"{_package(point)} brings a {kind} {name}, which exists already", mend=_mend(point)
        )


def _check_sane(point: EntryPoint, domain: Domain) -> None:
    wrong = ""
    if not domain.signatures:
        wrong = "no predicate that its instances have"
    elif loose := sorted(set(domain.short_forms) - set(domain.variants)):
        wrong = f"a short form {loose[0]} that is none of its variants"
    if wrong:
        raise UsageError(
            f"{_package(point)} brings a domain {domain.name} with {wrong}", mend=_mend(point)
        )


def _load(point: EntryPoint) -> Domain:
    try:
        domain = point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # even one that would end the command
        why = error if isinstance(error, Exception) else repr(error)
        raise UsageError(
            f"{_package(point)} brings a domain {point.name}, but {point.value} cannot be "
            f"imported: {why}",
            mend=_mend(point),
        ) from error
    if not isinstance(domain, Domain):
        raise UsageError(
            f"{_package(point)} brings a domain {point.name}, but {point.value} is no "
            "asplan.domains.Domain",
            mend=_mend(point),
        )
    return domain


def _package(point: EntryPoint) -> str:
    return f"the package {point.dist.name} {point.dist.version}" if point.dist else "a package"


def _mend(point: EntryPoint) -> str:
    name = point.dist.name if point.dist else "PACKAGE"
    return f"mend that package, or take it out: pip uninstall {name}"


__all__ = ["Domain", "Model", "domains"]
