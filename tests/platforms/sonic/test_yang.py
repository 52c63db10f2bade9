"""SONiC's own YANG models take what is rendered, and refuse what they should."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings

from netcheck.model.device import Device
from netcheck.model.frozenmap import FrozenMap
from netcheck.platforms.sonic.applied.merge import merge
from netcheck.platforms.sonic.applied.said import said_of
from tests.platforms.sonic import sonic_yang
from tests.platforms.sonic.sonic_policies import can_follow, on_a_switch, switches
from tests.platforms.sonic.sonic_switch import (
    COMPUTED,
    DYNAMIC,
    LOSSLESS_QOS,
    PLAIN_QOS,
    leaf,
    port,
    switch,
    tables,
)
from tests.platforms.sonic.sonic_yang import Models, why_unavailable
from tests.platforms.strategies import RELAXED

pytestmark = pytest.mark.yang
UPSTREAM_CASES = 292


@pytest.fixture(scope="module")
def models(shared: Path) -> Models:
    """SONiC's models, compiled."""
    reason = why_unavailable()
    if reason:
        pytest.skip(reason)
    return Models(shared / "yang" / "sonic")


def _dynamic() -> Device:
    qos = replace(LOSSLESS_QOS, ingress_buffer=FrozenMap({3: COMPUTED}))
    return switch(port("Ethernet0", qos), port("Ethernet8", PLAIN_QOS), qos=DYNAMIC)


@pytest.mark.parametrize("device", [leaf(), _dynamic()], ids=["traditional", "dynamic"])
def test_the_models_take_a_lossless_leaf(models: Models, device: Device) -> None:
    assert models.refusal(on_a_switch(device)) == ""


@settings(RELAXED, max_examples=50)
@given(device=switches())
def test_the_models_take_every_policy_that_can_be_expressed(models: Models, device: Device) -> None:
    assert models.refusal(on_a_switch(device)) == ""


@pytest.mark.slow
@settings(RELAXED, max_examples=40)
@given(before=switches(), after=switches())
def test_the_models_take_every_policy_on_top_of_any_other(
    models: Models, before: Device, after: Device
) -> None:
    assume(can_follow(before, after))
    held = on_a_switch(before)
    assert models.refusal(merge(held, tables(after), said_of(after))) == ""


BAD = {
    "bracket reference": ("PORT_QOS_MAP|Ethernet0|tc_to_queue_map", "[TC_TO_QUEUE_MAP|backend]"),
    "no such map": ("PORT_QOS_MAP|Ethernet0|dscp_to_tc_map", "AZURE"),
    "DSCP 64": ("DSCP_TO_TC_MAP|backend|64", "3"),
    "switch priority 16": ("DSCP_TO_TC_MAP|backend|26", "16"),
    "PFC priority 8": ("PORT_QOS_MAP|Ethernet0|pfc_enable", "8"),
    "no such WRED profile": ("QUEUE|Ethernet0/3|wred_profile", "none"),
    "kmin above kmax": ("WRED_PROFILE|backend_q3|green_min_threshold", "1500001"),
    "unknown ECN word": ("WRED_PROFILE|backend_q3|ecn", "ecn_some"),
    "probability 101": ("WRED_PROFILE|backend_q3|red_drop_probability", "101"),
    "scheduler type": ("SCHEDULER|strict|type", "WRED"),
    "weight 0": ("SCHEDULER|dwrr_50|weight", "0"),
    "detection below poll": ("PFC_WD|Ethernet0|detection_time", "100"),
    "watchdog action": ("PFC_WD|Ethernet0|action", "shutdown"),
    "cable without unit": ("CABLE_LENGTH|AZURE|Ethernet0", "40"),
    "cable of no port": ("CABLE_LENGTH|AZURE|Ethernet99", "40m"),
    "MTU 9217": ("PORT|Ethernet0|mtu", "9217"),
    "alpha 2**8": ("BUFFER_PROFILE|pg_lossless_400000_5m_profile|dynamic_th", "8"),
    "no such pool": ("BUFFER_PROFILE|pg_lossless_400000_5m_profile|pool", "none"),
    "no such profile": ("BUFFER_PG|Ethernet0/3|profile", "none"),
    "field that is not in the model": ("PORT_QOS_MAP|Ethernet0|trust", "dscp"),
    "counter status": ("FLEX_COUNTER_TABLE|QUEUE|FLEX_COUNTER_STATUS", "on"),
}


@pytest.mark.parametrize("name", BAD)
def test_the_models_refuse_one_wrong_value(models: Models, name: str) -> None:
    path, value = BAD[name]
    table, key, field = path.split("|")
    tables = deepcopy(on_a_switch(leaf()))
    tables[table][key.replace("/", "|")][field] = value
    assert models.refusal(tables) != ""


def test_a_table_without_a_model_is_not_taken(models: Models) -> None:
    assert models.refusal({"FANTASY": {}}) == "no model for FANTASY"


def _upstream(folder: Path) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    for path in sorted((folder / "tests").glob("*.cases.json")):
        cases = json.loads(path.read_text(encoding="utf-8"))
        configs = json.loads(
            path.with_name(path.name.replace(".cases.", ".config.")).read_text(encoding="utf-8")
        )
        yield from ((name, case, configs[name]) for name, case in cases.items())


def _is_refused_upstream(case: dict[str, Any]) -> bool:
    """A case with an error is one, except where it only checks a default value."""
    return bool(case.get("eStr") or case.get("eStrKey")) and case.get("eStrKey") != "Verify"


def test_the_models_judge_upstreams_own_cases_as_upstream_does(
    models: Models, shared: Path
) -> None:
    cases = [
        (name, case, config)
        for name, case, config in _upstream(shared / "yang" / "sonic")
        if config.keys() <= models.tops.keys()  # the others need modules that are not here
    ]
    disagreeing = [
        name
        for name, case, config in cases
        if bool(models.refusal_of_yang(config)) != _is_refused_upstream(case)
    ]
    assert (len(cases), disagreeing) == (UPSTREAM_CASES, [])


def _not_installed(name: str) -> str:
    raise PackageNotFoundError(name)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (_not_installed, "the Python package libyang is not installed"),
        (lambda _: "3.1.0", "libyang 3.1.0 is installed, which is not of the major version 2"),
    ],
)
def test_what_is_missing_is_said_with_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, found: Callable[[str], str], says: str
) -> None:
    monkeypatch.setattr(sonic_yang, "version", found)
    reason = why_unavailable()
    assert reason.startswith(says)
    assert "apt-get install libyang2-dev" in reason
    assert "pip install libyang==2.8.0" in reason
