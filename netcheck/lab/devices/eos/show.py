"""Show commands about the switch, its interfaces and its neighbours.

Shapes of JSON as in the tests of aristanetworks/anta; text as in arista.com/en/um-eos.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from netcheck.lab.devices.cli.console import Action, Command, Console, RefusedError, Shown
from netcheck.lab.devices.cli.grammar import Match, Pattern
from netcheck.lab.devices.eos.refusals import says
from netcheck.lab.devices.eos.state import EosSwitch
from netcheck.lab.devices.eos.table import table

_SERIAL = "SIM00000000"


class Shows:
    """Commands that show the switch and its interfaces."""

    def __init__(self, switch: EosSwitch) -> None:
        self.switch = switch

    def commands(self) -> tuple[Command, ...]:
        """Exec commands; configuration modes take them too."""
        pairs = (
            ("show version [detail]", self._version),
            ("show hostname", self._hostname),
            ("show uptime", self._uptime),
            ("show clock", self._clock),
            ("show interfaces [PORT]", self._interfaces),
            ("show interfaces [PORT] status", self._status),
            ("show interfaces [PORT] mtu", self._mtu),
            ("show interfaces [PORT] counters", self._counters),
            ("show interfaces [PORT] counters discards", self._discards),
            ("show interfaces [PORT] counters errors", self._errors),
            ("show interfaces [PORT] (flow-control|flowcontrol)", self._flowcontrol),
            ("show lldp neighbors [PORT]", self._lldp),
            ("show lldp neighbors [PORT] detail", self._lldp_detail),
            ("show lldp local-info", self._lldp_local),
            ("clear counters", self._clear),
        )
        quiet = (
            ("terminal length <0-32767>", "Pagination disabled.\n"),
            ("terminal width <10-32767>", ""),
            ("terminal dont-ask", ""),
        )
        return (
            *(
                Command(Pattern(text), action, in_config=True, is_open=text.startswith("show"))
                for text, action in pairs
            ),
            *(Command(Pattern(text), _saying(said), is_open=True) for text, said in quiet),
            Command(Pattern("enable"), _enable, is_open=True),
            Command(Pattern("disable"), _disable, is_open=True),
            Command(Pattern("(exit|logout|quit)"), _log_out, is_open=True),
        )

    def ports(self, match: Match) -> list[str]:
        """Give the ports that a command is about: the one named, or all.

        Raises:
            RefusedError: There is no such port.
        """
        if not match.values:
            return list(self.switch.speeds)
        if not self.switch.has_port(match.values[0]):
            raise RefusedError(says("no-such-interface"))
        return [match.values[0]]

    def _version(self, console: Console, match: Match) -> Shown:
        del console, match
        switch = self.switch
        mac = switch.mac("eth0")
        text = (
            f"Arista {switch.model}-F\nHardware version: 11.00\nSerial number: {_SERIAL}\n"
            f"Hardware MAC address: {mac}\nSystem MAC address: {mac}\n\n"
            f"Software image version: {switch.version}\nArchitecture: x86_64\n"
            f"Internal build version: {switch.version}-00000000.{switch.version}\n\n"
            f"Uptime: {int((time.time() - switch.booted) // 60)} minutes\n"
            "Total memory: 32458980 kB\nFree memory: 28104120 kB\n"
        )
        data = {
            "mfgName": "Arista",
            "modelName": f"{switch.model}-F",
            "hardwareRevision": "11.00",
            "serialNumber": _SERIAL,
            "systemMacAddress": mac,
            "hwMacAddress": mac,
            "configMacAddress": "00:00:00:00:00:00",
            "version": switch.version,
            "architecture": "x86_64",
            "internalVersion": f"{switch.version}-00000000.{switch.version}",
            "imageFormatVersion": "3.0",
            "bootupTimestamp": switch.booted,
            "uptime": time.time() - switch.booted,
            "memTotal": 32458980,
            "memFree": 28104120,
            "isIntlVersion": False,
        }
        return Shown(text, data)

    def _hostname(self, console: Console, match: Match) -> Shown:
        del console, match
        name = self.switch.hostname
        text = f"Hostname: {name}\nFQDN:     {name}\n"
        return Shown(text, {"hostname": name, "fqdn": name})

    def _uptime(self, console: Console, match: Match) -> Shown:
        del console, match
        up = time.time() - self.switch.booted
        text = f" up {int(up // 60)} min,  1 user,  load average: 0.50, 0.45, 0.40\n"
        return Shown(text, {"upTime": up, "users": 1, "loadAvg": [0.5, 0.45, 0.4]})

    def _clock(self, console: Console, match: Match) -> Shown:
        del console, match
        now = time.gmtime()
        text = time.strftime("%a %b %d %H:%M:%S %Y\n", now)
        return Shown(f"{text}Timezone: UTC\nClock source: local\n", {"utcTime": time.time()})

    def _clear(self, console: Console, match: Match) -> None:
        del console, match
        self.switch.tallies.reset()

    # Interfaces

    def _interfaces(self, console: Console, match: Match) -> Shown:
        del console
        ports = self.ports(match)
        text = "".join(self._interface_text(port) for port in ports)
        return Shown(text, {"interfaces": {port: self._interface_data(port) for port in ports}})

    def _state(self, port: str) -> tuple[str, str]:
        """Give interface status and line protocol."""
        if not self.switch.is_up(port):
            return "disabled", "down"
        return ("connected", "up") if self.switch.is_link_up(port) else ("notconnect", "down")

    def _interface_text(self, port: str) -> str:
        reader = self.switch.reader
        status, protocol = self._state(port)
        admin = "administratively down" if status == "disabled" else protocol
        routed = reader.is_routed(port)
        kind, mtu = ("IP", reader.mtu(port)) if routed else ("Ethernet", reader.mtu(port) - 22)
        speed = self.switch.speeds[port]
        counts, total = self.switch.tallies.counts, self.switch.tallies.total
        mac = self.switch.mac(port)
        lines = [
            f"{port} is {admin}, line protocol is {protocol} ({status})",
            f"  Hardware is Ethernet, address is {mac} (bia {mac})",
        ]
        description = reader.interface(port).value("description")
        lines += [f"  Description: {description}"] if description else []
        address = reader.interface(port).value("ip address")
        lines += [f"  Internet address is {address}"] if address else []
        oversize, damaged = counts[port, "oversize_in", 0], counts[port, "errors_in", 0]
        lost = (self.switch.tallies.discards_in(port), self.switch.tallies.discards_out(port))
        errors = f"     {oversize + damaged} input errors, {damaged} CRC, 0 alignment, 0 symbol,"
        lines += [
            f"  {kind} MTU {mtu} bytes, BW {speed // 1000} kbit",
            f"  Full-duplex, {speed // 10**9}Gb/s, auto negotiation: off, uni-link: n/a",
            f"     {total(port, 'rx_packets')} packets input, {total(port, 'rx_bytes')} bytes",
            "     Received 0 broadcasts, 0 multicast",
            f"     0 runts, {oversize} giants",
            f"{errors} {lost[0]} input discards",
            f"     {total(port, 'pfc_in')} PAUSE input",
            f"     {total(port, 'tx_packets')} packets output, {total(port, 'tx_bytes')} bytes",
            "     Sent 0 broadcasts, 0 multicast",
            "     0 output errors, 0 collisions",
            f"     0 late collision, 0 deferred, {lost[1]} output discards",
            f"     {total(port, 'pfc_out')} PAUSE output",
        ]
        return "\n".join(lines) + "\n"

    def _interface_data(self, port: str) -> dict[str, object]:
        reader, total = self.switch.reader, self.switch.tallies.total
        status, protocol = self._state(port)
        routed = reader.is_routed(port)
        own = reader.interface(port)
        counts = self.switch.tallies.counts
        oversize, damaged = counts[port, "oversize_in", 0], counts[port, "errors_in", 0]
        address = own.value("ip address").partition("/")
        return {
            "name": port,
            "forwardingModel": "routed" if routed else "bridged",
            "lineProtocolStatus": protocol,
            "interfaceStatus": status,
            "hardware": "ethernet",
            "bandwidth": self.switch.speeds[port],
            "mtu": reader.mtu(port) if routed else reader.mtu(port) - 22,
            "l3MtuConfigured": bool(own.line("mtu")),
            "l2Mru": 0,
            "description": own.value("description"),
            "physicalAddress": self.switch.mac(port),
            "burnedInAddress": self.switch.mac(port),
            "interfaceAddress": [{"primaryIp": {"address": address[0], "maskLen": int(address[2])}}]
            if address[2]
            else [],
            "duplex": "duplexFull",
            "autoNegotiate": "off",
            "interfaceCounters": {
                "inOctets": total(port, "rx_bytes"),
                "inUcastPkts": total(port, "rx_packets"),
                "inTotalPkts": total(port, "rx_packets"),
                "inMulticastPkts": 0,
                "inBroadcastPkts": 0,
                "inDiscards": self.switch.tallies.discards_in(port),
                "totalInErrors": oversize + damaged,
                "inputErrorsDetail": {
                    "runtFrames": 0,
                    "giantFrames": oversize,
                    "fcsErrors": damaged,
                    "alignmentErrors": 0,
                    "symbolErrors": 0,
                    "rxPause": total(port, "pfc_in"),
                },
                "outOctets": total(port, "tx_bytes"),
                "outUcastPkts": total(port, "tx_packets"),
                "outTotalPkts": total(port, "tx_packets"),
                "outMulticastPkts": 0,
                "outBroadcastPkts": 0,
                "outDiscards": self.switch.tallies.discards_out(port),
                "totalOutErrors": 0,
                "outputErrorsDetail": {
                    "collisions": 0,
                    "lateCollisions": 0,
                    "deferredTransmissions": 0,
                    "txPause": total(port, "pfc_out"),
                },
                "linkStatusChanges": 1,
                "counterRefreshTime": time.time(),
            },
        }

    def _status(self, console: Console, match: Match) -> Shown:
        del console
        rows: list[Sequence[object]] = []
        data = {}
        for port in self.ports(match):
            speed = self.switch.speeds[port]
            status = self._state(port)[0]
            name = self.switch.reader.interface(port).value("description")
            routed = self.switch.reader.is_routed(port)
            vlan = "routed" if routed else "1"
            kind = f"{speed // 10**9}GBASE-SIM"
            short = port.replace("Ethernet", "Et")
            rows.append((short, name, status, vlan, "full", f"{speed // 10**9}G", kind))
            data[port] = {
                "description": name,
                "linkStatus": status,
                "lineProtocolStatus": self._state(port)[1],
                "vlanInformation": {
                    "interfaceMode": vlan,
                    "interfaceForwardingModel": "routed" if routed else "bridged",
                },
                "duplex": "duplexFull",
                "autoNegotiateActive": False,
                "bandwidth": speed,
                "interfaceType": kind,
            }
        head = ("Port", "Name", "Status", "Vlan", "Duplex", "Speed", "Type")
        return Shown(table(head, rows), {"interfaceStatuses": data})

    def _mtu(self, console: Console, match: Match) -> Shown:
        shown = self._interfaces(console, match)
        rows = [(port, self.switch.reader.mtu(port)) for port in self.ports(match)]
        return Shown(table(("Port", "MTU"), rows), shown.data)

    def _counters(self, console: Console, match: Match) -> Shown:
        del console
        total = self.switch.tallies.total
        ports = self.ports(match)
        sides = {
            "In": {p: (total(p, "rx_bytes"), total(p, "rx_packets")) for p in ports},
            "Out": {p: (total(p, "tx_bytes"), total(p, "tx_packets")) for p in ports},
        }
        text = "\n".join(
            table(
                ("Port", f"{side}Octets", f"{side}UcastPkts", f"{side}McastPkts"),
                [(port.replace("Ethernet", "Et"), *found, 0) for port, found in rows.items()],
            )
            for side, rows in sides.items()
        )
        data = {
            port: {
                "inOctets": sides["In"][port][0],
                "inUcastPkts": sides["In"][port][1],
                "outOctets": sides["Out"][port][0],
                "outUcastPkts": sides["Out"][port][1],
            }
            for port in ports
        }
        return Shown(text, {"interfaces": data})

    def _discards(self, console: Console, match: Match) -> Shown:
        del console
        tallies = self.switch.tallies
        found = {p: (tallies.discards_in(p), tallies.discards_out(p)) for p in self.ports(match)}
        rows: list[Sequence[object]] = [
            (port.replace("Ethernet", "Et"), *pair) for port, pair in found.items()
        ]
        totals = [sum(pair[side] for pair in found.values()) for side in (0, 1)]
        rows.append(("Totals", *totals))
        data = {
            "inDiscardsTotal": totals[0],
            "outDiscardsTotal": totals[1],
            "interfaces": {p: {"inDiscards": i, "outDiscards": o} for p, (i, o) in found.items()},
        }
        return Shown(table(("Port", "InDiscards", "OutDiscards"), rows), data)

    def _errors(self, console: Console, match: Match) -> Shown:
        del console
        rows: list[Sequence[object]] = []
        data = {}
        for port in self.ports(match):
            long = self.switch.tallies.counts[port, "oversize_in", 0]
            bad = self.switch.tallies.counts[port, "errors_in", 0]
            rows.append((port.replace("Ethernet", "Et"), bad, 0, 0, long + bad, 0, 0, long))
            data[port] = {
                "fcsErrors": bad,
                "alignmentErrors": 0,
                "symbolErrors": 0,
                "inErrors": long + bad,
                "frameTooShorts": 0,
                "outErrors": 0,
                "frameTooLongs": long,
            }
        head = ("Port", "FCS", "Align", "Symbol", "Rx", "Runts", "Tx", "Giants")
        return Shown(table(head, rows), {"interfaceErrorCounters": data})

    def _flowcontrol(self, console: Console, match: Match) -> Shown:
        del console
        rows: list[Sequence[object]] = []
        data = {}
        for port in self.ports(match):
            own = self.switch.reader.interface(port)
            sides = [own.value(f"flowcontrol {side}") or "off" for side in ("send", "receive")]
            rows.append((port.replace("Ethernet", "Et"), sides[0], sides[0], sides[1], sides[1]))
            data[port] = {
                "txAdminState": sides[0],
                "txOperState": sides[0],
                "rxAdminState": sides[1],
                "rxOperState": sides[1],
                "txPause": 0,
                "rxPause": 0,
            }
        head = ("Port", "Send admin", "Send oper", "Receive admin", "Receive oper")
        return Shown(table(head, rows), {"interfaceFlowControls": data})

    # Neighbours

    def _lldp(self, console: Console, match: Match) -> Shown:
        del console
        rows = []
        for port in self.ports(match):
            found = self.switch.surroundings.neighbour(self.switch.name, port)
            if found is not None and self.switch.is_link_up(port):
                rows.append((port.replace("Ethernet", "Et"), found.device, found.port, 120))
        data = [
            {
                "port": row[0].replace("Et", "Ethernet"),
                "neighborDevice": row[1],
                "neighborPort": row[2],
                "ttl": row[3],
            }
            for row in rows
        ]
        head = ("Port", "Neighbor Device ID", "Neighbor Port ID", "TTL")
        return Shown(table(head, rows), {"lldpNeighbors": data})

    def _lldp_detail(self, console: Console, match: Match) -> Shown:
        del console
        text = ""
        data: dict[str, dict[str, list[object]]] = {}
        for port in self.ports(match):
            found = self.switch.surroundings.neighbour(self.switch.name, port)
            known = found if found is not None and self.switch.is_link_up(port) else None
            text += f"Interface {port} detected {int(known is not None)} LLDP neighbors:\n\n"
            data[port] = {"lldpNeighborInfo": []}
            if known is None:
                continue
            text += (
                f"  Neighbor {known.mac}/{known.port}, age 10 seconds\n"
                f"  - Chassis ID type: MAC address (4)\n    Chassis ID     : {known.mac}\n"
                f'  - Port ID type: Interface name(5)\n    Port ID     : "{known.port}"\n'
                f'  - System Name: "{known.device}"\n'
                f"  - Management Address      : {known.mgmt}\n\n"
            )
            data[port]["lldpNeighborInfo"].append(
                {
                    "chassisIdType": "macAddress",
                    "chassisId": known.mac,
                    "systemName": known.device,
                    "neighborInterfaceInfo": {
                        "interfaceIdType": "interfaceName",
                        "interfaceId": f'"{known.port}"',
                        "interfaceId_v2": known.port,
                    },
                    "managementAddresses": [{"addressType": "ipv4", "address": known.mgmt}],
                    "ttl": 120,
                }
            )
        return Shown(text, {"lldpNeighbors": data})

    def _lldp_local(self, console: Console, match: Match) -> Shown:
        del console, match
        mac, name = self.switch.mac("eth0"), self.switch.hostname
        text = f'Local System:\n  - Chassis ID     : {mac}\n  - System Name: "{name}"\n'
        return Shown(text, {"chassisId": mac, "systemName": name})


def _saying(text: str) -> Action:
    return lambda _console, _match: text


def _enable(console: Console, match: Match) -> None:
    del match
    console.is_privileged = True


def _disable(console: Console, match: Match) -> None:
    del match
    console.is_privileged = False


def _log_out(console: Console, match: Match) -> None:
    del match
    console.log_out()
