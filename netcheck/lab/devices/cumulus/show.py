"""``nv show PATH``: finds the object at a path and prints it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from netcheck.lab.devices.cumulus import counts, qos, views
from netcheck.lab.devices.cumulus.state import CumulusSwitch
from netcheck.lab.devices.cumulus.text import render
from netcheck.lab.devices.cumulus.tree import Tree, at, dump
from netcheck.lab.devices.cumulus.views import View
from netcheck.lab.devices.shell import Call

MISSING = "Error: The requested item does not exist."
REVISIONS = ("applied", "startup", "pending", "empty")
_WHOLE: dict[str, Callable[[CumulusSwitch], View]] = {
    "system": views.system,
    "platform": views.platform,
    "interface": views.interfaces,
    "qos": qos.qos,
}
_OF_PORT: dict[str, Callable[[CumulusSwitch, str], View]] = {
    "link": views.link,
    "lldp": views.lldp,
    "counters": counts.counters,
    "qos": qos.interface_qos,
}
# views of all interfaces at once
_OF_ALL: dict[str, Callable[[CumulusSwitch, str], View]] = {
    "lldp": lambda switch, name: {"lldp": views.lldp(switch, name)},
    "lldp-detail": lambda switch, name: {"lldp": views.lldp(switch, name)},
    "counters": lambda switch, name: {"counters": counts.counters(switch, name)},
    "status": lambda switch, name: {"link": views.link(switch, name)},
    "qos-roce-status": lambda switch, name: {
        "qos": {"roce": {"status": qos.roce_status(switch, name)}}
    },
    "qos-roce-counters": lambda switch, name: {
        "qos": {"roce": {"counters": counts.roce_counters(switch, name)}}
    },
}


def show(switch: CumulusSwitch, call: Call) -> int:
    """Print what stands at a path, of the running switch or of a revision."""
    words, options = split(call.arguments[1:])
    if unknown := set(options) - {"output", "rev", "view"}:
        return call.fail(f"Error: Invalid option: --{min(unknown)}", 2)
    if not words:
        return call.fail("Error: nv show: a path is required", 2)
    if view := options.get("view"):
        words.append(view)
    found = _found(switch, words, options.get("rev", "operational"))
    if found is None:
        return call.fail(MISSING)
    call.out(_printed(words, found, options.get("output", "auto")))
    return 0


def split(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Split words from options; ``-o`` is ``--output``, flags name a revision or have ``on``."""
    words: list[str] = []
    options: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word in ("-o", "-r"):
            options["output" if word == "-o" else "rev"] = rest.pop(0) if rest else ""
        elif word in ("-y", "--y", "--assume-yes"):
            options["yes"] = "on"
        elif word.lstrip("-") in REVISIONS and word.startswith("--"):
            options["rev"] = word.lstrip("-")
        elif word in ("-a", "--all", "--operational"):
            continue
        elif word.startswith("--"):
            name, _, value = word[2:].partition("=")
            takes_next = name in ("output", "rev", "view") and not value and rest
            options[name] = rest.pop(0) if takes_next else value or "on"
        else:
            words.append(word)
    return words, options


def _found(switch: CumulusSwitch, words: list[str], revision: str) -> object | None:
    if revision != "operational":
        tree = revision_tree(switch, revision)
        return None if tree is None else at(tree, words)
    if words[0] not in _WHOLE:
        found = at(switch.applied, words)  # parts that the lab only keeps
        return found if found is not None else None
    if words[0] == "interface" and len(words) > 1:
        return _of_interface(switch, words[1:])
    return at({words[0]: _WHOLE[words[0]](switch)}, words)


def _of_interface(switch: CumulusSwitch, words: list[str]) -> object | None:
    name, *below = words
    if name in _OF_ALL:
        of_one = _OF_ALL[name]
        return at({name: {port: of_one(switch, port) for port in switch.speeds}}, words)
    known = views.interfaces(switch)
    if name not in known:
        return None
    if not below:
        whole: View = known[name]
        return whole
    if below[0] in _OF_PORT and (name in switch.speeds or below[0] == "link"):
        return at({below[0]: _OF_PORT[below[0]](switch, name)}, below)
    return at(known[name], below)


def revision_tree(switch: CumulusSwitch, name: str) -> Tree | None:
    """Configuration of a revision by name or number; None where there is none."""
    pending = switch.revisions.pending
    named = {
        "applied": switch.applied,
        "startup": switch.startup,
        "pending": pending.tree if pending else switch.applied,
        "empty": {},
    }
    if name in named:
        return named[name]
    number = int(name) if name.isdigit() else 0
    if pending is not None and number == pending.number:
        return pending.tree
    found = switch.revisions.kept.get(number)
    return None if found is None else found.tree


def _printed(words: list[str], found: object, output: str) -> str:
    if output == "json":
        return json.dumps(found, indent=2) + "\n"
    if output in ("yaml", "native"):
        return dump(found)
    if not isinstance(found, dict):
        return f"{found}\n"
    if words == ["interface"]:
        return _interfaces(found)
    return render(words, found) if found else "No Data\n"


def _interfaces(found: View) -> str:
    heads = ("Interface", "State", "Speed", "MTU", "Type", "Remote Host", "Remote Port", "Summary")
    lines = [heads, tuple("-" * len(head) for head in heads)]
    for name, row in found.items():
        link = row["link"]
        far, told = next(iter(row.get("lldp", {}).get("neighbor", {}).items()), ("", None))
        port = told["port"]["name"] if told else ""
        cells = (name, link["oper-status"], link.get("speed", ""), str(link["mtu"]), row["type"])
        lines.append((*cells, far, port, ""))
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + "\n"
        for line in lines
    )
