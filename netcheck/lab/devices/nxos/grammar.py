"""What may be typed in which mode: patterns, what a line replaces, which mode it opens.

Source: Cisco Nexus 9000 NX-OS QoS configuration guide 10.5(x), chapters on classification,
queuing, network QoS and PFC; grammar samples of batfish (cisco_nxos testconfigs).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from netcheck.lab.devices.nxos.patterns import Kind, LineError, number, number_list

DSCP_NAMES = {
    "default": 0,
    "ef": 46,
    **{f"cs{level}": 8 * level for level in range(1, 8)},
    **{f"af{c}{d}": 8 * c + 2 * d for c in range(1, 5) for d in range(1, 4)},
}
UNITS = {"bytes": 1, "kbytes": 1_000, "mbytes": 1_000_000}
# a packet of WRED's unit `packets` is one cell
# Source: cisco.com technote 217340 (cells of 208 bytes on Cloud Scale)
CELL_BYTES = 208
BASE = "config"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
LONGEST_NAME = 40


def _name(word: str) -> str:
    if len(word) > LONGEST_NAME:
        raise LineError("name-too-long", limit=LONGEST_NAME)
    if not _NAME.fullmatch(word) or word == "type":
        raise LineError("invalid-command")
    return word


def _word(word: str) -> str:
    return word


KINDS: Mapping[str, Kind] = {
    "name": _name,
    "word": _word,
    "dscps": number_list("dscp-range", 63, DSCP_NAMES),
    "coses": number_list("cos-range", 7),
    "precedences": number_list("cos-range", 7),
    "qos-groups": number_list("qos-group-range", 7),
    "qos-group": number("qos-group-range", 0, 7),
    "pfc-cos": number_list("pfc-cos-range", 7),
    "percent": number("percent-range", 0, 100),
    "level": number("priority-level-range", 1, 3),
    "threshold": number("threshold-range", 0, 52_428_800),
    "probability": number("percent-range", 0, 100),
    "wred-weight": number("wred-weight-range", 0, 15),
    "buffer": number("pause-buffer-range", 0, 52_428_800),
    "interface-mtu": number("mtu-range", 576, 9216),
    "class-mtu": number("class-mtu-range", 576, 9216),
    "jumbo-mtu": number("mtu-range", 1500, 9216),
    "interval": number("watchdog-interval-range", 100, 1000),
    "shutdown": number("watchdog-multiplier-range", 1, 10),
    "restore": number("watchdog-restore-range", 0, 100),
    "dscp": number("dscp-range", 0, 63),
    "cos": number("cos-range", 0, 7),
    "number": number("number-range", 0, 4_294_967_295),
}

Identity = Callable[[tuple[str, ...]], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a mode.

    Attributes:
        pattern: As ``patterns`` reads it.
        slot: Leading words that one line of the block may begin with; 0 is the whole line.
        opens: Mode that the line opens.
        default: The line that is not kept, because it says what holds anyway.
        written: Gives the line as it is kept, of its words in full.
        identity: Gives what makes two lines the same object.
    """

    pattern: str
    slot: int = 0
    opens: str = ""
    default: str = ""
    written: Callable[[tuple[str, ...]], str] | None = None
    identity: Identity | None = None

    def line(self, words: tuple[str, ...]) -> str:
        """Give the line that is kept."""
        return self.written(words) if self.written else " ".join(words)

    def key(self, line: str) -> tuple[str, ...]:
        """Give what a kept line has in common with the lines that it replaces."""
        words = tuple(line.split())
        if self.identity is not None:
            return self.identity(words)
        return words[: self.slot] if self.slot else words


def _object_key(words: tuple[str, ...]) -> tuple[str, ...]:
    """Kind, type and name of a class map or policy map."""
    kind = words[words.index("type") + 1] if "type" in words else "qos"
    return words[0], kind, words[-1]


def _class_key(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[0], words[-1]


def _class_map(words: tuple[str, ...]) -> str:
    _, kind, name = _object_key(words)
    matching = next((word for word in words if word.startswith("match-")), "")
    if not matching:
        matching = "match-all" if kind == "qos" else "match-any"
    return f"class-map type {kind} {matching} {name}"


def _policy_map(words: tuple[str, ...]) -> str:
    _, kind, name = _object_key(words)
    return f"policy-map type {kind} {name}"


def _qos_class(words: tuple[str, ...]) -> str:
    return f"class {words[-1]}"


def _typed(words: tuple[str, ...]) -> str:
    return f"service-policy type qos {' '.join(words[words.index('input') :])}"


def _objects(kind: str, modes: tuple[str, str]) -> tuple[Rule, ...]:
    """Class maps and policy maps of one type; type qos need not be named."""
    typed = f"[type {kind}]" if kind == "qos" else f"type {kind}"
    return (
        Rule(
            f"class-map {typed} [match-any|match-all] <name>",
            opens=modes[0],
            written=_class_map,
            identity=_object_key,
        ),
        Rule(
            f"policy-map {typed} <name>", opens=modes[1], written=_policy_map, identity=_object_key
        ),
    )


_OPAQUE = (
    "aaa banner boot cdp cfs clock cli copp errdisable fabric fex hardware icam ip ipv6 key line"
    " logging mac nxapi ntp power radius-server rmon role route-map router scheduler snmp-server"
    " spanning-tree ssh switchname tacacs-server telnet username userpassphrase vdc version vlan"
    " vpc vrf"
)
_OPAQUE_INTERFACE = (
    "description switchport ip ipv6 speed duplex negotiate fec channel-group vrf cdp"
    " spanning-tree storm-control load-interval bandwidth delay link snmp logging udld beacon"
    " medium mac-address bfd vpc hsrp lacp"
)
_WRED = (
    "random-detect minimum-threshold <threshold> packets|bytes|kbytes|mbytes maximum-threshold"
    " <threshold> packets|bytes|kbytes|mbytes drop-probability <probability>"
    " [weight <wred-weight>] [ecn|non-ecn]"
)

MODES: Mapping[str, tuple[Rule, ...]] = {
    BASE: (
        *_objects("qos", ("config-cmap-qos", "config-pmap-qos")),
        *_objects("queuing", ("config-cmap-que", "config-pmap-que")),
        *_objects("network-qos", ("config-cmap-nqos", "config-pmap-nqos")),
        *_objects("control-plane", ("config-cmap", "config-pmap")),
        Rule("system qos", opens="config-sys-qos"),
        Rule("system jumbomtu <jumbo-mtu>", slot=2, default="system jumbomtu 9216"),
        Rule(
            "priority-flow-control watch-dog-interval on|off",
            slot=2,
            default="priority-flow-control watch-dog-interval off",
        ),
        Rule(
            "priority-flow-control watch-dog interval <interval>",
            slot=3,
            default="priority-flow-control watch-dog interval 100",
        ),
        Rule(
            "priority-flow-control watch-dog shutdown-multiplier <shutdown>",
            slot=3,
            default="priority-flow-control watch-dog shutdown-multiplier 1",
        ),
        Rule(
            "priority-flow-control watch-dog internal-interface-multiplier <shutdown>",
            slot=3,
            default="priority-flow-control watch-dog internal-interface-multiplier 2",
        ),
        Rule(
            "priority-flow-control auto-restore multiplier <restore>",
            slot=3,
            default="priority-flow-control auto-restore multiplier 10",
        ),
        Rule(
            "priority-flow-control fixed-restore multiplier <restore>",
            slot=3,
            default="priority-flow-control fixed-restore multiplier 0",
        ),
        Rule("system default|login|memory-thresholds|nve|routing <rest>"),
        Rule("hostname <word>", slot=1),
        Rule("feature <word>"),
        Rule("lldp tlv-select dcbxp [egress-queuing]", slot=3, default="lldp tlv-select dcbxp"),
        Rule("lldp tlv-select <word>"),
        Rule("lldp holdtime|timer|reinit <number>", slot=2),
        *(Rule(f"{word} <rest>", opens="config-other") for word in _OPAQUE.split()),
    ),
    "config-other": (Rule("<rest>", opens="config-other"),),
    "config-cmap-qos": (
        Rule("match dscp <dscps>"),
        Rule("match cos <coses>"),
        Rule("match precedence <precedences>"),
        Rule("match access-group name <word>"),
        Rule("match packet length <word>"),
        Rule("match protocol <word>"),
        Rule("description <rest>", slot=1),
    ),
    "config-cmap-que": (Rule("match qos-group <qos-groups>"), Rule("description <rest>", slot=1)),
    "config-cmap-nqos": (
        Rule("match qos-group <qos-groups>"),
        Rule("match cos <coses>"),
        Rule("match protocol <word>"),
        Rule("description <rest>", slot=1),
    ),
    "config-cmap": (Rule("<rest>"),),
    "config-pmap": (Rule("<rest>", opens="config-other"),),
    "config-pmap-qos": (
        Rule(
            "class [type qos] <name>",
            opens="config-pmap-c-qos",
            written=_qos_class,
            identity=_class_key,
        ),
        Rule("description <rest>", slot=1),
    ),
    "config-pmap-c-qos": (
        Rule("set qos-group <qos-group>", slot=2),
        Rule("set dscp <dscp>", slot=2),
        Rule("set cos <cos>", slot=2),
        Rule("police <rest>", slot=1),
    ),
    "config-pmap-que": (
        Rule("class type queuing <name>", opens="config-pmap-c-que", identity=_class_key),
        Rule("description <rest>", slot=1),
    ),
    "config-pmap-c-que": (
        Rule("bandwidth percent <percent>", slot=1),
        Rule("bandwidth remaining percent <percent>", slot=1),
        Rule("priority level <level>", slot=1, written=" ".join),
        Rule("priority", slot=1, written=lambda _: "priority level 1"),
        Rule(_WRED, slot=1),
        Rule("random-detect [ecn]", slot=1),
        Rule("queue-limit dynamic <number>", slot=1),
        Rule("queue-limit <number> [bytes|kbytes|mbytes]", slot=1),
        Rule("shape min <number> bps|kbps|mbps|gbps max <number> bps|kbps|mbps|gbps", slot=1),
        Rule(
            "pause buffer-size <buffer> pause-threshold <buffer> resume-threshold <buffer>", slot=1
        ),
    ),
    "config-pmap-nqos": (
        Rule("class type network-qos <name>", opens="config-pmap-nqos-c", identity=_class_key),
        Rule("description <rest>", slot=1),
    ),
    "config-pmap-nqos-c": (
        Rule("mtu <class-mtu>", slot=1),
        Rule("pause pfc-cos <pfc-cos> [receive]", slot=1),
        # `pause no-drop` alone is of older switches; N93180YC-EX with 10.3(8) refuses it
        Rule("pause no-drop pfc-cos <pfc-cos>", slot=1),
        Rule("congestion-control tail-drop|random-detect [ecn]", slot=1),
    ),
    "config-sys-qos": (
        Rule("service-policy type queuing input|output <name> [no-stats]", slot=4),
        Rule("service-policy type qos input <name> [no-stats]", slot=4),
        Rule("service-policy type network-qos <name> [no-stats]", slot=3),
    ),
    "config-if": (
        Rule("mtu <interface-mtu>", slot=1, default="mtu 1500"),
        Rule(
            "priority-flow-control mode auto|on|off [send-tlv]",
            slot=2,
            default="priority-flow-control mode auto",
        ),
        Rule(
            "priority-flow-control watch-dog-interval on|off [disable-action]",
            slot=2,
            default="priority-flow-control watch-dog-interval off",
        ),
        Rule(
            "service-policy [type qos] input <name> [no-stats]",
            slot=4,
            written=_typed,
        ),
        Rule("service-policy type queuing input|output <name> [no-stats]", slot=4),
        Rule("flowcontrol receive on|off", slot=2, default="flowcontrol receive off"),
        Rule("flowcontrol send on|off", slot=2, default="flowcontrol send off"),
        Rule("lldp transmit|receive"),
        Rule("shutdown"),
        *(Rule(f"{word} <rest>", slot=0) for word in _OPAQUE_INTERFACE.split()),
        Rule("switchport"),
    ),
}
