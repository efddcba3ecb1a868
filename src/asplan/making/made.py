"""What came of a wish for puzzles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from asplan.domains.generator import Puzzle
from asplan.result import Stop


@dataclass(frozen=True)
class Made:
    """A puzzle, and what makes it anew.

    Attributes
    ----------
    name
        Of its file.
    attempt
        The number of the attempt, from 1, that it came of.
    """

    name: str
    puzzle: Puzzle
    command: str
    attempt: int

    @property
    def text(self) -> str:
        """Its file: a header that says what it is and how it was made, and its facts."""
        picture = "".join(f"%   {line}\n" for line in self.puzzle.picture.splitlines())
        made = f"% {self.command}   (attempt {self.attempt})"
        return f"% {self.puzzle.title}\n%\n{picture}%\n{made}\n\n{self.puzzle.facts}"


@dataclass(frozen=True)
class Generated:
    """Puzzles that were made, in order; all that there are so far.

    Attributes
    ----------
    wish
        What was wished, as words, defaults among them.
    count
        How many were wished for.
    attempts
        How many attempts were made.
    reason
        What is being done, or why there are fewer than wished; empty where there are enough.
    stopped
        The limit that ended the work.
    """

    domain: str = ""
    wish: Mapping[str, str] = field(default_factory=dict)
    count: int = 1
    seed: int = 0
    puzzles: tuple[Made, ...] = ()
    attempts: int = 0
    reason: str = "reading the wish"
    stopped: Stop | None = None
