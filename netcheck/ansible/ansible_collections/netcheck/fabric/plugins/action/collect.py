"""Read hosts into a snapshot folder, by read-only commands."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase  # type: ignore[import-untyped] # ships no types

from netcheck.ansible import work


class ActionModule(ActionBase):  # type: ignore[misc] # ships no types
    """Read hosts into a snapshot folder, by read-only commands."""

    _requires_connection = False

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> Any:  # Any: Ansible's own
        """Do the task and give its result."""
        result = super().run(tmp, task_vars)
        given = self._task.args
        return result | work.guarded(
            work.collect_snapshot,
            intent=work.paths(given.get("intent")),
            lab=str(given.get("lab") or ""),
            directory=str(given.get("directory") or ""),
            hosts=list(given.get("hosts") or ()),
        )
