"""From shown atoms to plans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clingo import Symbol, SymbolType, parse_term

from asplan.asp.syntax import Signature
from asplan.result import Plan

Atoms = tuple[Symbol, ...]


def read_plan(atoms: Iterable[Symbol], horizon: int, time_place: int = 1) -> Plan:
    """The plan that `occurs(Action,t)` atoms describe, t = 1..horizon.

    `time_place` is 0 for `occurs(t,Action)`. Actions of one step stand in clingo's order of terms,
    each of them once, even if a program shows it as an atom and as a term.
    """
    steps: list[set[Symbol]] = [set() for _ in range(horizon)]
    for atom in atoms:
        if atom.match("occurs", 2):
            time, action = atom.arguments[time_place], atom.arguments[1 - time_place]
            if time.type == SymbolType.Number and 1 <= time.number <= horizon:
                steps[time.number - 1].add(action)
    return Plan(tuple(tuple(str(a) for a in sorted(step)) for step in steps))


def without_idle_end(plan: Plan) -> Plan:
    """The plan without the empty steps at its end."""
    length = max((t for t, step in enumerate(plan, 1) if step), default=0)
    return Plan(plan.steps[:length])


def by_time(
    atoms: Iterable[str], places: Mapping[Signature, set[int]]
) -> dict[int | None, list[str]]:
    """Atoms by the time they speak of, in order of time; those without a time come last.

    `places` gives for each predicate the arguments that may be the time; the last one is.
    """
    timed: dict[int | None, list[str]] = {}
    for text in atoms:
        atom = parse_term(text)
        timed.setdefault(_time(atom, places), []).append(text)
    latest = max((time for time in timed if time is not None), default=0) + 1
    return dict(sorted(timed.items(), key=lambda item: latest if item[0] is None else item[0]))


def _time(atom: Symbol, places: Mapping[Signature, set[int]]) -> int | None:
    if atom.type != SymbolType.Function:
        return None
    found = places.get(("-" if atom.negative else "", atom.name, len(atom.arguments)))
    if not found or atom.arguments[max(found)].type != SymbolType.Number:
        return None
    return int(atom.arguments[max(found)].number)


def distinct(plans: Iterable[Plan]) -> tuple[Plan, ...]:
    """Each plan once, in order."""
    return tuple(dict.fromkeys(plans))
