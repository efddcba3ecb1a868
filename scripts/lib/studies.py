"""A script with several studies of one thing: `python scripts/tiles.py korf --quick`.

A study is a module with `options`, which tells a parser what it may be told, and `study`, which
does it.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import ModuleType

from lib import tables


def run_study(doc: str | None, studies: Mapping[str, ModuleType]) -> None:
    """Run the study that the command line names."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    chosen = parser.add_subparsers(metavar="STUDY", required=True)
    for name, module in studies.items():
        told = (module.__doc__ or "").partition("\n")[0]
        one = chosen.add_parser(name, help=told, description=told)
        module.options(one)
        tables.add_option(one)
        one.set_defaults(study=module.study)
    given = parser.parse_args()
    given.study(given)
