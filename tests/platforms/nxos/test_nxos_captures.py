"""Real outputs and configurations: they are read whole, and hold these values."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.model.counters import Meaning
from netcheck.model.device import DefectKind, Device
from netcheck.model.document import Document
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.qos import PfcMode, Scheduler, SchedulerKind, Trust
from netcheck.platforms.nxos.parse import parse
from netcheck.platforms.nxos.recognise import recognise

pytestmark = pytest.mark.shared
NOTES = {"json_schema_93x.txt", "SOURCES.md"}


def texts(shared: Path) -> list[Path]:
    folder = shared / "captures"
    found = [*(folder / "nxos").glob("*"), *(folder / "configs").glob("nxos_*")]
    return [path for path in sorted(found) if path.name not in NOTES]


def read(path: Path) -> Device:
    return parse([Document(path.name, path.read_text("utf-8"))], name="x")


def capture(shared: Path, name: str) -> Device:
    return read(shared / "captures" / "nxos" / name)


def config(shared: Path, name: str) -> Device:
    return read(shared / "captures" / "configs" / name)


def test_every_text_is_recognised(shared: Path) -> None:
    foreign = [
        path.name
        for path in texts(shared)
        if recognise(Document(path.name, path.read_text("utf-8"))) is None
    ]
    assert foreign == []


def test_no_line_about_qos_stays_unknown(shared: Path) -> None:
    kinds = {DefectKind.UNKNOWN_LINE, DefectKind.MALFORMED_VALUE}
    found = [
        (path.name, defect.message)
        for path in texts(shared)
        for defect in read(path).defects
        if defect.kind in kinds and defect.touches_qos
    ]
    assert found == []


def test_the_rendered_roce_switch(shared: Path) -> None:
    qos = config(shared, "nxos_roce_paregupt_rendered.cfg").ports["Ethernet1/2"].qos
    assert (qos.pfc_mode, qos.pfc_tx, qos.trust) == (PfcMode.ON, frozenset({3}), Trust.DSCP)
    assert is_known(qos.ecn)
    assert (qos.ecn[3].kmin_bytes, qos.ecn[3].pmax_percent) == (950_000, 7)
    assert is_known(qos.dscp_to_priority)
    assert (qos.dscp_to_priority[31], qos.dscp_to_priority[48]) == (3, 7)


def test_the_switch_with_accounts_of_its_own(shared: Path) -> None:
    device = config(shared, "nxos_mssdn_n3132-tor1_2016.cfg")
    qos = device.ports["Ethernet1/3/1"].qos
    assert is_known(qos.ingress_buffer)
    assert qos.ingress_buffer[3].size_bytes == 101920
    assert qos.mtu_by_priority == {0: 9216, 3: 2240}
    assert device.os_version == "6.0(2)U6(1)"


def test_the_generated_switch_whose_no_drop_class_is_not_defined(shared: Path) -> None:
    device = config(shared, "nxos_azlocal_switched_generated.cfg")
    assert device.ports["Ethernet1/17"].qos.pfc_tx == frozenset()
    assert {defect.kind for defect in device.defects} == {DefectKind.DANGLING_REFERENCE}


def test_the_switch_of_azure_local(shared: Path) -> None:
    device = config(shared, "nxos_azlocal_fc_tor-1a_93180.cfg")
    assert len(device.ports) == 54
    qos = device.ports["Ethernet1/16"].qos
    assert (qos.trust, qos.pfc_tx) == (Trust.PCP, frozenset({3}))
    assert device.ports["Ethernet1/41"].aggregate == "port-channel50"
    assert device.ports["Ethernet1/41"].qos.trust is Trust.PCP


def test_tables_of_pfc(shared: Path) -> None:
    old = capture(shared, "show_interface_priority-flow-control__n5k.txt")
    assert old.ports["Ethernet1/47"].qos.pfc_mode is PfcMode.AUTO
    assert is_known(old.counters)
    assert {
        key.name: one.value for key, one in old.counters.items() if key.port == "Ethernet1/47"
    } == {
        "RxPPP": 7316,
        "TxPPP": 762946,
    }
    both = capture(shared, "show_interface_priority-flow-control__otel_test.txt")
    assert both.ports["Ethernet1/2"].qos.pfc_tx == frozenset({0, 3})
    assert both.ports["Ethernet1/5"].qos.pfc_tx == frozenset()


def test_queuing_of_a_port(shared: Path) -> None:
    counters = capture(shared, "show_queuing_interface__otel_test.txt").counters
    assert is_known(counters)
    found = {(key.meaning, key.number): one.value for key, one in counters.items()}
    assert found[Meaning.QUEUE_PACKETS, 0] == 12 + 22 + 34
    assert found[Meaning.QUEUE_DROP, 3] == 6
    assert found[Meaning.PRIORITY_GROUP_DROP, -1] == 10
    assert (found[Meaning.PFC_TX, 3], found[Meaning.PFC_RX, 3]) == (7, 8)


def test_the_watchdog_in_action(shared: Path) -> None:
    counters = capture(shared, "show_queuing_pfc-queue_detail__otel_test.txt").counters
    assert is_known(counters)
    found = {key.name: one.value for key, one in counters.items()}
    assert (found["Shutdown"], found["Total Ingress pkts dropped"]) == (1, 1924)


def test_the_predefined_output_policy(shared: Path) -> None:
    scheduler = capture(shared, "show_queuing_summary__n9k.txt").ports["Ethernet1/1"].qos.scheduler
    assert is_known(scheduler)
    assert scheduler[7] == Scheduler(SchedulerKind.STRICT)
    assert scheduler[0] == Scheduler(SchedulerKind.WEIGHTED, 100)
    shown = capture(shared, "show_policy-map_interface__n9k_default.txt")
    assert is_known(shown.counters)
    assert {key.number for key in shown.counters} == frozenset({6, 7})


def test_all_lines_of_a_running_config_of_defaults(shared: Path) -> None:
    port = capture(shared, "show_run_all_interface_2_batfish.txt").ports["Ethernet1/2"]
    assert (port.l2_mtu, port.speed_bps) == (1500, 1_000_000_000)
    assert (port.qos.pfc_mode, port.qos.global_pause_rx) == (PfcMode.AUTO, False)
    assert port.operational_speed_bps is UNKNOWN
