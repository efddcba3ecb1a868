"""`--quick`: a smaller scale of a study, for a look; figures to quote are those of the full one.

    add_quick(parser, "one run instead of three", runs=1)

What stands on the command line beside `--quick` is kept.
"""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from typing import Any


class _Quick(Action):
    """Gives other options their values at the quick scale, but for those that were given."""

    def __init__(self, *words: Any, values: dict[str, Any], **more: Any) -> None:
        super().__init__(*words, nargs=0, default=False, **more)
        self.values = values

    def __call__(self, parser: ArgumentParser, given: Namespace, *rest: Any) -> None:
        for name, value in self.values.items():
            if getattr(given, name) == parser.get_default(name):
                setattr(given, name, value)
        setattr(given, self.dest, True)


def add_quick(parser: ArgumentParser, less: str, **values: Any) -> None:
    """Let a script take `--quick`; `less` says what is less then."""
    for name in values:
        assert any(action.dest == name for action in parser._actions), name
    parser.add_argument("--quick", action=_Quick, values=values, help=f"a look: {less}")
