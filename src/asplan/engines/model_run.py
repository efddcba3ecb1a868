"""A run of an engine on a domain's model alone, without files or an encoding."""

from __future__ import annotations

from asplan.core.limits import Limits
from asplan.domains import Domain
from asplan.domains.model import DomainModel, complete
from asplan.engines import OptionValue, find_engine, make_options
from asplan.engines.run import Run
from asplan.problem.problem import DomainInstance
from asplan.result import Result


def run_on_model(
    domain: Domain,
    model: DomainModel,
    engine: str,
    limits: Limits | None = None,
    **options: OptionValue,
) -> Result:
    """Run an engine on a domain's Python model alone.

    The plan is not validated. Options and errors are the same as those of `asplan.solve`.
    """
    limits = limits or Limits()
    chosen = make_options(engine, options, limits)
    problem = DomainInstance(domain=domain, model=complete(model))
    return find_engine(engine).run(Run(problem, chosen, limits))
