"""InfiniBand subnets: what infiniband-diags, OpenSM's dumps and its log show."""
