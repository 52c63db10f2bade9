"""The smallest fabric with a knob of every kind: two leaves under a spine, three hosts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from netcheck import api
from netcheck.model.fabric import Fabric

TABLE = Path(__file__).with_name("platforms.yaml")
SWITCHES = ("leaf01", "leaf02", "spine01")
HOSTS = ("gpu01", "gpu02", "gpu03")
CABLE, TRUNK = "5m", "40m"


@dataclass(frozen=True)
class Kind:
    """One platform of switches; fields as the head of ``platforms.yaml`` says."""

    name: str
    model: str
    ports: tuple[str, ...]
    watchdog: dict[str, str]
    lanes: int = 0
    path: str = ""
    load: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


def kinds() -> dict[str, Kind]:
    """Give the platforms of the table."""
    rows: dict[str, dict[str, Any]] = yaml.safe_load(TABLE.read_text("utf-8"))
    return {name: Kind(name, **_frozen(row)) for name, row in rows.items()}


def _frozen(row: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}


Intent = dict[str, Any]  # Any: an intent as YAML holds it


def fabric_of(kind: Kind, folder: Path, intent: Intent | None = None) -> Fabric:
    """The completed intent, with all switches of one platform."""
    path = folder / f"{kind.name}.yaml"
    path.write_text(json.dumps(intent or intent_of(kind)), "utf-8")
    return api.complete(api.load_intent(path, deployable=True))


def intent_of(kind: Kind, trunk: str = TRUNK) -> Intent:
    """The intent of the fabric; ``trunk`` is the length of cables between switches."""
    first, second, uplink = kind.ports
    port: dict[str, Any] = {"speed": "400G"} | ({"lanes": kind.lanes} if kind.lanes else {})
    devices: dict[str, Any] = {
        name: {
            "role": "spine" if name.startswith("spine") else "leaf",
            "platform": kind.name,
            "model": kind.model,
            "mgmt": f"192.0.2.{place + 1}",
            "credentials": "lab",
            "ports": dict.fromkeys(kind.ports[:2] if "spine" in name else kind.ports, port),
        }
        for place, name in enumerate(SWITCHES)
    }
    for place, name in enumerate(HOSTS):
        adapter = {"port": "rail0", "driver": "mlx5", "speed": "400G"}
        devices[name] = {
            "role": "host",
            "platform": "linux",
            "mgmt": f"192.0.2.{place + 101}",
            "credentials": "lab",
            "rdma": {"mlx5_0": adapter | {"address": f"10.100.0.{place + 1}/24"}},
        }
    ends = [
        ("gpu01:rail0", f"leaf01:{first}", CABLE),
        ("gpu02:rail0", f"leaf01:{second}", CABLE),
        ("gpu03:rail0", f"leaf02:{first}", CABLE),
        (f"leaf01:{uplink}", f"spine01:{first}", trunk),
        (f"leaf02:{uplink}", f"spine01:{second}", trunk),
    ]
    return {
        "netcheck": 1,
        "name": f"mutation-{kind.name}",
        "suppress": [
            {
                "rule": "buf-shared-pool-too-small",
                "where": name,
                "reason": "the lab's pools are small, so that little traffic fills them",
            }
            for name in SWITCHES
        ],
        "roce": {"policy": "backend", "policies": {"backend": _policy(kind)}},
        "credentials": {"lab": {"username": "admin", "password": "env:NETCHECK_PASSWORD"}},
        "devices": devices,
        "links": [{"a": a, "b": b, "cable": cable} for a, b, cable in ends],
        "jobs": {
            "nccl": {"NCCL_IB_HCA": "auto", "NCCL_IB_GID_INDEX": "auto", "NCCL_IB_TC": "auto"}
        },
    }


def _policy(kind: Kind) -> dict[str, Any]:
    data = {"dscp": [26], "priority": 3, "delivery": "lossless", "bandwidth": "50%", "ecn": "auto"}
    return {
        "trust": "dscp",
        "l2_mtu": "9216B",
        "dcbx": "disabled",
        "watchdog": kind.watchdog,
        "classes": {
            "rdma": data,
            "cnp": {"dscp": [48], "priority": 6, "carries": "cnp", "scheduling": "strict"},
            "default": {"priority": 0, "bandwidth": "50%"},
        },
    }
