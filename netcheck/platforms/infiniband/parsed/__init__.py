"""Readers of each kind of output, into one book of the subnet."""
