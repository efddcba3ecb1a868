"""The answers of clingo's own incremental mode at each horizon.

`#include <incmode>` switches on a loop that is part of clingo (`libclingo/src/incmode.cc`), but not
of the clingo that `pip` installs. Here its calls are made from Python, in its order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clingo import Control, Function, Number, Symbol, SymbolType

CAP = 400
"""So many models of a horizon are looked at; where there are more, only that there are some."""

AnswerSet = frozenset[str]


class Refused(Exception):
    """clingo does not ground the program."""


@dataclass(frozen=True)
class Horizon:
    """The answer of one round of the loop.

    Attributes
    ----------
    answers
        What each answer set shows, without `query/1`; None if there are more than `CAP`.
    cost
        That of the best answer set; empty without an objective.
    """

    satisfiable: bool
    answers: frozenset[AnswerSet] | None = frozenset()
    cost: tuple[int, ...] = ()


def loop(text: str, last: int, constants: Mapping[str, object] | None = None) -> list[Horizon]:
    """The horizons 0, 1, … up to the first that is satisfiable, or up to `last`.

    Raises
    ------
    Refused
        with clingo's words.
    """
    words = [f"-c{name}={value}" for name, value in (constants or {}).items()]
    said: list[str] = []
    try:
        control = Control(words, logger=lambda code, message: said.append(message))
        control.add("base", [], text)
        control.add("check", ["t"], "#external query(t).")
        return _horizons(control, last)
    except RuntimeError as error:
        raise Refused("; ".join([*said, str(error)])) from error


def _horizons(control: Control, last: int) -> list[Horizon]:
    found: list[Horizon] = []
    for t in range(last + 1):
        parts = [("check", [Number(t)])]
        if t > 0:
            control.release_external(_query(t - 1))
            control.cleanup()
            parts.append(("step", [Number(t)]))
        else:
            parts.append(("base", []))
        control.ground(parts)
        control.assign_external(_query(t), True)
        found.append(_solved(control))
        if found[-1].satisfiable:
            break
    return found


def _query(t: int) -> Symbol:
    return Function("query", [Number(t)])


def _solved(control: Control) -> Horizon:
    solving: Any = control.configuration.solve
    solving.models, solving.opt_mode = CAP + 1, "ignore"
    answers: set[AnswerSet] = set()
    count = 0
    with control.solve(yield_=True) as handle:
        for model in handle:
            answers.add(frozenset(str(s) for s in model.symbols(shown=True) if not _is_query(s)))
            count += 1
    if not count:
        return Horizon(False)
    return Horizon(True, frozenset(answers) if count <= CAP else None, _best(control))


def _best(control: Control) -> tuple[int, ...]:
    solving: Any = control.configuration.solve
    solving.models, solving.opt_mode = 0, "opt"
    cost = tuple[int, ...]()
    with control.solve(yield_=True) as handle:
        for model in handle:
            cost = tuple(model.cost)
            if not cost:
                break
    return cost


def _is_query(symbol: Symbol) -> bool:
    return symbol.type == SymbolType.Function and symbol.match("query", 1)
