"""One real lab for all tests here: two machines with soft-RoCE and the switch between them."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from netcheck import api
from netcheck.lab.control import relocate, stop_lab
from netcheck.lab.real.control import start_real_lab
from netcheck.lab.real.machine import crash_of, ready_after
from netcheck.lab.real.tools import missing_packages
from netcheck.lab.state import LabState, read_state
from netcheck.model.errors import TransportError
from netcheck.model.fabric import Fabric
from netcheck.perf.bench import EVERYTHING, Bench
from tests.reallab.realbench import INTENT, Real

# "yes" starts a lab; "auto" starts one where this machine can run it, and says why where it
# cannot; a folder names one that already runs. Unset or "no", the tests are skipped: they
# measure, so they run by themselves (`make reallab`) and not beside others.
REAL_LAB = "NETCHECK_REAL_LAB"
# Seconds of a machine's own clock until it was ready: 5 alone, 26 beside four busy programs.
SLOWEST_BOOT_S = 90.0
MACHINES = ("gpu01", "gpu02")


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """The lab, up and with the intent's settings not yet deployed."""
    asked = os.environ.get(REAL_LAB, "no")
    if asked in ("", "no"):
        pytest.skip(f"measures, so by itself: {REAL_LAB}=yes pytest tests/reallab")
    fabric = api.complete(api.load_intent([str(INTENT)], deployable=True))
    is_ours = asked in ("yes", "auto")
    folder = tmp_path_factory.mktemp("real") / "lab" if is_ours else Path(asked)
    try:
        state = _started(fabric, folder, must=asked == "yes") if is_ours else read_state(folder)
        assert state is not None, f"{folder}: no lab runs there"
        there = relocate(fabric, state)
        with Bench(there) as bench:
            hosts = bench.read(MACHINES, EVERYTHING)
            yield Real(state, there, bench, hosts)
    finally:
        if is_ours and read_state(folder) is not None:
            stop_lab(folder)


def _started(fabric: Fabric, folder: Path, *, must: bool) -> LabState:
    """Start the lab; where it cannot be here and need not, say why and skip."""
    missing = missing_packages()
    if missing:
        _cannot(f"needs {', '.join(missing)}: sudo apt-get install {' '.join(missing)}", must=must)
    try:
        state = start_real_lab(fabric, folder)
    except TransportError as error:
        _cannot(f"the real lab does not start here: {error}", must=must)
    boots = [ready_after(folder, name) or 0.0 for name in MACHINES]
    if max(boots) > SLOWEST_BOOT_S and not must:
        _cannot(f"this machine is too slow: its guests boot in {max(boots):g} s", must=must)
    return state


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip, with its last words, where a guest's kernel ended: that tells nothing of netcheck."""
    report = yield
    lab = item.funcargs.get("real")
    if report.failed and isinstance(lab, Real) and os.environ.get(REAL_LAB) == "auto":
        folder = Path(lab.state.directory)
        crashes = [
            f"{name}: {crash_of(folder, name)}" for name in MACHINES if crash_of(folder, name)
        ]
        if crashes:
            report.outcome = "skipped"
            report.longrepr = (str(item.path), item.location[1] or 0, f"Skipped: {crashes[0]}")
    return report


def _cannot(why: str, *, must: bool) -> NoReturn:
    if must:
        pytest.fail(why)
    pytest.skip(why)
