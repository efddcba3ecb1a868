"""Random tasks with numbers, and tasks with time with right or wrong plans."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

OBJECTS = ("a", "b")
PREDICATES = ("(p)", "(r)", "(q {})")
FUNCTIONS = ("(f)", "(g {})")


def timed_task(random: Random, *amounts: str) -> tuple[str, str, str]:
    """A domain, a problem and a plan, as text; effects may have further amounts."""
    durations = {f"work{i}": random.choice((1, 1.5, 2, 3)) for i in range(random.randint(1, 3))}
    actions = [_durative(random, *work, amounts) for work in durations.items()]
    condition = _and(_condition(random) for _ in range(random.randint(0, 1)))
    effect = _and(_effect(random) for _ in range(random.randint(1, 2)))
    actions.append(f"(:action act :parameters (?x) :precondition {condition} :effect {effect})")
    domain = f"""(define (domain random)
      (:requirements :adl :numeric-fluents :durative-actions :timed-initial-literals)
      (:predicates (p) (r) (q ?x)) (:functions (f) (g ?x) (begun))
      {" ".join(actions)})"""
    atoms = [text for text in ("(p)", "(r)", "(q a)", "(q b)") if random.random() < 0.7]
    atoms += [f"(= {text} {random.randint(0, 2)})" for text in ("(f)", "(g a)", "(g b)", "(begun)")]
    for time in random.sample((0.5, 1, 1.5, 2, 3), random.choice((0, 0, 1, 2))):
        atoms.append(f"(at {time} {_literal(random, random.choice(OBJECTS))})")
    goal = _and(_condition(random).replace("?x", "a") for _ in range(random.randint(0, 1)))
    problem = f"""(define (problem one) (:domain random) (:objects a b)
      (:init {" ".join(atoms)}) (:goal {goal}))"""
    lines = []
    for _ in range(random.randint(1, 4)):
        start, word = random.randint(0, 8) / 2, random.choice(OBJECTS)
        name = random.choice([*durations, "act"])
        takes = f" [{durations[name]}]" if name in durations else ""
        if random.random() < 0.03:
            takes = " [2.5]" * (name in durations)
        lines.append(f"{start}: ({name} {word}){takes}")
    return domain, problem, "\n".join(lines) + "\n"


def numeric_task(random: Random) -> tuple[str, str]:
    """A domain and a problem, as text; of one function some values are missing."""
    actions = []
    for i in range(random.randint(1, 3)):
        condition = _and(_formula(random, 2) for _ in range(random.randint(0, 2)))
        effects = [_effect(random) for _ in range(random.randint(1, 3))]
        if random.random() < 0.3:
            effects.append(f"(forall (?y) (when {_formula(random, 1)} {_effect(random)}))")
        if random.random() < 0.3:
            effects.append("(forall (?y) (increase (f) (g ?y)))")
        if random.random() < 0.2:
            effects.append(f"(scale-{random.choice(('up', 'down'))} (g ?x) (f))")
        actions.append(
            f"(:action act{i} :parameters (?x) :precondition {condition} :effect {_and(effects)})"
        )
    domain = f"""(define (domain random) (:requirements :adl :numeric-fluents)
      (:predicates (p) (r) (q ?x)) (:functions (f) (g ?x))
      {" ".join(actions)})"""
    atoms = [text for text in ("(p)", "(q a)", "(q b)") if random.random() < 0.5]
    values = [f"(= {text} {random.choice((0, 1, 2, -1, 0.5))})" for text in ("(f)", "(g a)")]
    values += ["(= (g b) 1)"] if random.random() < 0.8 else []
    problem = f"""(define (problem one) (:domain random) (:objects a b)
      (:init {" ".join(atoms + values)}) (:goal {_formula(random, 1).replace("?x", "b")}))"""
    return domain, problem


def _formula(random: Random, depth: int) -> str:
    kind = random.random() if depth else 1
    if kind < 0.2:
        parts = (_formula(random, depth - 1) for _ in range(2))
        return f"({random.choice(('and', 'or', 'imply'))} {' '.join(parts)})"
    if kind < 0.3:
        return f"(not {_formula(random, depth - 1)})"
    if kind < 0.5:
        body = _formula(random, depth - 1).replace("?x", "?z")
        return f"({random.choice(('exists', 'forall'))} (?z) {body})"
    if random.random() < 0.5:
        return _condition(random)
    word = random.choice(("<", "<=", "=", ">=", ">"))
    return f"({word} (- {_number(random)}) {_number(random)})"


def _number(random: Random) -> str:
    if random.random() < 0.4:
        parts = (_number(random) for _ in range(2))
        return f"({random.choice('+-*/')} {' '.join(parts)})"
    return random.choice(("(f)", "(g ?x)", "1", "0.5", "-2"))


def _durative(random: Random, name: str, duration: float, amounts: Iterable[str]) -> str:
    times = ("at start", "over all", "at end")
    conditions = [
        f"({random.choice(times)} {_condition(random)})" for _ in range(random.choice((0, 1, 1, 2)))
    ]
    effects = ["(at start (increase (begun) 1))"]
    for _ in range(random.randint(1, 3)):
        effects.append(_effect(random, random.choice(times[::2]), *amounts))
    return f"""(:durative-action {name} :parameters (?x)
      :duration (= ?duration {duration}) :condition {_and(conditions)} :effect {_and(effects)})"""


def _and(parts: Iterable[str]) -> str:
    return f"(and {' '.join(parts)})"


def _literal(random: Random, word: str = "?x") -> str:
    atom = random.choice(PREDICATES).format(word)
    return atom if random.random() < 0.6 else f"(not {atom})"


def _condition(random: Random) -> str:
    kind = random.random()
    if kind < 0.7:
        return _literal(random)
    if kind < 0.8:
        return f"(or {_literal(random)} {_literal(random)})"
    function = random.choice(FUNCTIONS).format("?x")
    return f"({random.choice(('>=', '<=', '>'))} {function} {random.randint(-1, 2)})"


def _effect(random: Random, time: str = "", *more: str) -> str:
    around = f"({time} {{}})" if time else "{}"
    kind = random.random()
    if kind < 0.55:
        return around.format(_literal(random))
    if kind < 0.7:
        parts = (around.format(_literal(random)) for _ in range(2))
        return f"(when {' '.join(parts)})"
    function = random.choice(FUNCTIONS).format("?x")
    word = random.choice(("increase", "decrease", "assign"))
    return around.format(f"({word} {function} {random.choice(('1', '(f)', *more))})")
