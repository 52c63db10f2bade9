"""Rendering and parsing 64 ports beside peers, in one run, into RESULTS.md.

Peers are installed into a virtual environment of their own on the first run
(1.2 GB); where that is not possible, our own figures stand alone. We and they
take turns, and of each the least processor time counts. ``python -m benchmarks.peers``.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.parts import forget, least_s, switches, with_ports
from benchmarks.results import machine, put
from benchmarks.shows import interface_json, interface_text
from netcheck.model.document import Document
from netcheck.platforms.platform import load

HERE = Path(__file__).resolve().parent
PEERS = HERE / ".peers" / "parts"
PACKAGES = ("pyats", "genie", "ntc-templates", "ttp", "pyavd")
PORTS = 64
ROUNDS = 3
OURS_SHOW, OURS_RENDER = "netcheck parse", "netcheck render"
OURS_AGAIN = "netcheck render, policies seen before"
RENDERING = (OURS_RENDER, "pyavd")
# The same queues as the benchmark's policies have, in the words of AVD's model.
PROFILE = {
    "trust": "dscp",
    "priority_flow_control": {
        "enable": True,
        "priorities": [{"priority": 3, "no_drop": True}],
        "watchdog": {
            "enabled": True,
            "action": "drop",
            "timer": {"timeout": "0.20", "polling_interval": "auto", "recovery_time": "0.40"},
        },
    },
    "uc_tx_queues": [
        {"id": 0, "priority": "no priority", "bandwidth_percent": 60},
        {
            "id": 3,
            "priority": "no priority",
            "bandwidth_percent": 40,
            "bandwidth_guaranteed_percent": 1,
            "random_detect": {
                "ecn": {
                    "threshold": {
                        "units": "bytes",
                        "min": 200000,
                        "max": 800000,
                        "max_probability": 5,
                        "weight": 0,
                    }
                }
            },
        },
        {"id": 6, "priority": "priority strict"},
    ],
}


def install_peers() -> bool:
    """Make the peers' environment unless it is there; tell whether it is."""
    done = PEERS / "installed"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PEERS)], check=True)
        pip = [str(PEERS / "bin" / "pip"), "install", "-q", *PACKAGES]
        if subprocess.run(pip, check=False).returncode != 0:
            return False
        done.touch()
    return True


def structured(config: str) -> dict[str, Any]:
    """Give the ports of a rendered switch in AVD's model: MTU, pause, profile and marks."""
    found = re.findall(
        r"^interface (\S+)\n   mtu (\d+)\n(?:   .*\n)*?   service-profile (\S+)",
        config,
        re.MULTILINE,
    )
    ports = [
        {
            "name": name,
            "mtu": int(mtu),
            "flowcontrol": {"received": "off", "sent": "off"},
            "service_profile": profile,
            "uc_tx_queues": [{"id": 3, "random_detect": {"ecn": {"count": True}}}],
        }
        for name, mtu, profile in found
    ]
    maps = re.findall(r"^qos map dscp (.*)", config, re.MULTILINE)
    queues = re.findall(r"^qos map traffic-class (.*)", config, re.MULTILINE)
    return {
        "hostname": "leaf",
        "qos": {"map": {"dscp": maps, "traffic_class": queues}},
        "qos_profiles": [
            {"name": name, **PROFILE} for name in dict.fromkeys(row[2] for row in found)
        ],
        "ethernet_interfaces": ports,
    }


def ours(config: list[str]) -> dict[str, float]:
    """Our own figures; the rendered switch is added to ``config``."""
    document = Document("interface.json", interface_json(PORTS), command="show interface | json")
    show = least_s(partial(load("nxos").parsing.parse, [document], name="leaf"))
    with tempfile.TemporaryDirectory() as folder:
        fabric, leaves = switches("eos", Path(folder))
    device = with_ports(leaves[0], PORTS)
    render = partial(load("eos").rendering.render, device, fabric)
    config.append(render()["running-config.txt"])

    def render_anew() -> object:
        forget("eos")
        return render()

    return {
        OURS_SHOW: show,
        OURS_RENDER: least_s(render_anew),
        OURS_AGAIN: least_s(render),
    }


def theirs(config: str) -> dict[str, float]:
    """Figures of the peers."""
    given = {"show": interface_text(PORTS), "ports": PORTS, "switch": structured(config)}
    command = [str(PEERS / "bin" / "python"), str(HERE / "peer_times.py")]
    run = subprocess.run(
        command, input=json.dumps(given), capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        raise SystemExit(run.stderr)
    figures: dict[str, float] = json.loads(run.stdout.splitlines()[-1])
    return figures


def rows(figures: dict[str, float]) -> list[str]:
    """One row for each piece of work and who does it."""
    return sorted(
        f"| {'render' if name.startswith(RENDERING) else 'show interface'} | {name} |"
        f" {seconds * 1000:.2f} |"
        for name, seconds in figures.items()
    )


def main() -> None:
    """Measure us and the peers in turns."""
    has_peers = install_peers()
    figures: dict[str, float] = {}
    for _ in range(ROUNDS):
        config: list[str] = []
        for found in (ours(config), theirs(config[0]) if has_peers else {}):
            for name, seconds in found.items():
                figures[name] = min(seconds, figures.get(name, seconds))
    about = [
        f"{machine()}. Processor time of the least of {ROUNDS} turns of several runs each,",
        f"{PORTS} ports. `render`: commands of EOS from the completed model, or from AVD's",
        "structured configuration of the same ports. `show interface`: of NX-OS, text for peers",
        f"({len(interface_text(PORTS)) / 1000:.0f} kB); for us JSON, which netcheck asks for",
        f"({len(interface_json(PORTS)) / 1000:.0f} kB).",
    ]
    if not has_peers:
        about.append("The peers could not be installed.")
    put(
        "64 ports beside peers",
        [*about, "", "| work | who | ms |", "|---|---|---|", *rows(figures)],
    )


if __name__ == "__main__":
    main()
