"""The Fabric and its parts; frozen, no input or output, no vendor word."""
