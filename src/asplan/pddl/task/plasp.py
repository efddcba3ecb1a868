"""The conversion of a finite-domain task to the facts of plasp 3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count

from asplan.clingo import parse_term
from asplan.pddl.task.task import (
    NONE,
    Operator,
    Task,
    Variable,
)

Spelling = Callable[[str], Sequence[str]]
"""A function from a term to its name and its arguments."""


def words_of(term: str) -> list[str]:
    """Return the name and the arguments of a term as texts, without a change of spelling.

    >>> words_of("on(a,b)"), words_of("wait")
    (['on', 'a', 'b'], ['wait'])
    """
    symbol = parse_term(term)
    return [symbol.name, *map(str, symbol.arguments)]


def to_plasp(
    task: Task,
    atom: Spelling = words_of,
    action: Spelling = words_of,
) -> str:
    """Return a task in the fact format of plasp 3, as plasp writes it from SAS.

    The format: https://github.com/potassco/plasp/blob/master/doc/output-format.md. If an action has
    several operators, plasp gives them one name and so makes one operator of them. Here the second
    one has "#2" as a further argument. The functions `atom` and `action` return the name and the
    arguments in the term of an atom, or of an action, in the spelling to write.

    >>> from asplan.pddl.task.task import Effect, Operator, Task, Variable
    >>> lamp = Variable(("on(lamp)", "none"))
    >>> press = Operator("press", precondition=((0, 1),), effects=(Effect((0, 0)),))
    >>> text = to_plasp(Task((lamp,), initial=(1,), goal=((0, 0),), operators=(press,)))
    >>> print(next(line for line in text.splitlines() if line.startswith("postcondition")))
    postcondition(action("press"), effect(unconditional), variable(0), value("on(lamp)", true)).
    """
    writer = _Writer(task, atom, action)
    sections = {
        "feature requirements": writer.features(),
        "variables": writer.variables(),
        "actions": writer.actions(),
        "mutex groups": writer.mutexes(),
        "axiom rules": writer.axioms(),
        "initial state": writer.atoms("initialState(", enumerate(task.initial)),
        "goal": writer.atoms("goal(", task.goal),
    }
    blocks = list[str]()
    for title, section in sections.items():
        lines = list(section)
        if lines:
            blocks.append("\n".join([f"% {title}", *lines]))
    return "\n\n".join(blocks) + "\n"


class _Writer:
    """A writer of the sections of a task in plasp's format."""

    def __init__(
        self,
        task: Task,
        atom: Spelling,
        action: Spelling,
    ) -> None:
        self._task = task
        self._action = action
        # For each fact the text of its variable and value, the last arguments of its atoms.
        self._texts = list[list[str]]()
        for v, variable in enumerate(task.variables):
            values = [_value(variable, d, atom) for d in range(len(variable.values))]
            self._texts.append([f"variable({v}), {value}" for value in values])

    def atoms(
        self,
        head: str,
        facts: Iterable[tuple[int, int]],
    ) -> Iterator[str]:
        """Yield an ASP fact for each of the given variable-value pairs.

        `head` is the text of the ASP fact before the variable and the value.
        """
        return (f"{head}{self._texts[v][d]})." for v, d in facts)

    def features(self) -> Iterator[str]:
        """Yield the `requires` facts for the features of PDDL that the task uses."""
        task = self._task
        effects = (effect for operator in task.operators for effect in operator.effects)
        if task.has_costs:
            yield "requires(feature(actionCosts))."
        if task.axioms or any(variable.is_derived for variable in task.variables):
            yield "requires(feature(axiomRules))."
        if any(effect.condition for effect in effects):
            yield "requires(feature(conditionalEffects))."

    def variables(self) -> Iterator[str]:
        """Yield the lines for the variables and their values."""
        for v in range(len(self._texts)):
            yield f"variable(variable({v}))."
            yield from self.atoms("contains(", self._task.facts_of(v))

    def actions(self) -> Iterator[str]:
        """Yield the lines for the operators with their preconditions, effects and costs."""
        numbers = count()
        seen = Counter[str]()
        for operator in self._task.operators:
            seen[operator.action] += 1
            name = self._name(operator, seen[operator.action])
            yield f"action({name})."
            yield from self.atoms(f"precondition({name}, ", operator.precondition)
            for effect in operator.effects:
                number = next(numbers) if effect.condition else "unconditional"
                head = f"postcondition({name}, effect({number}), "
                yield from self.atoms(head, [effect.fact])
                yield from self.atoms(f"precondition(effect({number}), ", effect.condition)
            yield f"costs({name}, {operator.cost})."

    def _name(self, operator: Operator, occurrence: int) -> str:
        words = list(self._action(operator.action))
        if occurrence > 1:
            words.append(f"#{occurrence}")
        parts = [f'"{word}"' for word in words]
        return f"action(({', '.join(parts)}))" if len(parts) > 1 else f"action({parts[0]})"

    def mutexes(self) -> Iterator[str]:
        """Yield the lines for the mutex groups."""
        for m, group in enumerate(self._task.mutexes):
            yield f"mutexGroup(mutexGroup({m}))."
            yield from self.atoms(f"contains(mutexGroup({m}), ", group)

    def axioms(self) -> Iterator[str]:
        """Yield the lines for the axioms."""
        for r, axiom in enumerate(self._task.axioms):
            yield f"axiomRule(axiomRule({r}))."
            yield from self.atoms(f"precondition(axiomRule({r}), ", axiom.condition)
            head = f"postcondition(axiomRule({r}), effect(unconditional), "
            yield from self.atoms(head, [axiom.fact])


def _value(variable: Variable, index: int, atom: Spelling) -> str:
    """Return plasp's term for a value of a variable.

    If a variable has one atom and `none`, `none` becomes this atom with the value false.
    """
    value = variable.values[index]
    others = [other for other in variable.values if other != NONE]
    is_none = value == NONE
    if is_none and len(others) != 1:
        return "value(none)"
    name, *arguments = atom(others[0] if is_none else value)
    written = f"{name}({', '.join(arguments)})" if arguments else name
    return f'value("{written}", {"false" if is_none else "true"})'
