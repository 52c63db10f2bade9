"""``nv set``, ``nv unset`` and ``nv config``: the pending configuration, and how it is applied."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable, Sequence

from netcheck.lab.devices.cumulus.schema import Node, commands_of, is_checked, refused_leaves, typed
from netcheck.lab.devices.cumulus.show import revision_tree, split
from netcheck.lab.devices.cumulus.state import CumulusSwitch, Revision
from netcheck.lab.devices.cumulus.tree import (
    Tree,
    TreeError,
    at,
    commands,
    difference,
    drop,
    dump,
    expand,
    merge,
    parse,
    put,
)
from netcheck.lab.devices.files import DeviceFileError
from netcheck.lab.devices.shell import Call

CONFIRM_MINUTES = 10.0
# Names after which an id follows, in parts that the lab keeps without knowing them.
_HAS_IDS = frozenset(
    (  # noqa: SIM905 -- one word after the other reads better
        "address neighbor member vlan vni domain interface rule server gateway network prefix"
        " address-family router evpn bgp ospf enable-list static via nexthop community"
    ).split()
)


def pending(switch: CumulusSwitch, user: str) -> Revision:
    """Give the pending revision; it begins as the applied one."""
    held = switch.revisions
    if held.pending is None:
        number = max(held.kept) + 1
        held.pending = Revision(number, copy.deepcopy(switch.applied), user=user)
    return held.pending


def change(switch: CumulusSwitch, call: Call) -> int:
    """``nv set PATH [VALUE]`` and ``nv unset PATH``."""
    verb, *words = call.arguments
    if not words:
        return call.fail(f"Error: nv {verb}: a path is required", 2)
    edits = _paths(switch, words, is_set=verb == "set")
    if verb == "set":
        addition: Tree = {}
        for path, value in edits:
            put(addition, path, value)
        refused = next(refused_leaves(addition, switch.release), None)
        if refused is not None:
            return call.fail(f"Error: {refused}")
        tree = pending(switch, call.shell.user).tree
        merge(tree, typed(addition))
        for path, _ in edits:
            if path[0] == "interface" and len(path) > 1:
                _set_type(switch, tree, path[1])
        return 0
    tree = pending(switch, call.shell.user).tree
    for path, _ in edits:
        drop(tree, path)
    return 0


def _set_type(switch: CumulusSwitch, tree: Tree, name: str) -> None:
    if at(tree, ("interface", name, "type")) is None and name in switch.speeds:
        put(tree, ("interface", name, "type"), "swp")


def _paths(
    switch: CumulusSwitch, words: Sequence[str], *, is_set: bool
) -> list[tuple[list[str], object]]:
    """Give each path that a command names, and the value for it; an object where none is given."""
    node: Node | None = commands_of(switch.release)
    paths: list[list[str]] = [[]]
    for place, word in enumerate(words):
        is_last = place == len(words) - 1
        here = [*paths[0], word]
        if node is not None and is_checked(here):
            if is_last and is_set and place and node.value and word not in node.words:
                return [(path, word) for path in paths]
            below = node.words.get(word)
            names = [word]
            if below is None and node.below_id is not None:
                below, names = node.below_id, expand(word)
            node = below
            paths = [[*path, name] for path in paths for name in names]
            continue
        node = None
        if is_last and is_set and place > 1 and words[place - 1] not in _HAS_IDS:
            return [(path, word) for path in paths]
        names = expand(word) if words[place - 1] in _HAS_IDS else [word]
        paths = [[*path, name] for path in paths for name in names]
    return [(path, {}) for path in paths]


async def config(switch: CumulusSwitch, call: Call) -> int:
    """``nv config ACTION``."""
    if len(call.arguments) < 2:  # noqa: PLR2004 -- config and an action
        return call.fail("Error: nv config: an action is required", 2)
    action = call.arguments[1]
    words, options = split(call.arguments[2:])
    if action == "apply":
        return await _apply(switch, call, words, options)
    run = _ACTIONS.get(action)
    if run is None:
        return call.fail(f"Error: Invalid command: nv config {action}", 2)
    return run(switch, call, words, options)


Options = dict[str, str]


def _read(
    switch: CumulusSwitch, call: Call, words: list[str]
) -> tuple[Tree, list[tuple[str, ...]]]:
    if len(words) != 1:
        raise TreeError("a file name is required")
    try:
        text = switch.files.read(call.shell.path(words[0]))
    except DeviceFileError as error:
        raise TreeError(f"{words[0]}: {error.reason}") from None
    found, unset = parse(text)
    refused = next(refused_leaves(found, switch.release), None)
    if refused is not None:
        raise TreeError(str(refused))
    return typed(found), unset


def _patch(switch: CumulusSwitch, call: Call, words: list[str], options: Options) -> int:
    del options
    try:
        found, unset = _read(switch, call, words)
    except TreeError as error:
        return call.fail(f"Error: {error}")
    tree = pending(switch, call.shell.user).tree
    for path in unset:
        drop(tree, path)
    merge(tree, found)
    return 0


def _replace(switch: CumulusSwitch, call: Call, words: list[str], options: Options) -> int:
    del options
    try:
        found, _ = _read(switch, call, words)
    except TreeError as error:
        return call.fail(f"Error: {error}")
    pending(switch, call.shell.user).tree = found
    return 0


def _detach(switch: CumulusSwitch, call: Call, words: list[str], options: Options) -> int:
    del call, words, options
    switch.revisions.pending = None
    return 0


def _show(switch: CumulusSwitch, call: Call, words: list[str], options: Options) -> int:
    tree = revision_tree(switch, words[0] if words else options.get("rev", "applied"))
    if tree is None:
        return call.fail(f"Error: Revision {words[0]} does not exist.")
    output = options.get("output", "yaml")
    if output == "commands":
        call.out(switch.as_commands(tree))
    elif output == "json":
        call.out(json.dumps([{"header": switch.header()}, {"set": tree}], indent=2) + "\n")
    else:
        call.out(switch.as_yaml(tree))
    return 0


def _diff(switch: CumulusSwitch, call: Call, words: list[str], options: Options) -> int:
    first, second = [*words, "applied", "pending"][:2] if not words else [*words, "pending"][:2]
    before, after = revision_tree(switch, first), revision_tree(switch, second)
    if before is None or after is None:
        return call.fail(f"Error: Revision {first if before is None else second} does not exist.")
    unset, given = difference(before, after)
    if options.get("output") == "commands":
        lines = [*commands(unset, "unset"), *commands(given)]
        call.out("".join(f"{line}\n" for line in lines))
        return 0
    parts: list[Tree] = [{"unset": unset}] if unset else []
    parts += [{"set": given}] if given else []
    if options.get("output") == "json":
        call.out(json.dumps(parts, indent=2) + "\n")
    elif parts:
        call.out(dump(parts))
    return 0


def _save(switch: CumulusSwitch, call: Call, words: list[str], options: Options) -> int:
    del words, options
    switch.save()
    switch.revisions.kept[switch.revisions.applied].state = "applied_and_saved"
    call.out("saved [rev_id: applied]\n")
    return 0


def _row(found: Revision) -> tuple[str, ...]:
    number = found.number
    return (
        str(number),
        found.state,
        f"rev_{number}_apply_{found.applies}",
        found.date,
        "CLI",
        found.user,
        "Config update",
        found.message,
    )


_HEADS = ("Rev ID", "State", "Apply ID", "Apply Date", "Type", "User", "Reason", "Message")
_KEYS = ("rev-id", "state", "apply-id", "date", "type", "user", "reason", "message")


def _revisions(switch: CumulusSwitch, call: Call, words: list[str], options: Options) -> int:
    numbers = [int(word) for word in words if word.isdigit()]
    rows = [_row(r) for r in switch.revisions.kept.values() if not numbers or r.number in numbers]
    if numbers and not rows:
        return call.fail(f"Error: Revision {numbers[0]} does not exist.")
    if options.get("output") == "json":
        found = {row[0]: dict(zip(_KEYS, row, strict=True)) for row in rows}
        call.out(json.dumps(found, indent=2) + "\n")
        return 0
    widths = [max(len(row[i]) for row in (_HEADS, *rows)) for i in range(len(_HEADS))]
    for row in (_HEADS, tuple("-" * width for width in widths), *rows):
        pairs = zip(row, widths, strict=True)
        call.out("  ".join(cell.ljust(width) for cell, width in pairs) + "\n")
    return 0


def _find(switch: CumulusSwitch, call: Call, words: list[str], options: Options) -> int:
    del options
    found: Tree = {}
    for line in commands(switch.applied):
        path = line.split()[2:]
        if any(word in part for word in words for part in path):
            here = at(switch.applied, path)
            put(
                found, path if here is not None else path[:-1], {} if here is not None else path[-1]
            )
    call.out(dump([{"set": found}]))
    return 0


def _translate(switch: CumulusSwitch, call: Call, words: list[str], options: Options) -> int:
    del options
    kind, *rest = words or [""]
    if kind == "filename":
        try:
            call.out(switch.as_commands(_read(switch, call, rest)[0]))
        except TreeError as error:
            return call.fail(f"Error: {error}")
        return 0
    tree = revision_tree(switch, rest[0]) if kind == "revision" and rest else None
    if tree is None:
        return call.fail("Error: Revision does not exist.")
    call.out(switch.as_commands(tree))
    return 0


Action = Callable[[CumulusSwitch, Call, list[str], Options], int]
_ACTIONS: dict[str, Action] = {
    "patch": _patch,
    "replace": _replace,
    "detach": _detach,
    "show": _show,
    "diff": _diff,
    "save": _save,
    "history": _revisions,
    "revision": _revisions,
    "find": _find,
    "translate": _translate,
}


async def _apply(switch: CumulusSwitch, call: Call, words: list[str], options: Options) -> int:
    if {"confirm-yes", "confirm-no", "confirm-status"} & set(options):
        return _answered(switch, call, options)
    minutes = CONFIRM_MINUTES
    if "confirm" in options and words and words[0].isdigit():
        minutes = float(words.pop(0))
    tree = revision_tree(switch, words[0] if words else "pending")
    if tree is None:
        return call.fail(f"Error: Revision {words[0]} does not exist.")
    number = max(switch.revisions.kept) + 1
    if refused := switch.refused(tree):
        call.err(f"Invalid config [rev_id: {number}]\n")
        call.err("".join(f"  {line}\n" for line in refused))
        return 1
    if "assume-no" in options:
        return call.fail("Aborted!")
    if "yes" not in options and difference(switch.applied, tree) != ({}, {}):
        call.out("Are you sure? [y/N] ")
        if (await call.streams.read()).strip().lower() not in ("y", "yes"):
            return call.fail("Aborted!")
    before = switch.revisions.applied
    found = switch.apply(tree, user=call.shell.user, message=f"Config update by {call.shell.user}")
    switch.revisions.pending = None
    if "confirm" in options:
        switch.rollback = asyncio.get_running_loop().call_later(
            minutes * 60, _roll_back, switch, before
        )
    call.out(f"applied [rev_id: {found.number}]\n")
    return 0


def _roll_back(switch: CumulusSwitch, number: int) -> None:
    switch.rollback = None
    switch.take(number)


def _answered(switch: CumulusSwitch, call: Call, options: Options) -> int:
    timer = switch.rollback
    if "confirm-status" in options:
        call.out("No pending revision to confirm\n" if timer is None else "waiting\n")
        return 0
    if timer is None:
        return call.fail("Error: No pending revision to confirm")
    timer.cancel()
    switch.rollback = None
    is_kept = "confirm-yes" in options
    if not is_kept:
        switch.take(max(n for n in switch.revisions.kept if n < switch.revisions.applied))
    call.out("confirmed\n" if is_kept else "rolled back\n")
    return 0
