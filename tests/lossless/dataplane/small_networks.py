"""Networks of one switch for the data plane's tests: N senders, one receiver."""

from __future__ import annotations

from collections.abc import Mapping

from netcheck.lossless.dataplane.network import (
    Account,
    Cable,
    EcnCurve,
    Flow,
    Hop,
    Network,
    Nic,
    Node,
    Port,
    Queue,
)

RDMA_DSCP, CNP_DSCP, RDMA, CNP = 26, 48, 3, 6
DSCPS = tuple(RDMA if d == RDMA_DSCP else CNP if d == CNP_DSCP else 0 for d in range(64))
LOSSLESS = frozenset({RDMA})


def switch_port(
    speed_bps: int,
    *,
    headroom_bytes: int,
    alpha: float = 1.0,
    ecn: EcnCurve | None = None,
    pauses: frozenset[int] = LOSSLESS,
    mtu_bytes: int = 9216,
) -> Port:
    """A port with one lossless class."""
    return Port(
        speed_bps,
        mtu_bytes,
        priority_of_dscp=DSCPS,
        group_of=(0, 0, 0, 3, 0, 0, 0, 0),
        pauses_sent=pauses,
        pauses_honoured=LOSSLESS,
        pfc_of_group={RDMA: LOSSLESS},
        groups={RDMA: Account("lossless", 0, headroom_bytes, alpha), 0: Account("lossy", alpha=8)},
        queues={RDMA: Queue(weight=50, ecn=ecn), 0: Queue(weight=50), CNP: Queue(is_strict=True)},
    )


def host_port(speed_bps: int, *, trust: str = "dscp", mtu_bytes: int = 9018) -> Port:
    """An adapter that pauses and obeys pauses on the lossless class."""
    return Port(
        speed_bps,
        mtu_bytes,
        trust=trust,
        priority_of_dscp=DSCPS,
        pauses_sent=LOSSLESS,
        pauses_honoured=LOSSLESS,
    )


def incast(
    senders: int,
    port: Port,
    *,
    pool_bytes: int = 14_000_000,
    cable_m: float = 5,
    hosts: Mapping[int, Port] | None = None,
    reacts: bool = True,
    queue_pairs: int = 4,
) -> tuple[Network, list[Flow]]:
    """``senders`` hosts send to host 0 through one switch."""
    nic = Nic(LOSSLESS if reacts else frozenset(), LOSSLESS, CNP_DSCP, CNP)
    count = senders + 1
    nodes = {
        "leaf": Node(
            "leaf",
            {f"p{i}": port for i in range(count)},
            {"lossless": pool_bytes, "lossy": 4_000_000},
            cell_bytes=1,
        )
    }
    for index in range(count):
        own = (hosts or {}).get(index, host_port(port.speed_bps))
        nodes[f"h{index}"] = Node(f"h{index}", {"n": own}, nics={"n": nic}, forwarding_s=0)
    cables = tuple(Cable(("leaf", f"p{i}"), (f"h{i}", "n"), cable_m) for i in range(count))
    flows = [
        Flow(
            f"{index} {pair}",
            (Hop(f"h{index}", "", "n"), Hop("leaf", f"p{index}", "p0"), Hop("h0", "n", "")),
            (Hop("h0", "", "n"), Hop("leaf", "p0", f"p{index}"), Hop(f"h{index}", "n", "")),
            dscp=RDMA_DSCP,
            is_ecn_capable=True,
        )
        for index in range(1, count)
        for pair in range(queue_pairs)
    ]
    return Network(nodes, cables), flows
