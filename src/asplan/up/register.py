"""Importing this makes `asplan` one of the engines of unified-planning's global environment."""

from unified_planning.environment import get_environment

from asplan.up import Engine

NAME = "asplan"

_factory = get_environment().factory
if NAME not in _factory.engines:  # up.ini may have named it
    _factory.add_engine(NAME, Engine.__module__, Engine.__name__)
