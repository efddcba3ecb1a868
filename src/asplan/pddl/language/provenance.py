"""Explanations of a plan: the actions that add and delete each atom, and their needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from asplan.core.errors import Location
from asplan.core.plan import Plan
from asplan.core.text import shortened
from asplan.pddl.language import syntax
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.language.syntax import Formula, GroundAtom, bind
from asplan.pddl.language.world import State
from asplan.pddl.language.writing import written
from asplan.program.source import ground_term


def explain_plan(
    model: TextModel,
    plan: Plan,
) -> dict[str, Any]:  # JSON
    """Return the data of a page that shows why each atom holds after the steps of a plan.

    An atom is explained by the action that added it, and an action by the atoms that it needs.
    Derived predicates are left out. `at` has for each atom the steps at which its explanation
    changes.
    """
    explanation = _PlanExplanation(model)
    for step, actions in enumerate(plan, 1):
        explanation.add_step(step, actions)
    return explanation.data()


class _PlanExplanation:
    """The explanation of the steps so far.

    Attributes
    ----------
    since
        The number of the explanation of each true atom.
    """

    def __init__(self, model: TextModel) -> None:
        self.model = model
        self.names = model.names
        self.declared = {action.name.key: action for action in model.task.domain.actions}
        self.state: State = model.initial
        self.true: list[tuple[object, ...]] = []
        self.false: dict[str, list[tuple[str, int, str, str]]] = {}
        self.rules: dict[tuple[str, str], int] = {}
        self.at: dict[str, list[tuple[int, str]]] = {}
        self.since: dict[GroundAtom, int] = {}
        self.happening: list[list[str]] = []
        for one in model.task.problem.initial:
            self._add_fact(one)

    def add_step(
        self,
        step: int,
        actions: Sequence[str],
    ) -> None:
        """Explain the actions of a step and their effects."""
        self.happening.append([])
        for term in actions:
            self._add_action(step, term)

    def data(self) -> dict[str, Any]:  # JSON
        """Return the data of the page; `explaining` has its format."""
        return {
            "start": 0,
            "fluents": {},
            "at": self.at,
            "actions": self.happening,
            "true": self.true,
            "false": self.false,
            "rules": list(self.rules),
            "left_out": 0,
            "encoding": "",
        }

    def _add_fact(self, initial: syntax.Atom) -> None:
        atom = initial.ground()
        name = f"{self._text(atom)} at the start"
        rule = self._rule(initial.name.at, self._text(atom))
        self.since[atom] = self._add_true(name, "fact", rule, [], [])
        self._note(0, atom, name)

    def _add_action(
        self,
        step: int,
        term: str,
    ) -> None:
        action = self.model.parse_action(ground_term(term, "action"))
        schema = self.declared[action.name]
        bound = bind(schema.parameters, action.arguments)
        text = self.names.written(term)
        needs = list(_needs(schema.precondition, bound))
        body = [
            self.since[atom] for atom, is_positive in needs if is_positive and atom in self.since
        ]
        absent = [self._text(atom) for atom, is_positive in needs if not is_positive]
        precondition = written(schema.precondition, bound, self.names)
        name = f"{text} in step {step}"
        rule = self._rule(schema.name.at, f"{text} needs {precondition}")
        happens = self._add_true(name, "chosen", rule, body, absent)
        self.happening[-1].append(name)
        after = self.model.apply(self.state, action)
        for atom in sorted(after - self.state):
            rule = self._rule(schema.name.at, f"{text} adds {self._text(atom)}")
            self._add_effect(step, atom, rule, happens)
        for atom in sorted(self.state - after):
            rule = self._rule(schema.name.at, f"{text} deletes {self._text(atom)}")
            self._add_deletion(step, atom, rule, text)
        self.state = after

    def _add_effect(
        self,
        step: int,
        atom: GroundAtom,
        rule: int,
        happens: int,
    ) -> None:
        name = f"{self._text(atom)} after step {step}"
        self.since[atom] = self._add_true(name, "derived", rule, [happens], [])
        self._note(step, atom, name)

    def _add_deletion(
        self,
        step: int,
        atom: GroundAtom,
        rule: int,
        action: str,
    ) -> None:
        name = f"{self._text(atom)} after step {step}"
        self.false[name] = [(name, rule, "", f"{action} deletes it in step {step}")]
        self._note(step, atom, name)
        del self.since[atom]

    def _add_true(
        self,
        name: str,
        kind: str,
        rule: int,
        body: list[int],
        absent: list[str],
    ) -> int:
        """Add an explanation and return its number."""
        self.true.append((name, kind, rule, "", body, absent, []))
        return len(self.true) - 1

    def _rule(
        self,
        place: Location,
        text: str,
    ) -> int:
        """Return the number of a place in the files and its text."""
        key = f"{Path(place.file).name}:{place.line}:{place.column}", shortened(text, 300)
        return self.rules.setdefault(key, len(self.rules))

    def _note(
        self,
        step: int,
        atom: GroundAtom,
        name: str,
    ) -> None:
        """Note the name of the explanation of an atom from a step on."""
        term = self.names.atom(atom[0], atom[1:])
        self.at.setdefault(term, []).append((step, name))

    def _text(self, atom: GroundAtom) -> str:
        return self.names.written_atom(*atom)


def _needs(
    formula: Formula,
    bound: Mapping[str, str],
) -> Iterator[tuple[GroundAtom, bool]]:
    """Yield the literals of a conjunction, each with its sign; other parts are left out."""
    match formula:
        case syntax.Atom():
            yield formula.ground(bound), True
        case syntax.Connected("and", parts):
            for part in parts:
                yield from _needs(part, bound)
        case syntax.Connected("not", (syntax.Atom() as body,)):
            yield body.ground(bound), False
