"""``python -m netcheck.cli``."""

import sys

from netcheck.cli.main import console

sys.exit(console())
