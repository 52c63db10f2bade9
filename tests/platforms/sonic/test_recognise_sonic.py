"""Which texts are SONiC's, and what they say about a device."""

from __future__ import annotations

import pytest

from netcheck.model.document import Document, DocumentKind
from netcheck.platforms.sonic.recognise import recognise
from tests.platforms.sonic.sonic_texts import LOOKUP, config, dump, part, text_of


def test_whole_configuration_states_its_device_and_tables() -> None:
    found = recognise(Document("config_db.json", text_of(config())))
    assert found is not None
    assert (found.platform, found.form, found.kind) == ("sonic", "config_db", DocumentKind.CONFIG)
    assert (found.device, found.is_whole) == ("leaf1", True)
    assert found.objects == frozenset(config())


def test_part_holds_only_its_tables() -> None:
    found = recognise(Document("pools.json", text_of(part("BUFFER_POOL"))))
    assert found is not None
    assert found.objects == frozenset({"BUFFER_POOL"})
    assert (found.is_whole, found.device) == (False, "")


def test_broken_configuration_is_still_recognised() -> None:
    found = recognise(Document("config_db.json", text_of(config())[:-2]))
    assert found is not None
    assert (found.kind, "BUFFER_POOL" in found.objects) == (DocumentKind.CONFIG, True)


@pytest.mark.parametrize(
    ("text", "command", "kind"),
    [
        (LOOKUP, "", DocumentKind.TABLE),
        (dump({"COUNTERS_PORT_NAME_MAP": {"Ethernet0": "oid:0x1"}}), "", DocumentKind.COUNTERS),
        ("{}", "sonic-db-dump -n COUNTERS_DB -y", DocumentKind.COUNTERS),
        (dump({"BUFFER_PG_TABLE:Ethernet0:3": {"profile": "x"}}), "", DocumentKind.STATE),
        (dump({"BUFFER_MAX_PARAM_TABLE|global": {"mmu_size": "1"}}), "", DocumentKind.STATE),
        ('[{"BUFFER_POOL_TABLE:p": {"size": "0"}, "OP": "SET"}]', "", DocumentKind.CONFIG),
        ("ecnconfig -p LOSSY -gmin 1 -gmax 2\n", "", DocumentKind.CONFIG),
        ("ERR swss#buffermgrd: :- x: Cable length is not set\n", "", DocumentKind.LOG),
        ("build_version: 'SONiC.1'\n", "", DocumentKind.STATE),
        ("Interface    Asymmetric\n-----------  ------------\n", "", DocumentKind.STATE),
        ("Ingress PG dropped packets:\n     Port    PG0\n", "", DocumentKind.COUNTERS),
        ('127.0.0.1:6379[4]> keys Q*\n1) "QUEUE|Ethernet0|3"\n', "", DocumentKind.CONFIG),
        ('{"Ethernet0": {"UC3": {"totalpacket": "1"}}}', "", DocumentKind.COUNTERS),
    ],
)
def test_text_has_its_kind(text: str, command: str, kind: DocumentKind) -> None:
    found = recognise(Document("text", text, command))
    assert found is not None
    assert found.kind is kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello\n",
        "{}",
        "[]",
        '{"a": 1}',
        '{"interfaces": {"eth0": {"mtu": 1500}}}',
        '[{"ifname": "eth0", "pfc-cap": 8}]',
        "interface Ethernet1\n   priority-flow-control on\n",
        "netcheck: 1\nname: x\n",
        "PFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n",
        "0b9f6a3e-1111-4222-8333-444455556666\n",
        '{"truncated": ',
    ],
)
def test_text_of_others_is_left_to_them(text: str) -> None:
    assert recognise(Document("text", text)) is None


def test_two_parts_of_one_switch_do_not_overlap() -> None:
    first = recognise(Document("qos.json", text_of(part("QUEUE", "SCHEDULER"))))
    second = recognise(Document("buffers.json", text_of(part("BUFFER_PG", "BUFFER_POOL"))))
    assert first is not None
    assert second is not None
    assert not first.objects & second.objects
