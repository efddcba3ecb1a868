"""The model that a program is by itself: its states, and what its steps lead to.

A state is the set of atoms of one time that the next step reads, and whether the goal holds; as
bits, in a `bytes`. The first bit says that the goal does not hold. An action is all that happens in
one step. A step in which nothing happens and nothing changes is left out.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain, islice
from textwrap import wrap

from clingo import Symbol

from asplan.domains.model import Model
from asplan.program.incremental import HELPER, Program
from asplan.statespace.evaluation import Evaluated
from asplan.statespace.step import open_step

_WIDTH = 76  # characters in a line of a state as text
_AHEAD = 256  # states whose successors are found together, where one is asked for
_REMEMBERED = 100_000  # states whose successors are remembered
_BATCH = 4096  # states that are evaluated together, at most


class Step(tuple[str, ...]):
    """What happens in one step: the terms of its actions, in order."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(self)


Move = tuple[Step, bytes]  # what happens, and the state that follows


class ProgramModel(Model[bytes, Step]):
    """The states of a program; with `all_states` those without bearing on the goal told apart, too.

    `initials` are all initial states: a choice in `base` makes several. `heed` is called several
    times a second, and for each initial state; what it raises ends that. So many steps, `before`,
    lead to the initial states.
    """

    acts_together = True
    heed: Callable[[], None] = staticmethod(lambda: None)

    def __init__(
        self,
        program: Program,
        constants: Mapping[str, str],
        all_states: bool = False,
        heed: Callable[[], None] = lambda: None,
        before: int = 0,
    ) -> None:
        self.step = open_step(program, constants, heed, before)
        self.evaluated = Evaluated.of(self.step, all_states)
        self.initials = self.evaluated.starts()
        self._names = [str(action) for action, _ in self.step.actions]
        self._steps: dict[int, Step] = {}
        self._known: dict[bytes, list[Move]] = {}
        self._met: dict[bytes, bytes] = {}
        self._next: list[bytes] = []

    @property
    def initial(self) -> bytes:
        return self.initials[0]

    def is_goal(self, state: bytes) -> bool:
        return not state[0] & 1

    def successors(self, state: bytes) -> list[bytes]:
        return [after for _, after in self._moves(state)]

    def actions(self, state: bytes) -> list[Step]:
        # The same may lead to several states, where more is chosen.
        return [step for step, _ in self._moves(state)]

    def expand(self, states: Iterable[bytes]) -> list[bytes]:
        rest, found = iter(states), list[bytes]()
        while batch := list(islice(rest, _BATCH)):
            found += set(self.evaluated.after(batch, self.heed))
        return found

    def leading(self, states: Iterable[bytes], after: bytes) -> list[bytes]:
        return self.evaluated.leading(list(states), after)

    def between(self, state: bytes, after: bytes) -> list[Step]:
        return [self._happening(places) for places in self.evaluated.between(state, after)]

    def apply(self, state: bytes, action: Step) -> bytes:
        return next(after for step, after in self._moves(state) if step == action)

    def parse_action(self, term: Symbol) -> Step:
        return Step((str(term),))

    def why_not(self, state: bytes, action: Step) -> str | None:
        return None if action in self.actions(state) else "no answer set of the step has it"

    def terms(self, action: Step) -> tuple[str, ...]:
        return tuple(action)

    def fluents(self, state: bytes) -> list[Symbol]:
        """The program's own atoms in a state, without their times."""
        bits, fluents = int.from_bytes(state, "little"), self.evaluated.fluents
        there = (atom for place, atom in enumerate(fluents, 1) if bits >> place & 1)
        return sorted(atom for atom in there if not atom.name.startswith(HELPER))

    def text(self, state: bytes) -> str:
        found: dict[str, list[str]] = {}
        for atom in self.fluents(state):
            found.setdefault(atom.name, []).append(str(atom))
        lines = (wrap(" ".join(atoms), width=_WIDTH) for atoms in found.values())
        return "\n".join(chain.from_iterable(lines))

    def expected(self) -> list[bytes]:
        """States that were met lately, of which most is likely to be asked next; the last first."""
        return self._next[::-1]

    def _moves(self, state: bytes) -> list[Move]:
        """What may happen in a state, and in those met lately, which will be asked for next."""
        if state not in self._known:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
                self._met.clear()
            batch = {state: None}
            while self._next and len(batch) < _AHEAD:
                other = self._next.pop()
                if other not in self._known:
                    batch[other] = None
            for one, moves in zip(batch, self._found(list(batch)), strict=True):
                self._known[one] = moves
                self._next += (after for _, after in moves)
            self._next += (after for _, after in reversed(self._known[state]))
            del self._next[: -4 * _AHEAD]
        return self._known[state]

    def _found(self, states: list[bytes]) -> list[list[Move]]:
        moves: list[dict[Move, None]] = [{} for _ in states]
        for lane, happening, after in self.evaluated.transitions(states):
            after = self._met.setdefault(after, after)
            if happening or after != states[lane]:
                moves[lane][self._happening(happening), after] = None
        return [list(found) for found in moves]

    def _happening(self, places: int) -> Step:
        """The step in which the actions at some places happen."""
        if places not in self._steps:
            names = (name for place, name in enumerate(self._names) if places >> place & 1)
            self._steps[places] = Step(names)
        return self._steps[places]
