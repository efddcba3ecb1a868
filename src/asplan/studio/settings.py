"""What a run is asked for, and what the page may change of that: all but the files."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import msgspec

from asplan.core.errors import UsageError
from asplan.core.files import is_regular, is_there
from asplan.core.limits import Limits
from asplan.domains import domains
from asplan.problem import Inputs, constants_of
from asplan.problem.catalog import encodings, find_encoding, find_instance
from asplan.problem.problem import with_variant

LONGEST = 86_400.0  # seconds of a run at most


@dataclass(frozen=True)
class StudioSettings:
    """What a run is asked for; of `encodings`, `encoding` is taken, None being the fastest."""

    files: tuple[str, ...]
    encodings: tuple[str, ...] = ()
    encoding: str | None = None
    constants: Mapping[str, str] = field(default_factory=dict)
    max_horizon: int | None = None
    time_limit: float = 60.0
    memory_limit: int | None = None
    allow_includes: bool = False
    read_only: bool = False

    @property
    def inputs(self) -> Inputs:
        """What is to be loaded; no script of it ever runs."""
        allows = self.allow_includes
        return Inputs(self.files, None, self.encoding, self.constants, allow_includes=allows)

    @property
    def limits(self) -> Limits:
        return Limits(self.time_limit, self.memory_limit, max_horizon=self.max_horizon)

    @property
    def named(self) -> tuple[str, ...]:
        """The files that are named, the encoding first; raises `InputError` where one is gone."""
        encoding = with_variant(self.inputs).encoding
        own = (encoding,) if encoding and is_there(encoding) else ()
        return (*own, *map(find_instance, self.files))

    def check(self) -> None:
        if not self.files:
            raise UsageError("no files are given", hint="name an instance, for example sample02")
        if not 0 < self.time_limit <= LONGEST:
            raise UsageError(
                f"a time limit of {self.time_limit:g} s: "
                f"in the studio it is above 0, and at most {LONGEST:g}"
            )
        self.limits.check()
        for file in map(find_instance, self.files):
            if not is_regular(file):
                raise UsageError(f"{file or 'a file without a name'}: this cannot be followed")
        for word in self.encodings:
            name = str(with_variant(Inputs(encoding=word)).encoding)
            if not is_there(name) and not any(entry.is_called(name) for entry in encodings()):
                find_encoding(name, None)  # says what is wrong with the name


class _Wanted(msgspec.Struct, forbid_unknown_fields=True):
    """What the page sends; nothing in `encoding` or in a variant is asplan's choice."""

    encoding: str = ""
    constants: str = ""
    variants: dict[str, str] = {}
    max_horizon: Annotated[int, msgspec.Meta(ge=0)] | None = None
    time_limit: float = 60.0


def with_changes(settings: StudioSettings, body: bytes) -> StudioSettings:
    """The settings with what a page wants to be otherwise; `UsageError` for what cannot be."""
    try:
        wanted = msgspec.json.decode(body, type=_Wanted)
    except msgspec.DecodeError as error:
        raise UsageError(f"these are no settings: {error}") from None
    if wanted.encoding and wanted.encoding not in (*settings.encodings, *_shipped()):
        raise UsageError(f"no encoding of the list: {wanted.encoding}")
    variants = {name: value or None for name, value in wanted.variants.items()}
    limits: dict[str, Any] = {n: getattr(wanted, n) for n in ("max_horizon", "time_limit")}
    constants = constants_of(wanted.constants.split(), variants)
    found = replace(settings, encoding=wanted.encoding or None, constants=constants, **limits)
    found.check()
    return found


def to_page(settings: StudioSettings) -> dict[str, Any]:
    variants: dict[str, dict[str, list[str]]] = defaultdict(dict)  # those with a short form
    for domain in domains().values():
        for name in domain.short_forms:
            variants[name][domain.name] = list(domain.variants[name])
    choices: dict[str, list[str]] = defaultdict(list)
    for name in _shipped():
        choices[name.partition("/")[0]].append(name)
    given = settings.constants
    return {
        "encoding": settings.encoding or "",
        "encodings": list(settings.encodings),
        "shipped": choices,
        "constants": " ".join(f"{n}={v}" for n, v in given.items() if n not in variants),
        "variants": [
            {"name": name, "value": given.get(name, ""), "values": values}
            for name, values in variants.items()
        ],
        "max_horizon": settings.max_horizon,
        "time_limit": settings.time_limit,
        "read_only": settings.read_only,
    }


def _shipped() -> list[str]:
    return [f"{entry.domain}/{entry.name}" for entry in encodings()]
