"""The Python scripts in programs.

clingo's own `enable_python` runs scripts in `__main__`, and leaves them there: from then on any
program of the process can call their functions. Here scripts run in a module of their own, for one
program and only if the caller allows it; clingo gets their functions as the context of a grounding,
as in `Control.ground(…, context)`.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType

from asplan.clingo import Symbol
from asplan.core.errors import InputError, Location
from asplan.program.syntax import AST, Call


class Functions:
    """The functions that the scripts of a program define, as attributes.

    `failure` is the error of a call that failed; None before.

    Parameters
    ----------
    scripts
        The `#script` statements of a program; they are run at once.
    calls
        The calls of functions in the program.

    Raises
    ------
    InputError
        If a script fails, or does not define a function that the program calls.
    """

    def __init__(self, scripts: Iterable[AST], calls: Iterable[Call]) -> None:
        self._module = ModuleType("__main__")
        self._places: dict[str, tuple[str, int]] = {}
        self.failure: InputError | None = None
        for number, script in enumerate(scripts):
            self._run(script, f"<script {number}>")
        for name, at in calls:
            if not callable(getattr(self._module, name, None)):
                raise InputError(f"@{name}: no script of the program defines this function", at=at)

    def _run(self, script: AST, name: str) -> None:
        begin = script.location.begin
        self._places[name] = begin.filename, begin.line
        try:
            exec(compile(script.code, name, "exec", dont_inherit=True), vars(self._module))
        except (Exception, SystemExit) as error:
            raise self._error(error, "#script (python)") from error

    def __getattr__(self, name: str) -> Callable[..., list[Symbol]]:
        """Return the script function `name`, in a form that takes and returns terms of clingo."""
        function = getattr(self._module, name)

        def call(*terms: Symbol) -> list[Symbol]:
            try:
                return _symbols_of(function(*terms))
            except (Exception, SystemExit) as error:
                self.failure = self._error(error, f"@{name}({','.join(map(str, terms))})")
                raise

        return call

    def _error(self, error: BaseException, subject: str) -> InputError:
        """Return an error about `subject`, located at the last script line that `error` passed."""
        places = list(self._lines_of(error))
        message = f"{subject}: {type(error).__name__}: {error}"
        return InputError(message, at=places[-1] if places else None)

    def _lines_of(self, error: BaseException) -> Iterator[Location]:
        """Yield the locations in scripts through which an error passed, the innermost last."""
        lines = list[tuple[str, int]]()
        if isinstance(error, SyntaxError):
            lines.append((error.filename or "", error.lineno or 1))
        for frame, line in traceback.walk_tb(error.__traceback__):
            lines.append((frame.f_code.co_filename, line))
        for name, line in lines:
            if name in self._places:
                file, begin = self._places[name]
                yield Location(file, begin + line - 1, 1)


def _symbols_of(result: object) -> list[Symbol]:
    """Return the terms in the result of a script function; raise `TypeError` at other values."""
    symbols = list[Symbol]()
    for value in result if isinstance(result, Iterable) else [result]:
        if not isinstance(value, Symbol):
            raise TypeError(f"{value!r} is not a term such as clingo.Number(1)")
        symbols.append(value)
    return symbols
