"""The translation of PDDL to a finite-domain task: state variables, each with finitely many values.

`lifted` brings the task into normal form. `relaxed` finds all reachable atoms with clingo's
grounder, which `grounder` runs. `ground` and `simplify` make operators (ground actions) from them.
`invariants` finds mutex groups. `variables` chooses state variables that encode the atoms, and
orders them. `finite_domain` makes the task, with the help of `operator_facts` and `terms`.
`translate` runs all of these steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from asplan.pddl.grounding.finite_domain import finite_domain, goal_clash
from asplan.pddl.grounding.ground import GroundTask, ground
from asplan.pddl.grounding.invariants import find_groups, find_impossible
from asplan.pddl.grounding.simplify import simplify
from asplan.pddl.grounding.variables import encode
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import wrong
from asplan.pddl.language.names import PddlNames
from asplan.pddl.language.syntax import TaskText
from asplan.pddl.task.task import Task, task_without_plan

_NEVER_TOGETHER = "the goal requires atoms that can never hold together"


def translate(
    text: TaskText,
    names: PddlNames,
    all_variables: bool = False,
) -> Task:
    """Return the finite-domain task of a PDDL task.

    If the goal is proven unreachable, return an unsolvable task, which contains the reason. With
    `all_variables`, keep also the variables on which the goal does not depend.

    Raises
    ------
    InputError
        If an object is declared twice.
    Stopped, MemoryError
        If grounding reaches the limit of processor time or memory.
    """
    _check_objects(text)
    task = ground(text)
    if task.goal is None:
        return _stub(text, names, _why_unreachable(task))
    task = simplify(task)
    groups = find_groups(task)
    impossible = find_impossible(task, groups)
    while impossible.any():
        task = simplify(task.restrict(~impossible))
        impossible = find_impossible(task, groups)
    if task.goal is None:
        return _stub(text, names, "the goal requires a condition that no action makes true")
    clash = goal_clash(task, groups, names)
    if clash:
        return _stub(text, names, _NEVER_TOGETHER, clash)
    found = finite_domain(
        task,
        encode(task, groups),
        groups,
        names,
        all_variables,
    )
    if found is None:
        return _stub(text, names, _NEVER_TOGETHER)
    return replace(
        found,
        static=tuple(_static_atoms(text, names)),
        objects=tuple(objects_of(text, names)),
        has_costs=text.has_costs,
    )


def objects_of(
    text: TaskText,
    names: PddlNames,
) -> Iterator[tuple[str, str]]:
    """Yield a pair of ASP terms for each object and each of its types, supertypes included."""
    for name, types in text.types_of.items():
        for kind in sorted(types):
            yield names.objects.terms[name], names.types.terms[kind]


def _check_objects(text: TaskText) -> None:
    """Raise `InputError` if an object is declared twice."""
    for first, *others in text.objects.values():
        for typed in others:
            problem = f"object {typed.name} is declared twice, first in {first.name.at}"
            raise wrong(typed.name, problem, "leave one of the two out")


def _static_atoms(
    text: TaskText,
    names: PddlNames,
) -> Iterator[str]:
    """Yield the initial atoms of static predicates, which nothing changes, as ASP terms."""
    changing = text.fluents | text.derived
    for predicate, *row in dict.fromkeys(atom.ground() for atom in text.problem.initial):
        if predicate not in changing:
            yield names.atom(predicate, row)


def _why_unreachable(task: GroundTask) -> str:
    """Return the reason why the goal cannot hold, as text for a message."""
    fluents = task.lifted.fluents
    for literal in task.lifted.goal:
        if literal.positive and literal.predicate in fluents:
            atoms = task.reachable.atoms[literal.predicate]
            row = [task.reachable.objects[word] for word in literal.arguments]
            if not (atoms == row).all(axis=1).any():
                return "the goal cannot be reached, even if no action deleted anything"
    return "the goal requires a condition that no action can change"


def _stub(
    text: TaskText,
    names: PddlNames,
    why: str,
    clash: tuple[str, ...] = (),
) -> Task:
    """Return a task that has no plan, with the reason `why`.

    If a goal atom does not hold initially and no action or rule makes an atom of its predicate
    true, that is the reason instead of `why`. `clash` has the terms of mutually exclusive atoms,
    two of which are goals.
    """
    changes = (part for part in text.parts if isinstance(part, syntax.Changed))
    added = {part.atom.name.key for part in changes if part.holds} | text.derived
    initial = set(text.problem.initial)
    for atom in text.goal_atoms:
        if atom.name.key not in added and atom not in initial:
            missing = names.written_atom(*atom.ground())
            why = f"the goal requires {missing}, which no action makes true"
            break
    return replace(task_without_plan(why), clash=clash)
