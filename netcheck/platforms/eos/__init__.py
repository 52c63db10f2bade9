"""Arista EOS: running-config and live outputs."""
