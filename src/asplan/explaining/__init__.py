"""Explanations: the reasons for a missing plan, a refused plan, and the atoms of a plan.

`explainer` runs the analyses in order; `explanation` holds their results, which `text` prints.
`relaxation` gives each constraint of a program a switch and a witness of its violations; a
`question` is a solver that grounds and solves the result. For a missing plan, `conflict` finds a
small set of constraints that exclude it, `goals` checks the conditions of the goal, and
`unreachable` finds rules that never fire. `bodies` takes rules apart, and `instances` finds their
instances in an answer set. `supports` are the instances that derive true atoms, for a `derivation`.
`nearest` finds the rules that come nearest to deriving false atoms; these also explain `violations`
and a `refusal`. `states` has the reasons for all atoms of a page.
"""
