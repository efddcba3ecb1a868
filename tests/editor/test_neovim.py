"""The language server in a real editor: Neovim without a screen."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pygls")

from editor.test_editor import LAMP

SCRIPT = """
local start = vim.lsp.start_client
local client = start({{ name = "asplan", cmd = {command}, root_dir = vim.fn.getcwd() }})
vim.lsp.buf_attach_client(0, client)
vim.wait(120000, function() return #vim.diagnostic.get(0) > 0 end, 50)
local found = vim.tbl_map(function(each)
  return {{ each.lnum, each.col, each.code, each.source }}
end, vim.diagnostic.get(0))
local params = {{
  textDocument = {{ uri = vim.uri_from_bufnr(0) }},
  position = {{ line = 6, character = 1 }},
}}
local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", params, 60000)
local hover = answers[client].result.contents.value
local file = io.open("found.json", "w")
file:write(vim.fn.json_encode({{ found = found, hover = hover }}))
file:close()
vim.lsp.stop_client(client)
vim.wait(60000, function() return vim.lsp.get_client_by_id(client) == nil end, 50)
vim.cmd("qall!")
"""


@pytest.mark.skipif(shutil.which("nvim") is None, reason="nvim is not installed")
def test_neovim_shows_diagnostics_and_hover(tmp_path: Path) -> None:
    (tmp_path / "lamp.lp").write_text(LAMP.replace("query(t), lamp(L)", "query(t), lmp(L)"))
    words = [sys.executable, "-m", "asplan", "lsp"]
    command = "{" + ", ".join(map(json.dumps, words)) + "}"
    (tmp_path / "talk.lua").write_text(SCRIPT.format(command=command))
    done = subprocess.run(
        ["nvim", "--headless", "--clean", "lamp.lp", "-c", "luafile talk.lua"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert (tmp_path / "found.json").is_file(), done.stderr
    answer = json.loads((tmp_path / "found.json").read_text())
    assert answer["found"] == [[8, 13, "undefined", "asplan"]]
    assert "a fluent" in answer["hover"]
