"""Explanations: the reasons for a missing plan, a refused plan, and the atoms of a plan.

`explainer` asks the questions in order, and `explanation` holds the answers, which `text` writes.
`relaxation` gives each constraint of a program a switch and a witness, and `question` grounds that
and asks the solver. For a missing plan, `conflict` finds a small set of constraints, `goals` checks
the conditions of the goal, and `unreachable` finds rules that never fire. `bodies` takes rules
apart, and `instances` finds their instances in an answer set: `derivation` has those that derive
true atoms (`supports`), and `nearest` those that come near to deriving false ones, which also
explain `violations` and a `refusal`. `states` has the reasons for all atoms of a page.
"""
