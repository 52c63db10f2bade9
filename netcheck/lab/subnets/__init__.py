"""InfiniBand subnets of the lab: a real OpenSM on ibsim, and traffic through what it has set."""
