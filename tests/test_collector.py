"""The pauses of the garbage collector, and its state after runs."""

from __future__ import annotations

import gc

import pytest

import asplan
from asplan.core.errors import InputError
from asplan.core.limits import pause_collector


def test_a_pause_ends_at_an_error() -> None:
    with pytest.raises(StopIteration), pause_collector():
        next(iter(()))
    assert gc.isenabled()


def test_a_pause_within_a_pause_does_not_end_it() -> None:
    with pause_collector():
        with pause_collector():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_the_caller_has_switched_off_stays_off() -> None:
    gc.disable()
    try:
        assert asplan.solve("two_cars").outcome == "optimal"
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_run_in_the_caller_leaves_the_collector_as_it_was() -> None:
    frozen = gc.get_freeze_count()
    assert asplan.solve("two_cars").outcome == "optimal"
    with pytest.raises(InputError):
        asplan.solve(text="a(")
    assert gc.isenabled()
    assert gc.get_freeze_count() <= frozen
