"""Parser of benchmark-tool for runs of `asplan solve --json`, measured by runlim.

The export copies this file; it imports nothing of asplan.
"""

import json
import re
from pathlib import Path
from typing import Any

_WATCHER = {
    "time": re.compile(r"\[runlim\] real:\s*([0-9.]+)"),
    "mem": re.compile(r"\[runlim\] space:\s*([0-9.]+) MB"),
    "status": re.compile(r"\[runlim\] status:\s*(.*)"),
}
_COUNTS = ("horizon", "lower_bound")
_STATISTICS = ("calls", "conflicts", "choices", "expanded")

Measure = tuple[str, Any]  # the type in words, and a value of it


def parse(path: str, runspec: Any, instance: object, run: int) -> dict[str, Measure]:  # noqa: ANN401
    """Return the measures of a run, by name.

    Parameters
    ----------
    path
        The folder of the run.
    runspec
        The specification of the run, which has the time limit.
    instance, run
        The instance and the number of the run; they are not needed.
    """
    timeout = runspec.project.job.timeout
    watched = _read_watcher(Path(path, "runsolver.watcher"))
    answer = _read_answer(Path(path, "runsolver.solver"))
    time = float(watched.get("time", 0))
    is_memout = watched.get("status") == "out of memory"
    is_late = "out of time" in watched.get("status", "") or time >= timeout
    outcome = answer.get("outcome", "unknown")
    is_unsolved = outcome == "unknown" or not watched or is_late or is_memout
    measures: dict[str, Measure] = {
        "time": ("float", timeout if is_unsolved else time),
        "timeout": ("float", int(is_unsolved)),
        "memout": ("float", int(is_memout)),
        "error": ("float", int(not answer and not is_late and not is_memout)),
        "status": ("string", outcome),
    }
    if "mem" in watched:
        measures["mem"] = ("float", float(watched["mem"]))
    statistics = answer.get("statistics") or {}
    numbers = {name: answer.get(name) for name in _COUNTS}
    numbers |= {name: statistics.get(name) for name in _STATISTICS}
    for name, value in numbers.items():
        if value is not None:
            measures[name] = ("float", float(value))
    return measures


def _read_watcher(file: Path) -> dict[str, str]:
    """Return the measures of runlim as text; empty without its file."""
    if not file.is_file():
        return {}
    found = {}
    for line in file.read_text(errors="ignore").splitlines():
        for name, pattern in _WATCHER.items():
            if match := pattern.match(line):
                found[name] = match[1]
    return found


def _read_answer(file: Path) -> dict[str, Any]:
    """Return the object that asplan printed; empty if there is none."""
    try:
        answer = json.loads(file.read_text(errors="ignore"))
    except (OSError, ValueError):
        return {}
    return answer if isinstance(answer, dict) else {}
