"""Random PDDL in which things move: most of it keeps each at one place, and some of it does not.

Actions need, delete and add where something is; any part may be missing, be there twice, depend on
a condition, or speak of what never changes. So there are groups of atoms that exclude each other,
and others that nearly do.
"""

from collections.abc import Callable
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
Draw = Callable[[st.SearchStrategy[T]], T]

THINGS, PLACES = ("t1", "t2"), ("p1", "p2", "p3")
PARAMETERS = "?t ?u - thing ?p ?q - place"
NEEDS = (
    "(not (at ?t ?q))", "(link ?p ?q)", "(not (link ?q ?p))", "(not (= ?t ?u))", "(busy ?u)",
    "(not (busy ?t))", "(forall (?x - thing) (not (at ?x ?q)))", "(crowded ?p)",
    "(not (crowded ?q))", "(not (quiet))",
)  # fmt: skip
EFFECTS = (
    "(busy ?t)", "(not (busy ?t))", "(busy ?u)", "(at ?u ?q)", "(not (at ?u ?p))",
    "(when (at ?u ?p) (at ?u ?q))", "(when (at ?u ?p) (and (not (at ?u ?p)) (at ?u ?q)))",
    "(when (busy ?t) (not (busy ?t)))", "(when (not (link ?p ?q)) (busy ?u))",
    "(when (not (= ?t ?u)) (not (busy ?u)))", "(when (not (at ?t ?q)) (busy ?t))",
    "(forall (?x - place) (when (link ?q ?x) (not (at ?u ?x))))",
)  # fmt: skip


@st.composite
def moves(draw: Draw) -> tuple[str, str]:  # type: ignore[type-arg]
    """A domain and a problem."""

    def some(parts: tuple[str, ...], most: int) -> list[str]:
        return draw(st.lists(st.sampled_from(parts), max_size=most, unique=True))

    def mostly(part: str) -> list[str]:
        return [part] if draw(st.integers(0, 7)) else []

    actions = []
    for number in range(draw(st.integers(1, 2))):
        needs = [*mostly("(at ?t ?p)"), *some(NEEDS, 2)]
        effects = [*mostly("(not (at ?t ?p))"), *mostly("(at ?t ?q)"), *some(EFFECTS, 2)]
        actions.append(
            f"(:action go{number} :parameters ({PARAMETERS})\n"
            f"    :precondition (and {' '.join(needs)}) :effect (and {' '.join(effects)}))"
        )
    rules = """(:derived (crowded ?p - place) (or (and (at t1 ?p) (at t2 ?p)) (link ?p ?p)))
      (:derived (quiet) (exists (?p - place) (and (not (crowded ?p)) (busy t1) (at t1 ?p))))"""
    domain = f"""(define (domain moves) (:requirements :adl :typing :derived-predicates)
      (:types thing place) (:constants {" ".join(THINGS)} - thing {" ".join(PLACES)} - place)
      (:predicates (at ?t - thing ?p - place) (link ?p ?q - place) (busy ?t - thing)
        (crowded ?p - place) (quiet))
      {rules}
      {" ".join(actions)})"""
    where = [f"(at {thing} {draw(st.sampled_from(PLACES))})" for thing in THINGS]
    links = [f"(link {p} {q})" for p in PLACES for q in PLACES]
    initial = [*where, *some(tuple(links), 5), *some(("(busy t1)", "(at t2 p3)"), 1)]
    goals = ("(at t1 p3)", "(not (at t2 p1))", "(busy t2)", "(quiet)", "(crowded p2)")
    wanted = " ".join(some(goals, 2)) or "(at t2 p2)"
    return (
        domain,
        f"""(define (problem p) (:domain moves)
      (:init {" ".join(initial)}) (:goal (and {wanted})))""",
    )
