"""What a domain and a problem must agree about: names, numbers and types of arguments.

What is wrong is an error with its place. What is odd, and what real files get away with, is a
warning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from asplan.errors import nearest
from asplan.pddl.declarations import check_declarations, check_variables
from asplan.pddl.language import (
    TOTAL_COST,
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
    Increase,
    Problem,
    Signature,
    Typed,
)
from asplan.pddl.prices import unpriced
from asplan.pddl.requirements import check_requirements
from asplan.pddl.scopes import Scope, inside, scope_of
from asplan.pddl.task import OBJECT, Task
from asplan.pddl.text import Word, wrong


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
                mend = "rules say when it holds; leave it out here"
                raise wrong(atom.predicate, f"{atom.predicate} is a derived predicate", mend)
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
        mend = f"declare it in ({section} …); {nearest(name.key, known, noun=f'{what}s')}"
        raise wrong(name, f"{what} {name} is not declared", mend)

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
                mend = nearest(word.key, scope, noun="variables") if scope else ""
                raise wrong(word, f"variable {word} is bound by nothing", mend)
        elif word.key not in self.task.objects:
            known = nearest(word.key, self.task.objects, noun="objects")
            mend = f"declare it in (:objects …) or (:constants …); {known}"
            raise wrong(word, f"object {word} is not declared", mend)
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
