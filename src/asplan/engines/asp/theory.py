"""Meanings of theory atoms while clingo solves.

A meaning connects theory atoms to clingo: by the propagator of the theory's package, such as
clingo-dl, or by rules that telingo makes of temporal formulas.
"""

from collections.abc import Callable
from importlib import import_module

from asplan.clingo import Control, Model
from asplan.core.choices import Mode
from asplan.core.errors import InputError, UsageError, needs_extra
from asplan.engines.options import Aim
from asplan.program import theory
from asplan.program.incremental import Program
from asplan.program.reading.unit import HELPER, Section
from asplan.program.syntax import AST, ASTType
from asplan.program.theory import CON, DL, Meaning, NoTheory, Package, Values

BOUND = "asplan_bound"  # the part that bounds a variable of a theory
AT_MOST = f"{HELPER}at_most"  # the external that demands a bound


class Solving:
    """An interpreter of theory atoms, by the propagator of their package.

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
    """An interpreter of temporal formulas: telingo adds rules for them after each ground call."""

    def __init__(self) -> None:
        self.theory = import_module(theory.TEL.module).Theory()

    def grounded(self, control: Control, t: int) -> None:
        """Add telingo's rules for the formulas up to time `t`."""
        self.theory.translate(t, control)


def meaning_of(package: Package) -> Meaning:
    """Return the object that interprets a package's theory atoms while clingo solves."""
    return Temporal() if package is theory.TEL else Solving(package)


def with_bound(
    program: Program,
    variable: str,
    aim: Aim,
) -> Program:
    """Return a program with the part `BOUND(b)`, which bounds a variable of its theory from above.

    The part has an external atom that, if true, keeps the variable at most b.
    """
    if program.theory not in (DL, CON):
        raise InputError(
            f"asplan(minimize({variable})): the program has no variables of clingo-dl or clingcon"
        )
    if aim.models not in (None, 1):
        raise UsageError(f"asplan(minimize({variable})) looks for one plan, so --models has no use")
    atom = f"&diff {{ {variable} - 0 }}" if program.theory is DL else f"&sum {{ {variable} }}"
    rules = f"#external {AT_MOST}(b). {atom} <= b :- {AT_MOST}(b)."
    return program.with_sections(Section.of_text(BOUND, "b", rules))


def require_one_plan(aim: Aim) -> None:
    """Raise `UsageError` if options do not fit an objective of a theory.

    With an objective of a theory, asplan finds one best plan of a single horizon. So neither
    several models nor `--mode minimize` are possible.
    """
    option = ""
    if aim.mode == Mode.MINIMIZE:
        option = "--mode minimize"
    elif aim.models not in (None, 1):
        option = f"--models {aim.models}"
    if option:
        raise UsageError(f"{option}: a theory's objective gives one best plan of a horizon")
