"""The state space of a program, with no model in Python.

A program whose steps are like each other and look back one step is its own successor function.
`opening` grounds such a step once, with the atoms of the time before left open. `circuit` evaluates
it for thousands of states at once, in the stages that `wiring` finds, and `enumeration` asks clingo
for one state after the other: that serves every program, and the circuit is tested against it.
`groups` finds of which atoms every state has at most one, and `lemmas` tells solvers of it.
`evaluated` says which bits make a state, `model` is what searches and analyses work on, and
`layers` guides them.
"""
