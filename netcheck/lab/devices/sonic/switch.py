"""A switch with community SONiC and the programs that work on it."""

from __future__ import annotations

import json
from pathlib import Path

from netcheck.lab.devices.device import Surroundings
from netcheck.lab.devices.shell import Call
from netcheck.lab.devices.sonic import configtool, databases, show
from netcheck.lab.devices.sonic.keys import as_json
from netcheck.lab.devices.sonic.state import LOOKUP_FOLDER, SonicSwitch
from netcheck.lab.topology import LabDevice


def build_switch(built: LabDevice, folder: Path, surroundings: Surroundings) -> SonicSwitch:
    """Build a switch as it comes out of its box, with its programs."""
    switch = SonicSwitch(built, folder, surroundings)
    switch.programs |= {
        "config": lambda call: configtool.config(switch, call),
        "show": lambda call: show.show(switch, call),
        "sonic-cfggen": lambda call: _cfggen(switch, call),
        "sonic-db-dump": lambda call: databases.dump(switch, call),
        "sonic-db-cli": lambda call: databases.cli(switch, call),
        "docker": _docker,
    }
    return switch


def _cfggen(switch: SonicSwitch, call: Call) -> int:
    words = set(call.arguments)
    if words == {"-d", "--print-data"}:
        call.out(as_json(switch.config))
        return 0
    if "-v" in words and "-d" in words:
        value: object = switch.config
        for part in call.arguments[-1].split("."):
            value = value.get(part, "") if isinstance(value, dict) else ""
        call.out(f"{value if isinstance(value, str) else json.dumps(value)}\n")
        return 0
    return call.fail("sonic-cfggen: error: the lab knows -d --print-data and -d -v NAME", 2)


async def _docker(call: Call) -> int:
    """``docker exec CONTAINER COMMAND``: the container sees the switch's device folder."""
    words = [word for word in call.arguments if not word.startswith("-")]
    if len(words) < 3 or words[0] != "exec":  # noqa: PLR2004 -- exec, container, command
        return call.fail("docker: only 'docker exec CONTAINER COMMAND' is simulated", 125)
    inside = [word.replace("/usr/share/sonic/hwsku", LOOKUP_FOLDER) for word in words[2:]]
    return await call.shell.call(inside, call.streams)
