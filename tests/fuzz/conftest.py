"""The server of the attacks, and how long they are made."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from attacks import Server
from hypothesis import HealthCheck, settings

sys.setrecursionlimit(20_000)

EXAMPLES = int(os.environ.get("ASPLAN_FUZZ", "40"))
"""Attacks on each command, and boards: 40 take about a minute, 20,000 some hours."""

settings.register_profile(
    "attacks",
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()
