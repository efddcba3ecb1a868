"""A domain of another package: built, installed, and used like asplan's own.

The package is the project in the folder `lights_out`. Its model and its encoding share no code, so
each is the other's oracle. The guide docs/domains.md shows parts of it, and a smaller domain, which
is run as it stands there.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import asplan
from asplan.domains import Domain, domains
from asplan.domains.model import Model
from asplan.problem import Inputs, load
from conftest import crossed, run

PROJECT = Path(__file__).parent / "lights_out"
GUIDE = Path(__file__).parents[2] / "docs" / "domains.md"

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package, as pip installs it."""
    folder = tmp_path_factory.mktemp("site")
    # Where the build backend is not installed, pip gets it as it did for asplan itself.
    here = ["--no-build-isolation"] if find_spec("hatchling") else []
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", *here, "--target", str(folder), str(PROJECT)], check=True)
    return folder


@pytest.fixture
def command(site: Path, tmp_path: Path) -> Command:
    """Runs asplan where the package is installed, in a folder of its own."""
    return lambda *words: run(*words, env=beside(site), cwd=tmp_path)


def beside(*folders: Path) -> dict[str, str]:
    """The environment of a process that imports from some folders, too."""
    path = [*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


@pytest.fixture
def imported(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Domain]:
    """The domain of the package, which this process knows for the time of a test."""
    monkeypatch.syspath_prepend(site)
    domains.cache_clear()
    yield domains()["lights_out"]
    domains.cache_clear()


def shipped(suffix: str) -> dict[str, str]:
    """The title of each instance or encoding of the package, by name."""
    files = (PROJECT / "src" / "lights_out" / suffix).glob("*.lp")
    return {file.stem: file.read_text().splitlines()[0].removeprefix("% ") for file in files}


INSTANCES = shipped("instances")


def stated(name: str, wrap: str) -> int | None:
    """The length of a shortest plan that the header of an instance states; None for no plan."""
    found = re.search(r"shortest plan (\d+) presses, with wrap=yes (\d+|none)", INSTANCES[name])
    assert found
    text = found[2 if wrap == "yes" else 1]
    return None if text == "none" else int(text)


# What the package brings, as the commands show it.


def test_list_shows_the_parts_of_the_package(command: Command, site: Path) -> None:
    listed = json.loads(command("list", "--json").stdout)
    own = {
        kind: [row for row in rows if row.get("domain") == "lights_out"]
        for kind, rows in listed.items()
    }
    encodings = {name: title for name, title in shipped("encodings").items() if name != "draw"}
    assert {row["name"]: row["about"] for row in own["encodings"]} == encodings
    assert {row["name"]: row["about"] for row in own["instances"]} == INSTANCES
    assert [row["name"] for row in own["heuristics"]] == ["fifth", "zero"]
    for row in own["encodings"] + own["instances"]:
        assert Path(row["path"]).is_relative_to(site)
    assert len(listed["encodings"]) > len(encodings)  # asplan's own are there as before


VARIANTS = [("corners", "no"), ("corners", "yes"), ("centre", "yes")]


@pytest.mark.parametrize(("variant", "engine"), crossed(VARIANTS, ["asp", "bfs", "astar"]))
def test_solve(command: Command, variant: tuple[str, str], engine: str) -> None:
    name, wrap = variant
    words = ["--wrap", wrap, "--engine", engine, "--max-horizon", "20", "--json"]
    done = command("solve", name, *words)
    found = json.loads(done.stdout)
    assert (found["domain"], found["constants"]) == ("lights_out", {"wrap": wrap})
    length = stated(name, wrap)
    assert found["horizon"] == length
    if length is None:
        assert (done.returncode, found["outcome"]) == (3, "unsolvable")
    else:
        assert (done.returncode, found["outcome"]) == (0, "optimal")
        assert (len(found["plan"]), found["validated"]) == (length, "model")


def test_solve_prints_boards(command: Command) -> None:
    """Without an option the encoding is the only one, and the variant the first."""
    shown = command("solve", "lights_out/corners").stdout
    assert "lights_out · corners · presses · asp · wrap=no" in shown
    assert "│ o . o    │ │ . . .     │" in shown
    assert "plan checked: replayed in the domain's own model" in shown


REFUSED = [
    (["--wrap", "maybe"], "wrap=maybe: wrap must be no or yes in lights_out"),
    (["--wrap", "yes", "-c", "wrap=no"], "--wrap yes contradicts -c wrap=no"),
    (
        ["--engine", "astar", "--heuristic", "manhattan"],
        "lights_out has no heuristic 'manhattan'\n  known heuristics: fifth, zero",
    ),
    (["-e", "origin"], "unknown encoding 'origin'\n  known encodings: presses; see asplan list"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED)
def test_unknown_facts_are_reported(command: Command, words: list[str], message: str) -> None:
    done = command("solve", "corners", *words)
    assert (done.returncode, done.stderr) == (2, f"asplan: {message}\n")


def test_a_plan_is_validated_and_drawn(command: Command, tmp_path: Path) -> None:
    plan, gif = tmp_path / "plan.json", tmp_path / "plan.gif"
    plan.write_text(command("solve", "corners", "--wrap", "yes", "--json").stdout)
    assert command("validate", "corners", "plan.json").stdout == (
        "valid: the goal holds after step 2 of 2\n"
    )
    assert command("render", "plan.json", "-o", "plan.gif", "--size", "200").returncode == 0
    with Image.open(gif) as drawn:
        assert drawn.n_frames > 10  # type: ignore[attr-defined]
        first = drawn.convert("RGB")
        drawn.seek(drawn.n_frames - 1)  # type: ignore[attr-defined]
        last = drawn.convert("RGB")
    corner, middle = (int(70 * 200 / 340),) * 2, (100, 100)  # a board of 340 units at 200 pixels
    assert first.getpixel(corner) == (0xE9, 0xC4, 0x6A)
    assert last.getpixel(corner) == last.getpixel(middle) == first.getpixel(middle)


def test_analyse(command: Command) -> None:
    """A board of nine lamps where every set of presses makes a board of its own."""
    found = json.loads(command("analyse", "corners", "--json").stdout)
    assert (found["states"], found["goal_states"], found["dead_ends"]) == (512, 1, 0)
    assert found["distances"] == [1, 9, 36, 84, 126, 126, 84, 36, 9, 1]
    assert (found["distance"], found["shortest_plans"]) == (4, "24")
    assert len(found["hardest"]["holds"]) == 5


def test_notation(command: Command, tmp_path: Path) -> None:
    assert command("convert", "corners").stdout == "*-*/---/*-*\n"
    (tmp_path / "boards.txt").write_text("*-*/---/*-*\n*x*\n**/*\n---\n")
    done = command("convert", "boards.txt", "-o", "boards")
    assert (done.returncode, done.stderr.splitlines()) == (
        2,
        [
            "asplan: boards.txt:2:1: 'x' is no lamp",
            "asplan: boards.txt:3:1: the rows are not equally long",
            "asplan: boards.txt:4:1: no lamp is lit",
        ],
    )
    assert (tmp_path / "boards" / "boards-1.lp").read_text() == (
        "% boards.txt, line 1: *-*/---/*-*\n\n"
        "grid(1..3,1..3).\nlit(1,1).  lit(1,3).\nlit(3,1).  lit(3,3).\n"
    )


def test_a_bad_instance(command: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.lp").write_text("grid(1..3,1..3). lit(1,4).")
    done = command("solve", "bad.lp")
    message = "asplan: bad.lp:1:18: lit(1,4): there is no such lamp\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


# What follows runs in this process, which is quicker.


BAD = [
    ("grid(1..3,1..3). lit(a,1).", "<text>:1:18: lit(a,1): a is not a number"),
    ("lit(1,1).", "<text> has no grid\n  add, for example, grid(1..3,1..3)."),
    (
        "grid(1..2,1). grid(1,2). lit(1,1).",
        "<text>:1:1: grid(1,1): the grid has a hole at (2,2)\n"
        "  the lamps fill a rectangle; add that one",
    ),
]


@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize(("facts", "message"), BAD)
def test_bad_instances(facts: str, message: str) -> None:
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(text=facts)
    assert str(caught.value) == message


WRONG = [
    ("press(1,1)", "after step 1 the goal does not hold"),
    ("press(4,1)", "step 1: press(4,1) does not apply: there is no such lamp"),
    ("push(1,1)", "step 1: push(1,1) is no press(Row,Column)"),
    ("press(a,1)", "step 1: press(a,1): a is not a number"),
]


@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize(("action", "message"), WRONG)
def test_wrong_plans(action: str, message: str) -> None:
    with pytest.raises(asplan.InvalidPlan) as caught:
        asplan.validate("corners", plan=asplan.Plan(((action,),)))
    assert str(caught.value) == message


# The model and the encoding, each beside the other.


def board(rows: int, columns: int, lit: set[tuple[int, int]]) -> str:
    """An instance as text."""
    lamps = " ".join(f"lit({row},{column})." for row, column in sorted(lit))
    return f"grid(1..{rows},1..{columns}). {lamps}"


def boards(rows: int, columns: int) -> Iterator[str]:
    """Every instance of a size."""
    cells = list(product(range(1, rows + 1), range(1, columns + 1)))
    for chosen in product([False, True], repeat=len(cells)):
        if any(chosen):
            yield board(rows, columns, {c for c, lit in zip(cells, chosen, strict=True) if lit})


@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize("wrap", ["no", "yes"])
def test_asp_and_bfs_agree_on_small_boards(wrap: str) -> None:
    lengths = []
    for text in [*boards(1, 3), *boards(1, 4), *islice(boards(2, 3), 0, None, 4)]:
        asp, bfs = (
            asplan.solve(text=text, constants={"wrap": wrap}, engine=engine, max_horizon=9)
            for engine in ("asp", "bfs")
        )
        assert (asp.outcome, asp.horizon) == (bfs.outcome, bfs.horizon), text
        lengths.append(asp.horizon)
    assert None in lengths
    assert {1, 2, 3} <= set(lengths)


@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize("wrap", ["no", "yes"])
@pytest.mark.parametrize("name", INSTANCES)
def test_asp_finds_the_length_in_the_header(name: str, wrap: str) -> None:
    result = asplan.solve(f"lights_out/{name}", constants={"wrap": wrap}, max_horizon=20)
    assert result.horizon == stated(name, wrap)


@pytest.mark.parametrize("wrap", ["no", "yes"])
def test_claims_hold_over_whole_state_spaces(imported: Domain, wrap: str) -> None:
    """Each press undoes itself; the heuristics are admissible and consistent."""
    text = board(3, 3, {(1, 2)})
    model = load(Inputs(text=text, constants={"wrap": wrap}), needs_model=True).model
    assert model is not None
    away, layer = {frozenset(): 0}, [frozenset()]
    while layer:
        moves = [(s, a, model.apply(s, a)) for s in layer for a in model.actions(s)]
        assert all(model.apply(after, action) == state for state, action, after in moves)
        new = {after: away[state] + 1 for state, _, after in moves if after not in away}
        away |= new
        layer = list(new)
    assert len(away) == {"no": 512, "yes": 32}[wrap]
    for heuristic in imported.heuristics:
        estimate = heuristic.make(model)
        for state, distance in away.items():
            assert estimate(state) <= distance
            after = (model.apply(state, action) for action in model.actions(state))
            assert all(estimate(state) - estimate(other) <= 1 for other in after)


@pytest.mark.usefixtures("imported")
def test_a_whole_program_may_join_the_domain() -> None:
    """Its plans are checked by the model, so a goal that is too easy is found."""
    program = """
        asplan(domain(lights_out)).
        #program step(t).
        { occurs(press(X,Y),t) : grid(X,Y) } = 1.
        #program check(t).
        :- query(t), t < LENGTH.
        #show occurs/2.
    """
    right = board(1, 2, {(1, 1), (1, 2)}) + program.replace("LENGTH", "1")
    result = asplan.solve(text=right)
    assert (result.outcome, result.horizon, result.validated) == ("optimal", 1, "model")
    with pytest.raises(asplan.InvalidPlan, match=r"^after step 1 the goal does not hold$"):
        asplan.solve(text=right.replace("lit(1,1).", ""))


# Packages that bring something else than a domain.


def package(
    folder: Path, entry: str, modules: dict[str, str], group: str = "asplan.domains"
) -> Path:
    """A folder with an installed package `odd` 2.1, made by hand: an entry point and modules."""
    about = folder / "odd-2.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 2.1\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")
    for name, text in modules.items():
        (folder / name).write_text(text)
    return folder


ODD = [
    (
        "gone = nowhere:DOMAIN",
        {},
        "brings a domain gone, but nowhere:DOMAIN cannot be imported: No module named 'nowhere'",
    ),
    (
        "half = half:DOMAIN",
        {"half.py": "from asplan.domains import Domain\n"},
        "brings a domain half, but half:DOMAIN cannot be imported: "
        "module 'half' has no attribute 'DOMAIN'",
    ),
    (
        "none = none:DOMAIN",
        {"none.py": "DOMAIN = {'name': 'none'}\n"},
        "brings a domain none, but none:DOMAIN is no asplan.domains.Domain",
    ),
    (
        "second = second:DOMAIN",
        {"second.py": "from asplan.domains.rush_hour import DOMAIN\n"},
        "brings a domain rush_hour, which exists already",
    ),
]


@pytest.mark.parametrize(("entry", "modules", "message"), ODD, ids=[odd[0] for odd in ODD])
def test_packages_that_are_refused(
    tmp_path: Path, entry: str, modules: dict[str, str], message: str
) -> None:
    done = run("list", env=beside(package(tmp_path, entry, modules)))
    hint = "repair that package, or remove it: pip uninstall odd"
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        f"asplan: the package odd 2.1 {message}\n  {hint}\n",
    )


FORMAT = """
from asplan.drawing.formats import Format

def write(file, scene, settings, progress):
    names = [thing.name for thing in scene.objects if thing.shapes[settings.steps[0]]]
    file.write(" ".join([scene.title, *sorted(names)]).encode())
    progress(1, 1)

FORMAT = Format(write, frozenset({"step"}))
"""


def test_a_format_of_another_package(tmp_path: Path) -> None:
    """Its suffix chooses it, it has its own settings, and messages name it."""
    found = package(tmp_path, "names = names:FORMAT", {"names.py": FORMAT}, "asplan.formats")
    environment = beside(found)
    done = run("solve", "two_cars", "-o", "plan.names", env=environment, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "asplan: plan.names is written\n")
    names = (tmp_path / "plan.names").read_text().split()
    assert names[0] == "two_cars"
    assert {"b", "r"} <= set(names)
    done = run("solve", "two_cars", "-o", "plan.odd", env=environment, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "asplan: plan.odd: there is no format .odd\n  the suffix chooses the format: .gif, .mp4, "
        ".webm, .webp, .html, .png, .svg, .names, .ipc, .plan, .soln\n",
    )


ODD_FORMATS = [
    ("gone = nowhere:IT", {}, "cannot be imported: No module named 'nowhere'"),
    ("none = none:IT", {"none.py": "IT = 1\n"}, "is no asplan.drawing.formats.Format"),
]


@pytest.mark.parametrize(("entry", "modules", "why"), ODD_FORMATS, ids=["gone", "none"])
def test_formats_that_are_refused(
    tmp_path: Path, entry: str, modules: dict[str, str], why: str
) -> None:
    name, _, place = entry.partition(" = ")
    found = package(tmp_path, entry, modules, "asplan.formats")
    done = run("solve", "two_cars", "-o", f"plan.{name}", env=beside(found), cwd=tmp_path)
    message = f"brings a format {name}, but {place} {why}"
    hint = "repair that package, or remove it: pip uninstall odd"
    assert (done.returncode, done.stderr) == (
        2,
        f"asplan: the package odd 2.1 {message}\n  {hint}\n",
    )


# The guide.


def blocks(language: str) -> dict[str, str]:
    """The code in the guide by the file that its first line names, where it names one."""
    found = re.findall(rf"^```{language}\n(.*?)^```", GUIDE.read_text(), re.M | re.S)
    named = (re.match(r"[#%] (\S+)\n", block) for block in found)
    return {
        name[1] if name else str(number): block
        for number, (name, block) in enumerate(zip(named, found, strict=True))
    }


def test_the_guide_quotes_the_package() -> None:
    parts = {name: text for name, text in blocks("python").items() if "/" in name}
    assert parts
    for name, text in parts.items():
        _, _, part = text.partition("\n")
        assert part in (PROJECT / "src" / name).read_text()


def test_the_guide_speaks_of_every_field_and_member() -> None:
    guide = GUIDE.read_text()
    members = {name for name in vars(Model) if not name.startswith("_")}
    for name in {field.name for field in dataclasses.fields(Domain)}:
        assert f"`{name}`" in guide
    table = "".join(re.findall(r"^\| (`.*?) \|", guide, re.M))
    for name in members:
        assert f"`{name}" in table, name


def test_the_guide_runs(site: Path, tmp_path: Path) -> None:
    """The smallest domain of the guide works, and so does every command."""
    for name, text in (blocks("python") | blocks("prolog")).items():
        if "/" not in name:
            (tmp_path / name).write_text(text)
    (project,) = blocks("toml").values()
    points: dict[str, Any] = tomllib.loads(project)["project"]["entry-points"]["asplan.domains"]
    ((name, value),) = points.items()
    package(tmp_path, f"{name} = {value}", {})
    lines = [line for block in blocks("sh").values() for line in block.splitlines()]
    for line in lines:
        words, _, output = line.partition(" > ")
        done = run(*words.split()[1:], env=beside(tmp_path, site), cwd=tmp_path)
        said = [text for text in done.stderr.splitlines() if " is written" not in text]
        assert (done.returncode, said) == (0, []), line
        if output:
            (tmp_path / output).write_text(done.stdout)
        if line.startswith("asplan solve") and "hundred.lp" in line:
            assert "after 8" in done.stdout
    assert (tmp_path / "corners.gif").exists()
