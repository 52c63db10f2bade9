"""A policy into lines of the running-config."""
