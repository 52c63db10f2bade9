"""Documentation of the action plugin of the same name, which does the work."""

DOCUMENTATION = r"""
---
module: check
short_description: Fail where a host does not hold the intent
version_added: 0.1.0
description:
  - "Fail where a host does not hold the intent."
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
  hosts:
    description: "Hosts to compare."
    type: list
    elements: str
    required: true
  subnets:
    description: "Also read the InfiniBand subnets that one of the hosts manages, at that host."
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Fail where a host does not hold the intent
  netcheck.fabric.check:
    intent: "{{ netcheck_intent }}"
    hosts: "{{ groups['netcheck'] }}"
"""

RETURN = r"""
msg:
  description: "What happened, or what is wrong."
  returned: always
  type: str
"""
