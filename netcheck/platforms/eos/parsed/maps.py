"""Maps of the switch: what lines state, on top of what EOS does anyway."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.document import Evidence
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.known import ABSENT, UNKNOWN, Known
from netcheck.platforms.eos import defaults
from netcheck.platforms.eos.parsed.config import Config, Table

IntMap = FrozenMap[int, int]


class Maps:
    """Maps for the whole switch; where any line of a map was given, the rest is the default."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.is_told = config.has_maps or config.is_whole
        self._apart: dict[str, list[tuple[int, Evidence]]] = {}

    def tables(self) -> Iterator[tuple[str, Table]]:
        """Yield the fact of each map with the lines that state it."""
        for name, fact in (
            ("dscp", "dscp_to_priority"),
            ("cos", "pcp_to_priority"),
            ("to tx-queue", "priority_to_queue"),
            ("to dscp", "remark_dscp"),
            ("to cos", "remark_pcp"),
        ):
            yield fact, self.config.table(name)

    def apart(self, fact: str) -> list[tuple[int, Evidence]]:
        """Give the entries of a map that stand in other lines than its first."""
        if fact not in self._apart:
            table = dict(self.tables())[fact]
            self._apart[fact] = [(key, at) for key, at in table.lines.items() if at != table.at]
        return self._apart[fact]

    def mark_map(self, name: str, default: IntMap) -> Known[IntMap]:
        """Give a map with the switch's defaults in it."""
        return default.with_items(self.config.table(name).entries) if self.is_told else UNKNOWN

    def queue_map(self) -> Known[IntMap]:
        """Give the map from switch priority to queue."""
        return self.mark_map("to tx-queue", defaults.PRIORITY_TO_QUEUE)

    def remark(self, of: str, default: IntMap) -> Known[IntMap]:
        """Give what frames are rewritten to.

        Without `qos rewrite` the lines of the map are given alone: they do
        nothing, but somebody meant something by them.
        """
        entries = self.config.table(f"to {of}").entries
        if self.config.rewrites.get(of):
            return default.with_items(entries)
        if entries:
            return FrozenMap(entries)
        return ABSENT if self.config.is_whole or of in self.config.rewrites else UNKNOWN
