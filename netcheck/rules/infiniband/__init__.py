"""Rules of InfiniBand, one module a family."""
