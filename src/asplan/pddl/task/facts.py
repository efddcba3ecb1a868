"""A finite-domain task as facts: those that the encodings in encodings/pddl read, and plasp's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count, pairwise

from clingo import Symbol, SymbolType, parse_term

from asplan.core.facts import Facts
from asplan.core.text import LARGEST
from asplan.pddl.task.model import TaskModel
from asplan.pddl.task.order import chains, cycles
from asplan.pddl.task.relaxation import layers
from asplan.pddl.task.task import NONE, Axiom, Effect, Fact, Operator, Task, Variable


def to_facts(
    task: Task,
    wanted: Collection[tuple[str, int]] | None = None,
    known: Mapping[Fact, int] | None = None,
) -> str:
    """The facts of a task, a line for each variable, operator, axiom and mutex group.

    Of the predicates that take a while to find those are left out that are not `wanted`; None is
    all of them. `known` are the `layers` of the task, if somebody has them.
    """
    return "\n".join(_lines(task, wanted, known)) + "\n"


def predicates_of(
    task: Task, wanted: Collection[tuple[str, int]] | None = None
) -> frozenset[tuple[str, int]]:
    """The predicates of the facts of a task, before these are made.

    Of those that take a while to find there may be no fact after all.
    """
    effects = [effect for operator in task.operators for effect in operator.effects]
    monitor = task.monitor
    if monitor is not None:
        effects += monitor.effects
    needs = (operator.precondition for operator in (*task.operators, *filter(None, [monitor])))
    conditional = [bool(effect.condition) for effect in effects]
    there: dict[str, object] = {
        "variable/1 value/2 initially/2": task.variables,
        "derived/2": any(variable.is_derived for variable in task.variables),
        "goal/2": task.goal,
        "static/1": task.static,
        "object/2": task.objects,
        "costs/0": task.has_costs,
        "operator/2 cost/2": task.operators,
        "monitor/1": monitor,
        "precondition/3": any(needs),
        "effect/3": not all(conditional),
        "effect/4 when/3": any(conditional),
        "rule/3": task.axioms,
        "body/3": any(axiom.condition for axiom in task.axioms),
        "mutex/3": task.mutexes,
        "circles/0 circle/2": wanted is None or ("circle", 2) in wanted,
        "earliest/3": wanted is None or ("earliest", 3) in wanted,
        "next/4 last/3 seen/4": wanted is None or ("next", 4) in wanted,
    }
    pairs = (word.split("/") for words, found in there.items() if found for word in words.split())
    return frozenset((name, int(arity)) for name, arity in pairs)


def _lines(
    task: Task, wanted: Collection[tuple[str, int]] | None, known: Mapping[Fact, int] | None
) -> Iterator[str]:
    variables = enumerate(task.variables)
    texts = [[f"{v},{value}" for value in variable.values] for v, variable in variables]

    def atoms(head: str, facts: Iterable[Fact]) -> str:
        return " ".join([f"{head}{texts[v][d]})." for v, d in facts])

    for v, variable in enumerate(task.variables):
        layer = f" derived({v},{variable.layer})." if variable.is_derived else ""
        yield f"variable({v}).{layer} {atoms('value(', task.facts_of(v))}"
    yield atoms("initially(", enumerate(task.initial))
    yield atoms("goal(", task.goal)
    yield from (f"static({atom})." for atom in task.static)
    yield from (f"object({thing},{kind})." for thing, kind in task.objects)
    if task.has_costs:
        yield "costs."
    conditional = count()
    monitor = () if task.monitor is None else (task.monitor,)
    for o, operator in enumerate((*task.operators, *monitor)):
        if operator is task.monitor:
            yield f"monitor({o})."
        else:
            # Beyond its numbers clingo would wrap them.
            yield f"operator({o},{operator.action}). cost({o},{min(operator.cost, LARGEST)})."
        yield f"  {atoms(f'precondition({o},', operator.precondition)}"
        for effect in operator.effects:
            v, d = effect.fact
            if effect.condition:
                e = next(conditional)
                yield f"  effect({o},{texts[v][d]},{e}). {atoms(f'when({e},', effect.condition)}"
            else:
                yield f"  effect({o},{texts[v][d]})."
    for r, axiom in enumerate(task.axioms):
        yield f"{atoms(f'rule({r},', [axiom.fact])} {atoms(f'body({r},', axiom.condition)}"
    for m, group in enumerate(task.mutexes):
        yield atoms(f"mutex({m},", group)
    if wanted is None or ("circle", 2) in wanted:
        yield "circles."
        for c, nodes in enumerate(cycles(task)):
            yield " ".join([f"circle({c},{node})." for node in nodes])
    if wanted is None or ("earliest", 3) in wanted:
        known = layers(task) if known is None else known
        for v in range(len(task.variables)):
            late = [(text, known.get((v, d), 0)) for d, text in enumerate(texts[v])]
            # Facts of the first layer and those that are never reached have no line.
            if line := " ".join([f"earliest({text},{step})." for text, step in late if step]):
                yield line
    if wanted is None or ("next", 4) in wanted:
        links, seen = chains(task)
        for (v, d), chain in links.items():
            pairs = " ".join([f"next({texts[v][d]},{p},{o})." for p, o in pairwise(chain)])
            yield f"last({texts[v][d]},{chain[-1]}). {pairs}"
        for o, asked in enumerate(seen):
            yield " ".join([f"seen({o},{texts[v][d]},{p})." for (v, d), p in asked])


def model_of(facts: Facts) -> TaskModel:
    """The model of the task that facts describe; raises as `read` does."""
    return TaskModel(read(facts))


def read(facts: Facts) -> Task:
    """The task that facts describe.

    Variables, operators and the like may have any names; they are counted in the order of terms.
    Raises `InputError`, which names the first fact that makes no sense, or speaks of numbers.
    """
    if counted := facts.named("number", 2):
        raise facts.error(
            "a task with numbers cannot be solved from facts, as they alone do not check its plans",
            counted[0],
            hint="solve the PDDL that they were made of",
        )
    return _Reader(facts).task()


class _Reader:
    def __init__(self, facts: Facts) -> None:
        self.facts, self.named = facts, facts.named
        found = sorted(fact.arguments[0] for fact in self.named("variable", 1))
        self.variables = {name: v for v, name in enumerate(found)}
        self.values: list[dict[Symbol, int]] = [{} for _ in found]
        for fact in self.named("value", 2):
            known = self.values[self._variable(fact, fact.arguments[0])]
            known[fact.arguments[1]] = len(known)

    def task(self) -> Task:
        derived = self.named("derived", 2)
        layers = {self._variable(f, f.arguments[0]): self._number(f) for f in derived}
        return Task(
            variables=tuple(
                Variable(tuple(map(str, values)), layers.get(v, -1))
                for v, values in enumerate(self.values)
            ),
            initial=self._initial(),
            goal=tuple(self._fact(fact, *fact.arguments) for fact in self.named("goal", 2)),
            operators=tuple(self._operators()),
            axioms=tuple(self._axioms(layers)),
            mutexes=tuple(map(tuple, self._grouped("mutex").values())),
            static=tuple(str(fact.arguments[0]) for fact in self.named("static", 1)),
            objects=tuple((str(a), str(b)) for a, b in self._pairs("object")),
            has_costs=bool(self.named("costs", 0)),
            names=self._names(),
        )

    def _names(self) -> tuple[str, ...]:
        """The names of the operators; empty where they are their numbers."""
        names = tuple(map(str, sorted(dict(self._pairs("operator")))))
        return () if names == tuple(map(str, range(len(names)))) else names

    def _initial(self) -> tuple[int, ...]:
        found: dict[int, int] = {}
        for fact in self.named("initially", 2):
            v, d = self._fact(fact, *fact.arguments)
            if v in found:
                raise self.facts.error(f"a second value for variable {fact.arguments[0]}", fact)
            found[v] = d
        for name, v in self.variables.items():
            if v not in found:
                hint = f"write initially({name},…)."
                raise self.facts.error(f"has no value for variable {name} at the start", hint=hint)
        return tuple(found[v] for v in range(len(self.values)))

    def _operators(self) -> Iterator[Operator]:
        actions = dict(self._pairs("operator"))
        for predicate, arity in (("cost", 2), ("precondition", 3), ("effect", 3), ("effect", 4)):
            for fact in self.named(predicate, arity):
                if (name := fact.arguments[0]) not in actions:
                    hint = f"write operator({name},…)."
                    raise self.facts.error(f"there is no operator {name}", fact, hint=hint)
        costs = {fact.arguments[0]: self._number(fact) for fact in self.named("cost", 2)}
        preconditions, conditions = self._grouped("precondition"), self._grouped("when")
        effects: defaultdict[Symbol, list[Effect]] = defaultdict(list)
        for name, found in self._grouped("effect").items():
            effects[name] += map(Effect, found)
        for fact in self.named("effect", 4):
            name, variable, value, number = fact.arguments
            if number not in conditions:
                hint = f"write when({number},…)."
                raise self.facts.error(f"the effect {number} has no condition", fact, hint=hint)
            changed = self._fact(fact, variable, value)
            effects[name].append(Effect(changed, tuple(conditions[number])))
        for name in sorted(actions):
            parts = tuple(preconditions[name]), tuple(effects[name])
            yield Operator(str(actions[name]), *parts, costs.get(name, 1))

    def _axioms(self, derived: Collection[int]) -> Iterator[Axiom]:
        bodies = self._grouped("body")
        for fact in sorted(self.named("rule", 3)):
            name, variable, value = fact.arguments
            if self.variables.get(variable) not in derived:
                hint = f"write derived({variable},Layer)."
                raise self.facts.error(f"variable {variable} is not derived", fact, hint=hint)
            yield Axiom(self._fact(fact, variable, value), tuple(bodies[name]))

    def _pairs(self, predicate: str) -> Iterator[tuple[Symbol, Symbol]]:
        return ((f.arguments[0], f.arguments[1]) for f in self.named(predicate, 2))

    def _grouped(self, predicate: str) -> defaultdict[Symbol, list[Fact]]:
        found: defaultdict[Symbol, list[Fact]] = defaultdict(list)
        for fact in self.named(predicate, 3):
            name, variable, value = fact.arguments
            found[name].append(self._fact(fact, variable, value))
        return found

    def _fact(self, fact: Symbol, variable: Symbol, value: Symbol) -> Fact:
        v = self._variable(fact, variable)
        if value not in self.values[v]:
            hint = f"write value({variable},{value})."
            raise self.facts.error(f"variable {variable} has no value {value}", fact, hint=hint)
        return v, self.values[v][value]

    def _variable(self, fact: Symbol, name: Symbol) -> int:
        if name not in self.variables:
            hint = f"write variable({name})."
            raise self.facts.error(f"there is no variable {name}", fact, hint=hint)
        return self.variables[name]

    def _number(self, fact: Symbol) -> int:
        term = fact.arguments[1]
        if term.type != SymbolType.Number or term.number < 0:
            raise self.facts.error(f"{term} is no number from 0", fact)
        return int(term.number)


Spelling = Callable[[str], Sequence[str]]  # from a term to its name and its arguments


def words_of(term: str) -> list[str]:
    """The name and the arguments of a term, as they are.

    >>> words_of("on(a,b)"), words_of("wait")
    (['on', 'a', 'b'], ['wait'])
    """
    symbol = parse_term(term)
    return [symbol.name, *map(str, symbol.arguments)]


def to_plasp(task: Task, atom: Spelling = words_of, action: Spelling = words_of) -> str:
    """A task in the fact format of plasp 3, as it writes them from SAS, for encodings made for it.

    The format: https://github.com/potassco/plasp/blob/master/doc/output-format.md. Where several
    operators are one action, plasp calls them by one name and so makes one of them; here the second
    one has "#2" as a further argument. `atom` and `action` say how terms are to be called.

    >>> from asplan.pddl.task.task import Effect, Operator, Task, Variable
    >>> lamp = Variable(("on(lamp)", "none"))
    >>> press = Operator("press", precondition=((0, 1),), effects=(Effect((0, 0)),))
    >>> text = to_plasp(Task((lamp,), initial=(1,), goal=((0, 0),), operators=(press,)))
    >>> print(next(line for line in text.splitlines() if line.startswith("postcondition")))
    postcondition(action("press"), effect(unconditional), variable(0), value("on(lamp)", true)).
    """
    texts = [
        [f"variable({v}), {_plasp_value(variable, d, atom)}" for d in range(len(variable.values))]
        for v, variable in enumerate(task.variables)
    ]

    def atoms(head: str, facts: Iterable[Fact]) -> Iterator[str]:
        return (f"{head}{texts[v][d]})." for v, d in facts)

    effects, seen = count(), Counter[str]()
    features, variables, actions, mutexes, axioms = [], [], [], [], []
    if task.has_costs:
        features.append("requires(feature(actionCosts)).")
    if task.axioms or any(variable.is_derived for variable in task.variables):
        features.append("requires(feature(axiomRules)).")
    if any(effect.condition for operator in task.operators for effect in operator.effects):
        features.append("requires(feature(conditionalEffects)).")
    for v in range(len(texts)):
        variables += [f"variable(variable({v})).", *atoms("contains(", task.facts_of(v))]
    for operator in task.operators:
        seen[operator.action] += 1
        again = [f"#{seen[operator.action]}"] if seen[operator.action] > 1 else []
        parts = [f'"{part}"' for part in (*action(operator.action), *again)]
        name = f"action(({', '.join(parts)}))" if len(parts) > 1 else f"action({parts[0]})"
        actions += [f"action({name}).", *atoms(f"precondition({name}, ", operator.precondition)]
        for effect in operator.effects:
            number = next(effects) if effect.condition else "unconditional"
            actions += atoms(f"postcondition({name}, effect({number}), ", [effect.fact])
            actions += atoms(f"precondition(effect({number}), ", effect.condition)
        actions.append(f"costs({name}, {operator.cost}).")
    for m, group in enumerate(task.mutexes):
        mutexes.append(f"mutexGroup(mutexGroup({m})).")
        mutexes += atoms(f"contains(mutexGroup({m}), ", group)
    for r, axiom in enumerate(task.axioms):
        axioms.append(f"axiomRule(axiomRule({r})).")
        axioms += atoms(f"precondition(axiomRule({r}), ", axiom.condition)
        axioms += atoms(f"postcondition(axiomRule({r}), effect(unconditional), ", [axiom.fact])
    sections = {
        "feature requirements": features,
        "variables": variables,
        "actions": actions,
        "mutex groups": mutexes,
        "axiom rules": axioms,
        "initial state": list(atoms("initialState(", enumerate(task.initial))),
        "goal": list(atoms("goal(", task.goal)),
    }
    blocks = ("\n".join([f"% {title}", *lines]) for title, lines in sections.items() if lines)
    return "\n\n".join(blocks) + "\n"


def _plasp_value(variable: Variable, index: int, atom: Spelling) -> str:
    value = variable.values[index]
    others = [other for other in variable.values if other != NONE]
    if value == NONE and len(others) != 1:
        return "value(none)"
    name, *arguments = atom(others[0] if value == NONE else value)
    written = f"{name}({', '.join(arguments)})" if arguments else name
    return f'value("{written}", {"false" if value == NONE else "true"})'
