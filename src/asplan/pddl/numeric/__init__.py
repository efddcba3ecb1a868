"""Tasks with numbers (numeric functions): their grounding, facts, encodings and answers.

`strip` removes the numbers from the text, so that the classical translation can ground it. `ground`
puts them back into the ground task, exactly. `scale` converts them to whole numbers, as solvers
need. `facts` and `encodings` are for the solver, and `answers` converts its results. `greedy`
searches for a plan in the states of `execution`, guided by the heuristic in `relaxation`.
`trimming` removes needless actions from plans.
"""
