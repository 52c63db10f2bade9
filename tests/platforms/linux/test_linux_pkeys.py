"""Partition keys of an InfiniBand port, as /sys shows them."""

import pytest

from netcheck.model.document import Document
from netcheck.model.known import UNKNOWN
from netcheck.platforms.linux.commands import is_read_only
from netcheck.platforms.linux.parse import parse

LINE = "grep -rH . /sys/class/infiniband/mlx5_2/ports/1/pkeys"


def pkeys(*rows: str) -> object:
    folder = LINE.rsplit(maxsplit=1)[-1]
    text = "".join(f"{folder}/{row}\n" for row in rows)
    return parse([Document("pkeys_mlx5_2.txt", text, LINE)], name="gpu01").rdma["mlx5_2"].pkeys


def test_keys_stand_at_their_index_in_whatever_order_they_are_listed() -> None:
    assert pkeys(
        "2:0x0000", "10:0x0000", *(f"{n}:0x0000" for n in range(3, 10)), "0:0x7fff", "1:0x8a01"
    ) == (
        0x7FFF,
        0x8A01,
        *[0] * 9,
    )


@pytest.mark.parametrize("rows", [("1:0x8a01",), ("0:0x7fff", "1:0x8a"), ("0:0x7fff", "2:0x8a01")])
def test_a_table_with_a_gap_or_damage_is_not_known(rows: tuple[str, ...]) -> None:
    assert pkeys(*rows) is UNKNOWN


def test_reading_them_changes_nothing() -> None:
    assert is_read_only(LINE)
    assert not is_read_only(f"{LINE}; reboot")
