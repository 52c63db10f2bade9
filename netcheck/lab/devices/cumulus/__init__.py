"""Switches with Cumulus Linux and NVUE."""
