"""Puts the fake platform and the cutter into Python processes that Ansible starts."""

from __future__ import annotations

import os
import sys

if os.environ.get("NETCHECK_TEST_ROOT") and "ansible-playbook" in " ".join(sys.orig_argv):
    from tests.deploy import cutter, fake_platform

    fake_platform.install()
    if os.environ.get("NETCHECK_TEST_CUT"):
        cutter.install(int(os.environ["NETCHECK_TEST_CUT"]))
elif os.environ.get("NETCHECK_TEST_CUT") and "ansible-playbook" in " ".join(sys.orig_argv):
    from tests.deploy import cutter

    cutter.install(int(os.environ["NETCHECK_TEST_CUT"]))
