"""The domains that have a model in Python, by name.

A package of somebody else's brings one with an entry point in the group `asplan.domains` that names
a `Domain`; docs/domains.md shows how.
"""

from functools import cache

from asplan.core.registry import Entry, entries
from asplan.domains.base import Domain
from asplan.domains.model import Model


@cache
def domains() -> dict[str, Domain]:
    """All domains, asplan's own first; one that makes no sense is a `UsageError`."""
    found: dict[str, Domain] = {}
    notations: set[str] = set()
    for entry in entries("asplan.domains").values():
        domain = _load(entry)
        if domain.name in found:
            raise entry.refuse(f"a domain {domain.name}, which exists already")
        for name in domain.notations:
            if name in notations:
                raise entry.refuse(f"a notation {name}, which exists already")
        found[domain.name] = domain
        notations.update(domain.notations)
    return found


def find_domain(name: str) -> Domain | None:
    """The domain of a name; the others are not imported where all are asplan's own."""
    known = entries("asplan.domains")
    if any(not entry.is_own for entry in known.values()):
        return domains().get(name)
    return _load(known[name]) if name in known else None


def _load(entry: Entry) -> Domain:
    domain = entry.load_as(Domain, "a domain", "asplan.domains.Domain")
    if not domain.signatures:
        raise entry.refuse(f"a domain {domain.name} with no predicate that its instances have")
    if loose := sorted(set(domain.short_forms) - set(domain.variants)):
        why = f"a short form {loose[0]} that is none of its variants"
        raise entry.refuse(f"a domain {domain.name} with {why}")
    return domain


__all__ = ["Domain", "Model", "domains", "find_domain"]
