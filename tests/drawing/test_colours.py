"""The default colours stay apart for everyone, and labels can be read on them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from asplan.core.figures import COLOURS
from asplan.drawing.colours import PALETTE, parse_colour, readable_on, rgb

Array = npt.NDArray[np.float64]

# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
# Deficiency", IEEE TVCG 15(6), 2009: severity 1.0, applied to linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
# Ottosson, "A perceptual color space for image processing", 2020.
LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear(colour: str) -> Array:
    parts = np.array(rgb(colour)) / 255
    return np.asarray(np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4))


def oklab(colour: str, vision: Array) -> Array:
    seen = np.clip(vision @ linear(colour), 0, 1)
    return np.asarray(LAB @ np.cbrt(LMS @ seen))


@pytest.mark.parametrize("vision", VISION)
def test_fifteen_colours_and_red_stay_apart(vision: str) -> None:
    assert len(PALETTE) == 15
    check_apart([*PALETTE, "#d7263d"], vision, 0.076)


@pytest.mark.parametrize("vision", VISION)
def test_the_colours_of_charts_stay_apart(vision: str) -> None:
    check_apart(COLOURS, vision, 0.051)


def check_apart(colours: Sequence[str], vision: str, least: float) -> None:
    seen = {colour: oklab(colour, VISION[vision]) for colour in colours}
    distances = {
        (one, other): np.linalg.norm(seen[one] - seen[other])
        for one, other in combinations(colours, 2)
    }
    assert min(distances.values()) >= least, min(distances, key=lambda pair: distances[pair])


def contrast(one: str, other: str) -> float:
    bright, dark = sorted(
        (float(linear(c) @ np.array([0.2126, 0.7152, 0.0722])) for c in (one, other)), reverse=True
    )
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colour", [*PALETTE, "#d7263d", "#000000", "#ffffff", "#808080"])
def test_labels_contrast_with_their_fill(colour: str) -> None:
    """WCAG 2.2 requires 3 to 1 for large letters."""
    assert contrast(colour, readable_on(colour)) >= 3.9


PARSED = {
    "teal": "#008080",
    "rebeccapurple": "#663399",
    "#0aF": "#00aaff",
    "#FF8800": "#ff8800",
    "none": "none",
}


@pytest.mark.parametrize("text", PARSED)
def test_colours_are_read_by_name_and_number(text: str) -> None:
    assert parse_colour(text) == PARSED[text]


@pytest.mark.parametrize("text", ["", "Teal ", "#12", "#ff880", "#gggggg", "rgb(1,2,3)", "#ffff"])
def test_wrong_colours_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="#ff8800"):
        parse_colour(text)
