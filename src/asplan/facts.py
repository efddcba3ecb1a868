"""The facts of an instance for plug-ins; `asplan.core.facts` defines them."""

from asplan.core.facts import Facts

__all__ = ["Facts"]
