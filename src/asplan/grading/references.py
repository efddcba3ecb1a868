"""Reference solutions: programs or PDDL domains that judge plans in place of a domain's model."""

from collections.abc import Iterator, Mapping

from asplan.api.explaining import explain
from asplan.core.dataclass import dataclass
from asplan.core.errors import AsplanError, InvalidPlan
from asplan.core.limits import Limits
from asplan.core.plan import Plan
from asplan.explaining.explanation import Nearest, Refusal, Values
from asplan.grading.submissions import SUFFIXES
from asplan.problem import Inputs


def is_reference(word: str) -> bool:
    """Return whether a word names a program or PDDL file, by its suffix, and not a domain."""
    return word.endswith(SUFFIXES)


@dataclass(frozen=True)
class Reference:
    """A reference solution: its file, and the values of its constants."""

    file: str
    constants: Mapping[str, str]

    @property
    def steps(self) -> str | None:
        """The kind of steps: `sequential` (one action a step) for PDDL, None for ASP."""
        return "sequential" if self.file.endswith(".pddl") else None

    def inputs_with(self, instance: str) -> Inputs:
        """Return the inputs to solve an instance with the reference."""
        return Inputs((self.file, instance), constants=self.constants, steps=self.steps)

    def explain_refusal(
        self, instance: str, plan: Plan, error: InvalidPlan, limits: Limits
    ) -> InvalidPlan:
        """Return the error of a plan that the reference refuses, with the rule that refuses it."""
        return explain_refusal(self.inputs_with(instance), plan, error, limits)


def explain_refusal(inputs: Inputs, plan: Plan, error: InvalidPlan, limits: Limits) -> InvalidPlan:
    """Return the error of a refused plan, with the rule of the inputs that refuses it.

    Return `error`, the error of the check, if no rule is found.
    """
    if not inputs.files[0].endswith(".lp"):  # the check of a PDDL plan names the reason
        return error
    try:
        explanation = explain(
            *inputs.files,
            plan=plan,
            constants=inputs.constants,
            time_limit=limits.seconds,
            memory_limit=limits.megabytes,
        )
    except AsplanError:
        return error
    refusal = explanation.refusal
    reasons = list(_reasons(refusal)) if refusal else []
    if refusal is None or not reasons:
        return error
    step = None if refusal.kind == "goal" else refusal.step
    return InvalidPlan(f"{_headline(refusal)}{reasons[0]}", step=step)


def _headline(refusal: Refusal) -> str:
    """Return the beginning of the message of a refusal; a reason follows it."""
    actions = ", ".join(refusal.actions) or "no action"
    if refusal.kind == "goal":
        return f"after step {refusal.step} the goal does not hold, by "
    if refusal.kind == "constraint":
        return f"step {refusal.step}: {actions} breaks "
    return f"step {refusal.step}: {actions} does not apply: "


def _reasons(refusal: Refusal) -> Iterator[str]:
    """Yield a reason for each violated constraint, or for each action that is not offered."""
    for violation in refusal.broken:
        rule = violation.rule
        yield f"the rule {rule.at.file}:{rule.at.line}{_with(violation.values)}: {rule.text}"
    for nearest in refusal.nearest:
        yield _why_not_offered(nearest)


def _why_not_offered(nearest: Nearest) -> str:
    """Return the reason why no rule offers an action.

    Often the rule that offers actions only reads an atom such as `possible(t,A)`. Then the reason
    is the reason why that atom is false.
    """
    reason = nearest.because or nearest
    if reason.rule is None or reason.literal is None:
        return f"{reason.atom} does not hold"
    place = f"{reason.rule.at.file}:{reason.rule.at.line}"
    return f"{reason.literal.text} does not hold{_with(reason.values)} ({place})"


def _with(values: Values) -> str:
    shown = ", ".join(f"{name}={value}" for name, value in values)
    return f" with {shown}" if shown else ""
