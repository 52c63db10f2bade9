"""The difference between two states of a subnet manager, as commands."""
