"""Platforms: one folder each; adding one edits nothing."""
