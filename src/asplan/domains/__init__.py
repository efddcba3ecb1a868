"""The domains that have a model in Python, by name.

Another package adds a domain by an entry point in the group `asplan.domains` that names a
`Domain`; docs/domains.md shows how.
"""

from functools import cache

from asplan.core.registry import RegistryEntry, entries
from asplan.domains.base import Domain
from asplan.domains.model import Model


@cache
def domains() -> dict[str, Domain]:
    """Return all domains by name, asplan's own first; raise `UsageError` for an invalid domain."""
    by_name: dict[str, Domain] = {}
    notations: set[str] = set()
    for entry in entries("asplan.domains").values():
        domain = _load(entry)
        if domain.name in by_name:
            raise entry.refuse(f"a domain {domain.name}, which exists already")
        for name in domain.notations:
            if name in notations:
                raise entry.refuse(f"a notation {name}, which exists already")
        by_name[domain.name] = domain
        notations.update(domain.notations)
    return by_name


def find_domain(name: str) -> Domain | None:
    """Return the domain with a name; None if there is none.

    No other domain is imported, unless another package adds domains: then all are imported and
    checked.
    """
    own_and_others = entries("asplan.domains")
    if any(not entry.is_own for entry in own_and_others.values()):
        return domains().get(name)
    if name not in own_and_others:
        return None
    return _load(own_and_others[name])


def _load(entry: RegistryEntry) -> Domain:
    domain = entry.load_as(Domain, "a domain", "asplan.domains.Domain")
    if not domain.signatures:
        raise entry.refuse(f"a domain {domain.name} with no predicate that its instances have")
    for short_form in sorted(domain.short_forms):
        if short_form not in domain.variants:
            why = f"a short form {short_form}, which is not one of its variants"
            raise entry.refuse(f"a domain {domain.name} with {why}")
    return domain


__all__ = ["Domain", "Model", "domains", "find_domain"]
