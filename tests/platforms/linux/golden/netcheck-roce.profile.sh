# Written by netcheck; changes made here are lost.
export UCX_IB_TRAFFIC_CLASS=106
