"""The switch's own reading of its configuration: what the hardware is set to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from netcheck.lab.devices.deviation import Deviation
from netcheck.lab.devices.sonic.buffers import Applied, has_shared_headroom
from netcheck.lab.devices.sonic.factory import CELL_BYTES
from netcheck.lab.devices.sonic.keys import Row, Tables, by_index, integer, name_of, numbers
from netcheck.lossless.dataplane.network import (
    PRIORITIES,
    Account,
    EcnCurve,
    Node,
    Port,
    Queue,
    Watchdog,
)

FORWARDING_S = 600e-9
# what SAI adds to a port's MTU, without the FCS: Ethernet and VLAN headers
# Source: sonic-net/sonic-swss orchagent/portsorch.cpp (setPortMtu)
HEADER_BYTES = 18
DSCPS = 64
MARKING = ("ecn_all", "ecn_green", "ecn_green_yellow", "ecn_green_red")
FASTEST_BPS = 800_000_000_000
LOSSLESS_POOL, SHARED_HEADROOM = "ingress_lossless_pool", "shared headroom"


def read_node(name: str, config: Tables, applied: Applied, deviation: Deviation) -> Node:
    """Give the hardware as it works."""
    reader = _Reader(config, applied, deviation)
    ports = {port: reader.port(port, row) for port, row in config.get("PORT", {}).items()}
    pools = {pool: integer(row, "size") for pool, row in applied.pools.items()}
    return Node(
        name,
        ports,
        {**pools, **_shared_headroom(config, applied, ports)},
        CELL_BYTES,
        forwarding_s=FORWARDING_S,
    )


def _shared_headroom(config: Tables, applied: Applied, ports: Mapping[str, Port]) -> dict[str, int]:
    """The pool of shared headroom: of the size that is stated, else what all may want by the ratio.

    Source: sonic-net/sonic-swss cfgmgr/buffer_pool_mellanox.lua.
    """
    if not has_shared_headroom(config):
        return {}
    stated = integer(applied.pools.get(LOSSLESS_POOL, {}), "xoff")
    if stated:
        return {SHARED_HEADROOM: stated}
    wanted = sum(one.headroom_bytes for port in ports.values() for one in port.groups.values())
    rows = config.get("DEFAULT_LOSSLESS_BUFFER_PARAMETER", {}).values()
    ratio = max((integer(row, "over_subscribe_ratio", 1) for row in rows), default=1)
    return {SHARED_HEADROOM: -(-wanted // max(ratio, 1))}


class _Reader:
    def __init__(self, config: Tables, applied: Applied, deviation: Deviation) -> None:
        self.config = config
        self.applied = applied
        self.deviation = deviation

    def port(self, name: str, row: Row) -> Port:
        binding = {**self._of_switch(), **self.config.get("PORT_QOS_MAP", {}).get(name, {})}
        paused = frozenset(numbers(binding.get("pfc_enable", "")))
        honoured = frozenset(range(PRIORITIES)) if row.get("pfc_asym") == "on" else paused
        has_dscp = "dscp_to_tc_map" in binding
        return Port(
            speed_bps=integer(row, "speed") * 1_000_000 or FASTEST_BPS,
            mtu_bytes=integer(row, "mtu", 9100) + HEADER_BYTES,
            is_up=row.get("admin_status") == "up",
            trust="pcp" if "dot1p_to_tc_map" in binding and not has_dscp else "dscp",
            priority_of_dscp=self._dscps(name, binding),
            priority_of_pcp=self._map("DOT1P_TO_TC_MAP", binding, "dot1p_to_tc_map", [0] * 8),
            queue_of=self._map("TC_TO_QUEUE_MAP", binding, "tc_to_queue_map", list(range(8))),
            group_of=self._map("TC_TO_PRIORITY_GROUP_MAP", binding, "tc_to_pg_map", [0] * 8),
            pauses_sent=paused,
            pauses_honoured=honoured,
            pfc_of_group=self._pfc_groups(binding),
            queue_of_pfc=self._map(
                "MAP_PFC_PRIORITY_TO_QUEUE", binding, "pfc_to_queue_map", list(range(8))
            ),
            groups={group: self._group(name, group) for group in range(PRIORITIES)},
            queues={queue: self._queue(name, queue) for queue in range(PRIORITIES)},
            watchdog=self._watchdog(name, binding),
            wear=self.deviation.lost.get(name),
        )

    def _of_switch(self) -> Row:
        """The map that ports without one of their own use.

        Source: sonic-net/sonic-swss orchagent/qosorch.cpp: PORT_QOS_MAP|global is the switch's.
        """
        row = self.config.get("PORT_QOS_MAP", {}).get("global", {})
        return {key: value for key, value in row.items() if key == "dscp_to_tc_map"}

    def _rows(self, table: str, binding: Row, field_name: str) -> Mapping[str, str]:
        name = name_of(binding.get(field_name, ""))
        return self.config.get(table, {}).get(name, {})

    def _map(
        self, table: str, binding: Row, field_name: str, default: list[int]
    ) -> tuple[int, ...]:
        found = list(default)
        for key, value in self._rows(table, binding, field_name).items():
            for index in numbers(key):
                if index < len(found) and value.isdigit() and int(value) < PRIORITIES:
                    found[index] = int(value)
        return tuple(found)

    def _dscps(self, port: str, binding: Row) -> tuple[int, ...]:
        table = self._map("DSCP_TO_TC_MAP", binding, "dscp_to_tc_map", [0] * DSCPS)
        changed = self.deviation.class_of_dscp.get(port, {})
        return tuple(changed.get(dscp, priority) for dscp, priority in enumerate(table))

    def _pfc_groups(self, binding: Row) -> dict[int, frozenset[int]]:
        groups = self._map(
            "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", binding, "pfc_to_pg_map", list(range(8))
        )
        return {
            group: frozenset(p for p in range(PRIORITIES) if groups[p] == group)
            for group in set(groups)
        }

    def _group(self, port: str, group: int) -> Account:
        name = self.applied.groups.get((port, group))
        profile = self.applied.profiles.get(name or "") or self._port_profile(
            port, "BUFFER_PORT_INGRESS_PROFILE_LIST"
        )
        account = _account(profile)
        if has_shared_headroom(self.config) and account.headroom_bytes:
            size = integer(profile, "size")
            account = replace(account, reserved_bytes=size, headroom_pool=SHARED_HEADROOM)
        elif account.headroom_bytes > integer(profile, "size"):
            account = replace(account, reserved_bytes=0, headroom_bytes=integer(profile, "size"))
        headroom = self.deviation.headroom.get((port, group))
        return account if headroom is None else replace(account, headroom_bytes=headroom)

    def _port_profile(self, port: str, table: str) -> Row:
        """What a group or queue without a profile of its own gets: the port's lossy one."""
        row = self.config.get(table, {}).get(port, {})
        names = [name_of(part) for part in row.get("profile_list", "").split(",")]
        return self.applied.profiles.get(names[-1], {})

    def _queue(self, port: str, index: int) -> Queue:
        row: Row = {}
        for queue, found in by_index(self.config.get("QUEUE", {}), port):
            if queue == index:
                row = {**row, **found}
        scheduler = self.config.get("SCHEDULER", {}).get(name_of(row.get("scheduler", "")), {})
        name = self.applied.queues.get((port, index))
        profile = self.applied.profiles.get(name or "") or self._port_profile(
            port, "BUFFER_PORT_EGRESS_PROFILE_LIST"
        )
        return Queue(
            scheduler.get("type") == "STRICT",
            float(integer(scheduler, "weight", 1)),
            _curve(self.config.get("WRED_PROFILE", {}).get(name_of(row.get("wred_profile", "")))),
            _account(profile) if profile else None,
            integer(scheduler, "pir") * 8 or None,
        )

    def _watchdog(self, port: str, binding: Row) -> Watchdog | None:
        row = self.config.get("PFC_WD", {}).get(port)
        if row is None or not integer(row, "detection_time"):
            return None  # orchagent/pfcwdorch.cpp does not start it without
        return Watchdog(
            frozenset(numbers(binding.get("pfcwd_sw_enable", ""))),
            integer(row, "detection_time") / 1000,
            integer(row, "restoration_time") / 1000,
            row.get("action", "drop"),
        )


def _account(profile: Row) -> Account:
    """A buffer profile as SAI takes it: without a shared headroom pool, size holds xoff too."""
    size, headroom = integer(profile, "size"), integer(profile, "xoff")
    is_dynamic = "dynamic_th" in profile
    return Account(
        name_of(profile.get("pool", "none")),
        size - headroom if size > headroom else size,
        headroom,
        2.0 ** integer(profile, "dynamic_th") if is_dynamic else None,
        integer(profile, "static_th") if "static_th" in profile else None,
        integer(profile, "xon"),
        integer(profile, "xon_offset"),
    )


def _curve(row: Row | None) -> EcnCurve | None:
    """Marking of packets, which are green unless something else colours them."""
    if row is None:
        return None
    marks = row.get("ecn") in MARKING
    if row.get("wred_green_enable") != "true":
        return None
    return EcnCurve(
        integer(row, "green_min_threshold"),
        integer(row, "green_max_threshold"),
        float(integer(row, "green_drop_probability", 100)),
        marks=marks,
    )
