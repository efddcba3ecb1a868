"""The names that a compilation adds to a task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from asplan.pddl.grounding.lifted import AUXILIARY
from asplan.pddl.language import syntax
from asplan.pddl.language.lexer import Word
from asplan.pddl.language.syntax import ALWAYS, Atom, Formula, Typed, scope_of

FIRST_PREDICATE = 800_000
"""The number of the first new predicate.

New predicates are named like the auxiliary predicates of the grounder, which count from 0.
"""


class Vocabulary:
    """The new predicates of a task, the rules of the derived ones, and names for new actions.

    Attributes
    ----------
    predicates
        The new predicates.
    rules
        The rules of new derived predicates; each predicate is equivalent to a condition.
    """

    def __init__(
        self,
        place: Word,
    ) -> None:
        """Create an empty vocabulary; all new names get the place of the word `place`."""
        self.predicates: list[syntax.Signature] = []
        self.rules: list[syntax.AxiomRule] = []
        self._place = place
        self._actions = 0

    def new_atom(
        self,
        variables: tuple[Typed, ...] = (),
    ) -> Atom:
        """Return an atom of a new predicate, with `variables` as arguments.

        Of several variables with the same name, the last one counts.
        """
        name = self._word(f"{AUXILIARY}@{FIRST_PREDICATE + len(self.predicates)}")
        parameters = tuple(scope_of(variables).values())
        predicate = syntax.Signature(name, parameters)
        self.predicates.append(predicate)
        return predicate.atom

    def literal(
        self,
        condition: Formula,
        variables: tuple[Typed, ...],
    ) -> Formula:
        """Return a literal that is equivalent to a condition over `variables`.

        If the condition is not a literal, return an atom of a new derived predicate.
        """
        match condition:
            case Atom() | syntax.Connected("not", (Atom(),)):
                return condition
        free = set(_free_variables(condition))
        parameters = tuple(typed for key, typed in scope_of(variables).items() if key in free)
        atom = self.new_atom(parameters)
        self.rules.append(syntax.AxiomRule(atom.name, parameters, condition))
        return atom

    def action_name(
        self,
        name: str,
    ) -> Word:
        """Return the name of a new action; `@` cannot occur in the names of a file."""
        word = self._word(f"{name}@{self._actions}")
        self._actions += 1
        return word

    def _word(
        self,
        name: str,
    ) -> Word:
        return replace(self._place, key=name, text=name)


def _free_variables(condition: Formula) -> Iterator[str]:
    """Yield the words of a condition that none of its quantifiers binds; objects are included."""
    for part, scope in syntax.inside(condition):
        for word in _words(part):
            if word.key not in scope:
                yield word.key


def _words(part: syntax.Part) -> tuple[Word, ...]:
    """Return the arguments of an atom, or the sides of an equation."""
    match part:
        case Atom(_, arguments):
            return arguments
        case syntax.Equal(left, right):
            return left, right
    return ()


def negated(condition: Formula) -> Formula:
    """Return the negation of a condition, without a double `not`."""
    match condition:
        case syntax.Connected("not", (body,)):
            return body
    return syntax.Connected("not", (condition,))


def for_all(
    variables: tuple[Typed, ...],
    condition: Formula,
) -> Formula:
    """Return the condition that `condition` holds for all values of the variables.

    A quantifier is added only if there are variables.
    """
    if not variables or condition == ALWAYS:
        return condition
    return syntax.Quantified("forall", variables, condition)
