"""An interrupt in a notebook's kernel and in an event loop ends the call, and Python goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import works

ENDLESS = "n(1..3000). p(X,Y,Z) :- n(X), n(Y), n(Z). #program step(t). { occurs(go,t) }."
IN_A_LOOP = """
import asyncio, signal, asplan
signal.signal(signal.SIGINT, signal.default_int_handler)

async def main():
    asplan.solve("endless.lp", isolate=True)

try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("raised", asplan.solve("two_cars").horizon)
"""


def test_the_second_interrupt_ends_a_call_within_an_event_loop(tmp_path: Path) -> None:
    """asyncio keeps the first one for itself: it cancels the task at its next await."""
    (tmp_path / "endless.lp").write_text(ENDLESS)
    process = subprocess.Popen(
        [sys.executable, "-c", IN_A_LOOP], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    try:
        while process.poll() is None and not works(process.pid):
            time.sleep(0.02)
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
        assert process.communicate(timeout=60)[0] == "raised 6\n"
    finally:
        process.kill()


def test_a_kernel_lives_on_after_an_interrupt(tmp_path: Path) -> None:
    manager = pytest.importorskip("jupyter_client.manager", reason="needs the extra notebook")
    (tmp_path / "endless.lp").write_text(ENDLESS)
    kernel, client = manager.start_new_kernel(kernel_name="python3", cwd=str(tmp_path))
    try:
        client.execute("import asplan; found = asplan.solve('endless.lp', isolate=True)")
        pid = kernel.provisioner.pid
        while not works(pid):
            time.sleep(0.05)
        os.kill(pid, signal.SIGINT)
        checked = "assert found.stopped == 'interrupt' and asplan.solve('two_cars').horizon == 6"
        answer = client.execute_interactive(checked, timeout=60)
        assert answer["content"]["status"] == "ok", answer["content"]
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
