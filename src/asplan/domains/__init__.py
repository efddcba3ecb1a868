"""The domains that have a model in Python. The registry is this dictionary."""

from __future__ import annotations

from asplan.domains import brain_twist, rush_hour, sliding_tiles
from asplan.domains.base import Domain, Problem

DOMAINS: dict[str, Domain] = {
    domain.name: domain for domain in [rush_hour.DOMAIN, sliding_tiles.DOMAIN, brain_twist.DOMAIN]
}

__all__ = ["DOMAINS", "Domain", "Problem"]
