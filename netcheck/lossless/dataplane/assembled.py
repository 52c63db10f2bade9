"""Ports, their buffers and their peers as a network has them, before anything is sent."""

from __future__ import annotations

from netcheck.lossless.dataplane.buffers import EgressAccount, IngressAccount, Pool
from netcheck.lossless.dataplane.intake import Intake
from netcheck.lossless.dataplane.network import Cable, Network, Nic, Port
from netcheck.lossless.dataplane.ports import GroupState, PortState

NS_PER_M = 5e-9
LEAST_XON_OFFSET = 8192
Ports = dict[tuple[str, str], PortState]
Pools = dict[tuple[str, str], Pool]


def build_ports(network: Network, ports: Ports, pools: Pools) -> None:
    """Fill both maps, by ``(node, port)`` and ``(node, pool)``."""
    for node in network.nodes.values():
        for name, size in node.pools.items():
            pools[node.name, name] = Pool(size)
        for name, port in node.ports.items():
            key = (node.name, name)
            ports[key] = _build_port(key, port, node.nics.get(name), pools)
    for cable in network.cables:
        _connect(cable, ports)


def _connect(cable: Cable, ports: Ports) -> None:
    a, b = ports.get(cable.a), ports.get(cable.b)
    if a is None or b is None:
        return
    a.peer, b.peer = b, a
    a.delay_s = b.delay_s = cable.length_m * NS_PER_M + cable.extra_delay_s
    b.worn = cable.worn
    if cable.limit_bps is not None:
        for end in (a, b):
            end.wire_bytes_per_s = min(end.wire_bytes_per_s, cable.limit_bps / 8)


def _build_port(key: tuple[str, str], port: Port, nic: Nic | None, pools: Pools) -> PortState:
    state = PortState(key, port, nic)
    for queue in state.queues:
        setup = port.queues.get(queue.number)
        if setup is not None:
            queue.is_strict, queue.weight = setup.is_strict, max(setup.weight, 0.01)
            queue.ecn, queue.limit_bps = setup.ecn, setup.limit_bps
            if setup.account is not None:
                queue.account = EgressAccount(
                    setup.account, _pool(pools, key[0], setup.account.pool)
                )
    state.groups.extend(_build_group(state, number, pools) for number in range(len(state.queues)))
    if nic is not None and nic.receive_bps is not None:
        state.intake = Intake(nic.receive_bps)
    return state


def _build_group(state: PortState, number: int, pools: Pools) -> GroupState:
    port = state.port
    account = port.groups.get(number)
    paused = port.pfc_of_group.get(number, frozenset()) & port.pauses_sent
    if account is None:
        return GroupState(state, number, None, paused)
    pool = _pool(pools, state.node, account.pool)
    common = _pool(pools, state.node, account.headroom_pool) if account.headroom_pool else None
    held = IngressAccount(account, pool, least_xon_offset=LEAST_XON_OFFSET, headroom_pool=common)
    return GroupState(state, number, held, paused)


def _pool(pools: Pools, node: str, name: str) -> Pool:
    return pools.setdefault((node, name), Pool(0))
