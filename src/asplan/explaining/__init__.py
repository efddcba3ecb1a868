"""Why there is no plan, and why a plan is refused.

`relaxing` gives each constraint of a program a switch and a witness (`negation` makes a constraint
of the contradiction of `p` and `-p`); `question` grounds that up to a horizon and asks. `slips`,
`conflict`, `relaxed`, `goals` and `never` are the questions about a missing plan, `refusal` is the
one about a plan. `bodies` takes rules apart, `nearest` finds the rule that comes nearest to
deriving an atom, and `causes` follows that from rule to rule. `explainer` puts the questions in
order, and `explanation` says what is answered.
"""
