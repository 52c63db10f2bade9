"""Switches with community SONiC."""
