"""Declarations of types, objects, predicates, functions and actions: each once, and of what is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from asplan.errors import nearest
from asplan.pddl.language import Typed
from asplan.pddl.task import OBJECT, Task
from asplan.pddl.text import Word, wrong


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
                mend = "say once what it is; (either a b) gives it two types above"
                raise wrong(name, f"type {name} is declared before in another way", mend)
            yield f"{name.at}: type {name} is declared twice"
        for parent in typed.types:
            if parent.key not in declared:
                # Many files leave out what needs no type above itself.
                yield f"{parent.at}: type {parent} is not declared; it is taken for an object"
        if name.key != OBJECT and any(
            name.key in task.supertypes.get(parent.key, ()) for parent in typed.types
        ):
            mend = "all names before a dash get the type behind it; put those without a type last"
            raise wrong(name, f"type {name} stands above itself", mend)


def check_type(task: Task, word: Word) -> None:
    """Raise `InputError` if a type is not declared, not even as a type above another."""
    known = task.supertypes
    if word.key not in known and not any(word.key in above for above in known.values()):
        mend = nearest(word.key, known, noun="types")
        raise wrong(word, f"type {word} is not declared", f"declare it in (:types …); {mend}")


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
            mend = f"the first stands in line {first.at.line}; give one of them another name"
            raise wrong(name, f"a second {what} {name}", mend)


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
