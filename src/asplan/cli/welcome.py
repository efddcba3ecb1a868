"""The first screen: the text that `asplan` without words shows on a terminal."""

from __future__ import annotations

WELCOME = """\
asplan finds a shortest plan, proves that none is shorter, checks it, and shows it.

  . . c . . .    The red car r wants to leave to the right. In how many moves?
  . . c . . f
  . . c r r f    asplan sample02          solve this puzzle
  b b b d . f    asplan play sample02     play it yourself, with hints
  . . . d e e    asplan new lamps         make a small domain of your own, to change it
  . . . . . .    asplan --help            see all commands
"""
