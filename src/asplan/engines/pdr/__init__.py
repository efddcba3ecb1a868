"""Property-directed reachability: proofs about state spaces too large to list.

`frames` asks clingo about single steps and keeps what is known of the states from which a goal may
be near; `engine` drives both. What they prove is an invariant, which is checked anew.

Source: Suda, Property Directed Reachability for Automated Planning, JAIR 50 (2014); after Bradley,
SAT-Based Model Checking without Unrolling, VMCAI 2011.
"""

from __future__ import annotations

from collections.abc import Callable

from asplan.core.registry import Later
from asplan.engines.pdr.options import PdrOptions
from asplan.engines.run import Engine
from asplan.result import Result


def _solve() -> Callable[..., Result]:
    from asplan.engines.pdr.engine import solve

    return solve


ENGINE = Engine(
    Later(_solve), PdrOptions, False, "an invariant that no step to a goal breaks, or a plan"
)
