"""What a domain and a problem must agree about: declarations, requirements, and uses of names.

What is wrong is an error with its place. What is odd, and what real files get away with, is a
warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from asplan.core.errors import InputWarning, nearest
from asplan.core.text import amount
from asplan.pddl.language import syntax
from asplan.pddl.language.conditions import Interpretation, value_of
from asplan.pddl.language.formulas import TIMED_PREFERENCE, refusal
from asplan.pddl.language.lexer import Word, odd_dashes, wrong
from asplan.pddl.language.plain import with_plain_costs
from asplan.pddl.language.syntax import OBJECT, Scope, TaskText, Typed, inside, scope_of
from asplan.pddl.language.values import without_value


def task_of(domain: syntax.DomainText, problem: syntax.ProblemText) -> TaskText:
    """The task that a domain and a problem make.

    Raises `InputError` where one does not fit the other, or where something is not declared, is
    declared twice in ways that differ, or is used in another way than it is declared.
    """
    if problem.domain.key != domain.name.key:
        what = f"this problem is for the domain {problem.domain}, but {domain.name.at.file} defines"
        hint = "give the domain of the problem, or correct the name"
        raise wrong(problem.domain, f"{what} {domain.name}", hint)
    task = TaskText(domain, problem)
    warnings = [*_check_declarations(task), *_check_requirements(task), *_odd_numbers(task)]
    _Uses(task).check()
    warnings += without_value(task)
    plain = with_plain_costs(task) if task.has_numbers and not task.has_time else task
    warnings += _odd_total_cost(task, plain.has_costs)
    return replace(plain, warnings=tuple(dict.fromkeys(warnings)))


# Declarations of types, objects, predicates, functions and actions: each once, and of what is.


def _check_declarations(task: TaskText) -> Iterator[InputWarning]:
    domain = task.domain
    yield from _check_types(task)
    for signature in (*domain.predicates, *domain.functions):
        _check_types_of(task, signature.parameters)
    _check_once((s.name for s in domain.predicates), "predicate")
    _check_once((s.name for s in domain.functions), "function")
    names = [action.name for action in domain.actions]
    _check_once([*names, *(action.name for action in domain.durative)], "action")
    for declared in task.objects.values():
        _check_types_of(task, declared)
        first, *others = declared
        for typed in others:
            name, before = typed.name, first.name.at
            if [t.key for t in typed.types] != [t.key for t in first.types]:
                what = f"object {name} has another type in {before.file}, line {before.line}"
                raise wrong(name, what, "declare it once, or with the same type")
            what = f"object {name} is declared twice, first in {before}"
            yield InputWarning("pddl-declaration", what, name.at)
    for name in (domain.name, task.problem.name):
        for what, at in odd_dashes(name.source).items():
            yield InputWarning("pddl-declaration", what, at)


def _check_types(task: TaskText) -> Iterator[InputWarning]:
    declared = {typed.name.key for typed in task.domain.types} | {OBJECT}
    seen: dict[str, Typed] = {}
    for typed in task.domain.types:
        name = typed.name
        if (first := seen.setdefault(name.key, typed)) is not typed:
            above = [one.type_keys - {OBJECT} for one in (first, typed)]
            if all(above) and above[0] != above[1]:
                hint = "say once what it is; (either a b) gives it two types above"
                raise wrong(name, f"type {name} is declared before in another way", hint)
            yield InputWarning("pddl-declaration", f"type {name} is declared twice", name.at)
        for parent in typed.types:
            if parent.key not in declared:
                # Many files leave out what needs no type above itself.
                what = f"type {parent} is not declared; it is taken for an object"
                yield InputWarning("pddl-declaration", what, parent.at)
        if name.key != OBJECT and any(
            name.key in task.supertypes.get(parent.key, ()) for parent in typed.types
        ):
            hint = "all names before a dash get the type behind it; put those without a type last"
            raise wrong(name, f"type {name} stands above itself", hint)


def _check_types_of(task: TaskText, several: Iterable[Typed]) -> None:
    """Raise `InputError` if a type is not declared, not even as a type above another."""
    known = task.supertypes
    for word in (word for typed in several for word in typed.types):
        if word.key not in known:
            hint = nearest(word.key, known, noun="types")
            raise wrong(word, f"type {word} is not declared", f"declare it in (:types …); {hint}")


def _check_variables(task: TaskText, variables: tuple[Typed, ...], where: str) -> None:
    """Raise `InputError` if a variable comes twice, or its type is not declared."""
    seen: set[str] = set()
    for typed in variables:
        if typed.name.key in seen:
            raise wrong(typed.name, f"{where} has the variable {typed.name} twice")
        seen.add(typed.name.key)
        _check_types_of(task, [typed])


def _check_once(names: Iterable[Word], what: str) -> None:
    seen: dict[str, Word] = {}
    for name in names:
        if (first := seen.setdefault(name.key, name)) is not name:
            hint = f"the first stands in line {first.at.line}; give one of them another name"
            raise wrong(name, f"a second {what} {name}", hint)


# Requirements: what the keys mean, and which of them a task uses but does not name.

_QUANTIFIED = frozenset((":existential-preconditions", ":universal-preconditions"))
_STRIPS_WITH_MORE = """
:strips :typing :negative-preconditions :disjunctive-preconditions :equality
:quantified-preconditions :conditional-effects
"""
_ADL = _QUANTIFIED.union(_STRIPS_WITH_MORE.split())

_IMPLIED: dict[str, frozenset[str]] = {
    ":adl": _ADL,
    ":ucpop": _ADL | {":derived-predicates"},
    ":quantified-preconditions": _QUANTIFIED,
    ":fluents": frozenset((":numeric-fluents", ":object-fluents", ":action-costs")),
    ":numeric-fluents": frozenset((":action-costs",)),
    ":domain-axioms": frozenset((":derived-predicates",)),
}
"""What a key says besides itself."""

_OTHERS = """
:object-fluents :action-costs :derived-predicates :durative-actions :duration-inequalities
:durative-inequalities :continuous-effects :timed-initial-literals :timed-initial-fluents :time
:preferences :constraints :goal-utilities :non-deterministic :probabilistic-effects :rewards :mdp
:hierarchy :method-preconditions :multi-agent :safety-constraints :expression-evaluation
:foreach-expansion :dag-expansion :subgoal-through-axioms :action-expansions :open-world
:true-negation
"""
_KNOWN = _ADL.union(_IMPLIED, _OTHERS.split())
"""All keys that PDDL and its relatives have; what asplan cannot do is refused where it is used."""

_NEEDED: dict[object, str] = {
    "not": ":negative-preconditions",
    "or": ":disjunctive-preconditions",
    "imply": ":disjunctive-preconditions",
    "exists": ":existential-preconditions",
    "forall": ":universal-preconditions",
    syntax.Equal: ":equality",
    syntax.When: ":conditional-effects",
    syntax.Each: ":conditional-effects",
}


def _check_requirements(task: TaskText) -> Iterator[InputWarning]:
    named = {":strips"}
    for word in (*task.domain.requirements, *task.problem.requirements):
        if word.key not in _KNOWN:
            hint = nearest(word.key, _KNOWN, noun="requirements")
            raise wrong(word, f"{word} is no requirement of PDDL", hint)
        named |= {word.key} | _IMPLIED.get(word.key, frozenset())
    for key in sorted(set(_used(task)) - named):
        what = f"{key} is used, but does not stand in (:requirements …)"
        yield InputWarning("pddl-requirement", what, task.domain.name.at)


def _used(task: TaskText) -> Iterator[str]:
    domain, problem = task.domain, task.problem
    if domain.types or any(typed.types for typed in (*domain.constants, *problem.objects)):
        yield ":typing"
    if domain.rules:
        yield ":derived-predicates"
    if task.has_time or task.has_numbers:
        yield from [":numeric-fluents"] * bool(domain.functions)
        yield from [":durative-actions"] * bool(domain.durative)
        yield from [":timed-initial-literals"] * bool(problem.timed)
    elif domain.functions:
        yield ":action-costs"
    yield from {":preferences" if d.name is not None else ":constraints" for d in task.demands}
    kinds = {getattr(part, "word", type(part)) for part in task.parts}
    yield from (_NEEDED[kind] for kind in kinds if kind in _NEEDED)


def _odd_numbers(task: TaskText) -> Iterator[InputWarning]:
    """What is odd about numbers; `without_value` looks for those that are missing."""
    metric = (task.problem.metric[1],) if task.problem.metric else ()
    for function in syntax.functions(*metric):
        if function.name.key == syntax.TOTAL_TIME and not task.has_time:
            what = f"no action takes time, so ({syntax.TOTAL_TIME}) counts for nothing"
            yield InputWarning("pddl-number", what, task.problem.name.at)
    for action in task.domain.durative:
        for _, limit in action.duration:
            if limit.word in ("=", "<=") and limit.right == 0:
                what = f"action {action.name} takes no time, so it starts and ends at once"
                yield InputWarning("pddl-number", what, limit.at.at)
    if not (task.has_time or task.has_numbers):
        return
    declared = {signature.name.key for signature in task.domain.functions} | {syntax.TOTAL_COST}
    for function, _ in task.problem.values:
        if function.name.key not in declared:
            what = f"function {function.name} is not declared, so this value counts for nothing"
            yield InputWarning("pddl-number", what, function.name.at)


def _odd_total_cost(task: TaskText, has_costs: bool) -> Iterator[InputWarning]:
    """Warn of a total cost that nothing declares, or that does not begin at 0."""
    declared = {signature.name.key for signature in task.domain.functions}
    uses = [p.target.name for p in task.parts if isinstance(p, syntax.Assign)]
    uses += [function.name for function, _ in task.problem.values]
    uses = [name for name in uses if name.key == syntax.TOTAL_COST]
    if uses and syntax.TOTAL_COST not in declared:
        what = f"({syntax.TOTAL_COST}) is not declared"
        hint = f"add (:functions ({syntax.TOTAL_COST}) - number) to the domain"
        yield InputWarning("pddl-declaration", what, uses[0].at, hint=hint)
    for function, value in task.problem.values:
        if function.name.key == syntax.TOTAL_COST and value and has_costs:
            what = f"({syntax.TOTAL_COST}) begins at {value}, which the cost of a plan leaves out"
            yield InputWarning("pddl-cost", what, function.name.at)


class _Uses:
    """Every place where something that was declared is used."""

    def __init__(self, task: TaskText) -> None:
        domain = task.domain
        self.task, self.has_more = task, task.has_time or task.has_numbers
        self.predicates = {signature.name.key: signature for signature in domain.predicates}
        self.functions = {signature.name.key: signature for signature in domain.functions}
        self.constants = {typed.name.key for typed in domain.constants}
        # The types of the parameters of each signature, by its identity.
        self.types = {
            id(signature): [typed.type_keys for typed in signature.parameters]
            for signature in (*self.predicates.values(), *self.functions.values())
        }

    def check(self) -> None:
        for action in self.task.domain.actions:
            _check_variables(self.task, action.parameters, f"action {action.name}")
            scope = scope_of(action.parameters)
            self._check_parts(action.precondition, scope)
            self._check_parts(action.effect, scope)
        for durative in self.task.domain.durative:
            _check_variables(self.task, durative.parameters, f"action {durative.name}")
            self._check_durative(durative)
        for rule in self.task.domain.rules:
            _check_variables(self.task, rule.parameters, f"(:derived ({rule.name} …))")
            self._check_use(self._declared(rule.name), rule.name, len(rule.parameters))
            self._check_parts(rule.body, scope_of(rule.parameters))
        self._check_parts(self.task.problem.goal, {})
        self._check_demands()
        if self.task.problem.metric is not None:
            self._check_numbers({}, self.task.problem.metric[1], may=syntax.TOTAL_TIME)
        for _, change in self.task.problem.timed:
            self._check_parts(change, {})
        self._check_start()

    def _check_durative(self, action: syntax.DurativeAction) -> None:
        scope = scope_of(action.parameters)
        for _, limit in action.duration:
            self._check_numbers(scope, limit.right)
            with suppress(KeyError, ZeroDivisionError):  # it reads functions, or has no value
                value = value_of(limit.right, {})({}, Interpretation())
                if limit.word != ">=" and value < 0:
                    raise wrong(limit.at, "a duration must not be below 0")
        for _, condition in action.conditions:
            self._check_parts(condition, scope)
        for _, effect in action.effects:
            self._check_parts(effect, scope, may=syntax.DURATION)

    def _check_demands(self) -> None:
        """Constraints and preferences; those in the preconditions of actions know its variables."""
        domain = self.task.domain
        given = (*domain.demands, *self.task.problem.demands)
        scopes: list[tuple[syntax.Demand, Scope]] = [(demand, {}) for demand in given]
        scopes += [(d, scope_of(a.parameters)) for a in domain.actions for d in a.preferences]
        for demand, outer in scopes:
            if self.task.has_time:
                raise refusal(demand.at, TIMED_PREFERENCE)
            for part in demand.parts:
                _check_variables(self.task, (*demand.variables, *part.variables), "this constraint")
            for formula, scope in demand.formulas:
                self._check_parts(formula, {**outer, **scope})

    def _check_parts(
        self, node: syntax.Formula | syntax.EffectFormula, scope: Scope, may: str = ""
    ) -> None:
        """Check all parts; in effects `?duration` may stand, where it is said so."""
        for part, bound in inside(node, scope):
            match part:
                case syntax.Quantified() | syntax.Each():
                    _check_variables(self.task, part.variables, "the quantifier")
                case syntax.Equal(left, right):
                    for word in (left, right):
                        self._check_term(word, bound)
                case syntax.Changed(atom):
                    if atom.name.key in self.task.derived:
                        what = f"this effect changes {atom.name}, which is derived by rules"
                        raise wrong(atom.name, what, "change what its rules read")
                case syntax.Atom():
                    self._check_atom(part, bound)
                case syntax.Compare(_, left, right):
                    self._check_numbers(bound, left, right)
                case syntax.Assign(word, target, expression):
                    self._check_numbers(bound, target, expression, may=may)
                    if word == "scale-down" and expression == 0:
                        raise wrong(part.at, "this divides by 0")

    def _check_numbers(self, scope: Scope, *numbers: syntax.Expression, may: str = "") -> None:
        """Check expressions; `may` is a function that may stand in them though none declares it."""
        for part in syntax.expressions(*numbers):
            match part:
                case syntax.Operation("/", (_, divisor)) if divisor == 0:
                    raise wrong(part.at, "this divides by 0")
                case syntax.Atom(name, ()) if name.key == may and name.key not in self.functions:
                    pass
                case syntax.Atom(name) if name.key == syntax.DURATION:
                    what = f"{name} stands where it means nothing"
                    hint = "it is known in :duration and in effects of actions that take time"
                    raise wrong(name, what, hint)
                case syntax.Atom(name, (word,)) if self._is_counted(name, word):
                    pass
                case syntax.Atom():
                    self._check_atom(part, scope, function=True)

    def _is_counted(self, name: Word, preference: Word) -> bool:
        """Whether a function counts how often a preference is violated, which must be there."""
        if name.key != syntax.IS_VIOLATED or name.key in self.functions:
            return False
        known = {demand.key for demand in self.task.demands} - {""}
        if preference.key not in known:
            hint = nearest(preference.key, known, noun="preferences")
            raise wrong(preference, f"there is no preference {preference}", hint)
        return True

    def _check_start(self) -> None:
        """The initial state, which may have very many atoms."""
        problem = self.task.problem
        for atom in (*problem.initial, *problem.absent):
            if atom.name.key in self.task.derived:
                hint = "rules say when it holds; leave it out here"
                raise wrong(atom.name, f"{atom.name} is a derived predicate", hint)
            self._check_atom(atom, {})
        for function, _ in problem.values:
            if function.name.key in self.functions or not self.has_more:
                self._check_atom(function, {}, function=True)
        initial = set(problem.initial)
        for atom in problem.absent:
            if atom in initial:
                what = "the initial state has this atom and its negation"
                raise wrong(atom.name, what, "one of them is a mistake")
        seen: dict[tuple[Fraction, syntax.Atom], bool] = {}
        for time, change in problem.timed:
            if seen.setdefault((time, change.atom), change.holds) != change.holds:
                what = "at this time this atom begins to hold, and no longer holds"
                raise wrong(change.atom.name, what, "one of them is a mistake")

    def _declared(self, name: Word, function: bool = False) -> syntax.Signature | None:
        known = self.functions if function else self.predicates
        if name.key in known:
            return known[name.key]
        if function and name.key == syntax.TOTAL_COST:
            return None
        what = "function" if function else "predicate"
        hint = f"declare it in (:{what}s …)"
        if known:
            hint += f"; {nearest(name.key, known, noun=f'{what}s')}"
        raise wrong(name, f"{what} {name} is not declared", hint)

    def _check_use(self, signature: syntax.Signature | None, name: Word, number: int) -> None:
        wanted = 0 if signature is None else len(signature.parameters)
        if number != wanted:
            place = f" in line {signature.name.at.line}" if signature else ""
            has = f"{name} has {amount(number, 'argument')} here"
            raise wrong(name, f"{has}, but is declared{place} with {wanted}")

    def _check_atom(self, atom: syntax.Atom, scope: Scope, function: bool = False) -> None:
        name, signature = atom.name, self._declared(atom.name, function)
        self._check_use(signature, name, len(atom.arguments))
        if signature is None:
            return
        types = self.types[id(signature)]
        for index, (word, wanted) in enumerate(zip(atom.arguments, types, strict=True)):
            self._check_term(word, scope)
            if not self._fits(word, wanted, scope):
                kind = _a(signature.parameters[index].types)
                what = f"argument {index + 1} of {name} is {kind}, which {word} is not"
                is_bound = word.key[0] == "?"
                declared = (scope[word.key],) if is_bound else self.task.objects[word.key]
                own = [kind for typed in declared for kind in typed.types]
                raise wrong(word, what, f"{word} is {_a(own)}")

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
        own = scope[word.key].type_keys
        if OBJECT in own or OBJECT in wanted:
            return True
        return any(
            not own.isdisjoint(above) and not wanted.isdisjoint(above)
            for above in (*task.supertypes.values(), *task.types_of.values())
        )


def _a(types: Sequence[Word]) -> str:
    kind = " or ".join(map(str, types)) or OBJECT
    return f"a{'n' if kind[0] in 'aeiou' else ''} {kind}"
