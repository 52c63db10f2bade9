"""Render a subnet as the files of its subnet manager.

Only what is said is written: an option that nobody says stays the subnet
manager's own. ``render_subnet`` gives the files of one manager of one subnet;
``render`` those of all subnets that a device manages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from netcheck.model.device import Device
from netcheck.model.errors import RefusalError
from netcheck.model.fabric import Fabric
from netcheck.model.known import is_known
from netcheck.platforms.opensm.dialects import ONYX, UPSTREAM, build_name
from netcheck.platforms.opensm.rendered.options import (
    COMPUTE,
    IO,
    NAMES,
    OPENSM,
    PARTITIONS,
    POLICY,
    ROOTS,
    options_of,
)
from netcheck.platforms.opensm.rendered.partitions import statements
from netcheck.platforms.opensm.rendered.policy import content_of
from netcheck.platforms.platform import Refusal
from netcheck.platforms.sm_subject import FOLDER, Subject, guid_text, managed_by, subject_of

if TYPE_CHECKING:
    import jinja2


def render_subnet(
    fabric: Fabric, subnet_name: str, *, manager: str | None = None, folder: str = FOLDER
) -> dict[str, str]:
    """Give ``file name -> text`` of one manager of a subnet, byte-stable.

    Args:
        fabric: Holds the subnet and the devices that its partitions name.
        subnet_name: One of ``fabric.subnets``.
        manager: One of its managers, whose priority it gets; the preferred one if left out.
        folder: Where the files will lie; ``opensm.conf`` names the others in it.

    Raises:
        InputError: There is no such subnet.
        RefusalError: Something cannot be expressed, such as a member without a GUID.
    """
    subject = _subject(fabric, subnet_name, manager, folder)
    files = _files(subject)
    for refusal in subject.refused:
        raise RefusalError(refusal.limit, f"{refusal.place}: {refusal.reason}")
    return files


def refused(fabric: Fabric, subnet_name: str, *, manager: str | None = None) -> list[Refusal]:
    """Give everything that keeps a subnet from being rendered.

    Raises:
        InputError: There is no such subnet.
    """
    subject = _subject(fabric, subnet_name, manager, FOLDER)
    _files(subject)
    return list(dict.fromkeys(subject.refused))


def refusals(device: Device, fabric: Fabric) -> list[Refusal]:
    """Give everything in the device's subnets that a subnet manager cannot express."""
    return [
        refusal
        for name in managed_by(device, fabric)
        for refusal in refused(fabric, name, manager=device.name)
    ]


def render(device: Device, fabric: Fabric) -> Mapping[str, str]:
    """Give the files of every subnet that the device manages, byte-stable.

    Files of several subnets lie in a folder each, named for the subnet.

    Raises:
        RefusalError: Something cannot be expressed; ``refusals`` gives all of it.
    """
    names = managed_by(device, fabric)
    if len(names) == 1:
        return render_subnet(fabric, names[0], manager=device.name)
    return {
        f"{name}/{file}": text
        for name in names
        for file, text in render_subnet(
            fabric, name, manager=device.name, folder=f"{FOLDER}/{name}"
        ).items()
    }


def _subject(fabric: Fabric, name: str, manager: str | None, folder: str) -> Subject:
    subject = subject_of(fabric, name, manager, folder)
    subject.build = build_name(subject.subnet.opensm_build) or UPSTREAM
    return subject


def _files(subject: Subject) -> dict[str, str]:
    if subject.build == ONYX:
        reason = "the manager of build onyx is embedded in a switch; say platform: onyx of it"
        subject.refuse("embedded", subject.manager, reason)
    files = dict(_parts(subject))
    options = options_of(subject, frozenset(files))
    whole = _text("opensm.conf.j2", subject, head=_head(subject), options=options)
    return {OPENSM: whole, **files}


def _head(subject: Subject) -> str:
    build = subject.subnet.opensm_build
    said = [f"subnet {subject.subnet.name}"]
    said += [f"subnet manager {subject.manager}"] if subject.manager else []
    return ", ".join([*said, f"build {build}"] if is_known(build) else said)


def _parts(subject: Subject) -> Iterator[tuple[str, str]]:
    subnet = subject.subnet
    if subnet.partitions:
        yield (
            PARTITIONS,
            _text("partitions.conf.j2", subject, statements=statements(subject)),
        )
    content = content_of(subject)
    if content is not None:
        yield POLICY, _text("qos-policy.conf.j2", subject, content=content)
    if is_known(subnet.roots):
        guids = subject.nodes(subnet.roots, "roots")
        yield ROOTS, _text("guids.j2", subject, guids=[*map(guid_text, guids)])
    for file, place, names in (
        (COMPUTE, "compute_nodes", subnet.compute_nodes),
        (IO, "io_nodes", subnet.io_nodes),
    ):
        if is_known(names):
            guids = subject.ports(names, place)
            yield file, _text("guids.j2", subject, guids=[*map(guid_text, guids)])
    names_of = _names(subject)
    if names_of:
        yield NAMES, _text("names.j2", subject, names=names_of)


def _names(subject: Subject) -> list[tuple[str, str]]:
    """Node GUID and name of every switch whose GUID is known."""
    found = dict(subject.subnet.node_guids)
    for name, device in subject.fabric.devices.items():
        if is_known(device.node_guid):
            found[name] = device.node_guid
    return sorted((guid_text(guid), name) for name, guid in found.items())


def _text(template: str, subject: Subject, **values: object) -> str:
    return _environment().get_template(template).render(subnet=subject.subnet.name, **values)


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # noqa: PLC0415 -- lint renders nothing

    return jinja2.Environment(
        loader=jinja2.PackageLoader("netcheck.platforms.opensm"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 -- the output is a configuration, no page
    )
