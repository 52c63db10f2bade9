"""A report as a change night sees one."""

import pytest

from netcheck.model.document import Evidence
from netcheck.model.finding import Finding, Place, Severity, Stage, Verdict
from netcheck.report.report import Report


def _port(number: int) -> Place:
    return Place("leaf01", f"Ethernet{number}", "priority 3")


@pytest.fixture
def report() -> Report:
    missing = Finding(
        "pfc-host-missing",
        Severity.ERROR,
        Verdict.FAIL,
        tuple(_port(number) for number in range(0, 64, 8)),
        "pfc_rx expected 3, found none",
        expected="3",
        found="none",
        evidence=(Evidence("leaf01/config_db.json", 12, 9), Evidence(command="dcb -j pfc show")),
        why="the port cannot hold the host back",
        fix="enable PFC <on> the host & the port",
        reference="IEEE 802.1Q-2018 clause 36, https://example.org/pfc",
    )
    unread = Finding(
        "ecn-inactive",
        Severity.ERROR,
        Verdict.UNVERIFIED,
        (Place("gpu01", "rail0"), Place("gpu02", "rail0")),
        "ecn: no evidence",
        stage=Stage.VERIFY,
    )
    accepted = Finding(
        "mtu-below-rdma", Severity.WARNING, Verdict.SUPPRESSED, (Place("gpu01"),), "accepted: old"
    )
    skipped = Finding("pfc-path-gap", Severity.ERROR, Verdict.NOT_APPLICABLE, (), "no links")
    passed = Finding("dscp-not-mapped", Severity.ERROR, Verdict.PASS, (), "judged at 16 places")
    return Report(
        "lint",
        (missing, unread, accepted, skipped, passed),
        devices=("leaf01", "gpu01", "gpu02"),
        inputs=("leaf01/config_db.json",),
        unrecognised=(("notes.bin", "binary"),),
    )
