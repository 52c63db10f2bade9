"""Job settings of hosts: NCCL, UCX and MPI variables, with ``auto`` computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from netcheck.intent.notes import Notes
from netcheck.model.device import Device, LinkLayer, RdmaDevice
from netcheck.model.frozen import frozen
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import UNKNOWN, Known, is_known

AUTO = "auto"


@frozen
class JobFacts:
    """What ``auto`` in job settings is computed from, on one host."""

    device: Device
    rdma: tuple[RdmaDevice, ...]
    roce_version: int


def job_environment(
    facts: JobFacts, jobs: Mapping[str, Mapping[str, str]], notes: Notes
) -> FrozenMap[str, str]:
    """Give the job variables of one host; ``auto`` is computed, or left out where it cannot be."""
    found = {}
    for family, variables in jobs.items():
        for name, value in variables.items():
            computed = _auto(facts, family, name, notes) if value == AUTO else value
            if is_known(computed):
                found[name] = computed
    return FrozenMap(found)


def _auto(facts: JobFacts, family: str, name: str, notes: Notes) -> Known[str]:
    if name not in AUTOMATIC or not facts.rdma:
        return UNKNOWN
    value, how = AUTOMATIC[name](facts)
    if is_known(value):
        notes.derive(f"jobs.{family}.{name} = {value}", how)
    return value


Automatic = tuple[Known[str], str]


def _hca(facts: JobFacts) -> Automatic:
    """Devices of the fabric; ``=`` asks NCCL for whole names where one begins another."""
    names = [one.name for one in facts.rdma]
    others = facts.device.rdma.keys() - set(names)
    is_ambiguous = any(other.startswith(name) for other in others for name in names)
    return ("=" if is_ambiguous else "") + ",".join(names), "RDMA devices under a policy"


def _ucx_devices(facts: JobFacts) -> Automatic:
    return ",".join(f"{one.name}:1" for one in facts.rdma), "RDMA devices under a policy, port 1"


def _tos(facts: JobFacts) -> Automatic:
    value = facts.rdma[0].rdma_cm_tos
    return (str(value) if is_known(value) else UNKNOWN), "ToS byte of the data class"


def _gid_index(facts: JobFacts) -> Automatic:
    """Index of the routable RoCE v2 address.

    Source: torvalds/linux drivers/infiniband/core/roce_gid_mgmt.c fills the table
        address by address, v1 before v2; the link-local address comes first.
    """
    port = facts.device.ports.get(facts.rdma[0].ports[0]) if facts.rdma[0].ports else None
    if facts.rdma[0].link_layer is LinkLayer.INFINIBAND or port is None:
        return UNKNOWN, ""
    if not is_known(port.address) or facts.rdma[0].driver != "mlx5":
        return "-1", "left to the library: the order of addresses is not known"
    index = 3 if facts.roce_version != 1 else 2
    version = 6 if ":" in port.address else 4
    return str(index), f"after both link-local ones, IPv{version} RoCE v{facts.roce_version}"


AUTOMATIC: dict[str, Callable[[JobFacts], Automatic]] = {
    "NCCL_IB_HCA": _hca,
    "NCCL_IB_TC": _tos,
    "NCCL_IB_GID_INDEX": _gid_index,
    "UCX_NET_DEVICES": _ucx_devices,
    "UCX_IB_TRAFFIC_CLASS": _tos,
    "UCX_IB_GID_INDEX": _gid_index,
}
