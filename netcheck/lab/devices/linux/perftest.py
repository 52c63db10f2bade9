"""perftest: ``ib_write_bw``, ``ib_send_bw``, ``ib_read_bw``, ``ib_write_lat``, ``ib_send_lat``.

Both sides print what version 4.5-0.17 prints; how fast and how well the
packets went is what the lab's test bench says.

Source: linux-rdma/perftest src/perftest_resources.c, src/perftest_communication.c.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from netcheck.lab.devices.files import DeviceFileError
from netcheck.lab.devices.linux.adapter import EMPTY_GID, Adapter
from netcheck.lab.devices.linux.hca import Hca
from netcheck.lab.devices.linux.hca_files import STATES
from netcheck.lab.devices.linux.iproute import Links
from netcheck.lab.devices.linux.perftest_options import Options, RefusedError, read_options
from netcheck.lab.devices.shell import Call, Program

RULE = "-" * 87 + "\n"
RETRY_EXCEEDED = 12
BANNER = (
    "\n************************************\n"
    "* Waiting for client to connect... *\n"
    "************************************\n"
)
SMALL_GBPS = 0.1
DOWN = " Port number 1 state is {}\n Couldn't set the link layer\n"
_TITLES = {
    "ib_write_bw": ("RDMA_Write BW Test", "RDMA_Write_BW_Test"),
    "ib_send_bw": ("Send BW Test", "Send_BW_Test"),
    "ib_read_bw": ("RDMA_Read BW Test", "RDMA_Read_BW_Test"),
    "ib_write_lat": ("RDMA_Write Latency Test", "RDMA_Write_Latency_Test"),
    "ib_send_lat": ("Send Latency Test", "Send_Latency_Test"),
    "ib_read_lat": ("RDMA_Read Latency Test", "RDMA_Read_Latency_Test"),
}


@dataclass(frozen=True, slots=True)
class HcaSide:
    """What an end on InfiniBand has besides: subnet, port GUID, LID, P_Key of its queue pair."""

    subnet: str
    guid: int
    lid: int
    key: int


@dataclass(frozen=True, slots=True)
class Side:
    """One end of a test as it is offered to the other."""

    host: str
    netdev: str
    rdma: str
    gid: str
    gid_type: str
    mtu: int
    traffic_class: int
    options: Options
    hca: HcaSide | None = None

    @property
    def link(self) -> str:
        """Kind of its link, as the program prints it."""
        return "IB" if self.hca else "Ethernet"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a test came to.

    Attributes:
        status: 0, or the completion status that ended it.
        latencies_us: min, max, typical, average, deviation, 99 %, 99.9 %.
    """

    peer: Side
    status: int = 0
    bandwidth_bps: float = 0.0
    messages: int = 0
    seconds: float = 0.0
    latencies_us: tuple[float, ...] = ()


class TestBench(Protocol):
    """Brings the two sides of a test together and runs it."""

    async def serve(self, side: Side) -> Outcome:
        """Wait for a client and for the test's end. Raises BenchError."""

    async def connect(self, side: Side) -> Outcome:
        """Join a waiting server and wait for the test's end. Raises BenchError."""


class BenchError(Exception):
    """The sides do not come together; the text is what the program prints."""


def programs(
    name: str,
    adapters: Mapping[str, Adapter],
    hcas: Mapping[str, Hca],
    links: Links,
    bench: TestBench,
) -> dict[str, Program]:
    """Give the programs for a host; ``adapters`` and ``hcas`` are by RDMA device."""

    async def perftest(call: Call) -> int:
        try:
            options = read_options(call.words)
            side = _side(name, adapters, hcas, links, options)
        except RefusedError as refusal:
            call.out(refusal.out)
            call.err(refusal.err)
            return 1
        try:
            if options.server:
                outcome = await bench.connect(side)
            else:
                call.out(BANNER)
                outcome = await bench.serve(side)
        except BenchError as error:
            call.err(f"{error}\n")
            return 1
        return _report(call, side, outcome)

    return dict.fromkeys(_TITLES, perftest)


def _side(
    name: str,
    adapters: Mapping[str, Adapter],
    hcas: Mapping[str, Hca],
    links: Links,
    options: Options,
) -> Side:
    if not adapters and not hcas:
        raise RefusedError(
            " Did not detect devices \n If device exists, check if driver is up\n"
            " Unable to find the Infiniband/RoCE device\n"
        )
    rdma = options.device or next(iter((*adapters, *hcas)))
    if rdma in hcas:
        return _hca_side(name, hcas[rdma], options)
    if rdma not in adapters:
        raise RefusedError(
            f" IB device {rdma} not found\n Unable to find the Infiniband/RoCE device\n"
        )
    adapter = adapters[rdma]
    if not links.is_link_up(adapter.netdev):
        raise RefusedError(DOWN.format("Down"))
    gids = adapter.gids()
    index = options.gid_index if options.gid_index is not None else len(gids) - 1
    gid, kind = gids[index] if index < len(gids) else (EMPTY_GID, "")
    mtu = min(options.mtu or adapter.active_mtu, adapter.active_mtu)
    tclass = adapter.traffic_class or options.traffic_class
    if options.uses_cm and not options.traffic_class:
        tclass = adapter.traffic_class or adapter.cm_tos
    return Side(name, adapter.netdev, rdma, gid, kind, mtu, tclass, options)


def _hca_side(name: str, hca: Hca, options: Options) -> Side:
    """An end on InfiniBand; its queue pair gets the P_Key at an index, or does not come up."""
    state = hca.state
    if hca.subnet is None or not state.is_active:
        raise RefusedError(DOWN.format(STATES[state.state].capitalize()))
    index = options.pkey_index
    if index >= len(state.pkeys) or not state.pkeys[index]:
        raise RefusedError("Failed to modify QP to INIT, ret=22\n Couldn't create IB resources\n")
    mtu = min(options.mtu or state.mtu, state.mtu)
    side = HcaSide(hca.subnet.name, hca.guid, state.lid, state.pkeys[index])
    return Side(name, hca.netdev, hca.name, hca.gid, "", mtu, 0, options, side)


def _report(call: Call, side: Side, outcome: Outcome) -> int:
    options = side.options
    mtu = min(side.mtu, outcome.peer.mtu)
    is_server = not options.server
    call.out(_head(side, mtu, is_server=is_server))
    call.out(_addresses(side, outcome.peer))
    if outcome.status:
        return _fail(call, options, outcome.status)
    call.out(_latency(options, outcome) if options.is_latency else _bandwidth(options, outcome))
    if options.json_file:
        _write_json(call, side, outcome, mtu)
    return 0


def _fail(call: Call, options: Options, status: int) -> int:
    if not options.server:
        return call.fail(
            "ethernet_read_keys: Couldn't read remote address\n"
            " Unable to read to socket/rdma_cm\n"
            " Failed to exchange data between server and clients"
        )
    kind = "lat" if options.is_latency else "bw"
    call.out(
        " Completion with error at client\n"
        f" Failed status {status}: wr_id 0 syndrom 0x81\n"
        f"scnt={options.depth}, ccnt=0\n"
    )
    return call.fail(f" Failed to complete run_iter_{kind} function successfully")


def _head(side: Side, mtu: int, *, is_server: bool) -> str:
    options = side.options
    title = _TITLES[options.tool][0]
    if options.is_bidirectional:
        title = title.replace("BW", "Bidirectional BW")
    depth = "" if is_server and not options.is_latency else f" TX depth        : {options.depth}\n"
    moderation = "" if options.is_latency else " CQ Moderation   : 1\n"
    gid = f" GID index       : {_gid_index(options)}\n" if has_gid(side) else ""
    return (
        f"{RULE}                    {title}\n"
        f" Dual-port       : OFF\t\tDevice         : {side.rdma}\n"
        f" Number of qps   : {options.queue_pairs}\t\tTransport type : IB\n"
        " Connection type : RC\t\tUsing SRQ      : OFF\n"
        " PCIe relax order: ON\n"
        " ibv_wr* API     : ON\n"
        f"{depth}{moderation}"
        f" Mtu             : {mtu}[B]\n"
        f" Link type       : {side.link}\n"
        f"{gid}"
        f" Max inline data : {220 if options.is_latency else 0}[B]\n"
        f" rdma_cm QPs\t : {'ON' if options.uses_cm else 'OFF'}\n"
        f" Data ex. method : {'rdma_cm' if options.uses_cm else 'Ethernet'}\n"
        f"{RULE}"
    )


def has_gid(side: Side) -> bool:
    """Whether addresses are shown and used: always on Ethernet, on InfiniBand where asked for."""
    return side.hca is None or side.options.gid_index is not None


def _gid_index(options: Options) -> int:
    return options.gid_index if options.gid_index is not None else 3


def _addresses(side: Side, peer: Side) -> str:
    return _ends("local", side) + _ends("remote", peer) + RULE


def _ends(word: str, side: Side) -> str:
    lines = ""
    octets = side.gid.replace(":", "")
    shown = ":".join(f"{int(octets[place : place + 2], 16):02d}" for place in range(0, 32, 2))
    for pair in range(side.options.queue_pairs):
        seed = zlib.crc32(f"{side.host} {side.rdma} {side.options.port} {pair}".encode())
        keys = (
            ""
            if "send" in side.options.tool
            else f" RKey 0x{seed & 0xFFFFFF:06x} VAddr 0x007f{seed:08x}"
        )
        number = queue_pair_number(side, pair)
        lid = f"0x{side.hca.lid:02x}" if side.hca else "0000"
        lines += f" {word} address: LID {lid} QPN 0x{number:04x} PSN 0x{seed >> 8:x}{keys}\n"
        lines += f" GID: {shown}\n" if has_gid(side) else ""
    return lines


def queue_pair_number(side: Side, pair: int) -> int:
    """Number of one of a side's queue pairs."""
    seed = zlib.crc32(f"{side.host} {side.rdma} {side.options.port}".encode())
    return 0x100 + (seed + pair * 7) % 0xFE00


def _bandwidth(options: Options, outcome: Outcome) -> str:
    unit = "Gb" if options.in_gigabits else "MB"
    per_unit = 1e9 if options.in_gigabits else 8 * 2**20
    average = outcome.bandwidth_bps / per_unit
    peak = 0.0 if options.duration_s else average
    rate = outcome.bandwidth_bps / (8 * options.message_bytes) / 1e6
    digits = 6 if options.in_gigabits and average < SMALL_GBPS else 2
    return (
        f" #bytes     #iterations    BW peak[{unit}/sec]    BW average[{unit}/sec]"
        "   MsgRate[Mpps]\n"
        f" {options.message_bytes:<7}    {outcome.messages:<10}     {peak:.{digits}f}"
        f"               {average:.{digits}f}   \t\t   {rate:.6f}\n{RULE}"
    )


def _latency(options: Options, outcome: Outcome) -> str:
    least, most, typical, average, deviation, high, highest = outcome.latencies_us
    return (
        " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
        "    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n"
        f" {options.message_bytes:<7} {options.iterations:<10}     {least:<7.2f}"
        f"        {most:<7.2f}"
        f"      {typical:<7.2f}\t       {average:<7.2f}     \t{deviation:<7.2f}\t\t{high:<7.2f} "
        f"\t\t{highest:<7.2f}\n{RULE}"
    )


def _write_json(call: Call, side: Side, outcome: Outcome, mtu: int) -> None:
    """Write what version 24.01 and later write: valid JSON, mode 0600."""
    options = side.options
    info: dict[str, str | int] = {
        "test": _TITLES[options.tool][1],
        "Device": side.rdma,
        "Number_of_qps": options.queue_pairs,
        "Mtu": mtu,
        "Link_type": side.link,
    }
    if has_gid(side):
        info["GID_index"] = _gid_index(options)
    if options.is_latency:
        names = ("t_min", "t_max", "t_typical", "t_avg", "t_stdev", "percentile_99")
        pairs = zip((*names, "percentile_99.9"), outcome.latencies_us, strict=True)
        results: dict[str, float] = {name: round(value, 2) for name, value in pairs}
    else:
        unit = 1e9 if options.in_gigabits else 8 * 2**20
        results = {
            "BW_peak": 0.0 if options.duration_s else round(outcome.bandwidth_bps / unit, 2),
            "BW_average": round(outcome.bandwidth_bps / unit, 2),
            "MsgRate": round(outcome.bandwidth_bps / 8e6 / options.message_bytes, 6),
        }
    head = {"MsgSize": options.message_bytes, "n_iterations": outcome.messages}
    path = call.shell.path(options.json_file)
    text = json.dumps({"test_info": info, "results": {**head, **results}}, indent=1) + "\n"
    try:
        call.shell.files.write(path, text, user=call.shell.user)
        call.shell.files.real(path).chmod(0o600)
    except DeviceFileError as error:
        call.err(f"{options.json_file}: {error}\n")
