"""Random PDDL with numbers: small domains and problems as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
Draw = Callable[[st.SearchStrategy[T]], T]
Known = tuple[tuple[str, int], ...]

NUMBERS: Known = (("level", 0), ("stock", 1))
CONSTANTS: Known = (("limit", 0), ("size", 1))
ATOMS: Known = (("lit", 0), ("marked", 1))
ALL: Known = (*ATOMS, ("full", 1))


@st.composite
def numeric_pddl(draw: Draw) -> tuple[str, str]:  # type: ignore[type-arg]
    """A domain and a problem; the predicate `full` is derived."""
    actions = [_action(draw, number) for number in range(draw(st.integers(1, 3)))]
    domain = f"""
        (define (domain random)
          (:requirements :adl :derived-predicates :numeric-fluents)
          (:types thing)
          (:predicates (lit) (marked ?x - thing) (full ?x - thing))
          (:functions (level) (stock ?x - thing) (limit) (size ?x - thing))
          (:derived (full ?x - thing) {_condition(draw, ("?x",), ATOMS)})
          {" ".join(actions)})
    """
    values = " ".join(
        f"(= {name} {draw(st.sampled_from(('-1', '0', '1', '2', '0.5')))})"
        for name in ("(level)", "(stock a)", "(stock b)", "(limit)", "(size a)", "(size b)")
    )
    atoms = draw(st.sets(st.sampled_from(("(lit)", "(marked a)", "(marked b)"))))
    goal = " ".join(_condition(draw, (), ALL) for _ in range(2))
    problem = f"""
        (define (problem one) (:domain random) (:objects a b - thing)
          (:init {" ".join(sorted(atoms))} {values})
          (:goal (and {goal}))
          (:metric minimize (+ (level) (* 2 (stock a)))))
    """
    return domain, problem


def _named(draw: Draw, scope: tuple[str, ...], known: Known) -> str:  # type: ignore[type-arg]
    name, arity = draw(st.sampled_from([p for p in known if scope or not p[1]]))
    return f"({' '.join([name, *(draw(st.sampled_from(scope)) for _ in range(arity))])})"


def _expression(draw: Draw, scope: tuple[str, ...]) -> str:  # type: ignore[type-arg]
    number = _named(draw, scope, NUMBERS)
    constant = draw(st.sampled_from(("1", "2", "-1", _named(draw, scope, CONSTANTS))))
    forms = (number, constant, f"(+ {number} {constant})", f"(- {constant} {number})")
    return draw(st.sampled_from((*forms, f"(* {number} 2)", f"(/ {constant} 2)", constant)))


def _condition(  # type: ignore[type-arg]
    draw: Draw, scope: tuple[str, ...], known: Known, depth: int = 1
) -> str:
    kinds = ["atom", "not", "compare", "compare", "compare"]
    kinds += ["and", "or", "exists", "forall", "no"] if depth else []
    kind = draw(st.sampled_from(kinds))
    if kind in ("atom", "not"):
        atom = _named(draw, scope, known)
        return atom if kind == "atom" else f"(not {atom})"
    if kind == "compare":
        word = draw(st.sampled_from(("<", "<=", "=", ">=", ">")))
        return f"({word} {_named(draw, scope, NUMBERS)} {_expression(draw, scope)})"
    if kind in ("exists", "forall"):
        return f"({kind} (?z - thing) {_condition(draw, (*scope, '?z'), known, 0)})"
    if kind == "no":
        return f"(not {_condition(draw, scope, known, 0)})"
    parts = " ".join(_condition(draw, scope, known, depth - 1) for _ in range(2))
    return f"({kind} {parts})"


def _effect(draw: Draw, scope: tuple[str, ...], depth: int = 1) -> str:  # type: ignore[type-arg]
    kinds = ["add", "delete", "increase", "increase", "decrease", "assign", "scale-up"]
    kind = draw(st.sampled_from([*kinds, *(["when", "each"] if depth else [])]))
    if kind in ("add", "delete"):
        atom = _named(draw, scope, ATOMS)
        return atom if kind == "add" else f"(not {atom})"
    if kind == "when":
        return f"(when {_condition(draw, scope, ALL, 0)} {_effect(draw, scope, 0)})"
    if kind == "each":
        return f"(forall (?y - thing) {_effect(draw, (*scope, '?y'), 0)})"
    amounts = ("1", "2", "0.5", "(limit)", _expression(draw, scope))
    amount = "2" if kind == "scale-up" else draw(st.sampled_from(amounts))
    return f"({kind} {_named(draw, scope, NUMBERS)} {amount})"


def _action(draw: Draw, number: int) -> str:  # type: ignore[type-arg]
    scope = draw(st.sampled_from(((), ("?x",))))
    parameters = " ".join(f"{name} - thing" for name in scope)
    conditions = [_condition(draw, scope, ALL) for _ in range(draw(st.integers(0, 2)))]
    effects = [_effect(draw, scope) for _ in range(draw(st.integers(1, 3)))]
    return f"""(:action act{number} :parameters ({parameters})
        :precondition (and {" ".join(conditions)}) :effect (and {" ".join(effects)}))"""
