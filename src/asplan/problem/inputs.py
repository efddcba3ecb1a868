"""The inputs that a caller names, and the variants written after the name of an encoding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path

from asplan.core.choices import STEPS
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.program.reading.source import parse_constant

TEXT = "<text>"  # the file name of text that a caller passes

STEPPED = "pddl"  # the domain whose encodings differ in the actions that fit into one step

_FORM = "a variant is written NAME:CONST=VALUE, for example origin:metric=slide"

_SETTING = r""":[^:="]*=(?:"(?:\\.|[^"\\])*"|[^:"])*"""  # a colon in a string belongs to the value

_VARIANT = re.compile(rf"(.*?)((?:{_SETTING})*)", re.DOTALL)


@dataclass(frozen=True)
class Inputs:
    """The files, the encoding and the options of loading.

    Attributes
    ----------
    files
        Paths, names of shipped instances, or `-` for standard input.
    text
        A program, or a part of one, beside the files.
    encoding
        A name or a path. `:CONST=VALUE` after it sets a constant.
    prefers
        Names of encodings. Without `encoding`, the first that the domain has is used.
    steps
        The kind of steps, one of `STEPS`, in domains whose encodings differ in it.
    allow_scripts
        Whether Python code in the files may run.
    allow_includes
        Whether files outside the folder of the including file may be included.
    switches
        Words such as `no-undefined`, which switch warnings off.
    all_states
        Whether to distinguish states that differ only in atoms without effect on the goal.
    actions
        The action predicates as NAME/ARITY, for programs whose rules do not determine them.
    horizon_constant
        The constant that bounds the time of a program without parts, if asplan cannot find it.
    fresh
        Whether to ground a program without parts anew for each horizon.
    order
        The seed of a permutation of the facts. Another order leads to another search, while
        another seed of the solver may change nothing.
    """

    files: tuple[str, ...] = ()
    text: str | None = None
    encoding: str | None = None
    constants: Mapping[str, str] = field(default_factory=dict)
    allow_scripts: bool = False
    allow_includes: bool = False
    prefers: tuple[str, ...] = ()
    steps: str | None = None
    switches: tuple[str, ...] = ()
    all_states: bool = False
    order: int | None = None
    actions: tuple[str, ...] = ()
    horizon_constant: str | None = None
    fresh: bool = False

    @property
    def command_words(self) -> list[str]:
        """The command line words for the same files, encoding, constants and permissions."""
        words = list(self.files)
        words += _option("-e", self.encoding)
        words += _option("--steps", self.steps)
        for name, value in self.constants.items():
            words += ["-c", f"{name}={value}"]
        for action in self.actions:
            words += ["--action", action]
        words += _option("--horizon-constant", self.horizon_constant)
        if self.fresh:
            words.append("--fresh")
        if self.allow_scripts:
            words.append("--allow-scripts")
        if self.allow_includes:
            words.append("--allow-includes")
        return words


def _option(
    name: str,
    value: str | None,
) -> list[str]:
    return [name, value] if value else []


def with_variant(inputs: Inputs) -> Inputs:
    """Return the inputs with the settings moved from the name of the encoding to the constants.

    A kind of `steps` is replaced by the name of an encoding. The path of an existing file is never
    split.

    >>> inputs = with_variant(Inputs(("twist06",), encoding="turns:order=talk:extra=1"))
    >>> inputs.encoding, inputs.constants
    ('turns', {'order': 'talk', 'extra': '1'})

    Raises `UsageError` if a setting is no constant, or contradicts another one, or if both `steps`
    and an encoding are given.
    """
    if inputs.steps is not None:
        return replace(inputs, encoding=_encoding_of_steps(inputs.steps, inputs.encoding))
    if inputs.encoding is None:
        return inputs
    name, settings = _split(inputs.encoding)
    constants = _add_settings(inputs.constants, inputs.encoding, settings)
    return replace(inputs, encoding=name, constants=constants)


def _encoding_of_steps(
    steps: str,
    encoding: str | None,
) -> str:
    """Return the name of the encoding for a kind of steps; raise `UsageError` if there is none."""
    name = f"{STEPPED}/{steps}"
    if encoding not in (None, name):
        message = f"--steps {steps} and -e {encoding} both name an encoding"
        raise UsageError(message, hint="leave out one of the two")
    if steps not in STEPS and encoding is None:
        raise UsageError(f"steps={steps!r}: steps must be {', '.join(STEPS[:-1])} or {STEPS[-1]}")
    return name


def _add_settings(
    constants: Mapping[str, str],
    variant: str,
    settings: Iterable[str],
) -> dict[str, str]:
    """Return the constants with the settings of a variant; raise `UsageError` on contradiction."""
    merged = dict(constants)
    for setting in settings:
        try:
            constant, value = parse_constant(setting.removeprefix(":"))
        except UsageError as error:
            raise UsageError(f"{variant}: {error.message}", hint=_FORM) from None
        present = merged.setdefault(constant, value)
        if present != value:
            raise UsageError(f"{variant}: {constant}={value} contradicts {constant}={present}")
    return merged


def _split(variant: str) -> tuple[str, list[str]]:
    """Split a variant into the name, or the longest path of an existing file, and its settings."""
    parts = _VARIANT.fullmatch(variant)
    assert parts is not None  # the settings may be empty
    name = parts[1]
    settings = re.findall(_SETTING, parts[2], re.DOTALL)
    for count in range(len(settings), -1, -1):
        path = name + "".join(settings[:count])
        if Path(path).is_file():
            return path, settings[count:]
    if ":" in name or (settings and not name):
        raise UsageError(f"unknown encoding {variant!r}", hint=_FORM)
    return name, settings
