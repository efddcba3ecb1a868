"""The size of a ground program: as text, as rules, in seconds and in memory.

`text_size` and `measure` ground all parts in one call, which is what a reader of the program has
in mind (the program up to horizon N) and what `clingo --text` would print of it.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import psutil
from clingo import Application, Control, MessageCode, Observer, clingo_main

from asplan.core.errors import AsplanError
from asplan.engines.asp.session import Session
from asplan.engines.asp.theory import meaning_of
from asplan.program.incremental import Program, base, check, control_options, step
from asplan.program.scripts import Part, ground
from asplan.program.source import reporting
from asplan.program.theory import TEL
from asplan.program.unit import messages_of

_STDOUT = 1


class TextSize(NamedTuple):
    """What `clingo --text … | wc` prints."""

    lines: int = 0
    words: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class GroundSize:
    """A ground program, and what it took to make it.

    Of its atoms those with a name count, facts and externals among them; its rules are all that
    clingo hands to the solver as such, with the auxiliary rules of aggregates. Bodies are different
    ones, but for the empty one. `ground_seconds` are of wall-clock time, and `memory_mb` is by how
    much the peak of resident memory rose; None where the system does not tell.
    """

    atoms: int
    rules: int
    choice_rules: int
    constraints: int
    bodies: int
    ground_seconds: float
    memory_mb: float | None


def _all_parts(horizon: int) -> list[Part]:
    steps = [step(t) for t in range(1, horizon + 1)]
    return [base(), *steps, *(check(t) for t in range(horizon + 1))]


def measure(program: Program, constants: Mapping[str, str], horizon: int) -> GroundSize:
    """Ground a program in one call and count; memory is right if nothing was grounded before."""
    session = Session(program, constants)
    before = psutil.Process().memory_info().rss / 2**20
    session.ground(_all_parts(horizon))
    peak, counts = _peak(), _RuleCount()
    counting = Session(program, constants)
    counting.control.register_observer(counts)
    counting.ground(_all_parts(horizon))
    counted = counts.rules, counts.choices, counts.constraints, len(counts.bodies)
    atoms, seconds = len(session.control.symbolic_atoms), session.effort.ground_seconds
    memory = None if peak is None else round(max(0.0, peak - before), 1)
    return GroundSize(atoms, *counted, round(seconds, 6), memory)


class _RuleCount(Observer):
    def __init__(self) -> None:
        self.rules = self.choices = self.constraints = 0
        self.bodies: set[int] = set()

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        self._add(choice, head, tuple(sorted(body)))

    def weight_rule(
        self, choice: bool, head: Sequence[int], lower_bound: int, body: Sequence[tuple[int, int]]
    ) -> None:
        self._add(choice, head, (lower_bound, *sorted(body)))

    def _add(self, choice: bool, head: Sequence[int], body: tuple[object, ...]) -> None:
        self.rules += 1
        self.choices += choice
        self.constraints += not choice and not head
        if body:
            self.bodies.add(hash(body))  # a hash takes less room than a body


def _peak() -> float | None:
    try:
        import resource
    except ImportError:  # Windows
        peak = getattr(psutil.Process().memory_info(), "peak_wset", None)
        return None if peak is None else float(peak / 2**20)
    unit = 1 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def text_size(
    program: Program, constants: Mapping[str, str], horizon: int, style: str = "--text"
) -> TextSize:
    """What clingo prints, as `wc` counts; it takes standard output, so this belongs in a worker."""
    application = _Text(program, _all_parts(horizon))
    reading, writing = os.pipe()
    kept = os.dup(_STDOUT)
    os.dup2(writing, _STDOUT)
    os.close(writing)
    with ThreadPoolExecutor(1) as counting:
        counted = counting.submit(_count, reading)
        try:
            clingo_main(application, [style, *control_options(constants)])
        finally:
            os.dup2(kept, _STDOUT)  # closes the last writing end, so that the counting ends
            os.close(kept)
    if application.error:
        raise application.error
    return counted.result()


def _count(descriptor: int) -> TextSize:
    lines = words = size = 0
    with open(descriptor, "rb") as stream:
        for line in stream:
            lines += line.endswith(b"\n")
            words += len(line.split())
            size += len(line)
    return TextSize(lines, words, size)


class _Text(Application):
    """clingo as on the command line, but with a main function that grounds some parts."""

    def __init__(self, program: Program, parts: list[Part]) -> None:
        self.program, self.parts = program, parts
        self.messages = messages_of(program.sections)
        self.error: AsplanError | None = None

    def main(self, control: Control, files: Sequence[str]) -> None:
        """Ground and print; an exception must not pass through clingo."""
        try:
            with reporting(self.messages):
                add, package = None, self.program.theory
                if package not in (None, TEL):  # theory atoms as their package wants them
                    meaning = meaning_of(package)
                    meaning.register(control)
                    add = meaning.add
                self.program.add_to(control, add)
                ground(control, self.parts, self.program.functions())
                control.solve()
        except AsplanError as error:
            self.error = error

    def logger(self, code: MessageCode, message: str) -> None:
        self.messages(code, message)
