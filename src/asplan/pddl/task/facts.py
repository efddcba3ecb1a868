"""A finite-domain task as facts, in the vocabulary that the encodings in encodings/pddl read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise

from clingo import Symbol, SymbolType, parse_term

from asplan.facts import Facts
from asplan.pddl.task.order import chains, circles
from asplan.pddl.task.task import NONE, Axiom, Effect, Fact, Operator, Task, Variable


def to_facts(task: Task, wanted: Collection[tuple[str, int]] | None = None) -> str:
    """The facts of a task, a line for each variable, operator, axiom and group.

    Parameters
    ----------
    wanted
        The predicates that are read; those that take a while to find are left out if they are not
        among them. None is all of them.
    """
    lines = [*_state(task), *_operators(task), *_follows(task)]
    if wanted is None or ("circle", 2) in wanted:
        lines += _circles(task)
    if wanted is None or ("next", 4) in wanted:
        lines += _chains(task)
    return "\n".join(lines) + "\n"


class _Terms:
    """The facts of a task as the arguments of predicates."""

    def __init__(self, task: Task) -> None:
        variables = enumerate(task.variables)
        self.texts = [[f"{v},{value}" for value in variable.values] for v, variable in variables]

    def said(self, head: str, facts: Iterable[Fact]) -> str:
        """A predicate of each of some facts."""
        texts = self.texts
        return " ".join([f"{head}{texts[v][d]})." for v, d in facts])


def _state(task: Task) -> Iterator[str]:
    terms = _Terms(task)
    for v, variable in enumerate(task.variables):
        layer = f" derived({v},{variable.layer})." if variable.is_derived else ""
        values = " ".join([f"value({text})." for text in terms.texts[v]])
        yield f"variable({v}).{layer} {values}"
    yield terms.said("initially(", enumerate(task.initial))
    yield terms.said("goal(", task.goal)
    yield from (f"static({atom})." for atom in task.static)
    yield from (f"object({thing},{kind})." for thing, kind in task.objects)


def _operators(task: Task) -> Iterator[str]:
    terms, conditional = _Terms(task), count()
    texts, said = terms.texts, terms.said
    if task.has_costs:
        yield "costs."
    for o, operator in enumerate(task.operators):
        yield f"operator({o},{operator.action}). cost({o},{operator.cost})."
        yield f"  {said(f'precondition({o},', operator.precondition)}"
        for effect in operator.effects:
            v, d = effect.fact
            if effect.condition:
                e = next(conditional)
                yield f"  effect({o},{texts[v][d]},{e}). {said(f'when({e},', effect.condition)}"
            else:
                yield f"  effect({o},{texts[v][d]})."


def _follows(task: Task) -> Iterator[str]:
    said = _Terms(task).said
    for r, axiom in enumerate(task.axioms):
        yield f"{said(f'rule({r},', [axiom.fact])} {said(f'body({r},', axiom.condition)}"
    for m, group in enumerate(task.mutexes):
        yield said(f"mutex({m},", group)


def _circles(task: Task) -> Iterator[str]:
    yield "circles."
    for c, nodes in enumerate(circles(task)):
        yield " ".join([f"circle({c},{node})." for node in nodes])


def _chains(task: Task) -> Iterator[str]:
    texts, (links, seen) = _Terms(task).texts, chains(task)
    for (v, d), chain in links.items():
        pairs = " ".join([f"next({texts[v][d]},{p},{o})." for p, o in pairwise(chain)])
        yield f"last({texts[v][d]},{chain[-1]}). {pairs}"
    for o, asked in enumerate(seen):
        yield " ".join([f"seen({o},{texts[v][d]},{p})." for (v, d), p in asked])


# Reads the facts of a finite-domain task, and says what is wrong with them.


def read(facts: Facts) -> Task:
    """The task that facts describe.

    Variables, operators and the like may have any names; they are counted in the order of terms.

    Raises
    ------
    InputError
        The facts make no sense; the message names the first that does not.
    """
    return _Reader(facts).task()


@dataclass
class _Reader:
    facts: Facts
    variables: dict[Symbol, int] = field(init=False)
    values: list[dict[Symbol, int]] = field(init=False)

    def __post_init__(self) -> None:
        found = sorted(fact.arguments[0] for fact in self.facts.named("variable", 1))
        self.variables = {name: v for v, name in enumerate(found)}
        self.values = [{} for _ in found]
        for fact in self.facts.named("value", 2):
            known = self.values[self._variable(fact, fact.arguments[0])]
            known[fact.arguments[1]] = len(known)

    def task(self) -> Task:
        """All of it."""
        named = self.facts.named
        return Task(
            variables=tuple(self._variables()),
            initial=self._initial(),
            goal=tuple(self._fact(fact, *fact.arguments) for fact in named("goal", 2)),
            operators=tuple(self._operators()),
            axioms=tuple(self._axioms()),
            mutexes=tuple(tuple(group) for group in self._grouped("mutex").values()),
            static=tuple(str(fact.arguments[0]) for fact in named("static", 1)),
            objects=tuple((str(f.arguments[0]), str(f.arguments[1])) for f in named("object", 2)),
            has_costs=bool(named("costs", 0)),
        )

    def _variables(self) -> Iterable[Variable]:
        layers = {f.arguments[0]: self._number(f, 1) for f in self.facts.named("derived", 2)}
        for fact in self.facts.named("derived", 2):
            self._variable(fact, fact.arguments[0])
        for name, v in self.variables.items():
            yield Variable(tuple(map(str, self.values[v])), layers.get(name, -1))

    def _initial(self) -> tuple[int, ...]:
        found: dict[int, int] = {}
        for fact in self.facts.named("initially", 2):
            v, d = self._fact(fact, *fact.arguments)
            if v in found:
                raise self.facts.error(f"a second value for variable {fact.arguments[0]}", fact)
            found[v] = d
        for name, v in self.variables.items():
            if v not in found:
                raise self.facts.error(
                    f"has no value for variable {name} at the start",
                    hint=f"write initially({name},…).",
                )
        return tuple(found[v] for v in range(len(self.values)))

    def _operators(self) -> Iterable[Operator]:
        costs = {f.arguments[0]: self._number(f, 1) for f in self.facts.named("cost", 2)}
        actions = {f.arguments[0]: f.arguments[1] for f in self.facts.named("operator", 2)}
        preconditions, effects = self._grouped("precondition"), self._effects()
        for fact in self._of(("cost", 2), ("precondition", 3), ("effect", 3), ("effect", 4)):
            if fact.arguments[0] not in actions:
                raise self.facts.error(
                    f"there is no operator {fact.arguments[0]}",
                    fact,
                    hint=f"write operator({fact.arguments[0]},…).",
                )
        for name in sorted(actions):
            action, cost = str(actions[name]), costs.get(name, 1)
            yield Operator(action, tuple(preconditions[name]), tuple(effects[name]), cost)

    def _effects(self) -> Mapping[Symbol, list[Effect]]:
        found: defaultdict[Symbol, list[Effect]] = defaultdict(list)
        conditions = self._grouped("when")
        for fact in self.facts.named("effect", 3):
            name, *rest = fact.arguments
            found[name].append(Effect(self._fact(fact, *rest)))
        for fact in self.facts.named("effect", 4):
            name, variable, value, number = fact.arguments
            if number not in conditions:
                raise self.facts.error(
                    f"the effect {number} has no condition", fact, hint=f"write when({number},…)."
                )
            condition = tuple(conditions[number])
            found[name].append(Effect(self._fact(fact, variable, value), condition))
        return found

    def _axioms(self) -> Iterable[Axiom]:
        bodies = self._grouped("body")
        derived = {fact.arguments[0] for fact in self.facts.named("derived", 2)}
        for fact in sorted(self.facts.named("rule", 3)):
            name, variable, value = fact.arguments
            if variable not in derived:
                raise self.facts.error(
                    f"variable {variable} is not derived",
                    fact,
                    hint=f"write derived({variable},Layer).",
                )
            yield Axiom(self._fact(fact, variable, value), tuple(bodies[name]))

    def _grouped(self, predicate: str) -> defaultdict[Symbol, list[Fact]]:
        found: defaultdict[Symbol, list[Fact]] = defaultdict(list)
        for fact in self.facts.named(predicate, 3):
            name, variable, value = fact.arguments
            found[name].append(self._fact(fact, variable, value))
        return found

    def _of(self, *predicates: tuple[str, int]) -> Iterable[Symbol]:
        return (fact for name, arity in predicates for fact in self.facts.named(name, arity))

    def _fact(self, fact: Symbol, variable: Symbol, value: Symbol) -> Fact:
        v = self._variable(fact, variable)
        if value not in self.values[v]:
            raise self.facts.error(
                f"variable {variable} has no value {value}",
                fact,
                hint=f"write value({variable},{value}).",
            )
        return v, self.values[v][value]

    def _variable(self, fact: Symbol, name: Symbol) -> int:
        if name not in self.variables:
            raise self.facts.error(
                f"there is no variable {name}", fact, hint=f"write variable({name})."
            )
        return self.variables[name]

    def _number(self, fact: Symbol, place: int) -> int:
        term = fact.arguments[place]
        if term.type != SymbolType.Number or term.number < 0:
            raise self.facts.error(f"{term} is no number from 0", fact)
        return int(term.number)


# Tasks in the fact format of plasp 3, as it writes them from SAS: for encodings made for that.
#
# The format: https://github.com/potassco/plasp/blob/master/doc/output-format.md. Where several
# operators are one action, plasp calls them by one name and so makes one of them; here the second
# one has "#2" as a further argument.
#
# >>> from asplan.pddl.task.task import Effect, Operator, Task, Variable
# >>> lamp = Variable(("on(lamp)", "none"))
# >>> press = Operator("press", precondition=((0, 1),), effects=(Effect((0, 0)),))
# >>> text = to_plasp(Task((lamp,), initial=(1,), goal=((0, 0),), operators=(press,)))
# >>> print(next(line for line in text.splitlines() if line.startswith("postcondition")))
# postcondition(action("press"), effect(unconditional), variable(0), value("on(lamp)", true)).


Spelling = Callable[[str], Sequence[str]]
"""From a term to its name and its arguments."""


def words_of(term: str) -> list[str]:
    """The name and the arguments of a term, as they are.

    >>> words_of("on(a,b)"), words_of("wait")
    (['on', 'a', 'b'], ['wait'])
    """
    symbol = parse_term(term)
    return [symbol.name, *map(str, symbol.arguments)]


def to_plasp(task: Task, atom: Spelling = words_of, action: Spelling = words_of) -> str:
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


def _value(variable: Variable, index: int, atom: Spelling) -> str:
    value = variable.values[index]
    if value != NONE:
        return f"value({_atom(value, atom)}, true)"
    others = [other for other in variable.values if other != NONE]
    return f"value({_atom(others[0], atom)}, false)" if len(others) == 1 else "value(none)"


def _atom(term: str, atom: Spelling) -> str:
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


def _actions(task: Task, facts: Sequence[Sequence[str]], words: Spelling) -> Iterator[str]:
    effects = count()
    for name, operator in _called(task.operators, words):
        yield f"action({name})."
        yield from _said(f"precondition({name}", operator.precondition, facts)
        for effect in operator.effects:
            number = next(effects) if effect.condition else "unconditional"
            yield from _said(f"postcondition({name}, effect({number})", [effect.fact], facts)
            yield from _said(f"precondition(effect({number})", effect.condition, facts)
        yield f"costs({name}, {operator.cost})."


def _called(operators: Iterable[Operator], words: Spelling) -> Iterator[tuple[str, Operator]]:
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
