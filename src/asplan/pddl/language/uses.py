"""Checks that names are used as they are declared."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction

from asplan.core.errors import InputError, nearest
from asplan.core.text import amount
from asplan.pddl.language import syntax
from asplan.pddl.language.declarations import check_variables
from asplan.pddl.language.durative import TIMED_PREFERENCE
from asplan.pddl.language.interpretation import Interpretation, value_of
from asplan.pddl.language.lexer import Word, wrong
from asplan.pddl.language.nodes import refusal
from asplan.pddl.language.syntax import OBJECT, Scope, TaskText, inside, scope_of


def check_uses(task: TaskText) -> None:
    """Raise `InputError` if a name is not declared, or used differently from its declaration."""
    _Uses(task).check()


class _Uses:
    """The declarations of a task, and checks of all places that use them.

    Attributes
    ----------
    has_more
        Whether the task has durations, or numbers other than costs.
    types
        The types of the parameters of each declaration, by the declaration's `id`.
    """

    def __init__(self, task: TaskText) -> None:
        domain = task.domain
        self.task = task
        self.has_more = task.has_time or task.has_numbers
        self.predicates = {signature.name.key: signature for signature in domain.predicates}
        self.functions = {signature.name.key: signature for signature in domain.functions}
        self.constants = {typed.name.key for typed in domain.constants}
        # The types of the parameters of each signature, by its identity.
        self.types = {
            id(signature): [typed.type_keys for typed in signature.parameters]
            for signature in (*self.predicates.values(), *self.functions.values())
        }

    def check(self) -> None:
        """Check all uses; raise `InputError` at the first wrong one."""
        domain = self.task.domain
        problem = self.task.problem
        for action in domain.actions:
            self._check_action(action)
        for durative in domain.durative:
            self._check_durative(durative)
        for rule in domain.rules:
            self._check_rule(rule)
        self._check_parts(problem.goal, {})
        self._check_demands()
        if problem.metric is not None:
            self._check_numbers({}, problem.metric[1], undeclared=syntax.TOTAL_TIME)
        for _, change in problem.timed:
            self._check_parts(change, {})
        self._check_initial_atoms()
        self._check_initial_values()
        self._check_contradictions()

    # Parts of the domain.

    def _check_action(self, action: syntax.PddlAction) -> None:
        """Check an action without a duration."""
        check_variables(self.task, action.parameters, f"action {action.name}")
        scope = scope_of(action.parameters)
        self._check_parts(action.precondition, scope)
        self._check_parts(action.effect, scope)

    def _check_rule(self, rule: syntax.AxiomRule) -> None:
        """Check a rule of a derived predicate."""
        check_variables(self.task, rule.parameters, f"(:derived ({rule.name} …))")
        self._check_arity(self._declared(rule.name), rule.name, len(rule.parameters))
        self._check_parts(rule.body, scope_of(rule.parameters))

    def _check_durative(self, action: syntax.DurativeAction) -> None:
        """Check a durative action."""
        check_variables(self.task, action.parameters, f"action {action.name}")
        scope = scope_of(action.parameters)
        for _, limit in action.duration:
            self._check_numbers(scope, limit.right)
            with suppress(KeyError, ZeroDivisionError):  # a limit with functions, or without value
                value = value_of(limit.right, {})({}, Interpretation())
                if limit.word != ">=" and value < 0:
                    raise wrong(limit.at, "a duration must not be below 0")
        for _, condition in action.conditions:
            self._check_parts(condition, scope)
        for _, effect in action.effects:
            self._check_parts(effect, scope, undeclared=syntax.DURATION)

    def _check_demands(self) -> None:
        """Check constraints and preferences.

        A preference in a precondition may use the parameters.
        """
        domain = self.task.domain
        for demand in (*domain.demands, *self.task.problem.demands):
            self._check_demand(demand, {})
        for action in domain.actions:
            for demand in action.preferences:
                self._check_demand(demand, scope_of(action.parameters))

    def _check_demand(
        self,
        demand: syntax.TrajectoryDemand,
        outer: Scope,
    ) -> None:
        """Check a constraint or preference; `outer` has the parameters of the action around it."""
        if self.task.has_time:
            raise refusal(demand.at, TIMED_PREFERENCE)
        for part in demand.parts:
            variables = (*demand.variables, *part.variables)
            check_variables(self.task, variables, "this constraint")
        for formula, scope in demand.formulas:
            self._check_parts(formula, {**outer, **scope})

    # Conditions, effects and expressions.

    def _check_parts(
        self,
        node: syntax.Part,
        scope: Scope,
        undeclared: str = "",
    ) -> None:
        """Check a condition or effect with all its parts.

        `scope` has the bound variables. `undeclared` is a function that the amounts of numeric
        effects may contain without a declaration, such as `?duration`.
        """
        for part, bound in inside(node, scope):
            match part:
                case syntax.Quantified() | syntax.Each():
                    check_variables(self.task, part.variables, "the quantifier")
                case syntax.Equal(left, right):
                    self._check_term(left, bound)
                    self._check_term(right, bound)
                case syntax.Changed(atom):
                    self._check_change(atom)
                case syntax.Atom():
                    self._check_atom(part, bound)
                case syntax.Compare(_, left_number, right_number):
                    self._check_numbers(bound, left_number, right_number)
                case syntax.Assign(word, target, expression):
                    self._check_numbers(bound, target, expression, undeclared=undeclared)
                    if word == "scale-down" and expression == 0:
                        raise wrong(part.at, "this divides by 0")

    def _check_change(self, atom: syntax.Atom) -> None:
        """Raise `InputError` if an effect changes a derived predicate."""
        if atom.name.key in self.task.derived:
            message = f"this effect changes {atom.name}, which is derived by rules"
            raise wrong(atom.name, message, "change the predicates that its rules read")

    def _check_numbers(
        self,
        scope: Scope,
        *numbers: syntax.Expression,
        undeclared: str = "",
    ) -> None:
        """Check expressions; the function `undeclared` needs no declaration in them."""
        for part in syntax.expressions(*numbers):
            match part:
                case syntax.Operation("/", (_, divisor)) if divisor == 0:
                    raise wrong(part.at, "this divides by 0")
                case syntax.Atom():
                    self._check_function(part, scope, undeclared)

    def _check_function(
        self,
        atom: syntax.Atom,
        scope: Scope,
        undeclared: str,
    ) -> None:
        """Check a function in an expression; the function `undeclared` needs no declaration."""
        name = atom.name
        if not atom.arguments and name.key == undeclared and name.key not in self.functions:
            return
        if name.key == syntax.DURATION:
            hint = "use it in :duration and in the effects of durative actions"
            raise wrong(name, f"{name} has no meaning here", hint)
        if len(atom.arguments) == 1 and self._counts_violations(name, atom.arguments[0]):
            return
        self._check_atom(atom, scope, function=True)

    def _counts_violations(
        self,
        name: Word,
        preference: Word,
    ) -> bool:
        """Return whether a function counts violations, as `(is-violated PREFERENCE)` does.

        `name` is the function's name, and `preference` its argument. Raise `InputError` if the
        function counts violations, but no preference has this name.
        """
        if name.key != syntax.IS_VIOLATED or name.key in self.functions:
            return False
        known = {demand.key for demand in self.task.demands} - {""}
        if preference.key not in known:
            hint = nearest(preference.key, known, noun="preferences")
            raise wrong(preference, f"there is no preference {preference}", hint)
        return True

    # The initial state, which may have very many atoms.

    def _check_initial_atoms(self) -> None:
        """Check the initial atoms, and the atoms that are negated in the initial state."""
        problem = self.task.problem
        for atom in (*problem.initial, *problem.absent):
            if atom.name.key in self.task.derived:
                hint = "rules derive it; leave it out here"
                raise wrong(atom.name, f"{atom.name} is a derived predicate", hint)
            self._check_atom(atom, {})

    def _check_initial_values(self) -> None:
        """Check the functions with initial values."""
        for function, _ in self.task.problem.values:
            if function.name.key in self.functions or not self.has_more:
                self._check_atom(function, {}, function=True)

    def _check_contradictions(self) -> None:
        """Raise `InputError` if the initial state or timed literals contradict themselves."""
        problem = self.task.problem
        hint = "leave out one of the two"
        initial = set(problem.initial)
        for atom in problem.absent:
            if atom in initial:
                message = "the initial state has this atom and its negation"
                raise wrong(atom.name, message, hint)
        seen: dict[tuple[Fraction, syntax.Atom], bool] = {}
        for time, change in problem.timed:
            if seen.setdefault((time, change.atom), change.holds) != change.holds:
                message = "this atom becomes true and false at the same time"
                raise wrong(change.atom.name, message, hint)

    # Atoms and terms.

    def _declared(
        self,
        name: Word,
        function: bool = False,
    ) -> syntax.Signature | None:
        """Return the declaration of a predicate, or of a function if `function` is set.

        Return None for `total-cost` without a declaration. Raise `InputError` if another name has
        no declaration.
        """
        known = self.functions if function else self.predicates
        if name.key in known:
            return known[name.key]
        if function and name.key == syntax.TOTAL_COST:
            return None
        noun = "function" if function else "predicate"
        hint = f"declare it in (:{noun}s …)"
        if known:
            hint += f"; {nearest(name.key, known, noun=f'{noun}s')}"
        raise wrong(name, f"{noun} {name} is not declared", hint)

    def _check_arity(
        self,
        signature: syntax.Signature | None,
        name: Word,
        number: int,
    ) -> None:
        """Raise `InputError` if a name is not used with the declared number of arguments.

        A `signature` of None means `total-cost`, which has no arguments.
        """
        wanted = 0 if signature is None else len(signature.parameters)
        if number != wanted:
            place = f" in line {signature.name.at.line}" if signature else ""
            actual = amount(number, "argument")
            raise wrong(name, f"{name} has {actual} here, but is declared{place} with {wanted}")

    def _check_atom(
        self,
        atom: syntax.Atom,
        scope: Scope,
        function: bool = False,
    ) -> None:
        """Check that an atom is declared, and that the number and types of its arguments fit.

        If `function` is set, `atom` is a function.
        """
        signature = self._declared(atom.name, function)
        self._check_arity(signature, atom.name, len(atom.arguments))
        if signature is None:
            return
        types = self.types[id(signature)]
        for index, (word, wanted) in enumerate(zip(atom.arguments, types, strict=True)):
            self._check_term(word, scope)
            if not self._fits(word, wanted, scope):
                raise self._wrong_type(signature, index, word, scope)

    def _wrong_type(
        self,
        signature: syntax.Signature,
        index: int,
        word: Word,
        scope: Scope,
    ) -> InputError:
        """Return the error that an argument has the wrong type; `index` is its position from 0."""
        wanted = _with_article(signature.parameters[index].types)
        message = f"argument {index + 1} of {signature.name} must be {wanted}, but {word} is not"
        is_variable = word.key[0] == "?"
        declared = (scope[word.key],) if is_variable else self.task.objects[word.key]
        own: list[Word] = []
        for typed in declared:
            own += typed.types
        return wrong(word, message, f"{word} is {_with_article(own)}")

    def _check_term(
        self,
        word: Word,
        scope: Scope,
    ) -> None:
        """Raise `InputError` at a variable that is not bound, or an object that is not declared."""
        if word.key[0] == "?":
            if word.key not in scope:
                hint = nearest(word.key, scope, noun="variables") if scope else ""
                raise wrong(word, f"variable {word} is not bound", hint)
        elif word.key not in self.task.objects:
            names = nearest(word.key, self.task.objects, noun="objects")
            hint = f"declare it in (:objects …) or (:constants …); {names}"
            raise wrong(word, f"object {word} is not declared", hint)
        elif word.key not in self.constants and word.source is self.task.domain.name.source:
            message = f"{word} is an object of the problem, and the domain does not declare it"
            raise wrong(word, message, "declare it in the (:constants …) of the domain")

    def _fits(
        self,
        word: Word,
        wanted: frozenset[str],
        scope: Scope,
    ) -> bool:
        """Return whether an object, or some value of a variable, has one of the `wanted` types."""
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


def _with_article(types: Sequence[Word]) -> str:
    """Return types with an indefinite article as text, such as "a truck or plane"."""
    kind = " or ".join(map(str, types)) or OBJECT
    article = "an" if kind[0] in "aeiou" else "a"
    return f"{article} {kind}"
