"""The engines that ask the SMT solver Z3, an optional dependency: `pip install 'asplan[smt]'`.

What they ask is the domain's own: `Domain.smt` names the models that it has.
"""
