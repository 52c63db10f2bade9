"""Devices that do not answer: said as such, and nothing else is suspected for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from netcheck.model.device import Device, RdmaDevice
from netcheck.model.errors import TransportError
from netcheck.model.finding import Basis, NotProven
from netcheck.model.frozenmap import FrozenMap
from netcheck.perf import bench as perf_bench
from netcheck.perf.bench import Bench
from netcheck.perf.measure import _Runner, measure
from netcheck.perf.observe import tested_classes as classes_to_test
from netcheck.perf.perftest import Tool
from netcheck.perf.schedule import Depth, endpoints
from netcheck.perf.verdict import PerfVerdict, judge_perf
from tests.perf.rig import OPTIONS, Session, World, _target, world


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("unanswered")) as found:
        yield found


def without(lab: World, gone: str, monkeypatch: pytest.MonkeyPatch) -> PerfVerdict:
    """The verdict of a quick schedule while one device does not answer."""

    def session(target: object) -> Session:
        name = getattr(target, "device", "")
        if name == gone:
            raise TransportError(f"{gone} 192.0.2.9: login refused")
        return Session(_target(name), lab)

    monkeypatch.setattr(perf_bench, "Session", session)
    monkeypatch.setattr(perf_bench, "target_of", lambda _fabric, device: _target(device.name))
    results = measure(lab.fabric, replace(OPTIONS, depth=Depth.QUICK))
    return judge_perf(results, lab.fabric, Basis.SIMULATED)


def test_a_host_that_does_not_answer_is_the_suspect_and_not_its_addresses(
    lab: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = without(lab, "gpu04", monkeypatch)
    assert found.verdict.reason is NotProven.UNREACHABLE
    assert {one.where.device for one in found.suspects} == {"gpu04"}
    assert all(one.look_at.startswith("the host itself") for one in found.suspects)
    failed = [f.message for f in found.findings if f.rule == "rdma-test-failed"]
    assert failed
    assert all("the host did not answer when it was read" in one for one in failed)


def test_a_switch_that_does_not_answer_puts_no_cable_under_suspicion(
    lab: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = without(lab, "spine01", monkeypatch)
    assert found.verdict.reason is NotProven.UNREACHABLE
    assert [(f.rule, f.message) for f in found.findings] == [
        ("device-unreachable", "spine01 192.0.2.9: login refused")
    ]
    assert found.suspects == ()


@pytest.mark.parametrize(
    ("host", "said"),
    [
        (None, "the host did not answer when it was read"),
        (Device("gpu01"), "no RDMA device of that name"),
        (
            Device("gpu01", rdma=FrozenMap({"mlx5_0": RdmaDevice("mlx5_0")})),
            "its GID table was not shown",
        ),
        (
            Device("gpu01", rdma=FrozenMap({"mlx5_0": RdmaDevice("mlx5_0", gids=())})),
            "no RoCE v2 GID with an IPv4 address",
        ),
    ],
)
def test_what_was_not_read_is_not_said_to_be_missing(
    lab: World, host: Device | None, said: str
) -> None:
    first, *_, last = endpoints(lab.fabric)
    (item,) = classes_to_test(lab.fabric)
    runner = _Runner(Bench(lab.fabric), {"gpu01": host}, item, Tool.WRITE_BW, OPTIONS)
    assert runner._marked(Tool.WRITE_BW, last, first) == f"gpu01 mlx5_0: {said}"
