"""ECN before PFC: for the incast that the intent declares, and for any pattern."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.lossless.ecn import (
    FEEDBACK_S,
    ROUND_TRIP_S,
    all_hot_kmax_bytes,
    incast_that_marks_first,
    lowest_useful_kmin_bytes,
)
from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Severity
from netcheck.model.known import is_known
from netcheck.model.qos import Dynamic
from netcheck.model.records import EcnView
from netcheck.model.view import FabricView, PortView
from netcheck.rules.roce.ecn import DCQCN, lossless_ecn
from netcheck.rules.roce.groups import only_switch
from netcheck.rules.rule import Fault, Profile, Scope, rule


def shared(port: PortView) -> Iterator[tuple[EcnView, int, float]]:
    """Yield marking, pool size and alpha of each lossless class with a dynamic threshold.

    Raises:
        NotGivenError: The port is a host's.
    """
    only_switch(port)
    for each in port.lossless:
        queue = port.queue_of(each.priority)
        account = port.ingress_buffer.get(port.priority_group_of(each.priority))
        if account is None or queue not in port.ecn:
            continue
        threshold = account.threshold
        pool = port.device.whole_qos.pools.get(account.pool)
        if isinstance(threshold, Dynamic) and pool is not None:
            yield port.ecn[queue], pool.size_bytes, threshold.alpha


@rule(
    "ecn-after-pfc-at-incast",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source=f"derived: what senders add until the first marks reach them; {DCQCN}, section 4",
    aliases=("buf-oversub-incast",),
    is_proof=False,
)
def ecn_after_pfc_at_incast(fabric: FabricView) -> Iterator[Fault]:
    """In the incast that the intent expects, PFC acts before the senders hear of marks.

    Why: each sender adds 12 us of line rate above kmax before it slows down; the pauses that
        follow spread to others. (Judged where the intent says expect.incast.)
    Bad: incast of 128 at 400G, kmax 6400000 bytes, alpha 1/8, pool of 60000000 bytes.
    Good: incast of 64 there.
    Fix: lower kmax, raise alpha, enlarge the pool, or spread the incast.
    """
    degree = fabric.plan.expect.incast
    if not is_known(degree):
        raise NotGivenError("expected incast")
    for port in fabric.ports:
        with fabric.attempt():
            if port.device.is_host:
                continue
            for marking, size, alpha in shared(port):
                most = incast_that_marks_first(
                    kmax_bytes=marking.kmax_bytes,
                    pool_bytes=size,
                    alpha=alpha,
                    speed_bps=port.speed_bps,
                    feedback_s=FEEDBACK_S,
                )
                if most < degree:
                    note = "senders that ECN slows down before PFC pauses them"
                    yield Fault(marking, ("kmax_bytes", "ecn"), f">= {degree}", most, note)


@rule(
    "ecn-all-hot-guarantee",
    severity=Severity.INFO,
    scope=Scope.PORT,
    source=f"{DCQCN}, section 4, for any alpha and number of priorities",
    profile=Profile.STRICT,
    is_proof=False,
)
def ecn_all_hot_guarantee(port: PortView) -> Iterator[Fault]:
    """Nothing guarantees that ECN precedes PFC when all ports are hot at once.

    Why: pauses may come first in the worst pattern. (Hardly any fabric has the guarantee.)
    Bad: kmax 6400000 bytes on 64 ports, alpha 1, pool of 125752320 bytes.
    Good: kmax below 982440 bytes there.
    Fix: lower kmax, where throughput allows it.
    """
    count = sum(one.qos.pfc_tx != frozenset() for one in port.device.record.ports.values())
    priorities = max(len(port.lossless), 1)
    for marking, size, alpha in shared(port):
        limit = all_hot_kmax_bytes(
            pool_bytes=size, alpha=alpha, ports=max(count, 1), priorities=priorities
        )
        if marking.kmax_bytes >= limit:
            facts = ("kmax_bytes", "ecn")
            yield Fault(marking, facts, f"< {int(limit)}", marking.kmax_bytes)


@rule(
    "ecn-kmin-too-low",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source="Data Center TCP, SIGCOMM 2010, section 3.3: a seventh of rate times round trip",
    is_proof=False,
)
def ecn_kmin_too_low(port: PortView) -> Iterator[Fault]:
    """Marking of a lossless queue starts before the link can be kept busy.

    Why: senders are slowed down although there is no congestion, and bandwidth is lost.
    Bad: 400G, kmin 5000 bytes.
    Good: 400G, kmin at least 57142 bytes (round trip of 8 us).
    Fix: raise kmin.
    """
    least = int(lowest_useful_kmin_bytes(speed_bps=port.speed_bps, round_trip_s=ROUND_TRIP_S))
    for each in lossless_ecn(port):
        if each.kmin_bytes < least:
            yield Fault(each, ("kmin_bytes", "ecn"), f">= {least}", each.kmin_bytes)
