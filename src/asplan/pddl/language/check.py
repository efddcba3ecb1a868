"""Requirements: what the keys mean, and which of them a task uses but does not name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from asplan.errors import nearest
from asplan.pddl.language.conditions import (
    All,
    Condition,
    Literal,
    Normalizer,
    Ranges,
    Relation,
    Row,
    conjuncts,
    query_of,
)
from asplan.pddl.language.lexer import Word, wrong
from asplan.pddl.language.syntax import (
    TOTAL_COST,
    Action,
    Add,
    Atom,
    Cost,
    Delete,
    Domain,
    Each,
    Effect,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Increase,
    Not,
    Or,
    Problem,
    Scope,
    Signature,
    Typed,
    When,
    inside,
    scope_of,
)
from asplan.pddl.language.task import OBJECT, Task

_QUANTIFIED = frozenset((":existential-preconditions", ":universal-preconditions"))
_ADL = _QUANTIFIED | {
    ":strips",
    ":typing",
    ":negative-preconditions",
    ":disjunctive-preconditions",
    ":equality",
    ":quantified-preconditions",
    ":conditional-effects",
}

IMPLIED: dict[str, frozenset[str]] = {
    ":adl": _ADL,
    ":ucpop": _ADL | {":derived-predicates"},
    ":quantified-preconditions": _QUANTIFIED,
    ":fluents": frozenset((":numeric-fluents", ":object-fluents", ":action-costs")),
    ":numeric-fluents": frozenset((":action-costs",)),
    ":domain-axioms": frozenset((":derived-predicates",)),
}
"""What a key says besides itself."""

KNOWN = (
    _ADL
    | IMPLIED.keys()
    | {
        ":object-fluents",
        ":action-costs",
        ":derived-predicates",
        ":durative-actions",
        ":duration-inequalities",
        ":durative-inequalities",
        ":continuous-effects",
        ":timed-initial-literals",
        ":timed-initial-fluents",
        ":time",
        ":preferences",
        ":constraints",
        ":goal-utilities",
        ":non-deterministic",
        ":probabilistic-effects",
        ":rewards",
        ":mdp",
        ":hierarchy",
        ":method-preconditions",
        ":multi-agent",
        ":safety-constraints",
        ":expression-evaluation",
        ":foreach-expansion",
        ":dag-expansion",
        ":subgoal-through-axioms",
        ":action-expansions",
        ":open-world",
        ":true-negation",
    }
)
"""All keys that PDDL and its relatives have; what asplan cannot do is refused where it is used."""


def check_requirements(task: Task) -> Iterator[str]:
    """Check the requirements of a task.

    Yields
    ------
    str
        A warning for each requirement that is used and not named.

    Raises
    ------
    InputError
        A key is unknown.
    """
    named = {":strips"}
    for word in (*task.domain.requirements, *task.problem.requirements):
        if word.key not in KNOWN:
            hint = nearest(word.key, KNOWN, noun="requirements")
            raise wrong(word, f"{word} is no requirement of PDDL", hint)
        named |= {word.key} | IMPLIED.get(word.key, frozenset())
    file = task.domain.name.at.file
    for key in sorted(set(_used(task)) - named):
        yield f"{file}: {key} is used, but does not stand in (:requirements …)"


def _used(task: Task) -> Iterator[str]:
    domain, problem = task.domain, task.problem
    if domain.types or any(typed.types for typed in (*domain.constants, *problem.objects)):
        yield ":typing"
    if domain.rules:
        yield ":derived-predicates"
    if domain.functions:
        yield ":action-costs"
    for action in domain.actions:
        yield from _used_in(action.precondition)
        yield from _used_in(action.effect)
    for rule in domain.rules:
        yield from _used_in(rule.body)
    yield from _used_in(problem.goal)


def _used_in(node: Formula | Effect) -> Iterator[str]:
    for part, _ in inside(node, {}):
        match part:
            case Not():
                yield ":negative-preconditions"
            case Or() | Imply():
                yield ":disjunctive-preconditions"
            case Equal():
                yield ":equality"
            case Exists():
                yield ":existential-preconditions"
            case Forall():
                yield ":universal-preconditions"
            case When() | Each():
                yield ":conditional-effects"
            case Delete() | _:
                pass


# Declarations of types, objects, predicates, functions and actions: each once, and of what is.


def check_declarations(task: Task) -> Iterator[str]:
    """Check what a task declares.

    Yields
    ------
    str
        Each warning.

    Raises
    ------
    InputError
        A name is declared twice in ways that differ, or a type is not declared.
    """
    domain = task.domain
    yield from _check_types(task)
    for signature in (*domain.predicates, *domain.functions):
        for word in (word for typed in signature.parameters for word in typed.types):
            check_type(task, word)
    _once((s.name for s in domain.predicates), "predicate")
    _once((s.name for s in domain.functions), "function")
    _once((a.name for a in domain.actions), "action")
    yield from _check_objects(task)


def _check_types(task: Task) -> Iterator[str]:
    declared = {typed.name.key for typed in task.domain.types} | {OBJECT}
    seen: dict[str, Typed] = {}
    for typed in task.domain.types:
        name = typed.name
        if (first := seen.setdefault(name.key, typed)) is not typed:
            above = [{t.key for t in one.types} - {OBJECT} for one in (first, typed)]
            if all(above) and above[0] != above[1]:
                hint = "say once what it is; (either a b) gives it two types above"
                raise wrong(name, f"type {name} is declared before in another way", hint)
            yield f"{name.at}: type {name} is declared twice"
        for parent in typed.types:
            if parent.key not in declared:
                # Many files leave out what needs no type above itself.
                yield f"{parent.at}: type {parent} is not declared; it is taken for an object"
        if name.key != OBJECT and any(
            name.key in task.supertypes.get(parent.key, ()) for parent in typed.types
        ):
            hint = "all names before a dash get the type behind it; put those without a type last"
            raise wrong(name, f"type {name} stands above itself", hint)


def check_type(task: Task, word: Word) -> None:
    """Raise `InputError` if a type is not declared, not even as a type above another."""
    known = task.supertypes
    if word.key not in known and not any(word.key in above for above in known.values()):
        hint = nearest(word.key, known, noun="types")
        raise wrong(word, f"type {word} is not declared", f"declare it in (:types …); {hint}")


def check_variables(task: Task, variables: tuple[Typed, ...], where: str) -> None:
    """Raise `InputError` if a variable comes twice, or its type is not declared."""
    seen: set[str] = set()
    for typed in variables:
        if typed.name.key in seen:
            raise wrong(typed.name, f"{where} has the variable {typed.name} twice")
        seen.add(typed.name.key)
        for word in typed.types:
            check_type(task, word)


def _once(names: Iterable[Word], what: str) -> None:
    seen: dict[str, Word] = {}
    for name in names:
        if (first := seen.setdefault(name.key, name)) is not name:
            hint = f"the first stands in line {first.at.line}; give one of them another name"
            raise wrong(name, f"a second {what} {name}", hint)


def _check_objects(task: Task) -> Iterator[str]:
    for declared in task.objects.values():
        for typed in declared:
            for word in typed.types:
                check_type(task, word)
        first, *others = declared
        for typed in others:
            name, before = typed.name, first.name.at
            if [t.key for t in typed.types] != [t.key for t in first.types]:
                raise wrong(
                    name,
                    f"object {name} has another type in {before.file}, line {before.line}",
                    "declare it once, or with the same type",
                )
            yield f"{name.at}: object {name} is declared twice, first in {before}"


# Costs that a task leaves open: where what an action costs has no value, it does not apply.
#
# Many tasks give values only where they are needed, so that alone is nothing to speak of. It is where
# the action looks as if it could apply: by its conditions on what never changes, and on what holds at
# the start or can be brought about by an action, again as far as what never changes tells.


MOST = 100_000
"""Rows that are looked at for one action; a task with more is not looked at further."""


class _TooMany(Exception):
    """There are more rows than `MOST`."""


def unpriced(task: Task) -> Iterator[str]:
    """A warning for each action whose cost has no value where it looks as if it could apply."""
    if not task.problem.minimizes_cost:
        return
    priced = {
        (cost.function.key, *(word.key for word in cost.arguments))
        for cost, _ in task.problem.values
    }
    possible = _Possible(task)
    for action in task.domain.actions:
        for part, _ in inside(action.effect, {}):
            if isinstance(part, Increase) and isinstance(cost := part.amount, Cost):
                try:
                    rows = possible.arguments(action, cost)
                    missing = next((r for r in rows if (cost.function.key, *r) not in priced), None)
                except _TooMany:
                    return
                if missing is not None:
                    yield _warning(task, action, cost, missing)


def _warning(task: Task, action: Action, cost: Cost, missing: Row) -> str:
    words = (task.objects[key][0].name.text for key in missing)
    written = f"({' '.join([cost.function.text, *words])})"
    return (
        f"{cost.function.at}: {written} has no value in (:init …), so action {action.name} never "
        "applies where it would cost that"
    )


class _Possible:
    """What may hold at some time: all that does, and more."""

    def __init__(self, task: Task) -> None:
        self.normalizer, self.actions = Normalizer(task), task.domain.actions
        effects = (part for a in self.actions for part, _ in inside(a.effect, {}))
        self.fluent = {p.atom.predicate.key for p in effects if isinstance(p, Add | Delete)}
        self.derived = {rule.name.key for rule in task.domain.rules}
        self.open = set(self.fluent)
        self.relations = {signature.name.key: Relation() for signature in task.domain.predicates}
        for atom in task.problem.initial:
            self.relations[atom.predicate.key].rows.add(tuple(w.key for w in atom.arguments))

    def arguments(self, action: Action, cost: Cost) -> Iterator[Row]:
        """The arguments that a cost may have where its action applies."""
        bound, ranges = self.normalizer.bind(action.parameters, {})
        condition = self.normalizer.condition(action.precondition, bound)
        words = tuple(bound.get(word.key, word.key) for word in cost.arguments)
        return self._rows(words, ranges, condition, self.fluent)

    def holds(self, predicate: str, row: Row) -> bool:
        """Whether an atom may hold."""
        return row in self.relation(predicate).rows

    def relation(self, predicate: str) -> Relation:
        """The rows of a predicate; those that actions add are found when they are first needed."""
        if predicate in self.open:
            self.open.remove(predicate)
            for row in self._added(predicate):
                self.relations[predicate].rows.add(row)
        return self.relations[predicate]

    newest = relation

    def _added(self, predicate: str) -> Iterator[Row]:
        for action in self.actions:
            bound, ranges = self.normalizer.bind(action.parameters, {})
            condition = self.normalizer.condition(action.precondition, bound)
            for change in self.normalizer.changes(action.effect, bound):
                if change.positive and change.predicate == predicate:
                    both = All((condition, change.condition))
                    yield from self._rows(change.arguments, ranges + change.ranges, both)

    def _rows(
        self, words: Row, ranges: Ranges, condition: Condition, fluent: Collection[str] = ()
    ) -> Iterator[Row]:
        """What words may stand for, by conditions on what never changes and on some fluents."""
        parts, inner = conjuncts(condition)
        near = [p for p in parts if self._tells(p, fluent) and p.variables & set(words)]
        asked = set(words).union(*(part.variables for part in near))
        query = query_of(tuple(r for r in ranges + inner if r[0] in asked), All(tuple(near)))
        for count, found in enumerate(query({}, self)):
            if count == MOST:
                raise _TooMany
            yield tuple(found.get(word, word) for word in words)

    def _tells(self, part: Condition, fluent: Collection[str]) -> bool:
        if not isinstance(part, Literal) or part.predicate in self.derived:
            return False
        if part.predicate in self.fluent:
            return part.positive and part.predicate in fluent
        return True


# What a domain and a problem must agree about: names, numbers and types of arguments.
#
# What is wrong is an error with its place. What is odd, and what real files get away with, is a
# warning.


def task_of(domain: Domain, problem: Problem) -> Task:
    """The task that a domain and a problem make, checked.

    Raises
    ------
    InputError
        The problem is for another domain; something is not declared, or declared twice in ways
        that differ; an argument is missing, too many, or of a wrong type; a variable is not bound;
        an effect changes a derived predicate.
    """
    if problem.domain.key != domain.name.key:
        raise wrong(
            problem.domain,
            f"this problem is for the domain {problem.domain}, "
            f"but {domain.name.at.file} defines {domain.name}",
            "give the domain of the problem, or correct the name",
        )
    task = Task(domain, problem)
    warnings = [*check_declarations(task), *check_requirements(task)]
    _Uses(task).check()
    warnings += unpriced(task)
    return replace(task, warnings=tuple(dict.fromkeys(warnings)))


@dataclass(frozen=True)
class _Uses:
    """Every place where something that was declared is used."""

    task: Task

    @cached_property
    def predicates(self) -> dict[str, Signature]:
        return {signature.name.key: signature for signature in self.task.domain.predicates}

    @cached_property
    def functions(self) -> dict[str, Signature]:
        return {signature.name.key: signature for signature in self.task.domain.functions}

    @cached_property
    def derived(self) -> frozenset[str]:
        return frozenset(rule.name.key for rule in self.task.domain.rules)

    @cached_property
    def types(self) -> dict[int, tuple[frozenset[str], ...]]:
        """The types of the parameters of each signature, by its identity."""
        declared = (*self.predicates.values(), *self.functions.values())
        return {id(signature): tuple(map(_keys, signature.parameters)) for signature in declared}

    @cached_property
    def constants(self) -> frozenset[str]:
        return frozenset(typed.name.key for typed in self.task.domain.constants)

    def check(self) -> None:
        """Check all uses."""
        for action in self.task.domain.actions:
            check_variables(self.task, action.parameters, f"action {action.name}")
            scope = scope_of(action.parameters)
            self._check_parts(action.precondition, scope)
            self._check_parts(action.effect, scope)
            increases = [p for p, _ in inside(action.effect, {}) if isinstance(p, Increase)]
            if len(increases) > 1:
                what = f"action {action.name} increases (total-cost) twice"
                raise wrong(increases[1].at, what, "add the two numbers up")
        for rule in self.task.domain.rules:
            check_variables(self.task, rule.parameters, f"(:derived ({rule.name} …))")
            self._check_use(self._declared(rule.name), rule.name, len(rule.parameters))
            self._check_parts(rule.body, scope_of(rule.parameters))
        self._check_parts(self.task.problem.goal, {})
        self._check_start()

    def _check_parts(self, node: Formula | Effect, scope: Scope) -> None:
        for part, bound in inside(node, scope):
            match part:
                case Exists(variables) | Forall(variables) | Each(variables):
                    check_variables(self.task, variables, "the quantifier")
                case Equal(left, right):
                    for word in (left, right):
                        self._check_term(word, bound)
                case Add(atom) | Delete(atom) if atom.predicate.key in self.derived:
                    what = f"this effect changes {atom.predicate}, which is derived by rules"
                    raise wrong(atom.predicate, what, "change what its rules read")
                case Atom(predicate, arguments):
                    self._check_atom(predicate, arguments, bound)
                case Increase(amount=Cost(function, arguments)):
                    self._check_atom(function, arguments, bound, cost=True)
                case _:
                    pass

    def _check_start(self) -> None:
        """The initial state, which may have very many atoms."""
        problem = self.task.problem
        for atom in (*problem.initial, *problem.absent):
            if atom.predicate.key in self.derived:
                hint = "rules say when it holds; leave it out here"
                raise wrong(atom.predicate, f"{atom.predicate} is a derived predicate", hint)
            self._check_atom(atom.predicate, atom.arguments, {})
        for cost, _ in problem.values:
            self._check_atom(cost.function, cost.arguments, {}, cost=True)
        initial = set(problem.initial)
        for atom in problem.absent:
            if atom in initial:
                what = "the initial state has this atom and its negation"
                raise wrong(atom.predicate, what, "one of them is a mistake")

    def _declared(self, name: Word, cost: bool = False) -> Signature | None:
        known = self.functions if cost else self.predicates
        if name.key in known:
            return known[name.key]
        what, section = ("function", ":functions") if cost else ("predicate", ":predicates")
        if cost and name.key == TOTAL_COST:
            return None
        hint = f"declare it in ({section} …); {nearest(name.key, known, noun=f'{what}s')}"
        raise wrong(name, f"{what} {name} is not declared", hint)

    def _check_use(self, signature: Signature | None, name: Word, number: int) -> None:
        wanted = 0 if signature is None else len(signature.parameters)
        if number != wanted:
            place = f" in line {signature.name.at.line}" if signature else ""
            raise wrong(
                name, f"{name} has {_number(number)} here, but is declared{place} with {wanted}"
            )

    def _check_atom(
        self, name: Word, arguments: tuple[Word, ...], scope: Scope, cost: bool = False
    ) -> None:
        signature = self._declared(name, cost)
        self._check_use(signature, name, len(arguments))
        if signature is None:
            return
        for index, (word, wanted) in enumerate(
            zip(arguments, self.types[id(signature)], strict=True)
        ):
            self._check_term(word, scope)
            if not self._fits(word, wanted, scope):
                parameter = signature.parameters[index]
                kind = " or ".join(map(str, parameter.types)) or OBJECT
                raise wrong(
                    word,
                    f"argument {index + 1} of {name} is {_a(kind)}, which {word} is not",
                    f"{word} is {_a(self._kind(word, scope))}",
                )

    def _check_term(self, word: Word, scope: Scope) -> None:
        if word.key[0] == "?":
            if word.key not in scope:
                hint = nearest(word.key, scope, noun="variables") if scope else ""
                raise wrong(word, f"variable {word} is bound by nothing", hint)
        elif word.key not in self.task.objects:
            known = nearest(word.key, self.task.objects, noun="objects")
            hint = f"declare it in (:objects …) or (:constants …); {known}"
            raise wrong(word, f"object {word} is not declared", hint)
        elif word.key not in self.constants and word.source is self.task.domain.name.source:
            what = f"{word} is an object of the problem, and the domain does not declare it"
            raise wrong(word, what, "what the domain names is declared in its (:constants …)")

    def _fits(self, word: Word, wanted: frozenset[str], scope: Scope) -> bool:
        """Whether some object that a word stands for has one of the types."""
        task = self.task
        if word.key[0] != "?":
            return not wanted.isdisjoint(task.types_of[word.key])
        own = _keys(scope[word.key])
        if OBJECT in own or OBJECT in wanted:
            return True
        return any(
            not own.isdisjoint(above) and not wanted.isdisjoint(above)
            for above in (*task.supertypes.values(), *task.types_of.values())
        )

    def _kind(self, word: Word, scope: Scope) -> str:
        if word.key[0] == "?":
            types: Iterable[Word] = scope[word.key].types
        else:
            types = (t for typed in self.task.objects[word.key] for t in typed.types)
        return " or ".join(map(str, types)) or OBJECT


def _keys(typed: Typed) -> frozenset[str]:
    return frozenset(word.key for word in typed.types) or frozenset((OBJECT,))


def _a(kind: str) -> str:
    return f"a{'n' if kind[0] in 'aeiou' else ''} {kind}"


def _number(number: int) -> str:
    return f"{number} argument{'' if number == 1 else 's'}"
