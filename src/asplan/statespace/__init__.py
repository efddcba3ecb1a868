"""The state space of a program, without a model in Python.

`step` grounds a step once, with the state before it left open; `endless` stops the grounding if it
does not end. `wiring` puts the rules in an order of `stages`, and `circuit` evaluates them for
thousands of states at once. `model` maps states to bits; searches and analyses work on it. `layers`
is its heuristic, and `space` makes a domain of both. `invariants` finds mutex groups. `analysis`
counts the states of any model.
"""
