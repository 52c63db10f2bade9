"""Headroom: what arrives after a port says stop has a place to go."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

from netcheck.lossless.headroom import wire_bytes
from netcheck.lossless.required import CERTAIN_SHARE, Required, is_known_asic, required_headroom
from netcheck.model.device import DefectKind, Device
from netcheck.model.errors import InputError
from netcheck.model.fact import NotGivenError, is_absent, is_readable
from netcheck.model.finding import Severity
from netcheck.model.qos import PoolKind
from netcheck.model.records import BufferView, DeviceQosView, PoolView
from netcheck.model.view import DeviceView, FabricView, LinkView, PortView
from netcheck.rules.roce.groups import only_switch
from netcheck.rules.rule import Fault, Scope, rule

LUA = "sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua"
BUFFERMGR = "sonic-net/sonic-swss cfgmgr/buffermgr.cpp"
UNKNOWN_ASIC = "unknown"


def lossless_accounts(port: PortView) -> Iterator[BufferView]:
    """Yield the ingress accounts that hold headroom for lossless classes."""
    for each in port.lossless:
        account = port.ingress_buffer.get(port.priority_group_of(each.priority))
        if account is not None and account.is_lossless and not is_absent(account, "headroom_bytes"):
            yield account


@rule(
    "hdrm-below-wire-rtt",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="derived: bytes in flight on both trips of the cable arrive whatever the peer does",
    supersedes=("hdrm-below-required", "hdrm-below-intended", "hdrm-differs-between-ports"),
)
def hdrm_below_wire_rtt(port: PortView) -> Iterator[Fault]:
    """Headroom is smaller than what the cable alone holds.

    Why: no peer, however fast, can stop in time; packets drop after every pause at full rate.
    Bad: 100G, 2000 m, headroom 234496 bytes.
    Good: at least 250000 bytes there, and what frames and the peer's response add.
    Fix: raise the headroom, shorten the link, or take the lossless class off it.
    """
    only_switch(port)
    for account in lossless_accounts(port):
        least = wire_bytes(port.speed_bps, port.length_m)
        if account.headroom_bytes < least:
            note = f"{port.length_m:g} m at {port.speed_bps / 1e9:g}G"
            yield Fault(
                account,
                ("headroom_bytes", "ingress_buffer"),
                f">= {least}",
                account.headroom_bytes,
                note,
            )


@rule(
    "hdrm-below-intended",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"derived: the intended value is computed for the port's speed and cable; {LUA}",
    supersedes=("hdrm-below-required", "hdrm-differs-between-ports"),
)
def hdrm_below_intended(port: PortView) -> Iterator[Fault]:
    """Headroom is smaller than the intent computes for the port.

    Why: packets that are in flight after a pause have no place and drop.
    Bad: intended 121856 bytes, found 60928.
    Good: at least the intended bytes.
    Fix: set the headroom (SONiC: xoff of the buffer profile) to the intended value.
    """
    only_switch(port)
    intended = port.intended.ingress_buffer
    for number, account in port.ingress_buffer.items():
        wanted = intended.get(number)
        if wanted is None or not is_readable(wanted, "headroom_bytes"):
            continue
        if is_absent(account, "headroom_bytes"):
            continue
        if account.headroom_bytes < wanted.headroom_bytes:
            yield Fault(
                account,
                ("headroom_bytes", "ingress_buffer"),
                f">= {wanted.headroom_bytes}",
                account.headroom_bytes,
            )


@rule(
    "hdrm-below-required",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"{LUA}; pg_profile_lookup.ini of sonic-net/sonic-buildimage for other ASICs",
    supersedes=("hdrm-differs-between-ports",),
)
def hdrm_below_required(port: PortView) -> Iterator[Fault]:
    """Headroom is smaller than the ASIC needs for this speed and cable.

    Why: packets that are in flight after a pause have no place and drop. (A warning where the
        law is only a fit to shipped tables, or less than 15 % is missing.)
    Bad: Spectrum-4, 400G, 40 m, headroom 58368 bytes.
    Good: at least what the ASIC's law gives.
    Fix: set the headroom from `netcheck headroom`, or correct speed and cable length.
    """
    only_switch(port)
    for account in lossless_accounts(port):
        needed = _required(port)
        found = account.headroom_bytes
        if found < needed.headroom_bytes:
            note = f"{port.speed_bps / 1e9:g}G, {port.length_m:g} m, {needed.model}"
            yield Fault(
                account,
                ("headroom_bytes", "ingress_buffer"),
                f">= {needed.headroom_bytes}",
                found,
                note,
                severity=None if found < needed.certain_bytes else Severity.WARNING,
            )


def _required(port: PortView) -> Required:
    asic = port.device.asic
    if not is_known_asic(asic):
        raise NotGivenError("headroom law of the ASIC")
    traffic = _assumed_traffic(port.device)
    try:
        return required_headroom(
            asic,
            speed_bps=port.speed_bps,
            cable_m=port.length_m,
            lanes=port.lanes if is_readable(port, "lanes") else 1,
            **traffic,
        )
    except InputError as error:
        raise NotGivenError(f"headroom law ({error})") from error


def _assumed_traffic(device: DeviceView) -> dict[str, int]:
    """Traffic that the device itself is told to assume, where it is."""
    if not is_readable(device, "qos"):
        return {}
    whole = device.whole_qos
    facts = {"lossless_mtu_bytes": "lossless_mtu", "small_packet_percent": "small_packet_percent"}
    return {name: getattr(whole, fact) for fact, name in facts.items() if is_readable(whole, fact)}


@rule(
    "hdrm-differs-between-ports",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source="derived: ports of one ASIC with the same speed and cable need the same headroom",
)
def hdrm_differs_between_ports(fabric: FabricView) -> Iterator[Fault]:
    """A port has less headroom than other ports of the same ASIC, speed and cable.

    Why: if the others are right, this one drops packets after a pause. (A warning where less
        than 15 % is missing.)
    Bad: 31 ports of 400G and 5 m with 95232 bytes, one with 47104.
    Good: the same headroom for the same speed and cable.
    Fix: bind the profile that the other ports have.
    """
    seen: dict[object, list[tuple[BufferView, int]]] = {}
    for port in fabric.ports:
        with fabric.attempt():
            if port.device.is_host:
                continue
            for account in lossless_accounts(port):
                alike = (*_make(port), port.speed_bps, port.length_m)
                seen.setdefault(alike, []).append((account, account.headroom_bytes))
    for accounts in seen.values():
        most = max(found for _, found in accounts)
        for account, found in accounts:
            if found < most:
                yield Fault(
                    account,
                    ("headroom_bytes", "ingress_buffer"),
                    f">= {most}",
                    found,
                    note="as other ports alike",
                    severity=None if found < CERTAIN_SHARE * most else Severity.WARNING,
                )


def _make(port: PortView) -> tuple[object, ...]:
    """What two ports must share, besides speed and cable, to need the same headroom."""
    device = port.device.record
    return port.device.asic_or_name, device.model, device.platform, port.record.lanes


@rule(
    "hdrm-cable-length-vs-topology",
    severity=Severity.ERROR,
    scope=Scope.LINK,
    source="derived: headroom grows with the cable; a length below the real one gives too little",
    supersedes=("hdrm-below-required",),
)
def hdrm_cable_length_vs_topology(link: LinkView) -> Iterator[Fault]:
    """A port computes headroom for a cable shorter than the real one.

    Why: more packets are in flight than there is room for.
    Bad: the device assumes 5 m, the cable is 40 m.
    Good: the device assumes 40 m or more.
    Fix: set the cable length of the port.
    """
    for here in link.ends:
        with link.attempt():  # one end that takes no cable length leaves the other judged
            if here.device.is_host or not here.is_rdma or is_absent(here, "cable_m"):
                continue
            if here.cable_m < link.length_m:
                facts = ("cable_m", "headroom_bytes")
                yield Fault(here, facts, f">= {link.length_m:g} m", f"{here.cable_m} m")


@rule(
    "hdrm-profile-missing",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"{BUFFERMGR}: without a cable length or a row for speed and length there is no profile",
    supersedes=("tc-pg-mismatch",),
)
def hdrm_profile_missing(port: PortView) -> Iterator[Fault]:
    """A lossless class has no headroom profile at a port.

    Why: its priority group drops although PFC is on; the device says so only in its log.
    Bad: no cable length for the port, or no row for 400G over 50 m in the lookup table.
    Good: a cable length that the table has, or an explicit profile.
    Fix: set the cable length to one of the table's, or bind a profile with headroom.
    """
    only_switch(port)
    yield from _without_room(port)
    if not port.lossless or any(_has_headroom(each) for each in _accounts(port)):
        return
    if is_absent(port, "cable_m") or port.cable_m == 0:
        found = "none" if is_absent(port, "cable_m") else "0 m"
        yield Fault(port, ("cable_m", "ingress_buffer"), "a cable length", found)
        return
    whole = port.device.whole_qos
    rows = whole.headroom_table
    if is_readable(whole, "is_headroom_computed") and whole.is_headroom_computed:
        return
    if not any(row.speed_bps == port.speed_bps and row.cable_m == port.cable_m for row in rows):
        wanted = f"a row for {port.speed_bps / 1e9:g}G and {port.cable_m} m"
        yield Fault(port, ("headroom_table", "ingress_buffer"), wanted, "none")


def _accounts(port: PortView) -> list[BufferView]:
    if not is_readable(port, "ingress_buffer"):
        return []
    groups = (port.priority_group_of(each.priority) for each in port.lossless)
    return [port.ingress_buffer[group] for group in groups if group in port.ingress_buffer]


def _without_room(port: PortView) -> Iterator[Fault]:
    """Yield lossless accounts whose headroom is nothing at all."""
    for account in _accounts(port):
        is_known = is_readable(account, "is_lossless") and is_readable(account, "headroom_bytes")
        if is_known and account.is_lossless and account.headroom_bytes == 0:
            facts = ("headroom_bytes", "ingress_buffer")
            yield Fault(account, facts, "> 0 bytes", "0 bytes", note="headroom")


def _has_headroom(account: BufferView) -> bool:
    return account.is_lossless


@rule(
    "hdrm-size-inconsistent",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="sonic-net/sonic-buildimage pull request 2527: size and xoff exchanged",
    is_proof=False,
)
def hdrm_size_inconsistent(port: PortView) -> Iterator[Fault]:
    """A lossless account is smaller than its headroom, and no headroom is shared.

    Why: the headroom exists on paper only; packets drop after the pause.
    Bad: size 55120, headroom 56368, pool without shared headroom.
    Good: size = headroom + XON; or a pool with shared headroom, where size = XON is right.
    Fix: raise the size, or give the ingress pool shared headroom.
    """
    only_switch(port)
    for account in lossless_accounts(port):
        if account.size_bytes < account.headroom_bytes and _shares_nothing(port.device.whole_qos):
            yield Fault(
                account,
                ("size_bytes", "ingress_buffer"),
                f">= {account.headroom_bytes}",
                account.size_bytes,
                note="no shared headroom",
            )


def _shares_nothing(whole: DeviceQosView) -> bool:
    """No ingress pool has shared headroom, as far as the texts can be read."""
    if is_readable(whole, "oversubscription") and whole.oversubscription:
        return False
    ingress = [each for each in whole.pools.values() if each.kind is PoolKind.INGRESS]
    if not ingress:
        raise NotGivenError("ingress buffer pool")
    return not any(_shared(each) for each in ingress)


def _shared(pool: PoolView) -> int:
    """Shared headroom; none where the text holds something that is no number."""
    device = pool.owner.owner.subject
    name = pool.place.queue.removeprefix("pool ")
    defects = device.defects if isinstance(device, Device) else ()
    if any(each.kind is DefectKind.MALFORMED_VALUE and name in each.place for each in defects):
        return 0
    return pool.shared_headroom_bytes


def wants_nothing_lossless(device: DeviceView) -> bool:
    """The intent has classes, and says of none that it is lossless: no row is ever used."""
    classes = device.policy.classes if is_readable(device, "policy") else ()
    said = [each for each in classes if is_readable(each, "delivery")]
    return bool(said) and not any(each.is_lossless for each in said)


@rule(
    "hdrm-table-size-below-headroom",
    severity=Severity.ERROR,
    scope=Scope.DEVICE,
    source="sonic-net/sonic-buildimage pull requests 2527 and 9537",
    is_proof=False,
)
def hdrm_table_size_below_headroom(device: DeviceView) -> Iterator[Fault]:
    """Rows of a headroom table reserve less than their headroom, and no headroom is shared.

    Why: every profile that the device makes from these rows has headroom on paper only.
    Bad: size 55120, headroom 56368, pool without shared headroom.
    Good: size = headroom + XON; or a pool with shared headroom, where size = XON is right.
    Fix: correct the rows, or give the ingress pool shared headroom.
    """
    if wants_nothing_lossless(device):
        return
    whole = device.whole_qos
    short = [row for row in whole.headroom_table if row.size_bytes < row.headroom_bytes]
    if short and _shares_nothing(whole):
        row = short[0]
        yield Fault(
            device,
            ("headroom_table", "pools"),
            f"size >= {row.headroom_bytes}",
            row.size_bytes,
            note=f"{len(short)} rows, first {row.speed_bps / 1e9:g}G {row.cable_m} m; "
            "no shared headroom",
        )


@rule(
    "hdrm-nonmonotonic-length",
    severity=Severity.ERROR,
    scope=Scope.DEVICE,
    source="derived: a longer cable holds more packets, so headroom cannot shrink with length",
    is_proof=False,
)
def hdrm_nonmonotonic_length(device: DeviceView) -> Iterator[Fault]:
    """A headroom table gives less for a longer cable at the same speed.

    Why: one of the two rows is wrong; if it is the longer one, packets drop. (A warning where
        the break is between the same lengths at several speeds: then two tables were joined that
        assume different traffic, as in some that are shipped.)
    Bad: 100G: 40 m 66560 bytes, 300 m 59392 bytes.
    Good: headroom that grows with length, or stays.
    Fix: compute the rows anew.
    """
    if wants_nothing_lossless(device):
        return
    rows = sorted(device.whole_qos.headroom_table)
    breaks = [
        (shorter, longer)
        for shorter, longer in itertools.pairwise(rows)
        if shorter.speed_bps == longer.speed_bps and longer.headroom_bytes < shorter.headroom_bytes
    ]
    steps = Counter((shorter.cable_m, longer.cable_m) for shorter, longer in breaks)
    for shorter, longer in breaks:
        is_joined = steps[shorter.cable_m, longer.cable_m] > 1
        yield Fault(
            device,
            ("headroom_table",),
            f">= {shorter.headroom_bytes}",
            longer.headroom_bytes,
            note=f"{longer.speed_bps / 1e9:g}G {longer.cable_m} m against {shorter.cable_m} m",
            severity=Severity.WARNING if is_joined else None,
        )


@rule(
    "hdrm-speed-profile-mismatch",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source=f"{BUFFERMGR}: profiles are looked up by speed and cable",
    is_proof=False,
)
def hdrm_speed_profile_mismatch(port: PortView) -> Iterator[Fault]:
    """A port runs faster than the speed its headroom was computed for.

    Why: more bytes arrive after a pause than there is room for.
    Bad: configured 100G, runs at 200G.
    Good: configured and running at 200G.
    Fix: apply the buffer profile again after the speed changed.
    """
    only_switch(port)
    if not port.lossless:
        return
    if port.operational_speed_bps > port.speed_bps:
        yield Fault(
            port,
            ("speed_bps", "operational_speed_bps"),
            f"{port.operational_speed_bps / 1e9:g}G",
            f"{port.speed_bps / 1e9:g}G",
            note="running speed",
        )
