"""How each port treats traffic: its own lines before its aggregate's before the profile's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from netcheck.model.device import AdminState, Defect, DefectKind, Port
from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known, is_known, known_or
from netcheck.model.qos import (
    Buffer,
    DcbxMode,
    PfcMode,
    PortQos,
    Trust,
    Watchdog,
    WatchdogAction,
)
from netcheck.platforms.eos import defaults
from netcheck.platforms.eos.parsed.config import Config, Said, Section
from netcheck.platforms.eos.parsed.grammar import Timer, Word, lanes_of, speed_bps
from netcheck.platforms.eos.parsed.layers import Layers
from netcheck.platforms.eos.parsed.maps import IntMap, Maps
from netcheck.platforms.eos.parsed.queues import guarded, markings, schedulers

_ETHERNET: Final = re.compile(r"Ethernet\d+(?:/\d+){0,3}")
_TRUSTS: Final = {"dscp": Trust.DSCP, "cos": Trust.PCP, Word.NO: Trust.NONE}
_ACTIONS: Final = {"drop": WatchdogAction.DROP, "notify-only": WatchdogAction.ALERT}
_DCBX: Final = {"ieee": DcbxMode.IEEE, "cee": DcbxMode.CEE}
_FEC: Final = {"reed-solomon": "rs", "fire-code": "fc"}
_EVIDENCE: Final = {
    "profile": "qos",
    "trust": "trust",
    "pfc": "pfc_mode",
    "mtu": "l2_mtu",
    "dcbx": "dcbx_mode",
    "speed": "speed_bps",
    "watchdog timer": "watchdog",
}
# Settings that differ from port to port and say nothing of its treatment.
_PLAIN: Final = frozenset({"alias", "speed", "mtu", "l2 mtu", "fec", "shutdown"})


class PortReader:
    """Reads the ports of one configuration."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.defects: list[Defect] = []
        self.evidence: dict[str, Evidence] = {}
        self.maps = Maps(config)
        self._made: dict[object, PortQos] = {}

    def ports(self) -> Iterator[Port]:
        """Yield every front panel port that has a section."""
        for name, section in self.config.interfaces.items():
            if _ETHERNET.fullmatch(name):
                yield self._port(name, section)

    def _layers(self, name: str, section: Section) -> Layers:
        layers = Layers([section])
        holders = [section]
        channel = section.settings.get("channel")
        if channel is not None and isinstance(channel.value, int):
            aggregate = self.config.interfaces.get(f"Port-Channel{channel.value}")
            if aggregate is not None:
                holders.append(aggregate)
            else:
                layers.is_complete = self.config.is_whole
        layers.sections = list(holders)
        for holder in holders:
            said = holder.settings.get("profile")
            if said is None or isinstance(said.value, Word):
                continue
            profile = self.config.profiles.get(str(said.value))
            if profile is not None:
                layers.sections.append(profile)
            elif self.config.is_whole or self.config.profiles:
                self._dangling(name, f"qos profile {said.value}", said)
            else:
                layers.is_complete = False
            break
        return layers

    def _dangling(self, name: str, target: str, said: Said) -> None:
        self.defects.append(
            Defect(
                DefectKind.DANGLING_REFERENCE,
                f"interface {name}",
                f"interface {name}: {target} is not defined",
                (name,),
                found=target,
                evidence=said.at,
            )
        )

    def _port(self, name: str, section: Section) -> Port:
        layers = self._layers(name, section)
        own = Layers([section])
        self._tell_evidence(name, section, layers)
        speed = own.value("speed")
        channel = own.value("channel")
        ip_mtu, l2_mtu = self._mtu(own)
        fec = own.value("fec")
        alias = own.value("alias")
        return Port(
            name,
            alias=alias if isinstance(alias, str) else UNKNOWN,
            speed_bps=speed_bps(speed) if isinstance(speed, str) else UNKNOWN,
            lanes=lanes_of(speed) if isinstance(speed, str) else UNKNOWN,
            fec=_FEC.get(fec, UNKNOWN) if isinstance(fec, str) else UNKNOWN,
            l2_mtu=l2_mtu,
            ip_mtu=ip_mtu,
            cable_m=ABSENT,
            admin_state=self._admin_state(own),
            aggregate=f"Port-Channel{channel}" if isinstance(channel, int) else UNKNOWN,
            qos=self._shared_qos(layers, own),
        )

    def _shared_qos(self, layers: Layers, own: Layers) -> PortQos:
        """Give the treatment; ports with equal lines share one."""
        lines = [(key, said.value) for key, said in own.sections[0].settings.items()]
        queues = [
            (queue, key, said.value)
            for queue, settings in own.sections[0].queues.items()
            for key, said in settings.items()
        ]
        key = (
            tuple(line for line in lines if line[0] not in _PLAIN),
            tuple(queues),
            tuple(id(section) for section in layers.sections[1:]),
            layers.is_complete,
        )
        if key not in self._made:
            self._made[key] = self._qos(layers, own)
        return self._made[key]

    def _tell_evidence(self, name: str, section: Section, layers: Layers) -> None:
        self.evidence[f"port {name}"] = section.at
        for key, fact in _EVIDENCE.items():
            said = layers.find(key)
            if said is not None:
                self.evidence[f"port {name} {fact}"] = said.at
        for key in (f"pfc {priority}" for priority in defaults.PRIORITIES):
            said = layers.find(key)
            if said is not None:
                self.evidence.setdefault(f"port {name} pfc_rx", said.at)
                self.evidence.setdefault(f"port {name} pfc_tx", said.at)
        for fact, table in self.maps.tables():
            if table.entries:
                self.evidence[f"port {name} {fact}"] = table.at
                for mark, at in self.maps.apart(fact):
                    self.evidence[f"port {name} {fact} {mark}"] = at

    def _admin_state(self, own: Layers) -> Known[AdminState]:
        said = own.find("shutdown")
        if said is not None:
            return AdminState.UP if said.value is Word.NO else AdminState.DOWN
        return AdminState.UP if self.config.is_whole else UNKNOWN

    def _mtu(self, own: Layers) -> tuple[Known[int], Known[int]]:
        """Largest IP packet and largest frame; an untagged frame is 14 bytes larger.

        A switched port has the frame size of its platform, which no line states.
        """
        ip = own.value("mtu")
        frame = own.value("l2 mtu")
        if self._is_routed(own) is False:  # `mtu` counts where packets are routed
            return UNKNOWN, frame if isinstance(frame, int) else UNKNOWN
        if not isinstance(ip, int):
            is_default = self.config.is_whole and self._is_routed(own) is True
            ip = defaults.DEFAULT_IP_MTU if is_default else UNKNOWN
        if isinstance(frame, int):
            return ip, frame
        return ip, ip + defaults.ETHERNET_BYTES if is_known(ip) else UNKNOWN

    def _is_routed(self, layers: Layers) -> Known[bool]:
        """Whether packets are routed here; UNKNOWN where an excerpt does not show it."""
        said = layers.find("switchport")
        if said is not None:
            return said.value is Word.NO
        if isinstance(layers.value("address"), str):
            return True
        if layers.find("switched") is not None:
            return False
        return False if self.config.is_whole else UNKNOWN

    def _qos(self, layers: Layers, own: Layers) -> PortQos:
        trust = self._trust(layers)
        mode, pfc = self._pfc(layers)
        queues = self.maps.queue_map()
        known_queues = known_or(queues, defaults.PRIORITY_TO_QUEUE)
        dcbx = self._dcbx(own)
        return PortQos(
            trust=trust,
            dscp_to_priority=self._dscp(layers),
            pcp_to_priority=self.maps.mark_map("cos", defaults.PCP_TO_PRIORITY),
            priority_to_queue=queues,
            priority_to_priority_group=_groups(pfc),
            pfc_rx=pfc,
            pfc_tx=pfc,
            pfc_mode=mode,
            pfc_priority_to_queue=defaults.paused_queues(pfc, known_queues)
            if is_known(pfc)
            else UNKNOWN,
            pfc_priority_to_priority_group=defaults.PFC_PRIORITY_TO_GROUP
            if is_known(pfc)
            else UNKNOWN,
            dcbx_mode=dcbx,
            dcbx_willing=False,
            scheduler=schedulers(layers, is_whole=self.config.is_whole),
            ecn=markings(layers),
            ingress_buffer=_accounts(pfc),
            # the shares of queues are the switch's own
            egress_buffer=ABSENT,
            watchdog=self._watchdog(layers, pfc, known_queues),
            global_pause_rx=_pause(own, "pause rx"),
            global_pause_tx=_pause(own, "pause tx"),
            remark_dscp=self.maps.remark("dscp", defaults.REMARK_DSCP),
            remark_pcp=self.maps.remark("cos", defaults.REMARK_PCP),
        )

    def _trust(self, layers: Layers) -> Known[Trust]:
        said = layers.value("trust")
        if said in _TRUSTS:
            return _TRUSTS[said]
        is_routed = self._is_routed(Layers(layers.sections[:2]))
        if said is UNKNOWN or is_routed is UNKNOWN:
            return UNKNOWN
        return Trust.DSCP if is_routed else Trust.PCP

    def _dscp(self, layers: Layers) -> Known[IntMap]:
        """The map of the switch, under the policy map of the port where it goes by DSCP alone."""
        found = self.maps.mark_map("dscp", defaults.DSCP_TO_PRIORITY)
        said = layers.value("classifier")
        if said is UNKNOWN:
            return UNKNOWN
        if not isinstance(said, str):
            return found
        classes = self.config.policy_maps.get(said)
        if classes is None or not is_known(found):
            return UNKNOWN
        marks = dict(found)
        for name, priority in reversed(classes.items()):
            matched = (
                frozenset(defaults.DSCPS)
                if name == "class-default"
                else self.config.class_maps.get(name)
            )
            if matched is None:
                return UNKNOWN
            marks.update(dict.fromkeys(matched, priority))
        return FrozenMap(marks)

    def _pfc(self, layers: Layers) -> tuple[Known[PfcMode], Known[frozenset[int]]]:
        if self.config.is_all_off:
            return PfcMode.OFF, frozenset()
        said = layers.value("pfc")
        if said is UNKNOWN:
            return UNKNOWN, UNKNOWN
        if said == "auto":
            return PfcMode.AUTO, UNKNOWN
        if said != "on":
            return PfcMode.OFF, frozenset()
        values = {one: layers.value(f"pfc {one}") for one in defaults.PRIORITIES}
        if UNKNOWN in values.values():
            return PfcMode.ON, UNKNOWN
        return PfcMode.ON, frozenset(one for one, value in values.items() if value == "no-drop")

    def _dcbx(self, own: Layers) -> Known[DcbxMode]:
        said = own.value("dcbx")
        return _DCBX.get(said, UNKNOWN) if isinstance(said, str) else DcbxMode.DISABLED

    def _watchdog(
        self, layers: Layers, pfc: Known[frozenset[int]], queues: Mapping[int, int]
    ) -> Known[Watchdog]:
        enabled = layers.value("watchdog")
        if enabled is Word.NO:
            return ABSENT
        timer = layers.value("watchdog timer")
        if UNKNOWN in (enabled, timer):
            return UNKNOWN
        times = self._times(timer)
        if times is None:
            is_told = self.config.is_whole or self.config.has_watchdog
            return ABSENT if is_told else UNKNOWN
        detection, restoration = times
        return Watchdog(detection, restoration, self._action(layers), guarded(layers, pfc, queues))

    def _times(self, timer: object) -> tuple[Known[int], Known[int]] | None:
        if isinstance(timer, Timer):
            return timer.detection_ms, timer.restoration_ms
        said = self.config.watchdog.get("timeout")
        if said is None or said.value == 0:
            return None
        recovery = self.config.watchdog.get("recovery-time")
        detection = said.value if isinstance(said.value, int) else UNKNOWN
        is_number = recovery is not None and isinstance(recovery.value, int)
        return detection, int(str(recovery.value)) if recovery and is_number else UNKNOWN

    def _action(self, layers: Layers) -> Known[WatchdogAction]:
        """What is done with a stuck queue; ABSENT is the default, which shuts the port."""
        if "override action" in self.config.actions:
            return WatchdogAction.DROP
        said = layers.value("watchdog action")
        if isinstance(said, str):
            return _ACTIONS.get(said, UNKNOWN)
        if "action" in self.config.actions:
            return WatchdogAction.DROP
        return ABSENT if self.config.is_whole or self.config.has_watchdog else UNKNOWN


def _pause(own: Layers, key: str) -> Known[bool]:
    said = own.value(key)
    if isinstance(said, str):
        return {"on": True, "off": False}.get(said, UNKNOWN)
    return False


def _groups(pfc: Known[frozenset[int]]) -> Known[IntMap]:
    """Groups of no-drop priorities; no entry tells the group of another."""
    return defaults.priority_groups(pfc) if is_known(pfc) else UNKNOWN


def _accounts(pfc: Known[frozenset[int]]) -> Known[FrozenMap[int, Buffer]]:
    """A lossless account for each no-drop priority, which the switch sizes itself."""
    if not is_known(pfc):
        return UNKNOWN
    account = Buffer(headroom_bytes=ABSENT, is_lossless=True, is_computed=True)
    return FrozenMap(dict.fromkeys(sorted(pfc), account)) if pfc else ABSENT
