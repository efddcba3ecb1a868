"""The gallery of the site shows all that is drawn."""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

sys.path.append(str(Path(__file__).parents[1] / "scripts"))
from gallery import EXHIBITS, ROOT, SIZE, Exhibit

SHIPPED = ("encodings", "instances", "templates")


def test_all_drawing_rules_that_ship_have_an_exhibit() -> None:
    drawn = {path for folder in SHIPPED for path in (ROOT / folder).rglob("draw.lp")}
    assert {exhibit.rules for exhibit in EXHIBITS} == drawn


def test_an_exhibit_is_an_animation(tmp_path: Path) -> None:
    Exhibit("Two cars", "encodings/rush_hour", "two_cars", "").make(tmp_path / "a.webp")
    with Image.open(tmp_path / "a.webp") as film:
        assert film.n_frames > 6
        assert max(film.size) >= SIZE
