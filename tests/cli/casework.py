"""Judging a folder of files and comparing the findings with what they have to be."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Run = Callable[..., tuple[int, str, str]]
Finding = dict[str, Any]  # Any: JSON


def failures(netcheck: Run, folder: Path, intent: Path | None) -> list[Finding]:
    """What ``lint`` finds wrong in a folder."""
    against = ["--intent", intent] if intent else []
    code, out, err = netcheck("lint", folder, *against, "--format", "json")
    assert code in {0, 1}, f"{folder.name}: exit {code}: {err}"
    findings: list[Finding] = json.loads(out)["findings"]
    return [each for each in findings if each["verdict"] == "fail"]


def fits(finding: Finding, wanted: dict[str, Any]) -> bool:  # Any: YAML
    """A finding of a wanted rule that names what it has to name."""
    where = finding["where"]
    devices = {place["device"] for place in where}
    ports = {place["port"] for place in where}
    return (
        finding["rule"] in wanted["rules"]
        and finding["severity"] == wanted.get("severity", "error")
        and set(wanted.get("devices", [])) <= devices
        and wanted.get("message", "") in finding["message"]
        and wanted.get("number", "") in " ".join(place["queue"] or "" for place in where)
        and bool(not wanted.get("ports") or ports & set(wanted["ports"]))
        and any(
            wanted.get("file", "") in (each["file"] or "")
            for each in finding["evidence"] or [{"file": ""}]
        )
    )


def missing(
    findings: list[Finding], expected: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:  # Any: YAML
    """What was expected and is not there."""
    for wanted in expected:
        fitting = [each for each in findings if fits(each, wanted)]
        ports = {place["port"] for each in fitting for place in each["where"]}
        if not fitting or not set(wanted.get("ports", [])) <= ports:
            yield wanted
