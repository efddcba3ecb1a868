"""The conversion of conditions, effects and expressions to PDDL text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import TypeAlias

from asplan.core.dataclass import dataclass
from asplan.pddl.language import syntax
from asplan.pddl.language.names import PddlNames, number_text
from asplan.pddl.language.syntax import Typed, substitute

Node: TypeAlias = syntax.Formula | syntax.EffectFormula | syntax.Expression


def written(
    node: Node,
    bound: Mapping[str, str] | None = None,
    names: PddlNames | None = None,
) -> str:
    """Return a condition, effect or expression as PDDL text; `bound` has values of variables.

    With `names`, predicates and objects are spelled as in their declarations.
    """
    return _Writer(names, bound or {}).text(node)


@dataclass(frozen=True)
class _Writer:
    """A writer of PDDL text, which replaces the variables in `bound` by their values."""

    names: PddlNames | None
    bound: Mapping[str, str] = field(default_factory=dict)

    def text(self, *parts: Node) -> str:
        """Return the text of several nodes, separated by spaces."""
        return " ".join(map(self._text, parts))

    def _text(self, node: Node) -> str:
        """Return the text of one node."""
        match node:
            case Fraction():
                return number_text(node)
            case syntax.Atom():
                return self._atom(node)
            case syntax.Equal(left, right):
                words = substitute(("=", left.key, right.key), self.bound)
                return self.names.spelled(*words) if self.names else _group(*words)
            case syntax.Compare(word, smaller, larger):
                return _group(word, self.text(smaller, larger))
            case syntax.Operation(word, parts) | syntax.Connected(word, parts):
                return _group(word, self.text(*parts))
            case syntax.Quantified(word, variables, body):
                inner = self._inside(variables)
                return _group(word, _group(_typed(variables)), inner.text(body))
        return self._effect(node)

    def _effect(self, effect: syntax.EffectFormula) -> str:
        """Return the text of an effect."""
        match effect:
            case syntax.Changed(atom, holds):
                text = self.text(atom)
                return text if holds else _group("not", text)
            case syntax.Together(parts):
                return _group("and", self.text(*parts))
            case syntax.Each(variables, body):
                return _group("forall", _group(_typed(variables)), self.text(body))
            case syntax.When(condition, body):
                return _group("when", self.text(condition, body))
            case syntax.Assign(word, target, amount):
                return _group(word, self.text(target, amount))

    def _atom(self, atom: syntax.Atom) -> str:
        """Return the text of an atom or function."""
        if atom.name.key == syntax.DURATION and not atom.arguments:
            return str(atom.name)
        if self.names is not None:
            return self.names.written_atom(*atom.ground(self.bound))
        arguments = tuple(map(str, atom.arguments))
        return _group(atom.name.text, *substitute(arguments, self.bound))

    def _inside(self, variables: tuple[Typed, ...]) -> _Writer:
        """Return the writer for the body of a quantifier with these variables.

        The writer does not replace the variables, even if `bound` has values for their names.
        """
        own = {typed.name.key for typed in variables}
        outer = {key: value for key, value in self.bound.items() if key not in own}
        return replace(self, bound=outer)


def _group(*words: str) -> str:
    """Return words in parentheses; empty words are left out."""
    return f"({' '.join(filter(None, words))})"


def _typed(several: Iterable[Typed]) -> str:
    """Return the text of variables with their types."""
    words: list[str] = []
    for typed in several:
        types = " ".join(map(str, typed.types))
        if len(typed.types) > 1:
            types = f"(either {types})"
        words.append(f"{typed.name} - {types}" if types else str(typed.name))
    return " ".join(words)
