"""The palette: the colours of objects come out exactly, mixtures nearly."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from asplan.drawing.colours import CLEAR, PALETTE, Palette, rgb

GRADIENT = Image.fromarray(
    np.stack([np.tile(np.arange(256, dtype=np.uint8), (4, 1))] * 3, axis=2), "RGB"
)


def shown(palette: Palette, image: Image.Image) -> np.ndarray:
    return np.array(palette.colours)[palette.indices(image)]


def test_named_colours_are_exact() -> None:
    exact = [rgb(colour) for colour in (*PALETTE, "#d7263d", "#ffffff")]
    palette = Palette(exact, [GRADIENT])
    image = Image.new("RGB", (len(exact), 1))
    image.putdata(exact)
    assert [tuple(colour) for colour in shown(palette, image)[0]] == exact


def test_mixtures_are_near() -> None:
    palette = Palette([(255, 255, 255)], [GRADIENT])
    assert np.abs(shown(palette, GRADIENT) - np.asarray(GRADIENT, dtype=int)).max() <= 4


@given(st.lists(st.tuples(*[st.integers(0, 255)] * 3), min_size=1, max_size=400))
def test_one_index_is_left_for_clear_pixels(colours: list[tuple[int, int, int]]) -> None:
    image = Image.new("RGB", (len(colours), 1))
    image.putdata(colours)
    palette = Palette(colours, [image])
    assert len(palette.colours) <= CLEAR
    assert palette.indices(image).max() < CLEAR
    assert len(palette.table()) == 3 * 256
