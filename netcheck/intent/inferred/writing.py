"""An intended fabric as the text of an intent: what is UNKNOWN in it is not said.

Devices, ports and RDMA devices of which the same is said stand together under
one range. ``load_intent`` of the text gives the fabric again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from netcheck.intent.inferred.layout import Tree, laid_out
from netcheck.intent.inferred.together import devices_together, links_together, ports_together
from netcheck.model.device import Device, Port, RdmaDevice
from netcheck.model.fabric import (
    Aggregate,
    Credentials,
    EcnIntent,
    Fabric,
    Link,
    Policy,
    TrafficClass,
)
from netcheck.model.known import ABSENT, Known, is_known
from netcheck.model.qos import BufferPool, DeviceQos, Watchdog

T = TypeVar("T")
NS_PER_MS = 1_000_000
SPEED_UNITS = ((10**9, "G"), (10**6, "M"), (10**3, "K"))


def write_intent(fabric: Fabric, *, about: Iterable[str] = ()) -> str:
    """Give the text of an intent.

    Args:
        fabric: Intended facts; what was observed besides (counters, evidence) is left out.
        about: Lines of a comment at its head.
    """
    tree: Tree = {"netcheck": 1, "name": fabric.name}
    tree |= _said(roce=_roce(fabric))
    logins = {name: _login(one) for name, one in fabric.credentials.items()}
    tree |= _said(credentials=logins)
    tree |= _said(devices=devices_together(_devices(fabric)))
    links = links_together([_link(one) for one in fabric.links])
    tree |= _said(links=links)
    tree |= _said(jobs={family: dict(values) for family, values in fabric.jobs.items()})
    return "".join(f"# {line}\n" for line in about) + laid_out(tree)


def _said(**values: Any) -> Tree:  # Any: values of a mapping are of every kind
    """The items that say something."""
    return {key: value for key, value in values.items() if value not in (None, {}, [])}


def _value(fact: Known[T], written: Callable[[T], object] = lambda value: value) -> object:
    """A fact as it is written; None where it is not said."""
    return written(fact) if is_known(fact) else None


def _word(fact: Known[Any]) -> object:  # Any: of every enumeration, text and number
    return _value(fact, lambda one: one.value if isinstance(one, StrEnum) else one)


def _flag(fact: Known[bool]) -> object:
    return _value(fact, lambda one: "on" if one else "off")


def _size(fact: Known[int]) -> object:
    return _value(fact, lambda one: f"{one}B")


def _speed(fact: Known[int]) -> object:
    return _value(fact, _in_bits)


def _in_bits(speed_bps: int) -> str:
    unit = next((one for one in SPEED_UNITS if speed_bps % one[0] == 0), (1, "bps"))
    return f"{speed_bps // unit[0]}{unit[1]}"


def _share(fact: Known[int]) -> object:
    return _value(fact, lambda one: f"{one}%")


def _time(fact: Known[int]) -> object:
    return _value(fact, lambda one: f"{one}ms")


def _length(fact: Known[float] | Known[int]) -> object:
    return _value(fact, lambda one: f"{one:g}m")


def _or_none(fact: Known[T], written: Callable[[T], object] = lambda value: value) -> object:
    """A fact that can be said not to be there."""
    return "none" if fact is ABSENT else _value(fact, written)


def _login(one: Credentials) -> Tree:
    """References to secrets; an intent holds no others."""
    return _said(username=one.username, password=_word(one.password), key=_word(one.key))


def _roce(fabric: Fabric) -> Tree:
    policies = {name: _policy(one) for name, one in fabric.policies.items()}
    return _said(policy=_or_none(fabric.policy), policies=policies)


def _policy(policy: Policy) -> Tree:
    return _said(
        trust=_word(policy.trust),
        l2_mtu=_size(policy.l2_mtu),
        ip_mtu=_size(policy.ip_mtu),
        rdma_mtu=_size(policy.rdma_mtu),
        roce_version=_word(policy.roce_version),
        dcbx=_word(policy.dcbx),
        headroom=_word(policy.headroom),
        global_pause=_flag(policy.global_pause),
        watchdog=_watchdog(policy),
        classes={name: _class(one) for name, one in policy.classes.items()},
    )


def _watchdog(policy: Policy) -> object:
    poll = _said(poll=_time(policy.watchdog_poll_ms))
    if policy.watchdog is ABSENT:
        return "off"
    if not is_known(policy.watchdog):
        return poll
    one: Watchdog = policy.watchdog
    times = _said(detection=_time(one.detection_ms), restoration=_time(one.restoration_ms))
    return {**times, **_said(action=_word(one.action)), **poll}


def _class(one: TrafficClass) -> Tree:
    return _said(
        dscp=_value(one.dscp, sorted),
        pcp=_value(one.pcp, sorted),
        priority=_word(one.priority),
        pfc_priority=_word(one.pfc_priority),
        queue=_word(one.queue),
        priority_group=_word(one.priority_group),
        delivery=_word(one.delivery),
        carries=_word(one.carries),
        scheduling=_word(one.scheduling),
        bandwidth=_share(one.bandwidth_percent),
        ecn=_value(one.ecn, _ecn),
        load_balancing=_word(one.load_balancing),
    )


def _ecn(ecn: EcnIntent) -> object:
    if ecn.is_enabled is False:
        return "off"
    numbers = _said(
        kmin=_size(ecn.kmin_bytes), kmax=_size(ecn.kmax_bytes), pmax=_share(ecn.pmax_percent)
    )
    return numbers or "auto"


def _devices(fabric: Fabric) -> dict[str, Tree]:
    aggregates: dict[str, list[Aggregate]] = {}
    for one in fabric.aggregates:
        aggregates.setdefault(one.device, []).append(one)
    return {
        name: _device(device, aggregates.get(name, ())) for name, device in fabric.devices.items()
    }


def _device(device: Device, aggregates: Iterable[Aggregate]) -> Tree:
    used = {name for one in device.rdma.values() for name in one.ports}
    ports = {
        name: said
        for name, one in device.ports.items()
        if (said := _port(one, is_of_rdma=name in used)) or name not in used
    }
    rdma = {name: _rdma(one, device.ports) for name, one in device.rdma.items()}
    return _said(
        role=_word(device.role),
        tier=_word(device.tier),
        pod=_word(device.pod),
        plane=_word(device.plane),
        rail=_word(device.rail),
        platform=_word(device.platform),
        variant=_word(device.variant),
        model=_word(device.model),
        asic=_word(device.asic),
        os_version=_word(device.os_version),
        mgmt=_word(device.mgmt),
        mgmt_port=_word(device.mgmt_port),
        credentials=_word(device.credentials),
        guid=_value(device.node_guid, _guid),
        ports=ports_together(ports),
        rdma=rdma,
        aggregates={one.name: _aggregate(one) for one in aggregates},
        buffers=_buffers(device.qos.get("", DeviceQos())),
    )


def _guid(number: int) -> str:
    return f"0x{number:016x}"


def _port(port: Port, *, is_of_rdma: bool) -> Tree:
    """What is said of a port; of one behind an RDMA device what is not said there."""
    of_rdma = ("speed", "l2_mtu", "ip_mtu", "link_layer", "address", "policy")
    said = _said(
        alias=_word(port.alias),
        speed=_speed(port.speed_bps),
        lanes=_word(port.lanes),
        parent=_word(port.parent),
        fec=_word(port.fec),
        autoneg=_flag(port.autoneg),
        media=_word(port.media),
        l2_mtu=_size(port.l2_mtu),
        ip_mtu=_size(port.ip_mtu),
        cable=_length(port.cable_m),
        admin_state=_word(port.admin_state),
        link_layer=_word(port.link_layer),
        address=_word(port.address),
        policy=_or_none(port.policy),
    )
    return {key: value for key, value in said.items() if not (is_of_rdma and key in of_rdma)}


def _rdma(one: RdmaDevice, ports: Mapping[str, Port]) -> Tree:
    port = ports.get(one.ports[0], Port("")) if one.ports else Port("")
    names = one.ports[0] if len(one.ports) == 1 else list(one.ports)
    link_layer = one.link_layer if is_known(one.link_layer) else port.link_layer
    return _said(
        port=names,
        driver=_word(one.driver),
        speed=_speed(port.speed_bps),
        address=_word(port.address),
        l2_mtu=_size(port.l2_mtu),
        ip_mtu=_size(port.ip_mtu),
        link_layer=_word(link_layer),
        guid=_value(one.port_guid, _guid),
        node_guid=_value(one.node_guid, _guid),
        subnet=_word(one.subnet),
        policy=_or_none(port.policy),
        function=_word(one.function),
        owner=_word(one.owner),
        firmware=_word(one.firmware),
        traffic_class=_or_none(one.traffic_class),
        rdma_cm_tos=_word(one.rdma_cm_tos),
        algorithm=_word(one.congestion_control.algorithm),
        out_of_order=_flag(one.is_out_of_order_capable),
    )


def _aggregate(one: Aggregate) -> Tree:
    members = one.members[0] if len(one.members) == 1 else list(one.members)
    return _said(members=members, mlag_peer=_word(one.mlag_peer))


def _buffers(qos: DeviceQos) -> Tree:
    pools = qos.pools.items() if is_known(qos.pools) else ()
    return _said(
        pools={name: _pool(one) for name, one in pools},
        oversubscription=_word(qos.oversubscription),
    )


def _pool(pool: BufferPool) -> Tree:
    return _said(
        kind=_word(pool.kind),
        mode=_value(pool.is_dynamic, lambda one: "dynamic" if one else "static"),
        size=_size(pool.size_bytes),
        share=_share(pool.size_percent),
        shared_headroom=_size(pool.shared_headroom_bytes),
    )


def _link(one: Link) -> Tree:
    return _said(
        a=f"{one.a.device}:{one.a.port}",
        b=f"{one.b.device}:{one.b.port}",
        cable=_length(one.length_m),
        extra_delay=_value(one.extra_delay_ns, lambda value: f"{value:g}ns"),
        media=_word(one.media),
    )
