"""Data plane of an InfiniBand subnet: what credits, lanes and arbitration make of flows."""
