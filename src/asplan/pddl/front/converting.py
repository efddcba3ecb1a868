"""The conversion of PDDL tasks to facts as text, for `asplan convert`."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from asplan.core.errors import UsageError
from asplan.pddl.front.sentences import atom_words
from asplan.pddl.grounding import translate
from asplan.pddl.language import read_task
from asplan.pddl.language.lexer import wrong
from asplan.pddl.language.names import PddlNames, names_of
from asplan.pddl.language.syntax import TaskText
from asplan.pddl.task.facts import to_facts
from asplan.pddl.task.plasp import to_plasp, words_of

_PLASP = "plasp"


def facts_of_pair(
    files: tuple[str, str],
    notation: str | None,
) -> str:
    """Return the facts of the task in two PDDL files; see `asplan.pddl.front.facts_of_pddl`."""
    if notation not in (None, _PLASP):
        message = f"--to {notation} is not a notation for PDDL tasks"
        hint = "leave it out for facts in asplan's vocabulary, or use --to plasp"
        raise UsageError(message, hint=hint)
    task = read_task(*files)
    _check_convertible(task, notation)
    parts = (task.domain, task.problem)
    domain, problem = (Path(part.name.source.file).name for part in parts)
    head = f"% {domain} and {problem}, translated by asplan convert"
    if task.has_numbers:
        return head + _numeric_text(task)
    return head + (_text(task) if notation is None else _plasp_text(task))


def _check_convertible(
    task: TaskText,
    notation: str | None,
) -> None:
    """Raise `InputError` or `UsageError` if asplan cannot write facts of a task in the notation."""
    file = task.domain.name.source.file
    if task.has_time:
        raise UsageError(f"{file}: actions take time, and convert writes no facts of time")
    if task.demands:
        message = "convert writes no facts of constraints and preferences"
        raise wrong(task.demands[0].at, message)
    if task.has_numbers and notation is not None:
        message = f"{file}: the task has numbers, and facts of {notation} have none"
        raise UsageError(message, hint="leave --to out for facts in asplan's vocabulary")


def _numeric_text(task: TaskText) -> str:
    """Return the facts of a task with numbers, below the end of a comment begun by the caller."""
    from asplan.pddl.numeric.facts import to_numeric_facts
    from asplan.pddl.numeric.scale import numeric_task

    head = ": a finite-domain task with\n% numbers in the vocabulary of docs/pddl_facts.md."
    return f"{head}\n\n{to_numeric_facts(numeric_task(task), names_of(task))}"


def _text(task: TaskText) -> str:
    """Return the facts in asplan's vocabulary, below the end of a comment begun by the caller."""
    head = (
        ": a finite-domain task in the\n"
        "% vocabulary of docs/pddl_facts.md. asplan solve takes it like the PDDL."
    )
    return f"{head}\n\n{to_facts(translate(task, names_of(task)))}"


def _plasp_text(task: TaskText) -> str:
    """Return the facts in plasp's format, below the end of a comment begun by the caller."""
    names = names_of(task)
    head = " --to plasp: a finite-domain\n% task in the fact format of plasp 3."
    facts = to_plasp(
        translate(task, names),
        partial(atom_words, names),
        partial(_action_words, names),
    )
    return f"{head}\n\n{facts}"


def _action_words(
    names: PddlNames,
    term: str,
) -> list[str]:
    """Return the PDDL names in an action term: the action and its arguments."""
    name, *arguments = words_of(term)
    return [names.actions.names[name], *(names.objects.names[word] for word in arguments)]
