"""Lines that apply to a port: its own before its aggregate's before those of the profile."""

from __future__ import annotations

from dataclasses import dataclass

from netcheck.model.known import ABSENT, UNKNOWN
from netcheck.platforms.eos.parsed.config import Said, Section, Settings
from netcheck.platforms.eos.parsed.grammar import Word


@dataclass(slots=True)
class Layers:
    """What applies to a port, the nearest first.

    Attributes:
        is_complete: Every layer that may say something was given.
    """

    sections: list[Section]
    is_complete: bool = True

    def find(self, key: str) -> Said | None:
        """Give the nearest line of a key that a later layer does not have to answer."""
        for section in self.sections:
            said = section.settings.get(key)
            if said is not None and said.value is not Word.DEFAULT:
                return said
        return None

    def value(self, key: str) -> object:
        """Give the value; ABSENT where no layer says it, UNKNOWN where a layer is missing."""
        said = self.find(key)
        if said is not None:
            return said.value
        return ABSENT if self.is_complete else UNKNOWN

    def queues(self) -> dict[int, Settings]:
        """Give the settings of each queue that any layer names."""
        found: dict[int, Settings] = {}
        for section in reversed(self.sections):
            for queue, settings in section.queues.items():
                kept = {k: v for k, v in settings.items() if v.value is not Word.DEFAULT}
                found.setdefault(queue, {}).update(kept)
        return found
