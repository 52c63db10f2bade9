"""``show queuing interface``, ``show queuing tabular``, ``show queuing pfc-queue``."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.lab.devices.nxos.checks import QUEUING
from netcheck.lab.devices.nxos.console import Shown
from netcheck.lab.devices.nxos.hardware import no_drop
from netcheck.lab.devices.nxos.layout import Data, rule, table
from netcheck.lab.devices.nxos.objects import PolicyClass
from netcheck.lab.devices.nxos.patterns import Match
from netcheck.lab.devices.nxos.show_interfaces import ports_of
from netcheck.lab.devices.nxos.state import NxosSwitch

GROUPS = range(8)
QUEUE_LIMIT = "9(D)"
INPUT_LIMIT = "10(D)"
_WIDE, _BOX, _LINE = 78, 61, 56


def queuing(switch: NxosSwitch, match: Match) -> Shown:
    """``show queuing interface [PORT]``."""
    text = ["\nslot  1\n=======\n\n"]
    rows: list[Data] = []
    mtus: list[Data] = []
    for port in ports_of(switch, match):
        text += _egress_text(switch, port)
        text += _ingress_text(switch, port)
        rows += [_egress_row(switch, port), _ingress_row(switch, port)]
        mtus.append({"intf_name": port, "mtu_val": switch.found.interfaces[port].mtu})
    module = {
        "module_number": 1,
        **table("interface_mtu", mtus),
        **table("queuing_interface", rows),
    }
    return Shown("".join(text), table("module", [module]))


def summary(switch: NxosSwitch, match: Match) -> Shown:
    """``show queuing summary [interface PORT]``."""
    text = ["\nslot  1\n=======\n\n"]
    for port in ports_of(switch, match):
        text += _schedule_text(switch, port)
        text.append("\n")
    return Shown("".join(text))


def _classes(switch: NxosSwitch, port: str, direction: str) -> dict[int, PolicyClass]:
    found = switch.found.interfaces[port]
    return switch.found.by_group(switch.found.policy_of(found, QUEUING, direction))


def _shares(each: PolicyClass | None) -> tuple[str, str]:
    """Bandwidth and priority level of a queue, ``-`` for what it has not."""
    if each is None:
        return "0", "-"
    if each.is_strict:
        return "-", each.words("priority level")[0]
    share = each.number("bandwidth remaining percent")
    share = share if share is not None else each.number("bandwidth percent")
    return str(share or 0), "-"


def _scope(switch: NxosSwitch, port: str) -> str:
    own = switch.found.interfaces[port].policy(QUEUING, "output")
    return "Interface" if own else "System"


def _schedule_text(switch: NxosSwitch, port: str) -> Iterator[str]:
    classes = _classes(switch, port, "output")
    yield f"Egress Queuing for {port} [{_scope(switch, port)}]\n{rule(_WIDE)}"
    yield "QoS-Group# Bandwidth% PrioLevel                Shape                   QLimit\n"
    yield f"{'Min':>38}{'Max':>13}{'Units':>13}   \n{rule(_WIDE)}"
    for group in reversed(GROUPS):
        bandwidth, level = _shares(classes.get(group))
        yield (f"{group:>7}{bandwidth:>14}{level:>10}{'-':>12}{'-':>13}{'-':>6}{QUEUE_LIMIT:>16}\n")


def _stats(switch: NxosSwitch, port: str, group: int) -> tuple[tuple[str, str, int], ...]:
    """Counters of an egress queue: name, unit, value."""
    counts = switch.tallies.counts
    return (
        ("Tx Pkts", "Pkts", counts[port, "queue_packets", group]),
        ("Tx Byts", "Byts", counts[port, "queue_bytes", group]),
        ("WRED/AFD & Tail Drop Pkts", "Pkts", counts[port, "queue_drops", group]),
        ("WRED/AFD & Tail Drop Byts", "Byts", counts[port, "queue_drop_bytes", group]),
        ("Q Depth Byts", "Byts", 0),
        ("WD & Tail Drop Pkts", "Pkts", counts[port, "queue_drops", group]),
    )


def _egress_text(switch: NxosSwitch, port: str) -> Iterator[str]:
    yield from _schedule_text(switch, port)
    box = f"+{'-' * _BOX}+\n"
    for group in GROUPS:
        yield f"{box}|{f'QOS GROUP {group}':^{_BOX}}|\n{box}"
        yield f"|{'':27}|{'  Unicast':<16}|{'Multicast':<16}|\n{box}"
        for name, _, value in _stats(switch, port, group):
            yield f"|{name:>26} |{value:>16}|{0:>16}|\n"
    yield f"{box}\nPort Egress Statistics\n{rule(_LINE)}"
    yield f"{'WRED Drop Pkts':<30}{0:>15}\n\n"


def _egress_row(switch: NxosSwitch, port: str) -> Data:
    classes = _classes(switch, port, "output")
    configured = []
    counted = []
    for group in reversed(GROUPS):
        bandwidth, level = _shares(classes.get(group))
        configured.append(
            {
                "qosgrp": str(group),
                "bandwidth": bandwidth,
                "priority": level,
                "shape-min": "-",
                "shape-max": "-",
                "shape-units": "-",
                "q-limit": "9",
                "q-limit-type": "Dynamic",
            }
        )
    for group in GROUPS:
        entries = [
            {
                "eq-stat-type": name,
                "eq-stat-units": unit,
                "eq-uc-stat-value": str(value),
                "eq-mc-stat-value": "0",
            }
            for name, unit, value in _stats(switch, port, group)
        ]
        counted.append({"eq-qosgrp": str(group), **table("qosgrp_egress_stats_entry", entries)})
    drops = [{"ep-stat-type": "WRED Drop", "ep-stat-units": "Pkts", "ep-stat-value": "0"}]
    return {
        "dir": "Egress",
        "if_name_str": port,
        **table("qosgrp_cfg", configured),
        **table("qosgrp_egress_stats", counted),
        **table("egress_stats_entry", drops),
    }


def _pause(switch: NxosSwitch, port: str, group: int) -> tuple[str, str, str]:
    each = _classes(switch, port, "input").get(group)
    if each is None or each.pause is None:
        return "-", "-", "-"
    found = each.pause
    return str(found.buffer_bytes), str(found.pause_bytes), str(found.resume_bytes)


def _ingress_text(switch: NxosSwitch, port: str) -> Iterator[str]:
    line = rule(_WIDE)
    yield f"Ingress Queuing for {port}\n{line}"
    yield f"QoS-Group#{'Pause':>23}{'QLimit':>30}\n"
    yield f"{'Buff Size':>20}{'Pause Th':>16}{'Resume Th':>15}\n{line}"
    for group in reversed(GROUPS):
        size, pause, resume = _pause(switch, port, group)
        yield f"{group:>7}{size:>13}{pause:>16}{resume:>15}{INPUT_LIMIT:>14}\n"
    drops = switch.tallies.total(port, "group_drops")
    yield f"\nPort Ingress Statistics\n{rule(_LINE)}"
    yield f"{'Ingress MMU Drop Pkts':<30}{drops:>20}\n"
    yield f"{'Ingress MMU Drop Bytes':<30}{switch.tallies.mmu_drop_bytes(port):>20}\n"
    yield from _pfc_text(switch, port)


def _pfc_rows(switch: NxosSwitch, port: str) -> Iterator[Data]:
    """What PFC counted by PFC priority; one that no class has shows no group."""
    on = no_drop(switch.found) if switch.is_pfc_on(port) else {}
    by_cos = {cos: group for group, coses in on.items() for cos in coses}
    for cos in GROUPS:
        group = str(by_cos[cos]) if cos in by_cos else "-"
        yield {
            "cos": str(cos),
            "pfc-qosgrp": group,
            "pfc-pg": group,
            "tx-pause-state": "Inactive",
            "tx-pause-count": str(switch.tallies.counts[port, "pfc_out", cos]),
            "rx-pause-state": "Inactive",
            "rx-pause-count": str(switch.tallies.counts[port, "pfc_in", cos]),
        }


def _pfc_text(switch: NxosSwitch, port: str) -> Iterator[str]:
    tx, rx = (switch.tallies.total(port, kind) for kind in ("pfc_out", "pfc_in"))
    line = rule(_WIDE)
    yield f"\nPFC Statistics\n{line}TxPPP: {tx:>20},   RxPPP: {rx:>20}\n{line}"
    yield " COS QOS Group        PG   TxPause   TxCount         RxPause         RxCount\n"
    for row in _pfc_rows(switch, port):
        yield (
            f"{row['cos']!s:>4}{row['pfc-qosgrp']!s:>10}{row['pfc-pg']!s:>10}"
            f"{row['tx-pause-state']!s:>10}{row['tx-pause-count']!s:>10}"
            f"{row['rx-pause-state']!s:>16}{row['rx-pause-count']!s:>16}\n"
        )
    yield f"{line}\n"


def _ingress_row(switch: NxosSwitch, port: str) -> Data:
    configured = []
    for group in reversed(GROUPS):
        size, pause, resume = _pause(switch, port, group)
        configured.append(
            {
                "qosgrp": str(group),
                "buffer-size": size,
                "pause-threshold": pause,
                "resume-threshold": resume,
                "q-limit": "10",
                "q-limit-type": "Dynamic",
            }
        )
    values = (
        ("Pkts", switch.tallies.total(port, "group_drops")),
        ("Bytes", switch.tallies.mmu_drop_bytes(port)),
    )
    entries = [
        {"ip-stat-type": "Ingress MMU Drop", "ip-stat-units": unit, "ip-stat-value": str(value)}
        for unit, value in values
    ]
    return {
        "dir": "Ingress",
        "if_name_str": port,
        **table("qosgrp_cfg", configured),
        **table("ingress_stats_entry", entries),
        "tx-ppp": str(switch.tallies.total(port, "pfc_out")),
        "rx-ppp": str(switch.tallies.total(port, "pfc_in")),
        **table("pfc_stats", list(_pfc_rows(switch, port))),
    }


_TABULAR = (
    ("tx_uc_pkt", "queue_packets"),
    ("tx_uc_byte", "queue_bytes"),
    ("tx_uc_drop_pkt", "queue_drops"),
    ("tx_uc_drop_byte", "queue_drop_bytes"),
    ("tx_uc_ecn_pkt", "queue_marks"),
    ("pfc_rx", "pfc_in"),
    ("pfc_tx", "pfc_out"),
)


def tabular(switch: NxosSwitch, match: Match) -> Shown:
    """``show queuing tabular [interface PORT]``: one row a queue, with packets marked."""
    heads = "".join(f"{name:>17}" for name, _ in _TABULAR)
    text = []
    rows: list[Data] = []
    for port in ports_of(switch, match):
        text.append(f"\n{port}\n{'QoS-group':<10}{heads}\n")
        row: Data = {"if_name_str": port}
        for group in GROUPS:
            values = [(name, switch.tallies.counts[port, kind, group]) for name, kind in _TABULAR]
            row[f"qos_group_name_{group}"] = str(group)
            row |= {f"{name}_qos_{group}": str(value) for name, value in values}
            row[f"tx_uc_ecn_byte_qos_{group}"] = "0"
            text.append(f"{group:<10}{''.join(f'{value:>17}' for _, value in values)}\n")
        row["ing_drop_pkt"] = str(switch.tallies.total(port, "group_drops"))
        text.append(f"{'Ingress drop packets':<27}{row['ing_drop_pkt']:>20}\n")
        rows.append(row)
    return Shown("".join(text), table("queuing_interface", rows))


def watchdog(switch: NxosSwitch, match: Match) -> Shown:
    """``show queuing pfc-queue [interface PORT] [detail]``."""
    times = switch.found.watchdog
    state = "Enabled" if times.is_on else "Disabled"
    line = f"+{'-' * 52}+\n"
    text = [
        f"\nslot  1\n=======\n\n\n{line}Global watch-dog interval [{state}]\n{line}{line}",
        "Global PFC watchdog configuration details\n\n",
        *(f"{name:<49}: {value}\n" for name, value in _times(switch)),
        f"{line}{line}",
    ]
    rows: list[Data] = []
    if "detail" in match.words:
        for port in ports_of(switch, match):
            text += _watched_text(switch, port, line)
            rows.append(_watched_row(switch, port))
    else:
        text.append("|  Port                PFC Watchdog (VL bmap)     State  (Shutdown)   |\n")
        text += [f"{line}", *(_watched_line(switch, port) for port in ports_of(switch, match))]
    data: Data = {
        "glb-wd-status": state,
        "glb-wd-force-status": "Disabled",
        "glb-wd-timer": str(times.interval_ms),
        "glb-wd-timer-thresh": str(times.shutdown),
        "glb-auto-restore": str(times.auto_restore),
        "glb-fixed-restore": str(times.fixed_restore),
        "glb-int-intf-multi": str(times.internal),
        **table("queuing_interface", rows),
    }
    return Shown("".join(text), data)


def _times(switch: NxosSwitch) -> tuple[tuple[str, str], ...]:
    times = switch.found.watchdog
    return (
        ("PFC watch-dog poll interval", f"{times.interval_ms} ms"),
        ("PFC watch-dog shutdown multiplier", str(times.shutdown)),
        ("PFC watch-dog auto-restore multiplier", str(times.auto_restore)),
        ("PFC watch-dog fixed-restore multiplier", str(times.fixed_restore)),
        ("PFC watchdog internal-interface multiplier", str(times.internal)),
    )


def _is_watched(switch: NxosSwitch, port: str) -> bool:
    return switch.found.watchdog.is_on and switch.found.interfaces[port].is_watched


def _watched_line(switch: NxosSwitch, port: str) -> str:
    state = "Enabled" if _is_watched(switch, port) else "Disabled"
    on = no_drop(switch.found) if _is_watched(switch, port) else {}
    bits = sum(1 << group for group in on)
    shown = "   ".join("-" if group not in on else "N" for group in reversed(GROUPS))
    return f"{port:<22}{state} (  {f'0x{bits:x}':<5}){'':>5}{shown}\n"


def _is_disabled(switch: NxosSwitch, port: str) -> str:
    words = switch.found.interfaces[port].words("priority-flow-control watch-dog-interval")
    return "Yes" if "disable-action" in words else "No"


def _watched_text(switch: NxosSwitch, port: str, line: str) -> Iterator[str]:
    state = "Enabled" if _is_watched(switch, port) else "Disabled"
    yield f"\n{port} Interface PFC watchdog: [{state}]\n"
    yield f"Disable-action                     : {_is_disabled(switch, port)}\n"
    yield f"PFC watch-dog interface-multiplier : 0\n{line}"
    if state == "Disabled":
        return
    for group, coses in sorted(no_drop(switch.found).items()):
        shown = ",".join(map(str, sorted(coses)))
        yield f"| QOS GROUP {group} [Active] PFC [YES] PFC-COS [{shown}]\n{line}"
        yield f"|{'':31}|{'  Stats':<20}|\n{line}"
        for _, name, value in _storms(switch, port, group):
            yield f"|{name:>31}|{value:>20}|\n"
        yield line


def _storms(switch: NxosSwitch, port: str, group: int) -> tuple[tuple[str, str, int], ...]:
    counts = switch.tallies.counts
    storms = counts[port, "queue_storms", group]
    dropped = counts[port, "queue_drops", group] if storms else 0
    return (
        ("q-shutdown", "Shutdown", storms),
        ("q-restored", "Restored", storms),
        ("q-pkt-drained", "Total pkts drained", 0),
        ("q-pkt-dropped", "Total pkts dropped", dropped),
        ("q-pkt-drained-n-dropped", "Total pkts drained + dropped", dropped),
        ("q-aggr-pkt-dropped", "Aggregate pkts dropped", dropped),
        ("q-ing-pkt-dropped", "Total Ingress pkts dropped", 0),
        ("q-ing-aggr-pkt-dropped", "Aggregate Ingress pkts dropped", 0),
    )


def _watched_row(switch: NxosSwitch, port: str) -> Data:
    is_on = _is_watched(switch, port)
    on = no_drop(switch.found) if is_on else {}
    groups = [
        {
            "eq-qosgrp": f"{group} [Active] PFC [YES] PFC-COS [{max(coses, default=0)}]",
            "eq-qosgrp-state": "Active",
            "pfc-configured": "YES",
            "pfc-cos": ",".join(map(str, sorted(coses))),
            **table(
                "qosgrp_stats_entry",
                [
                    {"q-stat-type": "Stats"}
                    | {key: str(value) for key, _, value in _storms(switch, port, group)}
                ],
            ),
        }
        for group, coses in sorted(on.items())
    ]
    return {
        "if_name_str": f"{port} Interface PFC watchdog:",
        "wd-status": "Enabled" if is_on else "Disabled",
        "disable-action": _is_disabled(switch, port),
        "intf-multi": "0",
        "vl-bmp": f"0x{sum(1 << group for group in on):x}",
        **{f"qosgrp_{group}_state": "Active" if group in on else "-" for group in GROUPS},
        **table("qosgrp_stats", groups),
    }
