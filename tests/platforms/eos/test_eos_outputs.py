"""What live outputs of EOS say, and what a broken one leaves unknown."""

from __future__ import annotations

import json
import re

import pytest

from netcheck.model.counters import Counter, CounterClass, CounterKey, Meaning
from netcheck.model.device import AdminState, Device, Neighbour
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, Missing
from netcheck.model.qos import CongestionAction, Ecn, PfcMode
from tests.platforms.eos.eos_switch import read
from tests.platforms.eos.eos_texts import ECN, OUTPUTS, PFC, QOS_MAPS, QUEUES

PORT = "Ethernet1/1"
Counters = Known[FrozenMap[CounterKey, Counter]]


def counter(device: Device, meaning: Meaning, number: int = -1, name: str = "") -> Known[int]:
    """The one counter of a meaning."""
    assert not isinstance(device.counters, Missing)
    found = [
        row.value
        for key, row in device.counters.items()
        if key.port == PORT
        and (key.meaning, key.number) == (meaning, number)
        and (not name or key.name == name)
    ]
    assert len(found) == 1, found
    return found[0]


def test_the_version_tells_model_release_and_boot() -> None:
    device = read(OUTPUTS["version"])
    assert (device.model, device.os_version) == ("DCS-7060X6-64PE-F", "4.33.1F")
    assert device.boot_id == "booted 1767225600"


def test_another_boot_has_another_id() -> None:
    later = OUTPUTS["version"].replace("1767225600.25", "1767229200.5")
    assert read(later).boot_id != read(OUTPUTS["version"]).boot_id


def test_interfaces_tell_mtu_speed_and_state() -> None:
    ports = read(OUTPUTS["interfaces"]).ports
    assert set(ports) == {"Ethernet1/1", "Ethernet2/1"}
    up, down = ports["Ethernet1/1"], ports["Ethernet2/1"]
    assert (up.ip_mtu, up.l2_mtu, up.operational_speed_bps) == (9202, 9216, 400_000_000_000)
    assert (up.link_state, up.admin_state) == (AdminState.UP, AdminState.UP)
    assert (down.link_state, down.admin_state) == (AdminState.DOWN, AdminState.DOWN)
    assert down.operational_speed_bps is UNKNOWN


def test_neighbours_are_those_of_front_panel_ports() -> None:
    ports = read(OUTPUTS["lldp"]).ports
    assert {name: port.neighbour for name, port in ports.items()} == {
        PORT: Neighbour("gpu01", "rail0")
    }


def test_pfc_frames_are_counted_by_priority() -> None:
    device = read(OUTPUTS["pfc"])
    assert counter(device, Meaning.PFC_RX, 3) == 11
    assert counter(device, Meaning.PFC_TX, 3) == 12
    assert counter(device, Meaning.PFC_TX, 4) == 0


def test_a_queue_that_counts_no_marks_is_unknown_and_not_zero() -> None:
    device = read(OUTPUTS["ecn"])
    assert counter(device, Meaning.ECN_MARKED, 3) == 77
    assert counter(device, Meaning.ECN_MARKED, 4) is UNKNOWN


def test_drops_of_all_colours_of_a_queue_are_one_number() -> None:
    device = read(OUTPUTS["queues"])
    assert counter(device, Meaning.QUEUE_DROP, 3) == 5
    assert counter(device, Meaning.QUEUE_PACKETS, 3) == 42
    assert counter(device, Meaning.OTHER, 3, "multicast droppedPackets") == 8


def test_one_colour_without_a_number_leaves_the_queue_unknown() -> None:
    text = OUTPUTS["queues"].replace('"droppedPackets": 2', '"droppedPackets": "N/A"')
    assert counter(read(text), Meaning.QUEUE_DROP, 3) is UNKNOWN


def test_the_table_of_queues_tells_packets_bytes_and_drops() -> None:
    device = read(QUEUES)
    assert counter(device, Meaning.QUEUE_PACKETS, 3) == 1_200_000
    assert counter(device, Meaning.QUEUE_BYTES, 3) == 4_915_200_000
    assert counter(device, Meaning.QUEUE_DROP, 3) == 7
    assert counter(device, Meaning.QUEUE_DROP, 6) == 0


def test_table_and_json_of_queues_name_a_counter_alike() -> None:
    device = read(QUEUES, OUTPUTS["queues"])
    assert counter(device, Meaning.QUEUE_DROP, 3) == 7


@pytest.mark.parametrize(
    ("output", "meaning", "number", "name", "value", "kind"),
    [
        ("discards", Meaning.PORT_INGRESS_DROP, -1, "", 4, CounterClass.MUST_BE_ZERO),
        ("discards", Meaning.PORT_EGRESS_DROP, -1, "", 9, CounterClass.MUST_BE_ZERO),
        ("errors", Meaning.PHYSICAL_ERROR, -1, "fcsErrors", 2, CounterClass.MUST_BE_ZERO),
        ("watchdog", Meaning.WATCHDOG_STORM, 3, "", 2, CounterClass.MUST_BE_ZERO),
        ("chip", Meaning.PRIORITY_GROUP_DROP, -1, "", 6, CounterClass.MUST_BE_ZERO),
        ("pause", Meaning.GLOBAL_PAUSE_RX, -1, "", 2, CounterClass.CONGESTION),
        (
            "voq",
            Meaning.QUEUE_DROP,
            3,
            "ingressVoqCounters droppedPackets",
            5,
            CounterClass.MUST_BE_ZERO,
        ),
        ("interfaces", Meaning.PORT_RX_PACKETS, -1, "", 5, CounterClass.INFORMATION),
    ],
)
def test_counters_have_the_model_s_words(
    output: str, meaning: Meaning, number: int, name: str, value: int, kind: CounterClass
) -> None:
    device = read(OUTPUTS[output])
    assert counter(device, meaning, number, name) == value
    assert not isinstance(device.counters, Missing)
    assert {row.kind for key, row in device.counters.items() if key.meaning is meaning} == {kind}


def test_pfc_is_read_from_its_table() -> None:
    ports = read(PFC).ports
    found = {name: (port.qos.pfc_rx, port.qos.pfc_mode) for name, port in ports.items()}
    assert found == {
        "Ethernet1/1": (frozenset({3, 4}), PfcMode.ON),
        "Ethernet2/1": (frozenset(), PfcMode.OFF),
        "Ethernet3/1": (frozenset(), PfcMode.ON),
    }


def test_ecn_thresholds_are_read_where_they_are_bytes() -> None:
    device = read(ECN, command="show qos interfaces ethernet 1/1 ecn")
    mark = CongestionAction.MARK
    assert device.ports[PORT].qos.ecn == {
        3: Ecn(256_000, 512_000, UNKNOWN, mark, is_active=True),
        4: Ecn(UNKNOWN, UNKNOWN, UNKNOWN, mark, is_active=True),
    }


def test_maps_in_use_are_those_of_every_port() -> None:
    qos = read(QOS_MAPS, OUTPUTS["interfaces"]).ports["Ethernet2/1"].qos
    assert not isinstance(qos.dscp_to_priority, Missing)
    assert (qos.dscp_to_priority[26], qos.dscp_to_priority[48], qos.dscp_to_priority[0]) == (
        3,
        6,
        0,
    )
    assert qos.pcp_to_priority == {0: 1, 1: 0, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7}
    assert qos.priority_to_queue == {number: number for number in range(8)}


@pytest.mark.parametrize("line", range(9, 17))
def test_a_map_with_a_line_missing_is_unknown(line: int) -> None:
    lines = QOS_MAPS.splitlines()
    text = "\n".join(one for number, one in enumerate(lines) if number != line)
    qos = read(text, OUTPUTS["interfaces"]).ports[PORT].qos
    is_row = re.match(r" +\d :", lines[line]) is not None
    assert (qos.dscp_to_priority is UNKNOWN) is is_row


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_deleted_line_never_makes_a_counter_zero_or_another(name: str) -> None:
    whole = read(OUTPUTS[name]).counters
    lines = OUTPUTS[name].splitlines()
    for gone in range(len(lines)):
        text = "\n".join(lines[:gone] + lines[gone + 1 :])
        assert _never_differs(read(text).counters, whole), lines[gone]


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_text_that_breaks_off_tells_nothing(name: str) -> None:
    text = OUTPUTS[name]
    for end in range(1, len(text) - 1, 7):
        device = read(text[:end])
        assert device.counters is UNKNOWN
        assert [defect.touches_qos for defect in device.defects] == [True]


@pytest.mark.parametrize("gone", range(len(QUEUES.splitlines())))
def test_a_row_missing_from_the_table_leaves_its_counters_out(gone: int) -> None:
    lines = QUEUES.splitlines()
    text = "\n".join(lines[:gone] + lines[gone + 1 :])
    assert _never_differs(read(text).counters, read(QUEUES).counters)


def test_a_row_that_breaks_off_leaves_its_counters_out() -> None:
    for end in range(QUEUES.index("UC3"), QUEUES.index("28672")):
        found = read(QUEUES[:end]).counters
        assert isinstance(found, Missing) or not any(key.number == 3 for key in found)


def _never_differs(found: Counters, whole: Counters) -> bool:
    """A counter that is there has its number or none; a colour that is gone is not seen."""
    if isinstance(found, Missing) or isinstance(whole, Missing):
        return True
    return all(
        row.value is UNKNOWN or key not in whole or row.value == whole[key].value
        for key, row in found.items()
    )


def test_an_error_of_the_switch_tells_nothing() -> None:
    device = read(json.dumps({"errors": ["Invalid input (privileged mode required)"]}))
    assert device.counters is UNKNOWN
    assert len(device.defects) == 1


def test_an_empty_output_tells_nothing() -> None:
    device = read("")
    assert (device.counters, len(device.defects)) == (UNKNOWN, 1)


@pytest.mark.parametrize(
    "text",
    [
        '{"interfaces": []}',
        '{"interfaces": {"Ethernet1/1": 3}}',
        '{"lldpNeighbors": {"a": 1}}',
        '{"ethernet": {"Ethernet1/1": {"count": 4}}}',
        '{"intfQueueCounters": 3}',
    ],
)
def test_json_of_another_shape_is_no_error(text: str) -> None:
    assert read(text).ports == {}
