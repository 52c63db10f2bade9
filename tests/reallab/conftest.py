"""One real lab for all tests here: two machines with soft-RoCE and the switch between them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from netcheck import api
from netcheck.lab.control import relocate, stop_lab
from netcheck.lab.real.control import start_real_lab
from netcheck.lab.real.server import OWNER
from netcheck.lab.real.tools import missing_packages
from netcheck.lab.state import read_state
from netcheck.perf.bench import EVERYTHING, Bench
from tests.reallab.realbench import INTENT, Real

# "yes" starts a lab; a folder names one that already runs. Unset, the tests are skipped: they
# measure, so they need processors that nobody else uses.
SHARED_LAB = "NETCHECK_REAL_LAB"


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """The lab, up and with the intent's settings not yet deployed."""
    asked = os.environ.get(SHARED_LAB, "")
    if not asked:
        pytest.skip(f"measures on two idle processors: {SHARED_LAB}=yes pytest tests/reallab")
    missing = missing_packages()
    if missing:
        pytest.skip(f"needs {', '.join(missing)}: sudo apt-get install {' '.join(missing)}")
    os.environ[OWNER] = str(os.getpid())  # so that nothing is left where this is killed
    fabric = api.complete(api.load_intent([str(INTENT)], deployable=True))
    running = "" if asked == "yes" else asked
    folder = Path(running) if running else tmp_path_factory.mktemp("real") / "lab"
    state = read_state(folder) if running else start_real_lab(fabric, folder)
    assert state is not None
    try:
        there = relocate(fabric, state)
        with Bench(there) as bench:
            hosts = bench.read(["gpu01", "gpu02"], EVERYTHING)
            yield Real(state, there, bench, hosts)
    finally:
        if not running:
            stop_lab(folder)
