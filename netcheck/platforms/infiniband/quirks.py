"""Behaviour of the tools that is not what one would expect, each with its source.

- ``ibqueryerrors``: the row ``port ALL`` adds up ports and stops at the width of one counter, so
  that it counts only where its node has no row of a port. Measured: PortXmitDiscards 255 there,
  4242 at the port.
- ``saquery`` over a transport without RMPP gives the first record and then rubbish: records
  without LIDs are left out. Measured: umad2sim of ibsim 0.10.
- ``ibnetdiscover -p`` and ``iblinkinfo`` give the port GUID of an adapter, the plain form
  gives the node GUID. Source: linux-rdma/rdma-core infiniband-diags/ibnetdiscover.c.
- PortXmitData and PortRcvData count units of 4 bytes. Source: InfiniBand Architecture
  Specification volume 1, 16.1.3.5.
"""
