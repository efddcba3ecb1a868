"""Random PDDL: small domains and problems as text, with most features of the language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
Draw = Callable[[st.SearchStrategy[T]], T]

BASIC = (("lit", 0), ("marked", 1), ("near", 2))
DERIVED = (("good", 1), ("ready", 0))
OBJECTS = ("a", "b")
CONSTANTS = OBJECTS[:1]
"""What the domain may name."""


@st.composite
def pddl(draw: Draw) -> tuple[str, str]:  # type: ignore[type-arg]
    """A domain and a problem."""
    actions = [_action(draw, number) for number in range(draw(st.integers(1, 3)))]
    rules = [
        f"(:derived (good ?x - thing) {_condition(draw, ('?x',), BASIC)})",
        f"(:derived (ready) {_condition(draw, (), (*BASIC, DERIVED[0]))})",
    ]
    domain = f"""
        (define (domain random)
          (:requirements :adl :derived-predicates :action-costs)
          (:types thing)
          (:constants a - thing)
          (:predicates (lit) (marked ?x - thing) (near ?x ?y - thing) (good ?x - thing) (ready))
          (:functions (total-cost) - number)
          {" ".join(rules)}
          {" ".join(actions)})
    """
    atoms = [_written(name, arguments) for name, arity in BASIC for arguments in _rows(arity)]
    initial = draw(st.lists(st.sampled_from(atoms), unique=True, max_size=4))
    known = (*BASIC, *DERIVED)
    goal = " ".join(_condition(draw, (), known) for _ in range(draw(st.integers(1, 2))))
    problem = f"""
        (define (problem one) (:domain random) (:objects b - thing)
          (:init {" ".join(initial)} (= (total-cost) 0))
          (:goal (and {goal}))
          (:metric minimize (total-cost)))
    """
    return domain, problem


def _rows(arity: int) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [()]
    for _ in range(arity):
        rows = [(*row, name) for row in rows for name in OBJECTS]
    return rows


def _written(name: str, arguments: Sequence[str]) -> str:
    return f"({' '.join([name, *arguments])})"


def _atom(draw: Draw, terms: Sequence[str], known: Sequence[tuple[str, int]]) -> str:  # type: ignore[type-arg]
    name, arity = draw(st.sampled_from([p for p in known if terms or not p[1]]))
    return _written(name, [draw(st.sampled_from(terms)) for _ in range(arity)])


def _condition(  # type: ignore[type-arg]
    draw: Draw, scope: tuple[str, ...], known: Sequence[tuple[str, int]], depth: int = 2
) -> str:
    kinds = ["atom", "atom", "not"] + (["and", "or", "exists", "forall", "imply"] if depth else [])
    if len(scope) > 1:
        kinds.append("equal")
    kind = draw(st.sampled_from(kinds))
    if kind == "equal":
        return f"(= {scope[0]} {scope[1]})"
    if kind in ("atom", "not"):
        atom = _atom(draw, (*scope, *CONSTANTS), known)
        return atom if kind == "atom" else f"(not {atom})"
    if kind in ("exists", "forall"):
        name = f"?z{depth}"
        return f"({kind} ({name} - thing) {_condition(draw, (*scope, name), known, depth - 1)})"
    parts = [_condition(draw, scope, known, depth - 1) for _ in range(2)]
    return f"({kind} {' '.join(parts)})"


def _action(draw: Draw, number: int) -> str:  # type: ignore[type-arg]
    scope = ("?x", "?y")[: draw(st.integers(0, 2))]
    known = (*BASIC, *DERIVED)
    effects = " ".join(_effect(draw, scope) for _ in range(draw(st.integers(1, 3))))
    parameters = f"({' '.join(scope)} - thing)" if scope else "()"
    return f"""
        (:action act{number} :parameters {parameters}
          :precondition {_condition(draw, scope, known)}
          :effect (and {effects} (increase (total-cost) {draw(st.integers(0, 2))})))
    """


def _effect(draw: Draw, scope: tuple[str, ...]) -> str:  # type: ignore[type-arg]
    kind = draw(st.sampled_from(["plain", "plain", "when", "forall"]))
    if kind == "forall":
        return f"(forall (?z - thing) {_conditional(draw, (*scope, '?z'))})"
    return _conditional(draw, scope) if kind == "when" else _change(draw, scope)


def _conditional(draw: Draw, scope: tuple[str, ...]) -> str:  # type: ignore[type-arg]
    condition = _condition(draw, scope, (*BASIC, *DERIVED), depth=1)
    return f"(when {condition} {_change(draw, scope)})"


def _change(draw: Draw, scope: tuple[str, ...]) -> str:  # type: ignore[type-arg]
    atom = _atom(draw, (*scope, *CONSTANTS), BASIC)
    return atom if draw(st.booleans()) else f"(not {atom})"
