"""The rendered subnet manager on a real OpenSM over a simulated copy of the fabric, read back."""
