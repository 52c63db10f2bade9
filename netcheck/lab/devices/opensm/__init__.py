"""A host that runs a subnet manager: a Linux host with a real OpenSM behind its unit."""
