"""More than one plan: the best ones, all within a bound, or plans that differ most.

`wanted` has the caller's wishes, and `identity` decides which plans are the same. A source yields
plans in order: `by_states` from the state space of a model, `by_solving` from clingo at horizon
after horizon. `listing` checks each plan and lists it; `diversity` chooses plans that differ.
"""
