"""A warning: what is most likely wrong in an input, where, and what to do about it.

>>> print(InputWarning("undefined", "nothing defines ocurs/2", Location("x.lp", 3, 1)))
x.lp:3:1: nothing defines ocurs/2 [undefined]
"""

from __future__ import annotations

from dataclasses import dataclass

from asplan.core.errors import Location


@dataclass(frozen=True)
class InputWarning:
    """One warning. It never changes an answer.

    Attributes
    ----------
    code
        Its stable name, as in `-W no-CODE`; docs/warnings.md lists them all.
    text, hint
        What is odd, and what to do about it; the hint may be empty.
    at
        Where; None for what is missing, or concerns the input as a whole.
    doubt
        Whether the answer may be worthless if the warning is right.
    """

    code: str
    text: str
    at: Location | None = None
    hint: str = ""
    doubt: bool = False

    def __str__(self) -> str:
        where = f"{self.at}: " if self.at else ""
        hint = f"\n  {self.hint}" if self.hint else ""
        return f"{where}{self.text} [{self.code}]{hint}"
