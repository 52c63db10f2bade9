"""The intent that devices follow, written to a file and checked against them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from netcheck.collect.atomic import write_atomically
from netcheck.intent.inferred.check import differing, notes
from netcheck.intent.inferred.fabric import inferred
from netcheck.intent.inferred.writing import write_intent
from netcheck.intent.load import load_intent
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding
from netcheck.model.shortened import compress


def import_fabric(observed: Fabric, target: Path) -> tuple[list[Finding], list[str]]:
    """Write the intent of an observed fabric; give what it cannot say, and lines for a person.

    The file is loaded again and completed, so that what is compared is what it says.

    Raises:
        InputError: The file cannot be written, or an intent cannot have one of the names.
    """
    intent = inferred(observed, name=target.stem)
    _refuse_names(intent)
    try:
        write_atomically(target, write_intent(intent, about=_about(observed)))
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from None
    loaded = load_intent(target)
    said = [f"written: {target}", *notes(loaded, observed)]
    return list(differing(loaded, observed)), said


def _refuse_names(intent: Fabric) -> None:
    """What is a range in an intent would be read back as other names.

    Raises:
        InputError: A name has a bracket, or that of a cabled device a colon.
    """
    cabled = {end.device for link in intent.links for end in (link.a, link.b)}
    for device in intent.devices.values():
        for name in (device.name, *device.ports, *device.rdma):
            if "[" in name:
                where = "" if name == device.name else f"{device.name} "
                raise InputError(f"{where}{name}: an intent takes [ for a range; give another name")
        if ":" in device.name and device.name in cabled:
            what = "an intent takes what follows : for a port; give another name"
            raise InputError(f"{device.name}: {what}")


def _about(observed: Fabric) -> Iterator[str]:
    """Lines at the head of the file: what it was made of."""
    yield "Written by netcheck import, from what these devices hold."
    by_platform: dict[str, list[str]] = {}
    for device in observed.devices.values():
        by_platform.setdefault(str(device.platform), []).append(device.name)
    for platform, names in sorted(by_platform.items()):
        yield f"  {platform}: {compress(names)}"
    yield "What is not here was not in what was given; netcheck lint judges what is."
