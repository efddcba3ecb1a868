"""Trials on the workers of a Dask scheduler, which may be many machines.

A trial travels with the files that it needs, so that workers share no disk. Where a worker dies,
the scheduler gives its trial to another one.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from asplan.bench.records import Record
from asplan.bench.running import Place, Trial, run_trial, with_included
from asplan.bench.suite import SuiteLimits
from asplan.core.errors import UsageError, needs_extra
from asplan.core.files import is_there
from asplan.core.pool import LOOK, Abandoned
from asplan.problem.catalog import shipped_as, shipped_path
from asplan.version import __version__

PATIENCE = 10  # seconds that the scheduler gets to answer
AHEAD = 2  # trials for each thread of a worker that are with the scheduler at a time


def on_cluster(address: str) -> Place:
    """A place that makes trials on the workers of the scheduler at an address."""
    with needs_extra("a Dask scheduler needs the package {}", "cluster"):
        import distributed  # noqa: F401
    return partial(run_on_cluster, address)


def run_on_cluster(
    address: str, trials: Iterable[Trial], limits: SuiteLimits, waiting: Callable[[], None]
) -> Iterator[Record]:
    """Make trials on workers, and yield records as they end; `UsageError` where no one answers."""
    from distributed import wait

    rest = iter(trials)
    with _client(address) as client:
        running: dict[Any, Trial] = {}
        while True:
            with _connection():
                wanted = max(1, AHEAD * sum(client.nthreads().values()))
            for trial in islice(rest, max(0, wanted - len(running))):
                parcel = _parcel(trial)
                with _connection():
                    running[client.submit(run_parcel, parcel, limits, pure=False)] = trial
            if not running:
                return
            with _connection():
                try:
                    ended = wait(list(running), LOOK, "FIRST_COMPLETED").done  # type: ignore[no-untyped-call]
                except TimeoutError:
                    ended = set()
            if not ended:
                waiting()
            for job in ended:
                yield _record(job, running.pop(job))


@contextmanager
def _connection() -> Iterator[None]:
    """Raise `UsageError` where the scheduler does not answer any more."""
    try:
        yield
    except (CancelledError, OSError, RuntimeError) as error:
        raise UsageError(_GONE, hint=_GO_ON) from error


_GONE = "the Dask scheduler is gone"
_GO_ON = "what was done is kept; with a scheduler that runs, --resume goes on with it"


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """A connection to the scheduler, closed at the end as far as that is still there."""
    from distributed import Client

    # It would write a traceback wherever a connection is lost, of which our own error tells.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TimeoutError) as error:
        hint = "start one by dask scheduler, and name its address, as in tcp://head:8786"
        raise UsageError(f"no Dask scheduler answers at {address}: {error}", hint=hint) from None
    try:
        yield client
    finally:
        with suppress(TimeoutError, OSError):
            client.close()  # type: ignore[no-untyped-call]


def _record(job: Any, trial: Trial) -> Record:
    """What came of a trial; `UsageError` where the workers cannot make any, or it is lost."""
    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    try:
        record: Record = job.result()
        return record
    except (CancelledError, CommClosedError) as error:
        raise UsageError(_GONE, hint=_GO_ON) from error
    except ImportError as error:
        hint = f"install asplan {__version__} where they run"
        raise UsageError(f"the workers cannot import {error.name}", hint=hint) from None
    except KilledWorker:
        instance, method, repetition = trial.key
        why = "all workers died that were given it"
        return Record(instance=instance, method=method, repetition=repetition, error=why)


@dataclass(frozen=True)
class Parcel:
    """A trial with its files by their paths; those that ship with asplan are named only."""

    trial: Trial
    files: Mapping[str, bytes]
    shipped: Mapping[str, str]
    version: str = __version__


def _parcel(trial: Trial) -> Parcel:
    encoding = (trial.method.encoding or "").partition(":")[0]
    files: dict[str, bytes] = {}
    shipped: dict[str, str] = {}
    for path in (*trial.instance.files, *([encoding] if is_there(encoding) else [])):
        if name := shipped_as(path):
            shipped[path] = name
        else:
            files |= {file: Path(file).read_bytes() for file in with_included(path, trial.trust)}
    return Parcel(trial, files, shipped)


def run_parcel(parcel: Parcel, limits: SuiteLimits) -> Record:
    """Unpack a trial on a worker, and make it; raises `UsageError` in another version of asplan."""
    if parcel.version != __version__:
        why = f"a worker has asplan {__version__}, and {parcel.version} is asked for"
        raise UsageError(why, hint="install the same version everywhere")
    with TemporaryDirectory(prefix="asplan-") as folder:
        places = {path: str(shipped_path(name)) for path, name in parcel.shipped.items()}
        for path, data in parcel.files.items():
            target = Path(folder, *Path(path).absolute().parts[1:])
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            places[path] = str(target)
        trial, method = parcel.trial, parcel.trial.method
        files = tuple(places[file] for file in trial.instance.files)
        if method.encoding is not None:
            file, mark, rest = method.encoding.partition(":")
            method = replace(method, encoding=places.get(file, file) + mark + rest)
        here = replace(trial, instance=replace(trial.instance, files=files), method=method)
        record = run_trial(here, limits, _heed())
        reason, error = (t.replace(folder, "") for t in (record.reason, record.error))
        return msgspec.structs.replace(record, reason=reason, error=error)


def _heed() -> Callable[[], None]:
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def heed() -> None:
        task = worker.state.tasks.get(key)
        if task is None or task.state == "cancelled":
            raise Abandoned

    return heed
