"""The interface to clingo: terms, controls, models, observers, propagators and the application.

Only this module and `asplan.program.syntax`, which knows the syntax trees, import clingo. A port to
clingo 6, whose objects all belong to a library, changes these two; `docs/clingo.md` lists the
differences.

`Control.statistics` turns a tree of a hundred numbers into Python objects, which takes longer
than most solve calls of an incremental search. `read_counters` reads single leaves, with the
functions of clingo's C interface on which `Control.statistics` is built.

>>> move = parse_term("move(r,right,2)")
>>> move == Function("move", [Function("r"), Function("right"), Number(2)])
True
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from clingo import (
    Application,
    Backend,
    BackendType,
    Control,
    Function,
    Infimum,
    MessageCode,
    Model,
    Number,
    Observer,
    PropagateControl,
    PropagateInit,
    Propagator,
    PropagatorCheckMode,
    SolveHandle,
    SolveResult,
    String,
    Supremum,
    Symbol,
    SymbolicAtom,
    SymbolicAtoms,
    SymbolType,
    TheoryAtom,
    TheoryElement,
    TheoryTerm,
    TheoryTermType,
    TruthValue,
    _internal,
    clingo_main,
    parse_term,
)
from clingo import __version__ as VERSION

__all__ = [
    "VERSION",
    "Application",
    "Backend",
    "BackendType",
    "Control",
    "Function",
    "Infimum",
    "MessageCode",
    "Model",
    "Number",
    "Observer",
    "PropagateControl",
    "PropagateInit",
    "Propagator",
    "PropagatorCheckMode",
    "SolveHandle",
    "SolveResult",
    "String",
    "Supremum",
    "Symbol",
    "SymbolType",
    "SymbolicAtom",
    "SymbolicAtoms",
    "TheoryAtom",
    "TheoryElement",
    "TheoryTerm",
    "TheoryTermType",
    "TruthValue",
    "clingo_main",
    "control_options",
    "open_control",
    "parse_term",
    "read_counters",
]

Logger = Callable[[MessageCode, str], None]
"""A function that takes clingo's messages: the kind of the message and its text."""

_c_call: Any = vars(_internal)["_c_call"]  # clingo's C interface has no types
_lib: Any = vars(_internal)["_lib"]  # clingo's C interface has no types


def control_options(constants: Mapping[str, str]) -> list[str]:
    """Return the command-line options for clingo that set constants to values."""
    return [f"-c{name}={value}" for name, value in constants.items()]


def open_control(options: Iterable[str] = (), logger: Logger | None = None) -> Control:
    """Return a new control with command-line options.

    `logger` is called with clingo's messages; without it they go to standard error.
    """
    return Control(list(options), logger=logger)


def read_counters(control: Control, branch: tuple[str, ...], names: Iterable[str]) -> list[int]:
    """Return the values of the statistics `names` of the last solve call.

    `branch` is the path to them in the tree of statistics, such as `("problem", "lp")`.
    """
    statistics = _c_call("clingo_statistics_t*", _lib.clingo_control_statistics, control._rep)

    def below(key: int, name: str) -> int:
        at = _lib.clingo_statistics_map_at
        child: int = _c_call("uint64_t", at, statistics, key, name.encode())
        return child

    key = _c_call("uint64_t", _lib.clingo_statistics_root, statistics)
    for name in branch:
        key = below(key, name)
    value = _lib.clingo_statistics_value_get
    return [int(_c_call("double", value, statistics, below(key, name))) for name in names]
