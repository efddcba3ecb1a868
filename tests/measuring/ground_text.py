"""Prints what clingo's own --text says of a program, with no part of asplan in between.

    python ground_text.py HORIZON FILE... [-cNAME=VALUE] [--counted]

With --counted the rules carry the profiler's counters.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import clingo
from clingo import Number


class Text(clingo.Application):
    """Grounds base, step 1..N and check 0..N in one call."""

    def __init__(self, horizon: int, files: Sequence[str], counted: bool) -> None:
        self.horizon, self.files, self.counted = horizon, files, counted

    def main(self, control: clingo.Control, files: Sequence[str]) -> None:
        parts = [("base", [])]
        parts += [("step", [Number(t)]) for t in range(1, self.horizon + 1)]
        parts += [("check", [Number(t)]) for t in range(self.horizon + 1)]
        if self.counted:
            from asplan.measuring.instrument import instrument
            from asplan.program.incremental import as_written

            instrument(as_written(self.files, {})).program.add_to(control)
        else:
            for file in self.files:
                control.load(file)
        control.ground(parts, context=Functions())
        control.solve()


class Functions:
    """Answers every function with 1, as the profiler does."""

    def __getattr__(self, name: str) -> object:
        return lambda *arguments: Number(1)


if __name__ == "__main__":
    options = [word for word in sys.argv[1:] if word.startswith(("-c", "--mode"))]
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    application = Text(int(words[0]), words[1:], counted="--counted" in sys.argv)
    style = [] if "--mode=gringo" in options else ["--text"]
    sys.exit(clingo.clingo_main(application, [*style, *options]))
