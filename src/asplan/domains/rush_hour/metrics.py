"""What one move is: one cell, or any distance."""

from __future__ import annotations

METRICS = ("step", "slide")
"""The values of the constant `metric`; the first is the default."""
