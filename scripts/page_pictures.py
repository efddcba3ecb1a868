"""Pictures of asplan's web pages for docs/ and the README.

    python scripts/page_pictures.py [play] [studio] [grading] [submission] [bench_report] [why]
        [-o docs]

Chromium shows the pages without a window (Debian: chromium, chromium-driver), driven by selenium.
A picture depends on the fonts of the machine, so make one again only if its page has changed.
"""

from __future__ import annotations

import argparse
import io
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from selenium import webdriver

ASPLAN = (sys.executable, "-m", "asplan")
SECONDS = 120.0


@contextmanager
def browser(width: int, height: int) -> Iterator[Any]:
    """A browser with a window of this size."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
    with webdriver.Chrome(options=options, service=service) as found:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        found.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        yield found


def wait(condition: Callable[[], object]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the page does not show what is to be seen")
        time.sleep(0.05)


def save(page: Any, file: Path) -> None:
    """Save what the browser shows, in few colours."""
    time.sleep(0.6)  # what moves comes to rest
    picture = Image.open(io.BytesIO(page.get_screenshot_as_png())).convert("RGB")
    picture.quantize(128, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"wrote {file}")


def play(file: Path) -> None:
    """A board on its way to the goal, with a hint."""
    with tempfile.TemporaryDirectory() as folder, browser(1120, 760) as page:
        made = Path(folder) / "play.html"
        subprocess.run([*ASPLAN, "play", "sample02", "-o", made], check=True)
        page.get(made.as_uri())
        wait(lambda: page.execute_script("return document.body.dataset.ready"))
        for _ in range(9 * 2 + 1):  # the second press does what the first one shows
            page.find_element("id", "hint").click()
        save(page, file)


def studio(file: Path) -> None:
    """A plan, and why an atom holds at one of its steps."""
    command = [*ASPLAN, "studio", "three_and_five"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process,
        browser(1280, 1080) as page,
    ):
        assert process.stdout is not None
        page.get(re.findall(r"http\S+", process.stdout.readline())[0])
        wait(lambda: page.find_elements("css selector", "#state .ask, .cm-bars i"))
        wait(lambda: page.find_element("id", "stop").get_property("disabled"))
        page.find_elements("css selector", "#steps td:first-child button")[3].click()
        page.find_element("css selector", "#state ins .ask").click()
        page.execute_script("window.scrollTo(0, 0)")
        save(page, file)
        process.send_signal(signal.SIGINT)


def grading(file: Path) -> None:
    """Save a picture of the marks of a class."""
    photograph(_grade_command(), "marks.html", file, 1000, 900)


def submission(file: Path) -> None:
    """Save a picture of the page of a submission, with its plans beside shortest plans."""
    with tempfile.TemporaryDirectory() as folder, browser(1000, 600) as page:
        made = Path(folder) / "marks"
        subprocess.run([*_grade_command(), "-o", made], check=True)
        page.get((made / "emil.html").as_uri())
        page.execute_script("document.querySelectorAll('h2')[1].scrollIntoView()")
        save(page, file)


def _grade_command() -> list[Any]:
    folder = Path("tests/grading")
    names = ("ada", "emil", "felix", "hanna")
    submissions = [folder / "submissions" / f"{name}.lp" for name in names]
    return [*ASPLAN, "grade", "rush_hour", *submissions, "--instances", folder / "boards"]


def bench_report(file: Path) -> None:
    """Save a picture of the report of a benchmark."""
    with tempfile.TemporaryDirectory() as folder, browser(1100, 900) as page:
        subprocess.run([*ASPLAN, "bench", "run", "quick", "-o", folder], check=True)
        subprocess.run([*ASPLAN, "bench", "report", folder], check=True)
        page.get((Path(folder) / "report.html").as_uri())
        page.execute_script("document.querySelector('h2').scrollIntoView()")
        save(page, file)


def why(file: Path) -> None:
    """Save a picture of a plan's page that explains an atom."""
    encoding = Path("docs/broken/right.lp")
    with tempfile.TemporaryDirectory() as folder, browser(1000, 900) as page:
        made = Path(folder) / "plan.html"
        command = [*ASPLAN, "solve", encoding, "-o", made, "--explain"]
        subprocess.run(command, check=True)
        page.get(made.as_uri())
        wait(lambda: page.find_elements("css selector", "#fluents .ask"))
        page.find_element("id", "last").click()
        wait(lambda: page.find_element("id", "holds").text == "State 5")
        page.find_element("css selector", "#fluents ins .ask").click()
        for _ in range(3):
            page.execute_script(
                "for (const d of document.querySelectorAll('#why details')) d.open = 1"
            )
            time.sleep(0.2)
        save(page, file)


def photograph(command: list[Any], name: str, file: Path, width: int, height: int) -> None:
    """Save a picture of the page that a command writes into the file behind `-o`."""
    with tempfile.TemporaryDirectory() as folder, browser(width, height) as page:
        made = Path(folder) / name
        subprocess.run([*command, "-o", made], check=True)
        page.get(made.as_uri())
        save(page, file)


PICTURES = {
    "play": play,
    "studio": studio,
    "grading": grading,
    "submission": submission,
    "bench_report": bench_report,
    "why": why,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    parser.add_argument("-o", "--output", type=Path, default=Path("docs"), metavar="FOLDER")
    given = parser.parse_args()
    for name in given.names or PICTURES:
        PICTURES[name](given.output / f"{name}.png")


if __name__ == "__main__":
    main()
