"""A PDDL task that was read, translated into a finite-domain task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from asplan.domains.pddl.task import Task
from asplan.loading.pddl.sas import read_sas, trivial
from asplan.loading.pddl.translator import translate
from asplan.loading.pddl.untranslated import refuse_untranslated
from asplan.pddl.language import Add, And, Atom, Delete, Each, Effect, Together, When
from asplan.pddl.names import Names
from asplan.pddl.scopes import inside
from asplan.pddl.task import Task as Written


def translated(written: Written, names: Names, all_variables: bool = False) -> Task:
    """The finite-domain task of a PDDL task; raises as `translate` does."""
    refuse_untranslated(written)
    domain, problem = (part.name.source.text for part in (written.domain, written.problem))
    sas, said = translate(domain, problem, all_variables)
    task = trivial(said) or read_sas(sas, names)
    if task.hopeless and (missing := next(_never(written, names), None)):
        task = replace(task, hopeless=f"the goal asks for {missing}, which no action brings about")
    return replace(
        task,
        static=tuple(_static(written, names)),
        objects=tuple(objects_of(written, names)),
        has_costs=written.problem.minimizes_cost,
    )


def _never(written: Written, names: Names) -> Iterator[str]:
    """The atoms of the goal that do not hold at the start, and that nothing adds."""
    added = {
        part.atom.predicate.key
        for action in written.domain.actions
        for part, _ in inside(action.effect, {})
        if isinstance(part, Add)
    }
    added |= {rule.name.key for rule in written.domain.rules}
    goal, initial = written.problem.goal, set(written.problem.initial)
    for atom in goal.parts if isinstance(goal, And) else [goal]:
        if isinstance(atom, Atom) and atom.predicate.key not in added and atom not in initial:
            yield names.written_atom(atom.predicate.text, [word.text for word in atom.arguments])


def _static(written: Written, names: Names) -> Iterator[str]:
    """The atoms that hold at the start and that no action changes."""
    changing = {key for action in written.domain.actions for key in _changed(action.effect)}
    changing |= {rule.name.key for rule in written.domain.rules}
    for atom in dict.fromkeys(written.problem.initial):
        if atom.predicate.key not in changing:
            yield names.atom(atom.predicate.key, [word.key for word in atom.arguments])


def _changed(effect: Effect) -> Iterator[str]:
    """The predicates whose atoms an effect may change."""
    match effect:
        case Add(atom) | Delete(atom):
            yield atom.predicate.key
        case Together(parts):
            for part in parts:
                yield from _changed(part)
        case Each(_, body) | When(_, body):
            yield from _changed(body)


def objects_of(written: Written, names: Names) -> Iterator[tuple[str, str]]:
    """Each object with each of its types."""
    for name, types in written.types_of.items():
        for kind in sorted(types):
            yield names.objects.terms[name], names.types.terms[kind]
