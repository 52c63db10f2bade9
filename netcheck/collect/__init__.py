"""Devices to snapshots on disk, and back to a Fabric."""
