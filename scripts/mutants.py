"""The fate of wrong programs: noticed by a warning, by the check of the plan, or not at all.

Shipped encodings of domains that have a model in Python are broken in random ways, one slip in one
rule: a literal is missing, two arguments are swapped, a comparison or a `not` is turned round, the
rule is missing, a name is misspelt, a time is off by one. Each mutant is solved. It is `warned` of,
or its plan fails before the `referee`, the model of the domain; or its answer is the `same` as that
of the encoding as it ships; or it finds nothing or needs more steps (`other`, which nobody calls
wrong), or clingo refuses it, or time runs out.

    python scripts/mutants.py [--number 200] [--seed 1] [--markdown] [--misses]
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from random import Random

import asplan
from asplan import catalog
from lib import tables
from lib.mutants import Mutant, mutants
from lib.quick import add_quick

RESTS_ON = ("src/asplan/warnings/*.py", "encodings/*/*.lp", "scripts/lib/mutants.py")

CASES = (
    ("rush_hour", "origin", "two_cars"),
    ("rush_hour", "origin_naive", "two_cars"),
    ("rush_hour", "block_tuple", "two_cars"),
    ("rush_hour", "independent_blocks", "two_cars"),
    ("rush_hour", "order", "two_cars"),
    ("sliding_tiles", "moves", "eight05"),
    ("brain_twist", "turns", "twist01"),
)
SECONDS = 10.0
MISSPELT = "misspell"
FATES = ("warned", "referee", "same", "other", "refused", "no answer")


def misspelt(path: Path, seed: int) -> Iterator[Mutant]:
    """Mutants with a letter missing in the name of a predicate, once in the file."""
    text, draw = path.read_text(encoding="utf-8"), Random(seed)
    code = re.sub(r"%[^\n]*|\"[^\"\n]*\"|#[^\n]*", lambda found: " " * len(found[0]), text)
    names = list(re.finditer(r"(?<![\w@])[a-z]\w{3,}(?=\()", code))
    while True:
        name = draw.choice(names)
        place = draw.randrange(name.start() + 1, name.end())
        line = text.count("\n", 0, place) + 1
        changed = text[:place] + text[place + 1 :]
        lines = (line, line)
        before, after = text.splitlines()[line - 1], changed.splitlines()[line - 1]
        yield Mutant(MISSPELT, changed, lines, before, after, frozenset())


def fate(domain: str, path: Path, instance: str, good: asplan.Result, mutant: Mutant) -> str:
    """Return the fate of a mutant."""
    with tempfile.TemporaryDirectory() as folder:
        broken = Path(folder, path.name)
        if (parts := path.parent / "parts").exists():  # for files that it includes
            shutil.copytree(parts, broken.parent / "parts")
        told = f"#program base. asplan(domain({domain}))."  # so its model checks the plan
        broken.write_text(f"{mutant.text}\n{told}", encoding="utf-8")
        try:
            if asplan.find_warnings(instance, encoding=broken):
                return "warned"
            found = asplan.solve(
                instance, encoding=broken, time_limit=SECONDS, memory_limit=2000, isolate=True
            )
        except asplan.InvalidPlan:
            return "referee"
        except asplan.AsplanError:
            return "refused"
    if found.stopped or found.outcome is asplan.Outcome.UNKNOWN:
        return "no answer"
    return "same" if (found.outcome, found.horizon) == (good.outcome, good.horizon) else "other"


def main() -> None:
    """Print a table of the fates by kind of slip."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=200, help="mutants of all encodings together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", action="store_true", help="print those that nobody noticed")
    add_quick(parser, "twenty mutants", number=20)
    tables.add_option(parser)
    given = parser.parse_args()
    counted, seen = Counter[tuple[str, str]](), set[str]()
    sources = []
    for domain, name, instance in CASES:
        path = next(e.path for e in catalog.encodings() if (e.domain, e.name) == (domain, name))
        good = asplan.solve(instance, encoding=f"{domain}/{name}")
        both = (mutants(path, given.seed), misspelt(path, given.seed))
        sources.append((domain, path, instance, good, both))
    for number, (domain, path, instance, good, both) in enumerate(cycle(sources)):
        if len(seen) == given.number:
            break
        # One in six has a misspelt name, for it is one of six kinds.
        mutant = next(both[number // len(CASES) % 6 == 0])
        if mutant.text in seen:
            continue
        seen.add(mutant.text)
        end = fate(domain, path, instance, good, mutant)
        for kind in (mutant.kind, "all"):
            counted[kind, end] += 1
        if given.misses and end in ("other", "no answer"):
            print(f"{path.name}:{mutant.lines[0]} {mutant.kind}: {end}")
            print(f"  {mutant.before}\n  {mutant.after}", flush=True)
        if len(seen) % 20 == 0:
            print(len(seen), file=sys.stderr)
    kinds = sorted({kind for kind, _ in counted} - {"all"})
    rows = [
        None if kind is None else (kind, *(str(counted[kind, end]) for end in FATES))
        for kind in (*kinds, None, "all")
    ]
    tables.show(("", *FATES), rows, markdown=given.markdown)


if __name__ == "__main__":
    main()
