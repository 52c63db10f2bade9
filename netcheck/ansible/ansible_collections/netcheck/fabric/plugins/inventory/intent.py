"""Hosts and groups from an intent, or from a running lab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.errors import AnsibleParserError  # type: ignore[import-untyped] # ships no types
from ansible.plugins.inventory import BaseInventoryPlugin  # type: ignore[import-untyped] # as above

from netcheck.ansible import inventory
from netcheck.model.errors import NetcheckError

DOCUMENTATION = r"""
---
name: intent
short_description: Hosts and groups from a netcheck intent
version_added: 0.1.0
description:
  - Gives one host for each device of the intent that has a management address,
    hosts first and spines last, which is the order in which they change.
  - With a running lab, addresses are the lab's.
author:
  - netcheck contributors
options:
  plugin:
    description: Name of this plugin.
    required: true
    choices: [netcheck.fabric.intent]
  intent:
    description: Intent files, relative to this file. With a lab, the lab's own by default.
    type: list
    elements: str
    default: []
  lab:
    description: Folder of a running lab; C(auto) is the one of the environment or the default.
    type: str
    default: ""
"""

EXAMPLES = r"""
plugin: netcheck.fabric.intent
intent: [../../examples/lab-small.yaml]
"""


class InventoryModule(BaseInventoryPlugin):  # type: ignore[misc] # ships no types
    """The inventory of an intent."""

    NAME = "netcheck.fabric.intent"

    def verify_file(self, path: str) -> bool:
        """Take files named ``*.netcheck.yml``."""
        return bool(super().verify_file(path)) and path.endswith(
            (".netcheck.yml", ".netcheck.yaml")
        )

    def parse(self, inventory_: Any, loader: Any, path: str, cache: bool = True) -> None:  # noqa: FBT001, FBT002 -- Any and the flag: Ansible's own signature
        """Read the intent and add its hosts."""
        super().parse(inventory_, loader, path, cache)
        self._read_config_data(path)
        try:
            found = inventory.build(
                [str(item) for item in self.get_option("intent")],
                lab=str(self.get_option("lab") or ""),
                folder=Path(path).resolve().parent,
            )
        except NetcheckError as error:
            raise AnsibleParserError(str(error)) from error
        self._add(found)

    def _add(self, found: inventory.Inventory) -> None:
        self.inventory.add_group("netcheck")
        for name, value in found.variables.items():
            self.inventory.set_variable("netcheck", name, value)
        for host in found.hosts:
            for group in ("netcheck", *host.groups):
                self.inventory.add_group(group)
                self.inventory.add_host(host.name, group=group)
            for name, value in host.variables.items():
                self.inventory.set_variable(host.name, name, value)
