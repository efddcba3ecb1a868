"""Planning with Answer Set Programming: shortest plans, proven, checked and shown.

>>> import asplan
>>> result = asplan.solve("two_cars.lp")
>>> result.outcome, result.horizon
(<Outcome.OPTIMAL: 'optimal'>, 6)

What is listed in `__all__` is public, and so is what `asplan.domains`, `asplan.domains.base` and
`asplan.domains.reading` offer to packages that bring a domain. All other modules may change.

`__init__.pyi` says where each name comes from; it is imported when it is first used, so that a
command pays only for what it does.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
