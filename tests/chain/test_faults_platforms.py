"""Each small lab of one more platform: lossless with both backends, and every fault is found.

Walks ``examples/lab-small-*.yaml``; a fault takes part where the platform of the leaf (or
the hosts) has its knob. A new platform joins with its example alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from netcheck import api
from netcheck.chain import ChainOptions, lab_for, run_chain
from netcheck.lab.cabling import CABLING
from netcheck.lab.fault_changes import changes_of
from netcheck.lab.faults import fault_kinds
from netcheck.model.finding import Basis, ExitCode, RunResult
from netcheck.perf.options import PerfOptions
from netcheck.report.report import Report, exit_code
from tests.chain.lab_world import errors, quiet, told

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LABS = {path.stem.removeprefix("lab-small-"): path for path in EXAMPLES.glob("lab-small-*.yaml")}
LEAF = frozenset({"leaf01"})
HOSTS = frozenset({"gpu01", "gpu02"})
# Where a visible fault is, and facts one of which names its knob.
KNOBS = {
    "pfc-off-one-port": (LEAF, {"pfc_rx", "pfc_tx"}),
    "dscp-map-one-leaf": (LEAF, {"dscp_to_priority"}),
    "nic-trust-pcp": (HOSTS, {"trust"}),
    "ecn-off": (LEAF, {"ecn"}),
    "headroom-halved": (LEAF, {"ingress_buffer"}),
    "mtu-1500-spine-port": (LEAF, {"l2_mtu", "ip_mtu", "mtu_by_priority"}),
    "ets-weight-1": (LEAF, {"scheduler"}),
    "watchdog-off": (LEAF, {"watchdog"}),
    "cables-swapped": (LEAF | HOSTS, {"neighbour"}),
    "nic-cnp-dscp-wrong": (HOSTS, {"cnp_dscp"}),
}
# Those beside them that change hardware alone; faults of cables, chips and adapters have their
# verdicts in tests/perf.
SILENT = ("profile-rejected", "map-not-programmed", "counter-stuck")
# Those whose knob is of the whole device on some platform, so that no port need be named.
DEVICE_WIDE = {"dscp-map-one-leaf", "ecn-off", "watchdog-off", "headroom-halved"}


def has_knob(platform: str, fault: str) -> bool:
    """The fault can be put into a small lab of the platform."""
    change = fault_kinds()[fault].change
    return change in CABLING or change in changes_of(platform) or change in changes_of("linux")


def pairs() -> Iterator[object]:
    """Give ``(platform, fault)``, each a group of its own for parallel runs."""
    for platform in sorted(LABS):
        for fault in (*KNOBS, *SILENT):
            if has_knob(platform, fault):
                group = pytest.mark.xdist_group(f"{platform} {fault}")
                yield pytest.param(platform, fault, marks=group, id=f"{platform} {fault}")


def chain(folder: Path, platform: str, *faults: str, backend: str = "netmiko") -> Report:
    """Run the whole chain in the lab of a platform."""
    fabric = api.complete(api.load_intent(LABS[platform], deployable=True))
    with lab_for(fabric, folder / "lab", faults) as (reached, inject):
        options = ChainOptions(
            state=folder / "state",
            backend=backend,
            basis=Basis.SIMULATED,
            perf=PerfOptions(settle_s=0.0, probe_after_s=0.0),
            between_s=0.0,
            after_deploy=inject,
        )
        return run_chain(reached, options, quiet)


@pytest.mark.parametrize("backend", ["netmiko", "ansible"])
@pytest.mark.parametrize("platform", sorted(LABS))
def test_a_small_fabric_is_lossless(tmp_path: Path, platform: str, backend: str) -> None:
    report = chain(tmp_path, platform, backend=backend)
    assert errors(report.findings) == [], told(report.findings)
    assert report.verdict is not None
    assert report.verdict.run is RunResult.LOSSLESS, told(report.findings)
    assert exit_code(report) is ExitCode.CLEAN


@pytest.mark.parametrize(("platform", "fault"), list(pairs()))
def test_a_fault_is_found_and_named(tmp_path: Path, platform: str, fault: str) -> None:
    report = chain(tmp_path, platform, fault)
    assert any(note.startswith("fault: ") for note in report.notes), report.notes
    assert exit_code(report) is not ExitCode.CLEAN, told(report.findings)
    if fault_kinds()[fault].is_silent:
        assert report.verdict is not None
        assert report.verdict.run is not RunResult.LOSSLESS, str(report.verdict)
        return
    assert exit_code(report) is ExitCode.FINDINGS
    devices, facts = KNOBS[fault]
    named = [
        finding
        for finding in errors(report.findings)
        if finding.facts & facts and {place.device for place in finding.where} & devices
    ]
    assert named, told(report.findings)
    has_port = any(place.port for finding in named for place in finding.where)
    assert has_port or fault in DEVICE_WIDE, told(report.findings)
