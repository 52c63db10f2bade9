"""What the lab takes of a fabric's InfiniBand subnets."""

from __future__ import annotations

from netcheck.lab.staging import Staged, stage
from netcheck.lab.subnets.parts import LabHca, LabManager, LabSubnet
from netcheck.model.cables import Cables, adapter_guids, is_reached
from netcheck.model.errors import InputError, RefusalError
from netcheck.model.fabric import Fabric

MANAGED = "opensm"
# A standby that hears nothing for a second on a busy machine would take over from a living
# master; two masters then wait for ever for what the simulator loses between them.
PATIENT = {"sminfo_polling_timeout": "1000", "polling_retry_number": "4"}


def subnets_of(fabric: Fabric) -> tuple[tuple[LabSubnet, ...], tuple[str, ...]]:
    """Give a fabric's subnets, and notes of what is assumed or left out.

    A manager whose host netcheck deploys to begins without files, as after its
    installation; the others begin with what the intent says.
    """
    found: list[LabSubnet] = []
    notes: list[str] = []
    for name in fabric.subnets:
        try:
            staged = stage(fabric, name)
        except (InputError, RefusalError) as error:
            notes.append(f"subnet {name}: left out: {error}")
            continue
        notes += [f"subnet {name}: {note}" for note in staged.notes]
        found.append(_subnet(fabric, name, staged))
    return tuple(found), tuple(notes)


def _subnet(fabric: Fabric, name: str, staged: Staged) -> LabSubnet:
    managers = tuple(
        LabManager(
            plan.name,
            plan.node,
            {} if _is_deployed(fabric, plan.name) else dict(plan.files),
            {**plan.extra, **PATIENT},
        )
        for plan in staged.plans
    )
    return LabSubnet(name, staged.network.text, managers)


def _is_deployed(fabric: Fabric, name: str) -> bool:
    device = fabric.devices.get(name)
    return device is not None and device.platform == MANAGED and is_reached(device)


def hcas_of(fabric: Fabric, host: str) -> tuple[LabHca, ...]:
    """Give the RDMA devices of a host that are on InfiniBand links, port by port."""
    found = []
    for one in Cables(fabric).adapters(host):
        guid = adapter_guids(host, one)[1]
        ports = one.ports or ("",)
        found += [LabHca(one.name, port, guid + n, n + 1) for n, port in enumerate(ports)]
    return tuple(found)
