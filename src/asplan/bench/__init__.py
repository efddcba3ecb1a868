"""Measurements: suites of methods on many instances, and encodings side by side.

A `suite` is read, its `instances` and methods become `trials`, and `running` has them made, each
`measured` in a process, by `local` or `cluster`; what comes of them are `records`, of which
`reports` makes pages. `comparison` and `plots` are `asplan compare`.
"""
