"""What the author of a program most likely did not mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from asplan import warnings
from asplan.api.inputs import File, Files, make_inputs
from asplan.core.errors import InputWarning
from asplan.core.interrupts import heeds_interrupts
from asplan.problem import load


@heeds_interrupts
def find_warnings(
    *files: Files,
    text: str | None = None,
    encoding: File | None = None,
    constants: Mapping[str, object] | None = None,
    metric: str | None = None,
    switches: Iterable[str] = (),
    horizon_constant: str | None = None,
    fresh: bool = False,
    allow_scripts: bool = False,
    allow_includes: bool = False,
) -> tuple[InputWarning, ...]:
    """The warnings about a program, without solving it.

    Parameters
    ----------
    files, text, encoding, constants, metric, switches, allow_scripts, allow_includes
        As for `solve`.

    Returns
    -------
    tuple of InputWarning
        In the order of their places; empty for a correct program.

    Raises
    ------
    AsplanError
        Bad usage, or files that cannot be read or make no sense.

    Examples
    --------
    >>> import asplan
    >>> text = "at(0,0). #program step(t). { up(t) }. at(1,t) :- upp(t)."
    >>> [warning.code for warning in asplan.find_warnings(text=text)]
    ['no-goal', 'undefined']
    """
    inputs = make_inputs(
        *(files, encoding, constants, metric, allow_scripts, allow_includes),
        text=text,
        switches=switches,
        horizon_constant=horizon_constant,
        fresh=fresh,
    )
    return warnings.find_warnings(load(inputs), inputs.switches)
