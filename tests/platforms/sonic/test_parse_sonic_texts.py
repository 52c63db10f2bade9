"""Texts for people: show outputs, redis sessions, command lines and logs."""

from __future__ import annotations

import json

import pytest

from netcheck.model.counters import CounterKey, Meaning
from netcheck.model.device import AdminState, DefectKind, Device, Neighbour
from netcheck.model.document import Document
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing
from netcheck.model.qos import Buffer, CongestionAction, Dynamic, Ecn, Watchdog, WatchdogAction
from netcheck.platforms.sonic.parse import parse
from tests.platforms.sonic.sonic_texts import config, part, read_tables, read_text, text_of

PFC_HISTORY = """\
     Port    Priority    RX Pause Transitions    Total RX Pause Time US
---------  ----------  ----------------------  ------------------------
Ethernet0        PFC0                       0                         0
Ethernet0        PFC3                      12                12,000,000

Ethernet8        PFC3                       1                     5,000
"""
QUEUES = """\
For namespace :
     Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes
---------  -----  --------------  ---------------  -----------  ------------
Ethernet0    UC3       1,200,300                0            7             0
Ethernet0  ALL20             N/A              N/A          N/A           N/A

"""
MARKS = """\
     Port    TxQ    WredDrp/pkts    WredDrp/bytes    EcnMarked/pkts    EcnMarked/bytes
---------  -----  --------------  ---------------  ----------------  -----------------
Ethernet0    UC3               2                0                99                  0
"""
GROUP_DROPS = """\
Ingress PG dropped packets:
     Port    PG0    PG1    PG2    PG3
---------  -----  -----  -----  -----
Ethernet0      0      0      0     44
"""
GROUP_HEADROOM = GROUP_DROPS.replace("PG dropped packets", "headroom per PG")
POOL = """\
Headroom pool maximum occupancy:
                 Pool    Bytes
---------------------  -------
ingress_lossless_pool   432640
"""
WATCHDOG_STATS = """\
      QUEUE       STATUS    STORM DETECTED/RESTORED    TX OK/DROP    RX OK/DROP
-----------  -----------  -------------------------  ------------  ------------
Ethernet0:3      stormed                        1/0       100/300       100/301
"""
INTERFACES = """\
    IFACE    STATE    RX_OK    RX_BPS    RX_UTIL    RX_ERR    RX_DRP    RX_OVR    TX_OK    TX_BPS    TX_UTIL    TX_ERR    TX_DRP    TX_OVR
---------  -------  -------  --------  ---------  --------  --------  --------  -------  --------  ---------  --------  --------  --------
Ethernet0        U   11,052  0.65 B/s      0.00%         1     6,417         0    2,788  1.16 B/s      0.00%         0         5         0
"""  # noqa: E501 -- as wide as the device prints it
STATUS = """\
  Interface            Lanes    Speed    MTU    FEC    Alias    Vlan    Oper    Admin    Type    Asym PFC
-----------  ---------------  -------  -----  -----  -------  ------  ------  -------  ------  ----------
  Ethernet0          1,2,3,4     400G   9216     rs     etp1  routed      up       up     N/A         N/A
  Ethernet8          5,6,7,8     100G   9100    N/A     etp2  routed    down       up     N/A         N/A
"""  # noqa: E501 -- as above
LLDP = """\
Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr
-----------  --------------  --------------  ------------  -----------------
Ethernet0    gpu01           rail0           O             rail0
eth0         oob             7               BR
--------------------------------------------------
Total entries displayed:  2
"""
ECN = """\
Profile: ROCE
---------------------  -------
ecn                    ecn_all
wred_green_enable      true
green_min_threshold    150000
green_max_threshold    1500000
green_drop_probability  100
---------------------  -------
"""
BUFFERS = """\
Lossless traffic pattern:
--------------------  -
default_dynamic_th    0
over_subscribe_ratio  2
--------------------  -

Pool: ingress_lossless_pool
----  -------
mode  dynamic
type  ingress
xoff  3702784
----  -------

Profile: own
----------  ---------------------
dynamic_th  0
pool        ingress_lossless_pool
xon         18432
xoff        32768
size        51200
----------  ---------------------
"""


def counted(device: Device) -> dict[tuple[str, Meaning, int], Known[int]]:
    """Readings by port, meaning and number, those of no meaning left out."""
    assert not isinstance(device.counters, Missing)
    return {
        (key.port, key.meaning, key.number): counter.value
        for key, counter in device.counters.items()
        if key.meaning is not Meaning.OTHER
    }


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        (
            PFC_HISTORY,
            {
                ("Ethernet0", Meaning.PFC_RX_DURATION, 0): 0,
                ("Ethernet0", Meaning.PFC_RX_DURATION, 3): 12_000_000,
                ("Ethernet8", Meaning.PFC_RX_DURATION, 3): 5000,
            },
        ),
        (
            QUEUES,
            {
                ("Ethernet0", Meaning.QUEUE_PACKETS, 3): 1_200_300,
                ("Ethernet0", Meaning.QUEUE_BYTES, 3): 0,
                ("Ethernet0", Meaning.QUEUE_DROP, 3): 7,
                ("Ethernet0", Meaning.QUEUE_PACKETS, 20): UNKNOWN,
                ("Ethernet0", Meaning.QUEUE_BYTES, 20): UNKNOWN,
                ("Ethernet0", Meaning.QUEUE_DROP, 20): UNKNOWN,
            },
        ),
        (
            MARKS,
            {
                ("Ethernet0", Meaning.WRED_DROP, 3): 2,
                ("Ethernet0", Meaning.ECN_MARKED, 3): 99,
            },
        ),
        (
            GROUP_DROPS,
            {("Ethernet0", Meaning.PRIORITY_GROUP_DROP, n): [0, 0, 0, 44][n] for n in range(4)},
        ),
        (
            GROUP_HEADROOM,
            {("Ethernet0", Meaning.HEADROOM_WATERMARK, n): [0, 0, 0, 44][n] for n in range(4)},
        ),
        (POOL, {("", Meaning.HEADROOM_WATERMARK, -1): 432640}),
        (
            INTERFACES,
            {
                ("Ethernet0", Meaning.PORT_RX_PACKETS, -1): 11052,
                ("Ethernet0", Meaning.PORT_TX_PACKETS, -1): 2788,
                ("Ethernet0", Meaning.PHYSICAL_ERROR, -1): 0,
                ("Ethernet0", Meaning.PORT_INGRESS_DROP, -1): 6417,
                ("Ethernet0", Meaning.PORT_EGRESS_DROP, -1): 5,
            },
        ),
    ],
)
def test_grid_gives_counters(
    text: str, readings: dict[tuple[str, Meaning, int], Known[int]]
) -> None:
    device = read_text(text)
    assert (counted(device), device.defects, device.unread) == (readings, (), ())


def test_watchdog_counts_are_told_apart_by_name() -> None:
    found = read_text(WATCHDOG_STATS).counters
    assert not isinstance(found, Missing)
    assert {(key.meaning, key.name): counter.value for key, counter in found.items()} == {
        (Meaning.WATCHDOG_STORM, "STORM DETECTED"): 1,
        (Meaning.WATCHDOG_RESTORED, "STORM RESTORED"): 0,
        (Meaning.OTHER, "TX OK"): 100,
        (Meaning.WATCHDOG_DROP, "TX DROP"): 300,
        (Meaning.OTHER, "RX OK"): 100,
        (Meaning.WATCHDOG_DROP, "RX DROP"): 301,
    }


def test_interface_status_gives_live_ports() -> None:
    ports = read_text(STATUS, "show interfaces status").ports
    up, down = ports["Ethernet0"], ports["Ethernet8"]
    assert (up.link_state, up.operational_speed_bps) == (AdminState.UP, 400_000_000_000)
    assert (up.l2_mtu, up.fec, up.lanes, up.alias) == (9216, "rs", 4, "etp1")
    assert (down.link_state, down.operational_speed_bps) == (AdminState.DOWN, ABSENT)


def test_lldp_table_gives_neighbours() -> None:
    device = read_text(LLDP, "show lldp table")
    assert {name: port.neighbour for name, port in device.ports.items()} == {
        "Ethernet0": Neighbour("gpu01", "rail0")
    }


def test_ecn_profile_is_read_from_its_block() -> None:
    profiles = read_text(ECN).qos[""].ecn_profiles
    assert profiles == {"ROCE": Ecn(150_000, 1_500_000, 100, CongestionAction.MARK, is_active=True)}


def test_buffer_blocks_give_pools_and_profiles() -> None:
    qos = read_text(BUFFERS, "show buffer configuration").qos[""]
    assert not isinstance(qos.pools, Missing)
    assert not isinstance(qos.buffer_profiles, Missing)
    assert qos.pools["ingress_lossless_pool"].shared_headroom_bytes == 3702784
    assert qos.buffer_profiles["own"].headroom_bytes == 32768
    assert (qos.oversubscription, qos.lossless_alpha_exponent) == (2, 0)


def test_block_without_its_end_is_unknown_where_it_is_silent() -> None:
    cut = ECN[: ECN.index("green_max")]
    device = read_text(cut)
    assert device.qos[""].ecn_profiles == {
        "ROCE": Ecn(150_000, UNKNOWN, UNKNOWN, CongestionAction.MARK, is_active=True)
    }
    assert device.defects[0].kind is DefectKind.UNKNOWN_LINE


def test_pfc_priorities_and_asymmetry_are_read_by_port() -> None:
    priorities = (
        "Interface    Lossless priorities\n-----------  ---------------------\n"
        "Ethernet0    3,4\nEthernet8    N/A\n"
    )
    asymmetric = (
        "Interface    Asymmetric\n-----------  ------------\nEthernet0    on\nEthernet8    off\n"
    )
    documents = [Document("priority.txt", priorities), Document("asymmetric.txt", asymmetric)]
    ports = parse(documents, name="leaf1").ports
    assert ports["Ethernet0"].qos.pfc_tx == frozenset({3, 4})
    assert ports["Ethernet0"].qos.pfc_rx == frozenset(range(8))
    assert ports["Ethernet8"].qos.pfc_tx is UNKNOWN


def test_watchdog_settings_are_read_with_their_interval() -> None:
    text = (
        "Changed polling interval to 600ms\n"
        "     PORT    ACTION    DETECTION TIME    RESTORATION TIME    HISTORY\n"
        "---------  --------  ----------------  ------------------  ---------\n"
        "Ethernet0      drop               600                 700    disable\n"
    )
    device = read_text(text)
    watchdog = device.ports["Ethernet0"].qos.watchdog
    assert watchdog == Watchdog(600, 700, WatchdogAction.DROP, UNKNOWN)
    assert device.qos[""].watchdog_poll_ms == 600


@pytest.mark.parametrize(
    "text",
    [PFC_HISTORY, QUEUES, MARKS, POOL, WATCHDOG_STATS, INTERFACES, STATUS, LLDP, ECN, BUFFERS],
)
def test_text_cut_anywhere_never_raises_nor_counts_otherwise(text: str) -> None:
    whole = read_text(text).counters
    for end in range(len(text)):
        found = read_text(text[:end], "show something").counters
        assert isinstance(found, Missing) or (
            not isinstance(whole, Missing) and found.items() <= whole.items()
        )


def test_queue_counters_in_json_are_read() -> None:
    text = json.dumps({"Ethernet0": {"UC3": {"totalpacket": "1,200", "droppacket": "N/A"}}})
    found = read_text(text, "show queue counters --json").counters
    assert not isinstance(found, Missing)
    assert {key: counter.value for key, counter in found.items()} == {
        CounterKey("Ethernet0", Meaning.QUEUE_PACKETS, 3, "UC totalpacket"): 1200,
        CounterKey("Ethernet0", Meaning.QUEUE_DROP, 3, "UC droppacket"): UNKNOWN,
    }


@pytest.mark.parametrize(
    ("command", "meaning"),
    [
        ("show priority-group watermark headroom --json", Meaning.HEADROOM_WATERMARK),
        ("show priority-group watermark shared --json", Meaning.SHARED_WATERMARK),
    ],
)
def test_watermarks_in_json_take_their_meaning_from_the_command(
    command: str, meaning: Meaning
) -> None:
    found = read_text('[{"Port": "Ethernet0", "PG3": "103"}]', command).counters
    assert not isinstance(found, Missing)
    assert [(key.meaning, key.number) for key in found] == [(meaning, 3)]


# --- redis

KEYS = """\
127.0.0.1:6379[4]> keys *BUFFER_PRO*
1) "BUFFER_PROFILE|ingress_lossy_profile"
2) "BUFFER_PROFILE|egress_lossless_profile"
127.0.0.1:6379[4]> hgetall "BUFFER_PG|Ethernet0|0"
1) "profile"
2) "ingress_lossy_profile"
"""


def test_key_list_names_rows_of_which_nothing_else_is_known() -> None:
    device = read_text(KEYS)
    assert not isinstance(device.qos[""].buffer_profiles, Missing)
    assert set(device.qos[""].buffer_profiles) == {
        "ingress_lossy_profile",
        "egress_lossless_profile",
    }
    profile = device.qos[""].buffer_profiles["ingress_lossy_profile"]
    assert (profile.size_bytes, profile.headroom_bytes, profile.pool) == (UNKNOWN,) * 3
    assert device.defects == ()


def test_hash_of_a_session_is_read_by_the_key_that_was_asked_for() -> None:
    accounts = read_text(KEYS).ports["Ethernet0"].qos.ingress_buffer
    assert not isinstance(accounts, Missing)
    assert accounts[0].profile == "ingress_lossy_profile"


def test_key_list_with_a_missing_item_is_not_whole() -> None:
    device = read_text(KEYS.replace('1) "BUFFER_PROFILE|ingress_lossy_profile"\n', ""))
    assert device.qos[""].buffer_profiles is UNKNOWN
    assert device.defects[0].kind is DefectKind.UNKNOWN_LINE


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (
            "sonic-db-cli CONFIG_DB HGETALL 'PORT_QOS_MAP|Ethernet0'",
            "{'pfc_enable': '3,4', 'pfcwd_sw_enable': '3'}\n",
        ),
        (
            "redis-cli -n 4 HGETALL 'PORT_QOS_MAP|Ethernet0'",
            "pfc_enable\n3,4\npfcwd_sw_enable\n3\n",
        ),
        (
            "",
            "admin@leaf1:~$ sonic-db-cli CONFIG_DB HGET 'PORT_QOS_MAP|Ethernet0' pfc_enable\n3,4\n",
        ),
    ],
)
def test_answers_of_each_form_are_read(command: str, text: str) -> None:
    device = read_text(text, command)
    assert device.ports["Ethernet0"].qos.pfc_tx == frozenset({3, 4})


def test_cut_dictionary_is_unknown() -> None:
    device = read_text("{'pfc_enable': '3,", "sonic-db-cli CONFIG_DB HGETALL 'PORT_QOS_MAP|E0'")
    assert (dict(device.ports), len(device.defects)) == ({}, 1)


# --- command lines


def test_ecn_command_sets_thresholds_and_nothing_else() -> None:
    device = read_text("ecnconfig -p LOSSY -gmin 3000 -gmax 6000 -gdrop 5\n")
    assert device.qos[""].ecn_profiles == {"LOSSY": Ecn(3000, 6000, 5)}


def test_pfc_commands_add_up() -> None:
    lines = (
        "admin@leaf1:~$ sudo config interface pfc priority Ethernet0 3 on\n"
        "sudo config interface pfc priority Ethernet0 4 on\n"
        "config interface pfc priority Ethernet0 4 off\n"
        "config interface pfc asymmetric Ethernet8 off\n"
    )
    device = read_text(lines)
    assert device.ports["Ethernet0"].qos.pfc_tx == frozenset({3})
    assert (device.defects, device.unread) == ((), ())


def test_buffer_and_watchdog_commands_are_read() -> None:
    lines = (
        "config interface cable_length Ethernet0 40m\n"
        "config interface mtu Ethernet0 9216\n"
        "config buffer profile add own --xon 18432 --xoff 32768 -size 51200 -dynamic_th 0 -pool p\n"
        "config interface buffer priority-group lossless add Ethernet0 3-4 own\n"
        "config interface buffer priority-group lossless add Ethernet8 3\n"
        "config interface buffer queue add Ethernet0 3 egress_lossless_profile\n"
        "config buffer shared-headroom-pool over-subscribe-ratio 2\n"
        "config pfcwd start --action drop Ethernet0 200 --restoration-time 400\n"
        "config pfcwd interval 200\n"
    )
    device = read_text(lines)
    port = device.ports["Ethernet0"]
    accounts = port.qos.ingress_buffer
    assert not isinstance(accounts, Missing)
    assert (port.cable_m, port.l2_mtu) == (40, 9216)
    assert (accounts[4].headroom_bytes, accounts[4].threshold) == (32768, Dynamic(1.0))
    assert device.ports["Ethernet8"].qos.ingress_buffer == {
        **{group: Buffer() for group in range(8)},
        3: Buffer(pool="ingress_lossless_pool", is_lossless=True, is_computed=True),
    }
    assert port.qos.watchdog == Watchdog(200, 400, WatchdogAction.DROP, UNKNOWN)
    assert (device.qos[""].oversubscription, device.qos[""].watchdog_poll_ms) == (2, 200)
    assert (device.defects, device.unread) == ((), ())


def test_tables_go_before_command_lines() -> None:
    lines = Document("commands.txt", "ecnconfig -p ROCE -gmin 1 -gmax 2\n")
    device = read_tables(part("WRED_PROFILE"), lines)
    profiles = device.qos[""].ecn_profiles
    assert not isinstance(profiles, Missing)
    assert (profiles["ROCE"].kmin_bytes, device.defects) == (150_000, ())


def test_command_that_is_not_read_is_told_where_it_may_touch_qos() -> None:
    device = read_text("config qos reload\nconfig interface ip add Ethernet0 10.0.0.1/31\n")
    assert [defect.place for defect in device.defects] == ["config qos reload"]
    assert len(device.unread) == 1


# --- logs

LOG = """\
Mar  3 10:00:00 leaf1 ERR swss#buffermgrd: :- doSpeedUpdateTask: Unable to create/update PG profile for port Ethernet0. Cable length is not set
Mar  3 10:00:01 leaf1 ERR swss#buffermgrd: :- doSpeedUpdateTask: Unable to create/update PG profile for port Ethernet0. Cable length is not set
Mar  3 10:00:02 leaf1 ERR swss#buffermgrd: :- doSpeedUpdateTask: Unable to create/update PG profile for port Ethernet8. No PG profile configured for speed 400000 and cable length 30m
Mar  3 10:00:03 leaf1 ERR swss#buffermgrd: :- isHeadroomResourceValid: Unable to update profile for port Ethernet16. Accumulative headroom size exceeds limit
Mar  3 10:00:04 leaf1 NOTICE swss#orchagent: :- doTask: Get port Ethernet0 with buffer profile x
Mar  3 10:00:05 leaf1 ERR swss#orchagent: :- processPriorityGroup: Failed to set port:Ethernet24 pg:3 buffer profile attribute, status:-5
Mar  3 10:00:06 leaf1 ERR bgpd: port Ethernet0 buffer
"""  # noqa: E501 -- lines as the daemons write them


def test_log_lines_tell_what_the_switch_refused() -> None:
    device = read_text(LOG)
    assert {defect.kind for defect in device.defects} == {DefectKind.REJECTED_BY_DEVICE}
    assert [(defect.place, defect.ports) for defect in device.defects] == [
        ("CABLE_LENGTH", ("Ethernet0",)),
        ("pg_profile_lookup.ini", ("Ethernet8",)),
        ("BUFFER_PG", ("Ethernet16",)),
        ("log", ("Ethernet24",)),
    ]


def test_message_about_a_missing_cable_length_names_the_port() -> None:
    assert read_text(LOG).defects[0].message.startswith("CABLE_LENGTH missing for Ethernet0: ")


STORMS = """\
Mar  3 10:00:00 leaf1 NOTICE swss#orchagent: :- report: PFC Watchdog detected PFC storm on port Ethernet0, queue index 3, queue id 0x1500 and port id 0x1000
Mar  3 10:00:01 leaf1 NOTICE swss#orchagent: :- report: PFC Watchdog storm restored on port Ethernet0, queue index 3, queue id 0x1500 and port id 0x1000
Mar  3 10:00:09 leaf1 NOTICE swss#orchagent: :- report: PFC Watchdog detected PFC storm on port Ethernet0, queue index 3, queue id 0x1500 and port id 0x1000
"""  # noqa: E501 -- lines as the daemon writes them


def test_storms_of_a_log_are_counted() -> None:
    device = read_text(STORMS)
    assert (counted(device), device.defects) == (
        {
            ("Ethernet0", Meaning.WATCHDOG_STORM, 3): 2,
            ("Ethernet0", Meaning.WATCHDOG_RESTORED, 3): 1,
        },
        (),
    )


def test_refused_patch_is_told() -> None:
    text = (
        "Patch Applier: localhost: Patch application starting.\n"
        "Failed to apply patch due to: Modification of BUFFER_POOL table is illegal- validating "
        "function rdma_config_update_validator returned False\n"
    )
    defects = read_text(text).defects
    assert [(defect.kind, defect.place) for defect in defects] == [
        (DefectKind.REJECTED_BY_DEVICE, "patch")
    ]


def test_log_changes_no_fact_of_the_configuration() -> None:
    documents = [Document("config_db.json", text_of(config())), Document("syslog.txt", LOG)]
    device = parse(documents, name="leaf1")
    assert device.ports == read_tables(config()).ports


NEIGHBOURS = """\
-------------------------------------------------------------------------------
LLDP neighbors:
-------------------------------------------------------------------------------
Interface:    Ethernet0, via: LLDP, RID: 3, Time: 0 day, 12:21:40
  Chassis:
    ChassisID:    mac 02:00:00:00:00:11
    SysName:      gpu01
  Port:
    PortID:       ifname rail0
    PortDescr:    first rail
-------------------------------------------------------------------------------
Interface:    Ethernet8, via: LLDP, RID: 4, Time: 0 day, 12:21:40
  Chassis:
    SysName:      gpu02
  Port:
    PortID:       ifname rail1
-------------------------------------------------------------------------------
"""


def neighbours(text: str) -> dict[str, Known[Neighbour]]:
    """Neighbours that ``show lldp neighbors`` tells."""
    ports = read_text(text, "show lldp neighbors").ports
    return {name: port.neighbour for name, port in ports.items()}


def test_neighbours_are_read_from_their_blocks() -> None:
    assert neighbours(NEIGHBOURS) == {
        "Ethernet0": Neighbour("gpu01", "rail0"),
        "Ethernet8": Neighbour("gpu02", "rail1"),
    }


def test_no_deleted_line_gives_a_port_another_neighbour() -> None:
    lines = NEIGHBOURS.split("\n")
    whole = neighbours(NEIGHBOURS)
    for number in range(len(lines)):
        found = neighbours("\n".join(lines[:number] + lines[number + 1 :]))
        assert all(seen in {whole[port], UNKNOWN} for port, seen in found.items())
