"""Policies of every kind reach both platforms whole: rendered, read back, compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck import api
from netcheck.compare.compare import compare
from netcheck.model.document import Document
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.platforms import platform

SMALL = (Path(__file__).parents[2] / "examples" / "lab-small.yaml").read_text("utf-8")
# what is replaced in the small lab, and by what
VARIANTS: dict[str, dict[str, str]] = {
    "as it is": {},
    "lossy": {"delivery: lossless": "delivery: lossy"},
    "ecn only": {"delivery: lossless": "delivery: ecn"},
    "two lossless classes": {
        "default: {priority: 0, bandwidth: 50%}": "default: {priority: 0, bandwidth: 30%}",
        "        default:": """\
        storage: {dscp: [34], priority: 4, delivery: lossless, bandwidth: 20%}
        default:""",
    },
    "headroom by the device": {"dcbx: disabled": "headroom: device"},
    "no watchdog": {"{detection: 200ms, restoration: 400ms, action: drop}": "off"},
    "stated thresholds": {"ecn: auto": "ecn: {kmin: 1MB, kmax: 2MB, pmax: 5%}"},
    "no marking": {"ecn: auto": "ecn: off"},
    "trust pcp": {"trust: dscp": "trust: pcp", "dscp: [26]": "pcp: [3]", "dscp: [48]": "pcp: [6]"},
    "no global pause": {"dcbx: disabled": "global_pause: off"},
    "another queue": {"priority: 3, delivery": "priority: 3, queue: 4, delivery"},
    "priority 0 lossless": {
        "default: {priority: 0": "default: {priority: 1",
        "priority: 3, delivery": "priority: 0, delivery",
    },
    "a border": {
        "lanes: 4}": "lanes: 4}\n      Ethernet32: {speed: 400G, policy: none}",
    },
    "shared headroom": {
        "    ports:": """\
    buffers:
      pools:
        ingress_lossless_pool: {kind: ingress, mode: dynamic, size: 100MB, shared_headroom: 20MB}
    ports:""",
    },
}
# ports and their speeds are the device's own; netcheck does not render them
NOT_RENDERED = {"speed_bps"}
Write = Callable[..., Path]


def intended(name: str, write: Write) -> Fabric:
    text = SMALL
    for old, new in VARIANTS[name].items():
        assert old in text
        text = text.replace(old, new)
    return api.complete(api.load_intent(write(text), deployable=True))


def read_back(fabric: Fabric) -> Fabric:
    """What the rendered files say."""
    devices = {}
    for name, files in api.render(fabric).items():
        documents = [Document(file, text) for file, text in files.items()]
        parsing = platform.load(str(fabric.devices[name].platform)).parsing
        devices[name] = parsing.parse(documents, name=name)
    return replace(fabric, devices=FrozenMap(devices))


@pytest.mark.parametrize("name", VARIANTS)
def test_what_is_intended_is_what_the_rendered_files_say(name: str, write: Write) -> None:
    fabric = intended(name, write)
    findings = compare(fabric, read_back(fabric))
    different = [str(one.message) for one in findings if not one.facts & NOT_RENDERED]
    assert api.refusals(fabric) == []
    assert different == []
