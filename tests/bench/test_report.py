"""Reports: a page in a real browser, Markdown, rows, and files that are whole."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from made_results import a_start, failed, large, late, results, solved, written
from markdown_it import MarkdownIt

import asplan
from asplan.bench.records import FILE, Results
from asplan.bench.reports.contents import escape_markdown
from asplan.bench.reports.report import WrittenReport, write_report
from asplan.core.installing import pip_install
from asplan.core.limits import Stop
from conftest import requests_of

ATTACK = '</td><script>alert(1)</script><img src=x onerror="alert(2)">'
NAMES = (ATTACK, "'\"&", "a\nb\x1b[2J", "=1+1", "**b** [x](y) `c` |d| $e$ <i> https://x.org")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = written(tmp_path_factory.mktemp("results"), large())
    write_report(made)
    return made


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = written(tmp_path_factory.mktemp("hostile"), attack())
    write_report(made)
    return made


def attack() -> Results:
    start = a_start(
        NAMES,
        NAMES,
        name=ATTACK,
        groups=dict.fromkeys(NAMES, ATTACK),
        files={ATTACK: ATTACK},
        machine={ATTACK: ATTACK},
        versions={ATTACK: ATTACK},
        begun=ATTACK,
    )
    records = [
        *(
            solved(i, m, 0.5, horizon=5 + n, host=ATTACK)
            for i in NAMES
            for n, m in enumerate(NAMES)
        ),
        *(failed(i, m, ATTACK, repetition=1, invalid=True) for i in NAMES for m in NAMES),
        *(late(i, m, repetition=2, reason=ATTACK) for i in NAMES for m in NAMES),
        solved(NAMES[0], "another", 1.0, repetition=7),
    ]
    return results(records, start)


class Page:
    """A report in the browser."""

    def __init__(self, browser: Any, path: Path, width: int) -> None:
        self.browser = browser
        for log in ("performance", "browser"):
            browser.get_log(log)
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(path.as_uri())

    def all(self, selector: str) -> list[Any]:
        return list(self.browser.find_elements("css selector", selector))

    def texts(self, selector: str) -> list[str]:
        return [one.text for one in self.all(selector)]

    def run(self, script: str) -> Any:
        return self.browser.execute_script(f"return {script}")

    def check(self) -> None:
        """Check all that holds for every page."""
        assert self.browser.get_log("browser") == []
        schemes = [url.partition(":")[0] for url in requests_of(self.browser)]
        assert schemes.count("file") == 1
        assert {*schemes} <= {"file", "data"}
        images = self.run(
            "[...document.images].map(i => [i.complete, i.naturalWidth, i.clientWidth, "
            "i.clientHeight, i.alt.length])"
        )
        assert images
        assert all(done and min(sizes) > 0 for done, *sizes in images)
        assert self.run("document.documentElement.scrollWidth <= window.innerWidth")
        assert self.run("document.scripts.length") == 0


@pytest.fixture(params=[1200, 360])
def width(request: pytest.FixtureRequest, browser: Any) -> Iterator[int]:
    yield request.param
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_page_shows_disagreements_tables_and_charts(
    browser: Any, folder: Path, width: int
) -> None:
    page = Page(browser, folder / "report.html", width)
    page.check()
    assert page.texts("h1") == ["small"]
    assert page.texts(".lead") == [
        "3 methods on 40 instances, 360 trials; compared by CPU time, with a limit of 60 s for "
        "each trial. asplan's rewriting of programs was on for origin, frontier, sat."
    ]
    assert page.texts(".wrong li") == [
        "card08, invalid plan: sat: step 3: move(b,down,1) is blocked",
        "card21, solvable or not: no plan according to origin; a plan by frontier and sat",
        "card16, different optimum: proven best: 23 steps by origin and sat, 25 steps by frontier",
    ]
    assert page.texts("h2")[:4] == ["3 disagreements", "Methods", "Charts", "Instances"]
    assert len(page.all("figure img")) == 6
    # Red on both grounds: far more of it than of the other two.
    colour = page.run("getComputedStyle(document.querySelector('.wrong h2')).color")
    red, green, blue = map(int, re.findall(r"\d+", colour))
    assert red > 150
    assert red > max(green, blue) + 80
    top = page.run("document.querySelector('.wrong').getBoundingClientRect().top")
    assert top < 200
    # Tables wider than a phone scroll in their own boxes.
    assert page.run(
        "[...document.querySelectorAll('.wide')].every(b => b.clientWidth < innerWidth)"
    )
    assert len(page.all("table tbody tr")) >= 3 + 40


def test_the_page_shows_hostile_names_as_text(browser: Any, hostile: Path, width: int) -> None:
    page = Page(browser, hostile / "report.html", width)
    page.check()
    assert page.texts("h1") == [ATTACK]
    assert page.all("img[src=x]") == []
    assert [one for one in page.texts(".wide th") if one == ATTACK] == [ATTACK]


def test_the_page_has_no_external_links(folder: Path) -> None:
    class Links(HTMLParser):
        found: list[str] = []  # noqa: RUF012

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.found += [v or "" for name, v in attrs if name in ("src", "href", "srcset")]

    links = Links()
    links.feed((folder / "report.html").read_text())
    assert links.found
    assert all(link.startswith("data:image/svg+xml;base64,") for link in links.found)


def test_a_report_without_disagreements_states_it(tmp_path: Path) -> None:
    made = write_report(
        written(tmp_path, results([solved("i1", "a", 1.0), solved("i1", "b", 2.0)]))
    )
    assert made.disagreements == ()
    text = "No disagreements, and no invalid plan."
    assert text in (tmp_path / "report.html").read_text()
    assert text in (tmp_path / "report.md").read_text()
    assert "<section class=wrong>" not in (tmp_path / "report.html").read_text()


def test_the_markdown_has_all_parts_of_the_page(folder: Path) -> None:
    text = (folder / "report.md").read_text()
    assert text.startswith("# small\n\n3 methods on 40 instances, 360 trials; ")
    assert text.index("## Disagreements") < text.index("## Methods") < text.index("## Charts")
    lines = text.splitlines()
    head = lines.index(
        "| method | trials | failed | solved | optimal | PAR-2 \\[s\\] | median \\[s\\] | ratio | "
        "95 % interval | area |"
    )
    assert lines[head + 1] == "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    assert lines[head + 2].startswith("| origin | 120 | 0 | ")
    linked = re.findall(r"\]\((.*?)\)", text)
    assert linked
    assert all((folder / path).is_file() for path in linked)


def test_the_markdown_shows_hostile_names_as_text(hostile: Path) -> None:
    """Every table has the columns that it should, and no name is more than text."""
    text = (hostile / "report.md").read_text()
    assert "\x1b" not in text
    for block in text.split("\n\n"):
        if block.startswith("|"):
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1
    shown = MarkdownIt("commonmark", {"linkify": False}).enable("table").parse(text)
    inner = [token for one in shown for token in [one, *(one.children or ())]]
    assert not [token for token in inner if token.type.startswith(("html", "code", "link"))]
    pictures = [token.attrGet("src") for token in inner if token.type == "image"]
    assert pictures
    assert all(str(source).startswith("charts/") for source in pictures)
    cells = {one.content for one in shown if one.type == "inline"}
    assert escape_markdown(ATTACK) in cells


def test_the_table_of_instances_marks_the_best_values(tmp_path: Path) -> None:
    records = [
        *(solved("i1", "a", 1.001), solved("i1", "b", 1.002), solved("i1", "c", 2.0)),
        *(late("i2", "a"), failed("i2", "b"), solved("i2", "c", 3.0)),
        *(failed("i3", "a", "no", invalid=True), solved("i3", "b", None)),
    ]
    start = a_start(("a", "b", "c"), ("i1", "i2", "i3", "i4"), groups={"i1": "g"})
    write_report(written(tmp_path, results(records, start)))
    text = (tmp_path / "report.md").read_text().partition("## Instances\n\n")[2]
    assert text.partition("\n\n")[0].splitlines() == [
        "| instance | group | a | b | c |",
        "|---|---|---:|---:|---:|",
        "| i1 | g | **1.00** | **1.00** | 2.00 |",
        "| i2 |  | time | error | **3.00** |",
        "| i3 |  | invalid | – | – |",
        "| i4 |  | – | – | – |",
    ]
    ended = text.partition("## Trials without an answer\n\n")[2].splitlines()[2:]
    assert ended == [
        "| i2 | a | time limit of 10 s reached while solving | 1 |",
        "| i2 | b | no memory | 1 |",
        "| i3 | a | no | 1 |",
    ]


def test_trials_that_end_at_the_same_limit_share_a_row(tmp_path: Path) -> None:
    """The horizons that they reached differ."""
    reached = [f"time limit of 10 s reached at horizon {n}, while solving" for n in (7, 8, 8)]
    records = [
        *(late("i1", "a", repetition=n, reason=text) for n, text in enumerate(reached)),
        late("i1", "a", repetition=3, stopped=Stop.MEMORY, reason=""),
        late("i1", "b", stopped=None, reason="states run out"),
        late("i1", "b", stopped=None, reason="", repetition=1),
    ]
    write_report(written(tmp_path, results(records, a_start(("a", "b"), ("i1",)))))
    text = (tmp_path / "report.md").read_text().partition("## Trials without an answer\n\n")[2]
    assert text.splitlines()[2:] == [
        "| i1 | a | time limit of 10 s reached at horizon … | 3 |",
        "| i1 | a | memory limit | 1 |",
        "| i1 | b | no answer: states run out | 1 |",
        "| i1 | b | no answer | 1 |",
    ]


def test_escaped_markdown_is_plain_text() -> None:
    assert escape_markdown("# a\n- b | c") == "# a - b \\| c"
    assert escape_markdown("http://x www.y a@b.c <d>") == "http:\\//x www\\.y a\\@b.c \\<d\\>"


def test_the_csv_has_all_records_and_groups(folder: Path) -> None:
    with (folder / "runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    kept = [json.loads(line) for line in (folder / FILE).read_text().splitlines()[1:]]
    assert len(rows) == len(kept) == 360
    for row, record in zip(rows, kept, strict=True):
        assert row["group"] == ("easy" if record["instance"] <= "card20" else "hard")
        for name, value in record.items():
            if name != "kind":
                assert row[name] == ("" if value is None else str(value)), name
    assert {*rows[0]} == {"group", *kept[0]} - {"kind"}


def test_the_csv_keeps_names_unchanged(hostile: Path, tmp_path: Path) -> None:
    """Programs that read the file must not take names for formulas."""
    with (hostile / "runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["instance"] for row in rows} == {*NAMES}
    costs = [solved("i1", "a", 1.0, cost=[1, 2], optimized="cost", horizon=None)]
    write_report(written(tmp_path, results(costs)))
    with (tmp_path / "runs.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["cost"], row["horizon"], row["outcome"]) == ("[1, 2]", "", "optimal")


def test_a_report_writes_no_other_files(folder: Path) -> None:
    names = ["box", "cactus", "coverage", "ranks", "scatter-1-2", "scatter-1-3"]
    charts = {f"charts/{name}.{suffix}" for name in names for suffix in ("png", "svg")}
    found = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert found == charts | {"report.html", "report.md", "runs.csv", FILE}


def test_a_report_is_the_same_each_time(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    write_report(folder / FILE)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_report_follows_baseline_measure_and_pairs(tmp_path: Path) -> None:
    written(tmp_path, large(("a", "b", "c"), 6, 1, flaws=False))
    write_report(tmp_path, baseline="b", by="memory", pairs=[("a", "c"), ("b", "a")])
    charts = {path.stem for path in (tmp_path / "charts").glob("scatter*.svg")}
    assert charts == {"scatter-2-1", "scatter-2-3", "scatter-1-3"}
    text = (tmp_path / "report.md").read_text()
    assert "compared by memory." in text
    assert "PAR-2" not in text
    row = next(line for line in text.splitlines() if line.startswith("| b | 6 |"))
    assert "| 1 | baseline |" in row


REFUSED = {
    "a method": (
        {"baseline": "origins"},
        "the results have no method 'origins'\n  did you mean origin?",
    ),
    "of a pair": (
        {"pairs": [("origin", "x")]},
        "the results have no method 'x'\n  known methods: frontier, origin, sat",
    ),
    "a measure": ({"by": "cpus"}, "no measure 'cpus'\n  did you mean cpu?"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_unknown_methods_and_measures_are_refused(name: str, folder: Path) -> None:
    given, said = REFUSED[name]
    with pytest.raises(asplan.UsageError) as caught:
        write_report(folder, **given)
    assert str(caught.value) == said


def test_imports_need_no_extra() -> None:
    script = "import asplan.cli.bench, asplan.cli.bench, sys; "
    script += "import asplan.bench.reports.report; "
    script += "print({'pandas', 'scipy', 'matplotlib'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("set()\n", "")


@pytest.mark.parametrize(("module", "package"), [("pandas", "pandas"), ("scipy.stats", "scipy")])
def test_missing_packages_are_named_and_nothing_is_written(
    module: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, large(("a", "b"), 4, 1, flaws=False))
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(asplan.MissingExtra) as caught:
        write_report(tmp_path)
    assert str(caught.value) == (
        f"the statistics of benchmarks need {package}, which is not installed\n"
        f"  {pip_install('bench')}"
    )
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_the_tables_of_the_page_are_html(folder: Path) -> None:
    page = (folder / "report.html").read_text()
    assert page.count("<table>") == page.count("<tbody>") == 4
    assert "---" not in page


def test_trials_outside_of_a_methods_groups_are_not_missing(tmp_path: Path) -> None:
    start = a_start({"a": {}, "b": {"on": ["x"]}}, ("i1", "i2"), groups={"i1": "x"})
    records = [solved("i1", "a", 1.0), solved("i1", "b", 1.0), solved("i2", "a", 2.0)]
    write_report(written(tmp_path, results(records, start)))
    assert "no trial yet" not in (tmp_path / "report.md").read_text()


def test_a_torn_line_is_a_warning(tmp_path: Path) -> None:
    found = large(("a", "b"), 4, 1, flaws=False)
    made: WrittenReport = write_report(written(tmp_path, found, torn='{"kind":"run","inst'))
    said = 'The last line of runs.jsonl was cut off and is left out: {"kind":"run","inst'
    assert made.warnings == (said,)
    assert said.replace('"', "&quot;") in (tmp_path / "report.html").read_text()


def test_changes_between_runs_are_remarks(tmp_path: Path) -> None:
    one = a_start(("a",), ("i1", "i2"), machine={"cores": "2"}, versions={"clingo": "5.8"})
    two = a_start(("a",), ("i1", "i2"), machine={"cores": "4"}, versions={"clingo": "5.8"})
    write_report(written(tmp_path, Results((one, two), (solved("i1", "a", 1.0),))))
    text = (tmp_path / "report.md").read_text()
    assert "- The run was continued 1 time." in text
    assert "- Before the run was continued, this changed: cores. Trials may not compare." in text
    assert "- 1 pair of method and instance have no trial yet." in text


def test_a_report_is_written_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    """The last file cannot be written, so the first is not there either."""
    written(tmp_path, large(("a", "b"), 4, 1, flaws=False))
    (tmp_path / "charts" / "scatter-1-2.svg").mkdir(parents=True)
    with pytest.raises(asplan.UsageError) as caught:
        write_report(tmp_path)
    blocked = tmp_path / "charts" / "scatter-1-2.svg"
    assert str(caught.value) == f"cannot write {blocked}: it is a folder"
    left = {path.name for path in tmp_path.rglob("*")}
    assert left == {FILE, "charts", "scatter-1-2.svg"}


def test_a_file_called_charts_is_reported(tmp_path: Path) -> None:
    written(tmp_path, large(("a", "b"), 4, 1, flaws=False))
    (tmp_path / "charts").write_text("")
    with pytest.raises(asplan.UsageError) as caught:
        write_report(tmp_path)
    assert str(caught.value) == f"{tmp_path / 'charts'}: File exists"


LOOKS = """
const style = (selector) => getComputedStyle(document.querySelector(selector));
const lines = (node, from, to) => {
  const range = document.createRange();
  range.setStart(node, from);
  range.setEnd(node, to);
  return new Set([...range.getClientRects()].map((box) => box.top)).size;
};
const broken = [];
for (const head of document.querySelectorAll("h1, h2, h3, th")) {
  const walker = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    for (const word of walker.currentNode.data.matchAll(/[^\\s-]+/g)) {
      const end = word.index + word[0].length;
      if (lines(walker.currentNode, word.index, end) > 1) broken.push(word[0]);
    }
  }
}
const tables = [...document.querySelectorAll(".wide")].filter((e) => e.scrollWidth > e.clientWidth);
return {
  wide: document.documentElement.scrollWidth, broken, tables: tables.length,
  shadows: tables.filter((e) => getComputedStyle(e).backgroundImage.includes("gradient")).length,
  ground: style("body").backgroundColor, chart: style(".charts img").filter,
};
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_a_telephone_and_a_dark_room(
    width: int, scheme: str, browser: Any, window: Callable[[int, str], None], folder: Path
) -> None:
    window(width, scheme)
    browser.get((folder / "report.html").as_uri())
    looks = browser.execute_script(LOOKS)
    assert looks["wide"] <= width
    assert looks["broken"] == []
    assert looks["shadows"] == looks["tables"]
    assert looks["tables"] > 0 or width > 1000
    assert (looks["ground"] == "rgb(255, 255, 255)") == (scheme == "light")
    assert (looks["chart"] == "none") == (scheme == "light")
