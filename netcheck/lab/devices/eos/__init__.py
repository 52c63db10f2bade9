"""A simulated Arista EOS switch of the DCS-7060X class (Tomahawk)."""
