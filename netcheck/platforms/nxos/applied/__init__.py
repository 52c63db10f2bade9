"""How a change gets onto a switch."""
