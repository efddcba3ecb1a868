"""Python code of a program: run where it is allowed, and gone with its program."""

from __future__ import annotations

import pytest
from clingo.script import enable_python

import __main__
import asplan

STEPS = """
#program step(t). { occurs(a,t) }.
#program check(t). :- query(t), not ok(t).
"""
TWICE = """#script (python)
import clingo
def twice(n):
    return clingo.Number(2 * n.number)
def ones(n):
    return [clingo.Number(1)] * n.number
def fails(n):
    raise ValueError("a script's own words")
def number(n):
    return 3
def leaves(n):
    raise SystemExit(3)
#end.
"""


def goal(term: str) -> str:
    """A goal that is reached at the step that a term names."""
    return f"{STEPS}ok(t) :- t = {term}."


def test_a_function_is_called() -> None:
    assert asplan.solve(text=TWICE + goal("@twice(1)"), allow_scripts=True).horizon == 2
    assert asplan.solve(text=TWICE + goal("@ones(3)"), allow_scripts=True).horizon == 1


def test_a_script_is_gone_with_its_program() -> None:
    """Not even clingo's own switch brings it back."""
    asplan.solve(text=TWICE + goal("@twice(1)"), allow_scripts=True)
    assert not hasattr(__main__, "twice")
    enable_python()
    __main__.twice = lambda n: n  # type: ignore[attr-defined]
    try:
        for allow in (False, True):
            with pytest.raises(asplan.InputError) as caught:
                asplan.solve(text=goal("@twice(1)"), allow_scripts=allow, max_horizon=3)
            assert str(caught.value) == (
                "<text>:4:1: @twice: no script of the program defines this function\n"
                "  define it in #script (python) of the program, and add --allow-scripts"
            )
    finally:
        del __main__.twice  # type: ignore[attr-defined]


FAILURES = {
    "@fails(1)": "<text>:8:1: @fails(1): ValueError: a script's own words",
    "@number(1)": "@number(1): TypeError: 3 is not a term such as clingo.Number(1)",
    "@leaves(1)": "<text>:12:1: @leaves(1): SystemExit: 3",
    "@twice": "@twice(): TypeError: twice() missing 1 required positional argument: 'n'",
    "@nobody(1)": "<text>:17:1: @nobody: no script of the program defines this function",
}


@pytest.mark.parametrize("term", FAILURES)
def test_a_function_that_fails(term: str) -> None:
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(text=TWICE + goal(term), allow_scripts=True, max_horizon=3)
    assert str(caught.value) == FAILURES[term]


SCRIPTS = {
    "\n\nx = (": "<text>:3:1: #script (python): SyntaxError: ",
    "\nimport nowhere_at_all": "<text>:2:1: #script (python): ModuleNotFoundError: No module",
    "\ndef f():\n    1 / 0\nf()": "<text>:3:1: #script (python): ZeroDivisionError: division by",
    "\nraise SystemExit": "<text>:2:1: #script (python): SystemExit: ",
}


@pytest.mark.parametrize("code", SCRIPTS)
def test_a_script_that_fails(code: str) -> None:
    with pytest.raises(asplan.InputError) as caught:
        asplan.solve(text=f"#script (python){code}\n#end.{STEPS}", allow_scripts=True)
    assert str(caught.value).startswith(SCRIPTS[code])


def test_a_script_is_no_part_of_an_instance() -> None:
    with pytest.raises(asplan.InputError, match=r"<text>:1:1: a script in an instance"):
        asplan.solve("two_cars", text=TWICE, allow_scripts=True)
