"""Fast Downward's translator: a program of its own, which turns PDDL into a finite-domain task.

It is a package of its own as well, under the GPL, so nothing of it is imported here. It grounds,
finds mutex groups, and compiles away what is left of quantifiers and disjunctions (Helmert, Concise
Finite-Domain Representations for PDDL Planning Tasks, 2009).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from asplan.core.errors import AsplanError, InputError, MissingExtra
from asplan.pddl.language import TaskText, syntax
from asplan.pddl.language.lexer import GLUED, wrong
from asplan.pddl.language.names import PddlNames
from asplan.pddl.language.write import domain_text, problem_text
from asplan.pddl.task.task import NONE, Axiom, Effect, Fact, Operator, Task, Variable

PACKAGE = "fast_downward.translate"

_START = f"""
import os, runpy, shutil, sys, threading, time
parent, folder = int(sys.argv.pop()), sys.argv.pop()
def leave_with_parent():
    while os.getppid() == parent:
        time.sleep(0.2)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
threading.Thread(target=leave_with_parent, daemon=True).start()
runpy.run_module("{PACKAGE}", run_name="__main__", alter_sys=True)
"""
"""Runs the translator in a process that does not outlive the one that started it.

That one may be killed at any time; then the folder with the files is removed here.
"""

Found = TypeVar("Found")

_REFUSED = 31
_OUT_OF_MEMORY = 20


def translate(
    text: TaskText, names: PddlNames, all_variables: bool = False, is_made: bool = False
) -> Task:
    """The finite-domain task of a PDDL task.

    With `all_variables`, variables stay that have no bearing on the goal. A task that `is_made` was
    not read from files as it is. Raises `MissingExtra` if the translator is not installed, and
    `InputError` if it refuses the task.
    """
    _check_translatable(text)
    domain, problem = (
        GLUED.sub("- ", part.name.source.text) for part in (text.domain, text.problem)
    )
    if is_made:
        domain, problem = domain_text(text.domain), problem_text(text.problem)
    sas, report = _run(domain, problem, all_variables)
    task = _trivial_task(report) or read_sas(sas, names)
    if task.hopeless and (missing := next(_never(text, names), None)):
        task = replace(task, hopeless=f"the goal asks for {missing}, which no action brings about")
    changing = text.fluents | text.derived
    return replace(
        task,
        static=tuple(
            names.atom(predicate, row)
            for predicate, *row in dict.fromkeys(atom.ground() for atom in text.problem.initial)
            if predicate not in changing
        ),
        objects=tuple(objects_of(text, names)),
        has_costs=text.has_costs,
    )


def objects_of(text: TaskText, names: PddlNames) -> Iterator[tuple[str, str]]:
    """Each object with each of its types, as ASP terms."""
    for name, types in text.types_of.items():
        for kind in sorted(types):
            yield names.objects.terms[name], names.types.terms[kind]


def _never(text: TaskText, names: PddlNames) -> Iterator[str]:
    """The atoms of the goal that do not hold at the start, and that nothing adds."""
    changed = (part for part in text.parts() if isinstance(part, syntax.Changed))
    added = {part.atom.name.key for part in changed if part.holds} | text.derived
    initial = set(text.problem.initial)
    for atom in text.goal_atoms:
        if atom.name.key not in added and atom not in initial:
            yield names.written_atom(*atom.ground())


def _check_translatable(text: TaskText) -> None:
    """Raise `InputError` at the first thing that the translator would refuse without its place."""
    domain = text.domain
    typeds = [*domain.types, *domain.constants, *text.problem.objects]
    typeds += (typed for action in domain.actions for typed in action.parameters)
    typeds += (typed for rule in domain.rules for typed in rule.parameters)
    for node in text.parts():
        if isinstance(node, syntax.Quantified | syntax.Each):
            typeds += node.variables
    for typed in typeds:
        if len(typed.types) > 1:
            raise wrong(
                typed.types[1],
                f"(either …) for {typed.name}: the translator takes it in (:predicates …) only",
                f"declare a type above {' and '.join(map(str, typed.types))} and use that",
            )
    for first, *others in text.objects.values():
        for typed in others:
            what = f"object {typed.name} is declared twice, first in {first.name.at}"
            raise wrong(typed.name, what, "leave one of the two out")


def _run(domain_pddl: str, problem_pddl: str, all_variables: bool) -> tuple[str, str]:
    """The task as the translator writes it, and what it reports on the way."""
    try:
        there = find_spec(PACKAGE)
    except ModuleNotFoundError:  # not even the package that it is a part of
        there = None
    if there is None:
        raise MissingExtra(
            "PDDL needs Fast Downward's translator, which is not installed",
            hint="pip install 'asplan[pddl]'",
        )
    with tempfile.TemporaryDirectory(prefix="asplan-") as folder:
        domain, problem, sas = (
            Path(folder) / f"{name}.pddl" for name in ("domain", "problem", "sas")
        )
        domain.write_text(domain_pddl, encoding="utf-8")
        problem.write_text(problem_pddl, encoding="utf-8")
        words = [str(domain), str(problem), "--sas-file", str(sas)]
        words += ["--keep-unimportant-variables"] * all_variables
        done = subprocess.run(
            [sys.executable, "-c", _START, *words, folder, str(os.getpid())],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode:
            raise _refusal(done)
        return sas.read_text(encoding="utf-8"), done.stdout


def _refusal(done: subprocess.CompletedProcess[str]) -> AsplanError:
    if done.returncode in (_OUT_OF_MEMORY, -9):
        raise MemoryError
    output = done.stdout if done.returncode == _REFUSED else done.stderr
    # Before it says what is wrong it tells how it got there, a line for each level.
    lines = [line.split("->")[-1].strip() for line in output.strip().splitlines()]
    lines = [line for line in lines if not line.startswith("Parsing")] or lines
    why = " ".join(lines if done.returncode == _REFUSED else lines[-1:])
    return InputError(f"the translator of PDDL refuses the task: {why or done.returncode}")


_TRIVIAL = re.compile(r"(.*)! Generating (un)?solvable task")
_REASONS = {
    "No relaxed solution": "the goal cannot be reached, not even if actions made nothing false",
    "Trivially false goal": "the goal asks for what no action can change",
    "Goal violates a mutex": "the goal asks for what can never hold together",
    "Simplified to trivially false goal": "the goal asks for what no action can bring about",
}
"""Why the translator gives up, in its words and in ours."""


def _trivial_task(report: str) -> Task | None:
    """The task where the translator needs no search to see that there is no plan, or an empty one.

    It writes one of its own making then, and says so.
    """
    if (found := _TRIVIAL.search(report)) is None:
        return None
    if not found[2]:
        return Task((Variable((NONE,)),), initial=(0,), goal=(), operators=(), is_stub=True)
    hopeless = _REASONS.get(found[1], found[1])
    never = Variable((NONE, "never"))
    return Task((never,), (0,), ((0, 1),), (), hopeless=hopeless, is_stub=True)


_ATOM = re.compile(r"Atom (.*)\((.*)\)")
_MADE = re.compile(r"new-axiom@(\d+)")

MADE = "axiom"
"""What derived predicates are called that the translator makes; no predicate of a task is."""


def read_sas(text: str, names: PddlNames) -> Task:
    """The task in a text that the translator wrote.

    The format: https://www.fast-downward.org/latest/documentation/translator-output-format/
    """
    lines = iter(text.splitlines())

    def block(name: str, read: Callable[[], Found]) -> Found:
        """What stands between two lines with a name."""
        if (line := next(lines)) != f"begin_{name}":
            raise ValueError(f"the translator wrote {line!r} where {name!r} should begin")
        found = read()
        if (line := next(lines)) != f"end_{name}":
            raise ValueError(f"the translator wrote {line!r} where {name!r} should end")
        return found

    def blocks(name: str, read: Callable[[], Found]) -> tuple[Found, ...]:
        return tuple(block(name, read) for _ in range(number()))

    def number() -> int:
        return int(next(lines))

    def numbers() -> list[int]:
        return [int(word) for word in next(lines).split()]

    def facts() -> tuple[Fact, ...]:
        return tuple((variable, value) for variable, value in (numbers() for _ in range(number())))

    def variable() -> Variable:
        next(lines)  # var0, var1, …
        layer = number()
        return Variable(tuple(_value(next(lines), names) for _ in range(number())), layer)

    def operator() -> Operator:
        name, *arguments = next(lines).split()
        precondition = set(facts())
        effects = []
        for _ in range(number()):
            size, *rest = numbers()
            condition = tuple(zip(rest[0 : 2 * size : 2], rest[1 : 2 * size : 2], strict=True))
            changed, before, after = rest[2 * size :]
            if before != -1:
                precondition.add((changed, before))
            effects.append(Effect((changed, after), condition))
        cost, action = number(), names.action(name, arguments)
        parts = tuple(sorted(precondition)), tuple(effects)
        return Operator(action, *parts, cost if has_costs else 1)

    def axiom() -> Axiom:
        condition = facts()
        changed, _, after = numbers()
        return Axiom((changed, after), condition)

    block("version", number)
    has_costs = block("metric", number) == 1
    variables = blocks("variable", variable)
    mutexes = blocks("mutex_group", facts)
    initial = block("state", lambda: tuple(number() for _ in variables))
    goal = block("goal", facts)
    operators = blocks("operator", operator)
    axioms = blocks("rule", axiom)
    # A group that speaks of one variable says nothing: a variable has a single value anyhow.
    groups = tuple(group for group in mutexes if len({v for v, _ in group}) > 1)
    return Task(variables, initial, goal, operators, axioms, groups, has_costs=has_costs)


def _value(line: str, names: PddlNames) -> str:
    """The term for `Atom on(a, b)`; a negated atom is a variable's other value, as is none."""
    found = _ATOM.fullmatch(line)
    if found is None:
        return NONE
    predicate, arguments = found[1], found[2].split(", ") if found[2] else []
    if made := _MADE.fullmatch(predicate):
        # A derived predicate that the translator needed for a part of a condition.
        return f"{MADE}({','.join([made[1], *(names.objects.terms[a] for a in arguments)])})"
    return names.atom(predicate, arguments)
