"""Comparisons of a user's plan with a better one: where they part, and what each step costs.

`outlook` describes what is known of the shortest plans that begin like the user's plan. `by_states`
finds it on the states of a model, `by_solving` by clingo. `detours` finds the parts in which two
plans differ. `actions` and `facts` find the fewest changes that make the user's plan a best one,
and `run` makes the explanation.
"""
