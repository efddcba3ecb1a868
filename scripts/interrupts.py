"""Ctrl-C at random moments, through the Python interface: is it raised, and does Python live on?

Each call is made again and again in a process of its own, and one SIGINT is sent to it at a moment
within the time that the call takes. An interrupt is lost where the call ends without a word of it.

    python scripts/interrupts.py --count 2000
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

import asplan
from lib.quick import add_quick

BOARD = "sample02"
SMALL = "two_cars"
SOLVE = partial(asplan.solve, BOARD)
CALLS: dict[str, Callable[[], object]] = {
    "asp": SOLVE,
    "asp with a time limit": partial(SOLVE, time_limit=600),
    "asp as written": partial(SOLVE, encoding="origin", no_rewrite=True),
    "asp minimize": partial(SOLVE, encoding="origin", mode="minimize", horizon=20),
    "asp with invariants": partial(asplan.solve, SMALL, encoding="origin", invariants=True),
    "asp all plans": partial(asplan.solve, SMALL, models=0),
    "sat": partial(SOLVE, engine="sat"),
    "smt": partial(asplan.solve, SMALL, engine="smt"),
    "bfs": partial(SOLVE, engine="bfs"),
    "astar": partial(SOLVE, engine="astar"),
    "bfs in a program": partial(asplan.solve, SMALL, engine="bfs", encoding="origin"),
    "pdr": partial(asplan.solve, SMALL, engine="pdr", encoding="origin"),
    "portfolio": partial(SOLVE, engine="portfolio"),
    "auto": partial(SOLVE, engine="auto"),
    "analyse": partial(asplan.analyse, SMALL, encoding="origin"),
    "explain": partial(asplan.explain, SMALL, encoding="origin", horizon=3),
}


def main() -> int:
    """Send the signals, and print what came of them for each call."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=320, help="how many signals in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--call", choices=CALLS, help="make this call alone, and in this process")
    add_quick(parser, "twenty signals", count=20)
    given = parser.parse_args()
    if given.call:
        interrupt(CALLS[given.call], given.count, random.Random(given.seed))
        return 0
    whole: Counter[str] = Counter()
    for name in CALLS:
        found = outcomes(name, -(-given.count // len(CALLS)), given.seed)
        print(f"{name}: " + ", ".join(f"{n} {what}" for what, n in found.items()), flush=True)
        whole += found
    print("all: " + ", ".join(f"{n} {what}" for what, n in whole.items()))
    return int(not set(whole) <= {"raised", "over"})


def outcomes(name: str, count: int, seed: int) -> Counter[str]:
    """Return the results of some signals; replace a process that dies."""
    found: Counter[str] = Counter()
    while (left := count - found.total()) > 0:
        words = [sys.executable, __file__, "--call", name, "--count", str(left)]
        words += ["--seed", str(seed + found.total())]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True)
        found += Counter(done.stdout.splitlines())
        if done.returncode:
            found[f"dead ({done.returncode})"] += 1
    return found


def interrupt(call: Callable[[], object], count: int, rng: random.Random) -> None:
    """Print what comes of each signal: `over` where the call was over before it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    call()  # the first one takes longer
    began = time.monotonic()
    call()
    duration = time.monotonic() - began
    for _ in range(count):
        sent = threading.Event()

        def send(sent: threading.Event = sent) -> None:
            sent.set()
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(rng.uniform(0, duration), send)
        what = "over"
        try:
            timer.start()
            result = call()
            timer.cancel()
            timer.join()
            time.sleep(0.05)
            if sent.is_set():
                what = "raised" if getattr(result, "stopped", None) == "interrupt" else "lost"
        except KeyboardInterrupt:
            what = "raised"
        except Exception as error:
            what = f"{type(error).__name__}"
            print(error, file=sys.stderr)
        print(what, flush=True)


if __name__ == "__main__":
    sys.exit(main())
