"""Tests of the progress that the answers of the horizon loop are folded into."""

from __future__ import annotations

from asplan.engines.asp.answer import Answer
from asplan.engines.asp.progress import Progress


def test_bounds_only_grow() -> None:
    progress = Progress().refute_below(3)
    assert progress.refuted == 3
    assert progress.refute_below(2) == progress
    assert Progress(refuted=5).start_from(2).refuted == 5
    assert Progress(refuted=1).start_from(4).exact == 4


def test_refutations_beyond_the_exact_ones_rely_on_monotone_steps() -> None:
    exact = Progress(refuted=2, exact=2)
    assert not exact.relies_on_monotone
    assert exact.refute_below(3).relies_on_monotone


def test_a_plan_of_the_fewest_steps_that_the_program_states_needs_no_refutation() -> None:
    progress = Progress().start_from(4)
    assert not progress.rests_on_least
    assert progress.find_plan(4, Answer(True)).rests_on_least
    assert not progress.find_plan(5, Answer(True)).rests_on_least


def test_an_answer_replaces_the_progress_and_leaves_the_former_one() -> None:
    before = Progress(refuted=2)
    after = before.find_goal(2).find_plan(2, Answer(True, cut=True))
    assert (before.goal_at, before.best) == (None, None)
    assert after.goal_at == 2
    assert after.is_cut
