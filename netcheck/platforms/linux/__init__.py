"""Linux hosts: RDMA adapters, their DCB settings, and the environment of jobs."""
