"""The settings of a run, and the changes that the page may make to them: all except the files."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Annotated

import msgspec

from asplan.catalog import encodings, find_encoding, find_instance
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError
from asplan.core.files import STDIN, is_regular, is_there
from asplan.core.limits import Limits
from asplan.domains import domains
from asplan.problem import Inputs, constants_of
from asplan.problem.inputs import with_variant

LONGEST = 86_400.0  # seconds of a run


@dataclass(frozen=True)
class StudioSettings:
    """The settings of a run.

    `encoding` is the encoding in use: one of `encodings`, a shipped one, or None for the fastest.
    """

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
        """The inputs of the problem; scripts in files are never run."""
        return Inputs(
            files=self.files,
            encoding=self.encoding,
            constants=self.constants,
            allow_includes=self.allow_includes,
        )

    @property
    def limits(self) -> Limits:
        """The limits of a run."""
        return Limits(self.time_limit, self.memory_limit, max_horizon=self.max_horizon)

    @property
    def named(self) -> tuple[str, ...]:
        """The files that the user names, the encoding first; raises `InputError` for a missing
        file.
        """
        encoding = with_variant(self.inputs).encoding
        files = tuple(map(find_instance, self.files))
        return (encoding, *files) if encoding and is_there(encoding) else files

    def check(self) -> None:
        """Raise `UsageError` or `InputError` for invalid settings."""
        if not self.files:
            raise UsageError("no files are given", hint="name an instance, for example sample02")
        if not 0 < self.time_limit <= LONGEST:
            raise UsageError(
                f"a time limit of {self.time_limit:g} s: "
                f"the studio needs one above 0 s and at most {LONGEST:g} s"
            )
        self.limits.check()
        for file in map(find_instance, self.files):
            if not is_regular(file):
                raise UsageError(_why_not_watched(file))
        for word in self.encodings:
            _check_encoding(word)


def _why_not_watched(file: str) -> str:
    """Return the reason why the studio cannot watch a file."""
    if not file:
        return "the file has no name, so asplan cannot watch it"
    if file == STDIN:
        return "standard input is no file, so asplan cannot watch it: name a file"
    return f"{file} is not a regular file, so asplan cannot watch it"


def _check_encoding(word: str) -> None:
    """Raise `InputError` if a word names neither a file nor a shipped encoding."""
    name = str(with_variant(Inputs(encoding=word)).encoding)
    if is_there(name) or any(entry.is_called(name) for entry in encodings()):
        return
    find_encoding(name, None)  # raises the error for the name


class _SettingsRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The settings that the page sends; an empty encoding or variant stands for the default."""

    encoding: str = ""
    constants: str = ""
    variants: dict[str, str] = {}
    max_horizon: Annotated[int, msgspec.Meta(ge=0)] | None = None
    time_limit: float = 60.0


def change_settings(settings: StudioSettings, body: bytes) -> StudioSettings:
    """Return settings with the changes in a request's body; raise `UsageError` for invalid ones."""
    try:
        request = msgspec.json.decode(body, type=_SettingsRequest)
    except msgspec.DecodeError as error:
        raise UsageError(f"these are not settings: {error}") from None
    offered = (*settings.encodings, *_list_shipped())
    if request.encoding and request.encoding not in offered:
        raise UsageError(f"not an encoding of the list: {request.encoding}")
    variants = {name: value or None for name, value in request.variants.items()}
    changed = replace(
        settings,
        encoding=request.encoding or None,
        constants=constants_of(request.constants.split(), variants),
        max_horizon=request.max_horizon,
        time_limit=request.time_limit,
    )
    changed.check()
    return changed


def encode_settings(settings: StudioSettings) -> dict[str, object]:
    """Return the settings, and the possible values of each, as the data of the page's form."""
    variants = _find_variants()
    shipped: dict[str, list[str]] = defaultdict(list)
    for name in _list_shipped():
        domain, _, _ = name.partition("/")
        shipped[domain].append(name)
    constants = settings.constants
    others = [f"{name}={value}" for name, value in constants.items() if name not in variants]
    return {
        "encoding": settings.encoding or "",
        "encodings": list(settings.encodings),
        "shipped": shipped,
        "constants": " ".join(others),
        "variants": [
            {"name": name, "value": constants.get(name, ""), "values": values}
            for name, values in variants.items()
        ],
        "max_horizon": settings.max_horizon,
        "time_limit": settings.time_limit,
        "read_only": settings.read_only,
    }


def _find_variants() -> dict[str, dict[str, list[str]]]:
    """Return the constants that have an option of their own, such as `metric` with `--metric`.

    The result maps the name of each such constant to a dictionary: for each domain with this
    constant, the possible values.
    """
    variants: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for domain in domains().values():
        for name in domain.short_forms:
            variants[name][domain.name] = list(domain.variants[name])
    return variants


def _list_shipped() -> list[str]:
    return [f"{entry.domain}/{entry.name}" for entry in encodings()]
