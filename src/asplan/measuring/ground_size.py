"""The size of a ground program: its text, its rules, and the time and memory of grounding.

All parts up to a horizon are grounded in one call. The result is the ground program that
`clingo --text` would print.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import psutil

from asplan.clingo import Application, Control, MessageCode, Observer, clingo_main, control_options
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError
from asplan.engines.asp.solver import PartsSolver
from asplan.engines.asp.theory import meaning_of
from asplan.program.ground import Part, ground
from asplan.program.incremental import (
    Program,
    base,
    check,
    step,
)
from asplan.program.reading.source import reporting
from asplan.program.reading.unit import messages_of
from asplan.program.theory import TEL

_MEGABYTE = 2**20
_STDOUT = 1


@dataclass(frozen=True)
class GroundCounts:
    """The numbers of atoms and rules of a ground program, and the cost of grounding; see `Row`."""

    atoms: int
    rules: int
    choice_rules: int
    constraints: int
    bodies: int
    ground_seconds: float
    memory_mb: float | None


class TextSize(NamedTuple):
    """The numbers of lines, words and bytes of a text, as `wc` counts them."""

    lines: int = 0
    words: int = 0
    bytes: int = 0


def _all_parts(horizon: int) -> list[Part]:
    steps = [step(t) for t in range(1, horizon + 1)]
    checks = [check(t) for t in range(horizon + 1)]
    return [base(), *steps, *checks]


def count_ground_program(
    program: Program, constants: Mapping[str, str], horizon: int
) -> GroundCounts:
    """Ground a program in one call, and count its atoms and rules.

    The memory is correct only if this process has grounded nothing before. An observer slows
    grounding down, so rules are counted in a second grounding.
    """
    solver = PartsSolver(program, constants)
    before = psutil.Process().memory_info().rss / _MEGABYTE
    solver.ground(_all_parts(horizon))
    peak = _peak_memory()
    counter = _RuleCounter()
    observed = PartsSolver(program, constants)
    observed.control.register_observer(counter)
    observed.ground(_all_parts(horizon))
    return GroundCounts(
        atoms=len(solver.control.symbolic_atoms),
        rules=counter.rules,
        choice_rules=counter.choices,
        constraints=counter.constraints,
        bodies=len(counter.bodies),
        ground_seconds=round(solver.effort.ground_seconds, 6),
        memory_mb=None if peak is None else round(max(0.0, peak - before), 1),
    )


class _RuleCounter(Observer):
    """Counts the rules that clingo passes to its solver; `bodies` stores hashes to save memory."""

    def __init__(self) -> None:
        self.rules = 0
        self.choices = 0
        self.constraints = 0
        self.bodies: set[int] = set()

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        """Count a rule: a normal or disjunctive one, a constraint, or a choice rule."""
        self._count(choice, head, tuple(sorted(body)))

    def weight_rule(
        self,
        choice: bool,
        head: Sequence[int],
        lower_bound: int,
        body: Sequence[tuple[int, int]],
    ) -> None:
        """Count a rule whose body is a weight constraint."""
        self._count(choice, head, (lower_bound, *sorted(body)))

    def _count(self, choice: bool, head: Sequence[int], body: tuple[object, ...]) -> None:
        self.rules += 1
        if choice:
            self.choices += 1
        elif not head:
            self.constraints += 1
        if body:
            self.bodies.add(hash(body))


def _peak_memory() -> float | None:
    """Return the peak of this process's resident memory in MB; None if the system does not report
    it.
    """
    try:
        import resource
    except ImportError:  # Windows
        peak = getattr(psutil.Process().memory_info(), "peak_wset", None)
        return None if peak is None else float(peak / _MEGABYTE)
    unit = 1 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / _MEGABYTE


def measure_text(
    program: Program,
    constants: Mapping[str, str],
    horizon: int,
    style: str = "--text",
) -> TextSize:
    """Return the size of the text that clingo prints for a ground program, by the option `style`.

    Standard output of this process is redirected, so call this in a worker process.
    """
    printer = _Printer(program, _all_parts(horizon))
    reading, writing = os.pipe()
    saved = os.dup(_STDOUT)
    os.dup2(writing, _STDOUT)
    os.close(writing)
    with ThreadPoolExecutor(1) as executor:
        size = executor.submit(_measure_stream, reading)
        try:
            clingo_main(printer, [style, *control_options(constants)])
        finally:
            # This closes the last writing end of the pipe, which ends the thread.
            os.dup2(saved, _STDOUT)
            os.close(saved)
    if printer.error:
        raise printer.error
    return size.result()


def _measure_stream(descriptor: int) -> TextSize:
    lines = 0
    words = 0
    size = 0
    with open(descriptor, "rb") as stream:
        for line in stream:
            lines += line.endswith(b"\n")
            words += len(line.split())
            size += len(line)
    return TextSize(lines, words, size)


class _Printer(Application):
    """The clingo command with a main function that grounds the given parts of a program."""

    def __init__(self, program: Program, parts: list[Part]) -> None:
        self.program = program
        self.parts = parts
        self.messages = messages_of(program.sections)
        self.error: AsplanError | None = None

    def main(self, control: Control, files: Sequence[str]) -> None:
        """Ground and print; store an error, because clingo does not pass exceptions on."""
        try:
            with reporting(self.messages):
                self._add_program(control)
                ground(control, self.parts, self.program.functions())
                control.solve()
        except AsplanError as error:
            self.error = error

    def _add_program(self, control: Control) -> None:
        package = self.program.theory
        if package is None or package == TEL:
            self.program.add_to(control, None)
        else:
            # The package of a theory rewrites its theory atoms.
            meaning = meaning_of(package)
            meaning.register(control)
            self.program.add_to(control, meaning.add)

    def logger(self, code: MessageCode, message: str) -> None:
        """Collect a message of clingo."""
        self.messages(code, message)
