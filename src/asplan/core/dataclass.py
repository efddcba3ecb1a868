"""The decorator `dataclass`, with quick imports of frozen classes.

It does what `dataclasses.dataclass` does. For a frozen class the standard library compiles six
methods from text, which takes half a millisecond, and a run of asplan imports a hundred such
classes. Here only `__init__` is compiled; the other methods are closures.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

Value = Any  # fields have values of any type
Method = Callable[..., Any]  # they return a value, a truth value or nothing

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> type | Callable[[type], type]:
        """Make a class a dataclass, like `dataclasses.dataclass` with the same options."""

        def make(cls: type) -> type:
            if _is_simple(cls, options):
                return _make_frozen(cls, **options)
            return dataclasses.dataclass(**options)(cls)

        return make if cls is None else make(cls)


def _is_simple(cls: type, options: dict[str, bool]) -> bool:
    """Return True if the class is frozen and uses nothing that is rare, such as `__post_init__`."""
    if not options.get("frozen") or not options.keys() <= {"frozen", "eq", "kw_only"}:
        return False
    if hasattr(cls, "__post_init__"):
        return False
    inherited: dict[str, Field[Value]] = getattr(cls, "__dataclass_fields__", {})
    own = [value for value in vars(cls).values() if isinstance(value, Field)]
    return all(field.init and field.hash is None for field in (*inherited.values(), *own))


def _make_frozen(cls: Value, frozen: bool, eq: bool = True, kw_only: bool = False) -> Value:
    """Make a class a frozen dataclass; `eq` and `kw_only` are as for `dataclasses.dataclass`."""
    own = dict(vars(cls))
    cls.__doc__ = own["__doc__"] or cls.__name__  # or the signature would be computed for it
    derived = hasattr(cls, "__dataclass_fields__")  # then Python checks that its bases are frozen
    make = dataclasses.dataclass(init=False, repr=False, eq=False, frozen=derived, kw_only=kw_only)
    make(cls)
    cls.__doc__ = own["__doc__"]
    # Other frozen dataclasses may inherit from this class.
    cls.__dataclass_params__.frozen = frozen
    fields = dataclasses.fields(cls)
    methods = [_constructor(fields), *_refusals(cls, frozenset(field.name for field in fields))]
    if eq:
        methods += _comparisons(tuple(field.name for field in fields if field.compare))
    for method in methods:
        name = method.__name__
        method.__qualname__ = f"{cls.__qualname__}.{name}"
        if own.get(name) is None:
            setattr(cls, name, method)
    if "__repr__" not in own:
        cls.__repr__ = _represent
    return cls


class _Made:
    """The default of a parameter whose value is made for each instance."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


def _constructor(fields: tuple[Field[Value], ...]) -> Method:
    """Compile and return the method `__init__` of a class with these fields."""
    scope: dict[str, Value] = {"_put": object.__setattr__, "_MADE": _MADE}
    lines = ["pass"]
    for field in fields:
        value = field.name
        scope[f"_default_{field.name}"] = field.default
        if field.default_factory is not MISSING:
            scope[f"_make_{field.name}"] = field.default_factory
            value = f"_make_{field.name}() if {value} is _MADE else {value}"
        lines.append(f"_put(self, {field.name!r}, {value})")
    parameters = ["self", *(_parameter(field) for field in fields if not field.kw_only)]
    named = [_parameter(field) for field in fields if field.kw_only]
    if named:
        parameters += ["*", *named]
    body = "\n    ".join(lines)
    exec(f"def __init__({', '.join(parameters)}):\n    {body}", scope)
    constructor: Method = scope["__init__"]
    constructor.__annotations__ = {field.name: field.type for field in fields} | {"return": None}
    return constructor


def _parameter(field: Field[Value]) -> str:
    """Return the parameter of `__init__` for a field, as text."""
    if field.default_factory is not MISSING:
        return f"{field.name}=_MADE"
    return field.name if field.default is MISSING else f"{field.name}=_default_{field.name}"


def _comparisons(names: tuple[str, ...]) -> list[Method]:
    """Return the methods `__eq__` and `__hash__`, which compare the fields with these names."""
    values = attrgetter(*names) if len(names) > 1 else _few_values(names)

    def __eq__(self: Value, other: object) -> bool:
        if other.__class__ is self.__class__:
            return bool(values(self) == values(other))
        return NotImplemented

    def __hash__(self: Value) -> int:
        return hash(values(self))

    return [__eq__, __hash__]


def _few_values(names: tuple[str, ...]) -> Callable[[Value], tuple[Value, ...]]:
    """Return a function from an instance to a tuple of at most one attribute."""
    if not names:
        return lambda instance: ()
    value = attrgetter(*names)
    return lambda instance: (value(instance),)


@recursive_repr("...")
def _represent(self: Value) -> str:
    shown = [f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr]
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refusals(cls: Value, names: frozenset[str]) -> list[Method]:
    """Return `__setattr__` and `__delattr__`, which refuse to change the fields with these names.

    Only a subclass that is no dataclass may have attributes beside its fields.
    """

    def __setattr__(self: Value, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Value, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return [__setattr__, __delattr__]
