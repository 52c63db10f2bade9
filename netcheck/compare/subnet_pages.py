"""What each finding about a live or rehearsed InfiniBand subnet means: text only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from netcheck.model.document import Evidence
from netcheck.model.finding import Finding, Place, Severity, Stage, Verdict


@dataclass(frozen=True, slots=True)
class SubnetPage:
    """Severity and the words that go with one kind of finding."""

    severity: Severity
    summary: str
    why: str
    fix: str
    source: str


_ERROR, _WARNING = Severity.ERROR, Severity.WARNING
_OPENSM = "linux-rdma/opensm"
_PARTITIONS = f"{_OPENSM} doc/partition-config.txt"
_QOS = f"{_OPENSM} doc/QoS_management_in_OpenSM.txt"

PAGES = {
    "subnet-not-up": SubnetPage(
        _ERROR,
        "The subnet manager did not bring the subnet up.",
        "Without SUBNET UP ports stay in INIT and carry no traffic.",
        "Mend what the message names, then rehearse again.",
        f"{_OPENSM} opensm/osm_state_mgr.c",
    ),
    "subnet-not-read": SubnetPage(
        _ERROR,
        "An output of the subnet that was asked for was not had.",
        "What was not read is not known; no check of it can pass.",
        "Run the call that the message names by hand.",
        "derived: see docs/design.md",
    ),
    "partition-keys-differ": SubnetPage(
        _ERROR,
        "A port's P_Key table is not what the intent's partitions say.",
        "A missing key cuts the port off from its partition; one too many opens a partition to it.",
        "Compare partitions.conf with the intent: port GUIDs, membership, the partition's key.",
        _PARTITIONS,
    ),
    "partition-key-not-first": SubnetPage(
        _ERROR,
        "Another P_Key stands at index 0 of a port's table than the intent puts there.",
        "Applications that use index 0 run in another partition, or not at all.",
        "Put indx0 on the partition's line of partitions.conf and restart with empty tables.",
        _PARTITIONS,
    ),
    "switch-keys-differ": SubnetPage(
        _ERROR,
        "A switch port enforces other partitions than the host behind it is in.",
        "Packets of a partition are dropped at the switch, or foreign ones are let through.",
        "Look at the log of the subnet manager for the switch's enforcement; sweep again.",
        f"{_OPENSM} opensm/osm_pkey_mgr.c",
    ),
    "packet-lifetime-differs": SubnetPage(
        _ERROR,
        "A switch port holds a packet at the head of its queue for another time than intended.",
        "Too long and a slow host blocks others for seconds; too short and packets are discarded.",
        "Compare head_of_queue_lifetime and leaf_head_of_queue_lifetime with the intent.",
        f"{_OPENSM} opensm/osm_link_mgr.c",
    ),
    "sl-on-other-vl": SubnetPage(
        _ERROR,
        "A service level goes to another virtual lane than intended.",
        "Services meant to be apart share a lane; one of them can hold the other up.",
        "Compare qos_sl2vl and the number of lanes in operation with the intent.",
        _QOS,
    ),
    "vl-weights-differ": SubnetPage(
        _ERROR,
        "The arbitration of virtual lanes is not what the intent says.",
        "Services get another share of the link than intended; a lane without weight starves.",
        "Compare qos_vlarb_high and qos_vlarb_low with the intent and with the port's capacity.",
        _QOS,
    ),
    "data-vls-differ": SubnetPage(
        _ERROR,
        "A port runs another number of data lanes than intended.",
        "Service levels above the lanes in operation are folded onto lower ones.",
        "Set max_op_vls as intended; both ends of a link have to have the lanes.",
        _QOS,
    ),
    "subnet-prefix-differs": SubnetPage(
        _ERROR,
        "A port has another subnet prefix than intended.",
        "Hosts with ports in several subnets take equal prefixes for one subnet.",
        "Set subnet_prefix, and restart the subnet manager.",
        "Open MPI FAQ, OpenFabrics: same subnet ID on physically separate fabrics",
    ),
    "lmc-differs": SubnetPage(
        _ERROR,
        "A port has another LMC than intended.",
        "With fewer LIDs a port fewer paths are used; with more the LIDs may run out.",
        "Set lmc, and restart the subnet manager: a reload does not take it.",
        f"{_OPENSM} opensm/osm_lid_mgr.c",
    ),
    "routing-engine-differs": SubnetPage(
        _ERROR,
        "The subnet is routed by another engine than intended.",
        "An engine that fails gives way in silence; minhop makes credit loops on many topologies.",
        "Look at the log for why the engine failed: roots, topology, lanes it needs.",
        f"{_OPENSM} opensm/osm_ucast_mgr.c",
    ),
    "manager-missing": SubnetPage(
        _ERROR,
        "An intended subnet manager is not in the subnet.",
        "Without a standby the subnet is frozen when the master is gone.",
        "Start it, and see that it is bound to its port of this subnet.",
        f"{_OPENSM} opensm/osm_sm_state_mgr.c",
    ),
    "manager-not-preferred": SubnetPage(
        _ERROR,
        "The master is not the subnet manager that the intent prefers.",
        "A change of the master re-sweeps the subnet, and another one's files are in force.",
        "Compare sm_priority of the managers; at equal priority the lower GUID wins.",
        "InfiniBand Architecture Specification 1.4, 14.4.1",
    ),
    "takeover-failed": SubnetPage(
        _ERROR,
        "The standby did not take over when the master was gone.",
        "The subnet is frozen: no change is routed around, nobody joins.",
        "Look at the standby's log; compare its keys and polling with the master's.",
        f"{_OPENSM} opensm/osm_sm_state_mgr.c",
    ),
    "path-missing": SubnetPage(
        _ERROR,
        "Two ports that share a partition get no path record.",
        "They cannot connect: the subnet administrator knows no path between them.",
        "Compare both P_Key tables: of two limited members none may talk to the other.",
        f"{_OPENSM} opensm/osm_sa_path_record.c",
    ),
    "path-across-partitions": SubnetPage(
        _ERROR,
        "Two ports that share no partition get a path record.",
        "Tenants that are meant to be apart can reach each other.",
        "Compare both P_Key tables with the intent.",
        f"{_OPENSM} opensm/osm_sa_path_record.c",
    ),
    "path-on-other-sl": SubnetPage(
        _ERROR,
        "A path has another service level than the intent's services give it.",
        "Its traffic runs in another service's lane and share.",
        "Compare qos-policy.conf with the intent; one error in it turns the whole policy off.",
        _QOS,
    ),
    "path-above-limit": SubnetPage(
        _ERROR,
        "A path has a larger MTU, rate or packet lifetime than its service allows.",
        "The limit that was to protect others does not hold.",
        "Compare qos-policy.conf with the intent.",
        _QOS,
    ),
    "group-differs": SubnetPage(
        _ERROR,
        "The multicast group of IP over InfiniBand is not what the intent says.",
        "IPoIB does not come up without its group, or only for ports that meet its MTU and rate.",
        "Compare ipoib, mtu, rate and sl of the partition with what its ports can do.",
        _PARTITIONS,
    ),
    "host-cut-off": SubnetPage(
        _ERROR,
        "A host is no longer in the subnet, though what failed was not its own.",
        "One failure cuts off hosts that were meant to have another way.",
        "Cable a second way for it, or accept that one failure takes it down.",
        f"{_OPENSM} opensm/osm_ucast_mgr.c",
    ),
    "link-bit-errors": SubnetPage(
        _ERROR,
        "A link makes more bit errors than an InfiniBand link may.",
        "Damaged packets are sent again by the host, and each costs a timeout or a retry.",
        "Clean or replace the cable or transceiver, then the port.",
        "InfiniBand Architecture Specification volume 2: bit error rate of 10^-12",
    ),
    "link-recovers-often": SubnetPage(
        _WARNING,
        "A link trains again many times an hour.",
        "Each time nothing moves over it for a moment, and packets behind it wait.",
        "Reseat or replace the cable; compare the firmware of both ends.",
        "InfiniBand Architecture Specification volume 1, 16.1.3.5: LinkErrorRecoveryCounter",
    ),
    "port-waits-long": SubnetPage(
        _WARNING,
        "A port had packets to send and no credits for much of the time.",
        "The far end takes packets slower than they come: a slow host, or a crowded switch.",
        "Follow the port's link: the last port that waits leads to the one that is slow.",
        "NVIDIA ibdiagnet user manual, Congestion Assessment on InfiniBand Links",
    ),
}


def made(  # noqa: PLR0913 -- one argument a field
    slug: str,
    where: Iterable[Place],
    message: str,
    *,
    expected: str = "",
    found: str = "",
    command: str = "",
    verdict: Verdict = Verdict.FAIL,
    facts: Iterable[str] = (),
) -> Finding:
    """Give a finding of one of the kinds above."""
    page = PAGES[slug]
    return Finding(
        rule=slug,
        severity=page.severity,
        verdict=verdict,
        where=tuple(where),
        message=message,
        expected=expected,
        found=found,
        evidence=(Evidence(command=command),) if command else (),
        why=page.why,
        fix=page.fix,
        reference=page.source,
        stage=Stage.VERIFY,
        facts=frozenset(facts),
    )


def unread(slug: str, where: Iterable[Place], what: str, command: str) -> Finding:
    """Give a finding for what was asked and not answered."""
    return made(
        slug,
        where,
        f"{what}: no answer",
        expected="an answer",
        found="no evidence",
        command=command,
        verdict=Verdict.UNVERIFIED,
    )
