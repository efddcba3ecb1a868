"""Sentences about ground tasks and encodings, with the names of the PDDL files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from asplan.core.errors import Location
from asplan.core.text import shortened
from asplan.domains.model import Model
from asplan.pddl.grounding.lifted import AUXILIARY
from asplan.pddl.language.names import PddlNames
from asplan.pddl.language.reasons import Reason, goal_place, obstacles
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.language.writing import written
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.plasp import words_of
from asplan.pddl.task.task import NONE, Task, denied
from asplan.program.syntax import AST, ASTType, Sign, atoms, find, signature


def atom_words(
    names: PddlNames,
    term: str,
) -> list[str]:
    """Return the PDDL names in an atom term: the predicate and the objects.

    An atom that exists only in the translated task has a new predicate: `not-NAME` for the negation
    of an atom, and `new-axiom@N` for an auxiliary derived predicate.
    """
    if atom := denied(term):
        name, *objects = atom_words(names, atom)
        return [f"not-{name}", *objects]
    head, *arguments = words_of(term)
    if head == AUXILIARY:
        number, *arguments = arguments
        head = f"new-axiom@{number}"
    name = names.predicates.names.get(head, head)
    return [name, *(names.objects.names[word] for word in arguments)]


def atom_text(
    names: PddlNames,
    term: str,
) -> str:
    """Return an atom term as PDDL text."""
    name, *arguments = atom_words(names, term)
    return names.written_atom(name, *arguments)


def obstacles_of(
    text: TextModel,
    model: Model[Any, Any],  # Any: the states of a task or of a text
) -> list[Reason]:
    """Return reasons why the goal is unreachable; empty if only a search can show this.

    `text` is the transition system of the PDDL text, and `model` the transition system for search.
    """
    why = model.unsolvable()
    if why is None:
        return []
    clash = model.task.clash if isinstance(model, TaskModel) else ()
    return obstacles(text, why, {term: atom_text(text.names, term) for term in clash})


class _Meaning(NamedTuple):
    """The meaning of a constraint of the encodings.

    Attributes
    ----------
    predicate
        A predicate that identifies the constraint, because it occurs in it.
    instance
        A sentence about one instance of the constraint, with placeholders `{atom}`, `{action}`.
    general
        A sentence about all instances of the constraint.
    is_negated
        True if the constraint must contain the predicate in negated form.
    """

    predicate: str
    instance: str
    general: str
    is_negated: bool = False


_GOAL = "goal"
_MEANINGS = (
    _Meaning(
        _GOAL,
        "the goal {atom}",
        "the goal",
    ),
    _Meaning(
        "precondition",
        "{action} needs {atom}",
        "preconditions of actions",
    ),
    _Meaning(
        "caused",
        "{atom} begins to hold, and no action adds it",
        "nothing changes by itself",
        is_negated=True,
    ),
    _Meaning(
        "caused",
        "an action adds {atom}, which does not hold then",
        "effects of actions",
    ),
    _Meaning(
        "mutex",
        "atoms exclude each other",
        "atoms exclude each other",
    ),
    _Meaning(
        "value",
        "atoms exclude each other",
        "atoms exclude each other",
    ),
)
"""The meanings of the constraints in encodings/pddl.

The first one that fits a constraint counts.
"""

_INTERFERENCE = _Meaning(
    "",
    "actions interfere in a step",
    "actions interfere in a step",
)
"""The meaning of a constraint that fits none of these."""


def rule_sentence(
    model: TextModel,
    task: Task,
    statement: AST,
    values: Mapping[str, str],
) -> Reason:
    """Return a place in the PDDL files, and a sentence that explains a constraint of the encodings.

    Parameters
    ----------
    model
        The transition system of the PDDL text.
    task
        The ground task.
    statement
        The constraint.
    values
        The values of the constraint's variables `D` (an atom), `V` (a state variable) and `O` (an
        operator). Empty to explain the constraint in general.
    """
    meaning = _find_meaning(statement)
    is_goal = meaning.predicate == _GOAL
    place = _goal_place(model, values) if is_goal else model.task.domain.name.at
    if not values:
        return place, _goal_sentence(model) if is_goal else meaning.general
    subject = _subject(task, values)
    if not is_goal:
        place = _predicate_place(model, subject, place)
    action = task.operators[int(values["O"])].action if "O" in values else ""
    if action:
        place = _action_place(model, action)
        action = model.names.written(action)
    atom = _subject_text(model.names, task, values, subject)
    return place, meaning.instance.format(atom=atom, action=action)


def _find_meaning(statement: AST) -> _Meaning:
    """Return the first meaning whose predicate occurs in the constraint `statement`.

    If there is none, return `_INTERFERENCE`: the constraint excludes actions that interfere.
    """
    negated: dict[str, bool] = {}
    for literal in find(ASTType.Literal, [statement]):
        for atom in atoms(literal):
            _, name, _ = signature(atom)
            is_negated = literal.sign == Sign.Negation
            negated[name] = is_negated or negated.get(name, False)
    for row in _MEANINGS:
        if row.predicate in negated and (negated[row.predicate] or not row.is_negated):
            return row
    return _INTERFERENCE


def _goal_sentence(model: TextModel) -> str:
    """Return the goal as text for a message."""
    goal = written(model.task.problem.goal, {}, model.names)
    return f"the goal {shortened(goal)}"


def _goal_place(
    model: TextModel,
    values: Mapping[str, str],
) -> Location:
    """Return the place of the atom `D` of the goal, or of the whole goal if there is no such atom.

    `values` has the values of a constraint's variables, such as `D`.
    """
    names = model.names
    places = {
        names.atom(atom.name.key, atom.ground()[1:]): atom.name.at for atom in model.task.goal_atoms
    }
    return places.get(values.get("D", ""), goal_place(model.task))


def _predicate_place(
    model: TextModel,
    atom: str,
    default: Location,
) -> Location:
    """Return the place where the predicate of an atom is declared; `default` if there is none."""
    predicate, *_ = atom_words(model.names, atom)
    for declared in model.task.domain.predicates:
        if declared.name.key == predicate:
            return declared.name.at
    return default


def _action_place(
    model: TextModel,
    action: str,
) -> Location:
    """Return the place where the action of a term is declared."""
    head, *_ = words_of(action)
    name = model.names.actions.names[head]
    return next(a.name.at for a in model.task.domain.actions if a.name.key == name)


def _atoms_of_variable(
    task: Task,
    values: Mapping[str, str],
) -> list[str]:
    """Return the atoms among the values of the state variable with the number `V`.

    `values` has the values of a constraint's variables, such as `V`. Without `V`, the number is 0.
    """
    variable = task.variables[int(values.get("V", 0))]
    return [value for value in variable.values if value != NONE]


def _subject(
    task: Task,
    values: Mapping[str, str],
) -> str:
    """Return the atom that a sentence about a constraint names.

    `values` has the values of the constraint's variables. The result is the value of `D`, without a
    negation. If `D` is `none` or missing, the result is the first atom of the state variable `V`.
    """
    atom = values.get("D", NONE)
    if atom == NONE:
        return _atoms_of_variable(task, values)[0]
    return denied(atom) or atom


def _subject_text(
    names: PddlNames,
    task: Task,
    values: Mapping[str, str],
    subject: str,
) -> str:
    """Return the value of `D` as text: an atom, a negated atom, or `none of its atoms`.

    `values` has the values of a constraint's variables, such as `D`. `subject` is the atom that the
    sentence about the constraint names.
    """
    atom = values.get("D", NONE)
    if atom == NONE and len(_atoms_of_variable(task, values)) > 1:
        return "none of its atoms"
    text = atom_text(names, subject)
    return text if subject == atom else f"(not {text})"
