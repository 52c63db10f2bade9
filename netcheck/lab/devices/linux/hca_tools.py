"""Programs of a host with a port on InfiniBand: ``ibstat``, ``ibstatus``, infiniband-diags.

Those that ask the fabric are the real ones, run at the host's own port of the
simulated fabric; those that ask the host's kernel are simulated.

Source: linux-rdma/rdma-core infiniband-diags/ibstat.c, ibstatus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from netcheck.lab.devices.linux.hca import Hca
from netcheck.lab.devices.linux.hca_files import STATES, physical
from netcheck.lab.devices.shell import Call, Program

REAL = (
    "ibnetdiscover",
    "iblinkinfo",
    "ibqueryerrors",
    "ibroute",
    "ibtracert",
    "ibaddr",
    "ibhosts",
    "ibswitches",
    "ibrouters",
    "ibportstate",
    "perfquery",
    "saquery",
    "sminfo",
    "smpquery",
    "smpdump",
    "dump_fts",
)
NO_ADAPTER = (
    "ibwarn: [1] mad_rpc_open_port: can't open UMAD port ((null):0)\n"
    "{0}: iberror: failed: Failed to open '(null)' port '0'"
)


def programs(hcas: Sequence[Hca]) -> dict[str, Program]:
    """Give the programs for a host."""
    by_name = {hca.name: hca for hca in hcas}

    async def real(call: Call) -> int:
        hca, words = _chosen(by_name, call.words)
        if hca is None or hca.subnet is None:
            return call.fail(NO_ADAPTER.format(call.words[0]), 255)
        said = await hca.subnet.run(hca.guid, words)
        call.out(said.text)
        return said.status

    return {
        **dict.fromkeys(REAL, real),
        "ibstat": lambda call: _stat(call, by_name),
        "ibstatus": lambda call: _status(call, by_name),
    }


def _chosen(hcas: Mapping[str, Hca], words: Sequence[str]) -> tuple[Hca | None, list[str]]:
    """Take the options that name adapter and port out of a command line."""
    rest: list[str] = []
    found = next(iter(hcas.values()), None)
    left = [words[0].rpartition("/")[2], *words[1:]]
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        if name in ("-C", "--Ca", "-P", "--Port"):
            value = value if equals else (left.pop(0) if left else "")
            found = hcas.get(value) if name in ("-C", "--Ca") else found
        else:
            rest.append(word)
    return found, rest


def _stat(call: Call, hcas: Mapping[str, Hca]) -> int:
    words = [word for word in call.arguments if not word.startswith("-")]
    if "-l" in call.arguments:
        call.out("".join(f"{name}\n" for name in hcas))
        return 0
    if words and words[0] not in hcas:
        return call.fail(
            f"ibpanic: [1] main: '{words[0]}' IB device can't be found: No such file", 255
        )
    for hca in hcas.values():
        if not words or words[0] == hca.name:
            call.out("".join(_stat_lines(hca)))
    return 0


def _stat_lines(hca: Hca) -> Iterator[str]:
    state = hca.state
    yield f"CA '{hca.name}'\n\tCA type: MT4129\n\tNumber of ports: 1\n"
    yield "\tFirmware version: 28.43.3608\n\tHardware version: 0\n"
    yield f"\tNode GUID: {hca.node_guid:#018x}\n\tSystem image GUID: {hca.node_guid:#018x}\n"
    yield f"\tPort {hca.number}:\n\t\tState: {STATES[state.state].capitalize()}\n"
    yield f"\t\tPhysical state: {physical(hca).partition(': ')[2]}\n\t\tRate: {state.rate_gbps}\n"
    yield f"\t\tBase lid: {state.lid}\n\t\tLMC: {state.lmc}\n\t\tSM lid: {state.sm_lid}\n"
    yield f"\t\tCapability mask: 0xa751e848\n\t\tPort GUID: {hca.guid:#018x}\n"
    yield "\t\tLink layer: InfiniBand\n"


def _status(call: Call, hcas: Mapping[str, Hca]) -> int:
    for hca in hcas.values():
        state = hca.state
        call.out(
            f"Infiniband device '{hca.name}' port {hca.number} status:\n"
            f"\tdefault gid:\t {hca.gid}\n"
            f"\tbase lid:\t {state.lid:#x}\n"
            f"\tsm lid:\t\t {state.sm_lid:#x}\n"
            f"\tstate:\t\t {state.state}: {STATES[state.state]}\n"
            f"\tphys state:\t {physical(hca)}\n"
            f"\trate:\t\t {state.rate}\n"
            "\tlink_layer:\t InfiniBand\n\n"
        )
    return 0


def link_row(hca: Hca) -> dict[str, object]:
    """What ``rdma -j link show`` says of a port on InfiniBand.

    Source: iproute2/iproute2 rdma/link.c.
    """
    state = hca.state
    prefix = f"{state.prefix:016x}"
    return {
        "ifindex": hca.index,
        "ifname": hca.name,
        "port": hca.number,
        "subnet_prefix": ":".join(prefix[place : place + 4] for place in range(0, 16, 4)),
        "lid": state.lid,
        "sm_lid": state.sm_lid,
        "lmc": state.lmc,
        "state": STATES[state.state],
        "physical_state": "LINK_UP" if state.state > 1 else "POLLING",
    }


def info(hca: Hca) -> str:
    """What ``ibv_devinfo`` says of a port on InfiniBand."""
    state = hca.state
    code = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}[state.mtu]
    guid = ":".join(f"{hca.node_guid:016x}"[place : place + 4] for place in range(0, 16, 4))
    return (
        f"hca_id:\t{hca.name}\n"
        "\ttransport:\t\t\tInfiniBand (0)\n"
        "\tfw_ver:\t\t\t\t28.43.3608\n"
        f"\tnode_guid:\t\t\t{guid}\n"
        f"\tsys_image_guid:\t\t\t{guid}\n"
        "\tvendor_id:\t\t\t0x02c9\n"
        "\tvendor_part_id:\t\t\t4129\n"
        "\thw_ver:\t\t\t\t0x0\n"
        "\tboard_id:\t\t\tMT_0000000838\n"
        "\tphys_port_cnt:\t\t\t1\n"
        f"\t\tport:\t{hca.number}\n"
        f"\t\t\tstate:\t\t\tPORT_{STATES[state.state]} ({state.state})\n"
        "\t\t\tmax_mtu:\t\t4096 (5)\n"
        f"\t\t\tactive_mtu:\t\t{state.mtu} ({code})\n"
        f"\t\t\tsm_lid:\t\t\t{state.sm_lid}\n"
        f"\t\t\tport_lid:\t\t{state.lid}\n"
        f"\t\t\tport_lmc:\t\t{state.lmc:#04x}\n"
        "\t\t\tlink_layer:\t\tInfiniBand\n\n"
    )
