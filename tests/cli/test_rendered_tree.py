"""A rendered tree on disk holds each device as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.cli.tree import write_devices
from netcheck.model.errors import InputError


def held(folder: Path) -> dict[str, str]:
    """Every file below a folder, hidden ones too."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}


def test_a_new_tree_holds_every_file_and_nothing_else(tmp_path: Path) -> None:
    texts = {"config.txt": "mtu 9216\n", "below/mark.txt": "\u00e4 \udc80\n"}
    assert write_devices(str(tmp_path / "out"), [("leaf 1", texts), ("leaf2", {"a": ""})]) == 3
    assert held(tmp_path / "out") == {
        "leaf%201/below/mark.txt": "\u00e4 \\udc80\n",
        "leaf%201/config.txt": "mtu 9216\n",
        "leaf2/a": "",
    }


def test_a_second_rendering_replaces_what_was_there(tmp_path: Path) -> None:
    write_devices(str(tmp_path), [("leaf1", {"old.txt": "1", "both.txt": "1"})])
    write_devices(str(tmp_path), [("leaf1", {"both.txt": "2"})])
    assert held(tmp_path) == {"leaf1/both.txt": "2"}


def test_a_file_that_holds_the_text_already_is_left_alone(tmp_path: Path) -> None:
    texts = {"same.txt": "\u00e4\n", "other.txt": "1", "linked.txt": "x", "longer.txt": "12"}
    write_devices(str(tmp_path / "out"), [("leaf1", texts)])
    folder = tmp_path / "out" / "leaf1"
    (tmp_path / "elsewhere").write_text("x", encoding="utf-8")
    (folder / "linked.txt").unlink()
    (folder / "linked.txt").symlink_to(tmp_path / "elsewhere")
    before = {path.name: path.lstat().st_ino for path in folder.iterdir()}
    again = texts | {"other.txt": "2", "longer.txt": "1"}
    write_devices(str(tmp_path / "out"), [("leaf1", again)])
    assert held(folder) == again
    after = {path.name: path.lstat().st_ino for path in folder.iterdir()}
    assert {name for name in texts if before[name] == after[name]} == {"same.txt"}
    assert not (folder / "linked.txt").is_symlink()


def test_files_have_the_rights_that_the_user_gives_new_files(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_devices(str(tmp_path), [("leaf1", {"config.txt": "x"})])
    wanted = (tmp_path / "plain").stat().st_mode
    assert (tmp_path / "leaf1" / "config.txt").stat().st_mode == wanted


def test_a_device_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leaf1: cannot be written"):
        write_devices(str(tmp_path), [("leaf1", {"a": "x", "b" * 300: "x"})])
    assert held(tmp_path) == {}
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_the_place_of_a_file_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "leaf1" / "config.txt").mkdir(parents=True)
    with pytest.raises(InputError, match=r"config\.txt"):
        write_devices(str(tmp_path), [("leaf1", {"config.txt": "x"})])
