"""``python -m netcheck.cli``."""

import sys

from netcheck.cli.main import main

sys.exit(main())
