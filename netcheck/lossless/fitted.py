"""Headroom by a law fitted to shipped tables, for ASICs whose computation is not public."""

from __future__ import annotations

import math

from netcheck.lossless.asics import FitPart

NS_PER_M = 5.0

Terms = tuple[tuple[str, int], ...]


def fitted_bytes(
    part: FitPart,
    *,
    cell_bytes: int,
    speed_bps: int,
    cable_m: float,
    more_bytes: int = 0,
    more_ns: float = 0.0,
) -> tuple[int, Terms]:
    """Headroom in whole cells, with the terms it is made of.

    Args:
        more_bytes: What the largest frame exceeds 9216 bytes by; smaller frames
            take nothing off, since the tables do not say what they assume.
        more_ns: Delay on the way besides the cable, both ways together.

    Source: tables of sonic-net/sonic-buildimage, see ``data/asics.yaml``;
        docs/decisions/0007.
    """
    counted = _counted_bps(part, speed_bps)
    bytes_per_ns = counted / 8e9
    terms = [
        ("frames and base", part.base_bytes + more_bytes),
        ("fixed delay and response of the peer", part.fixed_ns * bytes_per_ns),
        ("both cable trips", 2 * cable_m * NS_PER_M * bytes_per_ns),
        ("extra delay", more_ns * bytes_per_ns),
    ]
    shown = tuple((name, round(value * part.w)) for name, value in terms if value)
    exact = part.w * sum(value for _, value in terms)
    needed = math.ceil(exact / cell_bytes) * cell_bytes
    rest = needed - sum(value for _, value in shown)
    return needed, (*shown, ("rounding to cells", rest))


def _counted_bps(part: FitPart, speed_bps: int) -> float:
    """Speed that the law counts: the next of its steps, where it has some."""
    steps = (step * 1e9 for step in part.steps_gbps if step * 1e9 >= speed_bps)
    return next(steps, float(speed_bps))
