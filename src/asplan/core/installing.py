"""The command that adds an optional extra to the installed asplan.

>>> print(pip_install("sat", Origin()))
pip install 'asplan[sat]'
"""

from __future__ import annotations

import shlex
from pathlib import Path

from asplan.core.dataclass import dataclass

_ROOT = Path(__file__).parents[3]
"""The folder of the repository, if asplan is used from a clone of it."""


@dataclass(frozen=True)
class Origin:
    """The folder or URL from which a package was installed; a released package has neither.

    `is_editable` is true if Python imports the package from the folder itself, not from a copy.
    """

    folder: Path | None = None
    is_editable: bool = False
    url: str = ""


def pip_install(extra: str, origin: Origin | None = None) -> str:
    """Return the command of pip that adds an extra, such as `sat`, to asplan.

    The command installs from `origin`, by default from the origin of this installation.
    """
    origin = find_origin() if origin is None else origin
    if origin.folder is None:
        wanted = f"asplan[{extra}] @ {origin.url}" if origin.url else f"asplan[{extra}]"
        return f"pip install {shlex.quote(wanted)}"
    folder = "." if origin.folder == Path.cwd() else str(origin.folder)
    option = "-e " if origin.is_editable else ""
    return f"pip install {option}{shlex.quote(f'{folder}[{extra}]')}"


def find_origin() -> Origin:
    """Return the origin of this asplan; a clone used without installation counts as editable."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution

    if (_ROOT / "pyproject.toml").is_file():
        return Origin(_ROOT, is_editable=True)
    try:
        text = distribution("asplan").read_text("direct_url.json")
        return origin_of(json.loads(text)) if text else Origin()
    except (PackageNotFoundError, ValueError):
        return Origin()


def origin_of(record: dict[str, object]) -> Origin:
    """Return the origin in a record of pip's file `direct_url.json` (PEP 610)."""
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    url = record.get("url")
    folder = record.get("dir_info")
    source = record.get("vcs_info")
    if isinstance(folder, dict):
        path = Path(url2pathname(urlsplit(str(url)).path))
        return Origin(path, is_editable=bool(folder.get("editable")))
    if isinstance(source, dict):
        return Origin(url=f"{source.get('vcs')}+{url}")
    return Origin(url=str(url or ""))
