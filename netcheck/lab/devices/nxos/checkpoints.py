"""Checkpoints: whole configurations kept under a name, and the way back to one.

Source: Cisco Nexus 9000 NX-OS System Management guide, Configuring Rollback.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from netcheck.lab.devices.nxos.patterns import LineError
from netcheck.lab.devices.nxos.tree import Block

MOST = 10
LONGEST = 80
ROLLED_BACK = (
    "Note: Applying config parallelly may fail Rollback verification\n"
    "Collecting Running-Config\n"
    "#Generating Rollback Patch\n"
    "Executing Rollback Patch\n"
    "Generating Running-config for verification\n"
    "Generating Patch for verification\n"
    "Verification is Successful.\n\n"
    "Rollback completed successfully.\n\n"
)
NOTHING_TO_DO = "Collecting Running-Config\n#Generating Rollback Patch\nRollback Patch is Empty\n"


@dataclass
class Checkpoints:
    """Checkpoints of one switch, in the order they were made."""

    held: dict[str, Block] = field(default_factory=dict)

    def add(self, name: str, configuration: Block) -> str:
        """Keep a configuration; give its name, made up where none is given.

        Raises:
            LineError: The name is taken or not allowed, or there are too many.
        """
        if not name:
            free = (f"user-checkpoint-{n}" for n in range(1, MOST + 1))
            name = next((one for one in free if one not in self.held), "user-checkpoint-1")
        if len(name) > LONGEST or name.startswith("system"):
            raise LineError("checkpoint-name")
        if name in self.held:
            raise LineError("checkpoint-twice", name=name)
        if len(self.held) >= MOST:
            raise LineError("checkpoint-limit", limit=MOST)
        self.held[name] = configuration.copy()
        return name

    def get(self, name: str) -> Block:
        """Give a kept configuration.

        Raises:
            LineError: There is none of that name.
        """
        if name not in self.held:
            raise LineError("checkpoint-missing", name=name)
        return self.held[name].copy()

    def remove(self, name: str) -> None:
        """Forget a checkpoint.

        Raises:
            LineError: There is none of that name.
        """
        self.get(name)
        del self.held[name]


def patch(now: Block, target: Block, depth: int = 0) -> list[str]:
    """Lines that lead from one configuration to another: removals first, then what is added."""
    blanks = "  " * depth
    rows = [_gone(line, blanks) for line in now if line not in target]
    for line, below in target.items():
        inner = patch(now.get(line, Block()), below, depth + 1)
        if line not in now or inner:
            rows += [f"{blanks}{line}", *inner]
    return rows


def _gone(line: str, blanks: str) -> str:
    return f"{blanks}{line.removeprefix('no ') if line.startswith('no ') else f'no {line}'}"
