"""A subnet deployed over SSH to the switch that manages it, verified, and brought back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck import api
from netcheck.deploy import device as deploying
from netcheck.deploy.backend import NetmikoBackend
from netcheck.deploy.device import State
from netcheck.deploy.engine import Result, deploy, make_plan, rollback
from netcheck.deploy.holding import read_all_held
from netcheck.lab.control import relocate, start_lab, stop_lab
from netcheck.model.errors import TransportError
from netcheck.model.fabric import Fabric
from netcheck.model.finding import ExitCode, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.platforms.onyx.render import FILE
from netcheck.platforms.platform import Impact

INTENT = Path(__file__).with_name("embedded.yaml")
SWITCH = "ibsw01"
VALUE = "0x5ec2e7000000aaaa"
FORMS = ("5ec2e7000000aaaa", str(int(VALUE, 16)))
SECOND = "00:02:c9:03:00:10:00:11"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fabric]:
    """The fabric at a lab of one switch; what the manager was told programs no subnet there."""
    fabric = api.load_completed([INTENT], deployable=True)
    folder = tmp_path_factory.mktemp("onyx") / "lab"
    state = start_lab(replace(fabric, subnets=FrozenMap()), folder)
    yield relocate(fabric, state)
    stop_lab(folder)


@pytest.fixture
def fabric(running: Fabric, monkeypatch: pytest.MonkeyPatch) -> Fabric:
    monkeypatch.setenv("NETCHECK_TEST_M_KEY", VALUE)
    return running


def deployed(fabric: Fabric, state: Path, rendered: dict[str, str] | None = None) -> Result:
    texts = {SWITCH: rendered or api.render(fabric, [SWITCH])[SWITCH]}
    plan = make_plan(fabric, texts, devices=[SWITCH])
    return deploy(plan, state, NetmikoBackend(), confirm=lambda _: True)


def held(fabric: Fabric) -> dict[str, str]:
    found, unreachable = read_all_held(fabric, [SWITCH])
    assert unreachable == {}
    return dict(found[SWITCH])


def with_second_member(fabric: Fabric) -> Fabric:
    subnet = fabric.subnets["storage"]
    tenant = subnet.partitions["tenant-a"]
    members = FrozenMap({"gpu02": "limited"})
    partitions = subnet.partitions.with_items({"tenant-a": replace(tenant, members=members)})
    changed = replace(subnet, partitions=partitions)
    return replace(fabric, subnets=fabric.subnets.with_items({"storage": changed}))


def test_a_subnet_is_deployed_verified_changed_and_brought_back(
    fabric: Fabric, tmp_path: Path
) -> None:
    before = held(fabric)
    state = tmp_path / "state"
    first = deployed(fabric, state)
    assert [outcome.state for outcome in first.outcomes] == [State.DONE], first.outcomes
    assert deployed(fabric, state).unchanged == (SWITCH,)

    report = api.verify_devices(fabric, tmp_path / "snap", between_s=0)
    wrong = [each for each in report.findings if each.verdict is not Verdict.PASS]
    assert [each for each in wrong if each.verdict is not Verdict.NOT_APPLICABLE] == []

    # a member out, another in: found by verify, then planned, applied and undone
    other = with_second_member(fabric)
    found = api.verify_snapshot(other, tmp_path / "snap").findings
    failed = [each for each in found if each.verdict is Verdict.FAIL]
    assert {each.rule for each in failed} == {"sm-partition-not-intended"}
    middle = held(fabric)
    plan = make_plan(other, {SWITCH: api.render(other, [SWITCH])[SWITCH]}, devices=[SWITCH])
    change = plan.orders[SWITCH].change
    assert change.impact is Impact.PORT
    assert [name for name, _, _ in change.objects] == [
        "ib partition tenant-a member 00:02:c9:03:00:10:00:10",
        f"ib partition tenant-a member {SECOND}",
    ]
    assert deployed(other, state).is_ok
    assert f"GUID='{SECOND}' member='limited'" in held(fabric)["ib_partition.txt"]
    assert rollback(state, fabric.name, NetmikoBackend()).is_ok
    assert held(fabric) == middle
    assert rollback(state, fabric.name, NetmikoBackend()).is_ok
    assert held(fabric) == before

    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 5
    texts = [path.read_text("utf-8", "replace") for path in written]
    assert [text for text in texts for form in FORMS if form in text] == []


def test_a_refusal_is_a_failed_deploy_that_says_why_and_is_undone(
    fabric: Fabric, tmp_path: Path
) -> None:
    before = held(fabric)
    wrong = {FILE: "ib sm\nib sm sm-priority 3\nib sm lmc 9\n"}
    result = deployed(fabric, tmp_path, wrong)
    [outcome] = result.outcomes
    assert not result.is_ok
    assert "ib sm lmc 9: status 1: % Invalid LMC: 9 (0-7)" in outcome.reason
    assert held(fabric) == before


@pytest.mark.parametrize("line", ["ib sm", "ib partition tenant-a pkey", "configuration write"])
def test_a_session_that_breaks_on_the_way_is_undone(
    fabric: Fabric, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    before = held(fabric)
    broken: list[str] = []

    def breaking(event: str) -> None:
        if not broken and event.startswith(f"device {SWITCH} ran {line}"):
            broken.append(event)
            raise TransportError("the test broke the session")

    monkeypatch.setattr(deploying, "checkpoint", breaking)
    [outcome] = deployed(fabric, tmp_path).outcomes
    assert broken
    assert "the test broke the session" in outcome.reason
    assert held(fabric) == before


def test_a_refused_key_is_named_by_its_reference(
    fabric: Fabric, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETCHECK_TEST_M_KEY", "no number")
    [outcome] = deployed(fabric, tmp_path).outcomes
    assert "secret env:NETCHECK_TEST_M_KEY: expected a number of 64 bits" in outcome.reason
    assert "no number" not in outcome.reason


# Lines that say what another output says as well, or nothing of the subnet manager.
SAID_TWICE = (
    re.compile(r"#.*|\s*|\s*hostname .*|Product .*|Target .*|Uptime.*"),
    re.compile(r"\s+ib sm|\s+ib partition \S+ (?:pkey|member|ipoib).*"),
    re.compile(r"\s+members:|\s+ipoib: no"),
)


def test_no_line_of_an_output_can_be_lost_in_silence(fabric: Fabric, tmp_path: Path) -> None:
    assert deployed(fabric, tmp_path / "state").is_ok
    snap = tmp_path / "snap"
    assert api.verify_devices(fabric, snap, between_s=0).exit_code is not ExitCode.FINDINGS
    silent = []
    for path in sorted((snap / SWITCH).rglob("*.txt")):
        whole = path.read_text("utf-8")
        lines = whole.splitlines(keepends=True)
        for number, line in enumerate(lines):
            path.write_text("".join((*lines[:number], *lines[number + 1 :])), "utf-8")
            found = api.verify_snapshot(fabric, snap).findings
            is_told = {each.verdict for each in found} & {Verdict.FAIL, Verdict.UNVERIFIED}
            is_again = any(each.fullmatch(line.rstrip("\n")) for each in SAID_TWICE)
            silent += [] if is_told or is_again else [(path.name, line)]
        path.write_text(whole, "utf-8")
    assert silent == []
    assert rollback(tmp_path / "state", fabric.name, NetmikoBackend()).is_ok
