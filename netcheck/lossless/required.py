"""The least headroom that a switch port needs, as sure as the ASIC's law allows to say."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from netcheck.lossless.asics import asic_names, find_asic, pause_quanta
from netcheck.lossless.headroom import (
    QUANTUM_BYTES,
    HeadroomQuestion,
    headroom,
    parameter_sets,
    wire_bytes,
)
from netcheck.model.known import is_known

FRAME_BYTES = 9216
GAP_BYTES = 20  # preamble and inter-frame gap
PAUSE_FRAME_BYTES = 84
# Ports of these ASICs exist in SONiC tables that count a constant peer response.
EARLY_SPECTRUM = frozenset({"spectrum-1", "spectrum-2", "spectrum-3"})
FIT_MARGIN = 0.10


# Tables that vendors ship lie up to 15 % below the exact law; below that packets are lost.
CERTAIN_SHARE = 0.85


class Required(NamedTuple):
    """Least headroom by the law, and the amount below which loss is certain."""

    headroom_bytes: int
    certain_bytes: int
    model: str


def wire_headroom_bytes(*, speed_bps: int, cable_m: float, mtu_bytes: int = FRAME_BYTES) -> int:
    """Bytes on the wire that can still arrive, whatever cells they take.

    Source: structure of the IEEE 802.1Q PFC annex; responses as in
        sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua.

    Example:
        >>> wire_headroom_bytes(speed_bps=100_000_000_000, cable_m=3)
        44147
    """
    quanta = pause_quanta(speed_bps)
    response = QUANTUM_BYTES * quanta if is_known(quanta) else 0
    frames = 2 * (mtu_bytes + GAP_BYTES) + PAUSE_FRAME_BYTES
    return wire_bytes(speed_bps, cable_m) + response + frames


def required_headroom(
    asic: str,
    *,
    speed_bps: int,
    cable_m: float,
    lanes: int = 1,
    lossless_mtu: int | None = None,
    small_packet_percent: int | None = None,
) -> Required:
    """Least headroom that the ASIC's published law allows.

    Where the law is exact, the lowest of its parameter sets; where it is a fit
    to shipped tables, the fit less a tenth, and only the wire itself is certain.

    Raises:
        InputError: Unknown ASIC or speed, or an impossible cable.
    """
    row = find_asic(asic)
    plain = HeadroomQuestion(asic, speed_bps, cable_m, lanes)
    if row.law == "fitted":
        fits = (headroom(replace(plain, parameters=fit.name)) for fit in row.fits)
        fitted = min(fits, key=lambda each: each.headroom_bytes)
        least_wire = wire_bytes(speed_bps, cable_m)
        return Required(int(fitted.headroom_bytes * (1 - FIT_MARGIN)), least_wire, fitted.model)
    names = [
        name
        for name, one in parameter_sets().items()
        if (one.peer != "constant" or asic in EARLY_SPECTRUM) and (one.tile or not row.has_tile)
    ]
    answers = [
        headroom(
            replace(
                plain,
                parameters=name,
                lossless_mtu=lossless_mtu,
                small_packet_percent=small_packet_percent,
            )
        )
        for name in names
    ]
    least = min(answers, key=lambda each: each.headroom_bytes)
    certain = int(least.headroom_bytes * CERTAIN_SHARE)
    return Required(least.headroom_bytes, certain, least.model)


def is_known_asic(name: str) -> bool:
    """Tell whether there is a headroom law for the ASIC."""
    return name in asic_names()
