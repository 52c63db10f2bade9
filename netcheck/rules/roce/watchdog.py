"""The PFC watchdog guards every lossless priority, within what the platform takes."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.fact import NotGivenError, is_absent, is_readable
from netcheck.model.finding import Severity
from netcheck.model.view import PortView
from netcheck.rules.roce.groups import only_switch
from netcheck.rules.rule import Fault, Scope, rule

STORM = "RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.3: NIC pause storm"
ORCH = "sonic-net/sonic-swss orchagent/pfcwdorch.h"
ROUNDED = 2  # found may be so many times what is intended
# platform -> (detection, restoration), each as (lowest, highest) in ms
RANGES_MS = {"sonic": ((100, 5000), (100, 60000))}


@rule("pfcwd-absent", severity=Severity.WARNING, scope=Scope.PORT, source=STORM)
def pfcwd_absent(port: PortView) -> Iterator[Fault]:
    """A port with a lossless class has no PFC watchdog.

    Why: one broken NIC that pauses without end stops the whole fabric. (An error where the
        intent asks for the watchdog.)
    Bad: PFC {3}, no watchdog, or one without a detection time, which does not start.
    Good: a watchdog with detection 200 ms and restoration 400 ms.
    Fix: start the watchdog on the port (SONiC: config pfcwd start).
    """
    only_switch(port)
    if not port.lossless:
        return
    is_said = port.has_policy and is_readable(port.policy, "watchdog")
    if port.has_policy and not is_said and _is_refused(port):
        raise NotGivenError("watchdog in the intent")
    if is_absent(port, "watchdog"):
        severity = Severity.ERROR if is_said else None
        facts = ("watchdog", "watchdog_poll_ms")
        yield Fault(port, facts, "a watchdog", "none", severity=severity)
    elif is_absent(port.watchdog, "detection_ms"):
        severity = Severity.ERROR if is_said else None
        facts = ("watchdog", "detection_ms")
        yield Fault(port, facts, "a detection time", "none", severity=severity)


def _is_refused(port: PortView) -> bool:
    """The intent wants no watchdog."""
    try:
        return is_absent(port.policy, "watchdog")
    except NotGivenError:
        return False


@rule(
    "pfcwd-detection-range",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"{ORCH}: detection 100 to 5000 ms, restoration 100 to 60000 ms",
    is_proof=False,
)
def pfcwd_detection_range(port: PortView) -> Iterator[Fault]:
    """Times of the PFC watchdog lie outside what the platform takes.

    Why: the device refuses the setting; the watchdog does not run.
    Bad: SONiC with detection 50 ms.
    Good: detection 200 ms, restoration 400 ms.
    Fix: choose times in the range.
    """
    only_switch(port)
    ranges = RANGES_MS.get(port.device.platform)
    if ranges is None:
        raise NotGivenError("watchdog range of the platform")
    if is_absent(port, "watchdog"):
        return
    watchdog = port.watchdog
    for fact, (lowest, highest) in zip(("detection_ms", "restoration_ms"), ranges, strict=True):
        found = getattr(watchdog, fact)
        if not lowest <= found <= highest:
            yield Fault(port, (fact, "watchdog"), f"{lowest} to {highest} ms", f"{found} ms")


@rule(
    "pfcwd-poll-gt-detection",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source=f"{ORCH}; detection is counted in polls",
    is_proof=False,
)
def pfcwd_poll_gt_detection(port: PortView) -> Iterator[Fault]:
    """The PFC watchdog looks more seldom than its detection time.

    Why: a stuck pause is found late, or a short one is taken for a storm.
    Bad: poll 1000 ms, detection 200 ms.
    Good: poll 100 ms, detection 200 ms.
    Fix: lower the polling interval.
    """
    only_switch(port)
    if is_absent(port, "watchdog"):
        return
    poll = port.device.whole_qos.watchdog_poll_ms
    if poll > port.watchdog.detection_ms:
        facts = ("watchdog_poll_ms", "watchdog")
        yield Fault(port, facts, f"<= {port.watchdog.detection_ms} ms", f"{poll} ms")


@rule(
    "pfcwd-not-on-lossless-queue",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="edge-core/sonic-buildimage pull request 689: pfcwd_sw_enable must match pfc_enable; "
    "Juniper PFC watchdog documentation",
)
def pfcwd_not_on_lossless_queue(port: PortView) -> Iterator[Fault]:
    """The PFC watchdog leaves out a lossless priority.

    Why: a storm on that priority is never broken.
    Bad: lossless 3 and 4, watchdog on 3.
    Good: watchdog on 3 and 4.
    Fix: add the priority to the watchdog (SONiC: pfcwd_sw_enable).
    """
    only_switch(port)
    if is_absent(port, "watchdog"):
        return
    lossless = frozenset(each.pfc_priority for each in port.lossless)
    if lossless and lossless - port.watchdog.priorities:
        yield Fault(port, ("priorities", "watchdog"), lossless, port.watchdog.priorities)


@rule(
    "pfcwd-slower-than-intended",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source=f"derived: platforms count in polls, so that twice the time is still rounding; {STORM}",
    is_proof=False,
)
def pfcwd_slower_than_intended(port: PortView) -> Iterator[Fault]:
    """The PFC watchdog takes more than twice as long as the intent says.

    Why: a stuck pause stops the fabric for that much longer before it is broken, or a queue stays
        cut off for longer after it.
    Bad: intended detection 200 ms, found 1200 ms.
    Good: at most 400 ms.
    Fix: set the times of the watchdog.
    """
    only_switch(port)
    intended = port.policy.watchdog
    if is_absent(port, "watchdog"):
        return
    for fact in ("detection_ms", "restoration_ms"):
        if not is_readable(intended, fact):
            continue
        wanted, found = getattr(intended, fact), getattr(port.watchdog, fact)
        if found > ROUNDED * wanted:
            yield Fault(port, (fact, "watchdog"), f"<= {ROUNDED * wanted} ms", f"{found} ms")
