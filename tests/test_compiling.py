"""Functions on flat lists, compiled beside the search that will use them."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from asplan.core.compiling import compile_functions, has_compiler, load

pytestmark = pytest.mark.skipif(not has_compiler(), reason="numba is not installed")


@pytest.fixture
def doubling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return a module of its own, beside which numba keeps its compiled code."""
    (tmp_path / "doubling.py").write_text("def double(number):\n    return 2 * number\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "doubling", raising=False)
    return importlib.import_module("doubling")


def test_code_is_compiled_beside_the_search(doubling: ModuleType) -> None:
    functions = compile_functions([doubling.double])

    def use() -> int:
        found: int = functions["double"](21)
        return found

    assert load(lambda: functions, use, waits=False) == (None, True)
    for _ in range(4000):
        if (asked := load(lambda: functions, use, waits=False)) != (None, True):
            break
        time.sleep(0.05)
    assert asked == (42, False)
    assert sum(functions["double"].stats.cache_hits.values()) == 1  # it was only loaded here


def test_a_caller_that_waits_gets_the_compiled_result(doubling: ModuleType) -> None:
    functions = compile_functions([doubling.double])
    assert load(lambda: functions, lambda: functions["double"](21), waits=True) == (42, False)


def test_a_failing_compiler_is_not_used_again() -> None:
    def broken() -> Mapping[str, Any]:
        raise ImportError

    assert load(broken, lambda: 42, waits=False) == (None, False)


def test_code_of_another_version_is_compiled_again(doubling: ModuleType) -> None:
    functions = compile_functions([doubling.double])
    assert load(lambda: functions, lambda: functions["double"](21), waits=True) == (42, False)
    (index,) = Path(functions["double"].stats.cache_path).glob("*.double-*.nbi")
    whole = index.read_bytes()
    index.write_bytes(whole[: len(whole) // 2])  # as a class that is gone, it cannot be read
    anew = compile_functions([doubling.double])
    assert load(lambda: anew, lambda: anew["double"](21), waits=True) == (42, False)
    assert index.read_bytes() == whole or index.stat().st_size > len(whole) // 2
