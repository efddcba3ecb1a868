"""PDDL as facts, for encodings that others write: in asplan's vocabulary, or in plasp's."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from asplan.domains.pddl.facts import to_facts
from asplan.domains.pddl.plasp import to_plasp, words_of
from asplan.errors import UsageError
from asplan.loading.pddl.files import pair
from asplan.loading.pddl.sas import MADE
from asplan.loading.pddl.tasks import translated
from asplan.loading.problem import Words
from asplan.pddl.names import Names, names_of
from asplan.pddl.reading import read_task

PLASP = "plasp"


def facts_of_pddl(words: Words, notation: str | None = None) -> str | None:
    """The facts of a PDDL domain and problem as text; None where no file is PDDL.

    Parameters
    ----------
    notation
        `plasp`, or None for the vocabulary that the encodings in encodings/pddl read.

    Raises
    ------
    InputError
        A file cannot be read or makes no sense; or there is no domain beside a problem.
    MissingExtra
        The translator is not installed.
    UsageError
        The files are not two, or the notation is for something else.
    """
    files = pair(words)
    if files is None:
        return None
    if notation not in (None, PLASP):
        raise UsageError(
            f"--to {notation} is no notation for PDDL tasks",
            mend="leave it out for facts in asplan's vocabulary, or say --to plasp",
        )
    written = read_task(files.first, files.second)
    names = names_of(written)
    task = translated(written, names)
    parts = (written.domain, written.problem)
    domain, problem = (Path(part.name.source.file).name for part in parts)
    if notation == PLASP:
        header = [
            f"% {domain} and {problem}, translated by asplan convert --to plasp: a finite-domain",
            "% task in the fact format of plasp 3.",
        ]
        text = to_plasp(task, partial(_atom_words, names), partial(_action_words, names))
    else:
        header = [
            f"% {domain} and {problem}, translated by asplan convert: a finite-domain task in the",
            "% vocabulary that docs/pddl.md describes. asplan solve takes it like the PDDL.",
        ]
        text = to_facts(task)
    return "\n".join([*header, "", text])


def _atom_words(names: Names, term: str) -> list[str]:
    """An atom as PDDL has it; one that the translator made has the name that it gave."""
    head, *arguments = words_of(term)
    if head == MADE:
        number, *arguments = arguments
        return [f"new-axiom@{number}", *(names.objects.names[word] for word in arguments)]
    name = names.predicates.names.get(head, head)
    return [name, *(names.objects.names[word] for word in arguments)]


def _action_words(names: Names, term: str) -> list[str]:
    head, *arguments = words_of(term)
    return [names.actions.names[head], *(names.objects.names[word] for word in arguments)]
