"""A simulated MLNX-OS switch for InfiniBand, with its embedded subnet manager."""
