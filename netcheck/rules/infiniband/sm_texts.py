"""Texts of a subnet manager that it takes for something else, and says so nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.document import Evidence
from netcheck.model.finding import Severity
from netcheck.model.known import is_known
from netcheck.model.subnet_manager import SmGroup, SmMatch, SmMistake
from netcheck.model.view import FabricView
from netcheck.rules.infiniband.managers import DEFAULT_PKEY, OPENSM, Manager, managers, misread
from netcheck.rules.rule import Fault, Scope, rule

PARTITION_SOURCE = "linux-rdma/opensm osm_prtn_config.c, measured on 3.3.23"
POLICY_SOURCE = "linux-rdma/opensm osm_qos_parser_y.y, measured on 3.3.23"


@rule(
    "sm-option-unknown", severity=Severity.ERROR, scope=Scope.FABRIC, source=OPENSM, is_proof=False
)
def sm_option_unknown(fabric: FabricView) -> Iterator[Fault]:
    """An option that no build of OpenSM knows.

    Why: the line is skipped, and only standard output says so; the option that was meant
        keeps its default.
    Bad: priority 15.
    Good: sm_priority 15.
    Fix: write the option as the build knows it.
    """
    yield from misread(fabric, SmMistake.KEY_UNKNOWN)


@rule(
    "sm-option-of-other-build",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="NVIDIA MLNXSM release notes; linux-rdma/opensm osm_subnet.c",
    is_proof=False,
)
def sm_option_of_other_build(fabric: FabricView) -> Iterator[Fault]:
    """An option that only another build of OpenSM knows.

    Why: the build that runs skips the line and goes on without what it asks for.
    Bad: virt_enabled 2 for upstream's OpenSM.
    Good: the option on the build that knows it.
    Fix: say opensm.build in the intent, install that build, or take the line out.
    """
    for manager in managers(fabric):
        build = manager.intended_build
        for one in manager.config.misreadings:
            if one.kind is not SmMistake.KEY_OF_OTHER_BUILD or (build and build in one.written):
                continue
            yield manager.fault(
                one.key,
                expected=f"an option of {build}" if build else one.expected,
                found=one.written,
                effect=f"{build} skips the line" if build else one.effect,
                at=one.evidence,
                severity=one.severity,
            )


@rule(
    "sm-option-duplicate",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source=OPENSM,
    is_proof=False,
)
def sm_option_duplicate(fabric: FabricView) -> Iterator[Fault]:
    """One option has two values in one file.

    Why: the last one holds, and nothing says so.
    Bad: lmc 0, and lmc 1 further down.
    Good: one line an option.
    Fix: take one of them out.
    """
    yield from misread(fabric, SmMistake.KEY_DUPLICATE)


@rule(
    "sm-switch-not-true", severity=Severity.ERROR, scope=Scope.FABRIC, source=OPENSM, is_proof=False
)
def sm_switch_not_true(fabric: FabricView) -> Iterator[Fault]:
    """A switch is turned on by another word than TRUE.

    Why: only the exact word is true; everything else is FALSE, and nothing says so.
    Bad: qos yes.
    Good: qos TRUE.
    Fix: write TRUE.
    """
    yield from misread(fabric, SmMistake.SWITCH_NOT_TRUE)


@rule(
    "sm-value-not-taken", severity=Severity.ERROR, scope=Scope.FABRIC, source=OPENSM, is_proof=False
)
def sm_value_not_taken(fabric: FabricView) -> Iterator[Fault]:
    """A value is not one that the option takes.

    Why: the default is used instead, or the number is cut to its field; standard output
        says so at best.
    Bad: sm_priority 99 (0 is used); max_op_vls 9 (acts as no limit).
    Good: sm_priority 15; max_op_vls 4.
    Fix: write a value within the bounds.
    """
    yield from misread(fabric, SmMistake.VALUE_REFUSED, SmMistake.VALUE_UNCHECKED)


@rule(
    "sm-table-malformed", severity=Severity.ERROR, scope=Scope.FABRIC, source=OPENSM, is_proof=False
)
def sm_table_malformed(fabric: FabricView) -> Iterator[Fault]:
    """An SL2VL or VL arbitration list has too few, too many or impossible entries.

    Why: missing SLs go to VL0, numbers are cut to 4 or 8 bits, and traffic classes share a
        VL or starve.
    Bad: qos_sl2vl 0,1,2,3; qos_vlarb_low 0:300.
    Good: 16 VLs; weights of 0 to 255.
    Fix: complete the list.
    """
    yield from misread(fabric, SmMistake.TABLE_MALFORMED)


@rule(
    "sm-engine-unknown",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="linux-rdma/opensm doc/current-routing.txt, measured on 3.3.23",
    is_proof=False,
)
def sm_engine_unknown(fabric: FabricView) -> Iterator[Fault]:
    """A routing engine that the build does not know.

    Why: it is skipped; minhop routes the fabric instead, and makes credit loops wherever the
        fabric is no tree. With no_fallback the subnet never comes up.
    Bad: routing_engine fattree.
    Good: routing_engine ftree,updn.
    Fix: write the engine as the build knows it.
    """
    yield from misread(fabric, SmMistake.ENGINE_UNKNOWN)


@rule(
    "sm-guid-file-refused",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=OPENSM,
    is_proof=False,
)
def sm_guid_file_refused(fabric: FabricView) -> Iterator[Fault]:
    """A file of GUIDs has a line that is none.

    Why: the whole file is refused, and the subnet manager guesses.
    Bad: spine01 in the file of roots.
    Good: 0x0002c90200300000.
    Fix: write GUIDs, one a line; names belong into a comment.
    """
    yield from misread(fabric, SmMistake.GUID_FILE_REFUSED)


@rule(
    "sm-partitions-refused",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=PARTITION_SOURCE,
    is_proof=False,
)
def sm_partitions_refused(fabric: FabricView) -> Iterator[Fault]:
    """A statement of partitions.conf cannot be read.

    Why: the whole file is dropped. Every port becomes full member of the default partition
        and all others are gone: isolation fails open, also on a reload of a running fabric.
    Bad: a host name in the place of a port GUID; all=full; a forgotten semicolon.
    Good: tenant=0x0a01 : 0x0002c90300100001=full ;
    Fix: correct the statement before the file is loaded.
    """
    yield from misread(fabric, SmMistake.PARTITIONS_REFUSED)


@rule(
    "sm-member-misread",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=PARTITION_SOURCE,
    is_proof=False,
)
def sm_member_misread(fabric: FabricView) -> Iterator[Fault]:
    """A keyword of partitions.conf is cut short or misspelt.

    Why: any beginning of a keyword is taken for it (A is ALL, S is SELF), and an unknown
        membership is limited; neither is said anywhere.
    Bad: A=full, which is every port.
    Good: ALL=full.
    Fix: write the whole keyword.
    """
    yield from misread(fabric, SmMistake.MEMBER_MISREAD)


@rule(
    "sm-partition-flag-ignored",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=PARTITION_SOURCE,
    is_proof=False,
)
def sm_partition_flag_ignored(fabric: FabricView) -> Iterator[Fault]:
    """A flag of a partition is unknown, or has an impossible value.

    Why: it is skipped; without ipoib no multicast group is made, and IPoIB does not come up.
    Bad: ipobi; sl=16.
    Good: ipoib; sl=1.
    Fix: correct the flag.
    """
    yield from misread(fabric, SmMistake.FLAG_IGNORED)


@rule(
    "sm-pkey-changed",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=PARTITION_SOURCE,
    is_proof=False,
)
def sm_pkey_changed(fabric: FabricView) -> Iterator[Fault]:
    """A partition gets another key than is written.

    Why: only the low 15 bits of a key count, and where there is none OpenSM makes one up
        that changes with the order of the file. Membership is never read from the key.
    Bad: 0x10a01 (0x0a01 is used); no key at all.
    Good: 0x0a01.
    Fix: write a key of 0x0001 to 0x7fff.
    """
    yield from misread(fabric, SmMistake.PKEY_CHANGED)


@rule(
    "sm-group-not-made",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=PARTITION_SOURCE,
    is_proof=False,
)
def sm_group_not_made(fabric: FabricView) -> Iterator[Fault]:
    """The multicast group of a partition has an MTU or rate that is no code.

    Why: the IPoIB broadcast group is not made, or gets another rate; interfaces stay down.
    Bad: mtu=4096; rate=200.
    Good: mtu=5 (4096 bytes); rate=17 (200 Gb/s).
    Fix: write the InfiniBand code of the MTU and of the rate.
    """
    yield from misread(fabric, SmMistake.GROUP_NOT_MADE)


@rule(
    "sm-policy-refused",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=POLICY_SOURCE,
    is_proof=False,
)
def sm_policy_refused(fabric: FabricView) -> Iterator[Fault]:
    """The QoS policy cannot be read, or lacks a default or a name that it uses.

    Why: the whole policy is dropped, and every path gets SL 0.
    Bad: nccl : 1; a level without sl; no level DEFAULT.
    Good: any, service-id 0x1234 : 1, and default : 0.
    Fix: correct the line.
    """
    yield from misread(fabric, SmMistake.POLICY_REFUSED)


@rule(
    "sm-policy-rule-ignored",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=POLICY_SOURCE,
    is_proof=False,
)
def sm_policy_rule_ignored(fabric: FabricView) -> Iterator[Fault]:
    """A part of the QoS policy has no effect.

    Why: a rule of an unknown partition, the second of two levels with one name, a range from
        high to low and the whole section qos-setup match nothing; nothing or little says so.
    Bad: any, pkey 0x0fff : 1, where no partition has that key.
    Good: the key of a partition that is there.
    Fix: correct the rule, or take it out.
    """
    yield from misread(fabric, SmMistake.POLICY_RULE_IGNORED)
    descriptions = _descriptions(fabric)
    for manager in managers(fabric):
        yield from _ignored_terms(manager)
        yield from _ignored_names(manager, descriptions)


def _ignored_terms(manager: Manager) -> Iterator[Fault]:
    policy = manager.policy
    if policy.has_setup:
        yield manager.fault(
            "qos-setup",
            expected="qos_sl2vl and qos_vlarb_* in opensm.conf",
            found="section qos-setup",
            effect="it is read and has no effect",
            at=policy.setup,
        )
    if not is_known(manager.config.partitions):
        return
    known = frozenset(one.pkey for one in manager.partitions) | {DEFAULT_PKEY}
    names = frozenset(one.name for one in manager.partitions)
    terms: list[SmMatch | SmGroup] = [*policy.ulps, *policy.rules, *policy.groups]
    for one in terms:
        for text in one.terms.get("pkey", ()):
            if "-" not in text and int(text, 0) & DEFAULT_PKEY not in known:
                at = one.places.get("pkey", one.evidence)
                yield _no_partition(manager, f"pkey {text}", at)
        for text in one.terms.get("partition", ()):
            if text not in names:
                at = one.places.get("partition", one.evidence)
                yield _no_partition(manager, f"partition {text}", at)


def _descriptions(fabric: FabricView) -> frozenset[str]:
    """Descriptions of all nodes, where a discovery listed them; else none."""
    return frozenset(
        node.description
        for device in fabric.record.devices.values()
        if is_known(device.seen_subnet) and device.seen_subnet.is_whole
        for node in device.seen_subnet.nodes.values()
        if is_known(node.description)
    )


def _ignored_names(manager: Manager, descriptions: frozenset[str]) -> Iterator[Fault]:
    """Ports that a group names by their node's description, and no node has it."""
    for one in manager.policy.groups if descriptions else ():
        for text in one.terms.get("port-name", ()):
            name = text.strip('"').rpartition("/")[0]
            if name not in descriptions:
                yield manager.fault(
                    "port-name",
                    expected="the description of a node and /P with the port's number",
                    found=text,
                    effect="it matches nothing",
                    at=one.places.get("port-name", one.evidence),
                )


def _no_partition(manager: Manager, found: str, at: Evidence) -> Fault:
    return manager.fault(
        found.partition(" ")[0],
        expected="a partition of partitions.conf",
        found=found,
        effect="it matches nothing",
        at=at,
    )
