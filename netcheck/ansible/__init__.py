"""The Ansible collection of netcheck; loaded by Ansible, not by netcheck."""
