"""Documentation of the action plugin of the same name, which does the work."""

DOCUMENTATION = r"""
---
module: undo
short_description: Bring one host back to what it held before a run
version_added: 0.1.0
description:
  - "Bring one host back to what it held before a run."
  - "Runs on the control node, over its own sessions."
author:
  - netcheck contributors
options:
  run:
    description: "Folder of the run."
    type: str
    required: true
  secrets:
    description: "Address at which the calling process serves logins."
    type: str
"""

EXAMPLES = r"""
- name: Bring one host back to what it held before a run
  netcheck.fabric.undo:
    run: "{{ netcheck_run }}"
"""

RETURN = r"""
msg:
  description: "What happened, or what is wrong."
  returned: always
  type: str
"""
