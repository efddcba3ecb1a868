"""Tasks with numbers: their grounding, facts, encodings and answers.

`strip` removes the numbers, `ground` restores them exactly in the ground task, and `scale` converts
them to whole numbers. `facts` and `encodings` are for the solver, and `answers` converts its
results. `greedy` searches through the states of `execution`.
"""
