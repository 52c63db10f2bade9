"""SL to VL and VL arbitration as they are in effect: lanes that are masked, starved or shared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from netcheck.model.document import Evidence
from netcheck.model.finding import Severity
from netcheck.model.known import is_known, known_or
from netcheck.model.view import FabricView
from netcheck.rules.infiniband.managers import OPENSM, Manager, managers
from netcheck.rules.rule import Fault, Scope, rule

EVERY_VL: Final = frozenset(range(15))
KINDS: Final = ("", "ca_", "sw0_", "swe_", "rtr_")
DROP: Final = 15
# Source: opensm -c of 3.3.23: what ports get where nothing is said.
DEFAULT_SL2VL: Final = (*range(15), 7)
DEFAULT_HIGH: Final = {0: 4}
DEFAULT_LOW: Final = dict.fromkeys(range(1, 15), 4)
VLS_OF_CODE: Final = {1: 1, 2: 2, 3: 4, 4: 8, 5: 15}
COMMON_VLS: Final = 8  # what most switches and adapters have
COMMON_ENTRIES: Final = 8
UNLIMITED: Final = 255
QOS_KEYS: Final = ("sl2vl", "vlarb_high", "vlarb_low", "high_limit")
LANE_ENGINES: Final = frozenset({"dfsssp", "lash", "torus-2QoS", "nue"})


@dataclass(frozen=True, slots=True)
class Lanes:
    """The tables of one kind of port, as written or by default.

    Attributes:
        base: How its options begin: ``qos_``, ``qos_ca_`` and so on.
        key: The first option that is written.
        entries: Entries written in each of the two lists.
    """

    base: str
    key: str
    sl_to_vl: tuple[int, ...]
    high: dict[int, int]
    low: dict[int, int]
    entries: tuple[int, int]
    high_limit: int

    @property
    def table_key(self) -> str:
        """Option of its SL2VL."""
        return f"{self.base}sl2vl"


def lanes_of(manager: Manager) -> Iterator[Lanes]:
    """Yield the tables of each kind of port for which something is written."""
    for kind in KINDS:
        said = [f"qos_{kind}{name}" for name in QOS_KEYS]
        written = [key for key in said if manager.value(key) not in {"", "-1"}]
        if written:
            yield _lanes(manager, f"qos_{kind}", written[0])


def _lanes(manager: Manager, base: str, key: str) -> Lanes:
    def text(name: str) -> str:
        return manager.value(f"{base}{name}") or manager.value(f"qos_{name}")

    high, low = text("vlarb_high"), text("vlarb_low")
    limit = manager.value(f"{base}high_limit", "-1")
    limit = manager.value("qos_high_limit", "0") if limit == "-1" else limit
    sl_to_vl = tuple(int(each) for each in text("sl2vl").split(",") if each)
    return Lanes(
        base,
        key,
        sl_to_vl or DEFAULT_SL2VL,
        _weights(high) if high else DEFAULT_HIGH,
        _weights(low) if low else DEFAULT_LOW,
        (high.count(":"), low.count(":")),
        int(limit),
    )


def _weights(text: str) -> dict[int, int]:
    found: dict[int, int] = {}
    for entry in text.split(","):
        vl, _, weight = entry.partition(":")
        found[int(vl)] = found.get(int(vl), 0) + int(weight)
    return found


def limit_of_vls(manager: Manager) -> tuple[int, bool]:
    """Give how many VLs carry data, and whether ``max_op_vls`` says so."""
    said = VLS_OF_CODE.get(manager.number("max_op_vls"))
    return (said, True) if said else (COMMON_VLS, False)


@rule("sm-qos-off", severity=Severity.ERROR, scope=Scope.FABRIC, source=OPENSM, is_proof=False)
def sm_qos_off(fabric: FabricView) -> Iterator[Fault]:
    """QoS tables, a policy or a partition's SL are written, and qos is not TRUE.

    Why: the tables are never programmed, ports keep what they held before, and every path
        and group gets SL 0 whatever its partition says.
    Bad: qos_sl2vl and qos_vlarb_*, or a partition with sl=1, without qos TRUE.
    Good: qos TRUE, or opensm started with -Q.
    Fix: write qos TRUE.
    """
    for manager in managers(fabric):
        if not is_known(manager.config.options) or manager.is_on("qos"):
            continue
        written = [lanes.key for lanes in lanes_of(manager)]
        written += [key for key in ("qos_policy_file",) if _is_own_file(manager, key)]
        for key in written[:1]:
            found = manager.value("qos", "not said")
            effect = f"{key} has no effect"
            at = manager.at("qos") if "qos" in manager.options else manager.at(key)
            yield manager.fault("qos", expected="TRUE", found=found, effect=effect, at=at)
        if not written:
            yield from _levels_off(manager)


def _levels_off(manager: Manager) -> Iterator[Fault]:
    """Partitions with a service level of their own."""
    for one in known_or(manager.config.partitions, ()):
        if known_or(one.sl, 0):
            effect = f"partition {one.name} gets SL 0 in place of SL {one.sl}"
            found = manager.value("qos", "not said")
            yield manager.fault("qos", expected="TRUE", found=found, effect=effect, at=one.evidence)


def _is_own_file(manager: Manager, key: str) -> bool:
    """A file is named that is not where OpenSM looks by itself."""
    return manager.value(key, "/etc/opensm/qos-policy.conf") != "/etc/opensm/qos-policy.conf"


@rule("sm-vl-masked", severity=Severity.ERROR, scope=Scope.FABRIC, source=OPENSM, is_proof=False)
def sm_vl_masked(fabric: FabricView) -> Iterator[Fault]:
    """An SL goes to a VL that ports do not have.

    Why: the VL is cut to the number of VLs in operation: two traffic classes share a lane,
        and nothing says so. Most ports have 8 data lanes, some 4.
    Bad: SL8 to VL8 on ports with 8 VLs, where it shares VL0.
    Good: VLs below the number that max_op_vls and the ports allow.
    Fix: map SLs to lanes that all ports have.
    """
    for manager in managers(fabric):
        most, is_said = limit_of_vls(manager)
        for lanes in lanes_of(manager):
            above = [sl for sl, vl in enumerate(lanes.sl_to_vl) if most <= vl < DROP]
            if above and manager.value(lanes.table_key):
                yield _masked(manager, lanes, above, most, is_said=is_said)
            yield from _masked_weights(manager, lanes, most, is_said=is_said)


def _masked(manager: Manager, lanes: Lanes, above: list[int], most: int, *, is_said: bool) -> Fault:
    shown = ", ".join(f"SL{sl} to VL{lanes.sl_to_vl[sl] % most}" for sl in above[:4])
    what = "" if is_said else f" on ports with {most} data VLs, as most have"
    return manager.fault(
        lanes.table_key,
        expected=f"VLs of 0 to {most - 1}, or 15 to drop",
        found=", ".join(f"VL{vl}" for vl in sorted({lanes.sl_to_vl[sl] for sl in above})),
        effect=f"{shown}{' and so on' if len(above) > 4 else ''}{what}",  # noqa: PLR2004 -- those shown
        at=manager.at(lanes.table_key),
        severity=Severity.ERROR if is_said else Severity.WARNING,
    )


def _masked_weights(manager: Manager, lanes: Lanes, most: int, *, is_said: bool) -> Iterator[Fault]:
    """Weights of VLs that ports do not have; a table of all 15 VLs is written for any port."""
    for name, table in (("vlarb_high", lanes.high), ("vlarb_low", lanes.low)):
        key = f"{lanes.base}{name}"
        above = sorted(vl for vl in table if most <= vl < DROP)
        if above and manager.value(key) and not (set(table) >= EVERY_VL and not is_said):
            yield manager.fault(
                key,
                expected=f"VLs of 0 to {most - 1}",
                found=", ".join(f"VL{vl}" for vl in above),
                effect=f"VL{above[0]}'s weight goes to VL{above[0] % most}"
                + ("" if is_said else f" on ports with {most} data VLs, as most have"),
                at=manager.at(key),
                severity=Severity.WARNING,
            )


@rule("sm-sl-dropped", severity=Severity.ERROR, scope=Scope.FABRIC, source=OPENSM, is_proof=False)
def sm_sl_dropped(fabric: FabricView) -> Iterator[Fault]:
    """An SL that is in use goes to VL15, which drops its packets.

    Why: SL0 carries everything that asks for no SL (the subnet manager, IPoIB); an SL that a
        partition or the policy gives is lost as well.
    Bad: qos_sl2vl 15,1,2,3 and so on.
    Good: VL15 only for SLs that nobody uses.
    Fix: map the SL to a lane, or give the traffic another SL.
    """
    for manager in managers(fabric):
        for lanes in lanes_of(manager):
            for sl, user, at in _users(manager):
                if lanes.sl_to_vl[sl] == DROP and lanes.table_key in manager.options:
                    yield manager.fault(
                        lanes.table_key,
                        expected="a VL of 0 to 14",
                        found=f"SL{sl} to VL15",
                        effect=f"packets of {user} are dropped",
                        at=at or manager.at(lanes.table_key),
                    )


def _users(manager: Manager) -> Iterator[tuple[int, str, Evidence | None]]:
    yield manager.number("sm_sl") & DROP, "the subnet manager and the default SL", None
    for partition in manager.partitions:
        if is_known(partition.sl):
            yield partition.sl, f"partition {partition.name}", partition.evidence
    for level in manager.policy.levels:
        if is_known(level.sl):
            yield level.sl, f"level {level.name}", level.evidence
    for rule_ in manager.policy.ulps:
        if is_known(rule_.sl):
            yield rule_.sl, f"rule {rule_.terms['ulp'][0]}", rule_.evidence


@rule("sm-vl-starved", severity=Severity.ERROR, scope=Scope.FABRIC, source=OPENSM, is_proof=False)
def sm_vl_starved(fabric: FabricView) -> Iterator[Fault]:
    """A VL that traffic goes to has no weight in either arbitration table.

    Why: its packets are never sent while others wait, and nothing says so.
    Bad: SL1 to VL1, and qos_vlarb_low 0:64 with qos_vlarb_high 0:64.
    Good: every VL of SL2VL has a weight above 0 in one of the tables.
    Fix: add the VL to a table.
    """
    for manager in managers(fabric):
        most, _ = limit_of_vls(manager)
        for lanes in lanes_of(manager):
            if not any(lanes.entries):
                continue
            used = {vl % most for vl in _in_use(manager, lanes)}
            idle = sorted(vl for vl in used if not lanes.high.get(vl) and not lanes.low.get(vl))
            if idle:
                at = manager.at(_arbitration_key(manager, lanes))
                yield manager.fault(
                    _arbitration_key(manager, lanes),
                    expected="a weight above 0 for each VL in use",
                    found=f"none for {', '.join(f'VL{vl}' for vl in idle)}",
                    effect="its packets are not sent while others wait",
                    at=at,
                )


def _in_use(manager: Manager, lanes: Lanes) -> set[int]:
    """VLs that a written table sends traffic to; of the default one those whose SL has a user."""
    if manager.value(lanes.table_key) or manager.value("qos_sl2vl"):
        return set(lanes.sl_to_vl) - {DROP}
    return {lanes.sl_to_vl[sl] for sl, _, _ in _users(manager)} - {DROP}


def _arbitration_key(manager: Manager, lanes: Lanes) -> str:
    base = lanes.base
    keys = (f"{base}vlarb_low", f"{base}vlarb_high", "qos_vlarb_low", "qos_vlarb_high")
    return next((key for key in keys if manager.value(key)), keys[0])


@rule(
    "sm-arbitration-too-long",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source=OPENSM,
    is_proof=False,
)
def sm_arbitration_too_long(fabric: FabricView) -> Iterator[Fault]:
    """An arbitration table has more entries than most ports hold.

    Why: entries after the port's last one are cut off, and their VLs starve.
    Bad: eleven entries, where ports hold eight.
    Good: at most eight entries.
    Fix: give each VL one entry with its whole weight.
    """
    for manager in managers(fabric):
        for lanes in lanes_of(manager):
            base = lanes.base
            for name, count in zip(("vlarb_high", "vlarb_low"), lanes.entries, strict=True):
                if count > COMMON_ENTRIES and manager.value(f"{base}{name}"):
                    yield manager.fault(
                        f"{base}{name}",
                        expected=f"at most {COMMON_ENTRIES} entries",
                        found=f"{count} entries",
                        effect="ports that hold fewer cut the rest off",
                        at=manager.at(f"{base}{name}"),
                    )


@rule(
    "sm-high-limit-starves",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="InfiniBand Architecture Specification 1.4, VL arbitration: Limit of High-Priority 255",
    is_proof=False,
)
def sm_high_limit_starves(fabric: FabricView) -> Iterator[Fault]:
    """The high-priority table may send without any limit.

    Why: while its VLs have packets, those of the low-priority table wait for ever.
    Bad: qos_high_limit 255, with data in both tables.
    Good: a limit of a few times 4 KB.
    Fix: lower the limit.
    """
    for manager in managers(fabric):
        for lanes in lanes_of(manager):
            low = [vl for vl, weight in lanes.low.items() if weight and not lanes.high.get(vl)]
            is_waiting = bool(low) and any(lanes.high.values())
            if lanes.high_limit == UNLIMITED and is_waiting:
                base = lanes.base
                key = f"{base}high_limit" if manager.value(f"{base}high_limit") else ""
                yield manager.fault(
                    key or "qos_high_limit",
                    expected="0 to 254 (times 4 KB)",
                    found=str(UNLIMITED),
                    effect=f"{', '.join(f'VL{vl}' for vl in sorted(low))} may starve",
                    at=manager.at(key or "qos_high_limit"),
                )


@rule(
    "sm-max-vls-idle", severity=Severity.WARNING, scope=Scope.FABRIC, source=OPENSM, is_proof=False
)
def sm_max_vls_idle(fabric: FabricView) -> Iterator[Fault]:
    """The number of VLs is limited by an option that limits nothing.

    Why: qos_max_vls is only checked for its range; VLs in operation come from max_op_vls.
    Bad: qos_max_vls 4, and max_op_vls left at 15 VLs.
    Good: max_op_vls 3 (4 VLs).
    Fix: write max_op_vls.
    """
    for manager in managers(fabric):
        most = VLS_OF_CODE.get(manager.number("max_op_vls", 5), DROP)
        for kind in KINDS:
            key = f"qos_{kind}max_vls"
            found = manager.number(key)
            if 0 < found < most:
                yield manager.fault(
                    key,
                    expected=f"max_op_vls for {found} VLs",
                    found=f"{key} {found} alone",
                    effect=f"ports use {most} VLs, as far as they have them",
                    at=manager.at(key),
                )


@rule(
    "sm-engine-without-lanes",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="opensm(8): lash, dfsssp, torus-2QoS and nue need -Q",
    is_proof=False,
)
def sm_engine_without_lanes(fabric: FabricView) -> Iterator[Fault]:
    """A routing engine that separates loops by lanes runs without QoS.

    Why: the lanes are never programmed: all layers share VL0, and their loops can lock up.
    Bad: routing_engine dfsssp, without qos TRUE.
    Good: routing_engine dfsssp, with qos TRUE.
    Fix: write qos TRUE.
    """
    for manager in managers(fabric):
        if manager.is_on("qos"):
            continue
        engines = manager.value("routing_engine").replace(",", " ").split()
        needy = [engine for engine in engines if engine in LANE_ENGINES]
        if needy:
            yield manager.fault(
                "routing_engine",
                expected="qos TRUE",
                found=f"{needy[0]}, and qos {manager.value('qos', 'not said')}",
                effect="its layers share one lane",
                at=manager.at("routing_engine"),
            )
