"""Rush Hour for the SMT solver Z3, an optional dependency: `pip install asplan[smt]`.

`positions` is the published model, `cells` a second one that is faster; `engine` runs them.
"""
