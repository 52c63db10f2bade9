"""What ``nv show`` says of QoS: as objects where it lists a profile, else as facts of a port."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

from netcheck.model.device import Defect, DefectKind
from netcheck.model.digits import is_whole
from netcheck.model.document import Document, Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known
from netcheck.model.qos import (
    Buffer,
    BufferPool,
    CongestionAction,
    DcbxMode,
    Ecn,
    PoolKind,
    Scheduler,
    SchedulerKind,
    Trust,
    Watchdog,
    WatchdogAction,
)
from netcheck.platforms.cumulus import quirks
from netcheck.platforms.cumulus.parsed import defaults
from netcheck.platforms.cumulus.parsed.defaults import OneClick, one_click
from netcheck.platforms.cumulus.parsed.ids import expand
from netcheck.platforms.cumulus.parsed.port_qos import Facts
from netcheck.platforms.cumulus.parsed.settings import ALL_PORTS, plain_number
from netcheck.platforms.cumulus.parsed.shown import Cell, Row, Shown, rows_of
from netcheck.platforms.cumulus.parsed.texts import source_of
from netcheck.platforms.cumulus.parsed.tree import Node
from netcheck.platforms.cumulus.parsed.units import shown_bytes, threshold_of

_WEIGHT: Final = re.compile(r"dwrr-(\d+)%", re.IGNORECASE)
_TRUSTED: Final = {
    frozenset({"pcp", "dscp"}): Trust.BOTH,
    frozenset({"dscp"}): Trust.DSCP,
    frozenset({"pcp"}): Trust.PCP,
}
_POOLS: Final = {
    "roce-reserved-ingress": "ingress_lossless_pool",
    "default-lossless-ingress": "ingress_lossless_pool",
    "lossy-default-ingress": "ingress_lossy_pool",
}
_PFC_LEAVES: Final = (
    "cable-length",
    "port-buffer",
    "rx",
    "tx",
    "xoff-threshold",
    "xon-threshold",
)
_RENAMED: Final = {"min th": "min-threshold", "max th": "max-threshold"}
# columns of ``qos buffer ingress-priority-group``, whose names are cut
_GROUP_COLUMNS: Final = 13


@dataclass(slots=True)
class Observed:
    """What live outputs say.

    Attributes:
        root: Objects of profiles that are listed as such, below ``qos``.
        sections: Sections of ``qos`` in ``root``.
        facts: ``port -> fact -> value``; the port of all ports is ``default-global``.
    """

    root: Node = field(default_factory=Node)
    sections: set[str] = field(default_factory=set)
    facts: dict[str, Facts] = field(default_factory=dict)
    evidence: dict[tuple[str, str], Evidence] = field(default_factory=dict)
    pools: dict[str, BufferPool] = field(default_factory=dict)
    defects: list[Defect] = field(default_factory=list)

    def tell(self, port: str, evidence: Evidence, facts: Facts) -> None:
        """Add facts of a port."""
        self.facts.setdefault(port or ALL_PORTS, {}).update(facts)
        for fact in facts:
            self.evidence[port or ALL_PORTS, fact] = evidence


def read_state(shown: Shown, document: Document, port: str, observed: Observed) -> None:
    """Read every part of one output that speaks of QoS."""
    source = source_of(document)
    texts = {path: cell.text for path, cell in shown.properties.items()}
    if ("mode",) in texts and ("congestion-control", "congestion-mode") in texts:
        _read_roce(shown, texts, (port, source), observed)
    if ("tx",) in texts and ("rx",) in texts:
        _read_pfc(shown.properties, document, observed)
    if ("trust",) in texts:
        _put(observed, ("mapping", ALL_PORTS, "trust"), texts["trust",], source)
    _read_profile_tables(shown, document, port, observed)
    _read_groups(shown, (port, source), observed)
    if rows_of_title(shown, "PFC WD Status"):
        _read_watchdog(texts, (port, source), observed)


def rows_of_title(shown: Shown, title: str) -> list[Row]:
    """Give the rows of a table."""
    return list(rows_of(shown, title))


def text_in(row: Row, column: str) -> str:
    """Give the text of a column; empty where the table lacks it."""
    return row[column].text if column in row else ""


def _put(observed: Observed, path: tuple[str, ...], value: str, evidence: Evidence) -> None:
    observed.root.put(("qos", *path), evidence).leaf = value
    observed.sections.add(path[0])


def _read_pfc(
    properties: Mapping[tuple[str, ...], Cell], document: Document, observed: Observed
) -> None:
    for path, cell in properties.items():
        evidence = replace(source_of(document), line=document.first_line + cell.line)
        if len(path) == 1 and path[0] in _PFC_LEAVES:
            _put(observed, ("pfc", ALL_PORTS, path[0]), cell.text, evidence)
        elif path == ("[switch-priority]",):
            for priority in expand(cell.text):
                where = ("qos", "pfc", ALL_PORTS, "switch-priority", priority)
                observed.root.put(where, evidence)


def _read_profile_tables(shown: Shown, document: Document, port: str, observed: Observed) -> None:
    def at(row: Row) -> Evidence:
        line = min(cell.line for cell in row.values())
        return replace(source_of(document), line=document.first_line + line)

    for row in rows_of(shown, "TC->DWRR weight configuration"):
        _put_row(observed, "egress-scheduler", row, ("mode", "bw-percent"), at(row))
    for row in rows_of(shown, "SP->TC mapping configuration"):
        priority, queue = text_in(row, "switch-priority"), text_in(row, "traffic-class")
        path = ("egress-queue-mapping", ALL_PORTS, "switch-priority", priority, "traffic-class")
        _put(observed, path, queue, at(row))
    ecn = list(rows_of(shown, "ECN configuration"))
    if port and ecn:
        marks = {
            int(text_in(row, "traffic-class")): _marking(row)
            for row in ecn
            if is_whole(text_in(row, "traffic-class"))
        }
        observed.tell(port, at(ecn[0]), {"ecn": FrozenMap(marks)})
        return
    for row in ecn:
        renamed = {_RENAMED.get(name, name): cell for name, cell in row.items()}
        leaves = ("ecn", "red", "min-threshold", "max-threshold", "probability")
        _put_row(observed, "congestion-control", renamed, leaves, at(row))


def _put_row(
    observed: Observed, section: str, row: Row, leaves: Iterable[str], evidence: Evidence
) -> None:
    for leaf in leaves:
        if leaf in row and text_in(row, leaf):
            path = (section, ALL_PORTS, "traffic-class", text_in(row, "traffic-class"), leaf)
            _put(observed, path, text_in(row, leaf), evidence)


def _marking(row: Row) -> Ecn:
    is_marking = quirks.switched(text_in(row, "ecn")) is not False
    return Ecn(
        _exact(text_in(row, "min th")),
        _exact(text_in(row, "max th")),
        plain_number(text_in(row, "probability")),
        CongestionAction.MARK if is_marking else CongestionAction.DROP,
        is_active=is_marking or quirks.switched(text_in(row, "red")) is True,
    )


def _exact(text: str, *candidates: int) -> Known[int]:
    """Bytes of a text: exact ones, else the documented value that is shown just so."""
    number = plain_number(text)
    if number is not UNKNOWN:
        return number
    return next((one for one in candidates if shown_bytes(one) == text), UNKNOWN)


def _read_roce(
    shown: Shown,
    texts: Mapping[tuple[str, ...], str],
    about: tuple[str, Evidence],
    observed: Observed,
) -> None:
    port, source = about
    one = one_click(texts["mode",])
    facts: Facts = {"dcbx_mode": DcbxMode.IEEE, "dcbx_willing": False}
    facts |= _shown_pfc(texts)
    facts |= _shown_ecn(texts)
    facts |= _shown_maps(shown, one)
    trust = texts.get(("trust", "trust-mode"), "")
    facts["trust"] = _TRUSTED.get(frozenset(expand(trust)), UNKNOWN)
    if one is not None and facts["trust"] is Trust.BOTH:
        facts["pcp_to_priority"] = _map_of(
            rows_of_title(shown, "RoCE PCP/DSCP"), ("pcp", "switch-prio"), defaults.IDENTITY
        )
    observed.tell(port, source, facts)
    _read_pools(shown, observed)
    for row in rows_of(shown, "Exception List"):
        said = " ".join(cell.text for cell in row.values() if cell.text)
        observed.defects.append(
            Defect(
                DefectKind.REJECTED_BY_DEVICE,
                "qos roce",
                f"qos roce: exception: {said}",
                (port,) if port else (),
                found=said,
                evidence=source,
            )
        )


def _shown_pfc(texts: Mapping[tuple[str, ...], str]) -> Facts:
    listed = texts.get(("pfc", "pfc-priority"), "")
    if not listed:
        return {}
    numbers = frozenset(int(one) for one in expand(listed) if is_whole(one))
    facts: Facts = {}
    for fact, leaf in (("pfc_rx", "rx-enabled"), ("pfc_tx", "tx-enabled")):
        is_on = quirks.switched(texts.get(("pfc", leaf), "yes" if not numbers else ""))
        facts[fact] = UNKNOWN if is_on is None else numbers if is_on else frozenset()
    facts["cable_m"] = plain_number(texts.get(("pfc", "cable-length"), ""))
    return facts


def _shown_ecn(texts: Mapping[tuple[str, ...], str]) -> Facts:
    group = "congestion-control"
    queues = texts.get((group, "enabled-tc"), "")
    if "ecn" not in texts[group, "congestion-mode"].lower() or not queues:
        return {}
    mark = Ecn(
        _exact(texts.get((group, "min-threshold"), ""), defaults.KMIN),
        _exact(texts.get((group, "max-threshold"), ""), defaults.KMAX),
        plain_number(texts.get((group, "probability"), "")),
        CongestionAction.MARK,
        is_active=True,
    )
    return {"ecn": FrozenMap({int(one): mark for one in expand(queues) if is_whole(one)})}


def _shown_maps(shown: Shown, one: OneClick | None) -> Facts:
    marks = rows_of_title(shown, "RoCE PCP/DSCP")
    rows = rows_of_title(shown, "RoCE SP->TC mapping")
    facts: Facts = {}
    if marks:
        base = one.dscp if one is not None else None
        facts["dscp_to_priority"] = _map_of(marks, ("dscp", "switch-prio"), base, size=64)
    if rows:
        queues = _map_of(rows, ("switch-prio", "traffic-class"), one.queues if one else None)
        facts["priority_to_queue"] = queues
        facts["scheduler"] = _services(rows, one)
    return facts


def _map_of(
    rows: list[Row], columns: tuple[str, str], base: FrozenMap[int, int] | None, *, size: int = 8
) -> Known[FrozenMap[int, int]]:
    """Map of two columns: whole as shown, else the mode's own where what is shown agrees."""
    key, value = columns
    shown = {
        int(one): int(text_in(row, value))
        for row in rows
        if key in row and value in row and is_whole(text_in(row, value))
        for one in expand(text_in(row, key))
        if is_whole(one)
    }
    if len(shown) == size:
        return FrozenMap(dict(sorted(shown.items())))
    agrees = base is not None and all(base.get(one) == to for one, to in shown.items())
    return base if base is not None and agrees else UNKNOWN


def _services(rows: list[Row], one: OneClick | None) -> Known[FrozenMap[int, Scheduler]]:
    found: dict[int, Scheduler] = {}
    for row in rows:
        queue, service = text_in(row, "traffic-class"), _service(text_in(row, "scheduler-weight"))
        if not is_whole(queue) or service is None:
            return UNKNOWN
        found[int(queue)] = service
    if len({text_in(row, "switch-prio") for row in rows}) == len(defaults.PRIORITIES):
        return FrozenMap(dict(sorted(found.items())))
    agrees = one is not None and all(one.scheduler.get(key) == it for key, it in found.items())
    return one.scheduler if one is not None and agrees else UNKNOWN


def _service(text: str) -> Scheduler | None:
    if text.lower().startswith("strict"):
        return Scheduler(SchedulerKind.STRICT)
    match = _WEIGHT.fullmatch(text)
    return Scheduler(SchedulerKind.WEIGHTED, int(match[1])) if match else None


def _read_pools(shown: Shown, observed: Observed) -> None:
    for row in rows_of(shown, "RoCE pool"):
        name = _POOLS.get(text_in(row, "name"))
        share = (
            plain_number(text_in(row, "size")) if text_in(row, "size").endswith("%") else UNKNOWN
        )
        if name is not None:
            observed.pools[name] = BufferPool(
                PoolKind.INGRESS,
                is_dynamic=text_in(row, "mode").lower() == "dynamic",
                size_percent=share,
            )


def _read_groups(shown: Shown, about: tuple[str, Evidence], observed: Observed) -> None:
    """``qos buffer ingress-priority-group``: names of its columns are cut, so by position."""
    accounts = {}
    for rows in shown.tables.values():
        for row in rows:
            cells = [cell.text for cell in row.values()]
            if len(cells) == _GROUP_COLUMNS and is_whole(cells[0]):
                accounts[int(cells[0])] = _account(cells)
    if accounts:
        observed.tell(*about, {"ingress_buffer": FrozenMap(accounts)})


def _account(cells: list[str]) -> Buffer:
    is_lossless = cells[7].lower() == "lossless"
    return Buffer(
        size_bytes=plain_number(cells[3]),
        headroom_bytes=plain_number(cells[10]),
        xon_bytes=plain_number(cells[8]),
        xoff_bytes=plain_number(cells[9]) or UNKNOWN,
        threshold=threshold_of(cells[6]),
        is_lossless=is_lossless,
    )


# Names of ``qos buffer ingress-priority-group`` in JSON; the text's are cut to HR and XON Th.
_GROUP_LEAVES: Final = (
    ("reserved-size", "reserved"),
    ("headroom", "hr", "headroom-size"),
    ("xon-threshold", "xon-th", "xon"),
    ("xoff-threshold", "xoff-th", "xoff"),
    ("lossy-lossless",),
    ("shared-max",),
)


def read_json_groups(data: Any, source: Evidence, port: str, observed: Observed) -> None:
    """Read ``qos buffer ingress-priority-group`` in JSON: ``group -> leaves``."""
    accounts = {
        int(group): _account_of(tuple(_group_texts(row)))
        for group, row in (data.items() if isinstance(data, dict) else ())
        if is_whole(group) and isinstance(row, dict)
    }
    if accounts:
        observed.tell(port, source, {"ingress_buffer": FrozenMap(accounts)})


def _group_texts(row: Mapping[str, Any]) -> Iterator[str]:
    """Texts of the leaves that make an account, in their order; empty for what is not there."""
    for names in _GROUP_LEAVES:
        yield next((str(row[name]) for name in names if name in row), "")


@lru_cache(maxsize=1024)
def _account_of(texts: tuple[str, ...]) -> Buffer:
    """Give the account; groups of most ports say the same."""
    size, headroom, xon, xoff, kind, shared = texts
    return Buffer(
        size_bytes=plain_number(size),
        headroom_bytes=plain_number(headroom),
        xon_bytes=plain_number(xon),
        xoff_bytes=plain_number(xoff) or UNKNOWN,  # at 0 the threshold is dynamic, no level is set
        threshold=threshold_of(shared),
        is_lossless={"lossless": True, "lossy": False}.get(kind.lower(), UNKNOWN),
    )


def _read_watchdog(
    texts: Mapping[tuple[str, ...], str], about: tuple[str, Evidence], observed: Observed
) -> None:
    state = quirks.switched(texts.get(("state",), ""))
    if state:
        observed.tell(*about, {"watchdog": Watchdog(action=WatchdogAction.DROP)})


# What JSON without tables has to have on top so that anything of it is read here.
_STATE_LEAVES: Final = frozenset({"mode", "tx", "trust"})


# Any: JSON as the device prints it.
def read_json_state(data: Any, document: Document, port: str, observed: Observed) -> None:
    """Read JSON of one object where it speaks of QoS."""
    if isinstance(data, dict) and not _STATE_LEAVES.isdisjoint(data):
        read_state(shown_of_json(data), document, port, observed)


def shown_of_json(data: Any) -> Shown:
    """Give JSON of one object as the list of properties that the text would show."""
    shown = Shown()
    _flatten(data, (), shown)
    return shown


def _flatten(data: Any, path: tuple[str, ...], shown: Shown) -> None:
    if isinstance(data, Mapping):
        for name, value in data.items():
            _flatten(value, (*path, str(name)), shown)
    elif isinstance(data, list):
        shown.properties[path] = Cell(",".join(map(str, data)), 0)
    elif path and data is not None:
        shown.properties[path] = Cell(str(data), 0)
