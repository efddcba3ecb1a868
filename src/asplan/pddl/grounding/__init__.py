"""From PDDL to a finite-domain task: ground by clingo, with variables for groups of atoms.

`relaxed` has clingo find what can be reached, `ground` and `simplify` make operators of that,
`invariants` finds groups of atoms of which one holds, `variables` encodes and orders these, and
`finite_domain` writes the task. `translate` goes all the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from asplan.pddl.grounding.finite_domain import finite_domain, goal_clash
from asplan.pddl.grounding.ground import GroundTask, ground
from asplan.pddl.grounding.invariants import contradicts, find_groups
from asplan.pddl.grounding.simplify import simplify
from asplan.pddl.grounding.variables import encode
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import wrong
from asplan.pddl.language.names import PddlNames
from asplan.pddl.language.syntax import TaskText
from asplan.pddl.task.task import Task, task_without_plan


def translate(text: TaskText, names: PddlNames, all_variables: bool = False) -> Task:
    """The finite-domain task of a PDDL task.

    With `all_variables`, variables stay that have no bearing on the goal. Raises `InputError` for
    what makes no sense once it is ground, and `Stopped` or `MemoryError` where a limit of the
    system is reached.
    """
    for first, *others in text.objects.values():
        for typed in others:
            what = f"object {typed.name} is declared twice, first in {first.name.at}"
            raise wrong(typed.name, what, "leave one of the two out")
    found = ground(text)
    if found.goal is None:
        return _without_plan(text, names, _why(found))
    found = simplify(found)
    groups = find_groups(found)
    while (barred := contradicts(found, groups)).any():
        found = simplify(found.kept(~barred))
    if found.goal is None:
        return _without_plan(text, names, "the goal asks for what no action can bring about")
    if clash := goal_clash(found, groups, names):
        return _without_plan(text, names, _NEVER_TOGETHER, clash)
    task = finite_domain(found, encode(found, groups), groups, names, all_variables)
    if task is None:
        return _without_plan(text, names, _NEVER_TOGETHER)
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


def _why(found: GroundTask) -> str:
    """Why the goal of a task cannot hold, whose atoms are all that can be reached."""
    task = found.lifted
    for literal in task.goal:
        if literal.positive and literal.predicate in task.moving:
            atoms = found.relaxed.atoms[literal.predicate]
            row = [found.relaxed.objects[word] for word in literal.arguments]
            if not (atoms == row).all(axis=1).any():
                return "the goal cannot be reached, not even if actions made nothing false"
    return "the goal asks for what no action can change"


_NEVER_TOGETHER = "the goal asks for what can never hold together"


def _without_plan(text: TaskText, names: PddlNames, why: str, clash: tuple[str, ...] = ()) -> Task:
    """A task that stands for one whose goal cannot be reached."""
    changed = (part for part in text.parts if isinstance(part, syntax.Changed))
    added = {part.atom.name.key for part in changed if part.holds} | text.derived
    initial = set(text.problem.initial)
    for atom in text.goal_atoms:
        if atom.name.key not in added and atom not in initial:
            missing = names.written_atom(*atom.ground())
            why = f"the goal asks for {missing}, which no action brings about"
            break
    return replace(task_without_plan(why), clash=clash)
