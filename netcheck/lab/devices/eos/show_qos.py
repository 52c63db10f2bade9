"""Show commands about QoS, PFC and their counters.

Shapes of JSON: tests of aristanetworks/anta (queue, ECN and PFC counters, trident
counters), facebook/DNE-TaaC (PFC counters by priority, watchdog, DP0 of queues).
Where no public sample exists, there is text alone.
"""

from __future__ import annotations

from netcheck.lab.devices.cli.console import Command, Console, RefusedError, Shown
from netcheck.lab.devices.cli.grammar import Match, Pattern
from netcheck.lab.devices.eos.refusals import says
from netcheck.lab.devices.eos.show import Shows
from netcheck.lab.devices.eos.state import EosSwitch
from netcheck.lab.devices.eos.table import table
from netcheck.lossless.dataplane.network import CODE_POINTS, PRIORITIES

_ALL = range(PRIORITIES)


class QosShows:
    """Commands that show what happens to classes of traffic."""

    def __init__(self, switch: EosSwitch, shows: Shows) -> None:
        self.switch = switch
        self._ports = shows.ports

    def commands(self) -> tuple[Command, ...]:
        """Exec commands; configuration modes take them too."""
        pairs = (
            ("show priority-flow-control [status]", self._pfc),
            ("show interfaces [PORT] priority-flow-control [status]", self._pfc),
            ("show priority-flow-control counters", self._pfc_counters),
            ("show interfaces [PORT] priority-flow-control counters", self._pfc_counters),
            ("show priority-flow-control counters detail", self._pfc_detail),
            ("show interfaces [PORT] priority-flow-control counters detail", self._pfc_detail),
            ("show priority-flow-control counters watchdog", self._pfc_watchdog),
            ("show qos maps", self._maps),
            ("show qos profile [summary]", self._profiles),
            ("show qos profile NAME", self._profiles),
            ("show qos interfaces [PORT]", self._qos),
            ("show qos interfaces [PORT] trust", self._trust),
            ("show qos interfaces [PORT] ecn", self._ecn),
            ("show qos interfaces ecn counters queue", self._marks),
            ("show qos interfaces PORT ecn counters queue", self._marks),
            ("show interfaces [PORT] counters queue", self._queue_counters),
            ("show interfaces [PORT] counters queue detail", self._queue_counters),
            ("show interfaces counters queue drops", _only_voq),
            ("show platform trident counters", self._trident),
            ("show platform trident mmu queue status", self._mmu),
            ("show dcbx [PORT]", self._dcbx),
            ("show dcbx [PORT] status", self._dcbx),
            ("show hardware counter feature", self._features),
        )
        return tuple(
            Command(Pattern(text), action, in_config=True, is_open=True) for text, action in pairs
        )

    # PFC

    def _pfc(self, console: Console, match: Match) -> Shown:
        del console
        reader = self.switch.reader
        rows = []
        for port in self._ports(match):
            is_on = reader.has_pfc(port)
            names = " ".join(str(number) for number in sorted(reader.no_drop(port)))
            has_dcbx = bool(reader.interface(port).line("dcbx mode"))
            note = "" if has_dcbx else "DCBX disabled"
            rows.append((port, _yes(is_on), names or "None", _yes(bool(reader.paused(port))), note))
        lines = [self._watchdog_text(), ""]
        head = ("Port", "Enabled", "Priorities", "Active", "Note")
        return Shown("\n".join(lines) + table(head, rows))

    def _watchdog_text(self) -> str:
        config = self.switch.running
        start = "priority-flow-control pause watchdog"
        timeout = config.value(f"{start} default timeout") or "0"
        recovery = config.value(f"{start} default recovery-time") or "0"
        polling = config.value(f"{start} default polling-interval") or "0"
        action = config.value(f"{start} action") or "errdisable"
        return (
            f"The hardware supports PFC on priorities {' '.join(map(str, _ALL))}\n"
            "PFC receive processing is enabled on priorities 0 1 2 3 4 5 6 7\n"
            f"The PFC watchdog timeout is {timeout} second(s){_default(timeout)}\n"
            f"The PFC watchdog recovery-time is {recovery} second(s){_default(recovery)}\n"
            f"The PFC watchdog polling-interval is {polling} second(s){_default(polling)}\n"
            f"The PFC watchdog action is {action}\n"
            "Global PFC : "
            f"{'Disabled' if config.line('priority-flow-control all off') else 'Enabled'}\n"
        )

    def _pfc_counters(self, console: Console, match: Match) -> Shown:
        del console
        total = self.switch.tallies.total
        found = {p: (total(p, "pfc_in"), total(p, "pfc_out")) for p in self._ports(match)}
        rows = [(port.replace("Ethernet", "Et"), *pair) for port, pair in found.items()]
        data = {port: {"rxFrames": a, "txFrames": b} for port, (a, b) in found.items()}
        return Shown(table(("Port", "RxPfc", "TxPfc"), rows), {"interfaceCounters": data})

    def _pfc_detail(self, console: Console, match: Match) -> Shown:
        del console
        counts = self.switch.tallies.counts
        rows, data = [], {}
        for port in self._ports(match):
            pairs = {n: (counts[port, "pfc_in", n], counts[port, "pfc_out", n]) for n in _ALL}
            short = port.replace("Ethernet", "Et")
            rows += [(short, number, *pair) for number, pair in pairs.items()]
            data[port] = {
                "priorities": {
                    str(number): {"rxFrames": a, "txFrames": b} for number, (a, b) in pairs.items()
                }
            }
        return Shown(table(("Port", "Priority", "RxPfc", "TxPfc"), rows), {"interfaces": data})

    def _pfc_watchdog(self, console: Console, match: Match) -> Shown:
        """Ports and queues appear with their first event."""
        del console, match
        counts = self.switch.tallies.counts
        found = {
            port: {n: counts[port, "queue_storms", n] for n in _ALL} for port in self.switch.speeds
        }
        rows = [
            (port.replace("Ethernet", "Et"), f"UC{number}", storms, storms)
            for port, queues in found.items()
            for number, storms in queues.items()
            if storms
        ]
        data = {
            port: {
                "txQueues": {
                    str(number): {"stuckCount": storms, "recoveryCount": storms}
                    for number, storms in queues.items()
                    if storms
                }
            }
            for port, queues in found.items()
            if any(queues.values())
        }
        head = ("Port", "TxQ", "Total times stuck", "Total times recovered")
        return Shown(table(head, rows), {"interfaces": data})

    # Maps, profiles, queues

    def _maps(self, console: Console, match: Match) -> Shown:
        del console, match
        reader = self.switch.reader
        classes = reader.classes_of_dscp()
        grid = "   d1 :  d2 0  1  2  3  4  5  6  7  8  9\n"
        grid += "   --------------------------------------\n"
        for tens in range(CODE_POINTS // 10 + 1):
            codes = range(tens * 10, min(tens * 10 + 10, CODE_POINTS))
            grid += f"    {tens} :      " + " ".join(f"{classes[code]:>2}" for code in codes) + "\n"
        cos = " ".join(f"{number:>2}" for number in reader.classes_of_cos())
        queues = " ".join(f"{number:>2}" for number in reader.queues_of_class())
        numbers = " ".join(f"{number:>2}" for number in _ALL)
        text = (
            f"   Number of Traffic Classes supported: {PRIORITIES}\n"
            f"   Number of Transmit Queues supported: {PRIORITIES}\n\n"
            f"   Cos Rewrite: Disabled\n   Dscp Rewrite: Disabled\n\n"
            f"   Cos-tc map:\n     cos:  {numbers}\n     ----------------------------\n"
            f"     tc:   {cos}\n\n   Dscp-tc map:\n{grid}\n"
            f"   Tc - tx-queue map:\n     tc:        {numbers}\n"
            f"     ---------------------------------\n     tx-queue:  {queues}\n"
        )
        return Shown(text)

    def _profiles(self, console: Console, match: Match) -> Shown:
        del console
        wanted = match.values[0] if match.values else ""
        text = ""
        for name, section in self.switch.running.blocks("qos profile"):
            if wanted in ("", name):
                users = [
                    port
                    for port in self.switch.speeds
                    if self.switch.reader.interface(port).value("service-profile") == name
                ]
                if "summary" in match.words:
                    text += f"Qos Profile: {name}\n   Configured on: {','.join(users)}\n"
                else:
                    lines = self.switch.text(section)[:-2]
                    text += f"qos profile {name}\n" + "".join(f"   {line}\n" for line in lines)
        return Shown(text)

    def _trust(self, console: Console, match: Match) -> Shown:
        del console
        reader = self.switch.reader
        rows = []
        for port in self._ports(match):
            trust = reader.trust(port).upper()
            said = trust if reader.line(port, "qos trust") else "default"
            rows.append((port, trust, said))
        return Shown(table(("Port", "Operational", "Configured"), rows))

    def _qos(self, console: Console, match: Match) -> Shown:
        del console
        reader = self.switch.reader
        text = ""
        for port in self._ports(match):
            weights = reader.weights(port)
            rows = []
            for number in reversed(_ALL):
                said = reader.queue_value(port, number, "bandwidth percent") or "-"
                oper = f"{weights[number]:g}" if number in weights else "-"
                guaranteed = reader.queue_value(port, number, "bandwidth guaranteed") or "-"
                kind = "RR" if number in weights else "SP"
                ecn = "L" if reader.ecn(port, number) else "D"
                rows.append(
                    (number, f"{oper} / {said}", guaranteed, "- / -", f"{kind} / {kind}", ecn)
                )
            head = (
                "Tx-Queue",
                "Bandwidth (percent)",
                "Guaranteed",
                "Shape Rate",
                "Priority",
                "ECN/WRED",
            )
            profile = reader.interface(port).value("service-profile")
            text += (
                f"{port}:\n   Trust Mode: {reader.trust(port).upper()}\n"
                f"   Default COS: {reader.value(port, 'qos cos') or 0}\n"
                f"   Default DSCP: {reader.value(port, 'qos dscp') or 0}\n"
                f"   Service profile: {profile or 'None'}\n\n   Port shaping rate: disabled\n\n"
                f"{table(head, rows)}\n"
            )
        return Shown(text)

    def _ecn(self, console: Console, match: Match) -> Shown:
        del console
        reader = self.switch.reader
        text = ""
        for port in self._ports(match):
            rows = []
            for number in _ALL:
                words = reader.queue_value(port, number, "random-detect ecn").split()
                if words:
                    rows.append((number, words[2], words[1], words[4]))
            head = ("Tx-Queue", "Threshold Unit", "ECN Min Threshold", "ECN Max Threshold")
            text += f"{port}:\n{table(head, rows)}\n"
        return Shown(text)

    # Counters

    def _marks(self, console: Console, match: Match) -> Shown:
        del console
        reader, counts = self.switch.reader, self.switch.tallies.counts
        found = {
            port: {
                number: str(counts[port, "queue_marks", number])
                if reader.queue_line(port, number, "random-detect ecn count")
                else "-"
                for number in _ALL
            }
            for port in self._ports(match)
        }
        rows = [
            (port.replace("Ethernet", "Et"), f"UC{number}", value)
            for port, queues in found.items()
            for number, value in queues.items()
        ]
        data = {
            port: {"queueCounters": {str(number): value for number, value in queues.items()}}
            for port, queues in found.items()
        }
        return Shown(table(("Port", "TxQ", "MarkedPackets"), rows), {"intfQueueCounters": data})

    def _queue_counters(self, console: Console, match: Match) -> Shown:
        del console
        counts = self.switch.tallies.counts
        rows, data = [], {}
        kinds = ("queue_packets", "queue_bytes", "queue_drops", "queue_drop_bytes")
        for port in self._ports(match):
            found = {n: [counts[port, kind, n] for kind in kinds] for n in _ALL}
            short = port.replace("Ethernet", "Et")
            rows += [(short, f"UC{number}", *values) for number, values in found.items()]
            rows += [(short, f"MC{number}", 0, 0, 0, 0) for number in _ALL]
            data[port] = {
                "ucastQueues": {"trafficClasses": {f"TC{n}": _dp(v) for n, v in found.items()}},
                "mcastQueues": {"trafficClasses": {f"TC{n}": _dp([0, 0, 0, 0]) for n in _ALL}},
            }
        head = ("Port", "TxQ", "Counter/pkts", "Counter/bytes", "Drop/pkts", "Drop/bytes")
        return Shown(table(head, rows), {"egressQueueCounters": {"interfaces": data}})

    def _trident(self, console: Console, match: Match) -> Shown:
        del console, match
        tallies = self.switch.tallies
        rows, data = [], {}
        for port in self.switch.speeds:
            mmu = tallies.total(port, "group_drops")
            out = tallies.total(port, "queue_drops")
            long = tallies.counts[port, "oversize_in", 0]
            rows.append((port.replace("Ethernet", "Et"), mmu, out, 0, long))
            drop = {
                "nonCongestionDiscard": 0,
                "rxFpDrop": 0,
                "rxMmuDrop": mmu,
                "rxPipelineDrop": 0,
                "txMmuDrop": out,
                "txPipelineDrop": 0,
                "rxBufferPoolDiscard": mmu,
                "wredDropPktCounter": 0,
            }
            error = {
                "txL2MTUError": tallies.counts[port, "oversize_out", 0],
                "rxL2MTUError": long,
                "txFCSError": 0,
            }
            data[port] = {"count": {"drop": drop, "error": error, "ok": {}}}
        head = ("Port", "RxMmuDrop", "TxMmuDrop", "WredDrop", "RxL2MtuError")
        return Shown(table(head, rows), {"ethernet": data})

    def _mmu(self, console: Console, match: Match) -> Shown:
        del console, match
        rows = [
            (port.replace("Ethernet", "Et"), f"UC{number}", 0)
            for port in self.switch.speeds
            for number in _ALL
        ]
        return Shown(table(("Port", "TxQ", "Used cells"), rows))

    def _dcbx(self, console: Console, match: Match) -> Shown:
        del console
        reader = self.switch.reader
        text = ""
        for port in self._ports(match):
            mode = reader.interface(port).value("dcbx mode")
            text += f"{port}:\n"
            text += (
                f"  {mode.upper()} DCBX is enabled and active\n" if mode else "  DCBX is disabled\n"
            )
        return Shown(text)

    def _features(self, console: Console, match: Match) -> Shown:
        del console, match
        is_on = bool(self.switch.running.line("hardware counter feature ecn out"))
        return Shown(
            table(
                ("Feature", "Direction", "Status"), [("ECN", "out", "up" if is_on else "disabled")]
            )
        )


def _only_voq(console: Console, match: Match) -> Shown:
    del console, match
    raise RefusedError(says("voq-counters"))


def _dp(values: list[int]) -> dict[str, object]:
    names = ("enqueuedPackets", "enqueuedBytes", "droppedPackets", "droppedBytes")
    return {"dropPrecedences": {"DP0": dict(zip(names, values, strict=True))}}


def _yes(value: bool) -> str:  # noqa: FBT001 -- it is the value that is shown
    return "Yes" if value else "No"


def _default(value: str) -> str:
    return " (default)" if value == "0" else ""
