"""How a change is merged into what the switch holds."""
