"""ECN: switches mark before they pause, and hosts answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from netcheck.lossless.ecn import pfc_onset_bytes
from netcheck.model.fact import NotGivenError, is_readable
from netcheck.model.finding import Severity
from netcheck.model.known import known_or
from netcheck.model.qos import CongestionAction, Dynamic
from netcheck.model.records import ClassView, EcnView
from netcheck.model.view import DeviceView, FabricView, LosslessClass, PortView, RdmaView
from netcheck.rules.roce.groups import only_switch
from netcheck.rules.rule import Fault, Scope, rule

DCQCN = "Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015"
QOS_TEMPLATE = "sonic-net/sonic-buildimage files/build_templates/qos_config.j2"
WRED = "sonic-net/sonic-buildimage issue 4545: without a colour, nothing is marked"


def marks(ecn: Mapping[int, EcnView], queue: int) -> bool:
    """The queue has thresholds that mark."""
    if queue not in ecn:
        return False
    each = ecn[queue]
    is_active = not is_readable(each, "is_active") or each.is_active
    return is_active and not (is_readable(each, "action") and each.action is CongestionAction.DROP)


def declared(port: PortView, lossless: LosslessClass) -> ClassView | None:
    """The declared class of that priority, where there is an intent."""
    classes = port.policy.lossless() if port.has_policy else iter(())
    return next((each for each in classes if each.priority == lossless.priority), None)


def is_ecn_off(each: ClassView | None) -> bool:
    """The intent says that the class is not marked."""
    return (
        each is not None
        and is_readable(each, "ecn")
        and known_or(each.ecn.is_enabled, default=True) is False
    )


def wants_ecn(each: ClassView | None) -> bool:
    """The intent asks for marking, or tells the class by DSCP (IP packets, which can be marked)."""
    if each is None:
        return False
    return is_readable(each, "ecn") or (is_readable(each, "dscp") and bool(each.dscp))


@rule(
    "ecn-disabled-on-lossless-queue",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=DCQCN,
    aliases=("ecn-on-wrong-queue",),
)
def ecn_disabled_on_lossless_queue(port: PortView) -> Iterator[Fault]:
    """The queue of a lossless class does not mark.

    Why: senders never slow down; only PFC is left, and pauses spread through the fabric. (A
        warning where the intent neither asks for marking nor tells the class by DSCP.)
    Bad: class rdma in queue 3, no ECN on queue 3.
    Good: ECN thresholds on queue 3.
    Fix: bind an ECN (WRED) profile to the queue.
    """
    only_switch(port)
    for each in port.lossless:
        said = declared(port, each)
        if is_ecn_off(said):
            raise NotGivenError("intended marking")
        queue = port.queue_of(each.priority)
        if queue not in port.ecn:
            elsewhere = ", ".join(map(str, sorted(port.ecn)))
            yield Fault(
                port,
                ("ecn",),
                "marking",
                f"none; marking on {elsewhere}" if elsewhere else "none",
                number=f"queue {queue}",
                severity=None if wants_ecn(said) else Severity.WARNING,
            )


@rule(
    "ecn-off-unlike-peers",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=f"derived: one class crosses ports that mark and ports that do not; {DCQCN}",
    supersedes=("ecn-disabled-on-lossless-queue",),
)
def ecn_off_unlike_peers(fabric: FabricView) -> Iterator[Fault]:
    """A port does not mark a lossless class that other ports mark.

    Why: congestion at this port stays unseen by the senders until PFC spreads it.
    Bad: 31 ports mark in queue 3, one does not.
    Good: all ports of the class mark.
    Fix: bind the same ECN profile to the queue of the port.
    """
    marking: dict[int, int] = {}
    silent: list[tuple[PortView, int, int]] = []
    for port in fabric.ports:
        with fabric.attempt():
            if port.device.is_host or not port.is_rdma:
                continue
            for each in port.lossless:
                queue = port.queue_of(each.priority)
                if marks(port.ecn, queue):
                    marking[each.priority] = marking.get(each.priority, 0) + len(port.members)
                elif not is_ecn_off(said := declared(port, each)) and not wants_ecn(said):
                    silent.append((port, each.priority, queue))
    for port, priority, queue in silent:
        others = marking.get(priority, 0)
        if others:
            note = f"{others} other ports mark priority {priority}"
            yield Fault(port, ("ecn",), "marking", "none", note, number=f"queue {queue}")


def lossless_ecn(port: PortView) -> Iterator[EcnView]:
    """Yield the marking of the queues of lossless classes."""
    only_switch(port)
    for each in port.lossless:
        queue = port.queue_of(each.priority)
        if queue in port.ecn:
            yield port.ecn[queue]


@rule(
    "ecn-drop-instead-of-mark",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"{QOS_TEMPLATE}: ecn ecn_all on the lossless profile",
    supersedes=("ecn-off-unlike-peers",),
)
def ecn_drop_instead_of_mark(port: PortView) -> Iterator[Fault]:
    """Thresholds on a lossless queue drop packets instead of marking them.

    Why: WRED without ECN drops RDMA packets long before the buffer is full.
    Bad: thresholds on queue 3, ECN not enabled in them.
    Good: the same thresholds with ECN enabled.
    Fix: enable ECN in the profile (SONiC: "ecn": "ecn_all").
    """
    for each in lossless_ecn(port):
        if each.action is CongestionAction.DROP:
            yield Fault(each, ("action", "ecn"), "mark", "drop")


@rule(
    "ecn-inactive",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=WRED,
    supersedes=("ecn-off-unlike-peers", "ecn-drop-instead-of-mark"),
)
def ecn_inactive(port: PortView) -> Iterator[Fault]:
    """Thresholds on a lossless queue apply to no packet.

    Why: nothing is ever marked, although the thresholds look right.
    Bad: thresholds on queue 3, no colour enabled.
    Good: at least green enabled.
    Fix: enable the colours (SONiC: "wred_green_enable": "true").
    """
    for each in lossless_ecn(port):
        if not each.is_active:
            yield Fault(each, ("is_active", "ecn"), expected=True, found=False)


def unbound_profiles(device: DeviceView) -> Iterator[EcnView]:
    """Yield ECN profiles that no queue of the device uses."""
    profiles = device.whole_qos.ecn_profiles
    if not profiles:
        return
    used: set[object] = set()
    for port in device.record.ports.values():
        used.update(known_or(port.qos.ecn, {}).values())
    for profile in profiles.values():
        if profile.subject not in used:
            yield profile


@rule(
    "ecn-profile-inactive", severity=Severity.ERROR, scope=Scope.DEVICE, source=WRED, is_proof=False
)
def ecn_profile_inactive(device: DeviceView) -> Iterator[Fault]:
    """An ECN profile has thresholds that apply to no packet.

    Why: any queue that gets this profile neither marks nor drops.
    Bad: thresholds for all colours, none of them enabled.
    Good: at least green enabled.
    Fix: enable the colours (SONiC: "wred_green_enable": "true").
    """
    for profile in unbound_profiles(device):
        with device.attempt():
            if not profile.is_active:
                yield Fault(profile, ("is_active", "ecn_profiles"), expected=True, found=False)


@rule(
    "ecn-profile-drops",
    severity=Severity.ERROR,
    scope=Scope.DEVICE,
    source=QOS_TEMPLATE,
    is_proof=False,
)
def ecn_profile_drops(device: DeviceView) -> Iterator[Fault]:
    """An ECN profile that no queue uses yet has thresholds without marking.

    Why: bound to a lossless queue, it drops packets instead of marking them.
    Bad: thresholds, ECN not enabled.
    Good: thresholds with ECN enabled.
    Fix: enable ECN in the profile (SONiC: "ecn": "ecn_all").
    """
    for profile in unbound_profiles(device):
        with device.attempt():
            if profile.action is CongestionAction.DROP:
                yield Fault(profile, ("action", "ecn_profiles"), "mark", "drop")


@rule(
    "ecn-kmin-ge-kmax",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="sonic-net/sonic-buildimage src/sonic-yang-models sonic-wred-profile.yang: max >= min",
)
def ecn_kmin_ge_kmax(port: PortView) -> Iterator[Fault]:
    """Marking of a lossless queue starts above the fill at which it should be full.

    Why: the device refuses the profile, or marks as it likes. (Equal thresholds are step
        marking, which is right.)
    Bad: kmin 2000000, kmax 1000000.
    Good: kmin 1000000, kmax 2000000.
    Fix: exchange the thresholds.
    """
    for each in lossless_ecn(port):
        if each.kmin_bytes > each.kmax_bytes:
            yield Fault(
                each, ("kmin_bytes", "ecn"), f"<= {each.kmax_bytes}", each.kmin_bytes, "kmax"
            )


@rule("ecn-pmax-zero", severity=Severity.ERROR, scope=Scope.PORT, source=DCQCN)
def ecn_pmax_zero(port: PortView) -> Iterator[Fault]:
    """Marking of a lossless queue never happens between its thresholds.

    Why: senders hear nothing until the queue passes kmax; PFC comes first.
    Bad: pmax 0 %.
    Good: pmax 5 to 100 %.
    Fix: set the probability. (With equal thresholds it does not matter.)
    """
    for each in lossless_ecn(port):
        if each.pmax_percent == 0 and each.kmin_bytes < each.kmax_bytes:
            yield Fault(each, ("pmax_percent", "ecn"), "> 0 %", "0 %")


@rule(
    "ecn-kmax-above-pfc",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"{DCQCN}, section 4: ECN before PFC",
    is_proof=False,
)
def ecn_kmax_above_pfc(port: PortView) -> Iterator[Fault]:
    """PFC begins before marking is complete.

    Why: pauses spread before the senders are told to slow down. (A warning while marking at
        least starts before PFC.)
    Bad: kmin 2 MB, PFC of one hot queue begins at 1.6 MB.
    Good: kmax below the fill at which PFC begins.
    Fix: lower the thresholds, or raise alpha of the lossless priority group.
    """
    only_switch(port)
    for lossless in port.lossless:
        queue = port.queue_of(lossless.priority)
        account = port.ingress_buffer.get(port.priority_group_of(lossless.priority))
        if queue not in port.ecn or account is None:
            continue
        each = port.ecn[queue]
        threshold = account.threshold
        pool = port.device.whole_qos.pools.get(account.pool)
        if not isinstance(threshold, Dynamic) or pool is None:
            raise NotGivenError("dynamic threshold and pool")
        onset = pfc_onset_bytes(pool_bytes=pool.size_bytes, alpha=threshold.alpha)
        if each.kmax_bytes >= onset:
            yield Fault(
                each,
                ("kmax_bytes", "ecn"),
                f"< {int(onset)}",
                each.kmax_bytes,
                note="where PFC begins",
                severity=None if each.kmin_bytes >= onset else Severity.WARNING,
            )


@rule(
    "ecn-host-not-ect",
    severity=Severity.ERROR,
    scope=Scope.RDMA,
    source="NVIDIA: /sys/class/net/IF/ecn/roce_np/enable and roce_rp/enable",
    supersedes=("ecn-rp-np-asymmetric",),
)
def ecn_host_not_ect(rdma: RdmaView) -> Iterator[Fault]:
    """A host takes no part in congestion control for a lossless class.

    Why: its packets are not marked, or marks lead to nothing; only PFC is left.
    Bad: priority 3 lossless, neither notification nor reaction point on 3.
    Good: both on 3.
    Fix: echo 1 into ecn/roce_np/enable/3 and ecn/roce_rp/enable/3.
    """
    for each in rdma.policy.lossless():
        if is_ecn_off(each) or not wants_ecn(each):
            continue
        if each.priority not in rdma.notification_point | rdma.reaction_point:
            yield Fault(
                rdma,
                ("notification_point", "reaction_point", "congestion_control"),
                "both on",
                "both off",
                number=f"priority {each.priority}",
            )


@rule(
    "ecn-rp-np-asymmetric",
    severity=Severity.ERROR,
    scope=Scope.RDMA,
    source="NVIDIA: /sys/class/net/IF/ecn/roce_np/enable and roce_rp/enable",
)
def ecn_rp_np_asymmetric(rdma: RdmaView) -> Iterator[Fault]:
    """A host answers marks and does not slow down for answers, or the other way round.

    Why: half of congestion control works in each direction of its traffic.
    Bad: notification point on 3, reaction point off.
    Good: both on.
    Fix: echo 1 into ecn/roce_np/enable/3 and ecn/roce_rp/enable/3.
    """
    priorities = rdma.port.lossless_priorities
    differing = (rdma.notification_point ^ rdma.reaction_point) & priorities
    for priority in sorted(differing):
        has_np = priority in rdma.notification_point
        yield Fault(
            rdma,
            ("reaction_point", "notification_point", "congestion_control"),
            "both on",
            f"notification {'on' if has_np else 'off'}, reaction {'off' if has_np else 'on'}",
            number=f"priority {priority}",
        )
