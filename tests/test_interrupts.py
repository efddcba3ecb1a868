"""Ctrl-C while clingo or Z3 has the thread: it is raised, and the process lives on."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

import asplan
from asplan.core.limits import hold_interrupts, is_interrupted

HEEDS = """
import os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import asplan
REMARK = "p(0). q(t) :- undefined. "
TEXT = REMARK + '''
#program step(t). { occurs(go,t) }. p(t) :- p(t-1), occurs(go,t).
#program check(t). :- query(t), t < 2.'''

def strike(*given):
    signal.raise_signal(signal.SIGINT)

def strike_once(*given, left=[signal.SIGINT]):
    # One that comes later would strike while the process ends.
    if left:
        signal.raise_signal(left.pop())

def struck(owner, name):
    real = getattr(owner, name)
    setattr(owner, name, lambda *given: (strike_once(), real(*given))[1])

class Left:
    def __del__(self):
        strike_once()
"""
LOGGER = "from asplan.program.reading.source import Messages as owner; struck(owner, '__call__')"
MODEL = "from asplan.engines.asp.answer import ModelCollector as owner; struck(owner, 'take')"
OBSERVER = "from asplan.program.ground import Ground as owner; struck(owner, 'rule')"
BY_SAT = "from asplan.engines.sat.completion import Grounded as owner; struck(owner, 'output_atom')"
HARD = """
import itertools, z3
from asplan.problem import Problem
from asplan.engines.run import Run
from asplan.engines.smt.solving import _Solving
from asplan.engines.smt.options import SmtOptions
at = [[z3.Bool(f"at({pigeon},{hole})") for hole in range(14)] for pigeon in range(15)]
shared = [pair for hole in zip(*at) for pair in itertools.combinations(hole, 2)]

def check(solver):
    solver.add(*(z3.Or(*row) for row in at), *(z3.Not(z3.And(*pair)) for pair in shared))
    threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
    _Solving(Run(Problem(), SmtOptions()), z3, None).check(solver)
"""
"""Z3 does not find out within minutes that 15 pigeons do not fit into 14 holes."""

STRUCK = {
    "a logger": (LOGGER, "asplan.solve(text=TEXT.replace('q(t) :-', 'q :-'))"),
    "what takes models": (MODEL, "asplan.solve(text=TEXT, engine='bfs')"),
    "what takes models, in another thread": (MODEL, "asplan.solve(text=TEXT)"),
    "an observer": (OBSERVER, "asplan.solve(text=TEXT, engine='pdr')"),
    "an observer, by sat": (BY_SAT, "asplan.solve(text=TEXT, engine='sat')"),
    "a finalizer": ("", "asplan.solve(text=TEXT, progress=lambda partial: Left())"),
    "a report": ("", "asplan.solve(text=TEXT, progress=strike_once)"),
    "Z3": (HARD, "check(z3.Optimize())"),
    "Z3, a solver": (HARD, "check(z3.SolverFor('QF_FD'))"),
}


@pytest.mark.parametrize("where", STRUCK)
def test_an_interrupt_is_raised_wherever_it_comes(where: str) -> None:
    if "Z3" in where:
        pytest.importorskip("z3")
    if "sat" in where:
        pytest.importorskip("pysat")
    before, call = STRUCK[where]
    tried = f"try:\n    {call}\n    time.sleep(20)\nexcept KeyboardInterrupt:\n    print('raised')"
    code = f"{HEEDS}\n{before}\n{tried}"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stdout, done.stderr) == (0, "raised\n", "")


def test_an_interrupt_is_held_back_to_the_end_of_a_block() -> None:
    """It works with the caller's own handler, and in nested blocks."""
    code = f"""{HEEDS}
from asplan.core.limits import hold_interrupts, is_interrupted
heard = []
signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
with hold_interrupts():
    with hold_interrupts():
        strike()
    assert is_interrupted() and not heard
assert heard == [signal.SIGINT] and not is_interrupted()
strike()
assert len(heard) == 2
signal.signal(signal.SIGINT, signal.SIG_IGN)
with hold_interrupts():
    strike()
    assert not is_interrupted()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_other_threads_see_no_interrupt() -> None:
    seen = []

    def work() -> None:
        with hold_interrupts():
            seen.append(is_interrupted())
            seen.append(asplan.solve("two_cars").horizon)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False, 6]
