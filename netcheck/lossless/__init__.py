"""The physics of losslessness: headroom, thresholds, efficiency, the fluid data plane. Pure."""
