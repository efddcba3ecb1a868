"""Trials on the workers of a Dask scheduler, which may be many machines.

Each trial is sent with its files, so workers need no common disk. If a worker dies, the scheduler
gives its trial to another one.
"""

from __future__ import annotations

import logging
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
)
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from asplan.bench.records import Record
from asplan.bench.running import Executor, with_included
from asplan.bench.suite import SuiteLimits
from asplan.bench.trials import Trial, run_trial
from asplan.catalog import shipped_as, shipped_path
from asplan.core.budget import Budget
from asplan.core.dataclass import dataclass
from asplan.core.errors import UsageError, needs_extra
from asplan.core.files import is_there
from asplan.core.pool import LOOK
from asplan.version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future

PATIENCE = 10
"""The seconds to wait for an answer of the scheduler."""

QUEUED_PER_THREAD = 2
"""The number of unfinished trials that the scheduler has at a time, for each thread of a worker."""

_GONE = "the Dask scheduler no longer answers"
_GO_ON = "finished trials are kept; start a scheduler and continue with --resume"


def on_cluster(address: str) -> Executor:
    """Return an executor that runs trials on the workers of the Dask scheduler at an address."""
    with needs_extra("a Dask scheduler needs the package {}", "cluster"):
        import distributed  # noqa: F401
    return partial(run_on_cluster, address)


def run_on_cluster(
    address: str,
    trials: Iterable[Trial],
    limits: SuiteLimits,
    on_wait: Callable[[], None],
) -> Iterator[Record]:
    """Run trials on the workers of a Dask scheduler; yield their records in the order they end.

    `on_wait` is called now and then.

    Raises
    ------
    UsageError
        No scheduler answers at the address, or the connection to it is lost.
    """
    rest = iter(trials)
    with _connect(address) as client:
        running: dict[Future[Record], Trial] = {}
        while True:
            for trial in islice(rest, _free_places(client, len(running))):
                running[_submit(client, trial, limits)] = trial
            if not running:
                return
            finished = _await_any(running)
            if not finished:
                on_wait()
            for job in finished:
                yield _record_of(job, running.pop(job))


def _free_places(client: Client, running: int) -> int:
    """Return the number of trials to send to the scheduler, which has `running` trials already."""
    with _reports_lost_scheduler():
        threads = sum(client.nthreads().values())  # type: ignore[no-untyped-call]
    return max(0, max(1, QUEUED_PER_THREAD * threads) - running)


def _submit(client: Client, trial: Trial, limits: SuiteLimits) -> Future[Record]:
    parcel = _pack(trial)
    with _reports_lost_scheduler():
        return client.submit(run_parcel, parcel, limits, pure=False)


def _await_any(jobs: Iterable[Future[Record]]) -> set[Future[Record]]:
    """Return the jobs that have finished, after at most `LOOK` seconds."""
    from distributed import wait

    with _reports_lost_scheduler():
        try:
            finished: set[Future[Record]] = wait(list(jobs), LOOK, "FIRST_COMPLETED").done  # type: ignore[no-untyped-call]
        except TimeoutError:
            return set()
    return finished


@contextmanager
def _reports_lost_scheduler() -> Iterator[None]:
    """Turn errors of a lost connection into `UsageError`."""
    try:
        yield
    except (CancelledError, OSError, RuntimeError) as error:
        raise UsageError(_GONE, hint=_GO_ON) from error


@contextmanager
def _connect(address: str) -> Iterator[Client]:
    """Connect to the scheduler at an address, and close the connection at the end."""
    from distributed import Client

    # Dask logs a traceback for each lost connection; our own errors report it.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TimeoutError) as error:
        hint = "start one with dask scheduler and pass its address, such as tcp://head:8786"
        raise UsageError(f"no Dask scheduler answers at {address}: {error}", hint=hint) from None
    try:
        yield client
    finally:
        # A scheduler that is gone cannot close the connection.
        with suppress(TimeoutError, OSError):
            client.close()  # type: ignore[no-untyped-call]


def _record_of(job: Future[Record], trial: Trial) -> Record:
    """Return the record of a finished job; a trial that killed all its workers gets a failed
    record.

    Raises
    ------
    UsageError
        The connection was lost, or the workers cannot import asplan.
    """
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
        reason = "every worker that ran this trial died"
        return Record(
            instance=instance,
            method=method,
            repetition=repetition,
            error=reason,
        )


@dataclass(frozen=True)
class Parcel:
    """A trial with the files that it needs, to be sent to a worker.

    `files` has the content of each file by path. Files that ship with asplan are not sent;
    `shipped` maps their paths to the names under which every worker has them.
    """

    trial: Trial
    files: Mapping[str, bytes]
    shipped: Mapping[str, str]
    version: str = __version__


def _pack(trial: Trial) -> Parcel:
    paths = list(trial.instance.files)
    encoding = trial.method.encoding_name
    if is_there(encoding):
        paths.append(encoding)
    files: dict[str, bytes] = {}
    shipped: dict[str, str] = {}
    for path in paths:
        if name := shipped_as(path):
            shipped[path] = name
        else:
            files |= {file: Path(file).read_bytes() for file in with_included(path, trial.trust)}
    return Parcel(trial, files, shipped)


def run_parcel(parcel: Parcel, limits: SuiteLimits) -> Record:
    """Run the trial of a parcel on this worker.

    Raises `UsageError` if the parcel was made by another version of asplan.
    """
    if parcel.version != __version__:
        message = f"a worker has asplan {__version__}, but the trial needs {parcel.version}"
        raise UsageError(message, hint="install the same version everywhere")
    with TemporaryDirectory(prefix="asplan-") as folder:
        trial = _unpack(parcel, Path(folder))
        record = run_trial(trial, limits, _watch_task())
        # Messages name the paths on the side of the sender.
        return msgspec.structs.replace(
            record,
            reason=record.reason.replace(folder, ""),
            error=record.error.replace(folder, ""),
        )


def _unpack(parcel: Parcel, folder: Path) -> Trial:
    """Write the files of a parcel below a folder; return its trial with the new paths."""
    paths = {path: str(shipped_path(name)) for path, name in parcel.shipped.items()}
    for path, data in parcel.files.items():
        target = folder.joinpath(*Path(path).absolute().parts[1:])
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        paths[path] = str(target)
    instance = parcel.trial.instance
    method = parcel.trial.method
    files = tuple(paths[file] for file in instance.files)
    if method.encoding is not None:
        file, colon, constants = method.encoding.partition(":")
        method = replace(method, encoding=paths.get(file, file) + colon + constants)
    return replace(parcel.trial, instance=replace(instance, files=files), method=method)


def _watch_task() -> Budget:
    """Return a budget that is abandoned when the current Dask task is cancelled."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def is_cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return Budget(is_abandoned=is_cancelled)
