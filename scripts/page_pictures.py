"""Photographs pages for docs/ and the README: a puzzle that is played, and the studio.

    python scripts/page_pictures.py [play] [studio] [-o docs]

The pages are shown by Chromium without a window (Debian: chromium, chromium-driver), with selenium.
A picture changes with the fonts of the machine, so it is made anew where a page looks otherwise.
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
        page.find_elements("css selector", "#steps td button")[3].click()
        page.find_element("css selector", "#state ins .ask").click()
        page.execute_script("window.scrollTo(0, 0)")
        save(page, file)
        process.send_signal(signal.SIGINT)


PICTURES = {"play": play, "studio": studio}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    parser.add_argument("-o", "--output", type=Path, default=Path("docs"), metavar="FOLDER")
    given = parser.parse_args()
    for name in given.names or PICTURES:
        PICTURES[name](given.output / f"{name}.png")


if __name__ == "__main__":
    main()
