"""The errors for plug-ins; `asplan.core.errors` defines them."""

from asplan.core.errors import AsplanError, InputError, InvalidPlan, Location, UsageError

__all__ = ["AsplanError", "InputError", "InvalidPlan", "Location", "UsageError"]
