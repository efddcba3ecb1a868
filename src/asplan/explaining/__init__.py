"""Why there is no plan, and why a plan is refused.

`explainer` puts the questions in order, and `explanation` holds the answers, which `text` writes.
`question` gives each constraint of a program a switch and a witness, grounds that, and asks the
solver. `conflict` is about a missing plan. `instances` takes rules apart, and finds theirs in an
answer set: `derivation` has those by which atoms hold, down to facts and choices, and `nearest`
those that come near to it, which is also why a plan is refused.
"""
