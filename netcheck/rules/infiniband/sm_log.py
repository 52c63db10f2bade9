"""What a subnet manager complains of in its log."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Place, Severity
from netcheck.model.infiniband import IbEvent
from netcheck.model.known import is_known
from netcheck.model.view import FabricView
from netcheck.rules.rule import Fault, Scope, rule

SHOWN: Final = 4


@dataclass(frozen=True, slots=True)
class Family:
    """Lines of one part of OpenSM that speak of routing, policy, partitions or configuration.

    Attributes:
        about: What they speak of.
        lines: How they are known; codes are those of the part's source file.
        effect: What comes of it.
        engines: Routing engines whose part it is.
    """

    about: str
    lines: re.Pattern[str]
    effect: str
    engines: tuple[str, ...] = ()


_GIVES_UP: Final = re.compile(r"\bucast_mgr_route: \S+: cannot build")
_NEXT: Final = "it leaves out what it cannot use, or gives way to the next engine, at last minhop"


def _engine(codes: str, *names: str) -> Family:
    """Give the family of a routing engine: its codes, and the line in which it gives up."""
    lines = re.compile(rf"ERR (?:{codes})|\bucast_mgr_route: (?:{'|'.join(names)}): cannot build")
    return Family(f"the routing engine {' or '.join(names)}", lines, _NEXT, names)


# Left out: no_fallback, which OpenSM heeds and also names among engines that failed; dumps that are
# not written (AB01, AB03, 4E47), the cache of routes (AD01-AD03), and all that hosts ask for in
# vain (1B.., 1F..). Of two families with one line the first has it.
# Source: linux-rdma/opensm 3.3.23, its file for each row, under opensm/.
FAMILIES: Final = (
    _engine("AA", "updn"),  # osm_ucast_updn.c
    _engine("AB(?!01|03)", "ftree"),  # osm_ucast_ftree.c
    _engine("AE", "dnup"),  # osm_ucast_dnup.c
    _engine("AD(?!0[123]: .*cache)", "dfsssp", "sssp"),  # osm_ucast_dfsssp.c
    _engine("4D", "lash"),  # osm_ucast_lash.c
    _engine("4E(?!47)", "torus-2QoS"),  # osm_torus.c
    _engine("NUE", "nue"),  # osm_ucast_nue.c
    _engine("63", "file"),  # osm_ucast_file.c
    Family(  # osm_opensm.c, osm_ucast_mgr.c
        "routing engines",
        re.compile(
            r"(?:cannot find or|Failed to) setup routing engine '(?!no_fallback')"
            rf"|setup of routing engine '.*' failed|{_GIVES_UP.pattern}"
        ),
        "the next engine routes, at last minhop",
    ),
    Family(  # osm_ucast_mgr.c
        "a file of weights or of the order of ports",
        re.compile(r"ERR 3A0[5DEF]: cannot parse"),
        "routes are set without it",
    ),
    Family(  # osm_qos_policy.c, osm_qos_parser_y.y
        "the QoS policy",
        re.compile(r"ERR AC"),
        "AC14 turns one rule off, any other the whole policy: paths get the default SL",
    ),
    Family(  # osm_prtn_config.c, osm_prtn.c
        "partitions.conf",
        re.compile(r"PARSE ERROR: line \d|Partition configuration in error"),
        "the whole file is thrown away: every port is a full member of the default partition",
    ),
    Family(  # osm_prtn.c, osm_prtn_config.c
        "multicast groups of partitions",
        re.compile(r"Failed to create MC group|PARSE ERROR partition conf"),
        "the group is not made: IP over InfiniBand does not come up there",
    ),
    Family(  # osm_pkey_mgr.c
        "tables of partition keys",
        re.compile(r"ERR 05(?:0[356789]|1[02])"),
        "a key is not in the port's table, or a switch does not enforce its own",
    ),
    Family(  # osm_state_mgr.c
        "opensm.conf",
        re.compile(r"ERR 331A"),
        "what was changed in it is not in force",
    ),
)


@rule(
    "manager-complains",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="linux-rdma/opensm opensm/osm_ucast_*.c, osm_torus.c, osm_qos_policy.c, osm_prtn*.c,"
    " osm_pkey_mgr.c, osm_subnet.c: lines of level error",
    is_proof=False,
)
def manager_complains(fabric: FabricView) -> Iterator[Fault]:
    """The subnet manager complains of its files or its routing, and comes up all the same.

    Why: what it complains of it ignores or replaces; the subnet runs with something else.
    Bad: ERR AB26 in the log: a leaf stands among the roots, and updn routes instead of ftree.
    Good: a log with timeouts of ports that came and went, and nothing of routing, policy,
        partitions or configuration since the manager was started; an engine that gave way while
        a link was down, and routes again.
    Fix: mend what the line names and have the manager read its files again; the line must not
        come again.
    """
    logs = [
        (device.name, device.seen_subnet)
        for device in fabric.record.devices.values()
        if is_known(device.seen_subnet) and device.seen_subnet.events
    ]
    if not logs:
        raise NotGivenError("log of a subnet manager")
    for name, subnet in logs:
        told: dict[Family, list[IbEvent]] = {}
        for event in subnet.events:
            family = next((one for one in FAMILIES if one.lines.search(event.message)), None)
            if event.is_error and family is not None:
                told.setdefault(family, []).append(event)
                if subnet.engine in family.engines and _GIVES_UP.search(event.message):
                    del told[family]  # it routes again: a link was down for a while
        for family, lines in told.items():
            yield Fault(
                fabric,
                ("events",),
                f"nothing said against {family.about}",
                _shown(lines),
                family.effect,
                places=(Place(name),),
                evidence=lines[-1].evidence,
            )


def _shown(lines: Sequence[IbEvent]) -> str:
    """Give the different lines, each with its number; the function that wrote it left out."""
    counts = Counter(re.sub(r"^\w+: ", "", one.message) for one in lines)
    shown = [
        f"{line} ({count} times)" if count > 1 else line
        for line, count in [*counts.items()][:SHOWN]
    ]
    others = len(counts) - SHOWN
    return "; ".join([*shown, f"and {others} more"] if others > 0 else shown)
