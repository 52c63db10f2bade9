"""Lint agrees with what a real OpenSM does with the same files.

That rendered files load without a word is in tests/rehearse/test_read_back.py.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from netcheck.api import lint_paths
from netcheck.lab.opensm.manager import Manager
from netcheck.lab.opensm.network import read_network
from netcheck.lab.opensm.subnet import ManagerPlan, SimulatedSubnet, simulated_subnet
from netcheck.lab.opensm.tools import missing_packages
from netcheck.model.document import Document
from netcheck.model.finding import Severity, Verdict
from netcheck.model.known import is_known
from netcheck.platforms.infiniband.netfile import write_net
from netcheck.platforms.opensm.dialects import keys
from netcheck.platforms.opensm.parse import parse
from netcheck.platforms.opensm.render import render_subnet
from tests.platforms.opensm.opensm_subnets import BASE, GUID, VARIED, fabric_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(missing_packages()), reason=f"needs {', '.join(missing_packages())} (Debian packages)"
    ),
]
# 0x04 shows what OpenSM warns of when it is asked to talk; by itself it does not.
TALKATIVE = {"log_flags": "0x07"}
STDOUT = re.compile(r"Unrecognized|-E-|Invalid|Warning|Error")
LOG = re.compile(r"PARSE WARN|PARSE ERROR|ERR [0-9A-F]{4}|0x01 -> |in error|not found")
NODE = f"H-{GUID + 16:016x}"
# a policy where OpenSM looks by itself is not part of any test, and not there on most machines
OWN = re.compile(r"QoS policy file not found")


@pytest.fixture
def running() -> Iterator[SimulatedSubnet]:
    # one fabric each: ibsim has place for ten clients, and forgets none that was killed
    network = read_network(write_net(fabric_of(BASE), "s"))
    with simulated_subnet(network) as subnet:
        yield subnet


def words(manager: Manager) -> list[str]:
    """What OpenSM had to say against its files."""
    lines = [line for line in manager.kept.output().splitlines() if STDOUT.search(line)]
    log = [line for line in manager.log().splitlines() if LOG.search(line)]
    return [*lines, *(line for line in log if not OWN.search(line))]


def load(running: SimulatedSubnet, name: str, files: Mapping[str, str]) -> Manager:
    """Have a new OpenSM read these files, bring the subnet up, and end."""
    manager = running.start(ManagerPlan(name, NODE, files, TALKATIVE))
    manager.kept.end()
    return manager


@pytest.mark.parametrize("kind", VARIED)
def test_a_rendered_subnet_is_linted_without_a_finding(kind: str, tmp_path: Path) -> None:
    for name, text in render_subnet(fabric_of(VARIED[kind]), "s").items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    loud = {Severity.ERROR, Severity.WARNING}
    found = [
        (one.rule, one.message)
        for one in lint_paths([tmp_path]).findings
        if one.verdict is Verdict.FAIL and one.severity in loud
    ]
    assert found == []


def test_there_are_thirty_kinds() -> None:
    assert len(VARIED) >= 30


OPTIONS = "opensm.conf"
TABLE: list[dict[str, Any]] = yaml.safe_load(  # Any: YAML
    Path(__file__).with_name("silent_failures.yaml").read_text("utf-8")
)
REFUSED = {"sm-partitions-refused": "retrying with default config", "sm-policy-refused": "ERR AC0"}
DROPPED = [row for row in TABLE if row["rule"] in REFUSED]


@pytest.mark.parametrize("row", DROPPED, ids=lambda row: row["row"].replace(" ", "-"))
def test_what_lint_calls_dropped_is_dropped_by_opensm_and_the_right_text_is_not(
    row: dict[str, Any],  # Any: YAML
    running: SimulatedSubnet,
) -> None:
    told = REFUSED[row["rule"]]
    for number, (files, is_dropped) in enumerate(((row["wrong"], True), (row["right"], False))):
        keys = {"partitions.conf": "partition_config_file", "qos-policy.conf": "qos_policy_file"}
        lines = [f"{keys[name]} /etc/opensm/{name}" for name in files if name in keys]
        options = "\n".join(["qos TRUE", *lines, ""])
        name = f"{row['row']} {number}"
        manager = load(running, name, {"opensm.conf": options, **files})
        assert (told in manager.log()) is is_dropped, files


# What OpenSM says on standard output, if anybody reads it; the other rows it keeps to itself.
SPOKEN = {"sm-option-unknown", "sm-value-not-taken", "sm-table-malformed"}
SILENT = ("no limit at all", "no change is asked", "lowest bits", "prefix 0 is used")
OF_OPTIONS = [row for row in TABLE if row["rule"] in SPOKEN and set(row["wrong"]) == {OPTIONS}]


@pytest.mark.parametrize("row", OF_OPTIONS, ids=lambda row: row["row"].replace(" ", "-"))
def test_opensm_complains_of_wrong_options_where_it_does_and_of_right_ones_never(
    row: dict[str, Any],  # Any: YAML
    running: SimulatedSubnet,
) -> None:
    wrong = load(running, f"{row['row']} wrong", row["wrong"])
    right = load(running, f"{row['row']} right", row["right"])
    assert bool(words(wrong)) is not row["tells"].startswith(SILENT), words(wrong)
    assert words(right) == []


def test_every_option_at_its_default_is_linted_without_a_finding(
    running: SimulatedSubnet, tmp_path: Path
) -> None:
    path = tmp_path / OPTIONS
    environment = {"OSM_TMP_DIR": str(tmp_path), "OSM_CACHE_DIR": str(tmp_path)}
    made = subprocess.run(
        [running.tools.opensm, "-c", path], env=environment, check=True, capture_output=True
    )
    assert made.returncode == 0
    config = parse([Document(str(path), path.read_text("utf-8"))], name="sm").subnet_manager
    assert is_known(config)
    assert config.misreadings == ()
    assert is_known(config.options)
    # folders come from the environment; two masks of 256 bits are longer than a line of the table
    left = {"dump_files_dir", *(key for key in config.options if key.endswith("_mask"))}
    secret = {key for key, option in config.options.items() if option.written == "***"}
    assert secret == {"m_key", "sm_key", "sa_key", "cc_key"}
    left |= secret
    shown = {key: option.written for key, option in config.options.items() if key not in left}
    assert shown == {key: keys()[key].default for key in shown}
    assert len(config.options) > 140
