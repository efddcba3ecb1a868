"""Checks of arguments: literals that no atom matches, mostly with misspelt or swapped arguments.

A *shape* is the kind of a term: a number, a string, or a name with an arity. A literal is wrong if
no atom of its predicate has an argument of the same shape. A function in an argument is checked
like an atom: `holds(at(X,courier),t-1)` gets a warning if rules derive only `at(courier,X)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from asplan.core.errors import InputWarning
from asplan.core.text import amount
from asplan.program.model.program import INSIDE, Literal, TemporalRule
from asplan.program.roles.inputs import key_text
from asplan.program.syntax import AST, Signature
from asplan.program.syntax.wording import without_extra_brackets
from asplan.warnings.catalogue import make_warning
from asplan.warnings.index import ProgramIndex, is_slip
from asplan.warnings.shapes import (
    ANY,
    NUMBER,
    ArgumentShapes,
    Shapes,
    shapes_of,
    with_functions,
)

_MAX_NAMED = 3  # the most literals with the same flaw that get a warning each
_MAX_KINDS = 5  # the most names that a hint about an argument lists
_MAX_KINDS_OF_VARIABLE = 3  # the same for a variable


def find_mismatches(index: ProgramIndex) -> Iterator[InputWarning]:
    """Yield a warning for each literal with an argument that no atom of its predicate can have."""
    mismatches: dict[tuple[Signature, str], list[Literal]] = {}
    shapes = shapes_of(index)
    for rule in index.statements:
        for use in rule.reads:
            hint = _hint_of_use(index, shapes, rule, use)
            if hint is not None:
                mismatches.setdefault((use.key, hint), []).append(use)
    for (key, hint), uses in mismatches.items():
        # An instance may lack a kind of object, and then all rules about that kind mismatch.
        named = uses if len(uses) <= _MAX_NAMED else uses[:1]
        more = len(uses) - len(named)
        for use in named:
            text = f"no atom of {key_text(key)} matches {use.text}"
            if more:
                text += f", and none matches {more} more of its literals"
            yield make_warning("no-match", text, use.at, hint)


def _hint_of_use(
    index: ProgramIndex,
    shapes: ArgumentShapes,
    rule: TemporalRule,
    use: Literal,
) -> str | None:
    """Return a hint if no atom matches the literal `use` in the body of a rule.

    Return None if an atom may match the literal.
    """
    for part in with_functions([use]):
        hint = _hint_of_terms(shapes, part)
        if hint is not None:
            return hint
    return _hint_of_variables(index, shapes, rule, use)


def _hint_of_terms(
    shapes: ArgumentShapes,
    use: Literal,
) -> str | None:
    """Return a hint if a literal has a term that no atom of its predicate has in this argument.

    Return None if an atom may match the literal.
    """
    key = use.key
    terms = shapes.terms[use]
    wrong = _first_mismatch(shapes, use)
    if wrong is None:
        return None
    swapped = _swap(shapes, use, wrong)
    if swapped is not None:
        arguments = ",".join(map(without_extra_brackets, map(str, swapped)))
        return f"did you mean {key[0].strip()}{key[1]}({arguments})?"
    place = key, wrong
    term = terms[wrong]
    assert not isinstance(term, str)  # variables match everything
    ((name, _),) = term
    arities = dict(_named(shapes.by_place[place]))
    slips = [other for other in arities if is_slip(name, other)]
    if slips:
        return f"did you mean {slips[0]}?"
    if place in shapes.open or key[0] == INSIDE or (use.outer_sign and not use.parameter):
        return None  # atoms that no initial state has may be there in another instance
    if name in arities:
        return f"there is {name} with {amount(arities[name], 'argument')}"
    return f"argument {wrong + 1} is {_describe(shapes.by_place[place])}"


def _first_mismatch(
    shapes: ArgumentShapes,
    use: Literal,
) -> int | None:
    """Return the index of the first argument whose term no atom has; None if there is none."""
    for place, term in enumerate(shapes.terms[use]):
        if shapes.excludes((use.key, place), term):
            return place
    return None


def _named(shapes: Shapes) -> list[tuple[str, int]]:
    """Return the shapes that are names or functions, without numbers and strings."""
    return [(name, arity) for name, arity in shapes if not name.startswith("#")]


def _describe(shapes: Shapes) -> str:
    """Return the possible values of an argument as text, like `a or b or a number`."""
    kinds = sorted(dict(_named(shapes)))[:_MAX_KINDS]
    if NUMBER in shapes:
        kinds.append("a number")
    return " or ".join(kinds) or "a string"


def _hint_of_variables(
    index: ProgramIndex,
    shapes: ArgumentShapes,
    rule: TemporalRule,
    use: Literal,
) -> str | None:
    """Return a hint if a constraint has a literal `not p(X)`, but no possible p(X) is ever true.

    Then the constraint is violated whenever its other literals hold. Return None if p(X) may be
    true. Other rules are not checked, since they may be general on purpose.
    """
    if not index.is_complete or not rule.is_constraint or not use.is_negative:
        return None
    bound = shapes.bindings(rule, rule.positive)
    for place, term in enumerate(shapes.terms[use]):
        if not isinstance(term, str) or (use.key, place) in shapes.open:
            continue
        values, is_open = bound.get(term, (ANY, True))
        if not is_open and _are_disjoint(values, shapes.by_place[use.key, place]):
            return f"{term} is {_describe_values(values)} here"
    return None


def _describe_values(values: Shapes) -> str:
    """Return the names among a variable's possible values as text, like `a or b`."""
    kinds = sorted(name for name, _ in _named(values))
    return " or ".join(kinds[:_MAX_KINDS_OF_VARIABLE]) or "of another kind"


def _are_disjoint(
    values: Shapes,
    others: Shapes,
) -> bool:
    """Return whether two sets of shapes are fully known, not empty, and disjoint."""
    if ANY in (values, others) or not values or not others:
        return False
    return not values & others


def _swap(
    shapes: ArgumentShapes,
    use: Literal,
    wrong: int,
) -> list[AST] | None:
    """Return a literal's arguments after a swap of two, if an atom may match the literal then.

    One of them is the argument with the index `wrong`. Return None if no swap helps.
    """
    for other in range(len(use.terms)):
        if other == wrong or not _may_swap(shapes, use, wrong, other):
            continue
        order = list(range(len(use.terms)))
        order[wrong] = other
        order[other] = wrong
        terms = [shapes.terms[use][place] for place in order]
        if not any(shapes.excludes((use.key, i), term) for i, term in enumerate(terms)):
            return [use.terms[place] for place in order]
    return None


def _may_swap(
    shapes: ArgumentShapes,
    use: Literal,
    wrong: int,
    other: int,
) -> bool:
    """Return whether the shapes of two arguments are known well enough to suggest a swap.

    `wrong` and `other` are the indices of the arguments.
    """
    present = shapes.by_place[use.key, other]
    if shapes.open.isdisjoint({(use.key, wrong), (use.key, other)}):
        return present != ANY
    # If other instances may have other shapes, only a number in the wrong argument is a mistake.
    return shapes.terms[use][wrong] == present == frozenset({NUMBER})
