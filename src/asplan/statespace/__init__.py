"""The state space of a program, without a model in Python.

`step` grounds one step of the program, with the state before it left open; `endless` stops the
grounding if it does not end. `wiring` puts the ground rules in an order of evaluation, whose
elements are the `stages`; `circuit` evaluates them for thousands of states at once. `model`
represents states as bits, for searches and analyses. `layers` is its heuristic, and `space` makes a
domain of both. `invariants` finds mutex groups. `analysis` counts the states of any model.
"""
