"""The contract between a program and asplan: the facts `asplan(…)`, which no other module reads.

Facts without a body in `base`, known before anything is grounded:

- `domain(NAME)`: the program belongs to a domain that asplan knows; its model checks plans too.
- `staged`: `step(t)` is to be grounded in a call of its own before `check(t)`.
- `ordered`: actions of a step can be executed one by one; the check of a plan finds an order.
- `guided(NAME)`: the constant NAME, set to 1, adds heuristics: plans sooner, proofs later.
- `action(NAME,ARITY)`: the predicate is an action. If there are such facts, a plan consists of
  their predicates alone; else the rules and the shown predicates decide (see `roles`).
- `estimates`: the objective has two levels: first the cost of the plan, plus a lower bound for its
  cost beyond step t, where the goal need not hold; then, at a lower priority, the missing part of
  the goal. So its optimum is a lower bound for plans of any length; exact if nothing is missing.
- `minimize(VARIABLE)`: of the plans with the fewest steps, find one with the least value of this.

In `base`, derived in any way:

- `monotone`: once the goal has held nothing more needs to happen, and every plan can be prolonged:
  in the program of n steps the goal can hold at any t from the length of the shortest plan to n,
  and at no other. A goal state without a successor breaks that.
- `least(N)`: no plan has fewer than N steps, so smaller horizons need no search.
- `modes(M)`: the file serves only the named modes.
- `refuses(Subject,"why, and what to use instead")`: the encoding does not serve this instance.

In `step(t)` or `check(t)`:

- `exhausted(t)`: nothing new can be reached at step t or later.
- `next_bound(B)`: something was cut off at the constant `bound`; B is the least bound that
  changes it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache

from asplan.clingo import Function, Number, Symbol, SymbolType
from asplan.core.choices import Mode
from asplan.core.dataclass import dataclass
from asplan.core.errors import InputError, Location, UsageError, nearest
from asplan.program import syntax
from asplan.program.reading.unit import Section, Unit, pairs
from asplan.program.syntax import AST, ASTType, Signature

Find = Callable[[Symbol], Location | None]
"""A function from a fact to its location in the files; None if it is not found."""

CONTRACT = "asplan"
"""The predicate of the facts that address asplan."""


_STATIC = {
    "staged": "",
    "ordered": "",
    "estimates": "",
    "domain": "(NAME)",
    "guided": "(NAME)",
    "action": "(NAME,ARITY)",
    "minimize": "(VARIABLE)",
}
"""Claims that must be known before grounding, each with its arguments as text."""

_DERIVED = {
    "monotone": "",
    "least": "(N)",
    "modes": "(MODE)",
    "refuses": '(Fact,"why")',
    "exhausted": "(t)",
    "next_bound": "(B)",
}
"""Claims that rules may derive, each with its arguments as text."""

_ARGUMENTS = _STATIC | _DERIVED


@dataclass(frozen=True)
class Claims:
    """The claims of a program that are known before grounding.

    Attributes
    ----------
    domain
        The domain to which the program belongs.
    staged
        Whether `step(t)` is to be grounded before `check(t)`.
    ordered
        Whether the actions of a step can be executed in some order. The check of a plan finds the
        order.
    cuts
        Whether a rule may derive `next_bound`: the constant `bound` cuts off a part of the search.
    guide
        The constant that adds heuristics if it is 1.
    estimates
        Whether the objective includes a lower bound on the cost beyond the last step.
    minimized
        The theory variable to minimize.
    actions
        The predicates of actions, with the locations of the claims.
    """

    domain: str | None = None
    staged: bool = False
    ordered: bool = False
    cuts: bool = False
    guide: str | None = None
    estimates: bool = False
    minimized: str | None = None
    actions: Mapping[Signature, Location | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Contract:
    """The claims that grounding has confirmed, on which the search for plans relies.

    `monotone` means that a plan of n steps makes all horizons from n on satisfiable. `modes` are
    the modes that the program serves. No plan has fewer steps than `least`.
    """

    monotone: bool
    modes: frozenset[str]
    least: int = 0


def read_claims(units: Iterable[Unit]) -> Claims:
    """Return the claims of a program that are known before grounding.

    Raise `InputError` at an unknown or misspelt claim.
    """
    claims = dict[str, AST]()
    for unit in units:
        claims.update(_claims(unit))
    actions = [claim for claim in claims.values() if claim.name == "action"]
    return Claims(
        domain=_named(claims.get("domain")),
        staged="staged" in claims,
        ordered="ordered" in claims,
        cuts="next_bound" in claims,
        guide=_named(claims.get("guided")),
        estimates="estimates" in claims,
        minimized=_argument(claims.get("minimize")),
        actions=dict(map(_action, actions)),
    )


def _argument(claim: AST | None) -> str | None:
    return None if claim is None else str(claim.arguments[0])


def _named(claim: AST | None) -> str | None:
    """Return the name in a claim such as `domain(NAME)`, also if it is written as a string."""
    argument = _argument(claim)
    return None if argument is None else argument.strip('"')


@lru_cache(maxsize=64)
def _claims(unit: Unit) -> dict[str, AST]:
    """Map the names of a unit's claims to the claims, such as `domain` to `domain(rush_hour)`.

    If a claim is a variable, its name is empty. There may be several claims `action(…)`; their keys
    are the whole terms.
    """
    claims = dict[str, AST]()
    if not any(name == CONTRACT for _, name, _ in unit.defined):
        return claims
    for section, statement in pairs(unit.sections):
        for atom in _contract_heads(statement):
            claim = _claim(statement, atom)
            if claim.name in _STATIC and not _is_base_fact(statement, section):
                what = f"{CONTRACT}({claim}) must be known before anything is grounded"
                hint = "write it as a fact of the part base, without a body"
                raise InputError(what, at=syntax.location(statement), hint=hint)
            key = str(claim) if claim.name == "action" else claim.name
            claims[key] = claim.update(location=statement.location)
    return claims


def _contract_heads(statement: AST) -> Iterator[AST]:
    for atom in syntax.heads(statement):
        _, name, _ = syntax.signature(atom)
        if name == CONTRACT:
            yield atom


def _is_base_fact(statement: AST, section: Section) -> bool:
    if statement.ast_type != ASTType.Rule or section.part != "base":
        return False
    return syntax.is_literal(statement.head, sign=None) and not statement.body


def _action(claim: AST) -> tuple[Signature, Location]:
    """Return the predicate in a claim `action(NAME,ARITY)`, and the location of the claim."""
    name, arity = claim.arguments
    at = syntax.location(claim)
    number = syntax.number_of(arity)
    is_symbol = name.ast_type == ASTType.SymbolicTerm and str(name).isidentifier()
    if number is None or not is_symbol:
        raise _misspelt(f"{CONTRACT}({claim})", "action", at)
    return ("", str(name), number), at


def _misspelt(text: str, name: str, at: Location | None) -> InputError:
    """Return the error about a claim with wrong arguments.

    `text` is the fact, `name` the name of the claim. `at` is its location.
    """
    form = f"{CONTRACT}({name}{_ARGUMENTS[name]})"
    return InputError(f"{text} must be written as {form}", at=at)


def _claim(statement: AST, atom: AST) -> AST:
    """Return the claim in the atom `asplan(…)` as a function term.

    The name is empty if only grounding can determine the claim.
    """
    terms = syntax.arguments(atom)
    sign, _, arity = syntax.signature(atom)
    if sign or arity != 1:
        what = f"{atom}: a fact for asplan has one term, asplan(…)"
        raise InputError(what, at=syntax.location(statement))
    (term,) = terms
    if term.ast_type == ASTType.SymbolicTerm and term.symbol.type == SymbolType.Function:
        term = syntax.named_term(term, str(term.symbol))
    if term.ast_type != ASTType.Function:
        return syntax.named_term(term, "")
    _check_claim(str(atom), term.name, len(term.arguments), syntax.location(statement))
    return term


def _check_claim(text: str, name: str, arity: int, at: Location | None = None) -> None:
    """Raise `InputError` if the claim in the fact `text` is unknown or has a wrong arity.

    `at` is the location of the fact.
    """
    arguments = _ARGUMENTS.get(name)
    if arguments is None:
        hint = nearest(name, _ARGUMENTS, noun="facts")
        raise InputError(f"{text} is not a fact that asplan understands", at=at, hint=hint)
    if name == "modes" and arity:
        return
    if arity != (arguments.count(",") + 1 if arguments else 0):
        raise _misspelt(text, name, at)


def read_contract(facts: Sequence[Symbol], find: Find | None, mode: Mode) -> Contract:
    """Return the claims that a program makes in its grounded `base` part.

    Parameters
    ----------
    facts
        The facts `asplan(…)`.
    find
        Returns the location of a fact, which the error names if the encoding refuses the instance.
    mode
        The mode in which the program is to be solved.

    Raises
    ------
    InputError
        If a claim is unknown or wrong, or if the encoding refuses the instance.
    UsageError
        If the encoding does not serve the mode.
    """
    claims = [fact.arguments[0] for fact in facts]
    for fact, claim in zip(facts, claims, strict=True):
        _check_fact(fact, claim, find)
    return Contract(Function("monotone") in claims, _served_modes(claims, mode), _least(claims))


def _check_fact(fact: Symbol, claim: Symbol, find: Find | None) -> None:
    """Raise `InputError` if `claim`, the argument of `fact`, is unknown or refuses the instance.

    `find` returns the location of a fact for the error.
    """
    is_function = claim.type == SymbolType.Function
    name = claim.name if is_function else str(claim)
    arity = len(claim.arguments) if is_function else 0
    _check_claim(str(fact), name, arity)
    if name == "refuses":
        subject, why = claim.arguments
        text = why.string if why.type == SymbolType.String else str(why)
        raise InputError(f"{subject}: {text}", at=find(subject) if find else None)


def _served_modes(claims: Iterable[Symbol], mode: Mode) -> frozenset[str]:
    """Return the modes that a program serves; raise an error if `mode` is not among them.

    A program that makes no claim about modes serves all modes.
    """
    named = set[str]()
    for claim in claims:
        if claim.type == SymbolType.Function and claim.name == "modes":
            named.update(map(str, claim.arguments))
    strange = sorted(named.difference(Mode))
    if strange:
        what = f"{CONTRACT}(modes({strange[0]})): there is no mode {strange[0]}"
        raise InputError(what, hint=nearest(strange[0], tuple(Mode), noun="modes"))
    modes = frozenset(named or Mode)
    if mode not in modes:
        what = f"the encoding does not serve the mode {mode}"
        raise UsageError(what, hint=f"it serves {', '.join(modes)}")
    return modes


def _least(claims: Iterable[Symbol]) -> int:
    """Return the greatest claimed lower bound on the length of plans; 0 if there is no claim."""
    least = 0
    for claim in claims:
        if not claim.match("least", 1):
            continue
        number = claim.arguments[0]
        if number.type != SymbolType.Number:
            raise InputError(f"{CONTRACT}(least({number})): {number} is not a number")
        least = max(least, number.number)
    return least


def exhausted(t: int) -> Symbol:
    """Return the fact `asplan(exhausted(t))`: nothing new can be reached at step t or later."""
    return Function(CONTRACT, [Function("exhausted", [Number(t)])])


def next_bound(facts: Iterable[Symbol], present: Symbol | None) -> int | None:
    """Return the least claimed value of the constant `bound` for the next run.

    Return None if nothing was cut off.

    Raises
    ------
    InputError
        If this value is not a number, or not above `present`, the value in this run.
    """
    bounds = list[int]()
    for fact in facts:
        claim = fact.arguments[0]
        if not claim.match("next_bound", 1):
            continue
        bound = claim.arguments[0]
        if bound.type != SymbolType.Number:
            raise InputError(f"{CONTRACT}(next_bound({bound})): {bound} is not a number")
        bounds.append(bound.number)
    least = min(bounds, default=None)
    if least is None or present is None or present.type != SymbolType.Number:
        return least
    if least <= present.number:
        what = f"{CONTRACT}(next_bound({least})) is not above the bound {present}"
        hint = "it names the least constant bound that can change the answer"
        raise InputError(what, hint=hint)
    return least
