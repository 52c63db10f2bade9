"""Policies that an mlx5 host can express, for property tests.

A policy is closed under what the adapter always holds: with a trust mode comes
PCP n to priority n, and with either point of DCQCN its name.
"""

from hypothesis import strategies as st

from netcheck.model.device import (
    CongestionControl,
    Device,
    HostFacts,
    Port,
    RdmaDevice,
    Role,
)
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.model.qos import (
    Buffer,
    DcbxMode,
    PortQos,
    Scheduler,
    SchedulerKind,
    Trust,
)

PRIORITIES = st.integers(0, 7)
EIGHT = range(8)
IDENTITY = FrozenMap({number: number for number in EIGHT})


def maybe(strategy: st.SearchStrategy) -> st.SearchStrategy:
    """A value or nothing said."""
    return st.one_of(st.just(UNKNOWN), strategy)


def eight(values: st.SearchStrategy[int]) -> st.SearchStrategy[FrozenMap[int, int]]:
    """A map of all 8 entries."""
    return st.lists(values, min_size=8, max_size=8).map(lambda row: FrozenMap(dict(enumerate(row))))


@st.composite
def schedulers(draw: st.DrawFn, used: list[int]) -> FrozenMap[int, Scheduler]:
    """Scheduling of the queues in use; shares sum to 100, rates are all said or none."""
    kinds = [draw(st.sampled_from(list(SchedulerKind))) for _ in used]
    weighted = [n for n, kind in zip(used, kinds, strict=True) if kind is SchedulerKind.WEIGHTED]
    cuts = sorted(draw(st.permutations(range(1, 100)))[: max(len(weighted) - 1, 0)])
    shares = [b - a for a, b in zip([0, *cuts], [*cuts, 100], strict=True)]
    share_of = dict(zip(weighted, shares, strict=False))
    is_shaped = draw(st.booleans())
    rate = st.one_of(st.just(ABSENT), st.integers(1, 800).map(lambda gbps: gbps * 10**9))
    return FrozenMap(
        {
            queue: Scheduler(
                kind, share_of.get(queue, UNKNOWN), draw(rate) if is_shaped else UNKNOWN
            )
            for queue, kind in zip(used, kinds, strict=True)
        }
    )


DSCP_MAPS = st.dictionaries(st.integers(0, 63), PRIORITIES, min_size=1).map(FrozenMap)


@st.composite
def port_qos(draw: st.DrawFn) -> PortQos:
    """Everything of a port's treatment that an adapter can be told."""
    trust = draw(maybe(st.sampled_from([Trust.DSCP, Trust.PCP])))
    pfc = draw(maybe(st.frozensets(PRIORITIES)))
    queues = draw(maybe(eight(PRIORITIES)))
    used = list(EIGHT) if queues is UNKNOWN else sorted(set(queues.values()))
    pause = st.sampled_from([False]) if pfc not in (UNKNOWN, frozenset()) else st.booleans()
    sizes = st.integers(0, 4_000_000).map(lambda size: Buffer(size_bytes=size))
    return PortQos(
        trust=trust,
        dscp_to_priority=UNKNOWN if trust is Trust.PCP else draw(maybe(DSCP_MAPS)),
        pcp_to_priority=UNKNOWN if trust is UNKNOWN else IDENTITY,
        priority_to_queue=queues,
        priority_to_priority_group=draw(maybe(eight(PRIORITIES))),
        pfc_rx=pfc,
        pfc_tx=pfc,
        dcbx_mode=draw(maybe(st.sampled_from([DcbxMode.HOST, DcbxMode.FIRMWARE]))),
        scheduler=draw(maybe(schedulers(used))),
        ingress_buffer=draw(
            maybe(
                st.lists(sizes, min_size=8, max_size=8).map(lambda r: FrozenMap(dict(enumerate(r))))
            )
        ),
        global_pause_rx=draw(maybe(pause)),
        global_pause_tx=draw(maybe(pause)),
    )


@st.composite
def congestion_controls(draw: st.DrawFn) -> CongestionControl:
    """Both points of DCQCN or neither, and the marks of CNPs."""
    points = st.frozensets(PRIORITIES)
    is_said = draw(st.booleans())
    return CongestionControl(
        algorithm="dcqcn" if is_said else UNKNOWN,
        notification_point=draw(points) if is_said else UNKNOWN,
        reaction_point=draw(points) if is_said else UNKNOWN,
        cnp_dscp=draw(maybe(st.integers(0, 63))),
        cnp_pcp=draw(maybe(PRIORITIES)),
    )


@st.composite
def hosts(draw: st.DrawFn) -> Device:
    """A host with one to three rails."""
    rails = range(draw(st.integers(1, 3)))
    tos = st.integers(0, 255)
    value = st.text(st.sampled_from("abcXYZ0189_,:=.-^"), max_size=12)
    names = st.sampled_from(["NCCL_IB_TC", "NCCL_IB_HCA", "NCCL_DEBUG", "UCX_NET_DEVICES"])
    variables = draw(maybe(st.dictionaries(names, value).map(FrozenMap)))
    return Device(
        "gpu01",
        role=Role.HOST,
        platform="linux",
        variant="mlx5",
        ports=FrozenMap(
            {
                f"rail{rail}": Port(
                    f"rail{rail}",
                    ip_mtu=draw(maybe(st.integers(68, 9978))),
                    cable_m=draw(maybe(st.integers(0, 65535))),
                    qos=draw(port_qos()),
                )
                for rail in rails
            }
        ),
        rdma=FrozenMap(
            {
                f"mlx5_{rail}": RdmaDevice(
                    f"mlx5_{rail}",
                    ports=(f"rail{rail}",),
                    driver="mlx5",
                    traffic_class=draw(maybe(tos)),
                    rdma_cm_tos=draw(maybe(tos)),
                    rdma_cm_roce_v2=draw(maybe(st.booleans())),
                    congestion_control=draw(congestion_controls()),
                )
                for rail in rails
            }
        ),
        host=HostFacts(environment=variables),
    )
