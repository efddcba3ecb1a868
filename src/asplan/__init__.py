"""Planning with Answer Set Programming: shortest plans, proven, checked and shown.

>>> import asplan
>>> result = asplan.solve("two_cars.lp")
>>> result.outcome, result.horizon
(<Outcome.OPTIMAL: 'optimal'>, 6)

The names in `__all__` are public, and so are `asplan.domains`, `asplan.domains.base` and
`asplan.domains.reading`, for packages that bring a domain. All other modules may change.

`__init__.pyi` lists the module of each name. A name is imported at its first use, so that a command
pays only for its own parts.
"""


def __getattr__(name: str) -> object:
    """Return a public name of the package; the first call makes all of them attributes.

    The commands of asplan use none of these names.
    """
    import lazy_loader

    get, names, public = lazy_loader.attach_stub(__name__, __file__)
    globals().update(__getattr__=get, __dir__=names, __all__=public)
    return public if name == "__all__" else get(name)


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))  # type: ignore[call-overload]
