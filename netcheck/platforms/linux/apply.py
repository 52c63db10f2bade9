"""How a change gets onto a host: files, the unit, and the settings that are live.

A host holds its settings twice: in files that a unit runs, and in the driver.
Both are compared; where either differs, the port's unit is run again, which
sets everything and adds nothing. Undo brings back the files, and the live
settings by a script made of what was read before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from netcheck.model.device import CongestionControl, Device
from netcheck.model.document import Document
from netcheck.model.errors import InputError
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN
from netcheck.platforms.linux.commands import (
    NCCL_BYTES,
    NCCL_PATH,
    PROFILE_PATH,
    SCRIPT_FOLDER,
    SCRIPTS,
    SERVICE,
    SERVICE_PATH,
    UDEV_PATH,
    held_files,
)
from netcheck.platforms.linux.live import (
    Drift,
    Effect,
    drifts,
    held_device,
    restore_script,
)
from netcheck.platforms.linux.parse import parse
from netcheck.platforms.linux.render import NCCL_FILE, PROFILE_FILE, UDEV_FILE
from netcheck.platforms.linux.shared_file import decode, merge
from netcheck.platforms.platform import Change, Command, Impact, Removal, Run, Step, Upload

_ORDER = list(Impact)
_FILES = Effect(Impact.NONE, "files change, and no setting that is live", "systemd.unit(5)")
_PATHS = {SERVICE: SERVICE_PATH, UDEV_FILE: UDEV_PATH, PROFILE_FILE: PROFILE_PATH}


@dataclass
class _Work:
    """A change as it grows."""

    device: Device
    held: Mapping[str, str]
    objects: list[tuple[str, str, str]] = field(default_factory=list)
    removals: list[Removal] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    undo: list[Step] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)

    def write(self, path: str, held: str | None, text: str) -> None:
        """Write one file, and note how to bring back what it holds now."""
        self.objects.append((path, held or "", text))
        self.steps.append(Upload(path, text))
        self.undo.append(Run(f"sudo rm -f {path}") if held is None else Upload(path, held))
        self.effects.append(_FILES)


def holdings(device: Device) -> tuple[Command, ...]:
    """Read-only commands whose outputs ``plan`` has to see."""
    return held_files(device)


def plan(device: Device, rendered: Mapping[str, str], held: Mapping[str, str]) -> Change:
    """Give the change from what the host holds to what is rendered.

    Raises:
        InputError: A held text is damaged, so that nobody could tell what
            would change, or the host lacks what a script uses.
    """
    work = _Work(device, held)
    ports = sorted(name.removesuffix(".sh") for name in rendered if _is_script(name, rendered))
    scripts = [Document(f"{port}.sh", rendered[f"{port}.sh"]) for port in ports]
    wanted = _with_drivers(parse(scripts, name=device.name), device)
    _require(device, wanted, held)
    before = held_device(device, held)
    drifted = list(drifts(wanted, before))
    changed = _write_files(work, rendered, ports)
    _write_nccl(work, rendered.get(NCCL_FILE))
    _remove_profile(work, rendered)
    _reload(work, changed)
    _remove_stale(work, ports)
    _enable(work, ports)
    restart = {one.port for one in drifted} | {port for port in ports if f"{port}.sh" in changed}
    _restart(work, sorted(restart & set(ports)), drifted)
    _restore(work, wanted, before, sorted({one.port for one in drifted} & set(ports)))
    return _change(work)


def _with_drivers(wanted: Device, device: Device) -> Device:
    """Add what no script says, and what decides which tool sets an adapter."""
    rdma = {
        name: replace(one, driver=device.rdma[name].driver) if name in device.rdma else one
        for name, one in wanted.rdma.items()
    }
    return replace(wanted, rdma=FrozenMap(rdma))


_ECN = "/sys/class/net/PORT/ecn is not there: DCQCN settings need the driver of MLNX_OFED or DOCA"
_FORCED = "tc/1/traffic_class is not there: it needs the driver of MLNX_OFED or DOCA"
_TOOLS = "rdma_cm settings do not answer: they need mlnx-tools and the module rdma_cm"


def _require(device: Device, wanted: Device, held: Mapping[str, str]) -> None:
    """Stop before anything is changed where a script would fail half-way.

    Raises:
        InputError: The host lacks files or tools that a script uses.
    """
    for name, rdma in wanted.rdma.items():
        needs: list[tuple[str, str, object]] = [
            *((f"ecn_{port}.txt", _ECN, rdma.congestion_control) for port in rdma.ports),
            (f"traffic_class_{name}.txt", _FORCED, rdma.traffic_class),
            (f"cma_roce_tos_{name}.txt", _TOOLS, rdma.rdma_cm_tos),
            (f"cma_roce_mode_{name}.txt", _TOOLS, rdma.rdma_cm_roce_v2),
        ]
        for file, message, setting in needs:
            if file not in held and setting not in (UNKNOWN, CongestionControl()):
                raise InputError(f"{device.name} {name}: {message}")


def _is_script(name: str, rendered: Mapping[str, str]) -> bool:
    return name.endswith(".sh") and name != PROFILE_FILE and name in rendered


def _is_same(held: str | None, text: str) -> bool:
    # Sessions may lose the last line end of an output.
    return held is not None and held.rstrip("\n") == text.rstrip("\n")


def _write_files(work: _Work, rendered: Mapping[str, str], ports: list[str]) -> set[str]:
    """Give the names of the files that change."""
    changed = set()
    if ports and SCRIPTS.file not in work.held:
        work.steps.append(Run(f"sudo mkdir -p {SCRIPT_FOLDER}"))
    for name in sorted(rendered):
        path = _PATHS.get(name, f"{SCRIPT_FOLDER}/{name}")
        if name != NCCL_FILE and not _is_same(work.held.get(name), rendered[name]):
            work.write(path, work.held.get(name), rendered[name])
            changed.add(name)
    if not changed:
        work.steps.clear()
    return changed


def _write_nccl(work: _Work, block: str | None) -> None:
    if block is None:
        return
    shown = work.held.get(NCCL_BYTES.file)
    held = None if shown is None else decode(shown)
    merged = merge(held, block)
    if merged.text != held:
        work.write(NCCL_PATH, held, merged.text)
        work.removals += [Removal(f"{NCCL_PATH}: {line}") for line in merged.replaced]


def _remove_profile(work: _Work, rendered: Mapping[str, str]) -> None:
    """Remove our file of other variables when the job settings have none any more."""
    held = work.held.get(PROFILE_FILE)
    if held is not None and NCCL_FILE in rendered and PROFILE_FILE not in rendered:
        work.removals.append(Removal(PROFILE_PATH))
        work.steps.append(Run(f"sudo rm -f {PROFILE_PATH}"))
        work.undo.append(Upload(PROFILE_PATH, held))
        work.effects.append(_FILES)


def _reload(work: _Work, changed: set[str]) -> None:
    if SERVICE in changed:
        work.steps.append(Run("sudo systemctl daemon-reload"))
        work.undo.append(Run("sudo systemctl daemon-reload"))
    if UDEV_FILE in changed:
        work.steps.append(Run("sudo udevadm control --reload"))
        work.undo.append(Run("sudo udevadm control --reload"))


def _remove_stale(work: _Work, ports: list[str]) -> None:
    """Put scripts of ports that have none any more out of the way, and switch their units off."""
    names = [name for name in work.held.get(SCRIPTS.file, "").split() if name.endswith(".sh")]
    for port in sorted({name.removesuffix(".sh") for name in names} - set(ports)):
        path, unit = f"{SCRIPT_FOLDER}/{port}.sh", f"netcheck-roce@{port}.service"
        work.removals.append(Removal(path))
        work.steps.append(Run(f"sudo systemctl disable {unit}"))
        work.steps.append(Run(f"sudo mv -f {path} {path}.removed"))
        work.undo.append(Run(f"sudo mv -f {path}.removed {path}"))
        work.undo.append(Run(f"sudo systemctl enable {unit}"))
        work.effects.append(_FILES)


def _enable(work: _Work, ports: list[str]) -> None:
    for port in ports:
        state = work.held.get(f"enabled_{port}.txt", "").strip()
        if state == "enabled":
            continue
        unit = f"netcheck-roce@{port}.service"
        word = state if state in {"disabled", "enabled-runtime", "masked"} else "not there"
        work.objects.append((unit, word, "enabled"))
        work.steps.append(Run(f"sudo systemctl enable {unit}"))
        # Before the unit's file goes, or the link that enables it would stay.
        work.undo.insert(0, Run(f"sudo systemctl disable {unit}"))
        work.effects.append(_FILES)


def _restart(work: _Work, ports: list[str], drifted: list[Drift]) -> None:
    for one in drifted:
        work.objects.append((one.object, one.held, one.wanted))
        work.effects.append(one.effect)
    work.steps += [Run(f"sudo systemctl restart netcheck-roce@{port}.service") for port in ports]


def _restore(work: _Work, wanted: Device, before: Device, ports: list[str]) -> None:
    for port in ports:
        path = f"/var/tmp/netcheck-undo-{port}.sh"  # noqa: S108 -- put there by root, renamed over
        work.undo.append(Upload(path, restore_script(wanted, before, port), 0o600))
        work.undo.append(Run(f"sudo sh {path}"))
        work.undo.append(Run(f"sudo rm -f {path}"))


def _change(work: _Work) -> Change:
    if not work.objects and not work.removals:
        return Change()
    impact = max((effect.impact for effect in work.effects), key=_ORDER.index)
    worst = [effect for effect in work.effects if effect.impact is impact]
    return Change(
        objects=tuple(work.objects),
        removals=tuple(work.removals),
        steps=tuple(work.steps),
        undo=tuple(work.undo),
        impact=impact,
        reason="; ".join(dict.fromkeys(effect.reason for effect in worst)),
        source="; ".join(dict.fromkeys(effect.source for effect in worst)),
    )
