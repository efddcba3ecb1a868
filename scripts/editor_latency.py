"""The time from the last change of a text to its diagnostics, in a session with `asplan lsp`.

    python scripts/editor_latency.py
    python scripts/editor_latency.py --lines 1000 --changes 50

The text is a program with this many lines. Each change inserts or deletes a character, as an
editor does, once the diagnostics of the change before have come. Then words of five letters are
typed, with 100 ms between two letters, and the time counts from the last letter. On a busy machine,
the processor time of a change says more than the time on the clock.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from editor.client import Client, session

PAUSE = 0.1  # seconds between two letters of a word
REST = 2.0  # seconds between the opening of the file and the first change

HEAD = """\
lamp(1..2).
#program step(t).
{ press(L,t) : lamp(L) } 1.
lit(L,t) :- press(L,t).
lit(L,t) :- lit(L,t-1).
#program check(t).
:- query(t), lamp(L), not lit(L,t).
#show press/2.
#program step(t).
"""


def make_program(lines: int) -> str:
    """Return a correct program with a number of lines, most of which are rules of a step."""
    rules = [
        f"seen{n}(L,t) :- press(L,t), not lit(L,t-1).\n:- seen{n}(L,t), not lamp(L).\n"
        for n in range((lines - HEAD.count("\n")) // 2)
    ]
    return HEAD + "".join(rules)


def measure(client: Client, name: str, changes: int) -> list[float]:
    """Return the seconds between each change and the diagnostics that follow."""
    place = {"line": 3, "character": 12}
    seconds = []
    for number in range(changes):
        is_typed = number % 2 == 0
        end = {**place, "character": 12 if is_typed else 13}
        begin = time.perf_counter()
        client.change(name, "x" if is_typed else "", {"start": place, "end": end})
        found = client.diagnostics(name)
        seconds.append(time.perf_counter() - begin)
        assert bool(found) is is_typed, found
    return seconds


def measure_words(client: Client, name: str, words: int) -> list[float]:
    """Return the seconds between the last letter of each word and the diagnostics of the word."""
    column = 12
    seconds = []
    for _ in range(words):
        for letter in range(5):
            time.sleep(PAUSE)
            place = {"line": 3, "character": column + letter}
            client.change(name, "x", {"start": place, "end": place})
        begin = time.perf_counter()
        while not any("xxxxx" in each["message"] for each in client.diagnostics(name)):
            pass
        seconds.append(time.perf_counter() - begin)
        start = {"line": 3, "character": column}
        client.change(name, "", {"start": start, "end": {**start, "character": column + 5}})
        while client.diagnostics(name):
            pass
    return seconds


def used_by(process: psutil.Process) -> float:
    """Return the seconds of processor time that a process and its descendants have used."""
    used = 0.0
    for each in (process, *process.children(recursive=True)):
        with suppress(psutil.Error):
            times = each.cpu_times()
            used += times.user + times.system + times.children_user + times.children_system
    return used


def shown(seconds: list[float]) -> str:
    median = statistics.median(seconds)
    return f"median {1000 * median:.0f} ms, worst {1000 * max(seconds):.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=400)
    parser.add_argument("--changes", type=int, default=40)
    given = parser.parse_args()
    text = make_program(given.lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.lp"
        path.write_text(text)
        with session(Path(folder)) as client:
            assert client.open(path.name) == []
            time.sleep(REST)
            server = psutil.Process(client.process.pid)
            before = used_by(server)
            changes = measure(client, path.name, given.changes)
            used = (used_by(server) - before) / given.changes
            words = measure_words(client, path.name, given.changes // 4)
    print(f"{text.count(chr(10))} lines, {len(text)} characters")
    print(f"{given.changes} changes: {shown(changes)}, {1000 * used:.0f} ms of processor time each")
    print(f"{len(words)} words: {shown(words)}")


if __name__ == "__main__":
    main()
