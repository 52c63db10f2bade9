"""Exec commands that are about configurations: show, copy, checkpoints, rollback."""

from __future__ import annotations

import time

from netcheck.lab.devices.nxos.checkpoints import NOTHING_TO_DO, ROLLED_BACK, patch
from netcheck.lab.devices.nxos.console import Shown
from netcheck.lab.devices.nxos.patterns import LineError, Match
from netcheck.lab.devices.nxos.state import RELEASE, NxosSwitch
from netcheck.lab.devices.nxos.tree import Block, write_tree

SAVED = (
    "[########################################] 100%\n"
    "Copy complete, now saving to disk (please wait)...\n"
    "Copy complete.\n"
)
INTERFACE_DEFAULTS = (
    "mtu 1500",
    "priority-flow-control mode auto",
    "priority-flow-control watch-dog-interval off",
    "flowcontrol receive off",
    "flowcontrol send off",
)
IPQOS = ("class-map", "policy-map", "system qos", "priority-flow-control", "lldp tlv-select")
IPQOS_INTERFACE = ("priority-flow-control", "service-policy")


def running(switch: NxosSwitch, match: Match) -> Shown:
    """``show running-config [ipqos | interface [PORT]] [all]``."""
    root = switch.root
    title = " ".join(word for word in match.words[1:])
    if "ipqos" in match.words:
        root = _ipqos(root)
    elif "interface" in match.words:
        named = [word for word in match.words[2:] if word in switch.speeds]
        root = _only(root, tuple(f"interface {word}" for word in named) or ("interface ",))
    if match.words[-1] == "all":
        root = _with_defaults(root, switch)
    return Shown(_headed(switch, root, title))


def startup(switch: NxosSwitch) -> Shown:
    """``show startup-config``."""
    return Shown(_headed(switch, switch.startup, "startup-config"))


def _headed(switch: NxosSwitch, root: Block, title: str) -> str:
    now = time.strftime("%a %b %d %H:%M:%S %Y", time.gmtime())
    version = "" if any(root.starting("version")) else f"version {RELEASE} Bios:version 05.50\n"
    return f"\n!Command: show {title}\n!Time: {now}\n\n{version}{switch.text(root)}\n"


def _only(root: Block, begin: tuple[str, ...]) -> Block:
    exact = {name for name in begin if not name.endswith(" ")}
    return Block(
        (line, below.copy())
        for line, below in root.items()
        if line in exact or (not exact and line.startswith(begin))
    )


def _ipqos(root: Block) -> Block:
    found = _only(root, tuple(f"{word} " for word in IPQOS))
    found |= Block((line, below.copy()) for line, below in root.items() if line in IPQOS)
    for line, below in root.starting("interface"):
        kept = Block((row, Block()) for row in below if row.startswith(IPQOS_INTERFACE))
        if kept:
            found[line] = kept
    return found


def _with_defaults(root: Block, switch: NxosSwitch) -> Block:
    found = root.copy()
    for port in switch.speeds:
        below = found.get(f"interface {port}")
        for line in INTERFACE_DEFAULTS if below is not None else ():
            begin = " ".join(line.split()[:-1])
            if below is not None and not any(below.starting(begin)):
                below[line] = Block()
    return found


def copy(switch: NxosSwitch, match: Match) -> str:
    """``copy SOURCE DESTINATION``: configurations and files of bootflash."""
    source, target = match.words[1:3]
    if source == "running-config" and target == "startup-config":
        switch.startup = switch.root.copy()
        return SAVED
    if target.startswith("bootflash:"):
        held = switch.startup if source == "startup-config" else switch.root
        switch.saved[target] = held.copy()
        return SAVED
    raise LineError("invalid-command", 2)


def checkpoint(switch: NxosSwitch, match: Match) -> str:
    """``checkpoint [NAME | file FILE]``."""
    if match.words[1:2] == ("file",):
        switch.saved[match.words[2]] = switch.root.copy()
        return "Done\n"
    name = switch.checkpoints.add(match.words[1] if len(match.words) > 1 else "", switch.root)
    made_up = f"{name} created Successfully\n" if len(match.words) == 1 else ""
    return f"...{made_up}Done\n"


def no_checkpoint(switch: NxosSwitch, match: Match) -> str:
    """``no checkpoint NAME``."""
    switch.checkpoints.remove(match.words[-1])
    return ""


def clear_checkpoints(switch: NxosSwitch) -> str:
    """``clear checkpoint database``."""
    switch.checkpoints.held.clear()
    return "Done\n"


def _target(switch: NxosSwitch, kind: str, name: str) -> Block:
    if kind == "checkpoint":
        return switch.checkpoints.get(name)
    if name not in switch.saved:
        raise LineError("checkpoint-missing", name=name)
    return switch.saved[name].copy()


def rollback(switch: NxosSwitch, match: Match) -> str:
    """``rollback running-config checkpoint NAME | file FILE [atomic | ...]``."""
    target = _target(switch, match.words[2], match.words[3])
    if not patch(switch.root, target):
        return NOTHING_TO_DO
    switch.change(target)
    return ROLLED_BACK


def difference(switch: NxosSwitch, match: Match) -> str:
    """``show diff rollback-patch``: what leads from the first configuration to the second."""
    ends = [
        switch.root if word == "running-config" else switch.checkpoints.get(match.words[at + 1])
        for at, word in enumerate(match.words)
        if word in ("running-config", "checkpoint")
    ]
    rows = patch(ends[0], ends[1])
    if not rows:
        return "Collecting Running-Config\n#Generating Rollback Patch\nRollback Patch is Empty\n"
    text = "\n".join(f"!\n{row}" if not row.startswith(" ") else row for row in rows)
    return f"Collecting Running-Config\n#Generating Rollback Patch\n\n!!\n{text}\n"


def checkpoints(switch: NxosSwitch) -> str:
    """``show checkpoint summary``."""
    text = ["User Checkpoint Summary\n" + "-" * 80 + "\n"]
    for place, (name, root) in enumerate(switch.checkpoints.held.items(), 1):
        size = len(write_tree(root))
        text.append(f"{place}) {name}:\nCreated by admin\nSize is {size:,} bytes\n")
        text.append("Description: None\n\n")
    return "".join(text)


def one_checkpoint(switch: NxosSwitch, match: Match) -> str:
    """``show checkpoint NAME``."""
    root = switch.checkpoints.get(match.words[-1])
    return f"-------\nName: {match.words[-1]}\n\n{switch.text(root)}\n"


def features(switch: NxosSwitch) -> Shown:
    """``show feature``."""
    known = ("bgp", "interface-vlan", "lacp", "lldp", "nxapi", "ospf", "telemetry", "vpc")
    text = "Feature Name          Instance  State   \n--------------------  --------  --------\n"
    for name in sorted({*known, *switch.found.features}):
        state = "enabled" if name in switch.found.features else "disabled"
        text += f"{name:<22}{1:<10}{state}\n"
    return Shown(text)
