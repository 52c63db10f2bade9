"""Render the part of NVUE's configuration that netcheck owns, as one ``startup.yaml``.

A section of ``qos`` is written when anything in it is said, and is then whole. The
file is what ``nv config patch`` takes; it has no header, since it is no whole
configuration.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from netcheck.model.device import Device
from netcheck.model.errors import RefusalError
from netcheck.model.fabric import Fabric
from netcheck.platforms.cumulus.parsed.ids import port_order
from netcheck.platforms.cumulus.rendered.limits import find_refusals
from netcheck.platforms.cumulus.rendered.profiles import Tree
from netcheck.platforms.cumulus.rendered.trees import tree_of
from netcheck.platforms.platform import Refusal

if TYPE_CHECKING:
    import jinja2

FILE: Final = "startup.yaml"


def refusals(device: Device, fabric: Fabric) -> list[Refusal]:  # noqa: ARG001 -- all limits are the switch's own
    """Give everything in the device's policy that NVUE cannot express."""
    return list(find_refusals(device))


def render(device: Device, fabric: Fabric) -> Mapping[str, str]:
    """Give ``startup.yaml`` with the owned sections, byte-stable.

    Raises:
        RefusalError: Something cannot be expressed; ``refusals`` gives all of it.
    """
    for refusal in refusals(device, fabric):
        raise RefusalError(refusal.limit, f"{refusal.place}: {refusal.reason}")
    return {FILE: yaml_text(tree_of(device))}


def yaml_text(tree: Tree) -> str:
    """Give a tree as NVUE's YAML: ``- set:`` and the objects below."""
    if not tree:
        return "- set: {}\n"
    interfaces = sorted(tree.get("interface", {}).items(), key=lambda item: port_order(item[0]))
    rest = {name: part for name, part in tree.items() if name != "interface"}
    blocks = [(name, _block(part)) for name, part in interfaces]
    return _environment().get_template("startup.j2").render(interfaces=blocks, rest=rest)


def _block(part: Tree) -> str:
    """Give the text below one interface; equal interfaces are written once."""
    return _block_of(json.dumps(part))


@lru_cache(maxsize=1024)
def _block_of(text: str) -> str:
    return _environment().get_template("interface.j2").render(tree=json.loads(text))


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # noqa: PLC0415 -- lint renders nothing

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("netcheck.platforms.cumulus"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 -- the output is YAML, no page
    )
    environment.filters["key"] = _key
    environment.filters["ordered"] = _ordered
    return environment


def _ordered(tree: Tree) -> list[tuple[str, object]]:
    """Give the parts as NVUE prints them: by name, numbers and ports by number."""
    return sorted(tree.items(), key=lambda item: port_order(item[0]))


def _key(name: str) -> str:
    """Give a key: numbers in quotes, as NVUE prints ids."""
    return f"'{name}'" if name.isdecimal() else name
