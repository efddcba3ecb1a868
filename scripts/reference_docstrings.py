"""Lets parameters that a docstring describes together stay together in the reference.

The parser gives each of them the description, and all of them the type and default of the first.
mkdocs.yml names this module as an extension of griffe.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

import griffe

SEVERAL = re.compile(r"^ *\w+(?:, \w+)+$", re.M)
"""A line of a docstring that names what is described together."""

SECTIONS = (griffe.DocstringSectionKind.parameters, griffe.DocstringSectionKind.attributes)


class Together(griffe.Extension):
    """Makes one entry of those; their types stand in the signature."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Do so in the docstring of an object."""
        if obj.docstring and SEVERAL.search(obj.docstring.value):
            for section in obj.docstring.parsed:
                if section.kind in SECTIONS:
                    groups = groupby(section.value, key=lambda entry: entry.description)
                    section.value = [_one(list(group)) for _, group in groups]


def _one(entries: list[Any]) -> Any:
    first = entries[0]
    if len(entries) > 1:
        first.name = ", ".join(entry.name for entry in entries)
        first.annotation = first.value = None
    return first
