"""A client of the Language Server Protocol over pipes, which can also break its rules."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 120.0  # seconds until a test fails that waits for an answer

SERVER = """
from asplan.cli import main
from asplan.editor import server
server.CHECKING = 60.0
main()
"""
"""The command `asplan lsp`, whose checks may take longer: the machine may be busy."""


class Client:
    """A session with `asplan lsp`; documents are named by their paths."""

    def __init__(self, root: Path, *words: str, encodings: list[str] | None = None) -> None:
        self.root = root
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER, "lsp", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=root,
        )
        self.messages: list[str] = []  # that the server shows
        self.refreshed: set[str] = set()
        self._answers: dict[int, Any] = {}
        self._diagnostics: queue.Queue[dict[str, Any]] = queue.Queue()
        self._arrived = threading.Condition()
        self._number = 0
        self._versions: dict[str, int] = {}
        threading.Thread(target=self._read, daemon=True).start()
        self.capabilities = self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": root.as_uri(),
                "capabilities": {
                    "general": {"positionEncodings": encodings or ["utf-16"]},
                    "workspace": {"codeLens": {"refreshSupport": True}},
                },
            },
        )["capabilities"]
        self.notify("initialized", {})

    # Messages

    def send(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def notify(self, method: str, params: Any) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def answer(self, method: str, params: Any) -> dict[str, Any]:
        """Send a request, and return the whole answer, which may be an error."""
        self._number += 1
        number = self._number
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.send(json.dumps(message).encode())
        with self._arrived:
            assert self._arrived.wait_for(lambda: number in self._answers, PATIENCE), method
            found: dict[str, Any] = self._answers.pop(number)
            return found

    def request(self, method: str, params: Any) -> Any:
        answer = self.answer(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.split(b":")[1]) if header.startswith(b"Content-Length") else 0
            if not length:
                continue
            while stream.readline().strip():
                pass
            self._take(json.loads(stream.read(length)))

    def _take(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method == "textDocument/publishDiagnostics":
            self._diagnostics.put(message["params"])
        elif method == "window/showMessage":
            self.messages.append(message["params"]["message"])
        elif method is not None and "id" in message:
            self.refreshed.add(method)
            self.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": None}).encode())
        elif "id" in message:
            with self._arrived:
                self._answers[message["id"]] = message
                self._arrived.notify_all()

    # Documents

    def uri(self, name: str) -> str:
        return name if ":" in name else (self.root / name).as_uri()

    def open(self, name: str, text: str | None = None) -> list[dict[str, Any]]:
        """Open a document, and return its diagnostics."""
        text = (self.root / name).read_text() if text is None else text
        language = "pddl" if name.endswith(".pddl") else "asp"
        self._versions[name] = 1
        document = {"uri": self.uri(name), "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return self.diagnostics(name)

    def change(self, name: str, text: str, span: Any = None) -> None:
        """Replace the text of a document, or a part of it."""
        self._versions[name] += 1
        document = {"uri": self.uri(name), "version": self._versions[name]}
        change = {"text": text} if span is None else {"text": text, "range": span}
        params = {"textDocument": document, "contentChanges": [change]}
        self.notify("textDocument/didChange", params)

    def diagnostics(self, name: str) -> list[dict[str, Any]]:
        """Wait for the next diagnostics of a document, and return them."""
        while True:
            found = self._diagnostics.get(timeout=PATIENCE)
            if found["uri"] == self.uri(name):
                listed: list[dict[str, Any]] = found["diagnostics"]
                return listed

    def at(self, method: str, name: str, place: tuple[int, int], **more: Any) -> Any:
        """Send a request about a place: a line and a character, which count from 0."""
        position = {"line": place[0], "character": place[1]}
        params = {"textDocument": {"uri": self.uri(name)}, "position": position, **more}
        return self.request(f"textDocument/{method}", params)

    def of(self, method: str, name: str, **more: Any) -> Any:
        """Send a request about a document."""
        params = {"textDocument": {"uri": self.uri(name)}, **more}
        return self.request(f"textDocument/{method}", params)

    def command(self, name: str, *arguments: str) -> Any:
        uris = [self.uri(each) for each in arguments]
        return self.request("workspace/executeCommand", {"command": name, "arguments": uris})

    def leave(self) -> tuple[int, str]:
        """End the session by the protocol; return the exit status and standard error."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.wait()

    def wait(self) -> tuple[int, str]:
        status = self.process.wait(PATIENCE)
        assert self.process.stderr is not None
        return status, self.process.stderr.read().decode()


@contextmanager
def session(root: Path, *words: str, encodings: list[str] | None = None) -> Iterator[Client]:
    """Open a session, and check at its end that the server leaves silently."""
    client = Client(root, *words, encodings=encodings)
    try:
        yield client
        assert client.leave() == (0, "")
    finally:
        client.process.kill()
        client.process.wait()
