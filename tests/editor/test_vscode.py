"""The extension in a real VS Code: code-server, looked at by a browser without a window."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from conftest import HERE
from editor.client import PATIENCE, SERVER
from editor.test_editor import LAMP

PACKED = HERE.parent / "editors" / "vscode" / "asplan.vsix"
WRONG = LAMP.replace("query(t), lamp(L)", "query(t), lmp(L)")


@pytest.fixture
def page(tmp_path: Path) -> Iterator[str]:
    """Run code-server with the extension in a folder with `lamp.lp`; yield its address."""
    command = shutil.which("code-server")
    if command is None:
        pytest.skip("needs code-server (npm install code-server)")
    if not PACKED.is_file():
        pytest.skip("needs the packed extension (npm run package)")
    work = tmp_path / "work"
    work.mkdir()
    (work / "lamp.lp").write_text(WRONG)
    settings = tmp_path / "data" / "User" / "settings.json"
    settings.parent.mkdir(parents=True)
    server = [sys.executable, "-c", SERVER, "lsp"]
    settings.write_text(
        json.dumps({"asplan.command": server, "security.workspace.trust.enabled": False})
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folders = ["--user-data-dir", str(tmp_path / "data"), "--extensions-dir", str(tmp_path / "ext")]
    quiet = ["--disable-telemetry", "--disable-update-check", "--auth", "none"]
    env = {**os.environ, "HOME": str(tmp_path)}
    install = [command, *folders, "--install-extension", str(PACKED)]
    subprocess.run(install, check=True, capture_output=True, env=env, timeout=4 * PATIENCE)
    words = [command, *folders, *quiet, "--bind-addr", f"127.0.0.1:{port}", str(work)]
    with subprocess.Popen(
        words, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as started:
        try:
            assert started.stdout is not None
            while "HTTP server listening" not in started.stdout.readline():
                assert started.poll() is None
            yield f"http://127.0.0.1:{port}/?folder={work}"
        finally:
            started.terminate()


def wait_for(browser: Any, selector: str, text: str = "", is_clicked: bool = False) -> None:
    """Wait for an element with a text, and click it if requested; the page may redraw it."""
    from selenium.common.exceptions import WebDriverException

    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(WebDriverException):
            for element in browser.find_elements("css selector", selector):
                if text in (element.text or ""):
                    if is_clicked:
                        element.click()
                    return
        time.sleep(0.2)
    raise AssertionError(f"the page has no {selector} with the text {text!r}")


def test_vs_code_shows_a_warning_and_the_commands(page: str, browser: Any) -> None:
    browser.get(page)
    wait_for(browser, ".explorer-folders-view .monaco-list-row", "lamp.lp", is_clicked=True)
    wait_for(browser, ".squiggly-warning")
    wait_for(browser, ".codelens-decoration a", "Count instances")
    wait_for(browser, ".codelens-decoration a", "Play", is_clicked=True)
    wait_for(browser, "iframe.webview")
