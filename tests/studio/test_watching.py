"""Files are followed however they are saved."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("watchfiles", reason="needs the extra studio")
from asplan.studio import watching
from asplan.studio.watching import WatchedFiles

Save = Callable[[Path], None]


def written(file: Path) -> None:
    file.write_text("new, and longer")


def in_pieces(file: Path) -> None:
    with file.open("w") as opened:
        for _ in range(5):
            opened.write("piece ")
            opened.flush()
            time.sleep(0.01)


def replaced(file: Path) -> None:
    other = file.with_suffix(".tmp")
    other.write_text("new")
    os.replace(other, file)  # noqa: PTH105


def written_anew(file: Path) -> None:
    file.rename(file.with_suffix(".bak"))
    time.sleep(0.2)
    file.write_text("new")


def through_a_link(file: Path) -> None:
    (file.parent / "elsewhere" / "target.lp").write_text("new")


def beside(file: Path) -> None:
    file.with_name("y.lp").write_text("new")


def gone(file: Path) -> None:
    file.unlink()


def folder_gone(file: Path) -> None:
    file.unlink()
    file.parent.rename(file.parent.with_name("away"))


def changes(save: Save, file: Path, most: float = 120) -> list[bool]:
    """For the change that is seen after a file was saved, if one is: whether there was the file."""
    seen: list[bool] = []

    async def follow() -> None:
        files = WatchedFiles()
        files.follow([str(file)])
        change = asyncio.ensure_future(anext(files.changes()))
        change.add_done_callback(lambda c: c.cancelled() or seen.append(file.exists()))
        await asyncio.sleep(0.1)
        await asyncio.to_thread(save, file)
        await asyncio.wait([change], timeout=most)

    asyncio.run(follow())
    return seen


@pytest.mark.parametrize("save", [written, in_pieces, replaced, gone, folder_gone])
def test_each_kind_of_save_is_noticed(tmp_path: Path, save: Save) -> None:
    file = tmp_path / "folder" / "x.lp"
    file.parent.mkdir()
    file.write_text("old")
    assert changes(save, file)


def test_a_file_that_is_gone_for_a_moment_is_awaited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_GONE", 30)
    file = tmp_path / "x.lp"
    file.write_text("old")
    assert changes(written_anew, file) == [True]


def test_a_file_is_followed_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "target.lp").write_text("old text")
    file = tmp_path / "x.lp"
    file.symlink_to(tmp_path / "elsewhere" / "target.lp")
    assert changes(through_a_link, file)


def test_other_files_in_the_folder_are_ignored(tmp_path: Path) -> None:
    file = tmp_path / "x.lp"
    file.write_text("old")
    assert not changes(beside, file, most=1)


def test_a_file_no_longer_followed_is_ignored(tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in ("x.lp", "y.lp")]
    files = WatchedFiles()
    for name in names:
        Path(name).write_text("old")

    async def seen(changed: str) -> bool:
        Path(changed).write_text("new, and longer")
        return await files.compare()

    files.follow(names)
    files.keep(names[:1])
    assert not asyncio.run(seen(names[1]))
    assert asyncio.run(seen(names[0]))
