"""An intended fabric as the text of an intent: what is UNKNOWN in it is not said.

Devices, ports and RDMA devices of which the same is said stand together under
one range. ``load_intent`` of the text gives the fabric again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from netcheck.intent.inferred.layout import Tree, laid_out
from netcheck.intent.inferred.said import (
    flag,
    length,
    milliseconds,
    number,
    or_none,
    said,
    share,
    size,
    speed,
    value,
    word,
    words,
)
from netcheck.intent.inferred.together import devices_together, links_together, ports_together
from netcheck.intent.inferred.writing_subnets import infiniband
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
from netcheck.model.known import ABSENT, is_known
from netcheck.model.qos import BufferPool, DeviceQos


def write_intent(fabric: Fabric, *, about: Iterable[str] = ()) -> str:
    """Give the text of an intent.

    Args:
        fabric: Intended facts; what was observed besides (counters, evidence) is left out.
        about: Lines of a comment at its head.
    """
    tree: Tree = {"netcheck": 1, "name": fabric.name}
    tree |= said(roce=_roce(fabric), infiniband=infiniband(fabric.subnets))
    logins = {name: _login(one) for name, one in fabric.credentials.items()}
    tree |= said(credentials=logins)
    tree |= said(devices=devices_together(_devices(fabric)))
    links = links_together([_link(one) for one in fabric.links])
    tree |= said(links=links)
    tree |= said(jobs={family: dict(values) for family, values in fabric.jobs.items()})
    return "".join(f"# {line}\n" for line in about) + laid_out(tree)


def _login(one: Credentials) -> Tree:
    """References to secrets; an intent holds no others."""
    return said(username=one.username, password=word(one.password), key=word(one.key))


def _roce(fabric: Fabric) -> Tree:
    policies = {name: _policy(one) for name, one in fabric.policies.items()}
    return said(policy=or_none(fabric.policy), policies=policies)


def _policy(policy: Policy) -> Tree:
    return said(
        trust=word(policy.trust),
        l2_mtu=size(policy.l2_mtu),
        ip_mtu=size(policy.ip_mtu),
        rdma_mtu=size(policy.rdma_mtu),
        roce_version=word(policy.roce_version),
        dcbx=word(policy.dcbx),
        headroom=word(policy.headroom),
        global_pause=flag(policy.global_pause),
        watchdog=_watchdog(policy),
        classes={name: _class(one) for name, one in policy.classes.items()},
    )


def _watchdog(policy: Policy) -> object:
    poll = said(poll=milliseconds(policy.watchdog_poll_ms))
    if policy.watchdog is ABSENT:
        return "off"
    if not is_known(policy.watchdog):
        return poll
    one = policy.watchdog
    times = said(
        detection=milliseconds(one.detection_ms), restoration=milliseconds(one.restoration_ms)
    )
    return {**times, **said(action=word(one.action)), **poll}


def _class(one: TrafficClass) -> Tree:
    return said(
        dscp=value(one.dscp, sorted),
        pcp=value(one.pcp, sorted),
        priority=word(one.priority),
        pfc_priority=word(one.pfc_priority),
        queue=word(one.queue),
        priority_group=word(one.priority_group),
        delivery=word(one.delivery),
        carries=word(one.carries),
        scheduling=word(one.scheduling),
        bandwidth=share(one.bandwidth_percent),
        ecn=value(one.ecn, _ecn),
        load_balancing=word(one.load_balancing),
    )


def _ecn(ecn: EcnIntent) -> object:
    if ecn.is_enabled is False:
        return "off"
    numbers = said(
        kmin=size(ecn.kmin_bytes), kmax=size(ecn.kmax_bytes), pmax=share(ecn.pmax_percent)
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
        name: facts
        for name, one in device.ports.items()
        if (facts := _port(one, is_of_rdma=name in used)) or name not in used
    }
    rdma = {name: _rdma(one, device.ports) for name, one in device.rdma.items()}
    return said(
        role=word(device.role),
        tier=word(device.tier),
        pod=word(device.pod),
        plane=word(device.plane),
        rail=word(device.rail),
        platform=word(device.platform),
        variant=word(device.variant),
        model=word(device.model),
        asic=word(device.asic),
        os_version=word(device.os_version),
        mgmt=word(device.mgmt),
        mgmt_port=word(device.mgmt_port),
        credentials=word(device.credentials),
        guid=number(device.node_guid),
        ports=ports_together(ports),
        rdma=rdma,
        aggregates={one.name: _aggregate(one) for one in aggregates},
        buffers=_buffers(device.qos.get("", DeviceQos())),
    )


def _port(port: Port, *, is_of_rdma: bool) -> Tree:
    """What is said of a port; of one behind an RDMA device what is not said there."""
    of_rdma = ("speed", "l2_mtu", "ip_mtu", "link_layer", "address", "policy")
    facts = said(
        alias=word(port.alias),
        speed=speed(port.speed_bps),
        lanes=word(port.lanes),
        parent=word(port.parent),
        fec=word(port.fec),
        autoneg=flag(port.autoneg),
        media=word(port.media),
        l2_mtu=size(port.l2_mtu),
        ip_mtu=size(port.ip_mtu),
        cable=length(port.cable_m),
        admin_state=word(port.admin_state),
        link_layer=word(port.link_layer),
        address=word(port.address),
        policy=or_none(port.policy),
    )
    return {key: fact for key, fact in facts.items() if not (is_of_rdma and key in of_rdma)}


def _rdma(one: RdmaDevice, ports: Mapping[str, Port]) -> Tree:
    port = ports.get(one.ports[0], Port("")) if one.ports else Port("")
    link_layer = one.link_layer if is_known(one.link_layer) else port.link_layer
    return said(
        port=words(one.ports),
        driver=word(one.driver),
        speed=speed(port.speed_bps),
        address=word(port.address),
        l2_mtu=size(port.l2_mtu),
        ip_mtu=size(port.ip_mtu),
        link_layer=word(link_layer),
        guid=number(one.port_guid),
        node_guid=number(one.node_guid),
        subnet=word(one.subnet),
        policy=or_none(port.policy),
        function=word(one.function),
        owner=word(one.owner),
        firmware=word(one.firmware),
        traffic_class=or_none(one.traffic_class),
        rdma_cm_tos=word(one.rdma_cm_tos),
        algorithm=word(one.congestion_control.algorithm),
        out_of_order=flag(one.is_out_of_order_capable),
    )


def _aggregate(one: Aggregate) -> Tree:
    return said(members=words(one.members), mlag_peer=word(one.mlag_peer))


def _buffers(qos: DeviceQos) -> Tree:
    pools = qos.pools.items() if is_known(qos.pools) else ()
    return said(
        pools={name: _pool(one) for name, one in pools},
        oversubscription=word(qos.oversubscription),
    )


def _pool(pool: BufferPool) -> Tree:
    return said(
        kind=word(pool.kind),
        mode=value(pool.is_dynamic, lambda one: "dynamic" if one else "static"),
        size=size(pool.size_bytes),
        share=share(pool.size_percent),
        shared_headroom=size(pool.shared_headroom_bytes),
    )


def _link(one: Link) -> Tree:
    return said(
        a=f"{one.a.device}:{one.a.port}",
        b=f"{one.b.device}:{one.b.port}",
        cable=length(one.length_m),
        extra_delay=value(one.extra_delay_ns, lambda value: f"{value:g}ns"),
        media=word(one.media),
    )
