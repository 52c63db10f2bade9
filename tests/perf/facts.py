"""A device as flat text facts, so that a table can name what a capture says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from netcheck.model.device import Device
from netcheck.model.known import is_known


def facts(device: Device) -> dict[str, str]:
    """Give ``place fact -> value`` of everything that is known; counters by their names."""
    found: dict[str, str] = {}
    for port in device.ports.values():
        found |= dict(_of(f"port {port.name}", port))
        found |= dict(_of(f"port {port.name}", port.qos))
    for rdma in device.rdma.values():
        found |= dict(_of(f"rdma {rdma.name}", rdma))
        found |= dict(_of(f"rdma {rdma.name} cc", rdma.congestion_control))
    if is_known(device.counters):
        for key, counter in device.counters.items():
            found[f"counter {key.port} {key.name}"] = text(counter.value)
    return found


def _of(place: str, part: object) -> Iterator[tuple[str, str]]:
    if not is_dataclass(part):
        return
    for each in fields(part):
        value = getattr(part, each.name)
        if is_known(value) and not is_dataclass(value) and each.name != "name":
            yield f"{place} {each.name}", text(value)


def text(value: object) -> str:
    """A value as one line, whatever its type; sets and maps in order."""
    if isinstance(value, Mapping):
        return " ".join(f"{text(key)}:{text(value[key])}" for key in sorted(value))
    if isinstance(value, frozenset):
        return " ".join(sorted(map(text, value)))
    if isinstance(value, tuple):
        return " ".join(map(text, value))
    if is_dataclass(value):
        known = [getattr(value, each.name) for each in fields(value)]
        return "/".join(text(one) for one in known if is_known(one))
    return f"{value:.12g}" if isinstance(value, float) else str(value)
