"""Ports, neighbours, release, start time, DCBX and policies in effect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from netcheck.model.counters import CounterClass, CounterKey, Meaning
from netcheck.model.device import AdminState, Neighbour
from netcheck.model.document import Document
from netcheck.model.known import is_known
from netcheck.model.qos import DcbxMode
from netcheck.platforms.nxos.parsed.live import Live, Sense, at_line, counted, first_text
from netcheck.platforms.nxos.parsed.words import port_name
from netcheck.platforms.nxos.quirks import predefined_group, rows

Json = Mapping[str, Any]  # Any: JSON of a device
_ZERO: Final = CounterClass.MUST_BE_ZERO
_INFORMATION: Final = CounterClass.INFORMATION
_STATES: Final = {"up": AdminState.UP, "down": AdminState.DOWN}
_SPEED: Final = re.compile(r"(\d{1,7}(?:\.\d{1,6})?) ?([GM])b/s")
_PER: Final = {"G": 10**9, "M": 10**6}
_COUNTERS: Final[Mapping[str, Sense]] = {
    "eth_inucast": Sense(Meaning.PORT_RX_PACKETS, _INFORMATION),
    "eth_outucast": Sense(Meaning.PORT_TX_PACKETS, _INFORMATION),
    "eth_indiscard": Sense(Meaning.PORT_INGRESS_DROP, _ZERO),
    "eth_outdiscard": Sense(Meaning.PORT_EGRESS_DROP, _ZERO),
    "eth_inerr": Sense(Meaning.PHYSICAL_ERROR, _ZERO),
    "eth_outerr": Sense(Meaning.PHYSICAL_ERROR, _ZERO),
    "eth_crc": Sense(Meaning.PHYSICAL_ERROR, _ZERO),
    "eth_reset_cntr": Sense(Meaning.OTHER, _INFORMATION, "events"),
    "eth_inpause": Sense(Meaning.GLOBAL_PAUSE_RX, CounterClass.CONGESTION),
    "eth_outpause": Sense(Meaning.GLOBAL_PAUSE_TX, CounterClass.CONGESTION),
}


def read_interfaces(document: Document, data: Json, live: Live) -> None:
    """Read ``show interface | json``: state, MTU, speed and counters of Ethernet ports."""
    live.is_counted = True
    where = at_line(document, 0)
    for row in rows(data, "interface"):
        port = port_name(first_text(row, "interface"))
        if port is None or port.startswith("port-channel"):
            continue
        live.ports.setdefault(port, {})
        for key, fact in (("state", "link_state"), ("admin_state", "admin_state")):
            state = _STATES.get(first_text(row, key).lower())
            if state is not None:
                live.say(port, fact, state, where)
        mtu = counted(row.get("eth_mtu"))
        if is_known(mtu):
            live.say(port, "l2_mtu", mtu, where)
        match = _SPEED.fullmatch(first_text(row, "eth_speed"))
        if match is not None:
            speed = int(float(match[1]) * _PER[match[2]])
            live.say(port, "operational_speed_bps", speed, where)
            # a port without a line of its own runs at the speed of its transceiver
            live.say(port, "speed_bps", speed, where)
        for key, sense in _COUNTERS.items():
            if key in row:
                named = CounterKey(port, sense.meaning, -1, key)
                live.count(named, sense, counted(row[key]), where)


def read_neighbours(document: Document, data: Json, live: Live) -> None:
    """Read ``show lldp neighbors detail | json``."""
    where = at_line(document, 0)
    for row in rows(data, "nbor_detail"):
        port = port_name(first_text(row, "l_port_id"))
        device = first_text(row, "sys_name")
        if port is not None and device and device != "null":
            name = first_text(row, "port_id")
            far = port_name(name) or name
            live.say(port, "neighbour", Neighbour(device, far), where)


def read_version(document: Document, data: Json, live: Live) -> None:
    """Read ``show version | json``."""
    where = at_line(document, 0)
    version = first_text(data, "nxos_ver_str", "kickstart_ver_str", "sys_ver_str")
    if version:
        live.say_device("os_version", version, where)
    model = re.search(r"\b(N9K-\S+|C9\S+|N3K-\S+|93\d\S+|95\d\S+)", first_text(data, "chassis_id"))
    if model is not None:
        live.say_device("model", model[1], where)


def read_uptime(document: Document, live: Live, data: Json | None = None) -> None:
    """Read ``show system uptime``: the start time tells one boot from the next."""
    match = re.search(r"^System start time: +(\S.*)$", document.text, re.MULTILINE)
    text = first_text(data, "sys_st_time") if data is not None else match[1] if match else ""
    if text:
        live.say_device("boot_id", " ".join(text.split()), at_line(document, 0 if data else 1))


_DCBX: Final = re.compile(
    r"(?P<port>\S+) +Detected: *(?P<kind>CIN|CEE|IEEE(?: 802\.1)?)"
    r"(?: +Willing: *(?P<willing>Yes|No))?"
)
_KINDS: Final = {"CIN": DcbxMode.CEE, "CEE": DcbxMode.CEE, "IEEE": DcbxMode.IEEE}


def read_dcbx(document: Document, live: Live) -> None:
    """Read which DCBX each peer speaks (``CIN`` is the one before CEE)."""
    for number, line in enumerate(document.text.split("\n"), 1):
        match = _DCBX.fullmatch(line.strip())
        port = port_name(match["port"]) if match else None
        if match is not None and port is not None:
            where = at_line(document, number)
            live.say(port, "dcbx_mode", _KINDS[match["kind"].split()[0]], where)
            if match["willing"]:
                live.say(port, "dcbx_willing", match["willing"] == "Yes", where)
        elif line.strip() and not line.strip().startswith(("Local", "Peer", "-", "=")):
            live.tell_damaged(document, number, line)


def read_dcbx_info(document: Document, data: Json, live: Live) -> None:
    """Read ``show qos dcbxp info``; it says nothing that the model holds."""
    where = at_line(document, 0)
    for row in rows(data, "dcbxp"):
        port = port_name(first_text(row, "intf"))
        if port is not None:
            live.ports.setdefault(port, {})
            live.evidence.setdefault(f"port {port}", where)


_POLICY_PORT: Final = re.compile(r"(?:Ethernet|port-channel)[\d/]+")
_POLICY_CLASS: Final = re.compile(r"Class-map \((qos|queuing|network-qos)\): +(\S+) \(match-\w+\)")
_DROPPED: Final = re.compile(r"queue dropped pkts : (\d+)")
_DROP: Final = Sense(Meaning.QUEUE_DROP, _ZERO)
_POLICY_LINES: Final = re.compile(
    r"Global statistics status : .*|Service-policy \(.*|SNMP Policy Index: .*"
    r"|priority level \d|bandwidth (?:remaining )?percent \d+|queue depth in bytes : \d+"
    r"|.*[#>] *sh\w* .*|#.*|Match: .*|match .*|set .*|random-detect .*|pause .*|shape .*"
    r"|queue-limit .*|mtu .*|Aggregate forwarded : .*|\d+ packets.*|service-policy .*"
)


def read_policies(document: Document, live: Live) -> None:
    """Read ``show policy-map interface``: drops of each output queue."""
    port, queue = "", None
    for number, line in enumerate(document.text.split("\n"), 1):
        text = line.strip()
        if _POLICY_PORT.fullmatch(text):
            port, queue = text, None
            live.ports.setdefault(port, {})
        elif match := _POLICY_CLASS.fullmatch(text):
            queue = predefined_group(match[2]) if match[1] == "queuing" else None
        elif match := _DROPPED.fullmatch(text):
            if port and queue is not None:
                key = CounterKey(port, Meaning.QUEUE_DROP, queue, "queue dropped pkts")
                live.count(key, _DROP, counted(match[1]), at_line(document, number))
        elif text and not _POLICY_LINES.fullmatch(text):
            live.tell_damaged(document, number, text)
