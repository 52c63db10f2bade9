"""A flow on its way: started on both ends, not yet ended."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from netcheck.collect.session import Session
from netcheck.model.device import Device, Gid
from netcheck.model.errors import TransportError
from netcheck.model.known import is_known
from netcheck.perf.bench import Bench
from netcheck.perf.perftest import PerftestRun, client_line
from netcheck.perf.schedule import Endpoint

# A cable, one of eight, that loses one flow in eight hits one of these in 63 of 100 tests.
SPREAD_QUEUE_PAIRS, SPREAD_MESSAGES, SPREAD_BYTES = 64, 20, 4096


@dataclass(frozen=True)
class StartedFlow:
    """A flow on its way: what is set tells how far it got."""

    sender: Endpoint
    receiver: Endpoint
    run: PerftestRun | None = None
    server: Session | None = None
    client: Session | None = None
    error: str = ""
    asking: str = ""


def may_mark(hosts: Mapping[str, Device | None], end: Endpoint) -> bool:
    """The host takes the mark that a test asks for and forces none of its own."""
    host = hosts.get(end.host)
    rdma = host.rdma.get(end.rdma) if host else None
    return rdma is not None and not (is_known(rdma.traffic_class) and rdma.traffic_class)


def spread(run: PerftestRun) -> PerftestRun:
    """Many flows, each of few packets."""
    return replace(
        run,
        queue_pairs=SPREAD_QUEUE_PAIRS,
        message_bytes=SPREAD_BYTES,
        iterations=SPREAD_MESSAGES,
    )


def send(bench: Bench, flow: StartedFlow) -> StartedFlow:
    """Start the client of one flow whose server waits."""
    if flow.run is None or flow.server is None:
        return flow
    try:
        client = bench.borrow(flow.asking)
        client.start(client_line(flow.run))
    except TransportError as error:
        return replace(flow, error=str(error))
    return replace(flow, client=client)


def stop(server: Session | None) -> None:
    """End a server that no client will come to; nothing where there is none."""
    if server is not None:
        with suppress(TransportError):
            server.interrupt()


def ipv4(gid: Gid) -> str:
    """Dotted address of an IPv4-mapped GID; empty for any other."""
    with suppress(ValueError):
        mapped = ipaddress.IPv6Address(gid.address).ipv4_mapped
        return str(mapped) if mapped else ""
    return ""
