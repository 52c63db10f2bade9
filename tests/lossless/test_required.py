"""The least headroom: published laws, and no sound table below it."""

import pytest

from netcheck.lossless.headroom import HeadroomQuestion, headroom, wire_bytes
from netcheck.lossless.required import required_headroom, wire_headroom_bytes
from netcheck.model.errors import InputError

G = 1_000_000_000


@pytest.mark.parametrize("cable_m", [5, 40, 300])
@pytest.mark.parametrize("speed", [100 * G, 400 * G])
@pytest.mark.parametrize("parameters", ["present", "worst-case", "sn5640", "sn5600-v256"])
def test_every_table_of_spectrum_4_is_enough(speed: int, cable_m: int, parameters: str) -> None:
    needed = required_headroom("spectrum-4", speed_bps=speed, cable_m=cable_m)
    table = headroom(HeadroomQuestion("spectrum-4", speed, cable_m, parameters=parameters))
    assert needed.headroom_bytes <= table.headroom_bytes


@pytest.mark.parametrize("cable_m", [5, 40])
def test_half_of_the_present_headroom_loses_packets_for_certain(cable_m: int) -> None:
    present = headroom(HeadroomQuestion("spectrum-4", 400 * G, cable_m)).headroom_bytes
    needed = required_headroom("spectrum-4", speed_bps=400 * G, cable_m=cable_m)
    assert present // 2 < needed.certain_bytes < needed.headroom_bytes


def test_of_a_fitted_law_only_the_wire_is_certain() -> None:
    needed = required_headroom("tomahawk-5", speed_bps=400 * G, cable_m=40)
    assert needed.certain_bytes == wire_bytes(400 * G, 40)


def test_the_wire_needs_more_with_a_longer_cable_and_larger_frames() -> None:
    short = wire_headroom_bytes(speed_bps=100 * G, cable_m=3)
    assert short == 44147
    assert wire_headroom_bytes(speed_bps=100 * G, cable_m=100) == 56272
    assert wire_headroom_bytes(speed_bps=100 * G, cable_m=3, mtu_bytes=1500) < short


def test_an_unknown_asic_is_named() -> None:
    with pytest.raises(InputError, match="spectrum-44"):
        required_headroom("spectrum-44", speed_bps=100 * G, cable_m=5)
