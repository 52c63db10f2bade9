"""Facts into the lines of a running-config, one module a topic."""
