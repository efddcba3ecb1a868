"""The state space of a program, with no model in Python.

`step` grounds a step once, with the atoms of the time before left open; `circuit` evaluates it for
thousands of states at once. `model` says which bits make a state, and is what searches and analyses
work on; `space` makes a domain of it, with an estimate. `invariants` finds of which atoms every
state has at most one. `analysis` counts the states of any model.
"""
