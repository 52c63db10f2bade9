"""Documentation of the action plugin of the same name, which does the work."""

DOCUMENTATION = r"""
---
module: collect
short_description: Read hosts into a snapshot folder, by read-only commands
version_added: 0.1.0
description:
  - "Read hosts into a snapshot folder, by read-only commands."
  - "Runs on the control node, over its own sessions."
author:
  - netcheck contributors
options:
  intent:
    description: "List of intent files."
    type: list
    elements: str
    required: true
  lab:
    description: "Folder of a running lab; empty for real devices."
    type: str
  directory:
    description: "Folder of the snapshot."
    type: str
    required: true
  hosts:
    description: "Hosts to read."
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Read hosts into a snapshot folder, by read-only commands
  netcheck.fabric.collect:
    intent: "{{ netcheck_intent }}"
    hosts: "{{ groups['netcheck'] }}"
    directory: snapshot
"""

RETURN = r"""
msg:
  description: "What happened, or what is wrong."
  returned: always
  type: str
"""
