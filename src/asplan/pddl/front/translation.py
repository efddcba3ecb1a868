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
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from asplan.errors import AsplanError, InputError, MissingExtra
from asplan.pddl.language.lexer import wrong
from asplan.pddl.language.names import Names
from asplan.pddl.language.syntax import (
    Add,
    And,
    Atom,
    Delete,
    Each,
    Effect,
    Exists,
    Forall,
    Formula,
    Together,
    Typed,
    When,
    inside,
)
from asplan.pddl.language.task import Task as Written
from asplan.pddl.task.task import NONE, Axiom, Fact, Operator, Task, Variable
from asplan.pddl.task.task import Effect as TaskEffect

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

_REFUSED = 31
_OUT_OF_MEMORY = 20


def translate(domain: str, problem: str, all_variables: bool = False) -> tuple[str, str]:
    """Translate the texts of a domain and a problem.

    Parameters
    ----------
    all_variables
        Whether variables stay that have no bearing on the goal.

    Returns
    -------
    tuple
        The task as the translator writes it, and what it said on the way.

    Raises
    ------
    MissingExtra
        The translator is not installed.
    InputError
        It refuses the task.
    """
    _check_there()
    with tempfile.TemporaryDirectory(prefix="asplan-") as folder:
        written = Path(folder)
        files = [written / "domain.pddl", written / "problem.pddl", written / "task.sas"]
        for file, text in zip(files, (domain, problem), strict=False):
            file.write_text(text, encoding="utf-8")
        words = [str(files[0]), str(files[1]), "--sas-file", str(files[2])]
        words += ["--keep-unimportant-variables"] * all_variables
        done = _run(words, folder)
        if done.returncode:
            raise _refusal(done)
        return files[2].read_text(encoding="utf-8"), done.stdout


def _check_there() -> None:
    try:
        there = find_spec(PACKAGE)
    except ModuleNotFoundError:  # not even the package that it is a part of
        there = None
    if there is None:
        raise MissingExtra(
            "PDDL needs Fast Downward's translator, which is not installed",
            hint="pip install 'asplan[pddl]'",
        )


def _run(words: list[str], folder: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _START, *words, folder, str(os.getpid())],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def _refusal(done: subprocess.CompletedProcess[str]) -> AsplanError:
    """Why there is no task."""
    said = (done.stdout if done.returncode == _REFUSED else done.stderr).strip().splitlines()
    if done.returncode == _OUT_OF_MEMORY or done.returncode == -9:
        raise MemoryError
    # Before it says what is wrong it tells how it got there, a line for each level.
    told = [line.split("->")[-1].strip() for line in said]
    wrong = [line for line in told if not line.startswith("Parsing")] or told
    why = " ".join(wrong) if done.returncode == _REFUSED else "".join(wrong[-1:])
    return InputError(f"the translator of PDDL refuses the task: {why or done.returncode}")


# The translator's output, read as a finite-domain task.
#
# The format, line by line: https://www.fast-downward.org/latest/documentation/translator-output-format/


_ATOM = re.compile(r"Atom (.*)\((.*)\)")
_MADE = re.compile(r"new-axiom@(\d+)")

MADE = "axiom"
"""What derived predicates are called that the translator makes; no predicate of a task is."""


def read_sas(text: str, names: Names) -> Task:
    """The task in a text that the translator wrote."""
    lines = iter(text.splitlines())
    _expect(lines, "begin_version", "3", "end_version", "begin_metric")
    has_costs = next(lines) == "1"
    _expect(lines, "end_metric")
    variables = tuple(_variable(lines, names) for _ in range(int(next(lines))))
    mutexes = tuple(filter(_tells, [_mutex(lines) for _ in range(int(next(lines)))]))
    _expect(lines, "begin_state")
    initial = tuple(int(next(lines)) for _ in variables)
    _expect(lines, "end_state", "begin_goal")
    goal = _facts(lines)
    _expect(lines, "end_goal")
    operators = tuple(_operator(lines, names) for _ in range(int(next(lines))))
    if not has_costs:
        operators = tuple(replace(operator, cost=1) for operator in operators)
    axioms = tuple(_axiom(lines) for _ in range(int(next(lines))))
    return Task(variables, initial, goal, operators, axioms, mutexes, has_costs=has_costs)


def _expect(lines: Iterator[str], *words: str) -> None:
    for word in words:
        if (line := next(lines)) != word:
            raise ValueError(f"the translator wrote {line!r} where {word!r} should stand")


def _variable(lines: Iterator[str], names: Names) -> Variable:
    _expect(lines, "begin_variable")
    next(lines)  # var0, var1, …
    layer, size = int(next(lines)), int(next(lines))
    values = tuple(_value(next(lines), names) for _ in range(size))
    _expect(lines, "end_variable")
    return Variable(values, layer)


def _value(line: str, names: Names) -> str:
    """The term for `Atom on(a, b)`; a negated atom is a variable's other value, as is none."""
    found = _ATOM.fullmatch(line)
    if found is None:
        return NONE
    predicate, arguments = found[1], found[2].split(", ") if found[2] else []
    if made := _MADE.fullmatch(predicate):
        # A derived predicate that the translator needed for a part of a condition.
        return f"{MADE}({','.join([made[1], *(names.objects.terms[a] for a in arguments)])})"
    return names.atom(predicate, arguments)


def _mutex(lines: Iterator[str]) -> tuple[Fact, ...]:
    _expect(lines, "begin_mutex_group")
    facts = _facts(lines)
    _expect(lines, "end_mutex_group")
    return facts


def _tells(group: tuple[Fact, ...]) -> bool:
    """Whether a group speaks of several variables; one has a single value anyhow."""
    return len({variable for variable, _ in group}) > 1


def _facts(lines: Iterator[str]) -> tuple[Fact, ...]:
    return tuple(_pair(next(lines)) for _ in range(int(next(lines))))


def _pair(line: str) -> Fact:
    variable, value = line.split()
    return int(variable), int(value)


def _operator(lines: Iterator[str], names: Names) -> Operator:
    _expect(lines, "begin_operator")
    name, *arguments = next(lines).split()
    precondition = list(_facts(lines))
    effects = []
    for _ in range(int(next(lines))):
        numbers = [int(word) for word in next(lines).split()]
        size, rest = numbers[0], numbers[1:]
        condition = tuple(zip(rest[0 : 2 * size : 2], rest[1 : 2 * size : 2], strict=True))
        variable, before, after = rest[2 * size :]
        if before != -1 and (variable, before) not in precondition:
            precondition.append((variable, before))
        effects.append(TaskEffect((variable, after), condition))
    cost = int(next(lines))
    _expect(lines, "end_operator")
    return Operator(
        names.action(name, arguments), tuple(sorted(precondition)), tuple(effects), cost
    )


def _axiom(lines: Iterator[str]) -> Axiom:
    _expect(lines, "begin_rule")
    condition = _facts(lines)
    variable, _, after = map(int, next(lines).split())
    _expect(lines, "end_rule")
    return Axiom((variable, after), condition)


_TRIVIAL = re.compile(r"(.*)! Generating (un)?solvable task")
_REASONS = {
    "No relaxed solution": "the goal cannot be reached, not even if actions made nothing false",
    "Trivially false goal": "the goal asks for what no action can change",
    "Goal violates a mutex": "the goal asks for what can never hold together",
    "Simplified to trivially false goal": "the goal asks for what no action can bring about",
}
"""Why the translator gives up, in its words and in ours."""


def trivial(said: str) -> Task | None:
    """The task where the translator needs no search to see that there is no plan, or an empty one.

    It writes one of its own making then, and says so.
    """
    if (found := _TRIVIAL.search(said)) is None:
        return None
    if not found[2]:
        return Task((Variable((NONE,)),), initial=(0,), goal=(), operators=(), is_stub=True)
    hopeless = _REASONS.get(found[1], found[1])
    stub = Task((Variable((NONE, "never")),), initial=(0,), goal=((0, 1),), operators=())
    return replace(stub, hopeless=hopeless, is_stub=True)


# What PDDL has, and `asplan.pddl.language` reads, but the translator does not take.


def refuse_untranslated(task: Written) -> None:
    """Raise `InputError` at the first thing that the translator would refuse without its place."""
    for typed in _typed(task):
        if len(typed.types) > 1:
            raise wrong(
                typed.types[1],
                f"(either …) for {typed.name}: the translator takes it in (:predicates …) only",
                f"declare a type above {' and '.join(map(str, typed.types))} and use that",
            )
    for declared in task.objects.values():
        if len(declared) > 1:
            raise wrong(
                declared[1].name,
                f"object {declared[1].name} is declared twice, first in {declared[0].name.at}",
                "leave one of the two out",
            )


def _typed(task: Written) -> Iterator[Typed]:
    """All names and variables with types, but for the parameters of predicates and functions."""
    domain = task.domain
    yield from (*domain.types, *domain.constants, *task.problem.objects)
    for action in domain.actions:
        yield from action.parameters
        yield from _bound(action.precondition, action.effect)
    for rule in domain.rules:
        yield from rule.parameters
        yield from _bound(rule.body)
    yield from _bound(task.problem.goal)


def _bound(*parts: Formula | Effect) -> Iterator[Typed]:
    """The variables of quantifiers."""
    for part in parts:
        for node, _ in inside(part, {}):
            if isinstance(node, Exists | Forall | Each):
                yield from node.variables


# A PDDL task that was read, translated into a finite-domain task.


def translated(written: Written, names: Names, all_variables: bool = False) -> Task:
    """The finite-domain task of a PDDL task; raises as `translate` does."""
    refuse_untranslated(written)
    domain, problem = (part.name.source.text for part in (written.domain, written.problem))
    sas, said = translate(domain, problem, all_variables)
    task = trivial(said) or read_sas(sas, names)
    if task.hopeless and (missing := next(_never(written, names), None)):
        task = replace(task, hopeless=f"the goal asks for {missing}, which no action brings about")
    return replace(
        task,
        static=tuple(_static(written, names)),
        objects=tuple(objects_of(written, names)),
        has_costs=written.problem.minimizes_cost,
    )


def _never(written: Written, names: Names) -> Iterator[str]:
    """The atoms of the goal that do not hold at the start, and that nothing adds."""
    added = {
        part.atom.predicate.key
        for action in written.domain.actions
        for part, _ in inside(action.effect, {})
        if isinstance(part, Add)
    }
    added |= {rule.name.key for rule in written.domain.rules}
    goal, initial = written.problem.goal, set(written.problem.initial)
    for atom in goal.parts if isinstance(goal, And) else [goal]:
        if isinstance(atom, Atom) and atom.predicate.key not in added and atom not in initial:
            yield names.written_atom(atom.predicate.text, [word.text for word in atom.arguments])


def _static(written: Written, names: Names) -> Iterator[str]:
    """The atoms that hold at the start and that no action changes."""
    changing = {key for action in written.domain.actions for key in _changed(action.effect)}
    changing |= {rule.name.key for rule in written.domain.rules}
    for atom in dict.fromkeys(written.problem.initial):
        if atom.predicate.key not in changing:
            yield names.atom(atom.predicate.key, [word.key for word in atom.arguments])


def _changed(effect: Effect) -> Iterator[str]:
    """The predicates whose atoms an effect may change."""
    match effect:
        case Add(atom) | Delete(atom):
            yield atom.predicate.key
        case Together(parts):
            for part in parts:
                yield from _changed(part)
        case Each(_, body) | When(_, body):
            yield from _changed(body)


def objects_of(written: Written, names: Names) -> Iterator[tuple[str, str]]:
    """Each object with each of its types."""
    for name, types in written.types_of.items():
        for kind in sorted(types):
            yield names.objects.terms[name], names.types.terms[kind]
