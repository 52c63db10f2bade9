"""Names of what netcheck puts on a switch; by them it knows its own again."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from netcheck.model.device import Port
from netcheck.model.known import is_known

PREFIX: Final = "netcheck-"
LONGEST: Final = 40  # characters of the name of a map
_BASE: Final = 16
ContentT = TypeVar("ContentT", bound=Hashable)


def policy_word(port: Port) -> str:
    """Word for a port's policy in names: letters, digits and dashes only.

    Example:
        >>> policy_word(Port("Ethernet1/1", policy="train back"))
        'train-back'
    """
    said = port.policy if is_known(port.policy) else "port"
    return re.sub(r"[^A-Za-z0-9]+", "-", said)[:_BASE].strip("-") or "port"


def speed_word(port: Port) -> str:
    """Word for a port's speed, such as ``400g``; empty where it is not said."""
    return f"-{port.speed_bps // 1_000_000_000}g" if is_known(port.speed_bps) else ""


@dataclass(slots=True)
class Names:
    """Gives each content one name; the second content of a name gets a number."""

    found: dict[Hashable, str] = field(default_factory=dict)

    def of(self, wanted: str, content: Hashable) -> str:
        """Name of a content: the wanted one, or the next that is free."""
        if content not in self.found:
            taken, number, name = set(self.found.values()), 1, wanted
            while name in taken:
                number += 1
                name = f"{wanted}-{number}"
            self.found[content] = name
        return self.found[content]
