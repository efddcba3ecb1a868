"""Why atoms hold after the steps of a plan, and why an atom of the goal never can, in the words of
the task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from asplan.core.errors import Location
from asplan.core.plan import Plan
from asplan.core.text import shortened
from asplan.pddl.language import conditions, syntax
from asplan.pddl.language.conditions import Condition, Literal, Ranges, both, conjuncts, query_of
from asplan.pddl.language.names import written
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.language.syntax import Formula, GroundAtom, TaskText, bind, substitute
from asplan.program.source import ground_term


def explain_plan(model: TextModel, plan: Plan) -> dict[str, Any]:
    """Why the atoms hold that a plan passes through: which action added them, and what that needed.

    Nothing is said of derived predicates. The data is that of a page in which people click, as
    `explaining.states` has it: `at` has for each atom the steps from which on it holds, or no
    longer, for another reason.
    """
    true: list[tuple[Any, ...]] = []
    false: dict[str, list[tuple[str, int, str, str]]] = {}
    rules: dict[tuple[str, str], int] = {}
    at: dict[str, list[tuple[int, str]]] = {}
    since: dict[GroundAtom, int] = {}
    names = model.names

    def text(atom: GroundAtom) -> str:
        return names.written_atom(*atom)

    def cite(place: Location, said: str) -> int:
        key = f"{Path(place.file).name}:{place.line}:{place.column}", shortened(said, 300)
        return rules.setdefault(key, len(rules))

    def tell(name: str, kind: str, rule: int, body: list[int], absent: list[str]) -> int:
        true.append((name, kind, rule, "", body, absent, []))
        return len(true) - 1

    def note(step: int, atom: GroundAtom, name: str) -> None:
        at.setdefault(names.atom(atom[0], atom[1:]), []).append((step, name))

    for one in model.task.problem.initial:
        atom = one.ground()
        name = f"{text(atom)} at the start"
        since[atom] = tell(name, "fact", cite(one.name.at, text(atom)), [], [])
        note(0, atom, name)
    declared = {action.name.key: action for action in model.task.domain.actions}
    state, happening = model.initial, list[list[str]]()
    for step, actions in enumerate(plan, 1):
        happening.append([])
        for term in actions:
            action = model.parse_action(ground_term(term, "action"))
            schema, said = declared[action.name], names.written(term)
            bound = bind(schema.parameters, action.arguments)
            needs = list(_needs(schema.precondition, bound))
            needed = written(schema.precondition, bound, names)
            name = f"{said} in step {step}"
            body = [since[atom] for atom, positive in needs if positive and atom in since]
            absent = [text(atom) for atom, positive in needs if not positive]
            rule = cite(schema.name.at, f"{said} needs {needed}")
            happens = tell(name, "chosen", rule, body, absent)
            happening[-1].append(name)
            after = model.apply(state, action)
            for atom in sorted(after - state):
                name = f"{text(atom)} after step {step}"
                rule = cite(schema.name.at, f"{said} adds {text(atom)}")
                since[atom] = tell(name, "derived", rule, [happens], [])
                note(step, atom, name)
            for atom in sorted(state - after):
                name = f"{text(atom)} after step {step}"
                rule = cite(schema.name.at, f"{said} deletes {text(atom)}")
                false[name] = [(name, rule, "", f"{said} deletes it in step {step}")]
                note(step, atom, name)
                del since[atom]
            state = after
    return {
        "start": 0,
        "fluents": {},
        "at": at,
        "actions": happening,
        "true": true,
        "false": false,
        "rules": list(rules),
        "left_out": 0,
        "encoding": "",
    }


def _needs(formula: Formula, bound: Mapping[str, str]) -> Iterator[tuple[GroundAtom, bool]]:
    """The atoms of a conjunction, each with whether it is to hold; what else it has is left out."""
    match formula:
        case syntax.Atom():
            yield formula.ground(bound), True
        case syntax.Connected("and", parts):
            for part in parts:
                yield from _needs(part, bound)
        case syntax.Connected("not", (syntax.Atom() as body,)):
            yield body.ground(bound), False


_DEPTH = 5  # how many atoms are followed, one behind the other

_Adding = tuple[conditions.Schema, Ranges, Condition, GroundAtom]
"""An action, the objects that all variables range over, what it needs and what it adds."""


def obstacles(
    model: TextModel, why: str, clash: Mapping[str, str] = MappingProxyType({})
) -> list[tuple[Location, str]]:
    """Return sentences, each with its place, about why the goal can never hold.

    `why` says so in general. The atoms of a `clash`, terms with their texts, exclude each other;
    the goal asks for the first two.
    """
    found = list(unreachable(model)) or list(_excluding(model, clash))
    return found or [(goal_place(model.task), why)]


def _excluding(model: TextModel, clash: Mapping[str, str]) -> Iterator[tuple[Location, str]]:
    """Yield a sentence about each of two atoms of the goal that exclude each other."""
    places = {
        model.names.atom(atom.name.key, atom.ground()[1:]): atom.name.at
        for atom in model.task.goal_atoms
    }
    asked = sorted((places[term], text) for term, text in [*clash.items()][:2] if term in places)
    if len(asked) == 2:
        (first, one), (second, other) = asked
        group = shortened(" ".join(clash.values()))
        yield first, f"the goals {one} and {other} can never hold together"
        yield second, f"at any time at most one of these holds: {group}"


def goal_place(task: TaskText) -> Location:
    """Return the place of the first condition of the goal, or that of the problem's name."""
    for part, _ in syntax.inside(task.problem.goal):
        match part:
            case syntax.Atom(name) | syntax.Equal(name):
                return name.at
            case syntax.Compare():
                return part.at.at
    return task.problem.name.at


def unreachable(model: TextModel) -> Iterator[tuple[Location, str]]:
    """Sentences, each with its place, about what the goal asks for and can never be.

    All is found in the delete relaxation: what once held is never lost, and what must not hold is
    not asked for. So an atom that cannot be reached there cannot be reached at all. Axioms may say
    that something follows from what does not hold, so of tasks that have some nothing is claimed.
    """
    if model.task.derived:
        return
    finder = _Finder(model)
    for part in model.task.goal_atoms:
        if (atom := part.ground()) not in finder.reached:
            text = model.names.written_atom(*atom)
            yield part.name.at, f"the goal {text} can never hold"
            yield from finder.why(atom)


class _Finder:
    """What the actions of a task can reach if nothing is ever lost."""

    def __init__(self, model: TextModel) -> None:
        self.model, self.names = model, model.names
        schemas = map(conditions.Normalizer(model.task).schema, model.task.domain.actions)
        self.adding: list[_Adding] = []
        for schema in schemas:
            for change in schema.changes:
                if change.positive:
                    needed = _relaxed(both(schema.condition, change.condition), model.task)
                    ranges = (*schema.ranges, *change.ranges)
                    self.adding.append((schema, ranges, needed, change.atom))
        reached: set[GroundAtom] = set(model.initial)
        size = -1
        while size < len(reached):
            size, self.world = len(reached), model.world(frozenset(reached))
            for _, ranges, needed, atom in self.adding:
                reached.update(
                    substitute(atom, found) for found in query_of(ranges, needed)({}, self.world)
                )
        self.reached = reached | {atom.ground() for atom in model.task.problem.initial}
        self.told: set[GroundAtom] = set()

    def why(self, atom: GroundAtom, depth: int = _DEPTH) -> Iterator[tuple[Location, str]]:
        """Why an atom cannot be reached: what each action needs that adds it."""
        text, found = self.names.written_atom(*atom), False
        self.told.add(atom)
        for schema, ranges, condition, added in self.adding:
            if (binding := _unified(added, atom, dict(ranges))) is None:
                continue
            found, name, parameters = True, schema.action.name, schema.action.parameters
            shown = {schema.bound[p.name.key]: str(p.name) for p in parameters} | binding
            values = [shown[schema.bound[p.name.key]] for p in parameters]
            would = f"{self.names.spelled(name.text, *values)} would add {text}, but"
            if (lacking := self._lacking(condition, ranges, binding)) is None:
                yield name.at, f"{would} what it needs never holds together"
                continue
            needed = substitute(lacking, shown)
            yield name.at, f"{would} needs {self.names.written_atom(*needed)}"
            ground = not any(word.startswith("?") for word in needed)
            if ground and depth and needed not in self.told:
                yield from self.why(needed, depth - 1)
        if not found:
            place = next(s.name for s in self.model.task.domain.predicates if s.name.key == atom[0])
            yield place.at, f"no action adds {text}, and it does not hold at the start"

    def _lacking(
        self, condition: Condition, ranges: Ranges, binding: Mapping[str, str]
    ) -> GroundAtom | None:
        """The first atom of a condition that cannot be reached, with its variables bound."""
        parts, inner = conjuncts(condition)
        for part in parts:
            if (
                not isinstance(part, Literal)
                or part.predicate == conditions.EQUAL
                or not part.positive
            ):
                continue
            wanted = replace(part, arguments=substitute(part.arguments, binding))
            free = tuple(pair for pair in (*ranges, *inner) if pair[0] in wanted.variables)
            if not any(True for _ in query_of(free, wanted)({}, self.world)):
                return (wanted.predicate, *wanted.arguments)
        return None


def _relaxed(condition: Condition, task: TaskText) -> Condition:
    """The condition without what must not hold."""
    match condition:
        case Literal(positive, predicate):
            return condition if positive or predicate not in task.fluents else both()
        case conditions.Junction(_, parts):
            return replace(condition, parts=tuple(_relaxed(part, task) for part in parts))
        case conditions.Some(True, _, body):
            return replace(condition, body=_relaxed(body, task))
    return both()


def _unified(
    added: GroundAtom, atom: GroundAtom, ranges: Mapping[str, tuple[str, ...]]
) -> dict[str, str] | None:
    """The values of variables with which an action adds an atom; None if it cannot."""
    if added[0] != atom[0]:
        return None
    binding: dict[str, str] = {}
    for word, value in zip(added[1:], atom[1:], strict=True):
        known = binding.setdefault(word, value) if value in ranges.get(word, ()) else word
        if known != value:
            return None
    return binding
