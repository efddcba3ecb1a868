"""The domains that have a model in Python, by name.

A package of somebody else's brings one with an entry point in the group `asplan.domains` that names
a `Domain`; docs/domains.md shows how.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from asplan.domains.base import Domain
from asplan.domains.model import Model
from asplan.errors import UsageError
from asplan.registry import Entry, entries


@cache
def domains() -> dict[str, Domain]:
    """All domains, asplan's own first.

    Raises
    ------
    UsageError
        A package brings one that cannot be loaded, or whose name exists.
    """
    found: dict[str, Domain] = {}
    notations: set[str] = set()
    for entry in entries("asplan.domains").values():
        domain = _load(entry)
        _check_sane(entry, domain)
        _check_new(entry, "domain", [domain.name], found)
        _check_new(entry, "notation", domain.notations, notations)
        found[domain.name] = domain
        notations.update(domain.notations)
    return found


def _check_new(entry: Entry, kind: str, names: Collection[str], known: Collection[str]) -> None:
    for name in names:
        if name in known:
            raise entry.refuse(f"a {kind} {name}, which exists already")


def _check_sane(entry: Entry, domain: Domain) -> None:
    if not domain.signatures:
        raise entry.refuse(f"a domain {domain.name} with no predicate that its instances have")
    if loose := sorted(set(domain.short_forms) - set(domain.variants)):
        why = f"a short form {loose[0]} that is none of its variants"
        raise entry.refuse(f"a domain {domain.name} with {why}")


def _load(entry: Entry) -> Domain:
    try:
        domain = entry.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # even one that would end the command
        why = error if isinstance(error, Exception) else repr(error)
        raise _unusable(entry, f"cannot be imported: {why}") from error
    if not isinstance(domain, Domain):
        raise _unusable(entry, "is no asplan.domains.Domain")
    return domain


def _unusable(entry: Entry, why: str) -> UsageError:
    return entry.refuse(f"a domain {entry.name}, but {entry.place} {why}")


__all__ = ["Domain", "Model", "domains"]
