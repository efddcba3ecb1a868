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


def __getattr__(name: str) -> object:
    """Attach the public names when one is first used: a command does without."""
    import lazy_loader

    get, names, public = lazy_loader.attach_stub(__name__, __file__)
    globals().update(__getattr__=get, __dir__=names, __all__=public)
    return public if name == "__all__" else get(name)


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))  # type: ignore[call-overload]
