"""What is wrong with a device's texts in themselves, and what the device refused."""

from __future__ import annotations

import re
from collections.abc import Iterator

from netcheck.model.device import Defect, DefectKind
from netcheck.model.finding import Place, Severity
from netcheck.model.view import DeviceView
from netcheck.rules.rule import Fault, Scope, rule

REFERENCES = "sonic-net/sonic-buildimage src/sonic-yang-models: references are checked"


def _faults(device: DeviceView, kind: DefectKind) -> Iterator[Fault]:
    for defect in device.defects:
        if defect.kind is kind:
            yield _fault(device, defect)


def _fault(device: DeviceView, defect: Defect) -> Fault:
    name = device.record.name
    numbers = [str(number) for number in defect.indices] or [""]
    places = tuple(Place(name, port, number) for port in defect.ports for number in numbers)
    return Fault(
        device,
        (_portless(defect, defect.place) or defect.kind.value,),
        _portless(defect, defect.expected) or "a text that the device takes",
        _portless(defect, _found(defect)),
        places=places or (Place(name),),
        severity=None if defect.touches_qos else Severity.WARNING,
        evidence=defect.evidence,
    )


def _found(defect: Defect) -> str:
    if defect.found:
        return defect.found
    is_empty = defect.expected and defect.kind is DefectKind.MALFORMED_VALUE
    return "nothing" if is_empty else defect.message


def _portless(defect: Defect, text: str) -> str:
    """The text without its ports, so that one mistake on many ports is one finding."""
    for port in defect.ports:
        text = re.sub(rf"(?<![\w/]){re.escape(port)}(?![\w/])", "*", text)
    return text


@rule("reference-dangling", severity=Severity.ERROR, scope=Scope.DEVICE, source=REFERENCES)
def reference_dangling(device: DeviceView) -> Iterator[Fault]:
    """An object refers to another that does not exist.

    Why: the device ignores the object, or refuses the whole configuration; the queue or port
        falls back to a default.
    Bad: a queue bound to a buffer profile that no table has.
    Good: every name that is used is defined.
    Fix: define the object, or correct the name.
    """
    yield from _faults(device, DefectKind.DANGLING_REFERENCE)


@rule(
    "reference-malformed",
    severity=Severity.ERROR,
    scope=Scope.DEVICE,
    source="sonic-net/sonic-utilities scripts/db_migrator.py: references changed their form",
)
def reference_malformed(device: DeviceView) -> Iterator[Fault]:
    """A reference has a form that the device's version does not take.

    Why: the object is ignored or refused; the queue or port falls back to a default.
    Bad: "[BUFFER_PROFILE|name]" on a version that wants the plain name.
    Good: the plain name.
    Fix: write the reference in the form of the version.
    """
    yield from _faults(device, DefectKind.MALFORMED_REFERENCE)


@rule("value-malformed", severity=Severity.ERROR, scope=Scope.DEVICE, source=REFERENCES)
def value_malformed(device: DeviceView) -> Iterator[Fault]:
    """A value is empty, or not of the kind that the field takes.

    Why: the device ignores or refuses it; what it does instead is not what is written.
    Bad: shared headroom "" on a pool.
    Good: a number of bytes.
    Fix: correct the value.
    """
    yield from _faults(device, DefectKind.MALFORMED_VALUE)


@rule(
    "key-duplicate",
    severity=Severity.ERROR,
    scope=Scope.DEVICE,
    source="RFC 8259 section 4: what a reader does with a name that occurs twice is open",
)
def key_duplicate(device: DeviceView) -> Iterator[Fault]:
    """A text gives one thing twice.

    Why: which of the two holds is left to the reader.
    Bad: queue 3 and queues 3-4 of one port, with different profiles.
    Good: each queue once.
    Fix: take one of them out.
    """
    yield from _faults(device, DefectKind.DUPLICATE_KEY)


@rule(
    "line-unknown",
    severity=Severity.WARNING,
    scope=Scope.DEVICE,
    source="derived: a line about QoS that was not understood may change any verdict",
)
def line_unknown(device: DeviceView) -> Iterator[Fault]:
    """A line that may concern QoS was not understood.

    Why: what it does is not part of the verdict.
    Bad: an unknown field in a buffer table.
    Good: every line about QoS is understood.
    Fix: check the spelling; report the line if it is right.
    """
    yield from _faults(device, DefectKind.UNKNOWN_LINE)


@rule(
    "device-rejected-config",
    severity=Severity.ERROR,
    scope=Scope.DEVICE,
    source="derived: the device's own log or answer says so",
)
def device_rejected_config(device: DeviceView) -> Iterator[Fault]:
    """The device says that it could not apply a part of its configuration.

    Why: the configuration looks right, and the hardware does something else.
    Bad: a log line that no lossless profile could be made for a port.
    Good: no such line.
    Fix: correct what the device complains about, and apply it again.
    """
    yield from _faults(device, DefectKind.REJECTED_BY_DEVICE)
