"""What clingo grounds, as it is told to an observer, and a few of its counters.

`Control.statistics` turns a tree of a hundred numbers into Python objects, which takes longer
than most solve calls of an incremental search. `read_counters` reads single leaves, with the
functions of clingo's C interface that `Control.statistics` is made of.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from clingo import Control, Observer, Symbol, _internal

from asplan.program.incremental import is_helper

Rule = tuple[bool, Sequence[int], Sequence[int]]
"""Whether it is a choice, its head, its body; literals are numbers, negative where negated."""

Sum = tuple[bool, Sequence[int], int, Sequence[tuple[int, int]]]
"""The same with a body that asks for a sum: its least value, and the literals with weights."""


@dataclass
class Shown(Observer):
    """What is shown: atoms with their literals (0 is a fact's), and terms with their conditions."""

    shown: list[tuple[Symbol, int]] = field(default_factory=list)
    terms: list[tuple[Symbol, Sequence[int]]] = field(default_factory=list)

    def output_atom(self, symbol: Symbol, atom: int) -> None:
        if not is_helper(symbol):
            self.shown.append((symbol, atom))

    def output_term(self, symbol: Symbol, condition: Sequence[int]) -> None:
        self.terms.append((symbol, condition))


@dataclass
class Ground(Shown):
    """What was grounded since the last `clear`; `constraints` are bodies without a head."""

    constraints: list[Sequence[int]] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    sums: list[Sum] = field(default_factory=list)
    disjunctive: bool = False

    def clear(self) -> None:
        for seen in (self.constraints, self.rules, self.sums, self.shown, self.terms):
            seen.clear()

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        if head:
            self.rules.append((choice, head, body))
            self.disjunctive |= len(head) > 1 and not choice
        else:
            self.constraints.append(body)

    def weight_rule(
        self, choice: bool, head: Sequence[int], lower_bound: int, body: Sequence[tuple[int, int]]
    ) -> None:
        self.sums.append((choice, head, lower_bound, body))


_c_call: Any = vars(_internal)["_c_call"]
_lib: Any = vars(_internal)["_lib"]


def read_counters(control: Control, branch: tuple[str, ...], names: Iterable[str]) -> list[int]:
    """The counters with these names under a branch, `("problem", "lp")` say, of the last call."""
    statistics = _c_call("clingo_statistics_t*", _lib.clingo_control_statistics, control._rep)

    def below(key: Any, name: str) -> Any:
        at = _lib.clingo_statistics_map_at
        return _c_call("uint64_t", at, statistics, key, name.encode())

    key = _c_call("uint64_t", _lib.clingo_statistics_root, statistics)
    for name in branch:
        key = below(key, name)
    value = _lib.clingo_statistics_value_get
    return [int(_c_call("double", value, statistics, below(key, name))) for name in names]
