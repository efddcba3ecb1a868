"""The front end for PDDL: a domain and a problem, translated into a finite-domain task.

Two ways lead from the text. `asplan.pddl.language` reads it and says what is wrong with it, and plans are
checked against what it means there. `translator` has Fast Downward's translator ground it, `sas`
reads what that writes, and the task becomes facts for the encodings in encodings/pddl and a model
for search. Neither knows of the other, so a plan that passes is right by both. All of this is
imported where there is PDDL to be read; `files` tells whether there is.
"""

from __future__ import annotations

from asplan.pddl.front.files import pair
from asplan.problem.problem import Inputs, Problem


def load(words: Inputs, needs_model: bool) -> Problem | None:
    """The problem of a PDDL domain and problem; None where no file is PDDL.

    Raises
    ------
    InputError
        A file cannot be read or makes no sense; or there is no domain beside a problem.
    MissingExtra
        The translator is not installed.
    UsageError
        Encoding, constants and files do not go together.
    """
    files = pair(words)
    if files is None:
        return None
    from asplan.pddl.front.front import load as load_pair

    return load_pair(words, files, needs_model)


def load_source(words: Inputs) -> Problem | None:
    """The problem of a PDDL domain and problem as far as their text tells, without translation.

    None where no file is PDDL. Raises `InputError` and `UsageError` as `load` does.
    """
    files = pair(words)
    if files is None:
        return None
    from asplan.pddl.front.front import load_source as load_pair

    return load_pair(words, files)
