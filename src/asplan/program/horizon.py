"""What bounds the time of a single-shot program, `time(0..n)`, and its one value for each horizon.

A single-shot program states all times at once and fixes the last of them by a constant (`n` in
`time(0..n)`), a fact (`length(13)`), a literal range (`time(0..7)`) or enumerated facts. Whatever it
is, the program is brought to one form: a single constant, which asplan sets, bounds the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from asplan.core.errors import Location
from asplan.program.syntax import Signature


@dataclass(frozen=True)
class Horizon:
    """What bounds the time.

    Attributes
    ----------
    constant
        The constant to set: the author's own, or one of asplan's in the place of a number.
    text, at
        What the author wrote (`n`, `length(13)`, `time(0..7)`), and where.
    first
        The least value to try: the first time of the domain.
    origin
        The value at which nothing happens yet: a plan of k steps belongs to the value origin + k.
        It is the time of the initial state, which is `first` or the time before it.
    domains
        The predicates of one argument that hold for the times from a number to the value plus a
        number, as `(0,0)` for `time(0..n)` and `(0,-1)` for `step(0..n-1)`.
    """

    constant: str
    text: str
    at: Location
    first: int
    origin: int
    domains: Mapping[Signature, tuple[int, int]]

    def value(self, steps: int) -> int:
        """The value of the constant for plans of so many steps."""
        return self.origin + steps
