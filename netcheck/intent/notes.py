"""What completion did: values that nobody said, and how computed ones came about."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Notes:
    """Collects fact paths that were defaulted, and derivations by fact path."""

    defaulted: dict[str, None] = field(default_factory=dict)
    derivations: dict[str, str] = field(default_factory=dict)

    def default(self, path: str, value: object) -> None:
        """Note that nobody said a fact and what was taken for it."""
        self.defaulted[f"{path} = {value}"] = None

    def derive(self, path: str, how: str) -> None:
        """Note how a computed fact came about."""
        self.derivations[path] = how
