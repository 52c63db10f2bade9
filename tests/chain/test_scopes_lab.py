"""The example of several scopes, through the whole chain on simulated devices."""

from pathlib import Path

import pytest

from netcheck import api
from netcheck.chain import ChainOptions, lab_for, run_chain
from netcheck.model.finding import Basis, ExitCode
from netcheck.perf.options import PerfOptions

SCOPES = Path(__file__).parents[2] / "examples" / "scopes.yaml"

pytestmark = pytest.mark.slow


def test_every_class_of_every_scope_is_proven_in_the_lab(tmp_path: Path) -> None:
    fabric = api.complete(api.load_intent(SCOPES, deployable=True))
    with lab_for(fabric, tmp_path / "lab") as (reached, _):
        options = ChainOptions(
            state=tmp_path / "state",
            basis=Basis.SIMULATED,
            perf=PerfOptions(settle_s=0.0, probe_after_s=0.0),
            between_s=0.0,
        )
        report = run_chain(reached, options, lambda *_: None)
    assert str(report.verdict) == "lossless (simulated)"
    assert {item.name: item.verdict.run.value for item in report.classes} == {
        "rdma": "lossless",
        "storage": "lossless",
        "bulk": "lossless",
    }
    assert [item.paused for item in report.classes] == [True, True, False]
    assert api.exit_code(report) is ExitCode.CLEAN
