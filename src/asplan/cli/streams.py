"""What a command hands to whoever started it, as it is: JSON, warnings, an exit status."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import click

from asplan.errors import LONGEST
from asplan.result import Outcome, Result, Stop
from asplan.text import printable, shortened


def exit_status(result: Result) -> int:
    """What the command line ends with."""
    if result.stopped == Stop.INTERRUPT:
        return 130
    return {Outcome.UNSOLVABLE: 3, Outcome.UNKNOWN: 1}.get(result.outcome, 0)


def print_json(data: Any) -> None:
    """Print plain data for other programs."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(data, indent=2, ensure_ascii=not unicode)
    click.echo(re.sub(r"[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text))


def print_warnings(result: Result) -> None:
    """Print what the caller should know about the input, on standard error."""
    for warning in result.warnings:
        warn(warning)


def warn(text: str) -> None:
    """Print a warning on standard error."""
    click.echo(printable(f"asplan: warning: {shortened(text, LONGEST)}"), err=True)
