"""Rules of lossless RoCE, one module a family."""
