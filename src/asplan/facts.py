"""Facts, where plug-ins look for them; `asplan.core.facts` defines them."""

from asplan.core.facts import Facts

__all__ = ["Facts"]
