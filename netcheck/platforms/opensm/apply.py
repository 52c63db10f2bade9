"""How a change gets to a subnet manager: files written beside and renamed, then read anew.

A reload (SIGHUP) makes a running OpenSM take partitions, QoS tables and most options
without stopping; some options it takes at its next start only. Backups go to a folder
of their own: a start script takes every ``opensm.conf*`` for one more manager.
Sources: opensm(8), "SIGHUP"; linux-rdma/opensm issue 41; measured on 3.3.23.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import Document, DocumentKind
from netcheck.model.known import is_known
from netcheck.platforms.opensm.commands import FILES
from netcheck.platforms.opensm.parse import parse
from netcheck.platforms.opensm.quirks import BACKUP_FOLDER, needs_second_sweep, restart_keys
from netcheck.platforms.opensm.rendered.options import OPENSM, PARTITIONS
from netcheck.platforms.placeholders import references
from netcheck.platforms.platform import Change, Command, Impact, Removal, Run, Step, Upload
from netcheck.platforms.sm_subject import FOLDER

RELOAD: Final = Run("sudo systemctl kill --signal=HUP opensm")
RESTART: Final = Run("sudo systemctl restart opensm")
# It reads its files first and ends where it cannot; the subnet itself is for verify to read.
CHECK: Final = (Run("sleep 2"), Run("sudo systemctl is-active --quiet opensm"))
SOURCE: Final = "opensm(8); SIGHUP measured key by key on OpenSM 3.3.23"
PUBLIC, PRIVATE = 0o644, 0o600
_SAVED: Final = f"{BACKUP_FOLDER}/before"


def holdings(device: Device) -> tuple[Command, ...]:  # noqa: ARG001 -- the same for every manager
    """Give the commands whose outputs ``plan`` has to see."""
    return tuple(
        Command(f"sudo cat {FOLDER}/{file}", file, DocumentKind.CONFIG, may_fail=True)
        for file in FILES
    )


def plan(device: Device, rendered: Mapping[str, str], held: Mapping[str, str]) -> Change:
    """Give the change from what the manager holds to what is rendered.

    Options that change decide between a reload and a restart; files that are ours
    and not rendered any more go away.
    """
    changed = [file for file, text in rendered.items() if held.get(file) != text]
    gone = [file for file in FILES if file in held and file not in rendered]
    if not changed and not gone:
        return Change()
    old, new = _options(device, held), _options(device, rendered)
    keys = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
    restart = restart_keys(keys)
    act = RESTART if restart else RELOAD
    return Change(
        objects=tuple(_objects(keys, old, new, changed, held, rendered)),
        removals=tuple(Removal(file) for file in gone),
        save=tuple(_save()),
        steps=(
            *(_upload(file, rendered[file]) for file in changed),
            *(Run(f"sudo rm -f {FOLDER}/{file}") for file in gone),
            act,
            *CHECK,
        ),
        undo=tuple(_undo([*changed, *gone], held, act)),
        impact=Impact.DEVICE if restart else Impact.NONE,
        reason=_reason(restart, changed, old, new),
        source=SOURCE,
    )


def _upload(file: str, text: str) -> Upload:
    """A file; one that holds secrets is for root alone."""
    mode = PRIVATE if references(text) else PUBLIC
    return Upload(f"{FOLDER}/{file}", text, mode)


def _options(device: Device, files: Mapping[str, str]) -> dict[str, str]:
    text = files.get(OPENSM)
    if text is None:
        return {}
    config = parse([Document(OPENSM, text)], name=device.name).subnet_manager
    if not is_known(config) or not is_known(config.options):
        return {}
    return {key: option.value for key, option in config.options.items()}


def _objects(
    keys: list[str],
    old: Mapping[str, str],
    new: Mapping[str, str],
    changed: list[str],
    held: Mapping[str, str],
    rendered: Mapping[str, str],
) -> Iterator[tuple[str, str, str]]:
    for key in keys:
        yield f"{OPENSM} {key}", old.get(key, ""), new.get(key, "")
    for file in changed:
        if file != OPENSM:
            yield file, held.get(file, ""), rendered[file]


def _save() -> Iterator[Step]:
    yield Run(f"sudo mkdir -p {_SAVED}")
    yield Run(f"sudo rm -rf {_SAVED}")
    yield Run(f"sudo cp -a {FOLDER} {_SAVED}")


def _undo(touched: list[str], held: Mapping[str, str], act: Run) -> Iterator[Step]:
    for file in touched:
        if file in held:
            yield Run(f"sudo cp -a {_SAVED}/{file} {FOLDER}/{file}")
        else:
            yield Run(f"sudo rm -f {FOLDER}/{file}")
    yield act


def _reason(
    restart: list[str], changed: list[str], old: Mapping[str, str], new: Mapping[str, str]
) -> str:
    if restart:
        return f"{', '.join(restart)}: taken at a start only; a standby takes over meanwhile"
    reasons = ["a running manager takes all of it on SIGHUP"]
    if PARTITIONS in changed:
        reasons.append("new partitions may get other indexes in the ports' tables")
    if needs_second_sweep(old, new):
        reasons.append("SL2VL is right after the second heavy sweep only")
    return "; ".join(reasons)
