"""Shipped files are found by name, also if other domains use the same name."""

from __future__ import annotations

from pathlib import Path

import pytest

from asplan import catalog
from asplan.catalog import ShippedFile, domain_of, find_encoding, only_encoding
from asplan.core.errors import UsageError
from asplan.domains import domains
from asplan.problem import Inputs, load
from asplan.program.reading.unit import read_unit
from asplan.program.syntax import arguments, heads, signature
from conftest import THOROUGH

INSTANCES = [f"{entry.domain}/{entry.name}" for entry in catalog.instances()]
SOME = INSTANCES if THOROUGH else {name.partition("/")[0]: name for name in INSTANCES}.values()
"""One of each folder: others are solved by other tests."""


@pytest.mark.parametrize("name", SOME)
def test_a_shipped_instance_is_of_the_domain_of_its_folder(name: str) -> None:
    """And none needs -e: the folder's only encoding, or the fastest of the domain, is taken."""
    folder = name.partition("/")[0]
    problem = load(Inputs((name,)))
    assert (problem.domain.name if problem.domain else None) == (
        folder if folder in domains() else None
    )
    assert problem.path is not None
    assert problem.path.parent.name == folder


def test_no_two_instances_share_a_name() -> None:
    names = [entry.name for entry in catalog.instances()]
    assert sorted(set(names)) == sorted(names)


def test_an_encoding_without_a_model_serves_a_file_of_ones_own(tmp_path: Path) -> None:
    mine = tmp_path / "mine.lp"
    mine.write_text("disc(1..2). peg(1..3). on(1..2,1). goal(1..2,3).")
    for name in ("hanoi", "hanoi.lp", "hanoi/hanoi"):
        problem = load(Inputs((str(mine),), encoding=name))
        assert (problem.domain, problem.encoding) == (None, "hanoi")


def test_predicates_that_another_domain_knows_too_do_not_matter(tmp_path: Path) -> None:
    mine = tmp_path / "mine.lp"
    mine.write_text("grid(1..2,1..2). disc(1). peg(1..2). on(1,1). goal(1,2).")
    assert load(Inputs((str(mine),), encoding="hanoi")).domain is None


def test_an_instance_of_another_domain_does_not_find_the_encoding() -> None:
    with pytest.raises(UsageError) as error:
        load(Inputs(("two_cars",), encoding="hanoi"))
    assert error.value.message == "unknown encoding 'hanoi'"


@pytest.fixture
def twins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two domains with an encoding of the same name, one of them with another encoding."""
    names = [("a", "layers"), ("b", "layers"), ("b", "classic")]
    entries = [ShippedFile(domain, name, Path(f"{domain}/{name}.lp")) for domain, name in names]
    monkeypatch.setattr(catalog, "encodings", lambda: entries)


@pytest.mark.usefixtures("twins")
def test_encodings_of_the_same_name() -> None:
    assert find_encoding("layers", "b").domain == "b"
    assert find_encoding("a/layers", None).domain == "a"
    assert domain_of([], "layers") is None
    assert domain_of([], "classic") == domain_of([], "b/layers") == "b"
    with pytest.raises(UsageError) as error:
        find_encoding("layers", None)
    assert str(error.value) == ("several encodings are named layers\n  use a/layers or b/layers")


@pytest.mark.usefixtures("twins")
def test_a_folder_with_one_encoding_needs_no_name() -> None:
    assert only_encoding("a").name == "layers"
    with pytest.raises(UsageError) as error:
        only_encoding("b")
    assert str(error.value) == ("b needs an encoding; there are: layers, classic\n  add -e NAME")


def test_time_has_one_place() -> None:
    """Time is the first argument of fluents, and the last one of occurs and holds.

    Programs as published have it where their source has it.
    """
    for entry in catalog.encodings():
        if entry.name.endswith("_published"):
            continue
        for section in read_unit(str(entry.path)).sections:
            for atom in (a for s in section.statements for a in heads(s) if section.parameter):
                places = [i for i, a in enumerate(arguments(atom)) if str(a) == section.parameter]
                reified = signature(atom)[1] in ("occurs", "holds")
                right = len(arguments(atom)) - 1 if reified else 0
                assert not places or places[0] == right, (entry.path, str(atom))
