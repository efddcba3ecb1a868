"""The facts of an instance in another order, so that solvers search in another way."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from asplan.program.plain import PlainFacts
from asplan.program.unit import Unit


def reordered(facts: Iterable[str], order: int, file: str) -> Unit:
    """The unit of some facts, each with its dot, in the order that a number draws.

    It depends on the set of facts alone, not on how they were written.
    """
    lines = sorted(facts)
    Random(order).shuffle(lines)
    return Unit((), (PlainFacts(file, "\n".join(lines) + "\n"),))
