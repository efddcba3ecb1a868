"""Foreign notations <-> facts: boards as strings, cards as files, rows of tiles.

`boards`, `cards` and `tiles` each know one notation, `lines` reads files with one problem a line,
`instances` writes facts, and `convert` puts them together.
"""

from __future__ import annotations

from asplan.formats.convert import NOTATIONS, Converted, from_facts, to_facts

__all__ = ["NOTATIONS", "Converted", "from_facts", "to_facts"]
