"""Documentation of the action plugin of the same name, which does the work."""

DOCUMENTATION = r"""
---
module: prepare
short_description: Plan for the hosts of a play and begin a run
version_added: 0.1.0
description:
  - "Plan for the hosts of a play and begin a run."
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
  state:
    description: "Folder for runs and their journals; the user's state folder by default."
    type: str
  hosts:
    description: "Hosts to plan for."
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Plan for the hosts of a play and begin a run
  netcheck.fabric.prepare:
    intent: "{{ netcheck_intent }}"
    hosts: "{{ groups['netcheck'] }}"
"""

RETURN = r"""
msg:
  description: "What happened, or what is wrong."
  returned: always
  type: str
"""
