"""`NAME:CONST=VALUE`: a variant of an encoding, named wherever an encoding is.

>>> words = with_variant(Words(("twist06",), encoding="turns:order=talk:extra=1"))
>>> words.encoding, words.constants
('turns', {'order': 'talk', 'extra': '1'})
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from asplan.errors import UsageError
from asplan.loading.problem import Words
from asplan.program.source import parse_constant

STEPPED = "pddl"
"""The domain whose encodings differ in what a step may hold."""

STEPS = ("sequential", "forall", "exists", "relaxed")
"""Their names, from one action a step to the most."""

_FORM = "a variant is written NAME:CONST=VALUE, for example origin:metric=slide"

_SETTING = re.compile(r""":[^:="]*=(?:"(?:\\.|[^"\\])*"|[^:"])*""", re.DOTALL)
"""`:CONST=VALUE`; a colon within a string belongs to the value."""

_VARIANT = re.compile(rf"(.*?)((?:{_SETTING.pattern})*)", re.DOTALL)


def with_variant(words: Words) -> Words:
    """The same words with the bare name of the encoding, its constants among all others.

    What a step may hold is the name of an encoding, too. What is the path of a file is no more
    than that, whatever is in it.

    Raises
    ------
    UsageError
        What stands behind a colon sets no constant, or sets one that has another value; or steps
        are named beside an encoding.
    """
    if words.steps is not None:
        return _with_steps(words, words.steps)
    if words.encoding is None:
        return words
    name, settings = _parts(words.encoding)
    constants = dict(words.constants)
    for setting in settings:
        constant, value = _constant(setting.removeprefix(":"), words.encoding)
        if (present := constants.setdefault(constant, value)) != value:
            raise UsageError(
                f"{words.encoding}: {constant}={value} contradicts {constant}={present}"
            )
    return replace(words, encoding=name, constants=constants)


def _with_steps(words: Words, steps: str) -> Words:
    if words.encoding == f"{STEPPED}/{steps}":
        return words
    if words.encoding is not None:
        raise UsageError(
            f"--steps {steps} and -e {words.encoding} both name an encoding",
            mend="leave out one of the two",
        )
    if steps not in STEPS:
        raise UsageError(f"steps={steps!r}: steps are {', '.join(STEPS[:-1])} or {STEPS[-1]}")
    return replace(words, encoding=f"{STEPPED}/{steps}")


def _parts(word: str) -> tuple[str, list[str]]:
    """The name, or the longest path of a file, and the settings behind it."""
    parts = _VARIANT.fullmatch(word)
    assert parts is not None  # all of it may be the name
    name, settings = parts[1], _SETTING.findall(parts[2])
    for count in range(len(settings), -1, -1):
        path = name + "".join(settings[:count])
        if Path(path).is_file():
            return path, settings[count:]
    if ":" in name or (settings and not name):
        raise UsageError(f"unknown encoding {word!r}", mend=_FORM)
    return name, settings


def _constant(text: str, word: str) -> tuple[str, str]:
    try:
        return parse_constant(text)
    except UsageError as error:
        raise UsageError(f"{word}: {error.message}", mend=_FORM) from None
