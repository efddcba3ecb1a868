"""The last step of the translation: the finite-domain task of a ground task and its variables.

The numbers of facts (values of variables) that occur here are those of `FactNumbers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from asplan.core.dataclass import dataclass
from asplan.core.graphs import components
from asplan.pddl.grounding.arrays import (
    Array,
    Columns,
    columns_of,
    distinct_columns,
    first_places,
)
from asplan.pddl.grounding.ground import GroundTask
from asplan.pddl.grounding.operator_facts import (
    FactNumbers,
    Facts,
    operator_facts,
)
from asplan.pddl.grounding.terms import (
    action_terms,
    atom_terms,
    operator_costs,
)
from asplan.pddl.grounding.variables import Encoding, causal_order
from asplan.pddl.language.names import PddlNames
from asplan.pddl.task.task import (
    NONE,
    Axiom,
    Effect,
    Fact,
    Operator,
    Task,
    Variable,
    absent,
)


def finite_domain(
    task: GroundTask,
    encoding: Encoding,
    groups: Iterable[tuple[int, ...]],
    names: PddlNames,
    all_variables: bool,
) -> Task | None:
    """Return the finite-domain task, or None if the goal contradicts itself.

    Parameters
    ----------
    task
        The ground task.
    encoding
        The variables that encode its atoms.
    groups
        The mutex groups. Groups whose atoms all belong to one variable are left out.
    names
        The names of the task.
    all_variables
        Whether to keep variables on which the goal does not depend, and their operators.
    """
    builder = _Builder(task, encoding, names)
    goal = builder.numbers.conjunction(task.goal or ())
    return (
        None
        if goal is None
        else builder.task(
            goal,
            groups,
            all_variables,
        )
    )


def goal_clash(
    task: GroundTask,
    groups: Iterable[tuple[int, ...]],
    names: PddlNames,
) -> tuple[str, ...]:
    """Return the atoms, as terms, of the first mutex group that contains two atoms of the goal.

    The two atoms of the goal come first. Return an empty tuple if there is no such group.
    """
    wanted = {literal // 2 for literal in task.goal or () if literal % 2 == 0}
    term = atom_terms(task, names)
    for group in groups:
        clashing = [atom for atom in group if atom in wanted][:2]
        if len(clashing) == 2:
            others = [atom for atom in group if atom not in clashing]
            return tuple(map(term, [*clashing, *others]))
    return ()


_NumberedAxiom = tuple[int, Facts]
"""A derived atom, and the facts of a condition from which it follows."""


@dataclass(frozen=True)
class _Selection:
    """The variables that the task keeps, and their order.

    Attributes
    ----------
    kept
        For each variable of the encoding whether the task keeps it.
    order
        The numbers of the kept variables in their new order.
    facts
        For each fact number, the pair of a variable and a value in the task. The variable is -1 if
        the task does not keep it.
    """

    kept: Array
    order: Sequence[int]
    facts: Sequence[Fact]

    def sorted_facts(
        self,
        facts: Iterable[int],
    ) -> tuple[Fact, ...]:
        """Return the facts of the task for these fact numbers, sorted."""
        chosen = self.facts
        return tuple(sorted([chosen[fact] for fact in facts]))


class _Builder:
    """A builder of the finite-domain task of a ground task."""

    def __init__(
        self,
        task: GroundTask,
        encoding: Encoding,
        names: PddlNames,
    ) -> None:
        self.ground = task
        self.encoding = encoding
        self.names = names
        self.numbers = FactNumbers(encoding)
        self.operators = operator_facts(task, encoding, self.numbers)
        self._variable: list[int] = encoding.variable.tolist()

    def task(
        self,
        goal: Facts,
        groups: Iterable[tuple[int, ...]],
        all_variables: bool,
    ) -> Task:
        """Return the finite-domain task; see `finite_domain` for the parameters."""
        axioms = list(self._numbered_axioms())
        chosen = self._select(goal, axioms, all_variables)
        variables, initial = self._variables(chosen.order)
        return Task(
            tuple(variables),
            tuple(initial),
            chosen.sorted_facts(goal),
            tuple(_Operators(self, chosen).operators()),
            tuple(self._axioms(axioms, chosen)),
            tuple(self._mutexes(groups, chosen)),
        )

    def _numbered_axioms(self) -> Iterator[_NumberedAxiom]:
        """Yield each axiom with the numbers of facts in its condition, instead of literals.

        Axioms whose condition contradicts itself are left out.
        """
        for head, bodies in sorted(self.ground.axioms.items()):
            for body in sorted(map(sorted, bodies)):
                condition = self.numbers.conjunction(body)
                if condition is not None:
                    yield head, condition

    def _axioms(
        self,
        axioms: Iterable[_NumberedAxiom],
        chosen: _Selection,
    ) -> Iterator[Axiom]:
        """Yield the axioms of the variables that the task keeps."""
        for head, condition in axioms:
            if chosen.kept[self._variable[head]]:
                fact = chosen.facts[self.numbers.literal_list[2 * head]]
                yield Axiom(fact, chosen.sorted_facts(condition))

    def _mutexes(
        self,
        groups: Iterable[tuple[int, ...]],
        chosen: _Selection,
    ) -> dict[tuple[Fact, ...], None]:
        """Return the mutex groups with facts of at least two variables, without duplicates.

        The result is a dictionary because it keeps the order; its values mean nothing.
        """
        owner = self.numbers.owner_list
        mutexes: dict[tuple[Fact, ...], None] = {}
        for group in groups:
            literals = (2 * atom for atom in group if self._variable[atom] >= 0)
            numbered = [self.numbers.literal_list[literal] for literal in literals]
            facts = [fact for fact in numbered if chosen.kept[owner[fact]]]
            if len({owner[fact] for fact in facts}) > 1:
                mutexes[chosen.sorted_facts(facts)] = None
        return mutexes

    def _select(
        self,
        goal: Facts,
        axioms: Sequence[_NumberedAxiom],
        all_variables: bool,
    ) -> _Selection:
        """Choose the variables that the task keeps, and order them."""
        owner = self.numbers.owner_list
        changes, reads = self._dependencies(axioms)
        count = len(self.encoding.members)
        goal_variables = [owner[fact] for fact in goal]
        kept = np.ones(count, dtype=bool)
        if not all_variables:
            kept = self._relevant(goal_variables, changes, reads)
        operators, facts = self.operators.needs
        needs = np.stack((operators, self.numbers.owner[facts]))
        order = causal_order(needs, changes, reads, goal_variables, count)
        order = [variable for variable in order if kept[variable]]
        places = {variable: place for place, variable in enumerate(order)}
        first = self.numbers.first_list
        facts_of_task = [(places.get(v, -1), fact - first[v]) for fact, v in enumerate(owner)]
        return _Selection(kept, order, facts_of_task)

    def _relevant(
        self,
        goal_variables: Sequence[int],
        changes: Columns,
        reads: Columns,
    ) -> Array:
        """Return for each variable whether the goal depends on it, through operators and axioms.

        A column of `changes` has an operator and a variable that it changes. A column of `reads`
        has a variable that an axiom or conditional effect sets, and a variable in its condition.
        """
        kept = np.zeros(len(self.encoding.members), dtype=bool)
        kept[goal_variables] = True
        operators, facts = self.operators.needs
        count = 0
        while count < kept.sum():
            count = int(kept.sum())
            busy = np.zeros(self.ground.operator_count, dtype=bool)
            busy[changes[0, kept[changes[1]]]] = True
            kept[self.numbers.owner[facts[busy[operators]]]] = True
            kept[reads[1, kept[reads[0]]]] = True
        return kept

    def _dependencies(
        self,
        axioms: Sequence[_NumberedAxiom],
    ) -> tuple[Columns, Columns]:
        """Return the dependencies between operators and variables as two arrays of columns.

        The columns of the first are an operator and a variable that it changes. The columns of the
        second are a variable that an axiom or conditional effect sets, and a variable in its
        condition.
        """
        operators = self.operators
        conditional = operators.conditional_facts()
        others = columns_of([(operator, fact) for operator, fact, _ in conditional], 2)
        changes = np.concatenate((operators.effects[:2], others), axis=1)
        changes = changes[:, operators.alive[changes[0]]]
        changed_variables = np.stack((changes[0], self.numbers.owner[changes[1]]))
        owner = self.numbers.owner_list
        pairs = list[tuple[int, int]]()
        for _, fact, condition in conditional:
            pairs += [(owner[fact], owner[read]) for read in condition]
        for head, condition in axioms:
            pairs += [(self._variable[head], owner[read]) for read in condition]
        own = self.numbers.owner[operators.effects[1:, operators.effects[2] >= 0]]
        reads = np.concatenate((own, columns_of(pairs, 2)), axis=1)
        return distinct_columns(changed_variables), distinct_columns(reads)

    def _variables(
        self,
        order: Iterable[int],
    ) -> tuple[list[Variable], list[int]]:
        """Return the variables in the given order, and their initial values."""
        term = atom_terms(self.ground, self.names)
        layers = _layers(self.ground, self.encoding)
        holds = self.ground.initial
        absence = self.encoding.absence.tolist()
        atom_of_second = {second: atom for atom, second in enumerate(absence) if second >= 0}
        variables = list[Variable]()
        initial = list[int]()
        for number in order:
            atom = atom_of_second.get(number)
            if atom is not None:
                variables.append(Variable((absent(term(atom)), NONE)))
                initial.append(int(holds[atom]))
                continue
            atoms = self.encoding.members[number]
            values = list(map(term, atoms))
            if self.encoding.has_none[number]:
                values.append(NONE)
            variables.append(Variable(tuple(values), layers.get(number, -1)))
            true = (value for value, atom in enumerate(atoms) if holds[atom])
            initial.append(next(true, len(atoms)))
        return variables, initial


class _Operators:
    """A builder of the operators of the finite-domain task.

    It leaves out operators that have no effect on a kept variable.
    """

    def __init__(
        self,
        builder: _Builder,
        chosen: _Selection,
    ) -> None:
        ground = builder.ground
        numbered = builder.operators
        owner = builder.numbers.owner
        count = ground.operator_count
        self._alive = numbered.alive
        self._conditional = numbered.conditional
        self._chosen = chosen
        self._owner = builder.numbers.owner_list
        variables = np.array([variable for variable, _ in chosen.facts], dtype=np.int64)
        operators, facts = numbered.needs
        needs = numbered.needs[:, np.lexsort((variables[facts], operators))]
        self._needs_first = first_places(needs[0], count).tolist()
        self._needs = [chosen.facts[fact] for fact in needs[1].tolist()]
        effects = numbered.effects[:, chosen.kept[owner[numbered.effects[1]]]]
        order = np.lexsort((variables[effects[1]], effects[0]))
        effects = effects[:, order]
        self._effects_first = first_places(effects[0], count).tolist()
        self._effects = list(_simple_effects(effects, chosen))
        self._term = action_terms(ground, builder.names)
        self._cost = operator_costs(ground)

    def operators(self) -> Iterator[Operator]:
        """Yield the operators.

        If an action was split, several operators represent it. If they also have the same
        precondition and effect, only the first is yielded.
        """
        needs = self._needs
        first = self._needs_first
        seen = set[tuple[object, ...]]()
        for number in np.flatnonzero(self._alive).tolist():
            effects = self._effects_of(number)
            cost = self._cost(number)
            if not effects or cost is None:
                continue
            action, is_split = self._term(number)
            precondition = tuple(needs[first[number] : first[number + 1]])
            if is_split:
                key = (action, precondition, effects)
                if key in seen:
                    continue
                seen.add(key)
            yield Operator(action, precondition, effects, cost)

    def _effects_of(
        self,
        number: int,
    ) -> tuple[Effect, ...]:
        """Return the effects of an operator on the variables that the task keeps."""
        begin, end = self._effects_first[number : number + 2]
        effects = self._effects[begin:end]
        chosen = self._chosen
        for fact, several in self._conditional.get(number, ()):
            if chosen.kept[self._owner[fact]]:
                condition = chosen.sorted_facts(several)
                effects.append(Effect(chosen.facts[fact], condition))
        return tuple(effects)


def _simple_effects(
    effects: Columns,
    chosen: _Selection,
) -> Iterator[Effect]:
    """Convert effects from columns of an array to effects of the finite-domain task.

    Each column has an operator, a fact that the operator makes true, and a fact that is the
    condition of the effect (-1 for none). `chosen` has the facts of the task by their numbers.
    """
    facts = chosen.facts
    # Operators share the unconditional effects, as there are few facts.
    unconditional = list(map(Effect, facts))
    _, changed, conditions = effects.tolist()
    for fact, condition in zip(changed, conditions, strict=True):
        if condition < 0:
            yield unconditional[fact]
        else:
            yield Effect(facts[fact], (facts[condition],))


def _layers(
    task: GroundTask,
    encoding: Encoding,
) -> dict[int, int]:
    """Return the layer of each derived variable by its number.

    The axioms of a layer negate only variables of lower layers.
    """
    heads = sorted(task.axioms)
    below = _derived_literals(task, heads)
    edges = [[place for place, _ in row] for row in below]
    layers = [0] * len(heads)
    for part in components(edges):
        # Atoms of this component are still in layer 0, and nothing is above them.
        layer = 0
        for place in part:
            above = [layers[other] + is_negated for other, is_negated in below[place]]
            layer = max(layer, *above, 0)
        for place in part:
            layers[place] = layer
    variables = encoding.variable[heads].tolist()
    return dict(zip(variables, layers, strict=True))


def _derived_literals(
    task: GroundTask,
    heads: Sequence[int],
) -> list[list[tuple[int, int]]]:
    """Return, for each derived atom in `heads`, the derived literals in its axioms.

    A literal is a pair: the index of its atom in `heads`, and 1 if it is negated, else 0.
    """
    places = {head: place for place, head in enumerate(heads)}
    below = list[list[tuple[int, int]]]()
    for head in heads:
        literals = [literal for body in task.axioms[head] for literal in body]
        derived = [literal for literal in literals if literal // 2 in places]
        below.append([(places[literal // 2], literal % 2) for literal in derived])
    return below
