"""MLNX-OS (Onyx) switches for InfiniBand: the subnet manager that is embedded in them."""
