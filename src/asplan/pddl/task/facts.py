"""The facts of a finite-domain task, which the encodings in encodings/pddl read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import count, pairwise

from asplan.core.text import LARGEST
from asplan.pddl.task.interference import chains, cycles
from asplan.pddl.task.relaxation import layers
from asplan.pddl.task.task import (
    Effect,
    Fact,
    Operator,
    Task,
)

Signatures = Collection[tuple[str, int]]
"""Predicates, each as a name and an arity."""

_CYCLES = ("cycle", 2)
_OLD_CYCLES = ("circle", 2)
"""The name of `cycle/2` in older encodings."""
_EARLIEST = ("earliest", 3)
_CHAINS = ("next", 4)


def to_facts(
    task: Task,
    wanted: Signatures | None = None,
    known: Mapping[Fact, int] | None = None,
) -> str:
    """Return the facts of a task as text: lines for variables, operators, axioms and mutex groups.

    Parameters
    ----------
    wanted
        The predicates that an encoding reads; None for all. Predicates that take a while to compute
        (`cycle/2`, `earliest/3`, `next/4`) are left out unless they are wanted.
    known
        The result of `layers(task)`, if the caller has it.
    """
    return "\n".join(_Writer(task).lines(wanted, known)) + "\n"


def predicates_of(
    task: Task,
    wanted: Signatures | None = None,
) -> frozenset[tuple[str, int]]:
    """Return the predicates that `to_facts` would write for a task, without writing the facts.

    Predicates that take a while to compute are included if they are `wanted` (None: all are), even
    if they turn out to have no facts.
    """
    operators = list(task.operators)
    if task.monitor is not None:
        operators.append(task.monitor)
    needs = (operator.precondition for operator in operators)
    effects = (effect for operator in operators for effect in operator.effects)
    conditional = [bool(effect.condition) for effect in effects]
    is_used: dict[str, bool] = {
        "variable/1 value/2 initially/2": bool(task.variables),
        "derived/2": any(variable.is_derived for variable in task.variables),
        "goal/2": bool(task.goal),
        "static/1": bool(task.static),
        "object/2": bool(task.objects),
        "costs/0": task.has_costs,
        "operator/2 cost/2": bool(task.operators),
        "monitor/1": task.monitor is not None,
        "precondition/3": any(needs),
        "effect/3": not all(conditional),
        "effect/4 when/3": any(conditional),
        "rule/3": bool(task.axioms),
        "body/3": any(axiom.condition for axiom in task.axioms),
        "mutex/3": bool(task.mutexes),
        "cycles/0 cycle/2": _is_wanted(_CYCLES, wanted),
        "circles/0 circle/2": _has_old_cycles(wanted),
        "earliest/3": _is_wanted(_EARLIEST, wanted),
        "next/4 last/3 seen/4": _is_wanted(_CHAINS, wanted),
    }
    predicates = set[tuple[str, int]]()
    for words, has_facts in is_used.items():
        if has_facts:
            predicates.update(map(_parse_signature, words.split()))
    return frozenset(predicates)


def _parse_signature(word: str) -> tuple[str, int]:
    name, _, arity = word.partition("/")
    return name, int(arity)


def _is_wanted(
    predicate: tuple[str, int],
    wanted: Signatures | None,
) -> bool:
    return wanted is None or predicate in wanted


def _has_old_cycles(wanted: Signatures | None) -> bool:
    """Return whether cycles have their old name: the encoding reads only this one."""
    return wanted is not None and _OLD_CYCLES in wanted and _CYCLES not in wanted


class _Writer:
    """A writer of the facts of a task, line by line."""

    def __init__(self, task: Task) -> None:
        self._task = task
        # For each fact the text of its variable and value, the last arguments of its atoms.
        self._texts = list[list[str]]()
        for v, variable in enumerate(task.variables):
            self._texts.append([f"{v},{value}" for value in variable.values])
        self._conditional = count()

    def lines(
        self,
        wanted: Signatures | None,
        known: Mapping[Fact, int] | None,
    ) -> Iterator[str]:
        """Yield the lines of all facts; see `to_facts` for `wanted` and `known`."""
        task = self._task
        yield from self._variables()
        yield self._atoms("goal(", task.goal)
        yield from (f"static({atom})." for atom in task.static)
        yield from (f"object({name},{kind})." for name, kind in task.objects)
        if task.has_costs:
            yield "costs."
        yield from self._operators()
        for r, axiom in enumerate(task.axioms):
            head = self._atoms(f"rule({r},", [axiom.fact])
            yield f"{head} {self._atoms(f'body({r},', axiom.condition)}"
        for m, group in enumerate(task.mutexes):
            yield self._atoms(f"mutex({m},", group)
        if _is_wanted(_CYCLES, wanted):
            yield from self._cycles("cycle")
        if _has_old_cycles(wanted):
            yield from self._cycles("circle")
        if _is_wanted(_EARLIEST, wanted):
            yield from self._earliest(layers(task) if known is None else known)
        if _is_wanted(_CHAINS, wanted):
            yield from self._chains()

    def _atoms(
        self,
        head: str,
        facts: Iterable[Fact],
    ) -> str:
        texts = self._texts
        return " ".join([f"{head}{texts[v][d]})." for v, d in facts])

    def _variables(self) -> Iterator[str]:
        for v, variable in enumerate(self._task.variables):
            layer = f" derived({v},{variable.layer})." if variable.is_derived else ""
            yield f"variable({v}).{layer} {self._atoms('value(', self._task.facts_of(v))}"
        yield self._atoms("initially(", enumerate(self._task.initial))

    def _operators(self) -> Iterator[str]:
        """Yield the lines of the operators; the monitor comes last and has the next number."""
        o = -1
        for o, operator in enumerate(self._task.operators):
            # clingo would wrap larger numbers.
            cost = min(operator.cost, LARGEST)
            yield f"operator({o},{operator.action}). cost({o},{cost})."
            yield from self._operator(o, operator)
        if self._task.monitor is not None:
            yield f"monitor({o + 1})."
            yield from self._operator(o + 1, self._task.monitor)

    def _operator(
        self,
        o: int,
        operator: Operator,
    ) -> Iterator[str]:
        yield f"  {self._atoms(f'precondition({o},', operator.precondition)}"
        for effect in operator.effects:
            yield self._effect(o, effect)

    def _effect(self, o: int, effect: Effect) -> str:
        v, d = effect.fact
        text = self._texts[v][d]
        if not effect.condition:
            return f"  effect({o},{text})."
        e = next(self._conditional)
        return f"  effect({o},{text},{e}). {self._atoms(f'when({e},', effect.condition)}"

    def _cycles(self, name: str) -> Iterator[str]:
        yield f"{name}s."
        for c, nodes in enumerate(cycles(self._task)):
            yield " ".join([f"{name}({c},{node})." for node in nodes])

    def _earliest(
        self,
        steps: Mapping[Fact, int],
    ) -> Iterator[str]:
        """Yield `earliest(V,D,N)` for each fact whose layer N in `steps` is above 0."""
        for v, texts in enumerate(self._texts):
            atoms = list[str]()
            for d, text in enumerate(texts):
                step = steps.get((v, d), 0)
                if step:
                    atoms.append(f"earliest({text},{step}).")
            if atoms:
                yield " ".join(atoms)

    def _chains(self) -> Iterator[str]:
        links, seen = chains(self._task)
        for (v, d), chain in links.items():
            text = self._texts[v][d]
            pairs = " ".join([f"next({text},{p},{o})." for p, o in pairwise(chain)])
            yield f"last({text},{chain[-1]}). {pairs}"
        for o, needed in enumerate(seen):
            texts = self._texts
            yield " ".join([f"seen({o},{texts[v][d]},{p})." for (v, d), p in needed])
