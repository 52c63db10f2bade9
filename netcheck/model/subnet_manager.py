"""What the files of a subnet manager say, and where it does something else than they say."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from netcheck.model.document import Evidence
from netcheck.model.finding import Severity
from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known


class SmMistake(StrEnum):
    """What kind of text the subnet manager takes for something else than is written."""

    KEY_UNKNOWN = "key_unknown"
    KEY_OF_OTHER_BUILD = "key_of_other_build"
    KEY_DUPLICATE = "key_duplicate"
    SWITCH_NOT_TRUE = "switch_not_true"
    VALUE_REFUSED = "value_refused"
    VALUE_UNCHECKED = "value_unchecked"
    TABLE_MALFORMED = "table_malformed"
    ENGINE_UNKNOWN = "engine_unknown"
    GUID_FILE_REFUSED = "guid_file_refused"
    PARTITIONS_REFUSED = "partitions_refused"
    MEMBER_MISREAD = "member_misread"
    FLAG_IGNORED = "flag_ignored"
    PKEY_CHANGED = "pkey_changed"
    GROUP_NOT_MADE = "group_not_made"
    POLICY_REFUSED = "policy_refused"
    POLICY_RULE_IGNORED = "policy_rule_ignored"


@frozen
class SmMisreading:
    """One place at which the subnet manager does something else than is written.

    Attributes:
        key: Option, partition or keyword that it is about.
        expected: What would be taken as it is written.
        written: What stands there.
        effect: What the subnet manager does instead.
    """

    kind: SmMistake
    key: str
    expected: str
    written: str
    effect: str
    evidence: Evidence
    severity: Severity = Severity.ERROR


@frozen
class SmOption:
    """One option of ``opensm.conf`` as it is in effect; ``written`` is its text.

    Attributes:
        token: Of a secret, whose value and text are hidden: equal values have equal tokens.
    """

    value: str
    written: str
    evidence: Evidence
    token: str = ""


@frozen
class SmMember:
    """One member of a partition: a port GUID as 0x text or ALL, ALL_CAS, SELF and so on."""

    name: str
    membership: str
    evidence: Evidence = Evidence()


@frozen
class SmPartition:
    """One partition as ``partitions.conf`` states it.

    Attributes:
        pkey: Low 15 bits; UNKNOWN where the subnet manager makes one up.
        mtu_code, rate_code: As written, IBTA codes.
        mtu_bytes, rate_bps: What the codes stand for.
    """

    name: str
    pkey: Known[int] = UNKNOWN
    members: tuple[SmMember, ...] = ()
    is_ipoib: bool = False
    is_first: bool = False
    mtu_code: Known[int] = UNKNOWN
    rate_code: Known[int] = UNKNOWN
    sl: Known[int] = UNKNOWN
    default_membership: Known[str] = UNKNOWN
    q_key: Known[int] = UNKNOWN
    traffic_class: Known[int] = UNKNOWN
    flow_label: Known[int] = UNKNOWN
    scope: Known[int] = UNKNOWN
    mtu_bytes: Known[int] = UNKNOWN
    rate_bps: Known[int] = UNKNOWN
    evidence: Evidence = Evidence()


@frozen
class SmLevel:
    """One quality-of-service level of ``qos-policy.conf``."""

    name: str
    sl: Known[int] = UNKNOWN
    mtu_code: Known[int] = UNKNOWN
    rate_code: Known[int] = UNKNOWN
    packet_life: Known[int] = UNKNOWN
    evidence: Evidence = Evidence()


@frozen
class SmMatch:
    """One rule of ``qos-policy.conf``: words of the file by key, and the level or SL it gives.

    Attributes:
        level: Name of a level; empty for a rule of ``qos-ulps``, which gives ``sl``.
        terms: ``key -> values``, such as ``ulp -> any`` and ``pkey -> 0x0a01``.
        places: Where each key stands.
    """

    terms: FrozenMap[str, tuple[str, ...]]
    level: str = ""
    sl: Known[int] = UNKNOWN
    evidence: Evidence = Evidence()
    places: FrozenMap[str, Evidence] = field(default_factory=FrozenMap)


@frozen
class SmGroup:
    """One port group of ``qos-policy.conf``: values by key (``port-guid``, ``partition``)."""

    name: str
    terms: FrozenMap[str, tuple[str, ...]]
    evidence: Evidence = Evidence()
    places: FrozenMap[str, Evidence] = field(default_factory=FrozenMap)


@frozen
class SmPolicy:
    """``qos-policy.conf``: rules of ``qos-ulps``, levels, match rules and port groups."""

    ulps: tuple[SmMatch, ...] = ()
    levels: tuple[SmLevel, ...] = ()
    rules: tuple[SmMatch, ...] = ()
    groups: tuple[SmGroup, ...] = ()
    has_setup: bool = False
    evidence: Evidence = Evidence()
    setup: Evidence = Evidence()


@frozen
class SmGuids:
    """One file of GUIDs, in its order."""

    guids: tuple[int, ...]
    evidence: Evidence = Evidence()


@frozen
class SmConfig:
    """The files of one subnet manager; a file that is not given is UNKNOWN.

    Attributes:
        build: Build that was said or told by its texts; UNKNOWN if any may run.
        options: What ``opensm.conf`` sets, by key.
        roots, compute_nodes, io_nodes: Files of GUIDs.
        names: Node-name map, ``node GUID -> name``.
        misreadings: Where it does something else than is written.
        files: Base names of the files that were given.
        strays: Files beside ``opensm.conf`` that a start script takes for more of the kind.
    """

    build: Known[str] = UNKNOWN
    options: Known[FrozenMap[str, SmOption]] = UNKNOWN
    partitions: Known[tuple[SmPartition, ...]] = UNKNOWN
    policy: Known[SmPolicy] = UNKNOWN
    roots: Known[SmGuids] = UNKNOWN
    compute_nodes: Known[SmGuids] = UNKNOWN
    io_nodes: Known[SmGuids] = UNKNOWN
    names: Known[FrozenMap[int, str]] = UNKNOWN
    misreadings: tuple[SmMisreading, ...] = ()
    files: frozenset[str] = field(default_factory=frozenset)
    strays: tuple[Evidence, ...] = ()
