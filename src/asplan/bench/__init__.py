"""Measurements: suites of methods on many instances.

A `suite` names `instances` and methods; `running` makes trials of them on this machine, or on a
`cluster`. What comes of them are `records`, of which `reports` makes pages.
"""
