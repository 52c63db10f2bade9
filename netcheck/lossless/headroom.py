"""Headroom: bytes that still arrive at a port after it decides to send XOFF.

NVIDIA Spectrum and Barefoot ports are computed as SONiC computes them, byte
for byte; other ASICs by a law fitted to the tables that SONiC ships for them,
with its stated error. Every result carries its terms.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from netcheck.lossless.asics import Asic, find_asic, pause_quanta
from netcheck.lossless.fitted import fitted_bytes
from netcheck.lossless.packaged import packaged_yaml
from netcheck.model.errors import InputError
from netcheck.model.frozen import frozen
from netcheck.model.known import is_known

KIB = 1024
QUANTUM_BYTES = 64
SMALLEST_PACKET_BYTES = 64
LIGHT_M_PER_S = 198_000_000  # as in SONiC's script: 5.05 ns/m
NS_PER_M = 5.0
PRESENT = "present"
FIXED_LAWS = frozenset({"fitted", "mlx5"})  # they assume one kind of traffic
LONGEST_CABLE_M = 120_000
LANES_THAT_DOUBLE = 8
TILE_NS = 120
MTU_BYTES = 9216
LARGEST_MTU_BYTES = 65_535


@frozen
class HeadroomParameters:
    """What the Spectrum computation assumes; fields as in ``data/headroom_parameters.yaml``."""

    name: str
    l2_mtu: int
    lossless_mtu: int
    small_packet_percent: int
    share: str
    peer: str
    rounds_cell_factor: bool
    tile: bool
    compensation: bool
    careful_800g: bool
    source: str


@frozen
class Headroom:
    """Headroom of one lossless priority group of one port.

    Attributes:
        headroom_bytes: What arrives after XOFF (SONiC's field ``xoff``).
        xon_bytes: Fill below which XON is sent.
        size_bytes: Reservation without a shared headroom pool.
        terms: ``(name, bytes)`` of which the headroom is made.
        model: Which law gave it.
        error_percent: Mean error of a fitted law; 0 where exact.
    """

    headroom_bytes: int
    xon_bytes: int
    size_bytes: int
    terms: tuple[tuple[str, int], ...]
    model: str
    error_percent: float = 0.0


@frozen
class HeadroomQuestion:
    """One port and what runs on it; ``None`` takes the parameter set's value."""

    asic: str
    speed_bps: int
    cable_m: float
    lanes: int = 1
    parameters: str = PRESENT
    l2_mtu: int | None = None
    lossless_mtu: int | None = None
    small_packet_percent: int | None = None
    gearbox_ns: int = 0
    extra_delay_ns: float = 0.0


@cache
def parameter_sets() -> dict[str, HeadroomParameters]:
    """Give ``name -> parameter set``, in the order of the data file."""
    rows: dict[str, Any] = packaged_yaml("netcheck.lossless", "data/headroom_parameters.yaml")
    return {name: HeadroomParameters(name=name, **row) for name, row in rows.items()}


def headroom(question: HeadroomQuestion) -> Headroom:
    """Headroom, XON and reservation of one lossless priority group.

    Raises:
        InputError: Unknown ASIC, parameter set or speed, or an impossible cable.

    Source: sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua and
        buffer_headroom_barefoot.lua; fitted laws as sourced in ``data/asics.yaml``.

    Example:
        >>> headroom(HeadroomQuestion("spectrum-4", 400_000_000_000, 40,
        ...          parameters="worst-case")).headroom_bytes
        283648
    """
    asic = find_asic(question.asic)
    _refuse_impossible(question)
    if asic.law == "fitted":
        return _fitted(asic, question)
    if asic.law == "mlx5":
        return _mlx5(asic, question)
    return _spectrum(asic, question, parameter_sets()[question.parameters])


def parameter_names(asic: str) -> tuple[str, ...]:
    """Names that ``HeadroomQuestion.parameters`` takes for that ASIC; the first is the default.

    Parameter sets where headroom is computed, shipped tables where it is fitted.

    Raises:
        InputError: Unknown ASIC.
    """
    row = find_asic(asic)
    if row.law in FIXED_LAWS:
        return (PRESENT, *(fit.name for fit in row.fits))
    return tuple(parameter_sets())


def _refuse_impossible(question: HeadroomQuestion) -> None:
    if not 0 < question.cable_m <= LONGEST_CABLE_M:
        raise InputError(
            f"cable {question.cable_m:g} m: expected more than 0 and at most {LONGEST_CABLE_M} m"
        )
    if not is_known(pause_quanta(question.speed_bps)):
        raise InputError(
            f"speed {question.speed_bps / 1e9:g}G: no pause response known for this speed"
        )
    for name, size in (("L2 MTU", question.l2_mtu), ("lossless MTU", question.lossless_mtu)):
        if size is not None and not SMALLEST_PACKET_BYTES <= size <= LARGEST_MTU_BYTES:
            raise InputError(
                f"{name} {size} bytes: expected {SMALLEST_PACKET_BYTES} to {LARGEST_MTU_BYTES}"
            )
    if question.parameters not in parameter_names(question.asic):
        raise InputError(
            f"parameters {question.parameters}: not of {question.asic}; "
            f"expected one of {', '.join(parameter_names(question.asic))}"
        )
    percent = question.small_packet_percent
    is_assuming = question.lossless_mtu is not None or percent is not None
    if is_assuming and find_asic(question.asic).law in FIXED_LAWS:
        raise InputError(
            f"ASIC {question.asic}: its law takes no lossless MTU and no share of small packets"
        )
    if percent is not None and not 0 <= percent <= 100:  # noqa: PLR2004 -- percent
        raise InputError(f"small packets {percent} %: expected 0 to 100 %")


def _mlx5(asic: Asic, question: HeadroomQuestion) -> Headroom:
    """Least receive buffer of a NIC: headroom, one frame below XOFF, one cell below XON."""
    mtu = _given(question.l2_mtu, MTU_BYTES)
    numbers = {"speed_bps": question.speed_bps, "mtu_bytes": mtu}
    needed = nic_headroom_bytes(**numbers, cable_m=question.cable_m)
    frames = 272 * mtu // 100
    fixed = nic_headroom_bytes(**numbers, cable_m=0) - frames
    terms = (
        ("frames", frames),
        ("fixed delay and response of the peer", fixed),
        ("both cable trips", needed - frames - fixed),
    )
    size = needed + max(mtu, MTU_BYTES) + asic.cell_bytes
    return Headroom(needed, asic.cell_bytes, size, terms, "mlx5 (kernel)")


def _fitted(asic: Asic, question: HeadroomQuestion) -> Headroom:
    fits = {PRESENT: asic.fits[0]} | {fit.name: fit for fit in asic.fits}
    part = fits[question.parameters].part(question.speed_bps / 1e9)
    needed, terms = fitted_bytes(
        part,
        cell_bytes=asic.cell_bytes,
        speed_bps=question.speed_bps,
        cable_m=question.cable_m,
        more_bytes=max(0, _given(question.l2_mtu, MTU_BYTES) - MTU_BYTES),
        more_ns=question.extra_delay_ns,
    )
    xon = math.ceil(2 * MTU_BYTES / asic.cell_bytes) * asic.cell_bytes
    model = f"fitted ({fits[question.parameters].name})"
    return Headroom(needed, xon, needed + xon, terms, model, part.error_percent)


def _given(value: int | None, default: int) -> int:
    return default if value is None else value


def _spectrum(asic: Asic, question: HeadroomQuestion, chosen: HeadroomParameters) -> Headroom:
    l2_mtu = _given(question.l2_mtu, chosen.l2_mtu)
    lossless_mtu = _given(question.lossless_mtu, chosen.lossless_mtu)
    percent = _given(question.small_packet_percent, chosen.small_packet_percent)
    occupancy = _occupancy(asic, chosen, percent, lossless_mtu)
    terms = _wire_terms(asic, question, chosen, l2_mtu)
    wire = sum(value for _, value in terms)
    needed = _round_up_kib(lossless_mtu + wire * occupancy)
    needed += _compensation(
        asic, chosen, percent, worst=lossless_mtu + wire * _factor(asic, chosen), needed=needed
    )
    is_eight = question.lanes == LANES_THAT_DOUBLE
    xon = _round_up_kib(asic.pipeline_latency_kib * KIB * (2 if is_eight else 1))
    size = _round_up_kib(needed + xon + (l2_mtu if is_eight else 0))
    shown = tuple((name, round(value * occupancy)) for name, value in terms)
    rest = needed - lossless_mtu - sum(value for _, value in shown)
    return Headroom(
        needed,
        xon,
        size,
        (("frame of the paused class", lossless_mtu), *shown, ("rounding and additions", rest)),
        f"{asic.law} ({chosen.name})",
    )


def _factor(asic: Asic, chosen: HeadroomParameters) -> float:
    """Bytes of cells that a byte of smallest packets takes."""
    if asic.cell_bytes > 2 * SMALLEST_PACKET_BYTES:
        exact = asic.cell_bytes / SMALLEST_PACKET_BYTES
    else:
        exact = 2 * asic.cell_bytes / (1 + asic.cell_bytes)
    return math.ceil(exact) if chosen.rounds_cell_factor and asic.law == "spectrum" else exact


def _occupancy(asic: Asic, chosen: HeadroomParameters, percent: int, lossless_mtu: int) -> float:
    """Cell bytes an average byte takes, given the share of smallest packets."""
    share: float = percent
    if chosen.share == "bytes" and asic.law == "spectrum":
        small = SMALLEST_PACKET_BYTES
        # as SONiC's script writes it; larger than the true share of bytes below 100 %
        share = 100 * small / ((percent * small + (100 - percent) * lossless_mtu) / 100)
    return (100 - share + share * _factor(asic, chosen)) / 100


def _wire_terms(
    asic: Asic, question: HeadroomQuestion, chosen: HeadroomParameters, l2_mtu: int
) -> list[tuple[str, float]]:
    mbps = question.speed_bps / 1e6
    per_byte = 8 * (KIB if asic.law == "barefoot" else 1000)
    tile = mbps / 1000 * TILE_NS / 8 if asic.has_tile and chosen.tile else 0.0
    terms = [
        ("frame being sent to the peer", float(l2_mtu)),
        ("both cable trips", 2 * question.cable_m * mbps * 1e9 / LIGHT_M_PER_S / per_byte),
        ("gearbox", 2 * mbps * question.gearbox_ns / (8 * KIB)),
        ("MAC and PHY", asic.mac_phy_delay_kib * KIB),
        ("response of the peer", _peer_response(asic, question, chosen)),
        ("tiles", tile),
        ("extra delay", question.extra_delay_ns * question.speed_bps / 8e9),
    ]
    return [(name, value) for name, value in terms if value]


def _peer_response(asic: Asic, question: HeadroomQuestion, chosen: HeadroomParameters) -> float:
    quanta = pause_quanta(question.speed_bps, is_careful=chosen.careful_800g)
    if chosen.peer == "constant" or not is_known(quanta):
        return asic.peer_response_kib * KIB
    doubles = asic.law == "barefoot" and question.speed_bps == 400_000_000_000  # noqa: PLR2004 -- as that script does
    return float(quanta * QUANTUM_BYTES * (2 if doubles else 1))


def _compensation(
    asic: Asic, chosen: HeadroomParameters, percent: int, *, worst: float, needed: int
) -> int:
    if not chosen.compensation or asic.law != "spectrum":
        return 0
    added = asic.extra_headroom_kib * KIB
    is_short = percent != 100 and needed + added + 2 * KIB < _round_up_kib(worst)  # noqa: PLR2004 -- percent
    return added + (2 * KIB if is_short else 0)


def _round_up_kib(value: float) -> int:
    return math.ceil(value / KIB) * KIB


def wire_bytes(speed_bps: int, cable_m: float) -> int:
    """Bytes in flight on both trips of the cable alone; no headroom can be smaller.

    Example:
        >>> wire_bytes(100_000_000_000, 2000)
        250000
    """
    return round(2 * cable_m * NS_PER_M * speed_bps / 8e9)


def nic_headroom_bytes(*, speed_bps: int, cable_m: float, mtu_bytes: int) -> int:
    """Room above XOFF that the mlx5 driver asks of a lossless receive buffer.

    Source: torvalds/linux drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c.

    Example:
        >>> nic_headroom_bytes(speed_bps=400_000_000_000, cable_m=7, mtu_bytes=9216)
        151467
    """
    mbps = max(speed_bps // 1_000_000, 40_000)
    # whole numbers at every step, as the driver computes
    return (301 + 216 * math.ceil(cable_m) // 100) * mbps // 1000 + 272 * mtu_bytes // 100
