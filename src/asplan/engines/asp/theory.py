"""Meanings of theory atoms while clingo solves.

A meaning connects theory atoms to clingo: by the propagator of the theory's package, such as
clingo-dl, or by rules that telingo makes of temporal formulas.
"""

from collections.abc import Callable
from importlib import import_module

from asplan.clingo import Control, Model
from asplan.core.errors import needs_extra
from asplan.program import theory
from asplan.program.syntax import AST, ASTType
from asplan.program.theory import Meaning, NoTheory, Package, Values


class Solving:
    """The meaning of theory atoms by the propagator of their package.

    Raises `MissingExtra` if the package is not installed.
    """

    def __init__(self, package: Package) -> None:
        missing = f"the program's theory atoms need {package.tool}, which is not installed"
        with needs_extra(missing, "theory"):
            self.theory = getattr(import_module(package.module), package.kind)()

    def register(self, control: Control) -> None:
        """Register the propagator of the package."""
        self.theory.register(control)

    def add(self, statement: AST, add: Callable[[AST], None]) -> None:
        """Pass a statement to `add`, as the package rewrites it.

        Leave out definitions of the theory, as the package has its own, and `&show` statements.
        """
        if statement.ast_type == ASTType.TheoryDefinition:
            return  # the package has its own
        atoms = theory.theory_atoms(statement)
        if not atoms:
            add(statement)
        elif theory.name_of(atoms[0]) != "show":  # the check needs all values
            self.theory.rewrite_ast(statement, add)

    def grounded(self, control: Control, t: int) -> None:
        """Prepare the propagator for new theory atoms, after clingo has grounded step `t`."""
        self.theory.prepare(control)

    def values(self, model: Model) -> Values:
        """Return the values of the theory's variables in a model."""
        self.theory.on_model(model)
        assignment = self.theory.assignment(model.thread_id)
        return {str(k): v if isinstance(v, int) else v.string for k, v in assignment}

    def cost(self, model: Model) -> tuple[int, ...]:
        """Return the value of the theory's objective in a model; `()` if there is no objective."""
        costs = (s for s in model.symbols(theory=True) if s.match("__csp_cost", 1))
        return tuple(int(symbol.arguments[0].string) for symbol in costs)


class Temporal(NoTheory):
    """The meaning of temporal formulas: telingo adds rules for them after each ground call."""

    def __init__(self) -> None:
        self.theory = import_module(theory.TEL.module).Theory()

    def grounded(self, control: Control, t: int) -> None:
        """Add telingo's rules for the formulas up to time `t`."""
        self.theory.translate(t, control)


def meaning_of(package: Package) -> Meaning:
    """Return the meaning of a package's theory atoms for solving."""
    return Temporal() if package is theory.TEL else Solving(package)
