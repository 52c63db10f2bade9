"""Metrics of a run, for the textfile collector of Prometheus' node exporter.

Gauges only: this text is read alike as OpenMetrics and in Prometheus' own
format, in which the collector reads its files.

Source: prometheus/OpenMetrics specification 1.0; prometheus/node_exporter
README.md, textfile collector.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator
from typing import TYPE_CHECKING

from netcheck.model.errors import InputError
from netcheck.model.finding import RunResult, Verdict
from netcheck.report.report import Report, exit_code
from netcheck.report.text import plain

if TYPE_CHECKING:
    from prometheus_client.metrics_core import GaugeMetricFamily

OWN = ("command", "fabric")


def write(report: Report) -> str:
    """The report's numbers as OpenMetrics text.

    Raises:
        InputError: The package prometheus-client is not installed.
    """
    try:
        from prometheus_client import CollectorRegistry  # noqa: PLC0415 -- an extra
        from prometheus_client.openmetrics.exposition import generate_latest  # noqa: PLC0415 -- as above
    except ImportError as error:
        hint = "pip install '.[report]' in the checkout"
        raise InputError(f"metrics need the package prometheus-client: {hint}") from error
    registry = CollectorRegistry()
    registry.register(_Collector(report))
    # the package has types for its collectors, not for this function
    text: str = generate_latest(registry).decode()  # type: ignore[no-untyped-call] # no types
    return text


class _Collector:
    """What the registry asks for families."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the families in a fixed order."""
        yield from self._state()
        yield from self._findings()
        if self.report.verdict is not None:
            yield from self._verdict()
            yield from self._classes()

    def _family(self, name: str, text: str, *labels: str) -> GaugeMetricFamily:
        from prometheus_client.metrics_core import GaugeMetricFamily as Gauge  # noqa: PLC0415 -- as in write

        return Gauge(f"netcheck_{name}", text, labels=(*OWN, *labels))

    def _add(self, family: GaugeMetricFamily, value: float, *labels: str) -> None:
        fabric = self.report.fabric.name if self.report.fabric else ""
        own = (self.report.command, fabric)
        family.add_metric([plain(label) for label in (*own, *labels)], value)

    def _state(self) -> Iterator[GaugeMetricFamily]:
        code = self._family("exit_code", "Exit code of the command.")
        self._add(code, int(exit_code(self.report)))
        yield code
        devices = self._family("devices", "Devices that were looked at.")
        self._add(devices, len(self.report.devices))
        yield devices

    def _findings(self) -> Iterator[GaugeMetricFamily]:
        listed = self.report.listed
        rules = Tally((f.rule, f.severity.value, f.verdict.value) for f in listed)
        family = self._family("findings", "Findings by rule.", "rule", "severity", "verdict")
        for labels, number in sorted(rules.items()):
            self._add(family, number, *labels)
        yield family
        failed = [f for f in listed if f.verdict in {Verdict.FAIL, Verdict.UNVERIFIED}]
        devices = Tally(
            (device, f.severity.value, f.verdict.value)
            for f in failed
            for device in {place.device for place in f.where if place.device}
        )
        family = self._family(
            "device_findings",
            "Findings by device; none is no row.",
            "device",
            "severity",
            "verdict",
        )
        for labels, number in sorted(devices.items()):
            self._add(family, number, *labels)
        yield family

    def _verdict(self) -> Iterator[GaugeMetricFamily]:
        verdict = self.report.verdict
        if verdict is None:
            return
        family = self._family("run_verdict", "1 for the verdict of the run.", "verdict", "basis")
        for result in RunResult:
            self._add(family, result is verdict.run, result.value, verdict.basis.value)
        yield family
        slow = self._family("run_slow", "1 where the expected bandwidth was not reached.")
        self._add(slow, verdict.performance is not None and verdict.performance.value == "slow")
        yield slow

    def _classes(self) -> Iterator[GaugeMetricFamily]:
        family = self._family("class_verdict", "1 for the class's verdict.", "class", "verdict")
        packets = self._family("class_packets", "Packets that the verdict rests on.", "class")
        bound = self._family(
            "class_loss_ratio_bound", "Upper bound of the loss rate, 95 percent.", "class"
        )
        fired = self._family("class_fired", "1 where it was seen to act.", "class", "mechanism")
        for item in self.report.classes:
            for result in RunResult:
                self._add(family, result is item.verdict.run, item.name, result.value)
            self._add(packets, item.packets, item.name)
            if item.loss_bound is not None:
                self._add(bound, item.loss_bound, item.name)
            self._add(fired, item.paused, item.name, "pfc")
            self._add(fired, item.marked, item.name, "ecn")
            if item.waited is not None:
                self._add(fired, item.waited, item.name, "credits")
        yield from (family, packets, bound, fired)
