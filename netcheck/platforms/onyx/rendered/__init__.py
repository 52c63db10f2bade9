"""The embedded subnet manager as commands."""
