"""What a configuration says about each port: its own lines, else those of ``system qos``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from netcheck.model.device import AdminState, Defect, Port
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known
from netcheck.model.qos import (
    Buffer,
    DcbxMode,
    PfcMode,
    PortQos,
    Watchdog,
    WatchdogAction,
)
from netcheck.platforms.nxos.parsed.config import (
    NETWORK,
    QOS,
    QUEUING,
    Config,
    Interface,
    bound_name,
    physical,
    watchdog_number,
)
from netcheck.platforms.nxos.parsed.policies import (
    DEFAULT_OUTPUT,
    UNCLASSIFIED,
    Classification,
    Network,
    Queuing,
    classification,
    dangling,
    dangling_binding,
    find_policy,
    is_defined,
    network,
    number_in,
    pauses,
    queuing,
)
from netcheck.platforms.nxos.parsed.sections import Line
from netcheck.platforms.nxos.quirks import (
    DEFAULT_INTERVAL_MS,
    DEFAULT_MTU,
    DEFAULT_RESTORE,
    DEFAULT_SHUTDOWN,
    QUEUES,
    is_predefined_policy,
)

IDENTITY: Final = FrozenMap({number: number for number in QUEUES})
_MULTIPLIER: Final = re.compile(r".* interface-multiplier (\d+)")
_ON: Final = "priority-flow-control watch-dog-interval on"


@dataclass(slots=True)
class ConfiguredPorts:
    """Makes ports of a configuration; collects evidence and dangling names on the way."""

    config: Config
    evidence: dict[str, Evidence] = field(default_factory=dict)
    defects: list[Defect] = field(default_factory=list)
    _network: Network = field(default_factory=Network)
    _policies: dict[tuple[str, str], Any] = field(default_factory=dict)  # Any: by its kind

    def ports(self) -> Iterator[Port]:
        """Yield the ports, physical ones first told by their own lines."""
        self.defects += dangling(self.config)
        self._network = self._read_network()
        for each, aggregate in physical(self.config):
            yield self._port(each, aggregate)

    @property
    def network(self) -> Network:
        """What the policy of type network-qos in effect says."""
        return self._network

    def _port(self, each: Interface, aggregate: Interface | None) -> Port:
        reader = _PortReader(self, each, aggregate)
        qos = reader.qos()
        self.evidence[f"port {each.name}"] = each.line.evidence
        for fact, line in reader.lines.items():
            self.evidence[f"port {each.name} {fact}"] = line.evidence
        return reader.port(qos)

    def _read_network(self) -> Network:
        line = self.config.system.get(NETWORK)
        name = bound_name(line) if line else ""
        if line is None:
            # the predefined policy drops in every class
            return Network(is_known=self.config.is_whole, is_partial=True, line=self.config.header)
        policy = find_policy(NETWORK, name, self.config)
        if policy is not None:
            return network(policy, self.config)
        self._tell_missing(line, NETWORK, name, "system qos")
        return Network(is_known=is_predefined_policy(name), is_partial=True, line=line)

    def _tell_missing(self, line: Line, kind: str, name: str, place: str) -> None:
        if self.config.is_whole and not is_defined(kind, name, self.config):
            self.defects.append(dangling_binding(line, kind, name, place))

    # Any: what a policy of that kind means
    def meaning(self, line: Line, kind: str, place: str, read: Callable[..., Any]) -> Any:
        """What the policy that a line binds means, read once; None where it is not defined."""
        name = bound_name(line)
        policy = find_policy(kind, name, self.config)
        if policy is None:
            self._tell_missing(line, kind, name, place)
            return None
        key = (read.__name__, name)
        if key not in self._policies:
            self._policies[key] = read(policy, self.config)
        return self._policies[key]


@dataclass(slots=True)
class _PortReader:
    """One port: its lines, those of its port-channel, then those of the system."""

    all_ports: ConfiguredPorts
    own: Interface
    aggregate: Interface | None
    lines: dict[str, Line] = field(default_factory=dict)

    @property
    def config(self) -> Config:
        return self.all_ports.config

    def fact(self, subject: str, *names: str) -> Line | None:
        """The line of a subject, noted as the evidence of these facts."""
        line = self.own.facts.get(subject)
        if line is None and self.aggregate is not None:
            line = self.aggregate.facts.get(subject)
        return self.note(line, *names)

    def note(self, line: Line | None, *names: str) -> Line | None:
        if line is not None:
            self.lines.update(dict.fromkeys(names, line))
        return line

    def binding(self, key: str) -> tuple[Line | None, bool]:
        """The line that binds a policy here, and whether nothing binds one unseen."""
        sections = [self.own, *([self.aggregate] if self.aggregate else [])]
        for section in sections:
            if key in section.bindings:
                return section.bindings[key], True
        # a section that has lines about QoS has all of them
        is_shown = self.config.is_whole or any(
            each.bindings or "pfc" in each.facts for each in sections
        )
        system = self.config.system.get(key)
        has_system = self.config.is_whole or self.config.has_system_qos
        return system, is_shown and has_system

    def port(self, qos: PortQos) -> Port:
        line = self.fact("speed", "speed_bps")
        word = line.words.split()[-1] if line else ""
        fec = self.fact("fec", "fec")
        channel = self.own.facts.get("aggregate")
        return Port(
            self.own.name,
            speed_bps=int(word) * 1_000_000 if word.isdigit() else UNKNOWN,
            fec=fec.words.split()[-1] if fec else UNKNOWN,
            l2_mtu=self._mtu(),
            admin_state=self._admin(),
            address=self._address(),
            aggregate=f"port-channel{channel.words.split()[1]}" if channel else UNKNOWN,
            qos=qos,
        )

    def _mtu(self) -> Known[int]:
        line = self.fact("mtu", "l2_mtu")
        if line is None:
            return DEFAULT_MTU if self.config.is_whole else UNKNOWN
        return DEFAULT_MTU if line.words.startswith("no ") else number_in(line)

    def _admin(self) -> Known[AdminState]:
        line = self.fact("admin", "admin_state")
        if line is None:
            return UNKNOWN
        return AdminState.UP if line.words.startswith("no ") else AdminState.DOWN

    def _address(self) -> Known[str]:
        line = self.own.facts.get("address")
        return line.words.split()[2] if line else UNKNOWN

    def qos(self) -> PortQos:
        mode = self._mode()
        pfc = self._pfc(mode)
        marks = self._marks()
        owned = self._owned(pfc, marks)
        served = self._queuing()
        return PortQos(
            trust=marks.trust,
            dscp_to_priority=marks.dscp,
            pcp_to_priority=marks.pcp,
            priority_to_queue=IDENTITY,
            priority_to_priority_group=self._groups(owned),
            pfc_rx=pfc,
            pfc_tx=pfc,
            pfc_mode=mode,
            pfc_priority_to_queue=self._pfc_map(owned),
            pfc_priority_to_priority_group=self._pfc_map(owned),
            dcbx_mode=self._dcbx(mode),
            dcbx_willing=UNKNOWN if mode in {UNKNOWN, PfcMode.AUTO} else False,
            scheduler=served.scheduler,
            ecn=served.ecn,
            ingress_buffer=self._accounts(),
            # queues share what is left; a limit of their own is the switch's affair
            egress_buffer=ABSENT,
            watchdog=self._watchdog(),
            global_pause_rx=self._global_pause("pause rx", "global_pause_rx"),
            global_pause_tx=self._global_pause("pause tx", "global_pause_tx"),
            remark_dscp=marks.remark_dscp,
            remark_pcp=marks.remark_pcp,
            mtu_by_priority=self._mtu_by_priority(),
        )

    def _mode(self) -> Known[PfcMode]:
        line = self.fact("pfc", "pfc_mode", "pfc_rx", "pfc_tx", "dcbx_mode")
        if line is None:
            return PfcMode.AUTO if self.config.is_whole else UNKNOWN
        if line.words.startswith("no "):
            return PfcMode.AUTO
        return PfcMode(line.words.split()[2])

    def _dcbx(self, mode: Known[PfcMode]) -> Known[DcbxMode]:
        """Forced PFC takes nothing from the peer; ``send-tlv`` still tells it our settings."""
        if mode in {UNKNOWN, PfcMode.AUTO}:
            return UNKNOWN
        line = self.fact("pfc")
        is_telling = line is not None and line.words.endswith(" send-tlv")
        return DcbxMode.IEEE if is_telling else DcbxMode.DISABLED

    def _pfc(self, mode: Known[PfcMode]) -> Known[frozenset[int]]:
        """Priorities that pause: the no-drop classes where the mode is on; auto asks the peer."""
        if mode is PfcMode.OFF:
            return frozenset()
        found = self.all_ports.network
        if not found.is_known:
            return UNKNOWN
        if found.line is not None and "pfc_rx" not in self.lines:
            self.note(found.line, "pfc_rx", "pfc_tx")
        if not found.pauses:
            return frozenset()
        return self._no_drop() if mode is PfcMode.ON else UNKNOWN

    def _no_drop(self) -> Known[frozenset[int]]:
        """PFC priorities of the no-drop classes of the switch."""
        found = self.all_ports.network
        sets = list(found.pauses.values())
        if not found.is_known or not all(map(is_known, sets)):
            return UNKNOWN
        return frozenset(each for one in sets if is_known(one) for each in one)

    def _owned(self, pfc: Known[frozenset[int]], marks: Classification) -> frozenset[int] | None:
        """No-drop qos-groups that the port pauses or leads marks to; None where nobody says."""
        found = self.all_ports.network
        if not found.is_known or found.is_partial:
            return None
        used = {
            group for each in (marks.dscp, marks.pcp) if is_known(each) for group in each.values()
        }
        is_off = is_known(pfc) and not pfc
        return frozenset(group for group in found.pauses if not is_off or group in used)

    def _pfc_map(self, owned: frozenset[int] | None) -> Known[FrozenMap[int, int]]:
        if owned is None:
            return UNKNOWN
        said = {
            priority: group
            for group, priorities in self.all_ports.network.pauses.items()
            if group in owned and is_known(priorities)
            for priority in priorities
        }
        return IDENTITY.with_items(said)

    @staticmethod
    def _groups(owned: frozenset[int] | None) -> Known[FrozenMap[int, int]]:
        """No-drop classes have an account of their own; all others share one."""
        if owned is None:
            return UNKNOWN
        shared = next((each for each in QUEUES if each not in owned), 0)
        return FrozenMap({each: each if each in owned else shared for each in QUEUES})

    def _marks(self) -> Classification:
        line, is_whole = self.binding("qos input")
        facts = ("trust", "dscp_to_priority", "pcp_to_priority", "remark_dscp", "remark_pcp")
        if line is None:
            return UNCLASSIFIED if is_whole and self.config.is_whole else Classification()
        self.note(line, *facts)
        found = self.all_ports.meaning(line, QOS, self.own.name, classification)
        return found if found is not None else Classification()

    def _queuing(self) -> Queuing:
        line, is_whole = self.binding("queuing output")
        self.note(line, "scheduler", "ecn")
        if line is not None and not is_predefined_policy(bound_name(line)):
            found = self.all_ports.meaning(line, QUEUING, self.own.name, queuing)
            return found if found is not None else Queuing()
        is_default = line is not None or (is_whole and self.config.is_whole)
        return DEFAULT_OUTPUT if is_default else Queuing()

    def _accounts(self) -> Known[FrozenMap[int, Buffer]]:
        line, is_whole = self.binding("queuing input")
        groups = self.all_ports.network.pauses
        computed = dict.fromkeys(groups, Buffer(is_lossless=True, is_computed=True))
        if line is None or is_predefined_policy(bound_name(line)):
            return FrozenMap(computed) if is_whole and computed else UNKNOWN
        self.note(line, "ingress_buffer")
        found = self.all_ports.meaning(line, QUEUING, self.own.name, pauses)
        return UNKNOWN if found is None else FrozenMap({**computed, **found})

    def _mtu_by_priority(self) -> Known[FrozenMap[int, int]]:
        found = self.all_ports.network
        if found.mtu:
            self.note(found.line, "mtu_by_priority")
        return FrozenMap(found.mtu) if found.mtu else UNKNOWN

    def _global_pause(self, subject: str, fact: str) -> Known[bool]:
        line = self.fact(subject, fact)
        if line is None:
            return False if self.config.is_whole else UNKNOWN
        return line.words.endswith(" on") and not line.words.startswith("no ")

    def _watchdog(self) -> Known[Watchdog]:
        """The watchdog of no-drop queues; it runs where both the switch and the port have it on."""
        line = self.fact("watchdog", "watchdog")
        if line is None:
            return ABSENT if self.config.is_whole else UNKNOWN
        if not line.words.startswith(_ON):
            return ABSENT
        switch = self.config.watchdog.get("switch")
        if switch is None:
            return ABSENT if self.config.is_whole else UNKNOWN
        if switch.words.endswith(" off"):
            return ABSENT
        interval = self.number("interval", DEFAULT_INTERVAL_MS)
        shutdown = self.number("shutdown", DEFAULT_SHUTDOWN)
        match = _MULTIPLIER.fullmatch(line.words)
        restore = _sum(self.number("auto", DEFAULT_RESTORE), watchdog_number(self.config, "fixed"))
        return Watchdog(
            detection_ms=_product(interval, int(match[1]) if match else shutdown),
            restoration_ms=_product(interval, restore),
            action=(
                WatchdogAction.ALERT if "disable-action" in line.words else WatchdogAction.DROP
            ),
            priorities=self._no_drop(),
        )

    def number(self, name: str, default: int) -> Known[int]:
        """Number of a watchdog line; the system's own in a whole configuration without it."""
        found = watchdog_number(self.config, name)
        if found is not None:
            return found
        return default if self.config.is_whole else UNKNOWN


def _product(a: Known[int], b: Known[int]) -> Known[int]:
    return a * b if is_known(a) and is_known(b) else UNKNOWN


def _sum(a: Known[int], b: int | None) -> Known[int]:
    return a + (b or 0) if is_known(a) else UNKNOWN
