"""Documentation of the action plugin of the same name, which does the work."""

DOCUMENTATION = r"""
---
module: apply
short_description: Bring one host to what was rendered
version_added: 0.1.0
description:
  - "Bring one host to what was rendered."
  - "Runs on the control node, over its own sessions."
author:
  - netcheck contributors
options:
  run:
    description: "Folder of the run."
    type: str
  plan:
    description: "File of the plan, read in check mode."
    type: str
  secrets:
    description: "Address at which the calling process serves logins."
    type: str
"""

EXAMPLES = r"""
- name: Bring one host to what was rendered
  netcheck.fabric.apply:
    run: "{{ netcheck_run }}"
"""

RETURN = r"""
msg:
  description: "What happened, or what is wrong."
  returned: always
  type: str
"""
