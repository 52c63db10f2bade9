"""Predictions over completed intents: what starts when, how far it goes, what is lost."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from netcheck import api
from netcheck.lossless.filled import Filling
from netcheck.lossless.predict import Prediction, Question, predict, receiver_of
from netcheck.model.device import Device
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric, PortRef
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import is_known
from netcheck.model.qos import BufferPool, DeviceQos, PoolKind

ROOT = Path(__file__).resolve().parents[2]
POOL = "ingress_lossless_pool"


@cache
def lab() -> Fabric:
    return api.complete(api.load_intent(ROOT / "examples" / "lab.yaml"))


def with_pool(fabric: Fabric, size_bytes: int) -> Fabric:
    """Give all switches a lossless pool of that size."""
    pools = FrozenMap({POOL: BufferPool(PoolKind.INGRESS, is_dynamic=True, size_bytes=size_bytes)})

    def changed(device: Device) -> Device:
        whole = replace(device.qos.get("", DeviceQos()), pools=pools)
        return replace(device, qos=device.qos.with_items({"": whole}))

    devices = {name: changed(device) for name, device in fabric.devices.items()}
    return replace(fabric, devices=FrozenMap(devices))


def without_pauses(fabric: Fabric, name: str) -> Fabric:
    """Let one switch send no pauses, though it has headroom."""
    device = fabric.devices[name]
    ports = {
        key: replace(port, qos=replace(port.qos, pfc_tx=frozenset()))
        for key, port in device.ports.items()
    }
    return replace(
        fabric,
        devices=fabric.devices.with_items({name: replace(device, ports=FrozenMap(ports))}),
    )


def played(fabric: Fabric, senders: int, duration_s: float = 0.2e-3) -> Prediction:
    return predict(fabric, Question(senders, receiver_of(fabric, "gpu01"), duration_s))


def test_one_sender_marks_pauses_and_loses_nothing() -> None:
    found = played(lab(), 1)
    assert (found.marking, found.pausing, found.dropping, found.paused) == ((), (), (), ())


def test_an_incast_marks_first_and_pauses_when_the_pool_is_full() -> None:
    found = played(with_pool(lab(), 20_000_000), 7)
    marked, paused = found.marking[0], found.pausing[0]
    assert (marked.device, marked.port, marked.number) == ("leaf01", "Ethernet0", 3)
    assert marked.at_s < paused.at_s
    assert paused.device == "leaf01"
    assert found.dropped == 0
    assert set(found.paused) <= set(found.senders)
    assert found.paused


def test_the_first_pause_comes_where_the_closed_form_says_while_nobody_slows_down() -> None:
    found = played(with_pool(lab(), 4_000_000), 7, 0.1e-3)
    _, expected = found.closed_form
    assert expected is not None
    assert found.pausing[0].at_s == pytest.approx(expected, abs=2e-6)


def test_pauses_spread_to_the_spines_and_the_leaf_of_far_senders() -> None:
    found = played(with_pool(lab(), 1_000_000), 14, 0.3e-3)
    assert {event.device[:4] for event in found.pausing} == {"leaf", "spin"}
    assert found.dropped == 0


def test_a_switch_without_pauses_loses_packets() -> None:
    found = played(without_pauses(with_pool(lab(), 1_000_000), "leaf01"), 7)
    assert found.pausing == ()
    assert found.dropped > 0
    assert {event.device for event in found.dropping} == {"leaf01"}


def test_pools_that_nobody_says_are_assumed_and_named() -> None:
    assert any(f"leaf01 pool {POOL}" == what for what, _ in played(lab(), 1).assumed)
    assert not played(with_pool(lab(), 20_000_000), 1).assumed


def test_a_filled_port_holds_what_the_fabric_says() -> None:
    port = Filling(lab()).network(["leaf01"]).nodes["leaf01"].ports["Ethernet0"]
    held = lab().devices["leaf01"].ports["Ethernet0"]
    assert (port.speed_bps, port.mtu_bytes) == (held.speed_bps, held.l2_mtu)
    assert port.priority_of_dscp[26] == 3
    assert port.group_of[3] == 3
    assert port.pauses_sent == held.qos.pfc_tx
    assert is_known(held.qos.ingress_buffer)
    assert port.groups[3].headroom_bytes == held.qos.ingress_buffer[3].headroom_bytes
    assert port.queues[6].is_strict


@pytest.mark.parametrize(
    ("senders", "duration_s", "message"),
    [(31, 1e-3, "incast 31:1: 30 NICs"), (2, 0, "duration 0 s"), (2, 1, "duration 1 s")],
)
def test_what_cannot_be_played_is_refused(senders: int, duration_s: float, message: str) -> None:
    with pytest.raises(InputError, match=message):
        played(lab(), senders, duration_s)


def test_a_receiver_is_named_by_port_or_rdma_device() -> None:
    assert receiver_of(lab(), "gpu01") == PortRef("gpu01", "rail0")
    assert receiver_of(lab(), "gpu01", "mlx5_1") == PortRef("gpu01", "rail1")
    assert receiver_of(lab(), "gpu01", "rail1") == PortRef("gpu01", "rail1")
    with pytest.raises(InputError, match="leaf01: no host"):
        receiver_of(lab(), "leaf01")
