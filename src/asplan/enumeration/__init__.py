"""More than one plan: the best ones, or all within a bound.

`wanted` describes the plans to list, and `identity` decides which plans are the same. A source
yields plans, best first: `by_states` from the state space of a model, `by_solving` from clingo at
horizon after horizon. `listing` checks and lists each plan, and `run` makes the result. `summary`
counts plans, and finds what the shortest ones share; `picture` draws these.
"""
