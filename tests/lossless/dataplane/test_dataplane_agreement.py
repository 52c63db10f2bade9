"""The data plane against the closed forms, for frames as bad as can be and buffers in cells."""

from __future__ import annotations

import pytest

from netcheck.lossless.asics import find_asic
from netcheck.lossless.headroom import HeadroomQuestion, headroom
from netcheck.lossless.incast import Incast, cell_headroom_bytes
from tests.lossless.dataplane.worst_case import GIGA, Draw, draws, play

SHORT = 20
BATCHES, PER_BATCH = 10, 50


def faults(cases: list[Draw]) -> list[tuple[str, Draw]]:
    """What disagrees: a drop at the computed headroom, none at 75 % of it, a late first pause."""
    found = []
    for draw in cases:
        whole = play(draw, draw.headroom_bytes)
        if whole.drops:
            found.append(("drops at the computed headroom", draw))
        if abs(whole.first_pause_s - draw.incast.first_pause_s()) > 1e-6:
            found.append(("first pause", draw))
        if not play(draw, draw.headroom_bytes * 3 // 4).drops:
            found.append(("no drop at three quarters", draw))
    return found


def test_a_sample_of_draws_agrees_with_the_closed_forms() -> None:
    assert faults(draws(SHORT, seed=0)) == []


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(1, BATCHES + 1))
def test_500_draws_agree_with_the_closed_forms(batch: int) -> None:
    assert faults(draws(PER_BATCH, seed=batch)) == []


def test_draws_have_a_fan_in_of_eight_or_more() -> None:
    cases = [draw for seed in range(1, BATCHES + 1) for draw in draws(PER_BATCH, seed)]
    assert len(cases) == 500
    assert min(draw.senders for draw in cases) == 8
    assert {draw.speed_bps // GIGA for draw in cases} >= {10, 100, 400, 800}


# those that count a whole cell for each smallest frame
IN_CELLS = [f"spectrum-{number}" for number in range(1, 7)] + [
    "tomahawk-2",
    "tomahawk-4",
    "tomahawk-5",
    "tomahawk-6",
    "trident-3",
    "trident-4",
    "unknown",
]


@pytest.mark.parametrize("asic", IN_CELLS)
@pytest.mark.parametrize("gbps", [100, 200, 400])
@pytest.mark.parametrize("cable_m", [5, 40, 300])
def test_no_law_for_smallest_frames_lies_below_the_bound(
    asic: str, gbps: int, cable_m: int
) -> None:
    parameters = "worst-case" if find_asic(asic).law == "spectrum" else "present"
    law = headroom(HeadroomQuestion(asic, gbps * GIGA, cable_m, parameters=parameters))
    bound = cell_headroom_bytes(
        speed_bps=gbps * GIGA,
        cable_m=cable_m,
        l2_mtu=9216,
        lossless_mtu=1024,
        cell_bytes=find_asic(asic).cell_bytes,
    )
    assert law.headroom_bytes >= bound


def test_marking_starts_before_the_pause_at_half_its_fill() -> None:
    shape = Incast(8, 400 * GIGA, 10_000_000, 1 / 8, cable_m=5)
    half = int(shape.pause_fill_bytes() / 2)
    assert shape.marking_starts_s(half) == pytest.approx(
        (shape.first_pause_s() + 25e-9) / 2, rel=1e-3
    )
