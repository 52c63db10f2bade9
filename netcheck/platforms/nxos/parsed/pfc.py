"""``show interface priority-flow-control``: mode, what pauses, and pause frames of each port."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from netcheck.model.counters import CounterClass, CounterKey, Meaning
from netcheck.model.document import Document, Evidence
from netcheck.model.known import UNKNOWN, Known
from netcheck.model.qos import PfcMode
from netcheck.platforms.nxos.parsed.live import Live, Sense, at_line, counted, first_text
from netcheck.platforms.nxos.parsed.senses import PFC_RX, PFC_TX
from netcheck.platforms.nxos.parsed.words import port_name
from netcheck.platforms.nxos.quirks import rows

_ROW: Final = re.compile(
    r"(?P<port>[A-Za-z]\S*) +(?P<mode>Auto|On|Off) +(?P<oper>On|Off)"
    r" *(?:\((?P<bits>[0-9a-fA-F]+)\))? +(?P<rx>\d+) +(?P<tx>\d+)"
)
_NAME: Final = re.compile(r"(?:Br-|V)?(?:Ethernet|Eth|ethernet)\S*|port-channel\d+|ii\d\S*")
_NOISE: Final = re.compile(r"=+|-+|Port +Mode .*|slot +\d+|.*[#>] *show .*")
_DETAIL: Final = re.compile(r"^ *Admin Mode: \w+", re.MULTILINE)
_PRIORITIES: Final = re.compile(r"(Rx|Tx) *\|( *\d+(?:(?: +| *\| *)\d+)* *\|?)")
_FACT: Final = re.compile(
    r"(Admin Mode|Oper Mode|VL bitmap|Total Rx PFC Frames|Total Tx PFC Frames): *([\w()]+)"
)
_FACTS: Final = {
    "Admin Mode": "mode",
    "Oper Mode": "oper",
    "VL bitmap": "bits",
    "Total Rx PFC Frames": "rx",
    "Total Tx PFC Frames": "tx",
}
_DETAIL_NOISE: Final = re.compile(r"-+|=+|\| *Priority0 .*|slot +\d+|.*[#>] *sh\w* .*")
PRIORITIES: Final = 8
_CONGESTION: Final = CounterClass.CONGESTION
# The table counts all priorities of a port together.
_RX: Final = Sense(Meaning.OTHER, _CONGESTION)


def read_pfc(document: Document, live: Live) -> None:
    """Read the table as text; a row that does not fit is damaged and says nothing."""
    live.is_counted = True
    if _DETAIL.search(document.text):
        _read_detail(document, live)
        return
    for number, line in enumerate(document.text.split("\n"), 1):
        text = line.strip()
        match = _ROW.fullmatch(text)
        if match is not None:
            _say(match.groupdict(), at_line(document, number), live)
        elif text and not _NOISE.fullmatch(text):
            live.tell_damaged(document, number, text)


def _read_detail(document: Document, live: Live) -> None:
    """Read the blocks of ``detail``: facts of each port, and frames by priority."""
    found: dict[str, str | None] = {}
    where = at_line(document, 0)
    for number, line in enumerate(document.text.split("\n"), 1):
        text = line.strip()
        if port_name(text.rstrip(":")) is not None:
            _say_detail(found, where, live)
            found, where = {"port": text.rstrip(":")}, at_line(document, number)
        elif match := _PRIORITIES.fullmatch(text):
            _count_priorities(found.get("port") or "", match, at_line(document, number), live)
        else:
            facts = dict(_FACT.findall(text))
            if "Admin Mode" in facts and "mode" in found:
                # of a port whose own line is lost
                _say_detail(found, where, live)
                found = {}
            found |= {_FACTS[word]: value.strip("()") for word, value in facts.items()}
            if text and not facts and not _DETAIL_NOISE.fullmatch(text):
                live.tell_damaged(document, number, text)
    _say_detail(found, where, live)


def _say_detail(found: Mapping[str, str | None], where: Evidence, live: Live) -> None:
    if found.get("port"):
        _say({name: found.get(name) for name in ("port", *_FACTS.values())}, where, live)


def _count_priorities(port: str, match: re.Match[str], where: Evidence, live: Live) -> None:
    name = port_name(port)
    cells = [cell.strip() for cell in match[2].strip("|").split("|")]
    if name is None or len(cells) != PRIORITIES:
        return
    sense = PFC_RX if match[1] == "Rx" else PFC_TX
    for priority, cell in enumerate(cells):
        key = CounterKey(name, sense.meaning, priority, f"{match[1]} Priority{priority}")
        live.count(key, sense, counted(cell), where)


def read_pfc_json(
    document: Document, data: Mapping[str, Any], live: Live
) -> None:  # Any: JSON of a device
    """Read the table as JSON, in the wrapper of its module or without."""
    live.is_counted = True
    where = at_line(document, 0)
    for module in (data, *rows(data, "module")):
        for row in rows(module, "pfc_interface"):
            oper = first_text(row, "oper", "vl_bmap")
            match = re.fullmatch(r"(On|Off)? *(?:\(([0-9a-fA-F]+)\))?", oper)
            bits = first_text(row, "vl-bmap", "vl_bmap") or (match[2] if match else None)
            found = {
                "port": first_text(row, "if_name_str", "if-name-str"),
                "mode": first_text(row, "admin").capitalize(),
                "oper": match[1] if match else None,
                "bits": bits,
                "rx": first_text(row, "rx-stats", "rx_stats"),
                "tx": first_text(row, "tx-stats", "tx_stats"),
            }
            _say(found, where, live)


def _say(found: Mapping[str, str | None], where: Evidence, live: Live) -> None:
    name = port_name(found["port"] or "")
    if name is None:
        return
    mode = {"Auto": PfcMode.AUTO, "On": PfcMode.ON, "Off": PfcMode.OFF}.get(found["mode"] or "")
    if mode is not None:
        live.say(name, "pfc_mode", mode, where)
    priorities = _priorities(found["oper"], found["bits"])
    if priorities is not UNKNOWN:
        live.say(name, "pfc_rx", priorities, where)
        live.say(name, "pfc_tx", priorities, where)
    for word, title in (("rx", "RxPPP"), ("tx", "TxPPP")):
        live.count(CounterKey(name, Meaning.OTHER, -1, title), _RX, counted(found[word]), where)


def _priorities(oper: str | None, bits: str | None) -> Known[frozenset[int]]:
    """Priorities that pause: the bitmap is in hexadecimal, bit 3 (8) is priority 3.

    Example:
        >>> sorted(_priorities("On", "18"))
        [3, 4]
    """
    if oper == "Off":
        return frozenset()
    if oper is None or not bits or len(bits) > 2:  # noqa: PLR2004 -- eight priorities are two digits
        return UNKNOWN
    value = int(bits, 16)
    return frozenset(bit for bit in range(8) if value >> bit & 1)
