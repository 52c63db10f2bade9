"""Accounts and lengths are asked of a device as its platform takes them."""

from __future__ import annotations

from pathlib import Path

from netcheck.intent import load_intent
from netcheck.intent.complete import complete
from netcheck.lossless.ecn import ecn_thresholds
from netcheck.model.device import Port
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.qos import Dynamic, Static
from netcheck.platforms.knobs import Knobs, knobs

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def port_of(example: str, name: str) -> Port:
    fabric = complete(load_intent([EXAMPLES / example], deployable=True))
    return fabric.devices["leaf01"].ports[name]


def test_a_platform_that_limits_accounts_in_bytes_pauses_where_marking_starts() -> None:
    port = port_of("lab-small-nxos.yaml", "Ethernet1/1")
    assert is_known(port.qos.ingress_buffer)
    account = port.qos.ingress_buffer[3]
    limit = ecn_thresholds(400_000_000_000).kmin_bytes
    assert account.threshold == Static(limit)
    assert is_known(account.size_bytes)
    assert is_known(account.headroom_bytes)
    assert account.size_bytes == limit + account.headroom_bytes
    assert is_known(account.xon_bytes)
    assert 0 < account.xon_bytes < limit


def test_a_platform_without_cable_length_is_not_asked_for_one() -> None:
    assert port_of("lab-small-nxos.yaml", "Ethernet1/1").cable_m is UNKNOWN


def test_a_platform_that_says_nothing_takes_shares_and_lengths() -> None:
    port = port_of("lab-small.yaml", "Ethernet0")
    assert port.cable_m == 5
    assert is_known(port.qos.ingress_buffer)
    assert port.qos.ingress_buffer[3].threshold == Dynamic(1.0)


def test_an_unknown_platform_has_no_knobs_of_its_own() -> None:
    assert knobs(UNKNOWN) == knobs("nowhere") == Knobs()
