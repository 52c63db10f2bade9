"""The switch's own reading of its running-config: what the hardware is set to.

A port's own lines win over those of its ``service-profile``. DSCP defaults
have the inversion of EOS: 0 to 7 are traffic class 1, 8 to 15 class 0.

Source: arista.com/en/um-eos, Quality of Service.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from netcheck.lab.devices.cli.config import Section
from netcheck.lab.devices.deviation import Deviation
from netcheck.lab.devices.eos import hardware
from netcheck.lossless.dataplane.network import (
    CODE_POINTS,
    PRIORITIES,
    Account,
    EcnCurve,
    Node,
    Port,
    Queue,
    Watchdog,
)

WATCHDOG = "priority-flow-control pause watchdog"
FIRST_CLASSES = (1, 0, 2, 3, 4, 5, 6, 7)
_KINDS = ("tx-queue", "uc-tx-queue")
_UNIT_BYTES = {
    "bytes": 1,
    "kbytes": 1_000,
    "mbytes": 1_000_000,
    "segments": hardware.SEGMENT_BYTES,
}
_DEFAULT_MTU = 1500


def read_node(name: str, config: Section, speeds: Mapping[str, int], deviation: Deviation) -> Node:
    """Give the hardware as it works; ``speeds`` is ``port -> bit/s``."""
    reader = Reader(config)
    ports = {
        port: _deviating(port, reader.port(port, speed), deviation)
        for port, speed in speeds.items()
    }
    pools = {
        hardware.INGRESS_POOL: hardware.INGRESS_BYTES,
        hardware.EGRESS_POOL: hardware.EGRESS_BYTES,
    }
    return Node(name, ports, pools, hardware.CELL_BYTES, forwarding_s=hardware.FORWARDING_S)


def _deviating(name: str, port: Port, deviation: Deviation) -> Port:
    changed = deviation.class_of_dscp.get(name, {})
    dscps = tuple(changed.get(dscp, was) for dscp, was in enumerate(port.priority_of_dscp))
    groups = {
        group: replace(account, headroom_bytes=deviation.headroom[name, group])
        if (name, group) in deviation.headroom
        else account
        for group, account in port.groups.items()
    }
    return replace(port, priority_of_dscp=dscps, groups=groups)


@dataclass(frozen=True)
class Reader:
    """Reads one configuration."""

    config: Section

    def interface(self, port: str) -> Section:
        """Give the block of an interface."""
        return self.config.held(f"interface {port}")

    def layers(self, port: str) -> list[Section]:
        """Give what a port's settings are looked for in, the nearest first."""
        own = self.interface(port)
        profile = own.value("service-profile")
        return [own, self.config.held(f"qos profile {profile}")] if profile else [own]

    def value(self, port: str, key: str) -> str:
        """Give the value of a setting of a port; empty where nothing says it."""
        return next((v for layer in self.layers(port) if (v := layer.value(key))), "")

    def line(self, port: str, key: str) -> str:
        """Give the line of a setting of a port; empty where nothing says it."""
        return next((v for layer in self.layers(port) if (v := layer.line(key))), "")

    def classes_of_dscp(self) -> tuple[int, ...]:
        """Traffic class by DSCP."""
        found = [FIRST_CLASSES[dscp // 8] for dscp in range(CODE_POINTS)]
        return self._mapped("qos map dscp", found)

    def classes_of_cos(self) -> tuple[int, ...]:
        """Traffic class by CoS."""
        return self._mapped("qos map cos", list(FIRST_CLASSES))

    def _mapped(self, start: str, found: list[int]) -> tuple[int, ...]:
        for line in self.config.lines(start):
            words = line.split()
            for code in words[3 : words.index("to")]:
                found[int(code)] = int(words[-1])
        return tuple(found)

    def queues_of_class(self) -> tuple[int, ...]:
        """Transmit queue by traffic class."""
        start = "qos map traffic-class"
        return tuple(
            int(self.config.value(f"{start} {number} to tx-queue") or number)
            for number in range(PRIORITIES)
        )

    def trust(self, port: str) -> str:
        """Give ``dscp``, ``cos`` or ``untrusted``; routed ports trust DSCP by default."""
        line = self.line(port, "qos trust")
        if line:
            return line.split()[-1] if not line.startswith("no ") else "untrusted"
        return "dscp" if self.is_routed(port) else "cos"

    def is_routed(self, port: str) -> bool:
        """The port has left switching."""
        return bool(self.interface(port).line("switchport"))

    def mtu(self, port: str) -> int:
        """The IP MTU of a routed port; a switched one has the platform's frame size."""
        if self.is_routed(port):
            return int(self.interface(port).value("mtu") or _DEFAULT_MTU)
        return int(self.interface(port).value("l2 mtu") or hardware.SWITCHED_BYTES)

    def has_pfc(self, port: str) -> bool:
        """PFC is on at the port."""
        is_off = bool(self.config.line("priority-flow-control all off"))
        return self.value(port, "priority-flow-control") == "on" and not is_off

    def no_drop(self, port: str) -> frozenset[int]:
        """Priorities that are configured no-drop, whether PFC is on or not."""
        key = "priority-flow-control priority"
        return frozenset(
            number
            for number in range(PRIORITIES)
            if self.value(port, f"{key} {number}") == "no-drop"
        )

    def paused(self, port: str) -> frozenset[int]:
        """Priorities that PFC works on."""
        return self.no_drop(port) if self.has_pfc(port) else frozenset()

    def queue_layers(self, port: str, queue: int) -> Iterator[Section]:
        """Give the blocks that say something about a unicast queue, the nearest first."""
        for layer in self.layers(port):
            for kind in _KINDS:
                yield layer.held(f"{kind} {queue}")

    def queue_value(self, port: str, queue: int, key: str) -> str:
        """Give the value of a setting of a queue; empty where nothing says it."""
        return next((v for s in self.queue_layers(port, queue) if (v := s.value(key))), "")

    def queue_line(self, port: str, queue: int, key: str) -> str:
        """Give the line of a setting of a queue; empty where nothing says it."""
        return next((v for s in self.queue_layers(port, queue) if (v := s.line(key))), "")

    def is_strict(self, port: str, queue: int) -> bool:
        """The queue goes before all below it; a weighted queue makes those below it weighted.

        Source: arista.com/en/um-eos, Quality of Service (Trident and Tomahawk, priority).
        """
        return not any(
            self.queue_line(port, above, "priority") == "no priority"
            for above in range(queue, PRIORITIES)
        )

    def weights(self, port: str) -> dict[int, float]:
        """Percent by weighted queue; queues without one share what is left."""
        queues = [number for number in range(PRIORITIES) if not self.is_strict(port, number)]
        said = {n: float(self.queue_value(port, n, "bandwidth percent") or 0) for n in queues}
        silent = [number for number in queues if not said[number]]
        left = max(100.0 - sum(said.values()), float(len(silent)))
        return {n: said[n] or left / len(silent) for n in queues}

    def ecn(self, port: str, queue: int) -> EcnCurve | None:
        """Marking of a queue."""
        words = self.queue_value(port, queue, "random-detect ecn").split()
        if "minimum-threshold" not in words:
            return None
        value = dict(zip(words[0::3], words[1::3], strict=False))
        unit = words[2]
        if unit not in _UNIT_BYTES:
            return None
        mark = words.index("max-mark-probability") + 1 if "max-mark-probability" in words else 0
        return EcnCurve(
            int(value["minimum-threshold"]) * _UNIT_BYTES[unit],
            int(value["maximum-threshold"]) * _UNIT_BYTES[unit],
            float(words[mark]) if mark else 100.0,
        )

    def watchdog(self, port: str) -> tuple[float, float, str] | None:
        """Timeout, recovery time (seconds) and action; None where it does not work.

        Without a timeout anywhere it is not armed; without an action it takes
        the port down.
        """
        if self.line(port, WATCHDOG).startswith("no "):
            return None
        words = self.value(port, f"{WATCHDOG} port timer").split()
        own = dict(zip(words[0::2], words[1::2], strict=False))
        default = f"{WATCHDOG} default"
        timeout = own.get("timeout") or self.config.value(f"{default} timeout")
        if not timeout:
            return None
        recovery = own.get("recovery-time") or self.config.value(f"{default} recovery-time")
        action = self.value(port, f"{WATCHDOG} port action")
        action = action or self.config.value(f"{WATCHDOG} action") or "errdisable"
        return float(timeout), float((recovery or "0").split()[0]), action

    def port(self, name: str, speed_bps: int) -> Port:
        """Give a port as its hardware holds it."""
        paused = self.paused(name)
        trust = self.trust(name)
        classes = self.classes_of_dscp()
        first = int(self.value(name, "qos cos") or 0)
        is_plain = trust == "untrusted"
        queues = self.queues_of_class()
        lossless = {queues[number] for number in paused}
        return Port(
            speed_bps=speed_bps,
            mtu_bytes=self.mtu(name) + (hardware.HEADER_BYTES if self.is_routed(name) else 0),
            is_up=not self.interface(name).line("shutdown"),
            trust="pcp" if trust == "cos" else "dscp",
            priority_of_dscp=(first,) * CODE_POINTS if is_plain else classes,
            priority_of_pcp=self.classes_of_cos(),
            default_priority=self.classes_of_cos()[first],
            queue_of=queues,
            pauses_sent=paused,
            pauses_honoured=paused,
            pfc_of_group={number: frozenset({number}) for number in range(PRIORITIES)},
            queue_of_pfc=queues,
            groups={n: _group(speed_bps, is_paused=n in paused) for n in range(PRIORITIES)},
            queues=self._queues(name, lossless),
            watchdog=self._armed(name, paused),
        )

    def _queues(self, name: str, lossless: set[int]) -> dict[int, Queue]:
        weights = self.weights(name)
        return {
            number: Queue(
                number not in weights,
                weights.get(number, 1.0),
                self.ecn(name, number),
                None
                if number in lossless
                else Account(hardware.EGRESS_POOL, alpha=hardware.LOSSY_QUEUE_ALPHA),
            )
            for number in range(PRIORITIES)
        }

    def _armed(self, name: str, paused: frozenset[int]) -> Watchdog | None:
        found = self.watchdog(name)
        if found is None:
            return None
        action = {"no-drop": "alert", "notify-only": "alert"}.get(found[2], "drop")
        return Watchdog(paused, found[0], found[1] or found[0], action)


def _group(speed_bps: int, *, is_paused: bool) -> Account:
    if not is_paused:
        return Account(hardware.INGRESS_POOL, alpha=hardware.LOSSY_GROUP_ALPHA)
    return Account(
        hardware.INGRESS_POOL,
        headroom_bytes=hardware.headroom_bytes(speed_bps),
        alpha=hardware.LOSSLESS_ALPHA,
        xon_offset_bytes=hardware.XON_OFFSET_BYTES,
    )
