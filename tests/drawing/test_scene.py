"""Motion: where objects are interpolate two steps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from asplan.drawing.scene import DrawnShape, ease, interpolate, lift

SHARE = st.floats(0, 1)
RECT = st.tuples(*[st.integers(0, 1000)] * 4).map(lambda n: DrawnShape("rect", n))


@given(RECT, RECT, SHARE)
def test_shapes_of_one_kind_turn_into_each_other(
    old: DrawnShape, new: DrawnShape, share: float
) -> None:
    [(shape, opacity)] = interpolate(old, new, share)
    assert opacity == 1
    for a, b, n in zip(old.numbers, new.numbers, shape.numbers, strict=True):
        assert min(a, b) - 1e-6 <= n <= max(a, b) + 1e-6


@given(RECT, RECT)
def test_motion_begins_and_ends_at_the_steps(old: DrawnShape, new: DrawnShape) -> None:
    assert interpolate(old, new, 0.0) == [(old, 1.0)]
    assert interpolate(old, new, 1.0) == [(new, 1.0)]


def test_shapes_of_different_kinds_fade() -> None:
    circle, triangle = DrawnShape("circle", (9, 9, 5)), DrawnShape("polygon", (0, 0, 9, 0, 9, 9))
    square = DrawnShape("polygon", (0, 0, 9, 0, 9, 9, 0, 9))
    assert interpolate(circle, square, 0.25) == [(circle, 0.75), (square, 0.25)]
    assert interpolate(triangle, square, 0.25) == [(triangle, 0.75), (square, 0.25)]
    assert interpolate(None, circle, 0.25) == [(circle, 0.25)]
    assert interpolate(circle, None, 0.25) == [(circle, 0.75)]
    assert interpolate(circle, None, 1.0) == []
    assert interpolate(None, None, 0.5) == []


@given(SHARE, SHARE)
def test_easing_never_goes_back(x: float, y: float) -> None:
    assert ease(0) == 0
    assert ease(1) == 1
    assert (ease(x) <= ease(y) + 1e-12) == (x <= y + 1e-12) or abs(x - y) < 1e-5


@given(SHARE)
def test_a_slow_start_and_a_slow_end(x: float) -> None:
    assert (ease(x) <= x) == (x <= 0.5) or ease(x) == x


def test_lifting_goes_up_and_comes_down() -> None:
    for shape in (DrawnShape("rect", (0, 80, 9, 9)), DrawnShape("circle", (9, 90, 10))):
        assert lift(shape, 0, 20) == lift(shape, 1, 20) == shape
        assert lift(shape, 0.5, 20).box[1] == 20
    triangle = DrawnShape("polygon", (0, 80, 9, 80, 9, 90))
    assert lift(triangle, 0.5, 20).numbers == (0, 20, 9, 20, 9, 30)
