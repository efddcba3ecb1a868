"""Why there is no plan, and why a plan is refused.

`relaxing` gives each constraint of a program a switch and a witness; `question` grounds that up to
a horizon and asks. `conflict`, `relaxed`, `goals` and `never` are the questions about a missing
plan, `refusal` is the one about a plan, and `nearest` finds the rule that comes nearest to deriving
an atom. `explanation` says what is answered.
"""
