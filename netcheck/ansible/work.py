"""What the action plugins do, without Ansible in it: values in, a task's result out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from netcheck.collect.collector import collect
from netcheck.deploy.device import Outcome, State, apply_order, undo_order
from netcheck.deploy.engine import finish, make_plan, start
from netcheck.deploy.journal import Run, default_state
from netcheck.deploy.plan import Order, load_plan, save_plan
from netcheck.model.errors import InputError, NetcheckError
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Severity, Verdict
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import is_known, known_or
from netcheck.platforms.platform import load
from netcheck.report.report import Report

TaskResult = dict[str, Any]  # Any: what Ansible takes as JSON


def load_fabric(intent: Sequence[str], lab: str) -> Fabric:
    """Give the completed fabric of an intent, pointed at a lab where one is named.

    Raises:
        InputError: The intent has complaints, or the lab is not up.
    """
    from netcheck.intent.completed import load_completed  # noqa: PLC0415 -- hosts of a run need none

    fabric = load_completed([Path(path) for path in intent], deployable=True)
    return _relocated(fabric, Path(lab)) if lab else fabric


def _relocated(fabric: Fabric, directory: Path) -> Fabric:
    from netcheck.lab.control import lab_status, relocate  # noqa: PLC0415 -- an extra

    state = lab_status(directory)
    if state is None:
        raise InputError(f"{directory}: no lab runs there; start one with netcheck lab up")
    return relocate(fabric, state)


def render_all(fabric: Fabric) -> dict[str, Mapping[str, str]]:
    """Give ``device -> file -> text`` of every device with a platform and an address.

    Raises:
        RefusalError: A platform cannot express what is intended.
    """
    return {
        name: load(device.platform).rendering.render(device, fabric)
        for name, device in fabric.devices.items()
        if is_known(device.platform) and is_known(device.mgmt)
    }


def prepare(
    *, intent: Sequence[str], lab: str, state: str, hosts: Sequence[str], is_check: bool
) -> TaskResult:
    """Plan for the hosts of a play and, outside check mode, begin a run of it."""
    fabric = load_fabric(intent, lab)
    folder = Path(state) if state else default_state(fabric.name)
    plan = make_plan(fabric, render_all(fabric), devices=hosts)
    save_plan(plan, folder / "plan.json")
    if plan.unreachable:
        return {"failed": True, "msg": "; ".join(plan.unreachable.values())}
    run = None if is_check else start(plan, folder, "ansible")
    name = str(run.folder) if run else ""
    return {"run": name, "plan": str(folder / "plan.json"), "batches": plan.batches}


def apply(*, run: str, plan: str, secrets: str, host: str, is_check: bool) -> TaskResult:
    """Bring one host to what was rendered; in check mode say what that would change."""
    if is_check:
        order = load_plan(Path(plan)).orders.get(host)
        return _would_change(order) if order else _unchanged(host)
    run_ = Run(Path(run))
    if not run or host not in run_.head().names:
        return _unchanged(host)
    outcome = apply_order(run_, host, secrets=Path(secrets) if secrets else None)
    is_failed = outcome.state is not State.DONE
    return _said(outcome, is_failed=is_failed) | _would_change(run_.order(host))


def undo(*, run: str, secrets: str, host: str) -> TaskResult:
    """Bring one host back to what it held before a run."""
    run_ = Run(Path(run))
    if not run or host not in run_.head().names:
        return _unchanged(host)
    outcome = undo_order(run_, host, secrets=Path(secrets) if secrets else None)
    is_failed = outcome.state is State.STUCK
    return _said(outcome, is_failed=is_failed) | {"changed": outcome.state is State.UNDONE}


def close(*, run: str) -> TaskResult:
    """Close a run that was begun by ``prepare``."""
    finish(Run(Path(run)))
    return {"changed": False}


def check(
    *, intent: Sequence[str], lab: str, hosts: Sequence[str], has_subnets: bool = False
) -> TaskResult:
    """Compare what hosts hold with the intent; fails where anything differs.

    Args:
        has_subnets: Also read the subnets that one of the hosts manages, at that host.
    """
    fabric = load_fabric(intent, lab)
    plan = make_plan(fabric, render_all(fabric), devices=hosts)
    differing = {
        name: [object_ for object_, _, _ in order.change.objects]
        for name, order in plan.orders.items()
        if not order.change.is_empty
    }
    complaints = [*plan.unreachable.values()]
    complaints += [f"{name}: differs in {', '.join(o)}" for name, o in differing.items()]
    complaints += _of_subnets(fabric, hosts) if has_subnets else []
    return {"failed": bool(complaints), "msg": "; ".join(complaints), "differing": differing}


def _of_subnets(fabric: Fabric, hosts: Sequence[str]) -> list[str]:
    """What is wrong with the subnets that hosts manage, or could not be read of them."""
    from netcheck.rehearse.live import with_subnets  # noqa: PLC0415 -- few hosts manage one

    managed = {
        name: subnet
        for name, subnet in fabric.subnets.items()
        if set(known_or(subnet.subnet_managers, ())) & set(hosts)
    }
    whole = replace(fabric, subnets=FrozenMap(managed))
    report = with_subnets(Report("verify", ()), whole, limit=hosts)
    wrong = {Verdict.FAIL, Verdict.UNVERIFIED}
    return [
        f"{', '.join(map(str, one.where[:3])) or 'subnet'}: {one.message}"
        for one in report.findings
        if one.verdict in wrong and one.severity is Severity.ERROR
    ]


def collect_snapshot(
    *, intent: Sequence[str], lab: str, directory: str, hosts: Sequence[str]
) -> TaskResult:
    """Read hosts into a snapshot folder; fails when one was not reached."""
    fabric = load_fabric(intent, lab)
    known = [host for host in hosts if host in fabric.devices]
    snapshot = collect(fabric, Path(directory), devices=known)
    lost = [member.reason for member in snapshot.unreachable()]
    return {"changed": True, "failed": bool(lost), "msg": "; ".join(lost), "snapshot": directory}


def guarded(work: Callable[..., TaskResult], **arguments: object) -> TaskResult:
    """Do a task's work; what is wrong with input or a device is a failed task, not a traceback."""
    try:
        return work(**arguments)
    except NetcheckError as error:
        return {"failed": True, "msg": str(error)}


def _unchanged(host: str) -> TaskResult:
    return {"changed": False, "msg": f"{host} holds the intent already"}


def _said(outcome: Outcome, *, is_failed: bool) -> TaskResult:
    return {"failed": is_failed, "state": outcome.state.value, "msg": outcome.reason}


def _would_change(order: Order) -> TaskResult:
    change = order.change
    return {
        "changed": not change.is_empty,
        "impact": change.impact.value,
        "removals": [removal.object for removal in change.removals],
        "diff": [
            {"before_header": name, "after_header": name, "before": old, "after": new}
            for name, old, new in change.objects
        ],
    }


def paths(value: object) -> list[str]:
    """Give a task's list of paths, also where one path was given alone."""
    if isinstance(value, str):
        return [value]
    return [str(item) for item in value] if isinstance(value, Sequence) else []


def find_lab(lab: str) -> Path:
    """Give the folder of a lab; ``auto`` is the one of NETCHECK_LAB, else the user's own."""
    from netcheck.lab.state import default_directory  # noqa: PLC0415 -- an extra

    if lab != "auto":
        return Path(lab)
    return Path(os.environ.get("NETCHECK_LAB") or default_directory()).resolve()


def lab_intent(directory: Path) -> list[str]:
    """Give the intent files that a lab was started from.

    Raises:
        InputError: The lab is not up.
    """
    from netcheck.lab.state import INTENT_FILE, read_state  # noqa: PLC0415 -- an extra

    if read_state(directory) is None:
        raise InputError(f"{directory}: no lab runs there; start one with netcheck lab up")
    try:
        files = json.loads((directory / INTENT_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{directory / INTENT_FILE}: cannot be read ({error})") from error
    return [str(file) for file in files]
