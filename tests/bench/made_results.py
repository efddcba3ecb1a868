"""Results for tests: small ones with known answers, and some as large as real ones."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from asplan.bench.records import FILE, Record, Results, RunStart, open_results
from asplan.core.limits import Stop
from asplan.result import Outcome

LIMIT = 60.0


def a_start(
    methods: Sequence[str] | Mapping[str, dict[str, Any]] = ("a", "b"),
    instances: Sequence[str] = ("i1", "i2"),
    limit: float | None = 10.0,
    **given: Any,
) -> RunStart:
    """Make the first line of results; entries of methods are as in a suite."""
    entries = methods if isinstance(methods, Mapping) else {name: {} for name in methods}
    suite: dict[str, Any] = {
        "name": "small",
        "methods": [{"name": name, **entry} for name, entry in entries.items()],
        "instances": [{"name": name, "files": [f"boards/{name}.lp"]} for name in instances],
        "repetitions": 1,
        "limits": {"seconds": limit, "memory": 2000},
    }
    fields = {"name": "small", "suite": json.dumps(suite), **given}
    return RunStart(methods=list(entries), instances=list(instances), **fields)


def solved(instance: str, method: str, cpu: float | None, **given: Any) -> Record:
    """Make a trial with a plan that is proven best, of 5 steps by default."""
    horizon = given.pop("horizon", 5)
    base = {"outcome": Outcome.OPTIMAL, "horizon": horizon, "actions": horizon, "cpu": cpu}
    return Record(instance=instance, method=method, **{**base, **given})


def late(instance: str, method: str, **given: Any) -> Record:
    """Make a trial that the time limit ended."""
    base = {"stopped": Stop.TIME, "reason": "time limit of 10 s reached while solving", "cpu": 10.0}
    return Record(instance=instance, method=method, **{**base, **given})


def failed(instance: str, method: str, error: str = "no memory", **given: Any) -> Record:
    """Make a trial that ended with an error."""
    return Record(instance=instance, method=method, error=error, **given)


def results(records: Iterable[Record], start: RunStart | None = None) -> Results:
    """Make results in memory."""
    return Results((start or a_start(),), tuple(records))


def written(folder: Path, found: Results, torn: str = "") -> Path:
    """Write results into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with open_results(folder / FILE) as add:
        for line in (*found.starts, *found.records):
            add(line)
    with (folder / FILE).open("a") as file:
        file.write(torn)
    return folder


def large(
    methods: Sequence[str] = ("origin", "frontier", "sat"),
    instances: int = 40,
    repetitions: int = 3,
    factors: Mapping[str, float] | None = None,
    flaws: bool = True,
) -> Results:
    """Make results of a realistic size: log-normal times, with late, failed, and wrong trials.

    Parameters
    ----------
    factors
        By how much each method is slower than it would be.
    flaws
        Whether there are an invalid plan, an error, another optimum, and a refuted plan.
    """
    names = [f"card{number:02}" for number in range(1, instances + 1)]
    groups = {name: "easy" if n < instances // 2 else "hard" for n, name in enumerate(names)}
    start = a_start(
        methods,
        names,
        LIMIT,
        groups=groups,
        files={f"boards/{name}.lp": f"{n:064x}" for n, name in enumerate(names)},
        machine={"processor": "a processor", "cores": "2", "system": "Linux"},
        versions={"python": "3.11.9", "clingo": "5.8.0"},
        begun="2026-01-02T10:15:00+01:00",
    )
    chance = random.Random(1)
    records = [
        _trial(chance, n, instances, m, name, method, repetition, (factors or {}).get(method, 1.0))
        for n, name in enumerate(names)
        for m, method in enumerate(methods)
        for repetition in range(repetitions)
    ]
    return Results((start,), tuple(_flawed(records) if flaws else records))


def _trial(
    chance: random.Random,
    n: int,
    of: int,
    m: int,
    name: str,
    method: str,
    repetition: int,
    factor: float,
) -> Record:
    own = random.Random(f"{n} {m}").gauss(0, 0.8)
    mean = (n / of * 7 - 3) * (1 + 0.15 * m) - m + own
    cpu = factor * math.exp(mean + chance.gauss(0, 0.05))
    common: dict[str, Any] = {
        "repetition": repetition,
        "cpu": round(min(cpu, LIMIT), 3),
        "wall": min(cpu, LIMIT) * 1.05,
        "memory": 50 + min(cpu, LIMIT) * 10,
        "host": "one",
    }
    if cpu > LIMIT:
        reason = "time limit of 60 s reached while solving"
        return late(name, method, reason=reason, lower_bound=6 + n, **common)
    return solved(
        name, method, horizon=8 + n, lower_bound=8 + n, conflicts=int(cpu * 1000), **common
    )


def _flawed(records: Sequence[Record]) -> Iterable[Record]:
    for record in records:
        where, kept = (record.instance, record.method), {"repetition": record.repetition}
        if where == ("card08", "sat"):
            error = "step 3: move(b,down,1) is blocked"
            yield failed(*where, error, invalid=True, cpu=record.cpu, **kept)
        elif where == ("card12", "frontier"):
            yield failed(*where, "memory could not be allocated", cpu=record.cpu, **kept)
        elif where == ("card16", "frontier"):
            yield solved(*where, horizon=25, cpu=record.cpu, **kept)
        elif where == ("card21", "origin"):
            yield Record(
                instance=where[0],
                method=where[1],
                outcome=Outcome.UNSOLVABLE,
                cpu=record.cpu,
                **kept,
            )
        else:
            yield record
