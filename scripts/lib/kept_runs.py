"""Runs that several scripts share, in a file with a line of JSON for each.

A run is found again by its key, which is all that it depends on, but for the program and the
machine: a file holds for one of each, and is to be thrown away with them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Fields = Mapping[str, Any]
"""Plain data, as JSON has it."""


class KeptRuns:
    """The runs of a file; without a file, of this process alone."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.runs: dict[str, Fields] = {}
        if path and path.exists():
            lines = path.read_text(encoding="utf-8").splitlines()
            found = [json.loads(line) for line in lines if line.endswith("}")]
            self.runs = {_name(one["key"]): one["run"] for one in found}

    def run(self, task: Callable[[], Fields], **key: Any) -> Fields:
        """Return the kept result of the run with this key; run the task if there is none."""
        name = _name(key)
        if name not in self.runs:
            self.runs[name] = task()
            if self.path:
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"key": key, "run": self.runs[name]}) + "\n")
        return self.runs[name]


def _name(key: Fields) -> str:
    return json.dumps(key, sort_keys=True)
