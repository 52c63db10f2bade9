"""From what a switch holds to what is rendered."""
