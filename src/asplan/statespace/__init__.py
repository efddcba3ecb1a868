"""The state space of a program, with no model in Python.

A program whose steps are like each other and look back one step is its own successor function.
`step` grounds such a step once, with the atoms of the time before left open. `circuit` evaluates it
for thousands of states at once; `evaluation` says which bits make a state, and asks clingo where a
program is beyond a circuit. `model` is what searches and analyses work on, and `space` makes a
domain of it, with an estimate that guides them. `invariants` finds of which atoms every state has
at most one, and tells solvers of it. `analysis` counts the states of any model.
"""
