"""Presets by name: each holds the numbers that its source published, and nothing else."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from netcheck import api
from netcheck.model.fabric import Delivery, Policy, TrafficClass
from netcheck.model.finding import Verdict
from netcheck.model.known import UNKNOWN, Missing, is_known

PRESETS = Path(__file__).parents[2] / "examples" / "presets"
NAMES = sorted(path.stem for path in PRESETS.glob("*.yaml"))
LOSSLESS = {"delivery": Delivery.LOSSLESS}

# As published: class -> field -> value; DSCPs and PCPs as lists, ECN as (kmin, kmax, pmax).
PUBLISHED: dict[str, dict[str, dict[str, Any]]] = {  # Any: values of many fields
    "nvidia-cumulus": {
        "": {"trust": "dscp"},
        "rdma": {"dscp": [26], "priority": 3, "queue": 3, "bandwidth_percent": 50, **LOSSLESS}
        | {"ecn": (UNKNOWN, 1_501_500, UNKNOWN)},
        "cnp": {"dscp": [48], "priority": 6, "scheduling": "strict"},
        "default": {"priority": 0, "bandwidth_percent": 50},
    },
    "juniper-apstra": {
        "rdma": {"dscp": [26], "queue": 4, "pfc_priority": 3, **LOSSLESS},
        "cnp": {"dscp": [48], "queue": 3},
    },
    "azure-local": {
        "": {"trust": "pcp", "l2_mtu": 9216},
        "storage": {"pcp": [3], "priority": 3, "bandwidth_percent": 50, **LOSSLESS}
        | {"ecn": (300_000, 300_000, 100)},
        "cluster": {"pcp": [7], "priority": 7, "bandwidth_percent": 2},
        "default": {"pcp": [0], "priority": 0},
    },
    "sonic-default": {
        "lossless-3": {"dscp": [3], "priority": 3, "bandwidth_percent": 15, **LOSSLESS}
        | {"ecn": (1_048_576, 2_097_152, 5)},
        "lossless-4": {"dscp": [4], "priority": 4, "bandwidth_percent": 15, **LOSSLESS},
        "default": {"priority": 1, "bandwidth_percent": 14},
    },
    "gaudi-3": {
        "data": {"dscp": [24], "priority": 2, **LOSSLESS},
        "ack": {"dscp": [16], "priority": 3, "carries": "ack", **LOSSLESS},
        "priority-1": {"priority": 1, **LOSSLESS},
        "default": {"priority": 0, **LOSSLESS},
    },
    "nvidia-nic-operator": {
        "": {"trust": "dscp"},
        "rdma": {"dscp": UNKNOWN, "priority": 3, **LOSSLESS},
        "cnp": {"dscp": [4], "priority": 6},
    },
    "amd-pollara-script": {
        "": {"ip_mtu": 4220},
        "rdma": {"dscp": [26], "priority": 5, **LOSSLESS},
        "cnp": {"dscp": [46], "priority": 6},
    },
    "spiderpool": {
        "rdma": {"dscp": [40], "priority": 5, **LOSSLESS},
        "cnp": {"dscp": [48], "priority": 6},
    },
}


def policy(name: str) -> Policy:
    fabric = api.load_intent(PRESETS / f"{name}.yaml")
    assert list(fabric.policies) == [name]
    return fabric.policies[name]


def held(owner: Policy | TrafficClass, field: str) -> object:
    found = getattr(owner, field)
    if isinstance(found, frozenset):
        return sorted(found)
    if field == "ecn" and not isinstance(found, Missing):
        return found.kmin_bytes, found.kmax_bytes, found.pmax_percent
    return found


def test_the_eight_published_sets_are_there() -> None:
    assert sorted(PUBLISHED) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_holds_what_was_published(name: str) -> None:
    preset = policy(name)
    for each, fields in PUBLISHED[name].items():
        owner = preset.classes[each] if each else preset
        assert {field: held(owner, field) for field in fields} == fields, each


def test_the_watchdog_of_sonic_is_200_ms_all_over() -> None:
    preset = policy("sonic-default")
    assert is_known(preset.watchdog)
    times = (preset.watchdog.detection_ms, preset.watchdog.restoration_ms, preset.watchdog_poll_ms)
    assert times == (200, 200, 200)
    assert preset.watchdog.action == "drop"


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_names_its_source_and_praises_nothing(name: str) -> None:
    text = (PRESETS / f"{name}.yaml").read_text(encoding="utf-8")
    assert re.search(r"^# Source: \S+", text, re.MULTILINE)
    assert not re.search(r"best|recommend", text, re.IGNORECASE)


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_is_clean_in_itself(name: str) -> None:
    report = api.lint_paths([PRESETS / f"{name}.yaml"])
    assert [one.message for one in report.findings if one.verdict is Verdict.FAIL] == []


def test_the_guide_lists_every_preset() -> None:
    text = (PRESETS / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE)) == NAMES


def leaf(tmp_path: Path, preset: str) -> Path:
    """The configuration of a SONiC leaf under a preset, built by including it."""
    intent = tmp_path / "intent.yaml"
    intent.write_text(
        f"netcheck: 1\nname: f\ninclude: {PRESETS / preset}.yaml\nroce: {{policy: {preset}}}\n"
        "devices:\n  leaf01:\n    role: leaf\n    platform: sonic\n    model: SN5600\n"
        '    ports: {"Ethernet[0-8:8]": {speed: 400G, lanes: 4, cable: 5m}}\n',
        encoding="utf-8",
    )
    files = api.render(api.complete(api.load_intent(intent)))["leaf01"]
    config = tmp_path / "config_db.json"
    tables = json.loads(files["config_db.json"])
    config.write_text(json.dumps(tables), encoding="utf-8")
    return config


@pytest.mark.parametrize(
    ("held_preset", "asked", "rules"),
    [
        ("nvidia-cumulus", "nvidia-cumulus", set()),
        ("spiderpool", "spiderpool", set()),
        ("nvidia-cumulus", "spiderpool", {"dscp-not-mapped", "pfc-lossless-priority-off"}),
        ("spiderpool", "nvidia-cumulus", {"dscp-not-mapped", "pfc-lossless-priority-off"}),
        ("nvidia-cumulus", "sonic-default", {"dscp-not-mapped", "pfc-lossless-priority-off"}),
    ],
)
def test_presets_disagree_and_a_config_is_judged_by_the_one_that_is_named(
    tmp_path: Path, held_preset: str, asked: str, rules: set[str]
) -> None:
    config = leaf(tmp_path, held_preset)
    report = api.lint_paths([config], intent=PRESETS / f"{asked}.yaml")
    failed = {one.rule for one in report.findings if one.verdict is Verdict.FAIL}
    assert failed >= rules
    assert bool(failed & {"dscp-not-mapped", "pfc-lossless-priority-off"}) is bool(rules)
