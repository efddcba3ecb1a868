"""Fast Downward's translator: a program of its own, which turns PDDL into a finite-domain task.

It is a package of its own as well, under the GPL: nothing of it is imported in a process that does
anything else, and all that goes to and fro are files. It grounds, finds mutex groups, and compiles
away what is left of quantifiers and disjunctions (Helmert, Concise Finite-Domain Representations
for PDDL Planning Tasks, 2009).
"""

from __future__ import annotations

import os
import re
import runpy
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

from asplan.core.errors import AsplanError, InputError, MissingExtra, Stopped
from asplan.core.process import is_out_of_time, signals_held, start_child
from asplan.pddl.language import TaskText, syntax
from asplan.pddl.language.lexer import GLUED, wrong
from asplan.pddl.language.names import PddlNames
from asplan.pddl.language.plain import with_plain_goal, without_either
from asplan.pddl.language.write import domain_text, problem_text
from asplan.pddl.task.task import NONE, Axiom, Effect, Fact, Operator, Task, Variable

PACKAGE = "fast_downward.translate"

Found = TypeVar("Found")

_REFUSED, _OUT_OF_MEMORY, _OUT_OF_TIME = 31, 20, 21
"""Its exit statuses."""

_CONDITIONS = ("negative", "disjunctive", "existential", "universal", "quantified")
_REQUIREMENTS = {
    *(":strips", ":adl", ":typing", ":negation", ":equality", ":conditional-effects"),
    *(":derived-predicates", ":action-costs"),
    *(f":{kind}-preconditions" for kind in _CONDITIONS),
}
"""Those that it knows."""

_LOOK = 0.2
"""Seconds between two looks at whether the parent still lives."""


def translate(text: TaskText, names: PddlNames, all_variables: bool = False) -> Task:
    """The finite-domain task of a PDDL task.

    With `all_variables`, variables stay that have no bearing on the goal. Raises `MissingExtra` if
    the translator is not installed, `InputError` if it refuses the task, and `Stopped` or
    `MemoryError` where it reaches a limit of the system.
    """
    _check_translatable(text)
    plain = with_plain_goal(without_either(_without_unknown(text)))
    domain, problem = (
        GLUED.sub("- ", part.name.source.text) for part in (plain.domain, plain.problem)
    )
    declared = {typed.name.key for typed in plain.domain.types}
    if plain.is_made or plain.supertypes.keys() - declared - {syntax.OBJECT}:
        domain = domain_text(replace(plain.domain, requirements=()))
        problem = problem_text(replace(plain.problem, requirements=()))
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


def _without_unknown(text: TaskText) -> TaskText:
    """A task without requirements and sections that the translator does not know, and without
    values that no cost can be; nothing uses them."""
    values = tuple(row for row in text.problem.values if syntax.is_cost(row[1]))
    needed = {word.key for word in (*text.domain.requirements, *text.problem.requirements)}
    texts = (part.name.source.text.lower() for part in (text.domain, text.problem))
    if any(":constraints" in one for one in texts):  # there may be none in it
        return replace(text, problem=replace(text.problem, values=values), is_made=True)
    if values == text.problem.values and needed <= _REQUIREMENTS:
        return text
    return replace(text, problem=replace(text.problem, values=values), is_made=True)


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
    for typed in (*domain.types, *domain.constants, *text.problem.objects):
        if len(typed.types) > 1:
            raise wrong(
                typed.types[1],
                f"(either …) for {typed.name}: the translator takes it for variables only",
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
    with tempfile.TemporaryDirectory(prefix="asplan-") as name:
        folder = Path(name)
        (folder / "domain.pddl").write_text(domain_pddl, encoding="utf-8")
        (folder / "problem.pddl").write_text(problem_pddl, encoding="utf-8")
        work = partial(_translate, folder, all_variables, os.getpid())
        with signals_held():
            child, receiver = start_child(work, cleans_up=True)
        try:
            status = child.wait()
        finally:
            child.kill()
            receiver.close()
        if status == _OUT_OF_TIME or is_out_of_time(status, child.usage):
            raise Stopped("the limit of processor time was reached while translating")
        if status in (_OUT_OF_MEMORY, -signal.SIGKILL):
            raise MemoryError
        output, errors = (
            (folder / stream).read_text(encoding="utf-8", errors="replace")
            for stream in ("stdout", "stderr")
        )
        if status:
            raise _refusal(status, output if status == _REFUSED else errors)
        return (folder / "sas").read_text(encoding="utf-8"), output


def _translate(folder: Path, all_variables: bool, parent: int, sender: Connection) -> int:
    """Be the translator, in a process of its own; what it says goes into files."""
    threading.Thread(target=_leave_with, args=(parent, folder), daemon=True).start()
    for number, stream in ((1, "stdout"), (2, "stderr")):
        with (folder / stream).open("wb") as file:
            os.dup2(file.fileno(), number)
    sys.stdout, sys.stderr = (os.fdopen(n, "w", encoding="utf-8", closefd=False) for n in (1, 2))
    words = [str(folder / name) for name in ("domain.pddl", "problem.pddl")]
    words += ["--sas-file", str(folder / "sas")]
    sys.argv = [PACKAGE, *words, *["--keep-unimportant-variables"] * all_variables]
    try:
        runpy.run_module(PACKAGE, run_name="__main__", alter_sys=True)
        return 0
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _leave_with(parent: int, folder: Path) -> None:
    """End with the parent, which may be killed at any time, and remove its files."""
    while os.getppid() == parent:
        time.sleep(_LOOK)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _refusal(status: int, output: str) -> AsplanError:
    # Before it says what is wrong it tells how it got there, a line for each level.
    lines = [line.split("->")[-1].strip() for line in output.strip().splitlines()]
    lines = [line for line in lines if not line.startswith("Parsing")] or lines
    why = " ".join(lines if status == _REFUSED else lines[-1:])
    return InputError(f"the translator of PDDL refuses the task: {why or status}")


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

    @cache  # there are as many lines as operators have facts, and few facts
    def fact(line: str) -> Fact:
        variable, value = line.split()
        return int(variable), int(value)

    def facts() -> tuple[Fact, ...]:
        return tuple([fact(next(lines)) for _ in range(number())])

    @cache
    def effect(line: str) -> tuple[Effect, Fact | None]:
        """An effect, and the value that its variable has before, if that is told."""
        size, *rest = map(int, line.split())
        condition = tuple(zip(rest[0 : 2 * size : 2], rest[1 : 2 * size : 2], strict=True))
        changed, before, after = rest[2 * size :]
        return Effect((changed, after), condition), None if before == -1 else (changed, before)

    def variable() -> Variable:
        next(lines)  # var0, var1, …
        layer = number()
        return Variable(tuple(_value(next(lines), names) for _ in range(number())), layer)

    def operator() -> Operator:
        name, *arguments = next(lines).split()
        precondition = set(facts())
        found = [effect(next(lines)) for _ in range(number())]
        precondition.update([before for _, before in found if before is not None])
        cost, action = number(), names.action(name, arguments)
        parts = tuple(sorted(precondition)), tuple([effect for effect, _ in found])
        return Operator(action, *parts, cost if has_costs else 1)

    def axiom() -> Axiom:
        condition = facts()
        changed, _, after = map(int, next(lines).split())
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
