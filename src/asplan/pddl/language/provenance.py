"""Explanations of a plan: which actions add and delete each atom, and which atoms actions need."""

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
from asplan.program.reading.source import ground_term


def explain_plan(
    model: TextModel,
    plan: Plan,
) -> dict[str, Any]:  # JSON
    """Return the data of a page that shows why each atom holds after each step of a plan.

    An atom is explained by the action that added it, and an action by the atoms in its
    precondition. Derived predicates are left out. In the data, `at` has for each atom the steps at
    which its explanation changes.
    """
    explanation = _PlanExplanation(model)
    for step, actions in enumerate(plan, 1):
        explanation.add_step(step, actions)
    return explanation.data()


class _PlanExplanation:
    """The explanations of the atoms and actions in the steps so far.

    An explanation of an atom or action has a number: its index in `true`.

    Attributes
    ----------
    declared
        The actions of the domain by name.
    state
        The state after the steps so far.
    true
        The explanations of true atoms and of actions, in the format of the page.
    false
        The explanations of deleted atoms, by name: the atom with its step.
    rules
        The numbers of the rules that explanations cite. A rule is a place in the files together
        with the text that the page shows for it.
    at
        For each atom the steps at which its explanation changes, each with the name of the new
        explanation.
    since
        For each true atom the number of its explanation.
    happening
        The names of the actions in each step.
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
        """Add explanations of the actions of a step and of their effects."""
        self.happening.append([])
        for term in actions:
            self._add_action(step, term)

    def data(self) -> dict[str, Any]:  # JSON
        """Return the data of the page, in the format of the module `explaining`."""
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
        """Add the explanation of an initial atom."""
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
        """Add the explanations of an action and of its effects."""
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
        """Add the explanation of an atom that an action adds.

        `rule` is the number of the rule that the explanation cites (see the attribute `rules`), and
        `happens` is the number of the action's explanation.
        """
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
        """Add the explanation of an atom that an action deletes.

        `rule` is the number of the rule that the explanation cites (see the attribute `rules`), and
        `action` is the action as text.
        """
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
        """Add an explanation to `true` and return its number.

        Parameters
        ----------
        name
            The explained atom or action with its step, as text.
        kind
            The kind of reason: `fact`, `chosen` or `derived`.
        rule
            The number of the rule that the explanation cites (see the attribute `rules`).
        body
            The numbers of the explanations that this one depends on.
        absent
            The atoms that must be false, as text.
        """
        self.true.append((name, kind, rule, "", body, absent, []))
        return len(self.true) - 1

    def _rule(
        self,
        place: Location,
        text: str,
    ) -> int:
        """Return the number of a rule: a place in the files, and the text to show for the place."""
        key = f"{Path(place.file).name}:{place.line}:{place.column}", shortened(text, 300)
        return self.rules.setdefault(key, len(self.rules))

    def _note(
        self,
        step: int,
        atom: GroundAtom,
        name: str,
    ) -> None:
        """Record that the explanation with this name explains an atom from this step on."""
        term = self.names.atom(atom[0], atom[1:])
        self.at.setdefault(term, []).append((step, name))

    def _text(self, atom: GroundAtom) -> str:
        """Return an atom as PDDL text."""
        return self.names.written_atom(*atom)


def _needs(
    formula: Formula,
    bound: Mapping[str, str],
) -> Iterator[tuple[GroundAtom, bool]]:
    """Yield the atoms in a conjunction, each with True if it must hold and False if it must not.

    Other parts of the conjunction are left out.
    """
    match formula:
        case syntax.Atom():
            yield formula.ground(bound), True
        case syntax.Connected("and", parts):
            for part in parts:
                yield from _needs(part, bound)
        case syntax.Connected("not", (syntax.Atom() as body,)):
            yield body.ground(bound), False
