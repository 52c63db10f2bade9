"""A simulated Cumulus switch: revisions, what it shows, what its hardware holds, what it counts."""

from __future__ import annotations

import asyncio
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from netcheck.lab import bench
from netcheck.lab.building import Building
from netcheck.lab.cabling import CABLING
from netcheck.lab.devices.cumulus.headroom import headroom_bytes, wire_bytes
from netcheck.lab.devices.cumulus.reader import alpha_of, stepped
from netcheck.lab.devices.cumulus.tree import TreeError, difference, expand, parse
from netcheck.lab.devices.cumulus.words import human
from netcheck.lab.fault_changes import changes_of
from netcheck.lab.faults import Faults, fault_kinds
from netcheck.lossless.dataplane.network import EcnCurve
from tests.lab.cumulus_lab import (
    HOSTS,
    LOSSLESS,
    PORTS,
    SPEED,
    apply_file,
    build,
    nv,
    run_as,
    switch_of,
)
from tests.lab.labs import HOST_SETUP, sh

OPTIONS = "-x 3 -D 5 -q 4 -s 65536 --report_gbits --tclass=106 -F"
PAIRS = (("gpu02", "mlx5_0", 18515), ("gpu02", "mlx5_1", 18516))


def shown(building: Building, path: str) -> Any:  # JSON of the device
    output, status = nv(switch_of(building), f"nv show {path} -o json")
    assert status == 0, output
    return json.loads(output)


@pytest.fixture
def building(tmp_path: Path) -> Building:
    found = build(tmp_path)
    output, status = apply_file(switch_of(found), LOSSLESS)
    assert status == 0, output
    return found


# The tree


def test_ids_are_lists_and_ranges() -> None:
    assert expand("swp1-3,swp6") == ["swp1", "swp2", "swp3", "swp6"]
    assert expand("swp1-2,5") == ["swp1", "swp2", "swp5"]
    assert expand("swp1s0-1") == ["swp1s0", "swp1s1"]
    assert expand("0,3-5") == ["0", "3", "4", "5"]
    assert expand("my-profile") == ["my-profile"]


def test_a_file_with_unset_takes_away() -> None:
    change, unset = parse("- unset:\n    qos: {roce: {}}\n- set:\n    system: {hostname: a}\n")
    assert (change, unset) == ({"system": {"hostname": "a"}}, [("qos", "roce")])


def test_words_for_on_and_off_stay_words() -> None:
    assert parse("- set: {qos: {roce: {enable: on}}}")[0] == {"qos": {"roce": {"enable": "on"}}}
    with pytest.raises(TreeError, match="not valid"):
        parse("- set: {a: [")


def test_a_difference_is_what_leads_from_one_tree_to_the_other() -> None:
    before = {"a": {"b": 1, "c": 2}, "d": {}}
    after = {"a": {"b": 3}, "e": {}}
    assert difference(before, after) == ({"a": {"c": {}}, "d": {}}, {"a": {"b": 3}, "e": {}})
    assert difference(before, before) == ({}, {})


# Revisions


def test_nothing_changes_before_apply(tmp_path: Path) -> None:
    switch = switch_of(build(tmp_path))
    assert nv(switch, "nv set interface swp1-2 link mtu 1500") == ("", 0)
    assert switch.port("swp1").mtu == 9216
    output, _ = nv(switch, "nv config diff -o commands")
    assert output.splitlines() == [
        "nv set interface swp1 link mtu 1500",
        "nv set interface swp2 link mtu 1500",
    ]
    assert nv(switch, "nv config apply -y") == ("applied [rev_id: 2]\n", 0)
    assert (switch.port("swp1").mtu, switch.port("swp3").mtu) == (1500, 9216)
    assert "mtu: 1500" in switch.files.read("/etc/nvue.d/startup.yaml")


def test_apply_asks_and_takes_no_for_an_answer(tmp_path: Path) -> None:
    switch = switch_of(build(tmp_path))
    nv(switch, "nv set interface swp1 link mtu 1500")
    output, status = nv(switch, "nv config apply", given="n\n")
    assert (output, status) == ("Are you sure? [y/N] Aborted!\n", 1)
    assert switch.port("swp1").mtu == 9216
    assert nv(switch, "nv config apply", given="y\n")[1] == 0
    assert switch.port("swp1").mtu == 1500


def test_detach_forgets_what_is_pending(tmp_path: Path) -> None:
    switch = switch_of(build(tmp_path))
    nv(switch, "nv set interface swp1 link mtu 1500; nv config detach")
    assert nv(switch, "nv config diff") == ("", 0)


def test_an_earlier_revision_can_be_applied_again(building: Building) -> None:
    switch = switch_of(building)
    assert switch.port("swp1").lossless == {3}
    assert nv(switch, "nv config apply 1 -y")[1] == 0
    assert switch.port("swp1").lossless == frozenset()
    rows = json.loads(nv(switch, "nv config revision -o json")[0])
    assert [row["state"] for row in rows.values()] == ["saved", "saved", "applied_and_saved"]
    assert nv(switch, "nv config apply 99 -y") == ("Error: Revision 99 does not exist.\n", 1)


def test_replace_takes_the_whole_configuration(building: Building) -> None:
    switch = switch_of(building)
    before = nv(switch, "nv config show")[0]
    switch.files.write("/home/admin/all.yaml", before, user="admin")
    assert nv(switch, "nv config replace all.yaml; nv config diff") == ("", 0)
    switch.files.write(
        "/home/admin/less.yaml", "- set: {system: {hostname: leaf01}}\n", user="admin"
    )
    assert nv(switch, "nv config replace less.yaml && nv config apply -y")[1] == 0
    assert not switch.is_up("swp1")
    assert switch.port("swp1").lossless == frozenset()


def test_commands_of_a_revision_make_the_same_revision(building: Building, tmp_path: Path) -> None:
    lines = nv(switch_of(building), "nv config show -o commands")[0]
    other = switch_of(build(tmp_path / "other"))
    output, status = nv(other, lines + "nv config apply -y")
    assert status == 0, output
    assert other.applied == switch_of(building).applied


def test_an_unconfirmed_change_goes_back(building: Building) -> None:
    switch = switch_of(building)

    async def change() -> None:
        await run_as(switch, "nv set interface swp1 link mtu 1500", "admin", "")
        await run_as(switch, "nv config apply --confirm 1 -y", "admin", "")
        assert switch.port("swp1").mtu == 1500
        await run_as(switch, "nv config apply --confirm-no", "admin", "")

    asyncio.run(change())
    assert switch.port("swp1").mtu == 9216


# What is shown


def test_one_click_roce_is_what_the_vendor_documents(tmp_path: Path) -> None:
    building = build(tmp_path)
    assert nv(switch_of(building), "nv set qos roce; nv config apply -y")[1] == 0
    found = shown(building, "qos roce")
    assert (found["enable"], found["mode"]) == ("on", "lossless")
    assert found["pfc"] == {
        "cable-length": 100,
        "pfc-priority": "3",
        "rx-enabled": "enabled",
        "tx-enabled": "enabled",
    }
    assert found["congestion-control"]["enabled-tc"] == "0,3"
    assert found["trust"] == {"trust-mode": "pcp,dscp"}
    assert found["prio-map"]["3"]["dscp"] == "24,25,26,27,28,29,30,31"
    weights = {row["switch-prio"]: row["scheduler-weight"] for row in found["tc-map"].values()}
    assert weights == {n: "strict-priority" if n == 6 else "DWRR-50%" for n in range(8)}
    text = nv(switch_of(building), "nv show qos roce")[0]
    for value in ("146.48 KB", "1.43 MB", "roce-reserved-egress   Dynamic  inf", "strict-priority"):
        assert value in text


@pytest.mark.parametrize(
    ("mode", "version", "capture"),
    [
        ("lossless-single-ipool", "5.14.0", "nv_show_qos_roce_lossless-single-ipool_5.14.txt"),
        ("lossless-single-ipool", "5.17.0", "nv_show_qos_roce_lossless-single-ipool_5.17.txt"),
        ("lossy-multi-tc", "5.14.0", "nv_show_qos_roce_lossy-multi-tc_5.14.txt"),
    ],
)
def test_one_click_modes_read_as_in_the_vendors_outputs(
    mode: str, version: str, capture: str, shared: Path, tmp_path: Path
) -> None:
    switch = switch_of(build(tmp_path, version=version))
    text = nv(switch, f"nv set qos roce mode {mode}; nv config apply -y; nv show qos roce")[0]
    given = (shared / "captures/cumulus" / capture).read_text("utf-8")
    # whether "enable" has an operational value differs between the vendor's own pages
    mine = {line.replace("enable on on", "enable on") for line in _lines(text)}
    assert [
        line
        for line in _lines(given)
        if line.replace("enable on on", "enable on") not in mine
        and not line.startswith(("Extended", "state", "---"))
    ] == []


def _lines(text: str) -> list[str]:
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [line for line in lines if line.strip("= ")]


def test_the_interface_shows_what_the_hardware_holds(building: Building) -> None:
    nv(switch_of(building), "nv unset qos traffic-pool default-lossless; nv set qos roce")
    nv(switch_of(building), "nv unset qos congestion-control; nv config apply -y")
    as_configured = shown(building, "qos congestion-control default-global traffic-class 3")
    in_hardware = shown(building, "interface swp1 qos congestion-control traffic-class 3")
    assert (as_configured["min-threshold"], in_hardware["min-threshold"]) == (150_000, 159_744)


def test_texts_have_the_columns_of_the_vendor(building: Building) -> None:
    switch = switch_of(building)
    text = nv(switch, "nv show interface swp1 counters qos")[0]
    assert text.startswith("Ingress Buffer Statistics\n============================\n")
    assert "    traffic-class  tx-frames  tx-bytes  tx-uc-buffer-discards  wred-discards\n" in text
    assert "    ecn-marked-packets  n/a      0       \n" in text
    watchdog = nv(switch, "nv show interface swp1 qos pfc-watchdog")[0]
    assert "state  enabled" in watchdog
    assert "    3              OK      0 " in watchdog


def test_an_interface_tells_its_link_and_its_neighbour(building: Building) -> None:
    found = shown(building, "interface")
    assert set(PORTS) < set(found)
    assert found["swp1"]["link"]["mtu"] == 9216
    assert found["swp1"]["link"]["oper-status"] == "up"
    assert found["swp3"]["lldp"]["neighbor"]["gpu02"]["port"]["name"] == "rail0"
    lldp = json.loads(nv(switch_of(building), "lldpctl -f json")[0])["lldp"]["interface"]
    assert [next(iter(row)) for row in lldp] == list(PORTS)


def test_what_is_not_there_is_an_error(building: Building) -> None:
    message = "Error: The requested item does not exist.\n"
    for path in ("interface swp9", "qos pfc nosuch", "nosuch", "interface swp1 qos nosuch"):
        assert nv(switch_of(building), f"nv show {path}") == (message, 1)
    assert nv(switch_of(building), "nv fly") == ("Error: Invalid command: nv fly\n", 2)


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 Bytes"), (1023, "1023 Bytes"), (150_000, "146.48 KB"), (1_500_000, "1.43 MB")],
)
def test_bytes_are_shown_as_the_vendor_does(count: int, text: str) -> None:
    assert human(count) == text


WORDS = """
set unset config show action clear interface swp1 swp1-4 swp9 qos pfc default-global 3
0-7 9 tx switch-priority enable mapping dscp 26 trust l3 roce mode lossless counters
pfc-stats diff apply -y patch replace history revision save detach find translate
filename -o json yaml commands --rev applied 1 99 link mtu 1500 state up vrf default
system hostname leaf traffic-pool memory-percent egress-scheduler traffic-class --
--confirm-no , - 1- 0,,
""".split()  # noqa: SIM905 -- one word after the other reads better


@pytest.mark.parametrize("seed", range(2))
def test_any_line_is_answered(seed: int, building: Building) -> None:
    chosen = random.Random(seed)  # noqa: S311 -- a seed makes it the same again
    for _ in range(60):
        words = [chosen.choice(WORDS) for _ in range(chosen.randint(0, 8))]
        output, status = nv(switch_of(building), " ".join(["nv", *words]))
        assert not status or output.startswith(("Error: ", "Invalid config ", "Action failed"))


# Hardware


def test_hardware_is_the_applied_revision(building: Building) -> None:
    port = switch_of(building).hardware().ports["swp1"]
    assert port.trust == "dscp"
    assert (port.priority_of_dscp[26], port.priority_of_dscp[48], port.priority_of_dscp[0]) == (
        3,
        6,
        0,
    )
    assert port.pauses_sent == port.pauses_honoured == frozenset({3})
    assert (port.group_of[3], port.queue_of[3], port.queue_of[6], port.queue_of[1]) == (3, 3, 6, 0)
    assert port.queues[3].ecn == EcnCurve(1_610_752, 6_403_072, 20.0)
    assert port.queues[0].ecn is None
    assert port.queues[6].is_strict
    assert port.watchdog is not None
    assert (port.watchdog.detection_s, port.watchdog.restoration_s) == (0.4, 0.2)
    assert port.groups[3].headroom_bytes == 231_424
    assert port.groups[0].headroom_bytes == 0


def test_out_of_the_box_dscp_is_not_trusted_and_nothing_pauses(tmp_path: Path) -> None:
    port = switch_of(build(tmp_path)).hardware().ports["swp1"]
    assert (port.trust, port.pauses_sent, port.watchdog) == ("pcp", frozenset(), None)
    assert [queue.weight for queue in port.queues.values()] == [12, 13] * 4
    assert port.queues[0].ecn == EcnCurve(159_744, 1_504_256, 100.0)


def test_headroom_grows_with_cable_speed_and_small_packets() -> None:
    base = headroom_bytes(speed_bps=SPEED, cable_m=5, mtu_bytes=9216)
    assert base == 231_424
    assert headroom_bytes(speed_bps=SPEED, cable_m=40, mtu_bytes=9216) > base
    assert headroom_bytes(speed_bps=2 * SPEED, cable_m=5, mtu_bytes=9216) > base
    mixed = headroom_bytes(speed_bps=SPEED, cable_m=5, mtu_bytes=9216, small_percent=50)
    assert wire_bytes(speed_bps=SPEED, cable_m=5, mtu_bytes=9216) < mixed < base


def test_sizes_set_by_hand_take_the_place_of_computed_ones(building: Building) -> None:
    switch = switch_of(building)
    nv(switch, "nv set qos pfc default-global xoff-threshold 10000")
    nv(switch, "nv set qos pfc default-global xon-threshold 2000")
    assert nv(switch, "nv set qos pfc default-global port-buffer 25000; nv config apply -y")[1] == 0
    group = switch.hardware().ports["swp1"].groups[3]
    assert (group.headroom_bytes, group.static_bytes, group.xon_offset_bytes) == (
        15000,
        10000,
        2000,
    )


def test_thresholds_and_alphas_are_read() -> None:
    assert (stepped(150_000), stepped(13_312)) == (159_744, 13_312)
    assert [alpha_of(f"alpha_{name}") for name in ("0", "1_128", "8", "infinity")] == [
        0.0,
        1 / 128,
        8.0,
        float("inf"),
    ]


# Traffic


async def _perftests(building: Building) -> list[str]:
    receiver = building.devices["gpu01"]
    servers = [
        asyncio.ensure_future(
            run_as(receiver, f"ib_write_bw -d mlx5_0 -p {port} {OPTIONS}", "root", "")
        )
        for _, _, port in PAIRS
    ]
    await asyncio.sleep(0)
    clients = [
        run_as(
            building.devices[name],
            f"ib_write_bw -d {rdma} -p {port} {OPTIONS} 10.100.0.1",
            "root",
            "",
        )
        for name, rdma, port in PAIRS
    ]
    results = await asyncio.gather(*clients)
    await asyncio.gather(*servers)
    return [text for text, _ in results]


def incast(building: Building) -> tuple[float, int, int]:
    """Run it; give Gb/s together, packets lost at the switch, pause frames sent."""
    for name in HOSTS:
        for rail in ("rail0", "rail1"):
            output, status = sh(building.devices[name], HOST_SETUP.format(rail))
            assert status == 0, output
    outputs = asyncio.run(_perftests(building))
    rates = [re.findall(r"^ 65536 +\d+ +[\d.]+ +([\d.]+)", text, re.MULTILINE) for text in outputs]
    lost = pauses = 0
    for port in PORTS:
        found = shown(building, f"interface {port} counters qos")
        lost += sum(row["rx-buffer-discards"] for row in found["ingress-buffer-stats"].values())
        lost += sum(row["tx-uc-buffer-discards"] for row in found["egress-queue-stats"].values())
        pauses += found["pfc-stats"]["3"]["tx-pause-frames"]
    return sum(float(found[0]) for found in rates if found), lost, pauses


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "QUIET_S", 0.01)


@pytest.mark.usefixtures("quick")
def test_a_good_switch_pauses_and_loses_nothing(building: Building) -> None:
    gbps, lost, pauses = incast(building)
    assert lost == 0
    assert pauses > 0
    assert gbps > 0.97 * 392.1
    port = shown(building, "interface swp1 counters qos")
    assert port["egress-queue-stats"]["3"]["tx-frames"] > 0
    assert port["port-stats"]["tx-stats"]["ecn-marked-packets"] > 0


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "fault",
    [
        "pfc-off-one-port",
        "dscp-map-one-leaf",
        "headroom-halved",
        "profile-rejected",
        "map-not-programmed",
    ],
)
def test_a_fault_loses_packets(fault: str, building: Building) -> None:
    Faults(building).inject(fault, "leaf01", "swp3")
    assert incast(building)[1] > 0


@pytest.mark.parametrize(
    "fault",
    [
        name
        for name, kind in fault_kinds().items()
        if kind.role != "host" and kind.change in {*CABLING, *changes_of("cumulus")}
    ],
)
def test_every_fault_says_what_it_did_and_goes_away(fault: str, building: Building) -> None:
    switch = switch_of(building)
    before = switch.hardware()
    faults = Faults(building)
    said = faults.inject(fault, "leaf01", None)
    assert said.startswith(f"{fault}: ")
    faults.clear()
    assert switch.hardware() == before
