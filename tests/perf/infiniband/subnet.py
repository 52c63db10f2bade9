"""Four hosts of an InfiniBand subnet that answer as Linux and infiniband-diags do. Synthetic.

Tests move counters: each client that ends counts packets at its port and at its
server's; senders that share a receiver also wait.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from netcheck import api
from netcheck.collect.session import Output
from netcheck.model.errors import TransportError
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Basis
from netcheck.perf import bench as perf_bench
from netcheck.perf.infiniband.measure import Measured, measure_subnets
from netcheck.perf.infiniband.verdict import Judged, judge_services
from netcheck.perf.options import PerfOptions
from netcheck.perf.schedule import Depth

INTENT = Path(__file__).with_name("train.yaml")
OPTIONS = PerfOptions(
    duration_s=1, settle_s=0.0, queue_pairs=2, sample_s=0.0, probe_after_s=0.0, depth=Depth.QUICK
)
Port = tuple[int, int]
HOSTS = {"gpu01": (11, 1), "gpu02": (12, 1), "gpu03": (13, 1), "gpu04": (14, 1)}
# LID and port of a host: LID and port of its switch. Leaves 21 and 22, spine 31.
LEAF = {(11, 1): (21, 1), (12, 1): (21, 2), (13, 1): (22, 1), (14, 1): (22, 2)}
SPINE = {21: ((21, 3), (31, 1)), 22: ((22, 3), (31, 2))}
MGMT = {f"192.0.2.{number}": f"gpu{number - 10:02d}" for number in range(11, 15)}
PACKETS, LINE_GBPS = 1_000_000, 198.0
PLAIN = (
    "SymbolErrorCounter",
    "LinkErrorRecoveryCounter",
    "PortRcvErrors",
    "PortRcvRemotePhysicalErrors",
    "PortXmitDiscards",
    "VL15Dropped",
    "PortXmitWait",
)
FILES = {
    "symbol_error": "SymbolErrorCounter",
    "link_error_recovery": "LinkErrorRecoveryCounter",
    "port_rcv_errors": "PortRcvErrors",
    "port_rcv_remote_physical_errors": "PortRcvRemotePhysicalErrors",
    "port_xmit_discards": "PortXmitDiscards",
    "VL15_dropped": "VL15Dropped",
    "port_xmit_wait": "PortXmitWait",
    "port_xmit_packets": "PortXmitPkts",
    "port_rcv_packets": "PortRcvPkts",
}
OF_PAIRS = ("packet_seq_err", "out_of_sequence", "local_ack_timeout_err", "rnr_nak_retry_err")
BANDWIDTH = """\
 Mtu             : 4096[B]
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      99999            0.00               {0:.2f}               0.370000
"""
LATENCY = """\
 Mtu             : 4096[B]
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 2       1000          1.31           4.84         1.50                1.52             0.10            1.71                    2.84
"""  # noqa: E501 -- one line in the real output too
DISCOVERED = """\
devid=0xd2f0
switchguid=0xb1(b1)
Switch	3 "S-00000000000000b1"		# "ibleaf01" base port 0 lid 21 lmc 0
[1]	"H-0002c903000a0001"[1](2c903000a0001) 		# "gpu01 mlx5_2" lid 11 4xHDR
[2]	"H-0002c903000a0002"[1](2c903000a0002) 		# "gpu02 mlx5_2" lid 12 4xHDR
[3]	"S-00000000000000c1"[1]		# "unnamed" lid 31 {trunk}

devid=0xd2f0
switchguid=0xb2(b2)
Switch	3 "S-00000000000000b2"		# "ibleaf02" base port 0 lid 22 lmc 0
[1]	"H-0002c903000a0003"[1](2c903000a0003) 		# "gpu03 mlx5_2" lid 13 4xHDR
[2]	"H-0002c903000a0004"[1](2c903000a0004) 		# "gpu04 mlx5_2" lid 14 4xHDR
[3]	"S-00000000000000c1"[2]		# "unnamed" lid 31 4xHDR

devid=0xd2f0
switchguid=0xc1(c1)
Switch	2 "S-00000000000000c1"		# "unnamed" base port 0 lid 31 lmc 0
[1]	"S-00000000000000b1"[3]		# "ibleaf01" lid 21 {trunk}
[2]	"S-00000000000000b2"[3]		# "ibleaf02" lid 22 4xHDR
"""
ADAPTER = """
devid=0x101b
caguid={guid:#x}
Ca	1 "H-{guid:016x}"		# "{name} mlx5_2"
[1]({guid:x}) "S-00000000000000b{leaf}"[{port}] # lid {lid} lmc 0 "ibleaf0{leaf}" lid 2{leaf} 4xHDR
"""


@dataclass
class Subnet:
    """What its hosts would answer.

    Attributes:
        counts: Shape: ``(LID, port) -> counter -> value``; of queue pairs, at hosts, as well.
        keys: Partition keys of each host, by index.
        hidden: Counters that are not shown.
        trunk: Width and speed of the link from the first leaf to the spine.
        after: Called with sender and receiver when a test of bandwidth has ended.
        lines: Everything that was typed, ``host: line``.
        deaf: Hosts that nobody can log in to.
        slow: Share of the rate that flows of these senders reach.
        lane: That SL 2 leads to; ``weight`` of lane 1 in its turn. Lane 15 and a lane without
            weight carry nothing.
    """

    counts: dict[Port, Counter[str]] = field(default_factory=dict)
    keys: dict[str, list[int]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    trunk: str = "4xHDR"
    after: Callable[[Subnet, str, str], None] = lambda _net, _a, _b: None
    lines: list[str] = field(default_factory=list)
    running: list[tuple[str, str]] = field(default_factory=list)
    deaf: set[str] = field(default_factory=set)
    slow: dict[str, float] = field(default_factory=dict)
    lane: int = 1
    weight: int = 0x40
    has_diags: bool = True
    has_wide_waits: bool = False
    waits_are_counted: bool = True

    def __post_init__(self) -> None:
        for host in HOSTS:
            # keys stand at other places at every host
            self.keys.setdefault(host, [0x7FFF, *[0] * (int(host[-1]) - 1), 0x8A01, 0])
        self.keys["gpu04"] = [0x7FFF, 0x0A01]

    def at(self, port: Port) -> Counter[str]:
        """Counters of a port."""
        return self.counts.setdefault(port, Counter())

    def way(self, sender: str, receiver: str) -> list[tuple[Port, Port]]:
        """Links that packets cross, each with the port they leave by first."""
        a, b = HOSTS[sender], HOSTS[receiver]
        up, down = LEAF[a], LEAF[b]
        if up[0] == down[0]:
            return [(a, up), (down, b)]
        first, second = SPINE[up[0]], SPINE[down[0]]
        return [(a, up), first, (second[1], second[0]), (down, b)]

    def finish(self, sender: str, receiver: str) -> float:
        """Count what one test did; give its rate in Gb/s."""
        sharing = sum(other == receiver for _, other in self.running)
        for egress, ingress in self.way(sender, receiver):
            self.at(egress)["PortXmitPkts"] += PACKETS
            self.at(ingress)["PortRcvPkts"] += PACKETS
        if sharing > 1 and self.waits_are_counted:
            self.at(HOSTS[sender])["PortXmitWait"] += 1_562_500_000  # half a second
        self.after(self, sender, receiver)
        return LINE_GBPS / max(1, sharing) * self.slow.get(sender, 1.0)

    def answer(self, host: str, line: str) -> Output:
        """What a line prints at a host."""
        words = line.removeprefix("sudo ").split()
        if words[0] == "perfquery" and self.has_diags:
            return self._perfquery(words[1:])
        if words[0] in {"ibnetdiscover", "saquery", "sminfo"} and self.has_diags:
            return Output(self._discovered() if words[0] == "ibnetdiscover" else "", 0)
        if words[0] == "smpquery" and self.has_diags:
            lid, port = map(int, words[-2:])
            return Output(
                self._lanes(lid, port) if words[1] == "sl2vl" else self._turns(lid, port), 0
            )
        if words[0] == "cat":
            return Output("01234567-89ab-cdef-0123-456789abcdef\n", 0)
        if words[0] == "grep":
            return self._files(host, words[-1])
        return Output(f"{words[0]}: command not found\n", 127)

    def _discovered(self) -> str:
        adapters = [
            ADAPTER.format(
                guid=0x2C903000A0000 + n,
                name=f"gpu{n:02d}",
                lid=10 + n,
                leaf=1 if n < 3 else 2,
                port=2 - n % 2,
            )
            for n in range(1, 5)
        ]
        return DISCOVERED.format(trunk=self.trunk) + "".join(adapters)

    def _perfquery(self, words: list[str]) -> Output:
        lid, port = map(int, words[-2:])
        own = self.at((lid, port))
        if words[0] == "-c":
            head, rows = "PortSamplesControl", {"Tick": 1 if lid < 20 else 7}
        elif words[0] == "-x":
            wide = ("PortXmitPkts", "PortRcvPkts", *["PortXmitWait"] * self.has_wide_waits)
            head, rows = "Port extended counters", {n: own[n] for n in wide}
        else:
            head, rows = (
                "Port counters",
                {n: own[n] for n in (*PLAIN, "PortXmitPkts", "PortRcvPkts")},
            )
            rows |= {
                n: min(rows[n], 2**32 - 1) for n in ("PortXmitWait", "PortXmitPkts", "PortRcvPkts")
            }
        lines = [f"{name}:....{value}" for name, value in rows.items() if name not in self.hidden]
        return Output(
            "\n".join([f"# {head}: Lid {lid} port {port} (CapMask: 0x1300)", *lines, ""]), 0
        )

    def _lanes(self, lid: int, port: int) -> str:
        out = 0 if lid < 20 else port
        row = "|".join(f"{lane:2d}" for lane in (0, 0, self.lane, *[0] * 12, 15))
        head = "|".join(f"{sl:2d}" for sl in range(16))
        return (
            f"# SL2VL table: Lid {lid}\n#                 SL: |{head}|\n"
            f"ports: in  0, out {out:2d}: |{row}|\n"
        )

    def _turns(self, lid: int, port: int) -> str:
        low = f"VL    : |0x0 |0x1 |\nWEIGHT: |0x40|{self.weight:#04x}|\n"
        return (
            f"# VLArbitration tables: Lid {lid} port {port} LowCap 2 HighCap 2\n"
            f"# Low priority VL Arbitration Table:\n{low}"
            "# High priority VL Arbitration Table:\nVL    : |0x0 |0x0 |\nWEIGHT: |0x04|0x0 |\n"
        )

    def _files(self, host: str, folder: str) -> Output:
        own = self.at(HOSTS[host])
        rows: Mapping[str, object]
        if folder.endswith("/pkeys"):
            rows = {str(place): f"{key:#06x}" for place, key in enumerate(self.keys[host])}
        elif folder.endswith("/hw_counters"):
            rows = {name: own[name] for name in OF_PAIRS if name not in self.hidden}
        else:
            rows = {name: own[of] for name, of in FILES.items() if of not in self.hidden}
            if "port_xmit_wait" in rows:
                rows = {**rows, "port_xmit_wait": min(own["PortXmitWait"], 2**32 - 1)}
        return Output("".join(f"{folder}/{name}:{value}\n" for name, value in rows.items()), 0)


class Session:
    """A session at one host."""

    def __init__(self, host: str, subnet: Subnet) -> None:
        if host in subnet.deaf:
            raise TransportError(f"{host}: no answer")
        self.host, self.subnet = host, subnet
        self.target = type("Near", (), {"device": host})()
        self.running: tuple[str, str] | None = None
        self.line = ""

    def close(self) -> None:
        """End it."""

    def start(self, line: str) -> None:
        """Start a test."""
        self.subnet.lines.append(f"{self.host}: {line}")
        self.line = line
        address = MGMT.get(line.rsplit(maxsplit=1)[-1], "")
        self.running = (self.host, address) if address else None
        if self.running and "_bw" in line:
            self.subnet.running.append(self.running)

    def ended_within(self, _seconds: float) -> bool:
        """A server waits on."""
        return False

    def wait_for(self, pattern: str, _timeout: float) -> str:
        """A server waits at once."""
        return pattern

    def finish(self, _timeout: float) -> Output:
        """End of a test."""
        if self.running is None:
            return Output("", 0)
        if self.subnet.lane == 15 or not self.subnet.weight:
            sender = HOSTS[self.running[0]]
            self.subnet.at(sender)["local_ack_timeout_err"] += 8
            return Output(" Completion with error at client\n Failed status 12: wr_id 0\n", 1)
        if "_lat" in self.line:
            return Output(LATENCY, 0)
        return Output(BANDWIDTH.format(self.subnet.finish(*self.running)), 0)

    def run(self, line: str, _timeout: float = 60.0) -> Output:
        """Run a line; a reading of counters comes when no test runs."""
        self.subnet.running.clear()
        self.subnet.lines.append(f"{self.host}: {line}")
        return self.subnet.answer(self.host, line)

    def run_each(self, lines: Sequence[str], timeout: float = 60.0) -> Iterator[Output]:
        """Run lines one after the other."""
        return iter([self.run(line, timeout) for line in lines])

    def interrupt(self, timeout: float = 30.0) -> Output:
        """Stop what runs."""
        del timeout
        return Output("", 130)


def intent(change: Callable[[str], str] = str, folder: Path | None = None) -> Fabric:
    """The intent, or a changed copy of it in a folder."""
    if folder is None:
        return api.load_completed([INTENT], deployable=True)
    path = folder / "train.yaml"
    path.write_text(change(INTENT.read_text("utf-8")), "utf-8")
    return api.load_completed([path], deployable=True)


@contextmanager
def reached(subnet: Subnet) -> Iterator[None]:
    """Let sessions end at the hosts of a subnet."""

    def near(_fabric: Fabric, device: Any) -> Any:  # Any: the one field of a target
        return type("Near", (), {"device": device.name})()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(perf_bench, "target_of", near)
        patch.setattr(perf_bench, "Session", lambda target: Session(target.device, subnet))
        yield


def measured(
    subnet: Subnet, fabric: Fabric | None = None, options: PerfOptions = OPTIONS
) -> Measured:
    """Measure the services of the intent."""
    with reached(subnet):
        return measure_subnets(fabric or intent(), options)


def judged(subnet: Subnet, fabric: Fabric | None = None) -> Judged:
    """Measure and judge."""
    return judge_services(measured(subnet, fabric), Basis.SIMULATED)
