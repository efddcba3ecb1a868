"""Print which slips of students are warned of, in small programs that are right without them.

The slips and the programs are in `lib/slips.toml`. A slip is warned of, refused with an error, or
silent: then nobody notices it before the answer. Programs without a slip get no warnings.

    python scripts/slips.py            # each slip in each program
    python scripts/slips.py --kinds    # a line for each kind of slip
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import asplan

DATA = tomllib.loads((Path(__file__).parent / "lib" / "slips.toml").read_text(encoding="utf-8"))
SILENT = "silent"


@dataclass(frozen=True)
class Slip:
    """A program with one slip, and what asplan says of it: codes, the error, or `silent`."""

    kind: str
    program: str
    said: str


def look_at(text: str) -> str:
    """Return the codes of the warnings about a program, `refused: …`, or `silent`."""
    try:
        warnings = asplan.find_warnings(text=text)
    except asplan.AsplanError as error:
        return f"refused: {error.message.splitlines()[0][:60]}"
    return ", ".join(dict.fromkeys(warning.code for warning in warnings)) or SILENT


def find_slips() -> Iterator[Slip]:
    """Yield each slip in its programs; raise `ValueError` for one that a program cannot have."""
    for kind, changes in DATA["slips"].items():
        for program, old, new in changes:
            text = DATA["programs"][program]
            if text.count(old) != 1:
                raise ValueError(f"{kind}: {program} has {old!r} {text.count(old)} times")
            yield Slip(kind, program, look_at(text.replace(old, new)))


def false_warnings() -> dict[str, str]:
    """Return what is said of the programs without a slip, where that is anything."""
    said = {name: look_at(text) for name, text in DATA["programs"].items()}
    return {name: text for name, text in said.items() if text != SILENT}


def print_kinds(slips: list[Slip]) -> None:
    for kind in dict.fromkeys(slip.kind for slip in slips):
        own = [slip for slip in slips if slip.kind == kind]
        silent = [slip.program for slip in own if slip.said == SILENT]
        verdict = f"silent in {', '.join(silent)}" if silent else "noticed"
        print(f"{kind:36} {len(own) - len(silent)} of {len(own)}  {verdict}")


def main(words: list[str]) -> int:
    slips = list(find_slips())
    if "--kinds" in words:
        print_kinds(slips)
    else:
        for slip in slips:
            print(f"{slip.kind:36} {slip.program:8} {slip.said}")
    silent = [slip for slip in slips if slip.said == SILENT]
    kinds = {slip.kind for slip in slips}
    hidden = kinds - {slip.kind for slip in slips if slip.said != SILENT}
    print(f"\n{len(slips)} slips of {len(kinds)} kinds: {len(silent)} silent, {len(hidden)} kinds")
    wrong = false_warnings()
    print(f"false warnings: {wrong or 'none'}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
