"""The subnet manager's files as facts, and what it makes of them."""
