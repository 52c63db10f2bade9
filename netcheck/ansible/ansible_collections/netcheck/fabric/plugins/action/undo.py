"""Bring one host back to what it held before a run."""

from __future__ import annotations

from typing import Any

import netmiko  # noqa: F401 -- once, before Ansible forks; else each host pays 0.4 s of CPU
from ansible.plugins.action import ActionBase  # type: ignore[import-untyped] # ships no types

from netcheck.ansible import work


class ActionModule(ActionBase):  # type: ignore[misc] # ships no types
    """Bring one host back to what it held before a run."""

    _requires_connection = False

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> Any:  # Any: Ansible's own
        """Do the task and give its result."""
        result = super().run(tmp, task_vars)
        given = self._task.args
        variables = task_vars or {}
        return result | work.guarded(
            work.undo,
            run=str(given.get("run") or ""),
            secrets=str(given.get("secrets") or ""),
            host=str(variables["inventory_hostname"]),
        )
