"""Documentation of the action plugin of the same name, which does the work."""

DOCUMENTATION = r"""
---
module: close
short_description: Close a run
version_added: 0.1.0
description:
  - "Close a run."
  - "Runs on the control node, over its own sessions."
author:
  - netcheck contributors
options:
  run:
    description: "Folder of the run."
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Close a run
  netcheck.fabric.close:
    run: "{{ netcheck_run }}"
"""

RETURN = r"""
msg:
  description: "What happened, or what is wrong."
  returned: always
  type: str
"""
