"""What a host says of its bus, processors and one of its NICs.

Source: Linux Documentation/ABI/testing/sysfs-bus-pci (current_link_*, max_link_*, numa_node);
    NVIDIA/nccl user guide, Troubleshooting (PCI Access Control Services).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NET = "/sys/class/net/{port}/device"
LINE = (
    f"grep -sH . {_NET}/current_link_speed {_NET}/current_link_width {_NET}/max_link_speed"
    f" {_NET}/max_link_width {_NET}/numa_node /sys/devices/system/node/online"
    " /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor;"
    " sudo -n lspci -vvv 2>/dev/null | grep -c 'ACSCtl:.*SrcValid+'"
)
_FACT = re.compile(r"^\S*/(\w+):(.*)$")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
# Encoding of PCIe: 8 of 10 bits up to 5 GT/s, 128 of 130 above (PCI Express Base Specification).
_SLOW_GTS, _CODING_SLOW, _CODING = 5.0, 8 / 10, 128 / 130


@dataclass(frozen=True, slots=True)
class HostAnswer:
    """What a host said of itself and one of its NICs; None where it did not say.

    Attributes:
        gts, lanes, most_gts, most_lanes: PCIe as it came up, and as the NIC could.
        numa_node: Of the NIC; -1 where the firmware does not tell.
        nodes: NUMA nodes of the host.
        redirecting: PCIe bridges with Access Control Services on; 0 also where nobody may look.
        is_pinned: Its tests ran on the NUMA node of the NIC.
    """

    gts: float | None = None
    lanes: int | None = None
    most_gts: float | None = None
    most_lanes: int | None = None
    numa_node: int | None = None
    nodes: int = 1
    governor: str = ""
    redirecting: int = 0
    is_pinned: bool = False

    @property
    def pcie_bps(self) -> float | None:
        """What the bus carries at most."""
        if self.gts is None or self.lanes is None:
            return None
        coding = _CODING_SLOW if self.gts <= _SLOW_GTS else _CODING
        return self.gts * 1e9 * self.lanes * coding


def parse_answer(text: str) -> HostAnswer:
    """Read what LINE printed; never raises on content."""
    found: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        match = _FACT.match(line)
        if match:
            found[match[1]] = match[2].strip()
        elif line.strip():
            last = line.strip()
    lanes, most_lanes = (_number(found.get(f"{w}_link_width", "")) for w in ("current", "max"))
    node = found.get("numa_node", "")
    return HostAnswer(
        _number(found.get("current_link_speed", "")),
        None if lanes is None else int(lanes),
        _number(found.get("max_link_speed", "")),
        None if most_lanes is None else int(most_lanes),
        int(node) if re.fullmatch(r"-?\d{1,4}", node) else None,
        _nodes(found.get("online", "")),
        found.get("scaling_governor", ""),
        int(last) if re.fullmatch(r"\d{1,6}", last) else 0,
    )


def _number(text: str) -> float | None:
    match = _NUMBER.match(text)
    return float(match[0]) if match else None


def _nodes(text: str) -> int:
    """Number of nodes in a list of ranges such as ``0-1,4``."""
    count = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            count += int(last or first) - int(first) + 1
    return max(1, count)
