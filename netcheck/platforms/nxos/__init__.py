"""Cisco Nexus 9000 with NX-OS."""
