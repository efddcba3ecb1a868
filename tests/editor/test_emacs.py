"""The language server in a real editor: Emacs with eglot, without a screen."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pygls")

from editor.test_editor import LAMP

# In batch mode nobody types, so eglot is started by hand, and the timers of flymake need a wait.
SCRIPT = """
(package-initialize)
(unless (require 'eglot nil t) (kill-emacs 77))
(require 'json)
(define-derived-mode pasp-mode prog-mode "ASP")
(add-to-list 'auto-mode-alist '("\\\\.lp\\\\'" . pasp-mode))
(add-to-list 'eglot-server-programs '((pasp-mode pddl-mode) . {command}))
(setq eglot-sync-connect 120 eglot-connect-timeout 120 eglot-autoshutdown nil)
(find-file "lamp.lp")
(apply #'eglot (eglot--guess-contact))
(let ((tries 2400))
  (while (and (> tries 0) (null (flymake-diagnostics)))
    (setq tries (1- tries))
    (sit-for 0.05)
    (accept-process-output nil 0.05)))
(goto-char (point-min))
(forward-line 6)
(forward-char 1)
(let* ((server (eglot-current-server))
       (params (eglot--TextDocumentPositionParams))
       (hover (jsonrpc-request server :textDocument/hover params :timeout 60))
       (found (mapcar (lambda (each)
                        (list (line-number-at-pos (flymake-diagnostic-beg each))
                              (buffer-substring (flymake-diagnostic-beg each)
                                                (flymake-diagnostic-end each))
                              (flymake-diagnostic-text each)))
                      (flymake-diagnostics))))
  (with-temp-file "found.json"
    (insert (json-encode (list :found (vconcat (mapcar #'vconcat found))
                               :hover (plist-get (plist-get hover :contents) :value)))))
  (eglot-shutdown server))
"""


@pytest.mark.skipif(shutil.which("emacs") is None, reason="emacs is not installed")
def test_emacs_shows_diagnostics_and_hover(tmp_path: Path) -> None:
    (tmp_path / "lamp.lp").write_text(LAMP.replace("query(t), lamp(L)", "query(t), lmp(L)"))
    words = [sys.executable, "-m", "asplan", "lsp"]
    command = "(" + " ".join(map(json.dumps, words)) + ")"
    (tmp_path / "talk.el").write_text(SCRIPT.format(command=command))
    done = subprocess.run(
        ["emacs", "--batch", "-q", "-l", "talk.el"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=400,
    )
    if done.returncode == 77:
        pytest.skip("emacs has no eglot")
    assert (tmp_path / "found.json").is_file(), done.stderr
    answer = json.loads((tmp_path / "found.json").read_text())
    ((line, word, text),) = answer["found"]
    assert (line, word) == (9, "lmp")
    assert "did you mean lamp/1?" in text
    assert "a fluent" in answer["hover"]
