"""A switch with Cisco NX-OS, simulated from Cisco's public documents."""
