"""Programs with a horizon as incremental ones, and incremental ones as programs with a horizon."""

from __future__ import annotations

from collections.abc import Sequence

from asplan.core.errors import UsageError
from asplan.problem.instance import is_single_shot
from asplan.problem.problem import is_program
from asplan.program.horizon import find_horizon
from asplan.program.unit import joined, read_unit
from asplan.program.writing import incremental_text, single_shot_text


def program_text(
    files: Sequence[str], target: str | None, allow_includes: bool = False
) -> str | None:
    """The program in some files in its other form; None if they are no program.

    Raises `InputError`: it cannot be converted. Raises `UsageError`: it has the form `target`.
    """
    units = tuple(read_unit(file, allow_includes) for file in files)
    unit = joined(units)
    if is_program(unit):
        if target == "single-shot":
            return single_shot_text(units)
        if target is None:
            return None
        raise UsageError(f"{files[0]} has parts already", hint="--to single-shot takes them away")
    if not is_single_shot(unit, None):
        if target not in ("incremental", "single-shot"):
            return None
        raise UsageError(f"{files[0]} is no planning program", hint="it chooses nothing over times")
    if target not in (None, "incremental"):
        hint = "without --to it becomes incremental"
        raise UsageError(f"{files[0]} has no parts, so it is one already", hint=hint)
    horizon, changed = find_horizon(units, {})
    return incremental_text(changed, horizon, {})
