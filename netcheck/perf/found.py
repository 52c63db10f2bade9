"""Findings of a measurement: a place, a message, and the page of their kind."""

from __future__ import annotations

from netcheck.model.finding import Finding, Place, Stage
from netcheck.perf.pages import PAGES


def perf_finding(rule: str, where: Place, message: str, **more: object) -> Finding:
    """Give a finding of one place; ``more`` are further fields of Finding."""
    page = PAGES[rule]
    return Finding(
        rule=rule,
        severity=page.severity,
        verdict=page.verdict,
        where=(where,),
        message=message,
        why=page.why,
        fix=page.fix,
        reference=page.source,
        stage=Stage.PERF,
        **more,  # type: ignore[arg-type]  # keyword arguments of Finding
    )
