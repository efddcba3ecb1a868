"""Why atoms hold after the steps of a plan, in the words of PDDL: which action added them, and what
that one needed. The data is that of a page in which people click, as `explaining.states` has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from asplan.core.errors import Location
from asplan.core.plan import Plan
from asplan.core.text import shortened
from asplan.pddl.language import syntax
from asplan.pddl.language.semantics import TextModel
from asplan.pddl.language.syntax import Formula, GroundAtom, bind
from asplan.pddl.language.write import written
from asplan.program.source import ground_term


def explain_plan(model: TextModel, plan: Plan) -> dict[str, Any]:
    """Why the atoms hold that a plan passes through; nothing is said of derived predicates.

    `at` has for each atom the steps from which on it holds, or no longer, for another reason.
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
            happens = tell(
                name,
                "chosen",
                cite(schema.name.at, f"{said} needs {needed}"),
                [since[atom] for atom, positive in needs if positive and atom in since],
                [text(atom) for atom, positive in needs if not positive],
            )
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
