"""What a solve call says, and which of its models count."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from clingo import Model, Symbol, SymbolType

from asplan.program.incremental import HELPER
from asplan.program.syntax import Signature, predicate
from asplan.program.unit import QUERY


@dataclass(frozen=True)
class Shown:
    """What a model shows: atoms and terms, and which of the atoms are actions.

    `chosen` is what else the program let the solver choose, whether it is shown or not.
    """

    symbols: tuple[Symbol, ...]
    actions: tuple[Symbol, ...]
    chosen: tuple[Symbol, ...] = ()

    def texts(self) -> tuple[str, ...]:
        """All that is shown, as text."""
        return tuple(map(str, self.symbols))


@dataclass(frozen=True)
class Answer:
    """What one solve call said.

    Attributes
    ----------
    satisfiable
        None where the call was stopped.
    models
        What is shown of each model that counts; the optimal ones of an optimizing program.
    cost
        The cost of the last model; empty without an objective.
    proven
        Whether the last model is known to be optimal.
    empty_core
        Unsatisfiable whatever the externals say.
    core
        Literals of assumptions that cannot hold together, in clingo's numbers.
    """

    satisfiable: bool | None
    models: tuple[Shown, ...] = ()
    cost: tuple[int, ...] = ()
    proven: bool = False
    empty_core: bool = False
    core: tuple[int, ...] = ()


def is_helper(atom: Symbol) -> bool:
    """Whether an atom is asplan's own, which no model shows."""
    if atom.type != SymbolType.Function:
        return False
    return atom.name.startswith(HELPER) or atom.match(QUERY[1], 1)


class Wanted:
    """Keeps the models that count: the first N, or the optimal ones.

    `choices` are the predicates whose atoms are kept although they may not be shown.
    """

    def __init__(
        self,
        number: int,
        optimize: bool,
        choices: Collection[Signature] = (),
        on_better: Callable[[Answer], None] = lambda answer: None,
    ) -> None:
        self.number, self.optimize, self.on_better = number, optimize, on_better
        self.choices = choices
        self.cost: tuple[int, ...] = ()
        self.proven = False
        self.found: list[Shown] = []
        self._plans: set[tuple[Symbol, ...]] = set()

    def take(self, model: Model) -> bool:
        """Called by clingo for each model; says whether to go on."""
        atoms = tuple(s for s in model.symbols(shown=True) if not is_helper(s))
        # Without a cost, as where no tuple of the objective counts, every model is a best one.
        proven = model.optimality_proven or not model.cost
        first_proven = proven and not self.proven
        self.cost, self.proven = tuple(model.cost), proven
        if self.optimize and (first_proven or not self.proven):
            self.found.clear()
            self._plans.clear()
        actions = tuple(s for s in atoms if s.match("occurs", 2) and model.contains(s))
        self.found.append(Shown(atoms, actions, self._chosen(model, actions)))
        if self.optimize and not self.proven:
            self.on_better(self.answer())
            return True
        return len(self.found) != self.number

    def _chosen(self, model: Model, actions: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
        """What else was chosen, in the first model with these actions: one plan is made of all."""
        if not self.choices or actions in self._plans:
            return ()
        self._plans.add(actions)
        return tuple(s for s in model.symbols(atoms=True) if predicate(s) in self.choices)

    def answer(self) -> Answer:
        """What was found so far."""
        return Answer(True, tuple(self.found), self.cost, self.proven)
