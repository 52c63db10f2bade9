"""The switch's own reading of its applied revision: what the ASIC is set to."""

from __future__ import annotations

import math
from dataclasses import replace

from netcheck.lab.devices.cumulus import defaults
from netcheck.lab.devices.cumulus.headroom import (
    ALL_SMALL_PERCENT,
    CELL_BYTES,
    PIPELINE_BYTES,
    headroom_bytes,
)
from netcheck.lab.devices.cumulus.tree import Tree, subtree
from netcheck.lab.devices.deviation import Deviation
from netcheck.lossless.dataplane.network import (
    PRIORITIES,
    Account,
    EcnCurve,
    Node,
    Port,
    Queue,
    Watchdog,
)

FORWARDING_S = 600e-9
HEADER_BYTES = 18
# Smaller than an SN5600's buffer, so that a small incast fills it within the
# milliseconds that are stepped through.
BUFFER_BYTES = 27_891_648
# ECN thresholds are programmed in steps: 150,000 bytes become 159,744 and 1,500,000 become 1.43 MB.
# Source: Cumulus Linux 5.14, RDMA over Converged Ethernet (note on Spectrum-4); step derived.
ECN_STEP_BYTES = 13_312
# The egress pool of lossless traffic is infinite: what was let in is not dropped on its way out.
# Source: Cumulus Linux 5.14, Flow Control Buffers (egress_service_pool.1.infinite_flag).
INFINITE_BYTES = 1 << 40
LOSSY_ALPHA = 8.0
LOSSLESS_ALPHA = 1.0
_LAST_GROUP = 7


def stepped(threshold: object) -> int:
    """Give an ECN threshold as the ASIC holds it, in bytes."""
    return math.ceil(int(str(threshold)) / ECN_STEP_BYTES) * ECN_STEP_BYTES


def read_node(name: str, tree: Tree, speeds: dict[str, int], deviation: Deviation) -> Node:
    """Give the hardware as it works."""
    ports = {
        port: PortReader(tree, port, speed, deviation).port() for port, speed in speeds.items()
    }
    shares = defaults.traffic_pools(tree)
    pools = {
        f"{way} {pool}": BUFFER_BYTES * int(row.get("memory-percent", 0)) // 100
        for pool, row in shares.items()
        for way in ("ingress", "egress")
    }
    if own := defaults.lossless_pool(tree):
        pools[f"egress {own}"] = INFINITE_BYTES
    return Node(name, ports, pools, CELL_BYTES, forwarding_s=FORWARDING_S)


class PortReader:
    """One port of the applied revision."""

    def __init__(self, tree: Tree, name: str, speed_bps: int, deviation: Deviation) -> None:
        self.tree = tree
        self.name = name
        self.speed_bps = speed_bps
        self.deviation = deviation
        self.link = subtree(tree, "interface", name, "link")
        self.pfc = defaults.pfc(tree, defaults.profile_of(tree, name, "pfc"))
        self.mapping = defaults.mapping(tree, defaults.profile_of(tree, name, "mapping"))

    @property
    def mtu(self) -> int:
        """MTU of the port, in bytes."""
        return int(self.link.get("mtu", defaults.MTU))

    @property
    def is_up(self) -> bool:
        """The port is configured and not switched off."""
        state = self.link.get("state", "up")
        is_down = "down" in state if isinstance(state, dict) else state == "down"
        return self.name in subtree(self.tree, "interface") and not is_down

    @property
    def lossless(self) -> frozenset[int]:
        """Switch priorities with PFC in any direction."""
        is_on = any(defaults.is_on(self.pfc.get(way)) for way in ("rx", "tx"))
        return frozenset(map(int, self.pfc.get("switch-priority", ()))) if is_on else frozenset()

    @property
    def group_of(self) -> tuple[int, ...]:
        """Priority group by switch priority: a lossless one has its own, all others share 0."""
        free = next(n for n in range(_LAST_GROUP, 0, -1) if n not in self.lossless)
        return tuple(
            (number or free) if number in self.lossless else 0 for number in range(PRIORITIES)
        )

    @property
    def headroom(self) -> int:
        """Headroom of a lossless priority group, in bytes."""
        if "port-buffer" in self.pfc:
            return int(self.pfc["port-buffer"]) - int(self.pfc.get("xoff-threshold", 0))
        return headroom_bytes(
            speed_bps=self.speed_bps,
            cable_m=float(self.pfc.get("cable-length", defaults.PFC_CABLE_M)),
            mtu_bytes=self.mtu,
            small_percent=int(self.pfc.get("small-packet-probability", ALL_SMALL_PERCENT)),
        )

    def port(self) -> Port:
        """The port as its hardware works."""
        paused = self.lossless
        sent = paused if defaults.is_on(self.pfc.get("tx")) else frozenset[int]()
        honoured = paused if defaults.is_on(self.pfc.get("rx")) else frozenset[int]()
        queues = defaults.queue_mapping(self.tree)
        queue_of = tuple(int(queues[str(n)]["traffic-class"]) for n in range(PRIORITIES))
        trust, dscps = self._classification()
        group_of = self.group_of
        return Port(
            speed_bps=self.speed_bps,
            mtu_bytes=self.mtu + HEADER_BYTES,
            is_up=self.is_up,
            trust=trust,
            priority_of_dscp=dscps,
            priority_of_pcp=self._priorities("pcp", PRIORITIES),
            default_priority=int(self.mapping["port-default-sp"]),
            queue_of=queue_of,
            group_of=group_of,
            pauses_sent=sent,
            pauses_honoured=honoured,
            pfc_of_group={group_of[priority]: frozenset({priority}) for priority in paused},
            queue_of_pfc=queue_of,
            groups={group: self.group(group) for group in range(PRIORITIES)},
            queues=self._queues(frozenset(queue_of[priority] for priority in paused)),
            watchdog=self._watchdog(),
        )

    def _classification(self) -> tuple[str, tuple[int, ...]]:
        trust = self.mapping["trust"]
        if trust == "port":
            return "dscp", (int(self.mapping["port-default-sp"]),) * len(defaults.DSCPS)
        found = self._priorities("dscp", len(defaults.DSCPS))
        changed = self.deviation.class_of_dscp.get(self.name, {})
        dscps = tuple(changed.get(dscp, priority) for dscp, priority in enumerate(found))
        return "pcp" if trust == "l2" else "dscp", dscps

    def _priorities(self, part: str, count: int) -> tuple[int, ...]:
        rows = self.mapping[part]
        return tuple(int(rows[str(n)]["switch-priority"]) for n in range(count))

    def group(self, number: int) -> Account:
        """Account of a priority group."""
        lossless = {self.group_of[priority] for priority in self.lossless}
        if number not in lossless:
            return Account("ingress default-lossy", alpha=LOSSY_ALPHA)
        pool = defaults.lossless_pool(self.tree) or "default-lossy"
        headroom = self.deviation.headroom.get((self.name, number), self.headroom)
        account = Account(
            f"ingress {pool}",
            headroom_bytes=max(headroom, 0),
            xon_bytes=PIPELINE_BYTES,
            alpha=self._alpha("ingress-lossless-buffer", LOSSLESS_ALPHA),
        )
        if "xoff-threshold" in self.pfc:
            # the group pauses when it has used that much of its own buffer, and draws on no other
            xoff = int(self.pfc["xoff-threshold"])
            offset = int(self.pfc.get("xon-threshold", 0))
            account = replace(
                account, alpha=None, static_bytes=xoff, xon_bytes=0, xon_offset_bytes=offset
            )
        return account

    def _alpha(self, region: str, default: float) -> float | None:
        row = subtree(self.tree, "qos", "advance-buffer-config", defaults.GLOBAL, region)
        return alpha_of(str(row["shared-alpha"])) if "shared-alpha" in row else default

    def _queues(self, lossless: frozenset[int]) -> dict[int, Queue]:
        schedulers = defaults.scheduler(
            self.tree, defaults.profile_of(self.tree, self.name, "egress-scheduler")
        )
        marking = defaults.congestion(
            self.tree, defaults.profile_of(self.tree, self.name, "congestion-control")
        )
        shaper = defaults.profile_of(self.tree, self.name, "egress-shaper")
        limits = subtree(self.tree, "qos", "egress-shaper", shaper, "traffic-class")
        found = {}
        for number in range(PRIORITIES):
            row = schedulers[str(number)]
            limit = limits.get(str(number), {}).get("max-rate")
            found[number] = Queue(
                row["mode"] == "strict",
                float(row["bw-percent"]),
                _curve(marking.get(str(number))),
                self._egress(number in lossless),
                None if limit is None else int(limit) * 1000,
            )
        return found

    def _egress(self, is_lossless: bool) -> Account:  # noqa: FBT001 -- private, named at its call
        if not is_lossless:
            return Account("egress default-lossy", alpha=LOSSY_ALPHA)
        pool = defaults.lossless_pool(self.tree) or "default-lossy"
        alpha = self._alpha("egress-lossless-buffer", math.inf)
        return Account(f"egress {pool}", alpha=None if alpha in (None, math.inf) else alpha)

    def _watchdog(self) -> Watchdog | None:
        if not defaults.has_watchdog(self.tree, self.name):
            return None
        row = defaults.watchdog(self.tree)
        poll_s = int(row["polling-interval"]) / 1000
        # it drops what comes for the stormed queue, and restores after one quiet interval
        return Watchdog(self.lossless, poll_s * int(row["robustness"]), poll_s, "drop")


def alpha_of(text: str) -> float:
    """Give the number of an alpha: ``alpha_1_4`` is a quarter.

    Example:
        >>> alpha_of("alpha_1_4"), alpha_of("alpha_8")
        (0.25, 8.0)
    """
    parts = text.removeprefix("alpha_").split("_")
    if parts == ["infinity"]:
        return math.inf
    return int(parts[0]) / int(parts[1]) if len(parts) > 1 else float(parts[0])


def _curve(row: Tree | None) -> EcnCurve | None:
    if row is None:
        return None
    marks = defaults.is_on(row["ecn"])
    if not (marks or defaults.is_on(row["red"])):
        return None
    return EcnCurve(
        stepped(row["min-threshold"]),
        stepped(row["max-threshold"]),
        float(row["probability"]),
        marks=marks,
    )
