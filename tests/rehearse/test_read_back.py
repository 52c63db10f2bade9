"""Thirty subnets and more on a real OpenSM: what is read back is what was intended, knob by knob.

Then the same with files that say something else: each knob is missed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache

import pytest

from netcheck.lab.opensm.manager import Manager
from netcheck.lab.opensm.subnet import SimulatedSubnet
from netcheck.lab.staging import Staged, stage
from netcheck.model.finding import Finding, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.subnets import (
    IbExpectations,
    IbMatch,
    IbQosLevel,
    Partition,
    Subnet,
)
from netcheck.rehearse.rehearse import Rehearsal, RehearsalOptions, rehearse
from netcheck.rehearse.simulated import (
    EXPECTED,
    LEVEL,
    OPTIONS,
    PARTITION,
    SUBNET,
    Knob,
    compared,
    knobs,
    not_simulated,
)
from tests.lab.opensm.ib_labs import needs_opensm
from tests.platforms.opensm.opensm_subnets import (
    BASE,
    DEFAULT,
    SL2VL,
    VARIED,
    fabric_of,
    levels,
    part,
    parts,
)

FEW = RehearsalOptions(hosts=16, paths=40, failures=False)
# 0x04 shows what OpenSM warns of when it is asked to talk; by itself it does not.
TALKATIVE = {"log_flags": "0x07"}
STDOUT = re.compile(r"Unrecognized|-E-|Invalid|Warning|Error")
LOG = re.compile(r"PARSE WARN|PARSE ERROR|ERR [0-9A-F]{4}|0x01 -> |in error|not found")
# A policy where OpenSM looks by itself is not part of any test, and not there on most machines;
# a trap tells that a standby has come.
OWN = re.compile(r"QoS policy file not found|log_trap_info: Received Generic Notice type:4 num:144")
# True of these intents: one manager alone; a member of both kinds has its keys at other places.
TRUE_OF_THEM = {"ib-sm-alone", "ib-pkey-index-shift"}


def words(manager: Manager) -> list[str]:
    """What OpenSM had to say against its files, before anybody asked it for anything."""
    lines = [line for line in manager.kept.output().splitlines() if STDOUT.search(line)]
    log = [line for line in manager.log().splitlines() if LOG.search(line)]
    return [*lines, *(line for line in log if not OWN.search(line))]


def talkative(staged: Staged) -> Staged:
    plans = [replace(one, extra={**one.extra, **TALKATIVE}) for one in staged.plans]
    return replace(staged, plans=tuple(plans))


def not_held(done: Rehearsal) -> list[Finding]:
    told = {Verdict.FAIL, Verdict.UNVERIFIED}
    return [one for one in done.findings if one.verdict in told]


@needs_opensm
@pytest.mark.slow
@pytest.mark.parametrize("kind", VARIED)
def test_it_loads_without_a_word_and_is_read_back_as_intended(kind: str) -> None:
    said: list[str] = []

    def listen(subnet: SimulatedSubnet) -> None:
        said.extend(line for one in subnet.managers.values() for line in words(one))

    staged = talkative(stage(fabric_of(VARIED[kind]), "s"))
    done = rehearse(staged, replace(FEW, tamper=listen))
    assert said == []
    assert [one for one in not_held(done) if one.rule not in TRUE_OF_THEM] == []
    assert [one for one in done.notes if "calls failed" in one] == []


PREFIX, OTHER_PREFIX = 0xFE80000000000001, 0xFE80000000000002
LEAF_LIFE, LIFE = "leaf_head_of_queue_lifetime", "head_of_queue_lifetime"
TABLES = replace(
    BASE,
    subnet_managers=("gpu01", "gpu02"),
    priorities=FrozenMap({"gpu01": 9, "gpu02": 3}),
    subnet_prefix=PREFIX,
    lmc=1,
    routing=("updn",),
    roots=("spine",),
    data_vls=8,
    sl_to_vl=SL2VL,
    vl_high=FrozenMap({1: 64}),
    vl_low=FrozenMap({0: 64, 2: 32, 3: 32}),
    options=FrozenMap({LIFE: "0x11", LEAF_LIFE: "0x0f"}),
)
OTHER_TABLES = replace(
    TABLES,
    priorities=FrozenMap({"gpu01": 3, "gpu02": 9}),
    subnet_prefix=OTHER_PREFIX,
    lmc=0,
    routing=("minhop",),
    data_vls=4,
    sl_to_vl=(0, 2, 1, *SL2VL[3:]),
    vl_high=FrozenMap({1: 32}),
    vl_low=FrozenMap({0: 64, 2: 32, 3: 16}),
    options=FrozenMap({LIFE: "0x12", LEAF_LIFE: "0x10"}),
)


def group(name: str, pkey: int, **facts: object) -> Partition:
    """A partition of all hosts with an IPoIB group."""
    one = part(name, pkey, host="full")
    return replace(one, is_ipoib=True, **facts)  # type: ignore[arg-type]  # as each row says


WIDE = parts(
    replace(DEFAULT, is_first=True),
    part("apart", 0x0A01, gpu01="full", gpu02="full"),
    part("cut", 0x0A02, gpu03="full", gpu04="full"),
    group("unmade", 0x0B00),
    group("mtu", 0x0B01, mtu=2048),
    group("rate", 0x0B02, rate="10G"),
    group("sl", 0x0B03, sl=1),
    group("qkey", 0x0B04, q_key=0xB1B),
    group("tclass", 0x0B05, traffic_class=8),
    group("flow", 0x0B06, flow_label=5),
    group("scope", 0x0B07, scope=5),
)
OTHER_WIDE = parts(
    DEFAULT,
    part("apart", 0x0A01, gpu01="full", gpu02="full"),
    part("cut", 0x0A02, gpu03="full"),
    part("unmade", 0x0B00, host="full"),
    group("mtu", 0x0B01, mtu=1024),
    group("rate", 0x0B02, rate="5G"),
    group("sl", 0x0B03, sl=2),
    group("qkey", 0x0B04, q_key=0xB1C),
    group("tclass", 0x0B05, traffic_class=9),
    group("flow", 0x0B06, flow_label=6),
    group("scope", 0x0B07, scope=2),
    replace(part("first", 0x0C01, host="full"), is_first=True),
)
APART = parts(
    DEFAULT,
    part("a", 0x0A01, gpu01="full", gpu02="full"),
    part("b", 0x0A02, gpu03="full", gpu04="full"),
    part("c", 0x0A03, gpu05="full", gpu06="full", gpu07="full", gpu08="full"),
)
SERVICES = replace(
    BASE,
    partitions=APART,
    qos_levels=levels(
        IbQosLevel("default", 0, vl=0, weight=64),
        IbQosLevel("lane", 1, vl=1, weight=32, matches=(IbMatch(partition="a"),)),
        IbQosLevel("high", 2, vl=2, weight=64, is_high=True),
        IbQosLevel("mtu", 3, mtu_limit=1024, matches=(IbMatch(source=("gpu05",)),)),
        IbQosLevel("rate", 4, rate_limit="5G", matches=(IbMatch(source=("gpu06",)),)),
        IbQosLevel("life", 5, packet_life=16, matches=(IbMatch(destination=("gpu08",)),)),
        IbQosLevel("class", 6, matches=(IbMatch(qos_classes=("7-9",)),)),
        IbQosLevel("service", 7, matches=(IbMatch(service_ids=("0x10-0x1f",)),)),
        IbQosLevel("sdp", 8, matches=(IbMatch(ulp="sdp", port_numbers=("10000-20000",)),)),
        IbQosLevel("rds", 9, matches=(IbMatch(ulp="rds"),)),
        IbQosLevel("iser", 10, matches=(IbMatch(ulp="iser", port_numbers=("900",)),)),
        IbQosLevel("any", 11, matches=(IbMatch(ulp="any", destination=("gpu07",)),)),
        IbQosLevel("srp", 12, matches=(IbMatch(ulp="srp", destination=("gpu04",)),)),
        IbQosLevel("ipoib", 13, matches=(IbMatch(ulp="ipoib", partition="b"),)),
    ),
)
OTHER_SERVICES = replace(
    SERVICES,
    # every port a full member: paths across partitions
    partitions=APART.with_items({"Default": part("Default", 0x7FFF, all="full", sm="full")}),
    qos_levels=levels(
        IbQosLevel("default", 0, vl=0, weight=64),
        IbQosLevel("lane", 1, vl=2, weight=16),
        IbQosLevel("high", 2, vl=1, weight=16),
    ),
)
RUNS: Mapping[str, tuple[Subnet, Subnet]] = {
    "tables": (TABLES, OTHER_TABLES),
    "partitions": (replace(BASE, partitions=WIDE), replace(BASE, partitions=OTHER_WIDE)),
    "services": (SERVICES, OTHER_SERVICES),
}


@dataclass(frozen=True)
class Row:
    """One knob that the files say otherwise, and what has to be found."""

    knob: str
    run: str
    rule: str
    expected: str
    found: str


ROWS = [
    Row("subnet_prefix", "tables", "subnet-prefix-differs", f"{PREFIX:#x}", f"{OTHER_PREFIX:#x}"),
    Row("lmc", "tables", "lmc-differs", "1", "0"),
    Row("routing", "tables", "routing-engine-differs", "updn", "minhop"),
    Row("priorities", "tables", "manager-not-preferred", "9", "3"),
    Row("subnet_managers", "tables", "manager-not-preferred", "gpu01", "gpu02"),
    Row("data_vls", "tables", "data-vls-differ", "8", "4"),
    Row("sl_to_vl", "tables", "sl-on-other-vl", "SL 1 on VL 1", "SL 1 on VL 2"),
    Row("vl_high", "tables", "vl-weights-differ", "VL 1: 64", "VL 1: 32"),
    Row("vl_low", "tables", "vl-weights-differ", "VL 3: 32", "VL 3: 16"),
    Row(LIFE, "tables", "packet-lifetime-differs", "0x11", "0x12"),
    Row(LEAF_LIFE, "tables", "packet-lifetime-differs", "0x0f", "0x10"),
    Row("members", "partitions", "partition-keys-differ", "0x7fff 0x8a02 0x8b00", "0x7fff 0x8b00"),
    Row("members", "partitions", "switch-keys-differ", "0x7fff 0x8a02 0x8b00", "0x7fff 0x8b00"),
    Row("members", "partitions", "path-missing", "a path with P_Key 0x0a02", "none"),
    Row("members", "services", "path-across-partitions", "no path", "a path with P_Key 0x"),
    Row("is_first", "partitions", "partition-key-not-first", "0x7fff (Default)", "0x8c01"),
    Row("is_ipoib", "partitions", "group-differs", "ff12:401b:8b00::ffff:ffff", "no group"),
    Row("mtu", "partitions", "group-differs", "2048", "1024"),
    Row("rate", "partitions", "group-differs", "10G", "5G"),
    Row("sl", "partitions", "group-differs", "1", "2"),
    Row("q_key", "partitions", "group-differs", str(0xB1B), str(0xB1C)),
    Row("traffic_class", "partitions", "group-differs", "8", "9"),
    Row("flow_label", "partitions", "group-differs", "5", "6"),
    Row("scope", "partitions", "group-differs", "ff15:401b:8b07::ffff:ffff", "no group"),
    Row("vl", "services", "sl-on-other-vl", "SL 1 on VL 1", "SL 1 on VL 2"),
    Row("weight", "services", "vl-weights-differ", "VL 1: 32", "VL 1: 16"),
    Row("is_high", "services", "vl-weights-differ", "VL 2: 64", "VL 2: 0"),
    Row("mtu_limit", "services", "path-above-limit", "at most 1024 bytes", "2048 bytes"),
    Row("rate_limit", "services", "path-above-limit", "at most 5 Gb/s", "200 Gb/s"),
    Row("packet_life", "services", "path-above-limit", "at most 16", "18"),
    *(
        Row("matches", "services", "path-on-other-sl", f"SL {one.sl}", "SL 0")
        for one in SERVICES.qos_levels.values()
        if one.matches
    ),
]


@cache
def missed(run: str) -> list[Finding]:
    """What is found where the files say something else than the intent."""
    intended, written = (stage(fabric_of(one), "s") for one in RUNS[run])
    return not_held(rehearse(replace(intended, plans=written.plans), replace(FEW, paths=120)))


@needs_opensm
@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.knob} {row.rule} {row.expected}")
def test_a_knob_that_the_files_say_otherwise_is_found(row: Row) -> None:
    told = [(one.expected, one.found) for one in missed(row.run) if one.rule == row.rule]
    assert any(row.expected in expected and row.found in found for expected, found in told), told


OF_KNOBS: Mapping[type, Mapping[str, Knob]] = {
    Subnet: SUBNET,
    Partition: PARTITION,
    IbQosLevel: LEVEL,
    IbExpectations: EXPECTED,
}
# what they are called, where they stand, and what says nothing of the subnet itself
NAMES = {"name", "pkey", "evidence", "port_guids", "node_guids", "opensm_build", "opensm_version"}
INSIDE = {"partitions", "qos_levels", "options", "expect"}
# test_rehearse.py, test_a_narrow_or_slow_link_is_named and test_a_link_that_is_down_is_named
ELSEWHERE = {"width", "speed", "are_cables_stated"}


@pytest.mark.parametrize("record", OF_KNOBS, ids=lambda record: record.__name__)
def test_every_fact_of_an_intent_is_read_back_or_said_not_to_be(record: type) -> None:
    assert {one.name for one in fields(record)} - NAMES - INSIDE == {*OF_KNOBS[record]}
    assert all(bool(one.rules) is (one.why is None) for one in OF_KNOBS[record].values())


def test_every_knob_that_is_read_back_was_once_written_otherwise() -> None:
    tables = [*OF_KNOBS.values(), OPTIONS]
    read = {name for table in tables for name, knob in table.items() if knob.rules}
    assert read - ELSEWHERE == {row.knob for row in ROWS}


def test_what_is_not_read_back_is_told_with_its_reason() -> None:
    told = not_simulated(VARIED["management_keys"])
    assert told[0] == (
        "not simulated, though the intent says it: M_Key, M_Key lease, M_Key protection"
    )
    assert not_simulated(VARIED["further_options"])[:2] == [
        "not simulated, though the intent says it: P_Key enforcement bits",
        "set otherwise for the rehearsal: max_wire_smps, sweep_interval",
    ]
    assert not_simulated(VARIED["ftree_with_nodes"])[0] == (
        "rendered, and shown by no tool: roots of the routing engine,"
        " I/O nodes of the routing engine, compute nodes of the routing engine"
    )


def test_what_is_read_back_is_told() -> None:
    assert compared(BASE) == "compared with the intent: managers"
    assert compared(VARIED["prefix_and_lmc"]) == (
        "compared with the intent: subnet prefix, LMC, managers"
    )
    assert {knob.words for knob in knobs(VARIED["everything"]) if knob.rules} >= {
        "routing engine",
        "partitions",
        "services of paths",
        "VL arbitration",
    }
