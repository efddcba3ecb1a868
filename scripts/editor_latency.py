"""The time from the last change of a text to its diagnostics, in a session with `asplan lsp`.

    python scripts/editor_latency.py
    python scripts/editor_latency.py --lines 1000 --changes 50

The text is a program with this many lines. Each change inserts a character as an editor does.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from editor.client import Client, session

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
            seconds = sorted(measure(client, path.name, given.changes))
    print(f"{text.count(chr(10))} lines, {len(text)} characters, {given.changes} changes")
    print(f"median {1000 * statistics.median(seconds):.0f} ms, worst {1000 * seconds[-1]:.0f} ms")


if __name__ == "__main__":
    main()
