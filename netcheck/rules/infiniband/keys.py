"""Partition keys as ports hold them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from netcheck.lossless.seen import Seen
from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Severity
from netcheck.model.infiniband import IbEnd
from netcheck.model.known import is_known
from netcheck.model.view import FabricView
from netcheck.rules.infiniband.subnets import seen_subnets
from netcheck.rules.rule import Fault, Scope, rule

FULL = 0x8000
KEY = 0x7FFF
SHOWN = 64
CHOOSING = ("NCCL_IB_PKEY", "NVSHMEM_IB_PKEY", "UCX_IB_PKEY")

Keys = dict[IbEnd, tuple[int, ...]]


def _keys(seen: Seen) -> Keys:
    """Keys of each port of a host that shows them.

    Raises:
        NotGivenError: None does.
    """
    found = {
        IbEnd(node.key, number): port.pkeys
        for node in seen.hosts
        for number, port in node.ports.items()
        if is_known(port.pkeys)
    }
    if not found:
        raise NotGivenError("partition keys of ports")
    return found


@rule(
    "ib-partition-mute",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="InfiniBand Architecture Specification volume 1, 10.9.3: limited members do not match",
    is_proof=False,
)
def ib_partition_mute(fabric: FabricView) -> Iterator[Fault]:
    """All members of a partition are limited ones.

    Why: two limited members cannot talk to each other; nobody in the partition reaches anybody.
    Bad: 0x0b02 at all hosts, 0x8b02 at none.
    Good: one full member at least, such as the storage server.
    Fix: make servers full members; where all have to talk to all, make all of them full.
    """
    for seen in seen_subnets(fabric):
        with fabric.attempt():
            yield from _mute(fabric, seen)


def _mute(fabric: FabricView, seen: Seen) -> Iterator[Fault]:
    keys = _keys(seen)
    ports = {
        IbEnd(node.key, number)
        for node in seen.hosts
        for number, port in node.ports.items()
        if is_known(port.peer)
    }
    others = [
        port.pkeys
        for node in seen.switches
        for number, port in node.ports.items()
        if number == 0 and is_known(port.pkeys)
    ]
    if ports - keys.keys():
        raise NotGivenError("partition keys of all hosts")
    limited: dict[int, list[IbEnd]] = {}
    full = {key & KEY for table in (*keys.values(), *others) for key in table if key & FULL}
    for end, table in keys.items():
        for key in table:
            if key & KEY and key & KEY not in full:
                limited.setdefault(key & KEY, []).append(end)
    for number, ends in sorted(limited.items()):
        yield Fault(
            fabric,
            ("pkeys",),
            f"a full member of {number:#06x}",
            f"{len(ends)} limited ones",
            places=tuple(seen.place(end) for end in ends[:SHOWN]),
            evidence=seen.port(ends[0]).evidence,
        )


@rule(
    "ib-pkey-default-missing",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="linux-rdma/opensm doc/partition-config.txt: the default partition 0x7fff",
    is_proof=False,
)
def ib_pkey_default_missing(fabric: FabricView) -> Iterator[Fault]:
    """A host's port is not in the default partition.

    Why: questions to the subnet administrator go there; without it no path is found, and
        IP over InfiniBand and most libraries do not start.
    Bad: keys 0x8a01 alone.
    Good: 0x7fff or 0xffff among the keys.
    Fix: keep the line Default=0x7fff with ALL=limited and SELF=full in partitions.conf.
    """
    for seen in seen_subnets(fabric):
        with fabric.attempt():
            for end, table in _keys(seen).items():
                if not any(key & KEY == KEY for key in table):
                    shown = ", ".join(f"{key:#06x}" for key in table if key) or "none"
                    yield Fault(
                        fabric,
                        ("pkeys",),
                        "0x7fff or 0xffff",
                        shown,
                        places=(seen.place(end),),
                        evidence=seen.port(end).evidence,
                    )


@rule(
    "ib-pkey-index-shift",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="NVIDIA/nvshmem issue 82; NVIDIA/nccl issue 1323: an index of the key table is fixed",
    is_proof=False,
)
def ib_pkey_index_shift(fabric: FabricView) -> Iterator[Fault]:
    """A partition key stands at different places in the tables of hosts.

    Why: NCCL, UCX and NVSHMEM choose a key by its index; where tables differ, jobs hang or run in
        another partition. The subnet manager keeps the place of a key when others go away.
    Bad: 0x0a01 at index 1 on most hosts, at index 3 on gpu07.
    Good: one index on all hosts.
    Fix: put indx0 on the partition that jobs use, or restart the manager with empty tables.
    """
    chosen = _chosen(fabric)
    for seen in seen_subnets(fabric):
        with fabric.attempt():
            yield from _shifted(fabric, seen, chosen)


def _shifted(fabric: FabricView, seen: Seen, chosen: str) -> Iterator[Fault]:
    places: dict[int, dict[IbEnd, int]] = {}
    for end, table in _keys(seen).items():
        for index, key in enumerate(table):
            if key & KEY:
                places.setdefault(key & KEY, {}).setdefault(end, index)
    for key, indices in sorted(places.items()):
        usual, votes = Counter(indices.values()).most_common(1)[0]
        for end, index in indices.items():
            if index != usual:
                yield Fault(
                    fabric,
                    ("pkeys",),
                    f"{key:#06x} at index {usual}",
                    f"index {index}",
                    f"as {votes} other ports{chosen}",
                    places=(seen.place(end),),
                    severity=Severity.ERROR if chosen else None,
                    evidence=seen.port(end).evidence,
                )


def _chosen(fabric: FabricView) -> str:
    """How jobs choose an index, where they do."""
    for device in fabric.record.devices.values():
        environment = device.host.environment
        if is_known(environment):
            for name in CHOOSING:
                if name in environment:
                    return f"; jobs set {name}={environment[name]}"
    return ""
