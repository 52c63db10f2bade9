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
from netcheck.platforms.switch import switch_of
from netcheck.platforms.templates import templates_of

if TYPE_CHECKING:
    import jinja2

FILE: Final = "startup.yaml"


def refusals(device: Device, fabric: Fabric) -> list[Refusal]:  # noqa: ARG001 -- all limits are the switch's own
    """Give everything in the device's policy that NVUE cannot express."""
    return list(find_refusals(switch_of(device, port_order)))


def render(device: Device, fabric: Fabric) -> Mapping[str, str]:  # noqa: ARG001 -- as above
    """Give ``startup.yaml`` with the owned sections, byte-stable.

    Raises:
        RefusalError: Something cannot be expressed; ``refusals`` gives all of it.
    """
    switch = switch_of(device, port_order)
    for refusal in find_refusals(switch):
        raise RefusalError(refusal.limit, f"{refusal.place}: {refusal.reason}")
    return {FILE: yaml_text(tree_of(switch))}


def yaml_text(tree: Tree) -> str:
    """Give a tree as NVUE's YAML: ``- set:`` and the objects below."""
    if not tree:
        return "- set: {}\n"
    blocks: dict[int, str] = {}  # equal ports share their part, as an object
    interfaces = []
    for name, part in sorted(tree.get("interface", {}).items(), key=_order):
        if id(part) not in blocks:
            blocks[id(part)] = _block(json.dumps(part))
        interfaces.append((name, blocks[id(part)]))
    rest = {name: part for name, part in tree.items() if name != "interface"}
    template = _environment().get_template("startup.j2")
    return template.render(interfaces=interfaces, rows=_rows(rest, "    "))


@lru_cache(maxsize=1024)
def _block(text: str) -> str:
    """Give what stands below an interface; equal ones are rendered once, on any switch."""
    template = _environment().get_template("interface.j2")
    return template.render(rows=_rows(json.loads(text), "        "))


@cache
def _environment() -> jinja2.Environment:
    return templates_of("cumulus")


def _rows(tree: Mapping[str, object], margin: str) -> list[tuple[str, str, str]]:
    """Give margin, name and value of every object, as NVUE prints them.

    They stand by name, numbers and ports by number; ids are in quotes, and an object
    without parts is ``{}``.
    """
    rows = []
    for name, part in sorted(tree.items(), key=_order):
        key = f"'{name}'" if name.isdecimal() else name
        if part and isinstance(part, Mapping):
            rows.append((margin, key, ""))
            rows += _rows(part, f"{margin}  ")
        else:
            rows.append((margin, key, " {}" if isinstance(part, Mapping) else f" {part}"))
    return rows


def _order(item: tuple[str, object]) -> tuple[tuple[str, int], ...]:
    return port_order(item[0])
