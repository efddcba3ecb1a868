"""Tasks in the fact format of plasp 3, as it writes them from SAS: for encodings made for that.

The format: https://github.com/potassco/plasp/blob/master/doc/output-format.md. Where several
operators are one action, plasp calls them by one name and so makes one of them; here the second
one has "#2" as a further argument.

>>> from asplan.domains.pddl.task import Effect, Operator, Task, Variable
>>> lamp = Variable(("on(lamp)", "none"))
>>> press = Operator("press", precondition=((0, 1),), effects=(Effect((0, 0)),))
>>> text = to_plasp(Task((lamp,), initial=(1,), goal=((0, 0),), operators=(press,)))
>>> print(next(line for line in text.splitlines() if line.startswith("postcondition")))
postcondition(action("press"), effect(unconditional), variable(0), value("on(lamp)", true)).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count

from clingo import parse_term

from asplan.domains.pddl.task import NONE, Fact, Operator, Task, Variable

Words = Callable[[str], Sequence[str]]
"""From a term to its name and its arguments."""


def words_of(term: str) -> list[str]:
    """The name and the arguments of a term, as they are.

    >>> words_of("on(a,b)"), words_of("wait")
    (['on', 'a', 'b'], ['wait'])
    """
    symbol = parse_term(term)
    return [symbol.name, *map(str, symbol.arguments)]


def to_plasp(task: Task, atom: Words = words_of, action: Words = words_of) -> str:
    """The facts of a task, a line each; `atom` and `action` say how its terms are to be called."""
    facts = [
        [f"variable({v}), {_value(variable, d, atom)}" for d in range(len(variable.values))]
        for v, variable in enumerate(task.variables)
    ]
    sections = {
        "feature requirements": _features(task),
        "variables": _variables(facts),
        "actions": _actions(task, facts, action),
        "mutex groups": _mutexes(task, facts),
        "axiom rules": _axioms(task, facts),
        "initial state": (f"initialState({facts[v][d]})." for v, d in enumerate(task.initial)),
        "goal": (f"goal({facts[v][d]})." for v, d in task.goal),
    }
    lines: list[str] = []
    for title, section in sections.items():
        if said := list(section):
            lines += ["", f"% {title}", *said] if lines else [f"% {title}", *said]
    return "\n".join(lines) + "\n"


def _value(variable: Variable, index: int, atom: Words) -> str:
    value = variable.values[index]
    if value != NONE:
        return f"value({_atom(value, atom)}, true)"
    others = [other for other in variable.values if other != NONE]
    return f"value({_atom(others[0], atom)}, false)" if len(others) == 1 else "value(none)"


def _atom(term: str, atom: Words) -> str:
    name, *arguments = atom(term)
    return f'"{name}({", ".join(arguments)})"' if arguments else f'"{name}"'


def _features(task: Task) -> Iterator[str]:
    derived = any(variable.is_derived for variable in task.variables)
    conditional = any(e.condition for operator in task.operators for e in operator.effects)
    for feature, needed in {
        "actionCosts": task.has_costs,
        "axiomRules": derived or bool(task.axioms),
        "conditionalEffects": conditional,
    }.items():
        if needed:
            yield f"requires(feature({feature}))."


def _variables(facts: Sequence[Sequence[str]]) -> Iterator[str]:
    for v, values in enumerate(facts):
        yield f"variable(variable({v}))."
        yield from (f"contains({fact})." for fact in values)


def _actions(task: Task, facts: Sequence[Sequence[str]], words: Words) -> Iterator[str]:
    effects = count()
    for name, operator in _called(task.operators, words):
        yield f"action({name})."
        yield from _said(f"precondition({name}", operator.precondition, facts)
        for effect in operator.effects:
            number = next(effects) if effect.condition else "unconditional"
            yield from _said(f"postcondition({name}, effect({number})", [effect.fact], facts)
            yield from _said(f"precondition(effect({number})", effect.condition, facts)
        yield f"costs({name}, {operator.cost})."


def _called(operators: Iterable[Operator], words: Words) -> Iterator[tuple[str, Operator]]:
    """The operators, each with a name of its own."""
    seen: Counter[str] = Counter()
    for operator in operators:
        seen[operator.action] += 1
        number = seen[operator.action]
        parts = [*words(operator.action), *([f"#{number}"] if number > 1 else [])]
        quoted = ", ".join(f'"{part}"' for part in parts)
        yield f"action(({quoted}))" if len(parts) > 1 else f"action({quoted})", operator


def _mutexes(task: Task, facts: Sequence[Sequence[str]]) -> Iterator[str]:
    for m, group in enumerate(task.mutexes):
        yield f"mutexGroup(mutexGroup({m}))."
        yield from _said(f"contains(mutexGroup({m})", group, facts)


def _axioms(task: Task, facts: Sequence[Sequence[str]]) -> Iterator[str]:
    for r, axiom in enumerate(task.axioms):
        yield f"axiomRule(axiomRule({r}))."
        yield from _said(f"precondition(axiomRule({r})", axiom.condition, facts)
        head = f"postcondition(axiomRule({r}), effect(unconditional)"
        yield from _said(head, [axiom.fact], facts)


def _said(head: str, wanted: Iterable[Fact], facts: Sequence[Sequence[str]]) -> Iterator[str]:
    return (f"{head}, {facts[v][d]})." for v, d in wanted)
