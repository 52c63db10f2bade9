"""RDMA tests with counters before and after, and what they prove."""
