"""The fluid data plane: RDMA traffic through ports as they are set up. Pure, with its own types."""
