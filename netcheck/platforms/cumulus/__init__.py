"""NVIDIA Cumulus Linux: NVUE, and the older switchd files (read only)."""
