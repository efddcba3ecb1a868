"""Checks of the declarations of types, objects, predicates, functions and actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from asplan.core.errors import InputWarning, nearest
from asplan.pddl.language.lexer import Word, odd_dashes, wrong
from asplan.pddl.language.syntax import OBJECT, TaskText, Typed


def check_declarations(task: TaskText) -> Iterator[InputWarning]:
    """Yield warnings about declarations.

    Raise `InputError` if declarations contradict each other.
    """
    domain = task.domain
    yield from _check_types(task)
    for signature in (*domain.predicates, *domain.functions):
        _check_declared_types(task, signature.parameters)
    _check_once((s.name for s in domain.predicates), "predicate")
    _check_once((s.name for s in domain.functions), "function")
    actions = [action.name for action in domain.actions]
    actions += [action.name for action in domain.durative]
    _check_once(actions, "action")
    for declarations in task.objects.values():
        yield from _check_object(task, declarations)
    for name in (domain.name, task.problem.name):
        for message, at in odd_dashes(name.source).items():
            yield InputWarning("pddl-declaration", message, at)


def _check_object(
    task: TaskText,
    declarations: tuple[Typed, ...],
) -> Iterator[InputWarning]:
    """Check all declarations of one object.

    Warn about a repeated declaration; raise `InputError` if two declarations have different types.
    """
    _check_declared_types(task, declarations)
    first, *others = declarations
    for typed in others:
        name = typed.name
        before = first.name.at
        if [kind.key for kind in typed.types] != [kind.key for kind in first.types]:
            message = f"object {name} has another type in {before.file}, line {before.line}"
            raise wrong(name, message, "declare it once, or with the same type")
        message = f"object {name} is declared twice, first in {before}"
        yield InputWarning("pddl-declaration", message, name.at)


def _check_types(task: TaskText) -> Iterator[InputWarning]:
    """Check the declarations of types.

    Warn about types that are declared twice or not at all; raise `InputError` at contradictions.
    """
    declared = {typed.name.key for typed in task.domain.types} | {OBJECT}
    seen: dict[str, Typed] = {}
    for typed in task.domain.types:
        name = typed.name
        first = seen.setdefault(name.key, typed)
        if first is not typed:
            _check_same_supertypes(first, typed)
            yield InputWarning("pddl-declaration", f"type {name} is declared twice", name.at)
        for parent in typed.types:
            if parent.key not in declared:
                # Many files leave out a type without a supertype.
                message = f"type {parent} is not declared; it is taken for an object"
                yield InputWarning("pddl-declaration", message, parent.at)
        if _is_own_supertype(task, typed):
            hint = "each name before a dash gets the type after it; put names without a type last"
            raise wrong(name, f"type {name} is a supertype of itself", hint)


def _check_same_supertypes(
    first: Typed,
    second: Typed,
) -> None:
    """Raise `InputError` if two declarations of a type have different supertypes."""
    supertypes = first.type_keys - {OBJECT}
    others = second.type_keys - {OBJECT}
    if supertypes and others and supertypes != others:
        message = f"type {second.name} is already declared with another supertype"
        hint = "declare it once; (either a b) gives it two supertypes"
        raise wrong(second.name, message, hint)


def _is_own_supertype(
    task: TaskText,
    typed: Typed,
) -> bool:
    """Return whether a type is, directly or not, a supertype of itself."""
    key = typed.name.key
    if key == OBJECT:
        return False
    return any(key in task.supertypes.get(parent.key, ()) for parent in typed.types)


def _check_declared_types(
    task: TaskText,
    several: Iterable[Typed],
) -> None:
    """Raise `InputError` if one of `several` names has a type that is not declared.

    A type also counts as declared if the declaration of another type names it as supertype.
    """
    known = task.supertypes
    for typed in several:
        for word in typed.types:
            if word.key not in known:
                hint = nearest(word.key, known, noun="types")
                message = f"type {word} is not declared"
                raise wrong(word, message, f"declare it in (:types …); {hint}")


def check_variables(
    task: TaskText,
    variables: tuple[Typed, ...],
    owner: str,
) -> None:
    """Raise `InputError` if a variable is declared twice or its type is not declared.

    `owner` is the declaration with these variables, such as "action move", for messages.
    """
    seen: set[str] = set()
    for typed in variables:
        if typed.name.key in seen:
            raise wrong(typed.name, f"{owner} has the variable {typed.name} twice")
        seen.add(typed.name.key)
        _check_declared_types(task, [typed])


def _check_once(
    names: Iterable[Word],
    noun: str,
) -> None:
    """Raise `InputError` if a name occurs twice; `noun` is the kind, such as "predicate"."""
    seen: dict[str, Word] = {}
    for name in names:
        first = seen.setdefault(name.key, name)
        if first is not name:
            hint = f"the first is in line {first.at.line}; give one of them another name"
            raise wrong(name, f"{noun} {name} is declared twice", hint)
