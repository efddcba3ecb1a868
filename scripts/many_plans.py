"""Lists of plans against other ways to find all plans.

    python scripts/many_plans.py programs [--number 2000]    random programs, by all answer sets
    python scripts/many_plans.py spaces [--number 300]       random state spaces, by plain counting

They print how many agree, and each that does not.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "tests" / "enumeration"), str(ROOT / "tests")]


def compare_programs(number: int) -> Counter[str]:
    """Compare until so many random programs have plans."""
    from test_lists import differences

    counts: Counter[str] = Counter()
    seed = 0
    while counts["agree"] + counts["differ"] < number:
        found = differences(seed)
        if found:
            print(f"program {seed}: {found}", flush=True)
        counts["without plans" if found is None else "differ" if found else "agree"] += 1
        seed += 1
    return counts


def compare_spaces(number: int) -> Counter[str]:
    """Compare the numbers of plans of up to 8 steps of random state spaces."""
    from random_spaces import count_plans, random_space
    from test_graph import found_up_to

    counts: Counter[str] = Counter()
    for seed in range(number):
        space = random_space(Random(seed))
        numbers = Counter(found.value for found in found_up_to(space, 8))
        agree = [numbers[length] for length in range(9)] == count_plans(space, 8)
        counts["agree" if agree else "differ"] += 1
        counts["plans"] += sum(numbers.values())
        if not agree:
            print(f"space {seed} differs", flush=True)
    return counts


def main() -> None:
    """Run the comparison that the words name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("programs", "spaces"))
    parser.add_argument("--number", type=int)
    words = parser.parse_args()
    start = time.monotonic()
    if words.what == "programs":
        counts = compare_programs(words.number or 2000)
    else:
        counts = compare_spaces(words.number or 300)
    print(", ".join(f"{key} {count}" for key, count in sorted(counts.items())))
    print(f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
