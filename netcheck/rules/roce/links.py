"""Links: speed and cabling as intended, members of an aggregate alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from netcheck.model.device import Device, Neighbour, Port
from netcheck.model.fabric import Fabric, Link, Origin, PortRef
from netcheck.model.fact import NotGivenError, UnknownAtError, is_readable
from netcheck.model.finding import Place, Severity
from netcheck.model.known import ABSENT, UNKNOWN, Known, Missing, is_known
from netcheck.model.view import FabricView, LinkView, PortView
from netcheck.rules.index import facts_of_ports
from netcheck.rules.rule import Fault, Scope, rule

QOS_FACTS = (
    "pfc_rx",
    "pfc_tx",
    "trust",
    "dscp_to_priority",
    "priority_to_queue",
    "priority_to_priority_group",
    "scheduler",
    "ecn",
    "ingress_buffer",
)

PEER_FACTS = ("pfc_rx", "pfc_tx", "trust")  # what two switches of different make can be held to


@rule(
    "link-speed-mismatch",
    severity=Severity.ERROR,
    scope=Scope.LINK,
    source="derived: both ends of a link run at one speed; headroom and ECN are sized for it",
    is_proof=False,
)
def link_speed_mismatch(link: LinkView) -> Iterator[Fault]:
    """The two ends of a link are set to different speeds.

    Why: the link stays down, or runs at a speed that its buffers were not sized for.
    Bad: 400G at the leaf, 200G at the host.
    Good: 400G at both.
    Fix: set the same speed, and apply the buffer profiles again.
    """
    a, b = link.ends
    if _speed(a) != _speed(b):
        found = f"{_speed(a) / 1e9:g}G and {_speed(b) / 1e9:g}G"
        yield Fault((a, b), ("speed_bps",), "one speed", found)


def _speed(port: PortView) -> int:
    if is_readable(port, "operational_speed_bps"):
        return port.operational_speed_bps
    return port.speed_bps


@rule(
    "link-speed-not-intended",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="derived: headroom, ECN and expected bandwidth follow from the intended speed",
    supersedes=("link-speed-mismatch",),
    is_proof=False,
)
def link_speed_not_intended(port: PortView) -> Iterator[Fault]:
    """A port does not run at the intended speed.

    Why: its buffers are sized for another speed, and the expected bandwidth is not there.
    Bad: intended 400G, runs at 200G.
    Good: runs at 400G.
    Fix: check the speed setting, the optic and the number of lanes.
    """
    intended = port.intended.speed_bps
    if _speed(port) != intended:
        yield Fault(port, ("speed_bps",), f"{intended / 1e9:g}G", f"{_speed(port) / 1e9:g}G")


@rule(
    "link-fec-mismatch",
    severity=Severity.ERROR,
    scope=Scope.LINK,
    source="IEEE 802.3 clauses 91 and 108: both ends use the same FEC",
    is_proof=False,
)
def link_fec_mismatch(link: LinkView) -> Iterator[Fault]:
    """The two ends of a link use different forward error correction.

    Why: the link stays down or loses packets to bit errors.
    Bad: rs at the switch, none at the host.
    Good: rs at both.
    Fix: set the same FEC.
    """
    a, b = link.ends
    if "auto" not in (a.fec, b.fec) and a.fec != b.fec:
        yield Fault((a, b), ("fec",), "one FEC", f"{a.fec} and {b.fec}")


@rule(
    "link-asym-cabling",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="IEEE 802.1AB (LLDP); derived: paths, rails and cable lengths follow the cabling plan",
    supersedes=(
        "link-speed-mismatch",
        "link-fec-mismatch",
        "mtu-link-mismatch",
        "hdrm-cable-length-vs-topology",
    ),
)
def link_asym_cabling(fabric: FabricView) -> Iterator[Fault]:
    """A port is cabled to another neighbour than intended.

    Why: traffic takes other paths than planned, rails mix, and headroom is sized for another
        cable.
    Bad: intended spine01 Ethernet0, LLDP says spine02 Ethernet0.
    Good: LLDP says spine01 Ethernet0.
    Fix: move the cable, or correct the cabling plan.
    """
    plan = fabric.plan
    if _none_tells(fabric.record):
        fabric.gaps += _untold(fabric, plan.links)
        return
    for link in plan.links:
        seen = [
            (here, there, port.neighbour)
            for here, there in ((link.a, link.b), (link.b, link.a))
            if (port := _find_port(fabric.record, here)) is not None
        ]
        silent = [here for here, _, found in seen if found is UNKNOWN]
        # A device without LLDP leaves its cables to the other end; one with it tells of all.
        open_ends = silent if len(silent) == len(seen) else _partly_told(fabric.record, silent)
        if open_ends:
            fabric.gaps.append(_no_neighbour(fabric, open_ends[0]))
        wrong = {
            here: _who(found)
            for here, there, found in seen
            if found is not UNKNOWN and not _is(fabric.record, found, there)
        }
        if wrong:
            places = tuple(Place(here.device, here.port) for here in wrong)
            shown = "; ".join(f"{who} at {here}" for here, who in wrong.items())
            yield Fault(fabric, ("neighbour",), f"{link.a} - {link.b}", shown, places=places)


def _none_tells(fabric: Fabric) -> bool:
    """It is an intent, in which no port names its neighbour."""
    is_intent = fabric.origin is Origin.INTENDED
    return is_intent and facts_of_ports(fabric, "neighbour") <= {UNKNOWN}


def _untold(fabric: FabricView, links: Iterable[Link]) -> list[UnknownAtError | NotGivenError]:
    """One gap a link; in an intent only their number counts, not their places."""
    ports = {name: device.ports.keys() for name, device in fabric.record.devices.items()}
    told = [
        end
        for link in links
        for end in (link.a if link.a.port in ports.get(link.a.device, ()) else link.b,)
        if end.port in ports.get(end.device, ())
    ]
    return [_no_neighbour(fabric, told[0])] * len(told) if told else []


def _partly_told(fabric: Fabric, silent: Iterable[PortRef]) -> list[PortRef]:
    return [
        end
        for end in silent
        if any(is_known(port.neighbour) for port in fabric.devices[end.device].ports.values())
    ]


def _who(found: Known[Neighbour]) -> str:
    return f"{found.device} {found.port}" if is_known(found) else "nobody"


def _find_port(fabric: Fabric, end: PortRef) -> Port | None:
    device: Device | None = fabric.devices.get(end.device)
    return device.ports.get(end.port) if device else None


def _no_neighbour(fabric: FabricView, end: PortRef) -> UnknownAtError | NotGivenError:
    view = fabric.port_of.get(end)
    if view is None:
        return NotGivenError("neighbour")
    return UnknownAtError("neighbour", view.standing_for((end,)))


def _is(fabric: Fabric, found: Known[Neighbour], wanted: PortRef) -> bool:
    """LLDP may give a long host name, and a port's alias."""
    if not is_known(found) or wanted.device not in (found.device, found.device.split(".")[0]):
        return False
    port = _find_port(fabric, wanted)
    alias = port.alias if port else UNKNOWN
    return found.port == wanted.port or (is_known(alias) and found.port == alias)


@rule(
    "pfc-lag-member-mismatch",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="derived: the hash decides which member a flow takes, and with it whether it drops",
    is_proof=False,
)
def pfc_lag_member_mismatch(fabric: FabricView) -> Iterator[Fault]:
    """A member of an aggregate treats traffic unlike the other members.

    Why: which flows lose packets is left to the hash.
    Bad: three members pause priority 3, one does not.
    Good: all members have the same settings.
    Fix: apply one profile to all members.
    """
    for device, name, members in _aggregates(fabric.record):
        for fact in QOS_FACTS:
            held = {port.name: _held(port, fact) for port in members}
            yield from _unlike(fabric, fact, name, {(device, k): v for k, v in held.items()})
    for name, halves in _mlags(fabric.record):
        for fact in PEER_FACTS:
            both = {(device, port.name): _held(port, fact) for device, port in halves}
            yield from _unlike(fabric, fact, name, both)


def _unlike(
    fabric: FabricView, fact: str, name: str, held: Mapping[tuple[str, str], object]
) -> Iterator[Fault]:
    """Members that hold something else than most of the aggregate do."""
    if UNKNOWN in held.values():
        return
    usual, votes = Counter(held.values()).most_common(1)[0]
    for place, value in held.items():
        if value != usual:
            yield Fault(
                fabric,
                (fact,),
                _shown(usual),
                _shown(value),
                note=f"as {votes} other members of {name}",
                places=(Place(*place),),
            )


def _held(port: Port, fact: str) -> object:
    """A fact as members must share it: headroom follows each cable, so only who has some counts."""
    value = getattr(port.qos, fact)
    if fact != "ingress_buffer" or not is_known(value):
        return value
    return frozenset(group for group, account in value.items() if account.is_lossless is True)


def _mlags(fabric: Fabric) -> Iterator[tuple[str, list[tuple[str, Port]]]]:
    """Each aggregate that two switches share, with the ports of both."""
    by_place = {(one.device, one.name): one for one in fabric.aggregates}
    for one in fabric.aggregates:
        peer = by_place.get((one.mlag_peer, one.name)) if is_known(one.mlag_peer) else None
        if peer is None or peer.device < one.device:
            continue
        yield (
            one.name,
            [
                (half.device, port)
                for half in (one, peer)
                for member in half.members
                if (port := _find_port(fabric, PortRef(half.device, member))) is not None
            ],
        )


def _shown(value: object) -> object:
    if isinstance(value, Missing):
        return "none" if value is ABSENT else "unknown"
    return dict(value) if isinstance(value, Mapping) else value


def _aggregates(fabric: Fabric) -> Iterator[tuple[str, str, list[Port]]]:
    named: dict[tuple[str, str], dict[str, Port]] = {}
    for aggregate in fabric.aggregates:
        ports = fabric.devices[aggregate.device].ports if aggregate.device in fabric.devices else {}
        found = {name: ports[name] for name in aggregate.members if name in ports}
        named.setdefault((aggregate.device, aggregate.name), {}).update(found)
    has_members = any(map(is_known, facts_of_ports(fabric, "aggregate")))
    for device in fabric.devices.values() if has_members else ():
        for port in device.ports.values():
            if is_known(port.aggregate):
                named.setdefault((device.name, port.aggregate), {})[port.name] = port
    for (device_name, name), members in sorted(named.items()):
        if len(members) > 1:
            yield device_name, name, list(members.values())
