"""A ground task with variables for its atoms, as a finite-domain task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

import numpy as np

from asplan.core.graphs import components
from asplan.pddl.grounding.ground import ALWAYS, GroundTask, Numbers, among, distinct
from asplan.pddl.grounding.relaxed import MADE
from asplan.pddl.grounding.variables import Encoding, causal_order, needs_of
from asplan.pddl.language.names import PddlNames
from asplan.pddl.task.task import NONE, Axiom, Effect, Operator, Task, Variable, absent

_Facts = frozenset[int]
"""A conjunction of facts, which have numbers here: all values of all variables in order."""


def finite_domain(
    task: GroundTask,
    encoding: Encoding,
    groups: Iterable[tuple[int, ...]],
    names: PddlNames,
    all_variables: bool,
) -> Task | None:
    """The task, without what has no bearing on the goal unless it asks for `all_variables`.

    None if the goal contradicts itself. Of the `groups` those become mutex groups that are not one
    variable's.
    """
    builder = _Builder(task, encoding, names)
    goal = builder.condition(task.goal or ())
    return None if goal is None else builder.task(goal, groups, all_variables)


def goal_clash(
    task: GroundTask, groups: Iterable[tuple[int, ...]], names: PddlNames
) -> tuple[str, ...]:
    """Return the atoms of a group of which the goal asks for two, these two first, as terms.

    Empty where it asks for no two of any group.
    """
    wanted = {literal // 2 for literal in task.goal or () if literal % 2 == 0}
    term = _atom_terms(task, names)
    for group in groups:
        asked = [atom for atom in group if atom in wanted][:2]
        if len(asked) == 2:
            return tuple(map(term, [*asked, *(atom for atom in group if atom not in asked)]))
    return ()


class _Builder:
    def __init__(self, task: GroundTask, encoding: Encoding, names: PddlNames) -> None:
        self.ground, self.encoding, self.names = task, encoding, names
        sizes = encoding.sizes
        self.first = np.concatenate(([0], np.cumsum(sizes)))
        self.owner = np.repeat(np.arange(len(sizes)), sizes)
        variable = encoding.variable
        known = variable >= 0
        # Of no variable, -1, is what stands last in an array.
        first, sizes = np.append(self.first[:-1], 0), np.append(sizes, 0)
        present = np.where(known, first[variable] + encoding.value, -1)
        other = np.where(known & (sizes[variable] == 2), 2 * first[variable] + 1 - present, -1)
        absent = np.where(encoding.absence >= 0, first[encoding.absence], other)
        self.fact = np.stack((present, absent), axis=1).ravel()
        """The fact of each literal; -1 where nobody asks for it."""
        self._owner, self._first = self.owner.tolist(), self.first.tolist()
        self._fact, self._variable = self.fact.tolist(), variable.tolist()
        self._absence = encoding.absence.tolist()
        self._atoms = {v: atom for atom, v in enumerate(self._absence) if v >= 0}
        self.conditions = [self.condition(one) for one in task.conditions]
        # An operator with conditional effects is dealt with alone, the others all at once.
        simple = np.ones(task.count, dtype=bool)
        simple[task.effects[0, task.effects[2] != ALWAYS]] = False
        operators, literals = needs_of(task, variable)
        facts = self.fact[literals]
        assert (facts >= 0).all(), "a literal that no variable encodes"
        self.needs = distinct(np.stack((operators, facts)))
        self.alive = np.ones(task.count, dtype=bool)
        # Facts of one variable stand side by side: an operator that needs two never applies.
        (operators, facts), owner = self.needs, self.owner
        same = (operators[1:] == operators[:-1]) & (owner[facts[1:]] == owner[facts[:-1]])
        self.alive[operators[1:][same]] = False
        self.effects = self._effects_of(simple)
        first = np.searchsorted(task.effects[0], np.arange(task.count + 1)).tolist()
        self._needs_first = np.searchsorted(self.needs[0], np.arange(task.count + 1)).tolist()
        changes = task.effects[1:].T.tolist()
        self.others = {
            o: self._with_conditions(o, changes[first[o] : first[o + 1]])
            for o in np.flatnonzero(~simple & self.alive).tolist()
        }

    def condition(self, literals: Iterable[int]) -> _Facts | None:
        """The facts of a conjunction; None if it contradicts itself."""
        variable = self._variable
        facts = {self._fact[literal] for literal in literals if literal % 2 == 0}
        present = {variable[literal // 2]: literal // 2 for literal in literals if not literal % 2}
        for literal in literals:
            if literal % 2:
                atom = literal // 2
                if (other := present.get(variable[atom])) == atom:
                    return None
                if other is None:
                    facts.add(self._fact[literal])
        return self._consistent(facts)

    def _consistent(self, facts: Iterable[int]) -> _Facts | None:
        """Facts, unless two of them are of one variable."""
        found, owner = frozenset(facts), self._owner
        assert -1 not in found, "a literal that no variable encodes"
        return None if len({owner[fact] for fact in found}) < len(found) else found

    def _effects_of(self, simple: Numbers) -> Numbers:
        """What simple operators do: an operator, a fact, and the fact that is its condition or -1.

        An atom of a variable is deleted by setting that to none, if nothing else sets it.
        """
        task, encoding, count = self.ground, self.encoding, len(self.encoding.sizes)
        owners, changes, _ = task.effects[:, simple[task.effects[0]]]
        atoms, adds = changes // 2, changes % 2 == 0
        variables, present = encoding.variable[atoms], self.fact[changes - changes % 2]
        keys = owners * count + variables
        needed = self.needs[0] * count + self.owner[self.needs[1]]
        order = np.argsort(needed)
        place = np.searchsorted(needed, keys, sorter=order)
        place = order[np.minimum(place, len(order) - 1)] if len(order) else place
        held = np.full(len(keys), -1)
        if len(order):
            held = np.where(needed[place] == keys, self.needs[1, place], -1)
        lost = ~adds & ~among(keys, keys[adds]) & ((held == present) | (held == -1))
        none = self.first[variables + 1] - 1
        if_there = (held == -1) & (encoding.sizes[variables] > 2)
        nothing = np.full(len(owners), -1)
        second = encoding.absence[atoms]
        own = np.where(adds, self.first[second] + 1, self.first[second])
        parts = [
            np.stack((owners, present, nothing))[:, adds],
            np.stack((owners, none, np.where(if_there, present, -1)))[:, lost],
            np.stack((owners, own, nothing))[:, second >= 0],
        ]
        found = distinct(np.concatenate(parts, axis=1))
        total = int(self.first[-1])
        idle = among(found[0] * total + found[1], self.needs[0] * total + self.needs[1])
        return found[:, ~idle]

    def _with_conditions(
        self, operator: int, changes: Iterable[tuple[int, int]]
    ) -> list[tuple[int, _Facts]]:
        """What an operator does that has conditional effects: facts, and their conditions.

        A deletion that another effect may outdo asks for what keeps that from happening.
        """
        begin, end = self._needs_first[operator : operator + 2]
        needed = frozenset(self.needs[1, begin:end].tolist())
        adds, deletes = list[tuple[int, _Facts]](), list[tuple[int, _Facts]]()
        for change, place in changes:
            condition = frozenset[int]() if place == ALWAYS else self.conditions[place]
            if condition is not None and self._consistent(condition | needed) is not None:
                (deletes if change % 2 else adds).append((change // 2, condition - needed))
        found: dict[tuple[int, _Facts], None] = {}
        for atom, condition in adds:
            found[self._fact[2 * atom], condition] = None
            if (second := self._absence[atom]) >= 0:
                found[self._first[second] + 1, condition] = None
        for atom, condition in deletes:
            if (second := self._absence[atom]) >= 0:
                others = [added for other, added in adds if other == atom]
                for guarded in self._unless(condition | needed, others):
                    found[self._first[second], guarded - needed] = None
            variable = self._variable[atom]
            others = [added for other, added in adds if self._variable[other] == variable]
            here = self._consistent(condition | needed | {self._fact[2 * atom]})
            for guarded in self._unless(here, others) if here is not None else ():
                found[self._first[variable + 1] - 1, guarded - needed] = None
        return [(fact, condition) for (fact, condition) in found if fact not in needed]

    def _unless(self, condition: _Facts, others: Sequence[_Facts]) -> Iterator[_Facts]:
        """The ways in which a condition holds and others do not."""
        if not others:
            yield condition
            return
        owner, first, choices = self._owner, self._first, list[list[int]]()
        for other in others:
            known = ((fact, range(first[owner[fact]], first[owner[fact] + 1])) for fact in other)
            choices.append([value for fact, values in known for value in values if value != fact])
        for choice in product(*choices):
            if (found := self._consistent(condition.union(choice))) is not None:
                yield found

    def task(self, goal: _Facts, groups: Iterable[tuple[int, ...]], all_variables: bool) -> Task:
        axioms = [
            (head, condition)
            for head, bodies in sorted(self.ground.axioms.items())
            for body in sorted(map(sorted, bodies))
            if (condition := self.condition(body)) is not None
        ]
        changes, reads = self._dependencies(axioms)
        kept = np.ones(len(self.encoding.members), dtype=bool)
        if not all_variables:  # those on which the goal depends, by operators and axioms
            kept[:], count = False, 0
            kept[self.owner[list(goal)]] = True
            while count < (count := int(kept.sum())):
                busy = np.zeros(self.ground.count, dtype=bool)
                busy[changes[0, kept[changes[1]]]] = True
                kept[self.owner[self.needs[1, busy[self.needs[0]]]]] = True
                kept[reads[1, kept[reads[0]]]] = True
        needs = np.stack((self.needs[0], self.owner[self.needs[1]]))
        wanted = [self._owner[fact] for fact in goal]
        order = [v for v in causal_order(needs, changes, reads, wanted, len(kept)) if kept[v]]
        places = dict(zip(order, range(len(order)), strict=True))
        pairs = [(places.get(v, -1), fact - self._first[v]) for fact, v in enumerate(self._owner)]

        def written(facts: Iterable[int]) -> tuple[tuple[int, int], ...]:
            return tuple(sorted(pairs[fact] for fact in facts))

        mutexes = list[tuple[tuple[int, int], ...]]()
        for group in groups:
            known = (self._fact[2 * atom] for atom in group if self._variable[atom] >= 0)
            facts = [fact for fact in known if kept[self._owner[fact]]]
            if len({self._owner[fact] for fact in facts}) > 1:
                mutexes.append(written(facts))
        variables, initial = self._variables(order)
        return Task(
            tuple(variables),
            tuple(initial),
            written(goal),
            tuple(self._operators(kept, pairs)),
            tuple(
                Axiom(pairs[self._fact[2 * head]], written(condition))
                for head, condition in axioms
                if kept[self._variable[head]]
            ),
            tuple(dict.fromkeys(mutexes)),
        )

    def _variables(self, order: Iterable[int]) -> tuple[list[Variable], list[int]]:
        """The variables, and their values at the start."""
        term, layers = _atom_terms(self.ground, self.names), _layers(self.ground, self.encoding)
        holds, variables, initial = self.ground.initial, list[Variable](), list[int]()
        for number in order:
            if number in self._atoms:
                atom = self._atoms[number]
                variables.append(Variable((absent(term(atom)), NONE)))
                initial.append(int(holds[atom]))
            else:
                atoms = self.encoding.members[number]
                values = [*map(term, atoms), *[NONE] * bool(self.encoding.has_none[number])]
                variables.append(Variable(tuple(values), layers.get(number, -1)))
                initial.append(next((d for d, a in enumerate(atoms) if holds[a]), len(atoms)))
        return variables, initial

    def _dependencies(self, axioms: Sequence[tuple[int, _Facts]]) -> tuple[Numbers, Numbers]:
        """Pairs of an operator and a variable that it changes; of a variable and one it reads."""
        found = [(o, fact, c) for o, several in self.others.items() for fact, c in several]
        changes = np.array([row[:2] for row in found], dtype=np.int64).reshape(-1, 2).T
        changes = np.concatenate((self.effects[:2], changes), axis=1)
        changes = changes[:, self.alive[changes[0]]]
        changes = distinct(np.stack((changes[0], self.owner[changes[1]])))
        owner, variable = self._owner, self._variable
        read = [(owner[fact], owner[one]) for _, fact, c in found for one in c]
        read += [(variable[head], owner[one]) for head, c in axioms for one in c]
        reads = np.array(read, dtype=np.int64).reshape(-1, 2).T
        own = self.owner[self.effects[1:, self.effects[2] >= 0]]
        return changes, distinct(np.concatenate((own, reads), axis=1))

    def _operators(self, kept: Numbers, pairs: Sequence[tuple[int, int]]) -> Iterator[Operator]:
        """The operators that change something that is kept."""
        count = self.ground.count
        places = np.array([place for place, _ in pairs], dtype=np.int64)
        effects = self.effects[:, kept[self.owner[self.effects[1]]]]
        effects = effects[:, np.lexsort((places[effects[1]], effects[0]))]
        needs = self.needs[:, np.lexsort((places[self.needs[1]], self.needs[0]))]
        needs_first = np.searchsorted(needs[0], np.arange(count + 1)).tolist()
        first = np.searchsorted(effects[0], np.arange(count + 1)).tolist()
        needed, changed, conditions = (row.tolist() for row in (needs[1], *effects[1:]))
        plain = list(map(Effect, pairs))
        term, costs = _action_terms(self.ground, self.names), _costs(self.ground)
        seen = set[tuple[object, ...]]()
        for operator in np.flatnonzero(self.alive).tolist():
            does: list[Effect] = []
            for place in range(first[operator], first[operator + 1]):
                condition = conditions[place]
                effect = plain[changed[place]]
                does.append(effect if condition < 0 else Effect(effect.fact, (pairs[condition],)))
            for fact, several in self.others.get(operator, ()):
                if kept[self.owner[fact]]:
                    does.append(Effect(pairs[fact], tuple(sorted(pairs[one] for one in several))))
            cost = costs(operator)
            if not does or cost is None:
                continue
            facts = needed[needs_first[operator] : needs_first[operator + 1]]
            action, is_split = term(operator)
            found = Operator(action, tuple([pairs[fact] for fact in facts]), tuple(does), cost)
            if is_split:
                key = found.action, found.precondition, found.effects
                if key in seen:
                    continue
                seen.add(key)
            yield found


def _atom_terms(task: GroundTask, names: PddlNames) -> Callable[[int], str]:
    """From an atom to its term, such as `on(a,b)`; `axiom(3,b)` where we made the predicate."""
    keys, starts = list(task.offsets), np.array(list(task.offsets.values()), dtype=np.int64)
    objects = [names.objects.terms[name] for name in task.relaxed.objects]

    def term(atom: int) -> str:
        place = int(np.searchsorted(starts, atom, side="right")) - 1
        key = keys[place]
        row = task.relaxed.atoms[key][atom - starts[place]].tolist()
        words = [objects[number] for number in row]
        if key.startswith(f"{MADE}@"):  # which no name in PDDL does
            return f"{MADE}({','.join([key.partition('@')[2], *words])})"
        head = names.predicates.terms[key]
        return f"{head}({','.join(words)})" if words else head

    return term


def _action_terms(task: GroundTask, names: PddlNames) -> Callable[[int], tuple[str, bool]]:
    """From an operator to its term, and whether several operators may stand for that."""
    schema_of, row_of = (row.tolist() for row in task.operators)
    objects = [names.objects.terms[name] for name in task.relaxed.objects]
    keys = [schema.action.name.key for schema in task.lifted.schemas]
    found = list[tuple[str, list[str], bool]]()
    for schema, key, rows in zip(task.lifted.schemas, keys, task.relaxed.schemas, strict=True):
        number = len(schema.action.parameters)
        texts = [",".join([objects[n] for n in row]) for row in rows[:, :number].tolist()]
        is_split = keys.count(key) > 1 or number < len(schema.body.ranges)
        found.append((names.actions.terms[key], texts, is_split))

    def term(operator: int) -> tuple[str, bool]:
        head, texts, is_split = found[schema_of[operator]]
        words = texts[row_of[operator]]
        return f"{head}({words})" if words else head, is_split

    return term


def _costs(task: GroundTask) -> Callable[[int], int | None]:
    """The cost of an operator; None where that has no value, so that it never applies."""
    text, objects = task.lifted.text, task.relaxed.objects
    if not text.has_costs:
        return lambda operator: 1
    schema_of, row_of = (row.tolist() for row in task.operators)
    costs = list[Sequence[int | None]]()
    for schema, rows in zip(task.lifted.schemas, task.relaxed.schemas, strict=True):
        function = schema.action.cost
        if isinstance(function, int):
            costs.append([function] * len(rows))
            continue
        parameters = [typed.name.key for typed in schema.action.parameters]
        name, *words = function.ground()
        values = {
            tuple(objects.get(word, -1) for word in key[1:]): int(value)
            for key, value in text.values.items()
            if key[0] == name
        }
        columns = [
            rows[:, parameters.index(word)].tolist()
            if word[0] == "?"
            else [objects[word]] * len(rows)
            for word in words
        ]
        keys = zip(*columns, strict=True) if columns else [()] * len(rows)
        costs.append([values.get(key) for key in keys])
    return lambda operator: costs[schema_of[operator]][row_of[operator]]


def _layers(task: GroundTask, encoding: Encoding) -> dict[int, int]:
    """The layer of each derived variable: above what its axioms negate."""
    heads = sorted(task.axioms)
    places = {head: place for place, head in enumerate(heads)}
    below: list[list[tuple[int, int]]] = [[] for _ in heads]
    for head, bodies in task.axioms.items():
        for body in bodies:
            for literal in body:
                if (place := places.get(literal // 2)) is not None:
                    below[places[head]].append((place, literal % 2))
    layers = [0] * len(heads)
    for part in components([[place for place, _ in row] for row in below]):
        # What is of the same component has no layer yet, and nothing above it.
        above = (layers[other] + negated for place in part for other, negated in below[place])
        layer = max(above, default=0)
        for place in part:
            layers[place] = layer
    return {int(encoding.variable[head]): layers[places[head]] for head in heads}
