"""What has to be known of a machine to compare times that were measured on it."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("clingo", "python-sat", "z3-solver", "fast-downward.translate", "numpy")


def machine() -> dict[str, str]:
    """Its name, processor, cores, memory and system."""
    import psutil

    return {
        "host": platform.node(),
        "processor": _processor(),
        "cores": str(os.cpu_count() or ""),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GB",
        "system": platform.platform(),
    }


def versions() -> dict[str, str]:
    """Of asplan, Python, and the packages that do the work, as far as they are installed."""
    found = {"asplan": version("asplan"), "Python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    """Its name, as Linux tells it; elsewhere what Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())
