"""What each output of a subnet says, in the model's words."""

from __future__ import annotations

import random

import pytest

from netcheck.model.device import Device
from netcheck.model.document import Document, Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.infiniband import (
    IbDuplicate,
    IbEnd,
    IbGroup,
    IbManager,
    IbPath,
    IbSubnet,
    NodeKind,
    PortState,
    SmState,
)
from netcheck.model.known import ABSENT, UNKNOWN, is_known
from netcheck.platforms.infiniband.parse import parse
from netcheck.platforms.infiniband.parsed.managers import MAX_EVENTS
from netcheck.platforms.infiniband.recognise import recognise
from tests.platforms.infiniband import infiniband_texts as texts

LEAF1, LEAF2, SPINE1 = (f"0x{number:016x}" for number in (0x10, 0x20, 0x30))
GPU1, GPU2, GPU3 = (f"0x{number:016x}" for number in (0xA0, 0xB0, 0xC0))


def read(*given: str | tuple[str, str]) -> Device:
    """What outputs say together; a pair is a command and what it printed."""
    documents = [
        Document(f"{number}.txt", one) if isinstance(one, str) else Document("x", one[1], one[0])
        for number, one in enumerate(given)
    ]
    return parse(documents, name="sub")


def seen(*given: str | tuple[str, str]) -> IbSubnet:
    device = read(*given)
    assert device.defects == ()
    assert is_known(device.seen_subnet)
    return device.seen_subnet


@pytest.mark.parametrize(("form", "text"), texts.ALL.items())
def test_every_output_is_told_by_what_it_holds(form: str, text: str) -> None:
    found = recognise(Document("some.txt", text))
    assert found is not None
    assert (found.platform, found.form) == ("infiniband", form.strip())


def test_two_queries_of_one_kind_are_of_one_subnet() -> None:
    one = recognise(Document("a", texts.KEYS, "smpquery pkeys 1 1"))
    two = recognise(Document("b", texts.KEYS, "smpquery pkeys 2 1"))
    assert one is not None
    assert two is not None
    assert not one.objects & two.objects


def test_a_topology_tells_nodes_cables_and_addresses() -> None:
    subnet = seen(texts.TOPOLOGY)
    leaf, gpu3 = subnet.nodes[LEAF1], subnet.nodes[GPU3]
    assert subnet.is_whole
    assert (leaf.device, leaf.kind, leaf.lid, leaf.port_count) == ("leaf1", NodeKind.SWITCH, 4, 8)
    assert leaf.ports[5].peer == IbEnd(SPINE1, 1)
    assert (gpu3.device, gpu3.adapter, gpu3.device_id) == ("gpu3", "mlx5_0", 0x101B)
    port = gpu3.ports[2]
    assert (port.guid, port.lid, port.lmc, port.width, port.speed) == (0xC2, 8, 1, 1, "HDR")
    line = next(
        n for n, one in enumerate(texts.TOPOLOGY.splitlines(), 1) if one.startswith("[2](c2)")
    )
    assert port.evidence == Evidence("0.txt", line)
    assert port.rate_bps == 50_000_000_000


def test_a_node_guid_that_stands_twice_is_told() -> None:
    text = texts.TOPOLOGY.replace("caguid=0xb0", "caguid=0xa0")
    subnet = seen(text)
    [found] = subnet.duplicates
    assert found == IbDuplicate(0xA0, False, ("gpu1 mlx5_0", "gpu2 mlx5_0"), found.evidence)  # noqa: FBT003 -- a record


def test_a_port_guid_that_the_tool_complains_of_is_told() -> None:
    line = "Duplicate Port: Port with guid 0x00000000000000a1 already exists in ports DB\n"
    subnet = seen(line + texts.TOPOLOGY)
    assert [(one.guid, one.is_port) for one in subnet.duplicates] == [(0xA1, True)]


def test_a_topology_that_is_cut_says_so() -> None:
    cut = texts.TOPOLOGY[: texts.TOPOLOGY.rindex("vendid")]
    [defect] = read(cut).defects
    assert "the text is cut" in defect.message
    assert defect.found == f"1 nodes without one, first {GPU3}"


def test_ports_by_port_guid_and_nodes_by_node_guid_are_the_same_nodes() -> None:
    subnet = seen(texts.PORTS, texts.TOPOLOGY, texts.NODES)
    assert set(subnet.nodes) == {LEAF1, LEAF2, SPINE1, GPU1, GPU2, GPU3}


def test_a_list_of_ports_alone_names_adapters_by_their_port() -> None:
    subnet = seen(texts.PORTS)
    adapter = subnet.nodes["0x00000000000000a1"]
    assert (adapter.device, adapter.guid, adapter.ports[1].guid) == ("gpu1", UNKNOWN, 0xA1)
    assert subnet.nodes[LEAF1].ports[1].peer == IbEnd("0x00000000000000a1", 1)
    assert subnet.nodes[LEAF1].ports[2].peer is ABSENT


def test_links_tell_state_and_what_they_could_be() -> None:
    leaf = seen(texts.LINKS).nodes[LEAF1]
    assert (leaf.ports[5].speed, leaf.ports[5].could_be) == ("EDR", "HDR")
    assert leaf.ports[5].peer == IbEnd(SPINE1, 1)
    assert (leaf.ports[7].state, leaf.ports[7].peer) == (PortState.DOWN, ABSENT)
    assert leaf.ports[1].could_be is ABSENT


def test_links_in_lines_tell_the_same_without_headers() -> None:
    subnet = seen(texts.LINKS_IN_LINES)
    leaf = subnet.nodes[LEAF1]
    assert (leaf.kind, leaf.device, leaf.ports[1].width, leaf.ports[1].speed) == (
        NodeKind.SWITCH,
        "leaf1",
        2,
        "NDR",
    )
    assert (leaf.ports[2].speed, leaf.ports[2].state) == ("FDR10", PortState.INIT)
    assert leaf.ports[1].could_be == "4X"


def test_routes_are_ports_by_lid() -> None:
    routes = seen(texts.ROUTES).nodes[LEAF1].routes
    assert is_known(routes)
    assert list(routes) == [255, 1, 2, 255, 0, 255, 5, 255, 5]


def test_routes_tell_whose_a_lid_is() -> None:
    subnet = seen(texts.ROUTES)
    adapter = next(node for node in subnet.nodes.values() if node.device == "gpu3")
    assert [port.lid for port in adapter.ports.values()] == [8]


def test_a_route_table_that_is_cut_is_not_taken_for_whole() -> None:
    device = read(texts.ROUTES[: texts.ROUTES.index("0x0006")])
    assert [defect.found for defect in device.defects] == ["less: the table is cut"]
    assert is_known(device.seen_subnet)
    assert device.seen_subnet.nodes[LEAF1].routes is UNKNOWN


def test_a_dump_of_opensm_leaves_out_what_has_no_route() -> None:
    routes = seen(texts.FDBS).nodes[LEAF1].routes
    assert is_known(routes)
    assert list(routes) == [255, 1, 255, 255, 0]


def test_multicast_ports_are_told_by_their_column() -> None:
    assert seen(texts.MULTICAST).nodes[LEAF1].multicast == {0xC000: (0, 2, 5, 10)}


def test_counters_of_a_port_count_and_the_sum_only_where_there_is_no_port() -> None:
    device = read(texts.TOPOLOGY, texts.ERRORS)
    assert is_known(device.counters)
    found = {(key.port, key.name): one.value for key, one in device.counters.items()}
    assert found == {
        ("leaf1 5", "SymbolErrorCounter"): 3,
        ("leaf1 5", "PortXmitDiscards"): 70_000,
        ("leaf1 5", "PortXmitWait"): 7,
        ("leaf2 ", "LinkDownedCounter"): 2,
        ("gpu3 mlx5_0/2", "VL15Dropped"): 1,
    }


def test_counters_that_a_list_was_told_to_hide_are_known() -> None:
    subnet = seen(texts.ERRORS)
    assert subnet.hidden_errors == {"SymbolErrorCounter", "PortRcvSwitchRelayErrors"}


def test_a_list_of_errors_without_its_end_is_cut() -> None:
    device = read(texts.ERRORS[: texts.ERRORS.index("## Summary")])
    assert [one.message for one in device.defects] == ["a summary at the end: the text is cut"]


def test_a_counter_at_its_largest_value_is_known_to_have_stopped() -> None:
    device = read(texts.TOPOLOGY, texts.COUNTERS)
    assert is_known(device.counters)
    [found] = [one for key, one in device.counters.items() if key.name == "PortXmitDiscards"]
    assert (found.value, found.width_bits, found.limit.value) == (65_535, 16, "saturates")


def test_a_port_tells_its_extended_speed_before_the_old_one() -> None:
    subnet = seen(texts.TOPOLOGY, texts.PORT_INFO)
    port = subnet.nodes[GPU1].ports[1]
    assert (port.mtu, port.vl_cap, port.oper_vls, port.hoq_life) == (4096, 4, 2, 18)
    assert (port.subnet_prefix, port.sm_lid) == (0xFE80000000000001, 2)
    assert port.speeds == frozenset({"SDR", "DDR", "QDR", "FDR", "EDR", "HDR"})
    assert port.speeds_enabled == frozenset({"SDR", "DDR", "QDR", "FDR", "EDR"})
    assert (port.widths, port.widths_enabled) == (frozenset({1, 2, 4}), frozenset({1, 4}))


def test_lanes_are_told_by_the_port_a_packet_comes_in_at() -> None:
    table = seen(texts.TOPOLOGY, texts.LANES).nodes[LEAF1].ports[5].sl_to_vl
    assert is_known(table)
    assert (table[0][:4], table[1][:4]) == ((0, 1, 2, 3), (1, 1, 2, 3))


def test_weights_of_lanes_keep_their_order() -> None:
    port = seen(texts.TOPOLOGY, texts.WEIGHTS).nodes[LEAF1].ports[5]
    assert port.vlarb_low == ((0, 0x40), (3, 0x20), (0, 0), (0, 0))
    assert port.vlarb_high == ((1, 0x40), (2, 0x20), (0, 0), (0, 0))


@pytest.mark.parametrize(
    ("command", "key", "port"),
    [
        ("smpquery pkeys 2 1", GPU2, 1),
        ("smpquery -G pkeys 0xb1 1", GPU2, 1),
        ("smpquery pkeys 2", GPU2, 1),
        ("smpquery pkeys 4 5", LEAF1, 5),
        ("smpquery pkeys 4 0", LEAF1, 0),
        ("smpquery pkeys 9 1", GPU3, 1),
    ],
)
def test_partition_keys_belong_to_what_the_command_asked_for(
    command: str, key: str, port: int
) -> None:
    subnet = seen(texts.TOPOLOGY, (command, texts.KEYS))
    assert subnet.nodes[key].ports[port].pkeys == (0xFFFF, 0x8A01, 0x0B02)


def test_partition_keys_that_are_cut_are_not_known() -> None:
    device = read(texts.TOPOLOGY, ("smpquery pkeys 2 1", texts.KEYS.splitlines()[0]))
    assert [one.message for one in device.defects] == ["the capacity after the keys"]


def test_managers_of_a_list_are_all_there_are() -> None:
    subnet = seen(texts.MANAGERS)
    assert subnet.lists_managers
    assert is_known(subnet.managers)
    assert [(one.lid, one.priority, one.state) for one in subnet.managers] == [
        (1, 15, SmState.MASTER),
        (2, 14, SmState.STANDBY),
    ]


def test_the_master_alone_is_no_list() -> None:
    line = "sminfo: sm lid 1 sm guid 0xa1, activity count 3 priority 15 state 3 SMINFO_MASTER\n"
    subnet = seen(line)
    assert not subnet.lists_managers
    assert subnet.managers == (IbManager(0xA1, 1, 15, SmState.MASTER, 3, Evidence("0.txt", 1)),)


def test_a_path_tells_key_level_mtu_and_rate() -> None:
    assert seen(texts.PATHS).paths == (
        IbPath(1, 8, 0x8A01, 1, 4096, 200_000_000_000, Evidence("0.txt", 1), packet_life=18),
    )


def test_a_group_tells_mtu_and_rate_in_bytes_and_bits() -> None:
    mgid = "ff12:401b:ffff::ffff:ffff"
    group = IbGroup(mgid, 0xC000, 0xFFFF, 2048, 100_000_000_000, 2, UNKNOWN, Evidence("0.txt", 1))
    assert seen(texts.GROUPS).groups == (group,)


def test_a_log_tells_the_engine_in_effect_and_its_errors() -> None:
    subnet = seen(texts.LOG)
    assert (subnet.engine, subnet.is_up) == ("minhop", True)
    assert [one.message for one in subnet.events if one.is_error] == [
        "ucast_mgr_route: updn: cannot build lid matrices"
    ]


def test_a_manager_that_starts_again_is_not_up_yet() -> None:
    again = texts.LOG.splitlines()[0] + "\n"
    assert seen(texts.LOG + again).is_up is False


LOGGED = "Dec 01 05:29:27 618136 [24A636C0] {} -> {}\n"
POLICY = LOGGED.format("0x01", "yyerror: ERR AC05: Syntax error (line 17:2): syntax error")


def test_noise_in_a_log_does_not_hide_what_comes_after_it() -> None:
    noise = LOGGED.format("0x01", "log_trap_info: Received Generic Notice type:1 num:128")
    events = seen(noise * (MAX_EVENTS + 1) + POLICY).events
    assert (len(events), events[-1].message[:16]) == (MAX_EVENTS + 1, "yyerror: ERR AC0")


def test_what_a_log_tells_of_before_the_last_start_is_past() -> None:
    started = LOGGED.format("0x03", "OpenSM 3.3.23")
    again = LOGGED.format("0x80", "Entering DISCOVERING state")
    assert len(seen(started + again + POLICY).events) == 2
    events = seen(started + again + POLICY + started + again).events
    assert [one.message for one in events] == ["Entering DISCOVERING state"]


def test_a_list_of_the_subnet_counts_ports_in_hexadecimal() -> None:
    adapter = seen(texts.SUBNET_LIST).nodes[GPU1]
    assert adapter.ports[1].peer == IbEnd(LEAF1, 10)
    assert (adapter.ports[1].lid, adapter.ports[1].speed) == (1, "HDR")


def test_the_map_of_a_scheduler_is_read_with_its_ranges() -> None:
    switches = seen(texts.SCHEDULER).scheduler
    assert is_known(switches)
    assert [(one.name, one.hosts or one.below) for one in switches] == [
        ("leaf1", ("gpu1", "gpu2")),
        ("leaf2", ("gpu3",)),
        ("top", ("leaf1", "leaf2")),
    ]


@pytest.mark.parametrize("names", ["gpu[1-]", "gpu[a-b]", "gpu[1-99999999999]"])
def test_a_list_of_hosts_that_nobody_means_is_damaged(names: str) -> None:
    device = read(f"SwitchName=leaf1 Nodes={names}\n")
    assert [one.message for one in device.defects] == ["a list of hosts such as gpu[01-16]"]


def test_nodes_of_one_description_are_told_apart() -> None:
    text = texts.TOPOLOGY.replace('"gpu2 mlx5_0"', '"gpu1 mlx5_0"')
    names = {node.device for node in seen(text).nodes.values() if node.is_host}
    assert names == {f"gpu1 ({GPU1})", f"gpu1 ({GPU2})", "gpu3"}


def test_a_capture_that_names_its_command_is_read_without_that_line() -> None:
    text = "# $ LD_PRELOAD=lib.so timeout 20 smpquery pkeys 2 1\n" + texts.KEYS
    subnet = seen(texts.TOPOLOGY, text)
    assert subnet.nodes[GPU2].ports[1].pkeys == (0xFFFF, 0x8A01, 0x0B02)


@pytest.mark.parametrize("text", texts.ALL.values(), ids=texts.ALL)
def test_no_cut_or_changed_text_raises(text: str) -> None:
    rng = random.Random(7)  # noqa: S311 -- a fixed seed
    for _ in range(40):
        cut = text[: rng.randrange(len(text))]
        at = rng.randrange(len(text))
        changed = text[:at] + rng.choice("0xz[(\t \n\"'\udcff9") + text[at + 1 :]
        for one in (cut, changed):
            device = read(texts.TOPOLOGY, one)
            assert isinstance(device.seen_subnet, IbSubnet)


def test_a_number_of_thousands_of_digits_is_damaged() -> None:
    device = read(texts.TOPOLOGY.replace("lid 4 lmc 0", f"lid {'9' * 5000} lmc 0"))
    assert [one.message for one in device.defects] == ["an output of ibnetdiscover"]


def test_a_port_that_no_switch_has_is_left_out() -> None:
    subnet = read(texts.TOPOLOGY, texts.COUNTERS.replace("port 5", "port 255"))
    assert is_known(subnet.counters)
    assert {key.port for key in subnet.counters} == {"leaf1 "}


def test_after_a_hundred_damaged_lines_the_rest_is_left_out() -> None:
    damaged = "\n".join(["vendid=0x2c9", *("rubbish" for _ in range(500))])
    device = read(texts.TOPOLOGY + damaged)
    assert len(device.defects) == 101
    assert device.defects[-1].message == "more lines are damaged; the rest is left out"


def test_lanes_of_one_port_come_from_several_answers() -> None:
    record = (
        "SL2VLTableRecord dump:\n\t\tLID........................4\n"
        "\t\tInPort.....................{entry}\n\t\tOutPort....................5\n"
        "\t\tSL: 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|\n"
        "\t\tVL: {lane}| 1| 2| 3| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0|15|\n"
    )
    subnet = seen(
        texts.TOPOLOGY,
        ("saquery SL2VL 4/1/5", record.format(entry=1, lane=0)),
        ("saquery SL2VL 4/2/5", record.format(entry=2, lane=3)),
    )
    table = subnet.nodes[LEAF1].ports[5].sl_to_vl
    assert isinstance(table, FrozenMap)
    assert {entry: lanes[0] for entry, lanes in table.items()} == {1: 0, 2: 3}
