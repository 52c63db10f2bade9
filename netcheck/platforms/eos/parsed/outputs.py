"""Live state of ports and of the switch, from JSON and from tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from netcheck.model.device import AdminState, Neighbour, Port
from netcheck.model.digits import number_of
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.model.qos import CongestionAction, Ecn, PfcMode, PortQos
from netcheck.platforms.eos import defaults
from netcheck.platforms.eos.parsed.counts import Json, counted, full_name, rows_of
from netcheck.platforms.eos.parsed.forms import body_of
from netcheck.platforms.eos.parsed.grammar import threshold_bytes
from netcheck.platforms.eos.parsed.tree import Source

_ETHERNET: Final = re.compile(r"Ethernet\d+(?:/\d+){0,3}")
_PFC_ROW: Final = re.compile(
    r"^(?P<port>Et\S*\d) +(?P<on>Yes|No) +"
    r"(?P<priorities>[0-7](?:,? ?[0-7])*(?=  )|None|-|N/A)?(?= )"
    r" +(?P<active>Yes|No)\b.*$",
    re.MULTILINE,
)
_ECN_ROW: Final = re.compile(
    r"^ *(?P<queue>\d+) +(?P<unit>[a-z]+) +(?P<low>\d+) +(?P<high>\d+)(?: +(?P<pmax>\d+))?\b.*$",
    re.MULTILINE,
)
_ECN_PORT: Final = re.compile(r"show qos interfaces (?:[Ee]thernet|[Ee]t) ?(?P<number>[\d/]+) ecn")


@dataclass(slots=True)
class Live:
    """What live outputs say."""

    ports: dict[str, Port] = field(default_factory=dict)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    model: Known[str] = UNKNOWN
    os_version: Known[str] = UNKNOWN
    boot_id: Known[str] = UNKNOWN
    dscp_map: Known[FrozenMap[int, int]] = UNKNOWN
    pcp_map: Known[FrozenMap[int, int]] = UNKNOWN
    queue_map: Known[FrozenMap[int, int]] = UNKNOWN

    def port(self, name: str) -> Port:
        """Give the port as far as it is known."""
        return self.ports.get(name, Port(name))

    def put(self, port: Port, at: Evidence) -> None:
        """Keep a port with what was added to it."""
        self.ports[port.name] = port
        self.evidence.setdefault(f"port {port.name}", at)


def read_version(data: Json, source: Source, live: Live) -> None:
    """`show version`: model, release, and when it booted (a new time is a new boot)."""
    for name, fact in (("modelName", "model"), ("version", "os_version")):
        text = data.get(name)
        if isinstance(text, str) and text:
            setattr(live, fact, text)
    booted = data.get("bootupTimestamp")
    if isinstance(booted, int | float) and not isinstance(booted, bool):
        live.boot_id = f"booted {booted:.0f}"
    live.evidence["device boot_id"] = source.at(0)
    live.evidence["device os_version"] = source.at(0)


def read_interfaces(data: Json, source: Source, live: Live) -> None:
    """`show interfaces`: MTU, speed and state of ports."""
    for name, row in rows_of(data.get("interfaces")):
        if _ETHERNET.fullmatch(name):
            at = source.at(0, counter=name)
            live.put(_with_state(live.port(name), row), at)


def _with_state(port: Port, row: Json) -> Port:
    ip_mtu = counted(row.get("mtu"))
    bandwidth = counted(row.get("bandwidth"))
    speed = bandwidth if is_known(bandwidth) and bandwidth else UNKNOWN
    state = row.get("lineProtocolStatus")
    admin = row.get("interfaceStatus")
    is_up = {"up": AdminState.UP}.get(str(state), AdminState.DOWN)
    return replace(
        port,
        ip_mtu=ip_mtu,
        l2_mtu=ip_mtu + defaults.ETHERNET_BYTES if is_known(ip_mtu) else UNKNOWN,
        operational_speed_bps=speed,
        speed_bps=speed,  # a port without a line of its own runs at its transceiver's
        link_state=is_up if isinstance(state, str) else UNKNOWN,
        admin_state=(AdminState.DOWN if admin == "disabled" else AdminState.UP)
        if isinstance(admin, str)
        else UNKNOWN,
    )


def read_neighbours(data: Json, source: Source, live: Live) -> None:
    """`show lldp neighbors`: who is at the other end."""
    rows = data.get("lldpNeighbors")
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, Mapping):
            continue
        name, far, port = (row.get(key) for key in ("port", "neighborDevice", "neighborPort"))
        if not (isinstance(name, str) and isinstance(far, str) and isinstance(port, str)):
            continue
        if _ETHERNET.fullmatch(name):
            held = replace(live.port(name), neighbour=Neighbour(far, port))
            live.put(held, source.at(0, counter=name))


def read_pfc(source: Source, live: Live) -> None:
    """`show priority-flow-control`: whether PFC is on and for which priorities."""
    for match in _PFC_ROW.finditer(source.document.text):
        name = full_name(match["port"])
        listed = frozenset(int(one) for one in re.findall(r"\d", match["priorities"] or ""))
        is_on = match["on"] == "Yes"
        pfc = listed if is_on else frozenset()
        port = live.port(name)
        qos = replace(
            port.qos, pfc_rx=pfc, pfc_tx=pfc, pfc_mode=PfcMode.ON if is_on else PfcMode.OFF
        )
        at = source.at(source.line_of(match.start("port")))
        live.put(replace(port, qos=qos), at)
        live.evidence[f"port {name} pfc_rx"] = live.evidence[f"port {name} pfc_tx"] = at


def read_ecn(source: Source, live: Live) -> None:
    """`show qos interfaces ethernet N ecn`: thresholds of the queues of one port."""
    document = source.document
    head = _ECN_PORT.search(document.command) or _ECN_PORT.search(document.text.partition("\n")[0])
    if head is None:
        return
    name = f"Ethernet{head['number']}"
    found: dict[int, Ecn] = {}
    at = source.at(1)
    for match in _ECN_ROW.finditer(body_of(document)):
        low, high = (threshold_bytes(match[side], match["unit"]) for side in ("low", "high"))
        pmax: Known[int] = int(match["pmax"]) if match["pmax"] else UNKNOWN
        found[int(match["queue"])] = Ecn(low, high, pmax, CongestionAction.MARK, is_active=True)
    if found:
        port = live.port(name)
        live.put(replace(port, qos=replace(port.qos, ecn=FrozenMap(found))), at)
        live.evidence[f"port {name} ecn"] = at


def read_maps(source: Source, live: Live) -> None:
    """`show qos maps`: the maps of the whole switch, as they are in use.

    Source: Arista EOS User Manual, Quality of Service, `show qos maps`.
    """
    text = source.document.text
    dscp = _dscp_rows(text)
    if len(dscp) == len(defaults.DSCPS):
        live.dscp_map = FrozenMap(dscp)
    live.pcp_map = _pair(text, "cos", "tc", "Cos-tc")
    live.queue_map = _pair(text, "tc", r"(?:uc-)?tx-queue", r"Tc ?- ?(?:uc-)?tx-queue")
    live.evidence["device dscp_to_priority"] = source.at(1)


def _dscp_rows(text: str) -> dict[int, int]:
    """Rows of ten DSCPs: the tens, a colon, the traffic class of each."""
    _, _, body = text.partition("Dscp-tc map:")
    found: dict[int, int] = {}
    for tens, values in re.findall(r"^ *([0-6]) ?: +((?:[0-7] *)+)$", body, re.MULTILINE):
        numbers = [int(one) for one in values.split()]
        if len(numbers) > 10:  # noqa: PLR2004 -- no row has more; a broken one proves nothing
            return {}
        found.update({int(tens) * 10 + ones: value for ones, value in enumerate(numbers)})
    return {dscp: value for dscp, value in found.items() if dscp in defaults.DSCPS}


def _pair(text: str, keys: str, values: str, title: str) -> Known[FrozenMap[int, int]]:
    """A map of two rows; UNKNOWN unless it is whole."""
    found = re.search(
        rf"{title} map:\s*\n\s*{keys} ?: *(\d[\d ]*)\n[\s-]*{values} ?: *(\d[\d ]*)(?:\n|$)",
        text,
    )
    if found is None:
        return UNKNOWN
    left, right = ([number_of(one) for one in found[group].split()] for group in (1, 2))
    if left != list(defaults.PRIORITIES) or len(right) != len(left):
        return UNKNOWN
    return FrozenMap(dict(zip(left, right, strict=True)))


def with_live_maps(port: Port, live: Live) -> Port:
    """Give the port with the maps of the switch."""
    qos: PortQos = replace(
        port.qos,
        dscp_to_priority=live.dscp_map,
        pcp_to_priority=live.pcp_map,
        priority_to_queue=live.queue_map,
    )
    return replace(port, qos=qos)
