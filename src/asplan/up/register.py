"""Registers `asplan` in unified-planning's global environment when this module is imported."""

from unified_planning.environment import get_environment

from asplan.up import Engine

NAME = "asplan"

_factory = get_environment().factory
if NAME not in _factory.engines:  # a file up.ini may register it, too
    _factory.add_engine(NAME, Engine.__module__, Engine.__name__)
