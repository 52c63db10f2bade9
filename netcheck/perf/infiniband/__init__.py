"""Measuring InfiniBand subnets: services, what of the subnet they cross, and what that proves."""
