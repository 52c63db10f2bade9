"""Metrics, read back by the reference parser of each of the two formats."""

import builtins
from collections.abc import Mapping

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_prometheus

from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.finding import (
    Basis,
    ClassVerdict,
    Finding,
    Performance,
    Place,
    RunResult,
    RunVerdict,
    Severity,
    Verdict,
)
from netcheck.report.openmetrics import write
from netcheck.report.publish import Format, format_of
from netcheck.report.report import Report

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(text: str) -> Samples:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in read_openmetrics(text)  # type: ignore[no-untyped-call]  # has no types
        for sample in family.samples
    }


def value(text: str, name: str, **labels: str) -> float:
    found = {
        key: number
        for (metric, key), number in samples(text).items()
        if metric == f"netcheck_{name}" and labels.items() <= dict(key).items()
    }
    assert len(found) == 1, found
    return next(iter(found.values()))


def test_findings_are_counted_by_rule_and_by_device(report: Report) -> None:
    text = write(report)
    assert value(text, "exit_code", command="lint") == 1
    assert value(text, "devices") == 3
    assert value(text, "findings", rule="pfc-host-missing", severity="error", verdict="fail") == 1
    assert value(text, "findings", rule="mtu-below-rdma", verdict="suppressed") == 1
    assert value(text, "device_findings", device="leaf01", severity="error", verdict="fail") == 1
    assert value(text, "device_findings", device="gpu02", verdict="unverified") == 1


def measured() -> Report:
    held = RunVerdict(RunResult.LOSSLESS, Basis.MEASURED, Performance.SLOW)
    lost = RunVerdict(RunResult.NOT_LOSSLESS, Basis.MEASURED)
    classes = (
        ClassVerdict("rdma", held, 3_000_000, paused=True, marked=False),
        ClassVerdict("bulk", lost, 100, paused=False, marked=True, is_lossless=False),
    )
    return Report("perf", verdict=held, classes=classes, fabric=Fabric("train-a"))


def test_each_class_has_its_verdict_packets_and_bound() -> None:
    text = write(measured())
    assert value(text, "run_verdict", verdict="lossless", basis="measured", fabric="train-a") == 1
    assert value(text, "run_verdict", verdict="not_lossless") == 0
    assert value(text, "run_slow") == 1
    assert value(text, "class_verdict", **{"class": "bulk", "verdict": "not_lossless"}) == 1
    assert value(text, "class_packets", **{"class": "rdma"}) == 3_000_000
    assert value(text, "class_loss_ratio_bound", **{"class": "rdma"}) == pytest.approx(1e-6)
    assert value(text, "class_fired", **{"class": "rdma", "mechanism": "pfc"}) == 1
    bounds = [dict(key)["class"] for name, key in samples(text) if name.endswith("ratio_bound")]
    assert bounds == ["rdma"]


def test_a_run_without_measurement_has_no_verdict(report: Report) -> None:
    assert not [name for name, _ in samples(write(report)) if "verdict" in name]


def test_the_text_is_read_alike_in_the_format_of_the_textfile_collector() -> None:
    text = write(measured())
    assert {family.type for family in read_prometheus(text)} == {"gauge"}
    assert text.endswith("# EOF\n")
    found = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in read_prometheus(text)
        for sample in family.samples
    }
    assert found == samples(text)


def test_names_with_quotes_and_line_breaks_are_escaped() -> None:
    odd = Finding("r", Severity.ERROR, Verdict.FAIL, (Place('le"af\\1\n'),), "m")
    text = write(Report("lint", (odd,)))
    assert value(text, "device_findings", device='le"af\\1\\x0a') == 1


def test_a_file_that_ends_in_prom_asks_for_metrics() -> None:
    assert format_of("node/netcheck.prom") is Format.OPENMETRICS


def test_without_the_package_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = builtins.__import__

    def refuse(
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 -- as the built-in names it
        locals: Mapping[str, object] | None = None,  # noqa: A002 -- as above
        fromlist: tuple[str, ...] = (),
        level: int = 0,
    ) -> object:
        if name.startswith("prometheus_client"):
            raise ImportError(name)
        return original(name, globals, locals, fromlist, level)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(InputError, match=r"pip install .\.\[report\]. in the checkout"):
        write(Report("lint"))
