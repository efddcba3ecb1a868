"""What a program says to asplan, all of it in facts `asplan(…)`; read here and nowhere else.

Facts without a body in `base`, known before anything is grounded:

- `domain(NAME)`: it speaks of a domain that asplan knows; plans are checked by the model, too.
- `staged`: `step(t)` is to be grounded in a call of its own before `check(t)`.
- `ordered`: actions of a step can be executed one by one; the check of a plan finds an order.
- `guided(NAME)`: the constant NAME, set to 1, brings heuristics: plans sooner, proofs later.
- `action(NAME,ARITY)`: the predicate says what happens; a plan is made of all that are named so.
  Without it, actions are found by the rules and by what is shown (see `roles`).
- `estimates`: the objective has two levels: what the plan costs, and beyond step t, where the goal
  need not hold, at most what any plan still costs; and at a lower priority how much of the goal is
  missing. So its optimum is a lower bound for plans of any length, and exact where none is.
- `minimize(VARIABLE)`: of the plans with the fewest steps one for which this is least is wanted.

In `base`, derived in any way:

- `monotone`: once the goal has held nothing more needs to happen, and every plan can be prolonged:
  in the program of n steps the goal can hold at any t from the length of the shortest plan to n,
  and at no other. A goal state without a successor breaks that.
- `least(N)`: no plan has fewer than N steps, so smaller horizons need no search.
- `modes(M)`: the file serves only the modes that are named so.
- `refuses(Subject,"why, and what to use instead")`: the encoding does not serve this instance.

In `step(t)` or `check(t)`:

- `exhausted(t)`: nothing new can be reached at step t or later.
- `next_bound(B)`: something was cut off at the constant `bound`; B is the least that changes it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from clingo import Function, Number, Symbol, SymbolType

from asplan.core.errors import InputError, Location, UsageError, nearest
from asplan.program import syntax
from asplan.program.syntax import AST, ASTType, Signature
from asplan.program.unit import Unit, pairs

Find = Callable[[Symbol], Location | None]  # finds where a fact was written

CONTRACT = "asplan"
MODES = ("incremental", "fixed", "minimize")
_WRITTEN = {
    **dict.fromkeys(("staged", "ordered", "estimates"), ""),
    **dict.fromkeys(("domain", "guided"), "(NAME)"),
    "action": "(NAME,ARITY)",
    "minimize": "(VARIABLE)",
}
"""The words that are known before anything is grounded, and how they go on."""

_KNOWN = _WRITTEN | {"monotone": "", "least": "(N)", "modes": "(MODE)", "refuses": '(Fact,"why")'}
_KNOWN |= {"exhausted": "(t)", "next_bound": "(B)"}


@dataclass(frozen=True)
class Claims:
    """What is seen before anything is grounded: `cuts` if some rule says next_bound."""

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
    """What the controller may rely on."""

    monotone: bool
    modes: frozenset[str]
    least: int = 0


def read_claims(units: Iterable[Unit]) -> Claims:
    """What a program says in so many words; `InputError` at what asplan does not know."""
    said = {name: claim for unit in units for name, claim in _claims(unit).items()}
    named = {n: str(said[n].arguments[0]).strip('"') for n in ("domain", "guided") if n in said}
    return Claims(
        domain=named.get("domain"),
        staged="staged" in said,
        ordered="ordered" in said,
        cuts="next_bound" in said,
        guide=named.get("guided"),
        estimates="estimates" in said,
        minimized=str(said["minimize"].arguments[0]) if "minimize" in said else None,
        actions=dict(_action(claim) for claim in said.values() if claim.name == "action"),
    )


@lru_cache(maxsize=64)
def _claims(unit: Unit) -> dict[str, AST]:
    """By name what one unit says; what only grounding tells has no name."""
    claims: dict[str, AST] = {}
    if not any(name == CONTRACT for _, name, _ in unit.defined):
        return claims
    for section, statement in pairs(unit.sections):
        at = syntax.location(statement)
        for atom in (
            atom for atom in syntax.heads(statement) if syntax.signature(atom)[1] == CONTRACT
        ):
            claim = _claim(statement, atom)
            is_rule = statement.ast_type == ASTType.Rule
            plain = is_rule and syntax.is_literal(statement.head, sign=None)
            if claim.name in _WRITTEN and (not plain or statement.body or section.part != "base"):
                what = f"{CONTRACT}({claim}) must be known before anything is grounded"
                hint = "write it as a fact of the part base, without a body"
                raise InputError(what, at=at, hint=hint)
            name = str(claim) if claim.name == "action" else claim.name
            claims[name] = claim.update(location=statement.location)
    return claims


def _action(claim: AST) -> tuple[Signature, Location]:
    """The predicate that `action(NAME,ARITY)` names, and where."""
    name, arity = claim.arguments
    number = syntax.number_of(arity)
    if number is None or not str(name).isidentifier() or name.ast_type != ASTType.SymbolicTerm:
        text = f"{CONTRACT}(action{_KNOWN['action']})"
        raise InputError(f"{CONTRACT}({claim}) is written {text}", at=syntax.location(claim))
    return ("", str(name), number), syntax.location(claim)


def _claim(statement: AST, atom: AST) -> AST:
    """What stands between the parentheses, as a function; one that only grounding tells is ""."""
    terms = syntax.arguments(atom)
    if syntax.signature(atom)[0] or len(terms) != 1:
        what = f"{atom}: what a program says to asplan is one term, asplan(…)"
        raise InputError(what, at=syntax.location(statement))
    (term,) = terms
    if term.ast_type == ASTType.SymbolicTerm and term.symbol.type == SymbolType.Function:
        term = syntax.named_term(term, str(term.symbol))
    if term.ast_type != ASTType.Function:
        return syntax.named_term(term, "")
    _check_known(str(atom), term.name, len(term.arguments), syntax.location(statement))
    return term


def _check_known(text: str, name: str, arity: int, at: Location | None = None) -> None:
    if name not in _KNOWN:
        hint = nearest(name, _KNOWN, noun="words")
        raise InputError(f"{text}: a program cannot say that to asplan", at=at, hint=hint)
    form = _KNOWN[name]
    if arity != (form.count(",") + 1 if form else 0) and not (name == "modes" and arity):
        raise InputError(f"{text} is written {CONTRACT}({name}{form})", at=at)


def read_contract(said: Sequence[Symbol], find: Find | None, mode: str) -> Contract:
    """What the facts `asplan(…)` of a grounded base part say; `find` is for a fact at fault."""
    claims = [fact.arguments[0] for fact in said]
    for fact, claim in zip(said, claims, strict=True):
        is_function = claim.type == SymbolType.Function
        name = claim.name if is_function else str(claim)
        _check_known(str(fact), name, len(claim.arguments) if is_function else 0)
        if name == "refuses":
            subject, why = claim.arguments
            text = why.string if why.type == SymbolType.String else str(why)
            raise InputError(f"{subject}: {text}", at=find(subject) if find else None)
    named = {str(m) for claim in claims if claim.name == "modes" for m in claim.arguments}
    if strange := sorted(named - set(MODES)):
        what = f"{CONTRACT}(modes({strange[0]})): there is no mode {strange[0]}"
        raise InputError(what, hint=nearest(strange[0], MODES, noun="modes"))
    modes = frozenset(named or MODES)
    if mode not in modes:
        what = f"the encoding does not serve the mode {mode}"
        raise UsageError(what, hint=f"it serves {', '.join(modes)}")
    numbers = [claim.arguments[0] for claim in claims if claim.match("least", 1)]
    for number in numbers:
        if number.type != SymbolType.Number:
            raise InputError(f"{CONTRACT}(least({number})): {number} is no number")
    least = max((number.number for number in numbers), default=0)
    return Contract(Function("monotone") in claims, modes, least)


def exhausted(t: int) -> Symbol:
    """The fact that nothing new can be reached at t or later."""
    return Function(CONTRACT, [Function("exhausted", [Number(t)])])


def next_bound(said: Iterable[Symbol], present: Symbol | None) -> int | None:
    """The least bound to start again with, above the `present` one; None if nothing was cut off."""
    bounds = [f.arguments[0].arguments[0] for f in said if f.arguments[0].match("next_bound", 1)]
    if wrong := [bound for bound in bounds if bound.type != SymbolType.Number]:
        raise InputError(f"{CONTRACT}(next_bound({wrong[0]})): {wrong[0]} is no number")
    least = min((bound.number for bound in bounds), default=None)
    if least is None or present is None or present.type != SymbolType.Number:
        return least
    if least <= present.number:
        hint = "it names the least constant bound that can change the answer"
        raise InputError(
            f"{CONTRACT}(next_bound({least})) is not above the bound {present}", hint=hint
        )
    return least
