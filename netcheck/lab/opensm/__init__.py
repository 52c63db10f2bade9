"""A real OpenSM on a simulated InfiniBand fabric: ibsim, subnet managers, infiniband-diags."""
