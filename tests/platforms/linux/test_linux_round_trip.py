"""What is rendered reads as what was meant, for every policy an adapter can express."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from netcheck.model.device import (
    CongestionControl,
    Device,
    HostFacts,
    LinkLayer,
    Port,
    RdmaDevice,
)
from netcheck.model.document import Document, DocumentKind
from netcheck.model.errors import RefusalError
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.qos import (
    Buffer,
    DcbxMode,
    Ecn,
    PfcMode,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
)
from netcheck.platforms.linux.parse import parse
from netcheck.platforms.linux.recognise import recognise
from netcheck.platforms.linux.render import refusals, render
from tests.platforms.linux.linux_policies import hosts, port_qos

FABRIC = Fabric("f")
STRICT = Scheduler(SchedulerKind.STRICT)


def _read_back(device: Device) -> Device:
    documents = [Document(name, text) for name, text in render(device, FABRIC).items()]
    return parse(documents, name=device.name)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(hosts())
def test_a_rendered_host_reads_as_its_policy(device: Device) -> None:
    found = _read_back(device)
    assert (found.ports, found.rdma, found.host) == (device.ports, device.rdma, device.host)
    assert (found.role, found.platform, found.variant) == ("host", "linux", "mlx5")
    assert (found.defects, found.unread) == ((), ())


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(port_qos())
def test_what_dcb_sets_reads_as_it_was_meant(qos: PortQos) -> None:
    queues = dict(qos.scheduler) if is_known(qos.scheduler) else {}
    unshaped = {queue: replace(one, shaper_bps=UNKNOWN) for queue, one in queues.items()}
    said = PortQos(
        pfc_rx=qos.pfc_rx,
        pfc_tx=qos.pfc_tx,
        priority_to_queue=qos.priority_to_queue,
        scheduler=FrozenMap(unshaped) if unshaped else UNKNOWN,
        dscp_to_priority=qos.dscp_to_priority,
        dcbx_mode=qos.dcbx_mode,
    )
    port = Port("rail0", ip_mtu=4400, qos=said)
    found = _read_back(_host(port, RdmaDevice("rxe0", driver="rxe", ports=("rail0",))))
    assert found.ports == {"rail0": port}
    assert (found.defects, found.unread) == ((), ())


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(hosts())
def test_rendering_twice_gives_the_same_bytes(device: Device) -> None:
    assert render(device, FABRIC) == render(device, FABRIC)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(hosts())
def test_rendered_text_is_configuration_without_trailing_blanks(device: Device) -> None:
    for name, text in render(device, FABRIC).items():
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert [line for line in text.splitlines() if line != line.rstrip()] == []
        if name.endswith(".sh") and "profile" not in name and len(text.splitlines()) > 5:
            recognition = recognise(Document(name, text))
            assert recognition is not None
            assert (recognition.kind, recognition.device) == (DocumentKind.CONFIG, device.name)


def _host(port: Port | None = None, rdma: RdmaDevice | None = None) -> Device:
    return Device(
        "gpu01",
        ports=FrozenMap({"rail0": port or Port("rail0")}),
        rdma=FrozenMap({"mlx5_0": rdma or RdmaDevice("mlx5_0", ports=("rail0",))}),
    )


def _port(**qos: object) -> Device:
    return _host(Port("rail0", qos=PortQos(**qos)))  # type: ignore[arg-type]  # fields by name


def _rdma(**facts: object) -> Device:
    return _host(rdma=RdmaDevice("mlx5_0", ports=("rail0",), **facts))  # type: ignore[arg-type]  # as above


ALL = range(8)
REFUSED = {
    "priority": _port(pfc_rx=frozenset({8}), pfc_tx=frozenset({8})),
    "queue": _port(priority_to_queue=FrozenMap(dict.fromkeys(ALL, 8))),
    "receive-buffer": _port(priority_to_priority_group=FrozenMap(dict.fromkeys(ALL, 9))),
    "dscp": _port(dscp_to_priority=FrozenMap({64: 1})),
    "map-complete": _port(priority_to_queue=FrozenMap({3: 3})),
    "dscp-map-empty": _port(dscp_to_priority=FrozenMap()),
    "trust-dscp-map": _port(trust=Trust.PCP, dscp_to_priority=FrozenMap({26: 3})),
    "pcp-map": _port(pcp_to_priority=FrozenMap({3: 4})),
    "trust": _port(trust=Trust.BOTH),
    "pfc-directions": _port(pfc_rx=frozenset({3}), pfc_tx=frozenset()),
    "pfc-mode": _port(pfc_rx=frozenset({3}), pfc_tx=frozenset({3}), pfc_mode=PfcMode.AUTO),
    "pfc-and-global-pause": _port(
        pfc_rx=frozenset({3}), pfc_tx=frozenset({3}), global_pause_rx=True
    ),
    "dcbx-mode": _port(dcbx_mode=DcbxMode.CEE),
    "ets-sum": _port(
        scheduler=FrozenMap(dict.fromkeys(ALL, Scheduler(SchedulerKind.WEIGHTED, 10)))
    ),
    "ets-weight": _port(
        scheduler=FrozenMap({**dict.fromkeys(ALL, STRICT), 0: Scheduler(SchedulerKind.WEIGHTED, 0)})
    ),
    "scheduler-queues": _port(scheduler=FrozenMap({3: STRICT})),
    "shaper": _port(
        scheduler=FrozenMap(
            dict.fromkeys(ALL, Scheduler(SchedulerKind.STRICT, shaper_bps=1_500_000_000))
        )
    ),
    "buffer-fields": _port(
        ingress_buffer=FrozenMap(dict.fromkeys(ALL, Buffer(size_bytes=1, headroom_bytes=1)))
    ),
    "cable-length": _host(Port("rail0", cable_m=65536)),
    "mtu": _host(Port("rail0", ip_mtu=9979)),
    "mtu-layers": _host(Port("rail0", ip_mtu=9000, l2_mtu=9013)),
    "driver": _rdma(driver="bnxt"),
    "tos": _rdma(traffic_class=256),
    "congestion-control": _rdma(congestion_control=CongestionControl(algorithm="zero-touch")),
    "watchdog": _port(watchdog=Watchdog(200)),
    "ecn-marking": _port(ecn=FrozenMap({3: Ecn(1)})),
    "egress-buffer": _port(egress_buffer=FrozenMap({3: Buffer()})),
    "remarking": _port(remark_dscp=FrozenMap({3: 26})),
    "pfc-maps": _port(pfc_priority_to_queue=FrozenMap({3: 3})),
    "mtu-by-priority": _port(mtu_by_priority=FrozenMap({3: 9000})),
    "environment-value": Device(
        "gpu01", host=HostFacts(environment=FrozenMap({"NCCL_IB_TC": "1\nreboot"}))
    ),
    "name": Device(
        "gpu01",
        ports=FrozenMap({"a;reboot": Port("a;reboot")}),
        rdma=FrozenMap({"mlx5_0": RdmaDevice("mlx5_0", ports=("a;reboot",))}),
    ),
    "congestion-control-shared": Device(
        "gpu01",
        ports=FrozenMap({"bond0": Port("bond0")}),
        rdma=FrozenMap(
            {
                name: RdmaDevice(
                    name, ports=("bond0",), congestion_control=CongestionControl(cnp_dscp=dscp)
                )
                for name, dscp in (("mlx5_0", 48), ("mlx5_1", 46))
            }
        ),
    ),
}


@pytest.mark.parametrize("limit", REFUSED)
def test_what_an_adapter_cannot_do_is_refused_by_the_limits_name(limit: str) -> None:
    device = REFUSED[limit]
    assert {one.limit for one in refusals(device, FABRIC)} >= {limit}
    with pytest.raises(RefusalError, match="gpu01"):
        render(device, FABRIC)


def _buffered(size: int) -> Device:
    qos = PortQos(
        pfc_rx=frozenset({3}),
        pfc_tx=frozenset({3}),
        priority_to_priority_group=FrozenMap({n: int(n == 3) for n in ALL}),
        ingress_buffer=FrozenMap({n: Buffer(size_bytes=size if n == 1 else 0) for n in ALL}),
    )
    return _host(Port("rail0", speed_bps=400_000_000_000, cable_m=7, ip_mtu=9216, qos=qos))


# 151467 bytes of headroom, a frame of 9216 and a cell of 256 above it
@pytest.mark.parametrize(("size", "limits"), [(160_939, []), (160_938, ["receive-buffer-size"])])
def test_a_receive_buffer_that_pauses_holds_its_headroom(size: int, limits: list[str]) -> None:
    assert [one.limit for one in refusals(_buffered(size), FABRIC)] == limits


def test_nothing_unknown_is_rendered() -> None:
    text = render(_host(), FABRIC)["rail0.sh"]
    assert [line for line in text.splitlines() if line and line[0] != "#"] == ["set -eu"]


def test_an_infiniband_device_gets_no_script() -> None:
    rdma = RdmaDevice("mlx5_0", ports=("ib0",), link_layer=LinkLayer.INFINIBAND)
    device = Device(
        "gpu01", ports=FrozenMap({"ib0": Port("ib0")}), rdma=FrozenMap({"mlx5_0": rdma})
    )
    assert dict(render(device, FABRIC)) == {}


def test_disabled_dcbx_leaves_the_host_in_charge() -> None:
    text = render(_port(dcbx_mode=DcbxMode.DISABLED), FABRIC)["rail0.sh"]
    assert "mlnx_qos -i rail0 --dcbx os\n" in text


def test_a_script_of_another_port_says_nothing_of_this_one() -> None:
    device = _port(trust=Trust.DSCP)
    found = _read_back(device)
    assert list(found.ports) == ["rail0"]
    assert found.ports["rail0"].qos.pfc_rx is UNKNOWN
