"""The quick `dataclass` does what the standard library's does."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from asplan.core.dataclass import dataclass

Decorator = Callable[..., Any]
T = TypeVar("T")


def classes(dataclass: Decorator) -> dict[str, Any]:
    """Return classes of all kinds, made by a decorator."""

    @dataclass(frozen=True)
    class Point:
        """A point."""

        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list)
        kind: ClassVar[str] = "point"

        @cached_property
        def norm(self) -> int:
            return self.x**2 + self.y**2

    @dataclass(frozen=True)
    class Single:
        value: float

    @dataclass(frozen=True)
    class Empty:
        pass

    @dataclass(frozen=True, eq=False)
    class Unequal:
        x: int = 0

    @dataclass(frozen=True, kw_only=True)
    class Named:
        x: int = 0
        y: int

    @dataclass(frozen=True)
    class Partly(Generic[T]):
        a: T
        shown: int = field(default=0, repr=False)
        noted: int = field(default=0, compare=False)
        made: dict[str, int] = field(default_factory=dict, kw_only=True)
        last: int = field(kw_only=True, default=7, metadata={"help": "the last"})

    @dataclass(frozen=True)
    class Own:
        x: int
        y: int = 0

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.x == other.x

        def __repr__(self) -> str:
            return f"<{self.x}>"

    @dataclass(frozen=True)
    class Hashed:
        x: int

        def __hash__(self) -> int:
            return 5

    @dataclass(frozen=True)
    class Counted:
        x: int
        count: int = field(default=0, init=False)

    @dataclass(frozen=True)
    class Recounted(Counted):
        y: int = 1

    @dataclass(frozen=True, eq=False)
    class Same(Point):
        z: int = 1

    @dataclass(frozen=True)
    class Checked:
        x: int

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError("negative")

    @dataclass(frozen=True)
    class Far(Point):
        z: int = 3

    @dataclasses.dataclass(frozen=True)
    class Foreign(Point):
        z: int = 3

    class Plain(Point):
        pass

    @dataclass(order=True)
    class Ordered:
        x: int = 1

    @dataclass(frozen=True, slots=True)
    class Slotted:
        x: int = 1

    return {name: value for name, value in locals().items() if isinstance(value, type)}


QUICK, PLAIN = classes(dataclass), classes(dataclasses.dataclass)

EXPRESSIONS = """
    C.Point(1)
    C.Point(1, y=3)
    C.Point(1, tags=['a'])
    C.Point()
    C.Point(1, 2, 3, 4)
    C.Point(1, z=1)
    C.Point(1) == C.Point(1, 2)
    C.Point(1) == C.Point(2)
    C.Point(1) == C.Far(1)
    C.Point(1) == 1
    C.Point(1).tags is C.Point(1).tags
    hash(C.Point(1))
    hash(C.Point(1, 2, ())) == hash(C.Point(1, 2, ()))
    C.Point(1).norm
    C.Point.kind
    C.Point.y
    C.Point.__doc__
    C.Single.__doc__ or ''
    C.Single(1.0)
    C.Single(1.0) == C.Single(1)
    C.Empty()
    C.Empty() == C.Empty()
    len({C.Empty(), C.Empty()})
    C.Unequal() == C.Unequal()
    len({C.Unequal(), C.Unequal()})
    C.Named(y=1)
    C.Named(1)
    C.Named()
    C.Partly(1)
    C.Partly(1, shown=3, noted=4, last=5)
    C.Partly(1, 2, 3, 4)
    C.Partly(1, noted=1) == C.Partly(1)
    C.Partly(1, shown=1) == C.Partly(1)
    C.Partly(1, made={}, last=2)
    C.Own(1, 2) == C.Own(1, 3)
    C.Own(1)
    hash(C.Own(1, 2)) == hash(C.Own(1, 3))
    hash(C.Hashed(1))
    C.Hashed(1) == C.Hashed(1)
    C.Checked(1)
    C.Recounted(1, y=2)
    C.Recounted(1, count=2)
    C.Same(1) == C.Same(1, z=5)
    C.Same(1) == C.Point(1)
    C.Checked(-1)
    C.Far(1, z=2)
    C.Foreign(1, z=2)
    C.Far(1) == C.Far(1)
    C.Ordered(1) < C.Ordered(2)
    C.Slotted(2)
    set_('x', C.Point(1), 3)
    set_('w', C.Point(1), 3)
    set_('x', C.Far(1), 3)
    set_('w', C.Far(1), 3)
    set_('x', C.Foreign(1), 3)
    set_('x', C.Plain(1), 3)
    set_('w', C.Plain(1), 3)
    delattr(C.Point(1), 'x')
    delattr(C.Plain(1), 'x')
    dataclasses.replace(C.Point(1), y=5)
    dataclasses.replace(C.Partly(1, last=3), noted=5)
    dataclasses.replace(C.Point(1), w=5)
    dataclasses.asdict(C.Point(1))
    dataclasses.astuple(C.Far(1))
    copy.copy(C.Point(1))
    copy.deepcopy(C.Point(1, tags=['a']))
    [f.name for f in dataclasses.fields(C.Far)]
    dict(dataclasses.fields(C.Partly)[-1].metadata)
    C.Point.__match_args__
    str(inspect.signature(C.Point))
    str(inspect.signature(C.Partly))
    C.Point.__init__.__qualname__
    C.Point.__eq__.__name__
    dataclasses.is_dataclass(C.Point)
"""
"""Expressions over the classes, which are in C."""


def set_(name: str, instance: Any, value: object) -> object:
    setattr(instance, name, value)
    return instance.__dict__


def outcome(expression: str, made: dict[str, Any]) -> str:
    """Return the value of an expression, or its error, as text."""
    names = {"C": type("C", (), made), "set_": set_}
    modules = {"copy": copy, "dataclasses": dataclasses, "inspect": inspect}
    try:
        return repr(eval(expression, names | modules))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("expression", list(map(str.strip, EXPRESSIONS.strip().splitlines())))
def test_an_expression_has_the_same_value_or_error(expression: str) -> None:
    expected = outcome(expression, PLAIN)
    if expression.startswith("C.Single.__doc__"):
        expected = "''"  # the standard library computes a signature
    assert outcome(expression, QUICK) == expected


@dataclass(frozen=True)
class Pair:
    left: object
    right: object = None


def test_instances_can_be_pickled() -> None:
    pair = Pair(1, Pair("a"))
    assert pickle.loads(pickle.dumps(pair)) == pair


def test_a_class_that_holds_itself_is_shown() -> None:
    holder: list[object] = []
    holder.append(Pair(holder))
    assert repr(holder[0]) == "Pair(left=[...], right=None)"
    with pytest.raises(FrozenInstanceError):
        holder[0].left = 1  # type: ignore[attr-defined]


def test_a_class_is_frozen_only_if_it_says_so() -> None:
    with pytest.raises(TypeError, match="cannot inherit non-frozen"):
        dataclass(type("Open", (Pair,), {}))
