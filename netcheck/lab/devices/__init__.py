"""Simulated devices: each keeps the text it was given and reads it with its own reader."""
