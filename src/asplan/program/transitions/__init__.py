"""Transition systems: programs whose steps are alike and look back at most one step."""
