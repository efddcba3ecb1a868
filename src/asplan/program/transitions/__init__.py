"""Transition systems: programs whose steps are alike and look back at most one step.

`stepwise` decides which programs are transition systems; `clock` and `retiming` make more of them.
`rewrite` keeps late steps from costing more than early ones. `display` takes out rules that only
derive shown atoms.
"""
