"""The number of unified-planning's examples that asplan solves, by its own validator.

    python scripts/up_examples.py [--markdown]

The examples come with unified-planning, in `unified_planning.test.examples`. An example counts as
covered if the kind that the engine declares holds it as it is, without a compiler. Needs
asplan[up].
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lib import tables
from lib.quick import add_quick

if TYPE_CHECKING:
    from unified_planning.test import TestCase

RESTS_ON = ("src/asplan/up/*.py",)


def judged(examples: dict[str, TestCase]) -> Iterator[tuple[bool, bool, bool]]:
    """Return for each example: a valid plan, a metric, a proof that the plan is best."""
    from unified_planning.engines import PlanGenerationResultStatus as Status
    from unified_planning.engines import ValidationResultStatus
    from unified_planning.exceptions import UPUsageError
    from unified_planning.plans import TimeTriggeredPlan
    from unified_planning.shortcuts import PlanValidator, get_environment

    from asplan.up import Engine

    get_environment().credits_stream = None
    for name, example in examples.items():
        metric, valid = bool(example.problem.quality_metrics), False
        try:
            result = Engine().solve(example.problem, timeout=60)
        except UPUsageError as error:  # what its kind does not tell
            tables.progress(name, error)
            yield False, metric, False
            continue
        if result.plan is not None:
            timed = isinstance(result.plan, TimeTriggeredPlan)
            judge = "up_time_triggered_validator" if timed else "sequential_plan_validator"
            with PlanValidator(name=judge) as validator:
                validator.skip_checks = True  # of kinds it knows less than it can do
                found = validator.validate(example.problem, result.plan)
                valid = found.status is ValidationResultStatus.VALID
        tables.progress(name, result.status.name, valid)
        yield valid, metric, result.status is Status.SOLVED_OPTIMALLY


def main() -> None:
    """Solve them, and print a row."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_quick(parser, "all of it: it is short")
    tables.add_option(parser)
    given = parser.parse_args()
    from unified_planning.test.examples import get_example_problems

    from asplan.up import Engine

    warnings.simplefilter("ignore")
    examples = get_example_problems()
    covered = {n: e for n, e in examples.items() if Engine.supports(e.problem.kind)}
    valid, metric, best = map(sum, zip(*judged(covered), strict=True))
    rows = [tuple(map(str, (len(examples), len(covered), valid, metric, best)))]
    columns = ("examples", "accepted", "with a valid plan", "with a metric", "proven best")
    tables.show(columns, rows, markdown=given.markdown)


if __name__ == "__main__":
    main()
