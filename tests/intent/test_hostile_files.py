"""Files that nobody would write in good faith: one clear message, in little time."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netcheck.intent import complete, load_intent
from netcheck.intent.nodes import MAX_BYTES
from netcheck.model.errors import InputError

SECONDS = 5.0


def bomb(levels: int, width: int) -> str:
    def line(level: int) -> str:
        aliases = ", ".join([f"*a{level - 1}"] * width)
        return f"a{level}: &a{level} [{aliases}]"

    return "\n".join(["a0: &a0 [x, x]", *map(line, range(1, levels))])


HOSTILE: dict[str, tuple[bytes, str]] = {
    "binary": (b"\x7fELF\x00\x01\x02" * 100, "binary data, expected YAML text in UTF-8"),
    "latin": ("netcheck: 1\nname: Köln\n".encode("latin-1"), ":2: not UTF-8 text"),
    "utf16": ("netcheck: 1\n".encode("utf-16"), "binary data"),
    "control": (b"netcheck: 1\nname: \x07\n", ":2: character #x0007 is not allowed"),
    "deep list": (b"netcheck: 1\nname: " + b"[" * 100_000, "nested deeper|nesting depth"),
    "deep mapping": (b"{a: " * 100_000, "nested deeper than 32 levels"),
    "deep block": (
        "\n".join(" " * level + "a:" for level in range(2000)).encode(),
        "nested deeper than 32 levels",
    ),
    "alias bomb": (bomb(12, 20).encode(), "stands for more than 4000000 values"),
    "merge bomb": (
        b"a: &a {x: 1}\nb: &b {<<: [*a, *a], y: 1}\nc: {<<: *b, <<: *b}\n",
        "unknown key",
    ),
    "alias of itself": (b"netcheck: 1\nname: &a [*a]\n", "alias *a has no anchor before it"),
    "alias of nothing": (b"name: *nobody\n", "alias *nobody has no anchor before it"),
    "huge range": (
        b'netcheck: 1\ndevices: {"a[0-999999][0-999999]": {}}\n',
        "stands for more than 200000 names",
    ),
    "ranges in ranges": (
        b'netcheck: 1\ndevices: {"a[1-100000]": {ports: {"e[1-100000]": {}}}}\n',
        "more than 2000000 devices, ports and links once ranges are written out",
    ),
    "huge number": (b"netcheck: " + b"9" * 100_000, "expected 1, found 999"),
    "long key": (b"netcheck: 1\n" + b"k" * 100_000 + b": 1\n", "netcheck|not YAML|unknown key"),
    "unclosed quote": (b"netcheck: 1\nname: 'x\n" + b"y\n" * 1000, "not YAML"),
    "many unknown keys": (
        b"netcheck: 1\n" + b"".join(b"key%d: 1\n" % n for n in range(2000)),
        "more than 500 complaints; the rest is left out",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_bounded_time_and_memory(name: str, tmp_path: Path) -> None:
    raw, message = HOSTILE[name]
    path = tmp_path / "hostile.yaml"
    path.write_bytes(raw)
    tracemalloc.start()
    began = time.process_time()
    try:
        with pytest.raises(InputError) as caught:
            load_intent(path)
        took = time.process_time() - began
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert any(word in str(caught.value) for word in message.split("|"))
    assert str(caught.value).startswith(str(path))
    assert took < SECONDS
    assert peak < 300 * 2**20


def test_an_enormous_file_is_refused_without_being_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "enormous.yaml"
    with path.open("wb") as file:
        file.truncate(50 * MAX_BYTES)
    with pytest.raises(InputError, match="larger than 64 MiB"):
        load_intent(path)


def test_a_device_without_end_is_refused() -> None:
    with pytest.raises(InputError, match="larger than 64 MiB"):
        load_intent("/dev/zero")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.yaml: No such file or directory"):
        load_intent(tmp_path / "nowhere.yaml")


def test_a_folder_is_no_intent(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Is a directory"):
        load_intent(tmp_path)


def test_no_file_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="no intent given"):
        load_intent([])


def test_a_file_that_includes_itself_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "loop.yaml"
    path.write_text("netcheck: 1\nname: loop\ninclude: [loop.yaml, ./loop.yaml]\n")
    assert load_intent(path).sources == (str(path),)


SMALL = (Path(__file__).parents[2] / "examples" / "lab-small.yaml").read_text("utf-8")
PIECES = [
    "",
    "[",
    "]",
    "{",
    "}",
    ": ",
    "- ",
    "&a ",
    "*a ",
    "!!str ",
    "<<: ",
    "'",
    "\n",
    "\t",
    "0",
    "%",
]


@given(
    start=st.integers(0, len(SMALL)),
    gone=st.integers(0, 40),
    piece=st.sampled_from(PIECES),
)
@settings(max_examples=100, deadline=None)
def test_a_damaged_intent_loads_or_is_refused_with_its_place(
    tmp_path_factory: pytest.TempPathFactory, start: int, gone: int, piece: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.yaml"
    path.write_text(SMALL[:start] + piece + SMALL[start + gone :], "utf-8")
    try:
        complete(load_intent(path, deployable=True))
    except InputError as error:
        assert all(line.startswith(str(path)) for line in str(error).splitlines())  # noqa: PT017 -- most damage is refused, some is not
