"""What produced a report."""

NAME = "netcheck"
VERSION = "0.1.0"  # as in pyproject.toml; reading package metadata costs 30 ms a start
HOME = "https://pypi.org/project/netcheck-fabric/"
