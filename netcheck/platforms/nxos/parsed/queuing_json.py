"""``show queuing interface | json`` and ``show queuing tabular | json``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from netcheck.model.counters import CounterClass, CounterKey, Meaning
from netcheck.model.document import Document, Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.platforms.nxos.parsed.live import Live, Sense, at_line, counted, first_text
from netcheck.platforms.nxos.parsed.policies import account
from netcheck.platforms.nxos.parsed.senses import (
    INGRESS,
    PFC_RX,
    PFC_TX,
    QUEUE,
    sense_of,
)
from netcheck.platforms.nxos.parsed.words import port_name
from netcheck.platforms.nxos.quirks import rows

Json = Mapping[str, Any]  # Any: JSON of a device


def read_queuing_json(document: Document, data: Json, live: Live) -> None:
    """Read queues, pauses and counters of every port, in or out of their module."""
    live.is_counted = True
    where = at_line(document, 0)
    for module in (data, *rows(data, "module")):
        for row in rows(module, "queuing_interface"):
            port = port_name(first_text(row, "if_name_str").split(" ")[0])
            if port is not None:
                _read_queues(port, row, where, live)
                _read_ingress(port, row, where, live)
                _read_accounts(port, row, where, live)


def _read_queues(port: str, row: Json, where: Evidence, live: Live) -> None:
    for group in rows(row, "qosgrp_egress_stats"):
        number = _leading(first_text(group, "eq-qosgrp"))
        for entry in rows(group, "qosgrp_egress_stats_entry"):
            name = _title(first_text(entry, "eq-stat-type"), first_text(entry, "eq-stat-units"))
            values = [
                counted(entry[key])
                for key in ("eq-uc-stat-value", "eq-oobfc-uc-stat-value", "eq-mc-stat-value")
                if key in entry
            ]
            if number is not None and "eq-uc-stat-value" in entry:
                _count(live, port, number, name, QUEUE, total(values), where)


def _count(
    live: Live,
    port: str,
    number: int,
    name: str,
    senses: Mapping[str, Sense],
    value: Known[int],
    where: Evidence,
) -> None:
    sense = sense_of(name, senses)
    live.count(CounterKey(port, sense.meaning, number, name), sense, value, where)


def total(values: list[Known[int]]) -> Known[int]:
    """Sum of readings; UNKNOWN where one of them is.

    Example:
        >>> total([1, 2]), total([1, UNKNOWN])
        (3, UNKNOWN)
    """
    known = [value for value in values if is_known(value)]
    return sum(known) if values and len(known) == len(values) else UNKNOWN


@lru_cache(maxsize=1024)
def _title(name: str, unit: str) -> str:
    """Name of a counter with its unit once: ``Tx`` and ``Pkts`` are ``Tx Pkts``."""
    return name if name.endswith((unit, "Pkts", "Byts", "Bytes")) else f"{name} {unit}"


@lru_cache(maxsize=1024)
def _leading(text: str) -> int | None:
    """Qos-group of a text such as ``3 [Active] ...``; None for the CPU's and others."""
    match = re.match(r"([0-7])(?!\d)", text)
    return int(match[1]) if match else None


def _read_ingress(port: str, row: Json, where: Evidence, live: Live) -> None:
    for table, keys in (("ingress_stats_entry", "ip-stat"), ("egress_stats_entry", "ep-stat")):
        for entry in rows(row, table):
            name = _title(first_text(entry, f"{keys}-type"), first_text(entry, f"{keys}-units"))
            value = counted(entry.get(f"{keys}-value"))
            _count(live, port, -1, name, INGRESS, value, where)
    for entry in rows(row, "pfc_stats"):
        cos = counted(entry.get("cos"))
        if is_known(cos) and cos < 8:  # noqa: PLR2004 -- eight priorities
            for key, sense in (("tx-pause-count", PFC_TX), ("rx-pause-count", PFC_RX)):
                if key in entry:
                    named = CounterKey(port, sense.meaning, cos, key)
                    live.count(named, sense, counted(entry[key]), where)


def _read_accounts(port: str, row: Json, where: Evidence, live: Live) -> None:
    """Accounts of no-drop classes, where the switch shows their sizes."""
    if first_text(row, "dir") != "Ingress":
        return
    found = {}
    for each in rows(row, "qosgrp_cfg"):
        group = _leading(first_text(each, "qosgrp"))
        sizes = [
            counted(each.get(key)) for key in ("buffer-size", "pause-threshold", "resume-threshold")
        ]
        known = [size for size in sizes if is_known(size)]
        if group is not None and len(known) == len(sizes):
            # whoever chose the sizes: this text does not tell
            found[group] = replace(account(*known), is_computed=UNKNOWN)
    if found:
        live.say(port, "ingress_buffer", FrozenMap(found), where)


_TABULAR: Final = re.compile(
    r"(?P<kind>tx_uc_pkt|tx_uc_byte|tx_uc_drop_pkt|tx_uc_ecn_pkt|pfc_rx|pfc_tx)_qos_(?P<group>[0-7])"
)
_COLUMNS: Final[Mapping[str, Sense]] = {
    "tx_uc_pkt": Sense(Meaning.QUEUE_PACKETS, CounterClass.INFORMATION),
    "tx_uc_byte": Sense(Meaning.QUEUE_BYTES, CounterClass.INFORMATION, "bytes"),
    "tx_uc_drop_pkt": Sense(Meaning.QUEUE_DROP, CounterClass.MUST_BE_ZERO),
    "tx_uc_ecn_pkt": Sense(Meaning.ECN_MARKED, CounterClass.CONGESTION),
    "pfc_rx": PFC_RX,
    "pfc_tx": PFC_TX,
}


def read_tabular(document: Document, data: Json, live: Live) -> None:
    """Read the counters of every queue, marked packets among them."""
    live.is_counted = True
    where = at_line(document, 0)
    for module in (data, *rows(data, "module")):
        for row in rows(module, "queuing_interface"):
            port = port_name(first_text(row, "if_name_str").split(" ")[0])
            for key, value in row.items() if port is not None else ():
                match = _TABULAR.fullmatch(key)
                if match is not None and port is not None:
                    sense = _COLUMNS[match["kind"]]
                    named = CounterKey(port, sense.meaning, int(match["group"]), match["kind"])
                    live.count(named, sense, counted(value), where)
