"""OpenSM: the subnet manager of an InfiniBand fabric, as files."""
