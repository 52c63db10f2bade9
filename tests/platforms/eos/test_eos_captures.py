"""Real outputs and configurations of EOS, where the reference material is present."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.model.counters import Meaning
from netcheck.model.device import DefectKind, Device
from netcheck.model.document import Document
from netcheck.model.known import UNKNOWN, Known, Missing, is_known
from netcheck.model.qos import CongestionAction, DcbxMode, Ecn, PfcMode, SchedulerKind, Trust
from netcheck.platforms.eos.parse import parse
from netcheck.platforms.eos.recognise import recognise

pytestmark = pytest.mark.shared
NO_OUTPUTS = {"SOURCES.md", "json_shapes.txt"}


def captured(shared: Path, name: str) -> Device:
    [path] = [*shared.glob(f"captures/*/{name}"), *shared.glob(f"cases/{name}")]
    return parse([Document(path.name, path.read_text("utf-8"))], name="switch")


def value(device: Device, port: str, meaning: Meaning, number: int = -1) -> Known[int]:
    assert not isinstance(device.counters, Missing)
    [found] = [
        row.value
        for key, row in device.counters.items()
        if (key.port, key.meaning, key.number) == (port, meaning, number)
    ]
    return found


def test_every_capture_is_recognised_and_says_something(shared: Path) -> None:
    paths = [one for one in (shared / "captures/eos").iterdir() if one.name not in NO_OUTPUTS]
    paths += (shared / "captures/configs").glob("eos_*")
    assert len(paths) > 15
    for path in paths:
        document = Document(path.name, path.read_text("utf-8"))
        device = parse([document], name="switch")
        found = recognise(document)
        assert found is not None, path.name
        assert found.platform == "eos"
        assert device.ports or is_known(device.counters), path.name
        assert device.unread == ()


def test_no_line_about_qos_stays_unknown(shared: Path) -> None:
    paths = [*shared.glob("captures/eos/*_*"), *shared.glob("captures/configs/eos_*")]
    paths += shared.glob("cases/0*-eos-*/running-config.txt")
    unknown = {}
    for path in paths:
        device = parse([Document(path.name, path.read_text("utf-8"))], name="switch")
        unknown[str(path)] = [
            one.message for one in device.defects if one.kind is DefectKind.UNKNOWN_LINE
        ]
    assert {name: lines for name, lines in unknown.items() if lines} == {}


def test_a_real_show_all_is_read(shared: Path) -> None:
    device = captured(shared, "show_run_all_interfaces_batfish.txt")
    assert (device.model, device.os_version) == ("DCS-7260CX-64", "4.19.1F")
    port = device.ports["Ethernet1/1"]
    assert (port.ip_mtu, port.l2_mtu) == (9212, 9226)
    assert (port.qos.trust, port.qos.pfc_mode) == (Trust.DSCP, PfcMode.OFF)
    assert port.qos.dcbx_mode is DcbxMode.DISABLED
    assert is_known(port.qos.scheduler)
    weights = {number: one.weight_percent for number, one in port.qos.scheduler.items()}
    assert {0: 69, 1: 1, 2: 20, 4: 10}.items() <= weights.items()
    assert port.qos.scheduler[3].kind is SchedulerKind.STRICT
    assert device.ports["Ethernet1/2"].qos.trust is Trust.PCP


def test_all_forms_of_a_grammar_sample_are_read(shared: Path) -> None:
    device = captured(shared, "cfg_qos__avd_molecule.cfg")
    qos = device.ports["Ethernet1"].qos
    assert qos.trust is Trust.DSCP
    assert is_known(qos.ecn)
    assert qos.ecn[2] == Ecn(320_000, 320_000, 90, CongestionAction.MARK, is_active=True)
    assert qos.ecn[4].kmin_bytes is UNKNOWN  # segments
    assert qos.pcp_to_priority == {0: 1, 1: 2, 2: 2, 3: 3, 4: 2, 5: 5, 6: 6, 7: 7}
    assert is_known(qos.priority_to_queue)
    assert qos.priority_to_queue[6] == 2
    assert qos.dscp_to_priority is UNKNOWN  # a policy map by access lists goes before it
    assert device.ports["Ethernet3"].aggregate == "Port-Channel3"
    assert device.ports["Ethernet3"].qos.trust is Trust.PCP  # of its aggregate
    assert device.qos[""].watchdog_poll_ms == 10_001


def test_a_published_roce_configuration_is_read(shared: Path) -> None:
    device = captured(shared, "eos_amd-instinct-docs_7388.cfg")
    port = device.ports["Ethernet2/5/1"]
    assert (port.speed_bps, port.lanes, port.fec) == (200_000_000_000, 4, "rs")
    assert port.qos.pfc_tx == frozenset({3})
    assert is_known(port.qos.dscp_to_priority)
    assert (port.qos.dscp_to_priority[26], port.qos.dscp_to_priority[48]) == (3, 6)
    assert port.qos.remark_dscp == {3: 26, 7: 48}


def test_storage_ports_trust_cos_because_they_switch(shared: Path) -> None:
    device = captured(shared, "029-eos-azure-local-storage-ports/running-config.txt")
    qos = device.ports["Ethernet9/1"].qos
    assert (qos.trust, qos.pfc_rx, qos.dcbx_mode) == (Trust.PCP, frozenset({3}), DcbxMode.IEEE)


def test_counters_have_the_numbers_of_their_outputs(shared: Path) -> None:
    queues = captured(shared, "show_interfaces_counters_queue_detail__anta_failure.json")
    assert value(queues, "Ethernet1", Meaning.QUEUE_DROP, 0) == 2
    assert value(queues, "Ethernet2", Meaning.QUEUE_DROP, 1) == 2
    discards = captured(shared, "show_interfaces_counters_discards__anta_failure.json")
    assert value(discards, "Ethernet2", Meaning.PORT_EGRESS_DROP) == 42
    assert value(discards, "Ethernet1", Meaning.PORT_INGRESS_DROP) == 42
    chip = captured(shared, "show_platform_trident_counters__anta_success.json")
    assert value(chip, "Ethernet48", Meaning.PRIORITY_GROUP_DROP) == 0


def test_live_tables_have_the_values_of_their_rows(shared: Path) -> None:
    port = captured(shared, "show_priority-flow-control__text.txt").ports["Ethernet1"]
    assert (port.qos.pfc_rx, port.qos.pfc_mode) == (frozenset({3}), PfcMode.ON)
    port = captured(shared, "show_qos_interfaces_ethernet_1_ecn__text.txt").ports["Ethernet1"]
    mark = CongestionAction.MARK
    assert port.qos.ecn == {3: Ecn(256_000, 512_000, UNKNOWN, mark, is_active=True)}


def test_mtu_of_routed_and_switched_ports_is_read(shared: Path) -> None:
    device = captured(shared, "show_interfaces_l3mtu__anta_failure.json")
    assert (device.ports["Ethernet2"].ip_mtu, device.ports["Ethernet10"].ip_mtu) == (1600, 1500)
