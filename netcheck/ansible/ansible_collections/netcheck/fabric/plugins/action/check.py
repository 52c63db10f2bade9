"""Fail where a host does not hold the intent."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.parsing.convert_bool import (  # type: ignore[import-untyped] # no types
    boolean,
)
from ansible.plugins.action import ActionBase  # type: ignore[import-untyped] # ships no types

from netcheck.ansible import work


class ActionModule(ActionBase):  # type: ignore[misc] # ships no types
    """Fail where a host does not hold the intent."""

    _requires_connection = False

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> Any:  # Any: Ansible's own
        """Do the task and give its result."""
        result = super().run(tmp, task_vars)
        given = self._task.args
        return result | work.guarded(
            work.check,
            intent=work.paths(given.get("intent")),
            lab=str(given.get("lab") or ""),
            hosts=list(given.get("hosts") or ()),
            has_subnets=boolean(given.get("subnets") or False),
        )
