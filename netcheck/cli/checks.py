"""Findings that come from comparing, deploying and measuring, not from the rule catalogue."""

from __future__ import annotations

from dataclasses import dataclass

from netcheck.compare import compare, health, subnet_pages
from netcheck.model.finding import Severity
from netcheck.perf.pages import PAGES


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of finding, as ``netcheck explain`` shows it."""

    slug: str
    severity: Severity
    summary: str
    why: str
    fix: str
    source: str


_DERIVED = "derived: see docs/design.md"
_OTHERS = (
    Check(
        compare.RULE,
        Severity.ERROR,
        "A device does not hold what the intent says.",
        compare.WHY,
        compare.FIX,
        compare.REFERENCE,
    ),
    Check(
        "config-not-applied",
        Severity.ERROR,
        "A configuration and the live state of one device differ.",
        "Packets meet what is in effect; the configuration says something else.",
        "Apply or reload the configuration, or save the running state into it.",
        _DERIVED,
    ),
    Check(
        health.LOSS,
        Severity.ERROR,
        "A counter of loss moved between two readings.",
        "Packets are lost right now, under whatever load the fabric carries.",
        "Look at PFC, headroom and maps of the port first, then run netcheck perf.",
        _DERIVED,
    ),
    Check(
        health.ERRORS,
        Severity.ERROR,
        "A counter of physical errors moved between two readings.",
        "A cable or transceiver corrupts packets; the loss is not congestion.",
        "Clean or replace the transceiver or cable; compare FEC on both ends.",
        _DERIVED,
    ),
    Check(
        "platform-limit",
        Severity.ERROR,
        "A platform cannot express what the intent says.",
        "The device would not do what is intended; nothing is rendered instead.",
        "Change the intent within the limit, or use another platform there.",
        "capabilities.yaml of the platform names the limit and its source",
    ),
    Check(
        "deploy-failed",
        Severity.ERROR,
        "A device does not hold what was rendered after a run.",
        "The device does not hold the intended configuration.",
        "Mend what the message names, then deploy again; netcheck rollback undoes the rest.",
        _DERIVED,
    ),
    Check(
        "device-not-read",
        Severity.ERROR,
        "A device, or an output of it that was asked for, is not in the snapshot.",
        "What was not read is not known; no check of it can pass.",
        "Check address, login and the command that the message names, then collect again.",
        _DERIVED,
    ),
    Check(
        "no-answer",
        Severity.ERROR,
        "A device gave no answer.",
        "Nothing is known of it.",
        "Check address, login and the device itself.",
        _DERIVED,
    ),
    Check(
        "input-invalid",
        Severity.ERROR,
        "A file or an option cannot be used.",
        "Nothing was judged.",
        "Mend the place that the message names.",
        _DERIVED,
    ),
)


def checks() -> dict[str, Check]:
    """Give ``slug -> check``, in order of their names."""
    measured = (
        Check(slug, page.severity, page.why, page.why, page.fix, page.source)
        for slug, page in PAGES.items()
    )
    of_subnets = (
        Check(slug, page.severity, page.summary, page.why, page.fix, page.source)
        for slug, page in subnet_pages.PAGES.items()
    )
    every = (*_OTHERS, *measured, *of_subnets)
    return {each.slug: each for each in sorted(every, key=lambda one: one.slug)}
