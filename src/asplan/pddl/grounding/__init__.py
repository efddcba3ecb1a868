"""From PDDL to a finite-domain task: ground by clingo, with variables for groups of atoms.

`schemas` makes conjunctions of conditions, `relaxed` has clingo find what can be reached, `ground`
and `simplify` make operators of that, `invariants` finds groups of atoms of which one holds,
`variables` encodes and orders these, and `finite_domain` writes the task. `translation` goes all
the way.
"""
